package web

import (
	"testing"
	"time"

	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage"
)

// No page hears that a member lays down if-then moves, not even that something has changed. A reply comes with the move
// that it answers.
func TestIfThenIsSecret(t *testing.T) {
	in(t, func(b *bench) {
		b.rec = testkit.Got(b.store.Create(t.Context(), storage.Cause{At: time.Now()}, venue.Place{Server: 5, Channel: 6},
			func(id game.MatchID) (game.Match, error) {
				return game.NewMatch(id, game.Terms{Rules: game.Gomoku15, First: game.Black,
					Clock: game.PerMove(24 * time.Hour)}, ann, game.SeatFor(ann), game.SeatFor(bob), time.Now(), time.Time{})
			}))
		b.do(b.rec, func(m game.Match) (game.Match, error) { return m.Accept(bob, time.Now()) })
		b.play("H8", "I9", "H9")
		before := b.match().Version
		pages := []*socket{b.open(ann), b.open(bob), b.watch()}
		for i, reply := range []game.Point{game.At(7, 9), game.At(7, 10), game.At(7, 6)} {
			_, _, err := b.store.UpdateIfThen(t.Context(), ann, b.rec.ID,
				func(v storage.IfThen, _ storage.Record) (storage.IfThen, error) {
					v.Cursor, v.Lines = i, [][]game.Point{{game.At(8, 7), reply}}
					return v, nil
				})
			testkit.Must(t, err)
			time.Sleep(time.Second)
		}
		b.play("I8")
		for i, c := range pages {
			for m := c.next(); ; m = c.next() {
				if m["t"] == "change" && m["from"] == float64(before) && m["v"] == float64(before+2) && m["add"] == "wi8 bh7" {
					break
				}
				if m["t"] != "ping" {
					t.Fatalf("page %d hears %v", i, m)
				}
			}
		}
	})
}
