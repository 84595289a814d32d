package page_test

import (
	"fmt"
	"testing"

	"tengen/game"
	"tengen/internal/browser"
	"tengen/render"
)

const sample = "h8 i9 i7 g9 h9 h7 j8 g11 k9 j6 g7 f6 l10 h6 f8 g10 e9 d10"

// Pictures of the page, for those who look: DEMO_SHOTS names the folder. Nothing is judged here.
func TestPictures(t *testing.T) {
	t.Parallel()
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
	h := open(t, game.Terms{Rules: game.Gomoku15, PerMove: 5 * 60e9}, fieldsOf(sample)...)
	shots("gomoku", h, "ann")
	r := open(t, game.Terms{Rules: game.Reversi}, fieldsOf("d3 c5 f6 f5 e6 e3 c3 f3 c4 b4")...)
	shots("reversi", r, "ann")
	for _, name := range render.Themes() {
		h := open(t, game.Terms{Rules: game.Gomoku15}, fieldsOf(sample)...)
		h.do(func() { h.more["theme"] = name; h.tell() })
		tab := b.Tab(name, h.URL+"/board#ann", 1280, 800)
		tab.Until(`document.querySelector("#drawing .stones")`)
		tab.Shot("theme-" + name)
		tab.Close()
	}
}
