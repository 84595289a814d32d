package web

import (
	"testing"
	"testing/synctest"

	"tengen/game"
)

// Of two who show news at the same time, the one with the older version may come last.
func TestShowGoesForward(t *testing.T) {
	in(t, func(b *bench) {
		c := b.watch()
		board := b.use(b.rec.ID)
		defer b.leave(board)
		b.play("h8")
		c.hears("change")
		synctest.Wait()
		older := b.rec
		board.heard.Lock()
		board.next = older // as who had read it before the move
		board.heard.Unlock()
		board.show()
		if got := board.record().Version; got != b.match().Version {
			t.Errorf("the board goes back to version %d", got)
		}
	})
}

// Nobody sees a match that is deleted, though its board is still there for who comes again at once.
func TestDeletedStaysAway(t *testing.T) {
	in(t, func(b *bench) {
		cookie := b.passOf(ann)
		c := b.open(ann)
		b.rec.Match = game.Match{ID: b.rec.ID}
		b.Told(b.rec)
		c.hears("none")
		again := b.dial("Origin: "+site, "Cookie: "+cookie)
		again.says(`{"t":"hello","way":"member"}`)
		if m := again.next(); m["t"] != "none" {
			t.Errorf("after the end the page hears %v", m)
		}
	})
}
