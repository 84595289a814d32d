package web

import (
	"testing"
	"testing/synctest"
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
