package page_test

import (
	"testing"

	"tengen/internal/browser"
)

// The same page in the engine of iPhones, where a document without an origin that loads anything stays blank.
func TestWebKit(t *testing.T) {
	t.Parallel()
	b := browser.WebKit(t)
	for _, part := range []struct {
		name string
		test func(*testing.T, *browser.Browser)
	}{
		{"mouse", byMouse},
		{"keyboard", byKeyboard},
		{"reversi", reversi},
		{"plain", inPlain},
		{"frame", inFrame},
	} {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			part.test(t, b.For(t))
		})
	}
}

// Everything that a member does, in a document of its own.
func inPlain(t *testing.T, b *browser.Browser) {
	h := open(t, gomoku)
	whole(t, h, as(b, h, "ann"))
}

// The same in a frame without an origin, as phones have it.
func inFrame(t *testing.T, b *browser.Browser) {
	h := open(t, gomoku)
	tab := b.Tab("client", h.URL+"/client", 1280, 800)
	tab.Until(`said.includes("HANDSHAKE 77")`)
	tab.Inside("iframe")
	tab.Until(`origin === "null" && document.querySelector("#drawing .stones")`)
	tab.ClickAt(cell("h8"), "H8")
	h.until("the member is proven", func() bool { return h.requests["code"] == 1 })
	whole(t, h, seen(tab))
}

// whole is a whole game of one page: moves, a refusal, taking back, a question that is cancelled, the end, the review,
// a second try.
func whole(t *testing.T, h *house, a *browser.Tab) {
	click(a, h, "h8")
	h.play(1, "a1")
	turn(a, h)
	a.ClickAt(cell("a1"), "A1")
	a.Sees("A1 is already taken.")
	click(a, h, "h9")
	a.Click("Take back")
	h.until("ann asks", func() bool { return h.m.Undoing.Open })
	h.do(func() {
		if no := h.act(1, ask{Verb: "undoyes", Stamp: h.m.Stamp()}); no != "" {
			t.Error(no)
		}
	})
	turn(a, h)
	is(a, "h9", "empty")
	a.Click("Resign")
	a.Sees("Do you really want to resign?")
	a.Click("Cancel")
	a.Misses("Do you really want to resign?")
	for _, p := range []string{"h9 a2", "h10 a3", "h11 a4"} {
		points := fieldsOf(p)
		click(a, h, points[0])
		h.play(1, points[1])
	}
	h.cut() // the page goes on by itself
	click(a, h, "h12")
	a.Sees("Black has won.")
	a.ClickAt(`document.querySelector("#moves li:nth-child(7)")`, "move 7")
	a.Sees("Move 7 of 9")
	a.Click("To the end")
	is(a, "h12", "black, last move")
	a.Click("Review")
	a.Click("Next remark")
	a.Sees("Move 4 was a mistake.")
	a.Until(`!document.getElementById("graph").hidden`)
	a.Click("Try again")
	a.Sees("Find a better move.")
	a.ClickAt(cell("g7"), "G7")
	a.Sees("G7 is right.")
	a.Click("Back to the review")
	a.Shot("whole-" + t.Name()[len("TestWebKit/"):])
	acts := 0
	h.do(func() { acts = h.requests["act"] })
	a.Click("Rematch")
	h.until("ann wants another game", func() bool { return h.requests["act"] > acts })
}
