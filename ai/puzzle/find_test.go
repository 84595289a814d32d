package puzzle

import (
	"context"
	"errors"
	"testing"

	"tengen/game/record"
)

// A game whose loser allowed a win in three holds that puzzle, once.
func TestFind(t *testing.T) {
	t.Parallel()
	g, err := record.ParseLine("gomoku i5h3g12h5g6i3h6i6j4f3k3g7l2")
	if err != nil {
		t.Fatal(err)
	}
	f := Finder{Seen: map[Key]bool{}}
	list, err := f.Find(t.Context(), g)
	if err != nil || len(list) != 1 || list[0].Kind != Win {
		t.Fatalf("%+v, %v", list, err)
	}
	p := list[0]
	if b := p.Game.Position(); empties(b) != 225-10 || p.Moves != 3 || !p.Fours || p.Rating < 400 || len(p.Line) != 3 {
		t.Errorf("%+v", p)
	}
	if err := p.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if again, err := f.Find(t.Context(), g); err != nil || len(again) != 0 {
		t.Errorf("found again: %v, %v", again, err)
	}
	f = Finder{Wants: func(Puzzle) bool { return false }}
	if none, err := f.Find(t.Context(), g); err != nil || len(none) != 0 {
		t.Errorf("not wanted: %v, %v", none, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := (Finder{}).Find(ctx, g); !errors.Is(err, context.Canceled) {
		t.Errorf("without time: %v", err)
	}
}
