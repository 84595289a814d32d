package page_test

import (
	"fmt"
	"os"
	"testing"

	"tengen/game"
	"tengen/internal/browser"
	"tengen/render"
)

const sample = "h8 i9 i7 g9 h9 h7 j8 g11 k9 j6 g7 f6 l10 h6 f8 g10 e9 d10"

// Pictures of the page, for those who look: DEMO_SHOTS names the folder. Nothing is judged here.
func TestPictures(t *testing.T) {
	t.Parallel()
	if os.Getenv("DEMO_SHOTS") == "" {
		t.Skip("nobody wants pictures")
	}
	b := browser.Open(t)
	sizes := [][2]int{{1280, 800}, {390, 844}, {320, 568}, {844, 390}}
	shots := func(name string, h *house, who string) {
		for _, s := range sizes {
			tab := b.Tab(name, h.URL+"/board#"+who, s[0], s[1])
			tab.Until(`document.querySelector("#drawing .stones")`)
			tab.Shot(fmt.Sprintf("%s-%dx%d", name, s[0], s[1]))
			tab.Close()
		}
	}
	h := open(t, game.Terms{Rules: game.Gomoku15, Clock: game.PerMove(5 * 60e9)}, fieldsOf(sample)...)
	shots("gomoku", h, "ann")
	r := open(t, game.Terms{Rules: game.Reversi}, fieldsOf("d3 c5 f6 f5 e6 e3 c3 f3 c4 b4")...)
	shots("reversi", r, "ann")
	for _, s := range append(sizes, [2]int{3840, 2160}) {
		o := open(t, gomoku, fieldsOf("h8 a1 h9 a2 h10 a3 h11 a4 h12")...)
		tab := reviewed(b, o, s[0], s[1])
		tab.Dark(true)
		tab.Click("Next remark")
		tab.Shot(fmt.Sprintf("remark-%dx%d", s[0], s[1]))
		tab.Click("Try again")
		tab.Click("Solution")
		tab.Sees("The move was G7.")
		tab.Shot(fmt.Sprintf("try-%dx%d", s[0], s[1]))
		tab.Close()
	}
	for name, set := range map[string]func(*house, *browser.Tab){
		"dark":  func(_ *house, tab *browser.Tab) { tab.Dark(true) },
		"large": func(_ *house, tab *browser.Tab) { tab.Resize(3840, 2160) },
		"wide":  func(_ *house, tab *browser.Tab) { tab.Resize(768, 1024) },
		"small picture": func(_ *house, tab *browser.Tab) {
			tab.Resize(320, 180)
			tab.Eval(`document.documentElement.dataset.layout = "pip"`)
		},
		"right": func(_ *house, tab *browser.Tab) { tab.Eval(`document.documentElement.dir = "rtl"`) },
	} {
		h := open(t, game.Terms{Rules: game.Gomoku15, Clock: game.PerMove(5 * 60e9)}, fieldsOf(sample)...)
		tab := seen(b.Tab(name, h.URL+"/board#ann", 1280, 800))
		set(h, tab)
		tab.Eval(`new Promise((done) => setTimeout(done, 200))`)
		tab.Shot(name)
		tab.Close()
	}
	zh := open(t, game.Terms{Rules: game.Renju}, fieldsOf("h8 i9 j10")...)
	zh.lang = "zh-CN"
	zh.do(zh.tell)
	tab := seen(b.Tab("zh", zh.URL+"/board#ann", 390, 844))
	tab.Dark(true)
	tab.Shot("chinese")
	w := b.Tab("w", r.URL+"/g/shared", 390, 844)
	w.Until(`document.querySelector("#drawing .stones use")`)
	t.Log("first paint, ms:", w.Eval(`performance.getEntriesByName("first-contentful-paint")[0]?.startTime`),
		"board there:", w.Eval(`performance.timing.domContentLoadedEventEnd - performance.timing.navigationStart`))
	w.Shot("watch")
	for _, name := range render.Themes() {
		h := open(t, game.Terms{Rules: game.Gomoku15}, fieldsOf(sample)...)
		h.do(func() { h.more["theme"] = name; h.tell() })
		tab := b.Tab(name, h.URL+"/board#ann", 1280, 800)
		tab.Until(`document.querySelector("#drawing .stones")`)
		tab.Shot("theme-" + name)
		tab.Close()
	}
}
