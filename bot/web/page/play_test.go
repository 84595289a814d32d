package page_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/opening"
	"tengen/internal/browser"
)

// The parts wait for the page more than they compute: with more of them at a time than there are cores, the test is
// over sooner.
func TestMain(m *testing.M) {
	flag.Parse()
	if at := flag.Lookup("test.parallel"); at.Value.String() == at.DefValue {
		_ = flag.Set("test.parallel", "10")
	}
	os.Exit(m.Run())
}

// The page in a real browser, one for all parts.
func TestPage(t *testing.T) {
	t.Parallel()
	b := browser.Open(t)
	for _, part := range []struct {
		name string
		test func(*testing.T, *browser.Browser)
	}{
		{"mouse", byMouse},
		{"keyboard", byKeyboard},
		{"touch", byTouch},
		{"confirm", byConfirm},
		{"reversi", reversi},
		{"renju", renju},
		{"openings", openings},
		{"offers", offers},
		{"cut", cut},
		{"lost answer", lostAnswer},
		{"gap", gap},
		{"poll", poll},
		{"no word", noWord},
		{"changed under the finger", underFinger},
		{"watch", watch},
		{"after the end", afterEnd},
		{"second try", secondTry},
		{"second try by keyboard", secondTryByKeyboard},
		{"too many", tooMany},
		{"list", list},
		{"pressed twice", pressedTwice},
		{"wheel", wheel},
		{"links", links},
		{"share", share},
		{"stable", stable},
		{"activity", activity},
		{"frame messages", frameMessages},
	} {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			part.test(t, b.For(t))
		})
	}
}

var gomoku = game.Terms{Rules: game.Gomoku15}

// as opens the page of a member at a desk.
func as(b *browser.Browser, h *house, who string) *browser.Tab {
	return seen(b.Tab(who, h.URL+"/board#"+who, 1280, 800))
}

// on opens the page of a member on a phone.
func on(b *browser.Browser, h *house, who string) *browser.Tab {
	return seen(b.Tab(who, h.URL+"/board#"+who, 390, 844))
}

func seen(tab *browser.Tab) *browser.Tab {
	tab.Until(`document.querySelector("#drawing .stones") && document.querySelector("#acts button")`)
	return tab
}

