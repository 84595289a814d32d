package typed

import (
	"slices"
	"testing"
	"time"

	"tengen/game"
	"tengen/internal/testkit"
	"tengen/storage"
)

// The board comes down after every five typed points below it.
func TestSaidBelow(t *testing.T) {
	var b below
	m, err := game.NewMatch(1, game.Terms{Rules: game.Gomoku15, First: game.Black}, 1, game.SeatFor(1), game.SeatEngine(1),
		time.Now(), time.Time{})
	testkit.Must(t, err)
	rec := storage.Record{Match: m}
	var down []int
	for i := range 12 {
		if b.comesDown(rec, uint64(1+i/5)) {
			down = append(down, i)
		}
	}
	if !slices.Equal(down, []int{4, 9}) {
		t.Errorf("it came down after %v", down)
	}
	b.comesDown(rec, 9) // another message shows it now
	if b.boards[rec.ID].n != 1 {
		t.Errorf("%+v", b.boards)
	}
}
