package page_test

import (
	"encoding/json"
	"fmt"
	"os"
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
	check := func(name string, tab *browser.Tab) {
		tab.Eval(`(() => { ` + axe + `; return 1; })()`)
		found := tab.Eval(run)
		var violations []string
		testkit.Must(t, json.Unmarshal([]byte(found), &violations))
		for _, v := range violations {
			t.Errorf("%s: %s", name, v)
		}
	}
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
	for _, width := range []int{360, 1280} {
		for name, make := range states {
			for _, who := range members {
				h := make()
				tab := seen(b.Tab(name, h.URL+"/board#"+who, width, 800))
				tab.Dark(who == "bob")
				check(fmt.Sprint(name, " ", width, " ", who), tab)
				if name == "over" && who == "ann" {
					tab.Click("Review")
					tab.Click("Next remark")
					check(fmt.Sprint("review ", width), tab)
				}
				if name == "clocks" {
					tab.Click("Resign")
					check(fmt.Sprint("dialog ", width, " ", who), tab)
				}
				tab.Close()
			}
		}
		for _, theme := range render.Themes() {
			h := open(t, gomoku, fieldsOf(sample)...)
			h.do(func() {
				h.more["theme"], h.more["numbers"] = theme, true
				h.more["says"] = strings.Repeat("much to say ", 80)
				h.tell()
			})
			tab := seen(b.Tab(theme, h.URL+"/board#ann", width, 800))
			check(fmt.Sprint(theme, " ", width), tab)
			tab.Close()
		}
		h := open(t, gomoku, "h8")
		check("watch", b.Tab("watch", h.URL+"/g/shared", width, 800))
		none := b.Tab("none", h.URL+"/board#guess", width, 800)
		none.Sees("used up")
		none.Forgive("404")
		check("none", none)
	}
}
