package page_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/opening"
	"tengen/internal/browser"
	"tengen/internal/testkit"
	"tengen/render"
)

// TENGEN_AXE names the file axe.min.js of axe-core (npm). It must find nothing, in any state and theme.
func TestAxe(t *testing.T) {
	t.Parallel()
	file := os.Getenv("TENGEN_AXE")
	if file == "" {
		t.Skip("TENGEN_AXE does not name axe.min.js of axe-core")
	}
	axe := string(testkit.Read(t, file))
	const run = `axe.run(document, {
		resultTypes: ["violations"],
		runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
	}).then((r) => JSON.stringify(r.violations.map((v) =>
		v.id + ": " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) + " " + n.failureSummary).join(" | "))))`
	b := browser.Open(t)
	widths := []int{360, 1280}
	check := func(name string, tab *browser.Tab) {
		tab.Eval(`(() => { if (!window.axe) { ` + axe + `; } return 1; })()`)
		for _, width := range widths {
			tab.Resize(width, 800)
			var violations []string
			testkit.Must(t, json.Unmarshal([]byte(tab.Eval(run)), &violations))
			for _, v := range violations {
				t.Errorf("%s %d: %s", name, width, v)
			}
		}
		slices.Reverse(widths) // the window keeps its size
	}
	tab := b.Tab("axe", "about:blank", 360, 800)
	states := map[string]func() *house{
		"empty": func() *house { return open(t, gomoku) },
		"clocks": func() *house {
			return open(t, game.Terms{Rules: game.Gomoku15, Clock: game.PerMove(5 * 60e9)}, fieldsOf(sample)...)
		},
		"nine":  func() *house { return open(t, game.Terms{Rules: game.Gomoku9}, "e5") },
		"renju": func() *house { return open(t, game.Terms{Rules: game.Renju}, fieldsOf("h8 a1 h9 a15 i7 o1 j7 o15")...) },
		"asks": func() *house {
			return open(t, game.Terms{Rules: game.Renju, Protocol: opening.RIF}, fieldsOf("h8 i9 j10")...)
		},
		"offers": func() *house {
			return open(t, game.Terms{Rules: game.Renju, Protocol: opening.RIF}, fieldsOf("h8 i9 j10 stay g7 k11 f6")...)
		},
		"reversi": func() *house {
			return open(t, game.Terms{Rules: game.Reversi}, fieldsOf("d3 c5 f6 f5 e6 e3 c3 f3 c4 b4")...)
		},
		"over": func() *house { return open(t, gomoku, fieldsOf("h8 a1 h9 a2 h10 a3 h11 a4 h12")...) },
	}
	for name, make := range states {
		h := make()
		for _, who := range members {
			tab.Dark(who == "bob")
			tab.Go(h.URL + "/board#" + who)
			check(name+" "+who, seen(tab))
			if name == "over" && who == "ann" {
				tab.Click("Review")
				tab.Click("Next remark")
				check("review", tab)
				tab.Click("Try again")
				tab.Click("Solution")
				tab.Sees("The move was G7.")
				check("second try", tab)
			}
			if name == "clocks" && who == "ann" {
				tab.Click("Resign")
				check("dialog", tab)
			}
		}
	}
	for _, theme := range render.Themes() {
		h := open(t, gomoku, fieldsOf(sample)...)
		h.more["theme"], h.more["numbers"] = theme, true
		h.more["says"] = strings.Repeat("much to say ", 80)
		h.do(h.tell)
		tab.Go(h.URL + "/board#ann")
		check(theme, seen(tab))
	}
	h := open(t, gomoku, "h8")
	tab.Go(h.URL + "/g/shared")
	check("watch", tab)
	h.full = true
	tab.Go(h.URL + "/board#bob")
	tab.Sees("You have too many boards open.")
	check("too many", tab)
	tab.Go("about:blank") // else it is the same document
	tab.Go(h.URL + "/board#guess")
	tab.Sees("used up")
	tab.Forgive("404")
	check("none", tab)
}