// cell finds the button of a point by what a screen reader calls it.
func cell(point string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("#grid button")].find((c) => c.ariaLabel?.split(",")[0] === %q)`,
		strings.ToUpper(point))
}

// click clicks on a point with the mouse, once it is the member's turn.
func click(tab *browser.Tab, h *house, point string) {
	turn(tab, h)
	tab.ClickAt(cell(point), point)
	is(tab, point, "black", "white")
	h.until(point+" is played", func() bool { return strings.HasSuffix(h.told["moves"].(string), point) })
}

// choose answers the question of an opening.
func choose(tab *browser.Tab, h *house, decision string) {
	turn(tab, h)
	h.mu.Lock()
	before := len(h.m.Log)
	h.mu.Unlock()
	tab.Click("Choose " + decision)
	h.until(decision, func() bool { return len(h.m.Log) > before })
}

// turn waits until the page shows all moves and it is the member's turn, and then for as long as a tap asks again
// after a change.
func turn(tab *browser.Tab, h *house) {
	h.mu.Lock()
	moves := h.m.Game().Len()
	h.mu.Unlock()
	tab.Until(fmt.Sprintf(`document.querySelectorAll("#moves li").length === %d`, moves))
	tab.Until(`document.title.startsWith("●")`)
	tab.Eval(`new Promise((done) => setTimeout(done, 260))`)
}

// is waits until a point is called one of the words.
func is(tab *browser.Tab, point string, words ...string) {
	tab.Until(fmt.Sprintf(`%q.split(" ").some((w) => %s.ariaLabel.includes(w))`, strings.Join(words, " "), cell(point)))
}

// middle is the place of a point in the window.
func middle(tab *browser.Tab, point string) (at [2]float64) {
	s := tab.Eval(`(() => {
		const r = ` + cell(point) + `.getBoundingClientRect();
		return [r.left + r.width / 2, r.top + r.height / 2].join(" ");
	})()`)
	fmt.Sscan(s, &at[0], &at[1])
	return at
}

// A whole game with the mouse, page against page.
func byMouse(t *testing.T, b *browser.Browser) {
	h := open(t, gomoku)
	a, o := as(b, h, "ann"), as(b, h, "bob")
	for i, p := range []string{"h8", "a1", "h9", "a2", "h10", "a3", "h11", "a4", "h12"} {
		click([]*browser.Tab{a, o}[i%2], h, p)
	}
	for _, tab := range []*browser.Tab{a, o} {
		tab.Sees("Black has won.")
		tab.Until(`document.querySelector("#drawing .above line")`)
	}
	a.Shot("won")
}

// The same by the keyboard alone: a point is typed or reached by arrows, and Enter plays it.
func byKeyboard(t *testing.T, b *browser.Browser) {
	h := open(t, gomoku)
	a := as(b, h, "ann")
	a.Eval(`document.querySelector("#grid button[tabindex='0']").focus()`)
	type step struct{ keys, point, reply string }
	for _, s := range []step{
		{browser.Enter, "h8", "a1"},
		{browser.Up + browser.Enter, "h9", "a2"},
		{"h10" + browser.Enter, "h10", "a3"},
		{browser.Up + browser.Right + browser.Left + browser.Enter, "h11", "a4"},
		{"H12" + browser.Enter, "h12", ""},
	} {
		turn(a, h)
		a.Keys(s.keys)
		is(a, s.point, "black")
		if s.reply != "" {
			h.until(s.point, func() bool { return strings.HasSuffix(h.told["moves"].(string), s.point) })
			h.play(1, s.reply)
		}
	}
	a.Sees("Black has won.")
	a.Until(`document.getElementById("announce").textContent.includes("Black H12. Black has won.")`)
	if got := a.Eval(`document.querySelectorAll("#grid [tabindex='0']").length`); got != "1" {
		t.Errorf("%s points can be reached by Tab, want 1", got)
	}
	for key, want := range map[string]string{"Home": "A12", "End": "O12", "PageUp": "H15", "PageDown": "H1"} {
		got := a.Eval(fmt.Sprintf(`(() => {
			`+cell("h12")+`.focus();
			document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: %q, bubbles: true }));
			return document.activeElement.ariaLabel.split(",")[0];
		})()`, key))
		if got != want {
			t.Errorf("%s leads to %s, want %s", key, got, want)
		}
	}
}

// A finger shows the point with a loupe, sliding corrects it, lifting plays it, and sliding off plays nothing.
func byTouch(t *testing.T, b *browser.Browser) {
	h := open(t, gomoku)
	a := on(b, h, "ann")
	turn(a, h)
	at, off := middle(a, "h8"), [2]float64{195, 780}
	a.Hold(at[0], at[1])
	a.Until(`!document.getElementById("loupe").hidden && document.querySelector("#loupe b").textContent === "H8"`)
	a.Shot("loupe")
	a.Lift()
	is(a, "h8", "black")
	h.play(1, "i9")
	turn(a, h)
	a.Finger(middle(a, "c3"), middle(a, "d4"), middle(a, "j10"))
	is(a, "j10", "black")
	h.play(1, "k11")
	turn(a, h)
	a.Finger(middle(a, "c3"), off)
	a.Until(`document.getElementById("loupe").hidden`)
	if got := h.moves(); got != "bh8 wi9 bj10 wk11" {
		t.Errorf("moves: %s", got)
	}
}

// Who confirms moves taps twice; another point takes the place of the first.
func byConfirm(t *testing.T, b *browser.Browser) {
	h := open(t, gomoku)
	h.confirm = true
	a := on(b, h, "ann")
	turn(a, h)
	a.Finger(middle(a, "c3"))
	a.Sees("Tap C3 again to play it.")
	a.Finger(middle(a, "h8"))
	a.Sees("Tap H8 again to play it.")
	a.Shot("confirm")
	if got := h.moves(); got != "" {
		t.Errorf("moves: %s", got)
	}
	a.Finger(middle(a, "h8"))
	is(a, "h8", "black")
	h.until("H8 is played", func() bool { return h.told["moves"] == "bh8" })
}

// A whole game of Reversi, the passes included: both always play the first legal point.
func reversi(t *testing.T, b *browser.Browser) {
	h := open(t, game.Terms{Rules: game.Reversi})
	a := as(b, h, "ann")
	turn(a, h)
	a.ClickAt(cell("a1"), "A1")
	a.Sees("A1 turns no disc.")
	for over := false; !over; {
		var seat int
		var p game.Point
		h.do(func() {
			over = h.m.Phase == game.Over
			if !over {
				seat = h.m.ToMove()
				for q := range h.m.Game().Legal().All() {
					p = q
					break
				}
			}
		})
		switch {
		case over:
		case seat == 1:
			h.play(1, p.String())
		default:
			turn(a, h)
			is(a, p.String(), "playable")
			a.ClickAt(cell(p.String()), p.String())
			is(a, p.String(), "black")
			h.until(p.String(), func() bool { return h.m.ToMove() == 1 || h.m.Phase == game.Over || h.m.Game().Last() == p })
		}
	}
	a.Sees("has won.")
	h.mu.Lock()
	black, white := h.m.Game().Position().Count(game.Black), h.m.Game().Position().Count(game.White)
	h.mu.Unlock()
	a.Until(fmt.Sprintf(`document.querySelector("#plate-near .count").textContent === "%d"`, black))
	a.Until(fmt.Sprintf(`document.querySelector("#plate-far .count").textContent === "%d"`, white))
	a.Shot("reversi-end")
}

// A forbidden point is crossed out, and says why it is.
func renju(t *testing.T, b *browser.Browser) {
	h := open(t, game.Terms{Rules: game.Renju}, fieldsOf("h8 a1 h9 a15 i7 o1 j7 o15")...)
	a := as(b, h, "ann")
	turn(a, h)
	is(a, "h7", "forbidden")
	a.ClickAt(cell("h7"), "H7")
	a.Sees("H7 is forbidden for Black")
	a.Shot("forbidden")
	click(a, h, "h10")
	if got := h.moves(); !strings.HasSuffix(got, "bh10") {
		t.Errorf("moves: %s", got)
	}
}

// An opening protocol: stones within a square, a swap, a number, offers and the choice among them.
func openings(t *testing.T, b *browser.Browser) {
	h := open(t, game.Terms{Rules: game.Renju, Protocol: opening.Soosyrv8})
	a, o := as(b, h, "ann"), on(b, h, "bob")
	turn(a, h)
	a.ClickAt(cell("a1"), "A1")
	a.Sees("A1 is not allowed for this stone.")
	for _, p := range []string{"h8", "i9", "j10"} {
		turn(a, h)
		a.ClickAt(cell(p), p)
		is(a, p, "black", "white")
		h.until(p, func() bool { return strings.HasSuffix(h.told["moves"].(string), p) })
	}
	turn(o, h)
	o.Sees("How shall it go on?")
	o.Shot("asks")
	choose(o, h, "swap") // Bob is Black now
	click(a, h, "g7")
	choose(a, h, "declare=2")
	choose(o, h, "stay")
	for _, p := range []string{"k11", "f6"} {
		turn(o, h)
		o.Finger(middle(o, p))
		is(o, p, "offered")
	}
	o.Shot("offers")
	turn(a, h)
	a.ClickAt(cell("a1"), "A1")
	a.Sees("Choose one of the numbered points.")
	a.ClickAt(cell("k11"), "K11")
	is(a, "k11", "black")
	a.Misses("Offer or choose")
	turn(a, h)
}

// Offers, refusals and what asks "sure".
func offers(t *testing.T, b *browser.Browser) {
	h := open(t, gomoku, fieldsOf("h8 i9 i7")...)
	a, o := as(b, h, "ann"), as(b, h, "bob")
	a.Click("Take back")
	o.Click("Refuse")
	o.Until(`document.querySelector("#acts").textContent.includes("Take back")`)
	a.Click("Take back")
	a.Sees("this undo was already refused")
	a.Click("Resign")
	a.Sees("Do you really want to resign?")
	a.Shot("sure")
	a.Click("Cancel")
	a.Misses("Do you really want to resign?")
	a.Click("Resign")
	a.ClickAt(`document.querySelector("#dialog .danger")`, "Resign")
	a.Sees("White has won.")
	o.Sees("White has won.")
}

// The page goes on by itself when its line is cut, and shows that it has none.
func cut(t *testing.T, b *browser.Browser) {
	h := open(t, gomoku)
	a := as(b, h, "ann")
	turn(a, h)
	h.do(func() { h.deaf = true })
	h.cut()
	a.Sees("Connecting …")
	a.Shot("offline")
	a.ClickAt(cell("h8"), "H8")
	is(a, "h8", "black")
	h.do(func() { h.deaf = false })
	h.until("H8 is played", func() bool { return h.told["moves"] == "bh8" })
	a.Misses("Connecting …")
	a.Forgive("WebSocket")
	a.Forgive("404")
}

// An act whose answer is lost is sent again under the same number, and done once.
func lostAnswer(t *testing.T, b *browser.Browser) {
	h := open(t, gomoku)
	h.lose = 2
	a := as(b, h, "ann")
	click(a, h, "h8")
	h.until("the act was answered at last", func() bool { return h.lose == 0 && h.requests["live"] == 3 })
	h.until("the act was sent thrice", func() bool { return h.requests["act"] == 3 })
	h.cut()
	h.until("the page is there again", func() bool { return h.requests["hello"] == 4 })
	h.play(1, "i9")
	is(a, "i9", "white")
	if got := h.moves(); got != "bh8 wi9" || len(h.applied) != 2 || h.requests["act"] != 3 {
		t.Errorf("moves %s, applied %v, sent %d times", got, h.applied, h.requests["act"])
	}
}

// A change that does not follow on what the page has makes it ask for the whole state.
func gap(t *testing.T, b *browser.Browser) {
	h := open(t, gomoku, "h8")
	a := as(b, h, "ann")
	h.do(func() { h.skip = true })
	h.play(1, "i9")
	h.do(func() { h.more["says"] = "something else has changed"; h.tell() })
	is(a, "i9", "white")
	a.Sees("something else has changed")
}

// Without a socket the page polls.
func poll(t *testing.T, b *browser.Browser) {
	h := open(t, gomoku)
	h.deaf = true
	a := as(b, h, "ann")
	turn(a, h)
	a.ClickAt(cell("h8"), "H8")
	h.until("H8 is played", func() bool { return h.told["moves"] == "bh8" })
	h.play(1, "i9")
	is(a, "i9", "white")
	a.Forgive("WebSocket")
	a.Forgive("404")
}

// Where sockets open and are closed without a word, the page asks less often, and polls.
func noWord(t *testing.T, b *browser.Browser) {
	h := open(t, gomoku)
	h.mute = true
	as(b, h, "ann")
	h.until("the page polls", func() bool { return h.requests["poll"] > 1 })
	h.do(func() {
		if n := h.requests["live"]; n > 6 {
			t.Errorf("the page has asked for %d sockets", n)
		}
	})
}

// A tap in the moment in which the board changes asks again.
func underFinger(t *testing.T, b *browser.Browser) {
	h := open(t, gomoku, "h8")
	a := on(b, h, "ann")
	at := middle(a, "j10")
	a.Hold(at[0], at[1])
	h.play(1, "i9")
	is(a, "i9", "white")
	a.Until(`document.title.startsWith("●")`)
	a.Lift()
	a.Sees("The board has just changed. Tap J10 again to play it.")
	if got := h.moves(); got != "bh8 wi9" {
		t.Errorf("moves: %s", got)
	}
	turn(a, h)
	a.Finger(at)
	is(a, "j10", "black")
}

// Who watches has the board before any socket, hears the moves, and can do nothing.
func watch(t *testing.T, b *browser.Browser) {
	h := open(t, gomoku, fieldsOf("h8 i9")...)
	h.deaf = true
	w := b.Tab("watcher", h.URL+"/g/shared", 390, 844)
	is(w, "i9", "white, last move")
	h.do(func() { h.deaf = false })
	h.until("the watcher is there", func() bool { return h.requests["hello"] == 1 })
	h.play(0, "i7")
	is(w, "i7", "black, last move")
	w.Finger(middle(w, "c3"))
	if got := w.Eval(`document.querySelectorAll("#acts button").length`) + " " + h.moves(); got != "0 bh8 wi9 bi7" {
		t.Errorf("buttons and moves: %s", got)
	}
	if got := w.Eval(`document.querySelector("#acts a").href`); got != h.URL+"/g/shared.sgf" {
		t.Errorf("the record is at %s", got)
	}
	w.Forgive("WebSocket")
	w.Forgive("404")
}

// After the end the moves are stepped through, and the review shows chances and remarks.
func afterEnd(t *testing.T, b *browser.Browser) {
	h := open(t, gomoku, fieldsOf("h8 a1 h9 a2 h10 a3 h11 a4 h12")...)
	a := as(b, h, "ann")
	a.Sees("Black has won.")
	a.Keys(browser.Left + browser.Left)
	a.Sees("Move 7 of 9")
	is(a, "a4", "empty")
	a.Click("To the beginning")
	is(a, "h8", "empty")
	a.Click("To the end")
	is(a, "h12", "black, last move")
	a.Click("Review")
	a.Sees("Review is being made …")
	a.Click("Next remark")
	a.Sees("Move 4 was a mistake.")
	a.Until(`!document.getElementById("graph").hidden`)
	a.Shot("review")
	a.Click("Next remark")
	a.Sees("Move 7 let a win through.")
	a.ClickAt(`document.querySelector("#moves li:nth-child(2)")`, "move 2")
	a.Sees("Move 2 of 9")
}

// reviewed opens a page of ann after the end, with the review.
func reviewed(b *browser.Browser, h *house, width, height int) *browser.Tab {
	h.reviews = 1 // it is there
	a := seen(b.Tab("ann", h.URL+"/board#ann", width, height))
	a.Click("Review")
	a.Until(`!document.getElementById("graph").hidden`)
	return a
}

// After the end a fault is tried again under the finger: the question, a wrong move with its refutation, a hint, the
// solution, the right move. The answer to a try may be lost.
func secondTry(t *testing.T, b *browser.Browser) {
	h := open(t, gomoku, fieldsOf("h8 a1 h9 a2 h10 a3 h11 a4 h12")...)
	a := reviewed(b, h, 360, 740)
	a.Click("Try again") // the member's own worst
	a.Sees("Black to move. There is a win.")
	is(a, "h10", "last move", "black")
	is(a, "h11", "empty")
	a.Finger(middle(a, "h10"))
	a.Sees("H10 is already taken.")
	a.Shot("try-question")
	a.Click("Next fault")
	a.Sees("White to move. Find a better move.")
	is(a, "a2", "empty")
	h.do(func() { h.lose = 1 })
	a.Finger(middle(a, "c3"))
	a.Sees("C3 is not it.")
	is(a, "c3", "white")
	is(a, "g6", "black, last move")
	a.Shot("try-wrong")
	a.Click("One move on")
	is(a, "g5", "white, last move")
	a.Finger(middle(a, "d4")) // leads back to the question
	is(a, "c3", "empty")
	a.Click("Try again")
	a.Sees("White to move. Find a better move.")
	a.Click("Hint")
	a.Sees("Hint: look at row 7.")
	a.Click("Solution")
	a.Sees("The move was G7.")
	is(a, "g7", "white, last move")
	a.Click("Try again")
	a.Sees("Find a better move.")
	a.Finger(middle(a, "g7"))
	a.Sees("G7 is right.")
	a.Misses("Try again")
	a.Shot("try-right")
	a.Click("Back to the review")
	a.Sees("Move 4 was a mistake.")
	a.Click("To the end")
	is(a, "h12", "black, last move")
	if got := h.moves(); got != "bh8 wa1 bh9 wa2 bh10 wa3 bh11 wa4 bh12" || len(h.applied) != 0 {
		t.Errorf("the game is another one: %s %v", got, h.applied)
	}
}

// The same by the keyboard; what is said is announced.
func secondTryByKeyboard(t *testing.T, b *browser.Browser) {
	h := open(t, gomoku, fieldsOf("h8 a1 h9 a2 h10 a3 h11 a4 h12")...)
	a := reviewed(b, h, 1280, 800)
	a.Eval(`[...document.querySelectorAll("#acts button")].find((n) => n.textContent === "Try again").focus()`)
	a.Keys(browser.Enter)
	said := func(what string) {
		t.Helper()
		a.Until(fmt.Sprintf(`document.getElementById("announce").textContent.includes(%q)`, what))
	}
	said("Black to move.")
	a.Keys("c3" + browser.Enter)
	said("C3 is not it.")
	a.Eval(`document.activeElement.blur()`)
	a.Keys(browser.Right)
	is(a, "g5", "black, last move")
	a.Keys(browser.Left + browser.Left + browser.Left)
	is(a, "c3", "empty")
	a.Keys("g7" + browser.Enter)
	said("G7 is right.")
	a.Shot("try-desk")
}

// Where too many pages are open, a page says so, and comes again when the member wants it: without a board, and with
// one that it has.
func tooMany(t *testing.T, b *browser.Browser) {
	h := open(t, gomoku)
	h.full = true
	a := b.Tab("ann", h.URL+"/board#ann", 390, 844)
	a.Sees("You have too many boards open.")
	a.Shot("too-many")
	a.Click("Try again")
	h.until("the page has come again", func() bool { return h.requests["hello"] == 2 })
	a.Sees("You have too many boards open.")
	h.do(func() { h.full = false })
	a.Click("Try again")
	seen(a)
	h.do(func() { h.full = true })
	h.cut()
	a.Sees("You have too many boards open.")
	h.do(func() { h.full = false })
	a.Click("Try again")
	a.Misses("You have too many boards open.")
	click(a, h, "h8")
}

// The list of games stays until one is chosen, whatever happens on the board behind it.
func list(t *testing.T, b *browser.Browser) {
	h := open(t, gomoku, "h8")
	a := as(b, h, "ann")
	h.do(func() {
		for v := range h.pages {
			v.send(fields{"t": "list", "games": []fields{{"match": "M7", "name": "This game", "says": "White to move"},
				{"match": "M8", "name": "Another game", "says": "Black to move"}}})
		}
	})
	a.Click("Games here")
	a.Sees("Another game")
	h.play(1, "i9")
	h.until("the move is told", func() bool { return h.version == 2 })
	a.Until(`document.getElementById("announce").textContent.includes("White I9.")`)
	if got := a.Eval(`document.getElementById("list").hidden`); got != "false" {
		t.Error("a move has taken the list away")
	}
	a.ClickAt(`document.querySelector("#list .game")`, "this game")
	h.until("the page opens a game", func() bool { return h.requests["open"] == 1 })
	is(a, "i9", "white, last move")
}

// A button that is pressed twice at once acts once.
func pressedTwice(t *testing.T, b *browser.Browser) {
	h := open(t, gomoku, fieldsOf("h8 i9 i7")...)
	a := as(b, h, "ann")
	a.Eval(`(() => {
		const undo = [...document.querySelectorAll("#acts button")].find((n) => n.textContent === "Take back");
		undo.click();
		undo.click();
	})()`)
	h.until("ann asks", func() bool { return h.m.Undoing.Open })
	a.Click("Resign")
	a.ClickAt(`document.querySelector("#dialog .danger")`, "Resign")
	a.Sees("White has won.")
	if n := h.requests["act"]; n != 2 {
		t.Errorf("the page has sent %d acts", n)
	}
}

// After the end the wheel of a mouse steps through the game; before it, it scrolls the page.
func wheel(t *testing.T, b *browser.Browser) {
	h := open(t, gomoku, fieldsOf("h8 a1 h9 a2 h10 a3 h11 a4")...)
	a := as(b, h, "ann")
	turn := func(by, mode int) string {
		return a.Eval(fmt.Sprintf(`(() => {
			const e = new WheelEvent("wheel", { deltaY: %d, deltaMode: %d, bubbles: true, cancelable: true });
			document.getElementById("grid").dispatchEvent(e);
			return e.defaultPrevented;
		})()`, by, mode))
	}
	if turn(-100, 0) != "false" {
		t.Error("the page does not scroll while the game is played")
	}
	click(a, h, "h12")
	a.Sees("Black has won.")
	turn(-100, 0)
	a.Sees("Move 8 of 9")
	turn(-3, 1)
	a.Sees("Move 7 of 9")
	turn(20, 0)
	turn(20, 0)
	a.Sees("Move 7 of 9")
	turn(20, 0)
	a.Sees("Move 8 of 9")
}

// A link is good once; the address keeps the game, so that the page can be opened anew.
func links(t *testing.T, b *browser.Browser) {
	h := open(t, gomoku)
	wrong := b.Tab("eve", h.URL+"/board#guess", 390, 844)
	wrong.Sees("This link is used up.")
	wrong.Forgive("404")
	none := b.Tab("none", h.URL+"/board", 390, 844)
	none.Sees("This link is used up.")
	h.do(func() { h.away = 2 }) // a proxy says so while the server starts
	a := as(b, h, "ann")
	a.Forgive("503")
	if got := a.Eval(`location.href`); strings.HasSuffix(got, "#ann") {
		t.Errorf("the secret still stands in %s", got)
	}
	a.Eval(`location.reload()`)
	seen(a)
}

// A game is shared by a link, until its sharing is stopped.
func share(t *testing.T, b *browser.Browser) {
	h := open(t, gomoku, "h8")
	a := as(b, h, "ann")
	a.Click("Share")
	a.Sees("Whoever has the link can watch")
	a.Until(`document.querySelector("#dialog input").value.endsWith("/g/shared")`)
	a.Shot("share")
	a.Click("Stop sharing")
	a.Sees("The link no longer works.")
}

// Nothing moves: whatever is said, asked or offered, the board and the players stay where they are.
func stable(t *testing.T, b *browser.Browser) {
	for _, size := range [][2]int{{1280, 800}, {390, 844}, {320, 568}, {844, 390}} {
		h := open(t, gomoku, "h8")
		a := seen(b.Tab("ann", h.URL+"/board#ann", size[0], size[1]))
		places := `["board", "plate-near", "plate-far", "word", "acts"].map((id) => {
			const r = document.getElementById(id).getBoundingClientRect();
			return [id, r.x, r.y, r.width].join(" ");
		}).join("; ")`
		before := a.Eval(places)
		h.do(func() {
			h.more["says"] = strings.Repeat("A long line of what the bot has to say about this game. ", 6)
			h.more["clock"] = fields{"deadline": noon.UnixMilli() + 9e5, "now": noon.UnixMilli(), "rested": false}
			h.tell()
		})
		a.Sees("A long line")
		h.play(1, "i9")
		turn(a, h)
		a.ClickAt(cell("h8"), "H8")
		a.Sees("H8 is already taken.")
		if after := a.Eval(places); after != before {
			t.Errorf("%v: before %s, after %s", size, before, after)
		}
		if wide := a.Eval(`document.documentElement.scrollWidth`); wide != fmt.Sprint(size[0]) {
			t.Errorf("%v: the page is %s wide", size, wide)
		}
		a.Close()
	}
}

// client plays Discord's side of a frame without an origin, as phones have it: it answers the handshake and consents.
const client = `<!doctype html><title>client</title><link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width">
<style>body{margin:0}iframe{border:0;width:100vw;height:100vh;display:block}</style>
<iframe></iframe>
<script>
window.said = [];
window.all = []; // the whole messages
const frame = document.querySelector("iframe");
if (!location.search) frame.sandbox = "allow-scripts";
frame.src = (location.search === "?sdk" ? "/sdk/" : "/activity/") + "?instance_id=i-1&frame_id=f-1&platform=desktop";
addEventListener("message", (e) => {
	const [opcode, m] = e.data;
	const answer = (more) =>
		frame.contentWindow.postMessage([1, { cmd: m.cmd, nonce: m.nonce, evt: null, ...more }], "*");
	said.push(["HANDSHAKE " + m.client_id, [m.cmd, m.evt].filter(Boolean).join(" "), "CLOSE"][opcode]);
	all.push(JSON.stringify(e.data).replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, "UUID"));
	const config = { api_endpoint: "//discord.com/api", environment: "production" };
	if (opcode === 0) frame.contentWindow.postMessage([1, { cmd: "DISPATCH", evt: "READY", nonce: null, data: { v: 1, config } }], "*");
	else if (m.cmd === "SHARE_LINK") answer({ data: { success: true, didCopyLink: true, didSendMessage: false } });
	else if (m.cmd === "AUTHORIZE") answer({ data: { code: "ann" } });
	else if (m.cmd === "SUBSCRIBE" || m.cmd === "OPEN_INVITE_DIALOG") answer({ evt: "ERROR", data: { code: 4002, message: "an old client" } });
});
</script>`

// In a frame without an origin everything works: looking at once, consent at the first act, playing.
func activity(t *testing.T, b *browser.Browser) {
	h := open(t, gomoku)
	tab := b.Tab("client", h.URL+"/client", 390, 844)
	tab.Until(`said.includes("HANDSHAKE 77")`)
	h.until("the page looks", func() bool { return h.requests["hello"] == 1 && h.requests["instance i-1"] == 1 })
	at := [2]float64{195, 283} // H8
	// The page is in a frame that nobody can look into: tap until it proves the member, and until it plays.
	taps := func(until func() bool) {
		for end := time.Now().Add(90 * time.Second); !until() && time.Now().Before(end); {
			tab.Finger(at)
			tab.Eval(`new Promise((done) => setTimeout(done, 100))`)
		}
	}
	taps(func() (proven bool) {
		h.do(func() { proven = h.requests["code"] > 0 })
		return proven
	})
	tab.Until(`said.includes("AUTHORIZE")`)
	taps(func() bool { return h.moves() != "" })
	tab.Shot("activity")
	if got := h.moves(); got != "bh8" {
		t.Errorf("moves: %s", got)
	}
	h.cut()
	h.until("the page is back with its pass", func() bool { return h.requests["pass p-ann"] == 1 })
}
