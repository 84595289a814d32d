package puzzle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/record"
	"tengen/internal/testkit"
)

// A game whose loser allowed a win in three holds that puzzle, once.
func TestFind(t *testing.T) {
	t.Parallel()
	g := testkit.Got(record.ParseLine("gomoku i5h3g12h5g6i3h6i6j4f3k3g7l2"))
	f := Finder{Seen: map[Key]bool{}}
	list, err := f.Find(t.Context(), g)
	if err != nil || len(list) != 1 || list[0].Kind != Win {
		t.Fatalf("%+v, %v", list, err)
	}
	p := list[0]
	if b := p.Game.Position(); empties(b) != 225-10 || p.Moves != 3 || !p.Fours || p.Rating < 400 || len(p.Line) != 3 {
		t.Errorf("%+v", p)
	}
	testkit.Check(t, p.Check(t.Context()))
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

// The other side's replies on the line of a win hold out about as long as any. A few do not: how long a
// win takes is what the engine of that day found.
func TestRepliesHoldOut(t *testing.T) {
	t.Parallel()
	replies, early := 0, ""
	for _, p := range some(Win, 100) {
		pr := newProver()
		g := p.Game
		for i, at := range p.Line {
			if i%2 == 1 {
				list := pr.longer(g, p.Turn())
				k := slices.IndexFunc(list, func(r parry) bool { return r.at == at })
				replies++
				if k < 0 || list[k].plies < list[0].plies-shorter {
					early += fmt.Sprintf(" %s, move %d: %v;", p.ID(), i+1, at)
				}
			}
			var err error
			g, err = g.Play(at)
			testkit.Must(t, err)
		}
		pr.done()
	}
	if n := strings.Count(early, ";"); replies < 50 || n > replies/10 {
		t.Errorf("of %d replies these hold out shorter:%s", replies, early)
	} else {
		t.Logf("%d replies, shorter:%s", replies, early)
	}
}

// A position of Reversi makes a puzzle where the plain list of all scores says so.
func TestBest(t *testing.T) {
	t.Parallel()
	found := 0
	for _, p := range some(Best, 1<<20) {
		if empties(p.Game.Position()) > 9 || found >= 20 {
			continue
		}
		for g, n := p.Game, 0; g.Turn() != game.Empty; n++ {
			at := testkit.Got(bare(g))
			list := testkit.Got(solve(t.Context(), at))
			b, gap := bestOf(list)
			want := len(list) >= 3 && (sign(b.score) != sign(b.score-gap) && b.score >= 0 || gap >= 6 && gap <= 40)
			q, err := best(t.Context(), at)
			if want != (err == nil) || want && (q.Line[0] != b.at || q.Check(t.Context()) != nil) {
				t.Errorf("%s after %d moves: %v, best %v by %d: %v, %v", p.ID(), n, list, b, gap, q.Line, err)
			}
			if want {
				found++
			}
			g = testkit.Got(g.Play(b.at))
		}
	}
	if found < 10 {
		t.Errorf("%d puzzles", found)
	}
}
