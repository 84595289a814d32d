package study

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"tengen/game"
	"tengen/internal/testkit"
)

// grown is a study that grew by chance: moves, steps, names, notes and cuts.
func grown(random *rand.Rand, check func(before, after Study)) Study {
	g := game.New(game.AllRules[random.IntN(len(game.AllRules))])
	for range random.IntN(20) {
		if legal := g.Legal().Points(); len(legal) > 0 {
			g = testkit.Got(g.Play(legal[random.IntN(len(legal))]))
		}
	}
	s := testkit.Got(Of(g))
	for range 1 + random.IntN(120) {
		before := s
		switch legal := s.Game().Legal().Points(); random.IntN(12) {
		case 0:
			s = s.Back()
		case 1:
			s = s.On()
		case 2:
			s = s.Aside()
		case 3:
			s = s.Go(random.IntN(s.Len()))
		case 4:
			if random.IntN(4) == 0 {
				s = s.Prune()
			}
		case 5:
			s = testkit.Got(s.Written([]string{"", "main", "a ] b \\"}[random.IntN(3)], "note:\n\\]["))
		case 6:
			s = s.Add(legal[:min(len(legal), 3)])
		default:
			if len(legal) > 0 {
				s = testkit.Got(s.Play(legal[random.IntN(len(legal))]))
			}
		}
		check(before, s)
	}
	return s
}

// whole fails where a study is no tree whose nodes follow from their moves.
func whole(t *testing.T, s Study) {
	t.Helper()
	if s.Len() < 1 || s.Len() > MostNodes || s.At() < 0 || s.At() >= s.Len() {
		t.Fatalf("%d nodes, cursor %d", s.Len(), s.At())
	}
	seen := 1
	for n := range s.Len() {
		moves := game.Set{}
		for _, next := range s.Next(n) {
			seen++
			p := s.Move(next)
			g, err := s.GameAt(n).Play(p)
			if err != nil || !g.Equal(s.GameAt(next)) || s.Up(next) != n || next <= n || moves.Has(p) {
				t.Fatalf("node %d does not follow node %d by %v: %v", next, n, p, err)
			}
			moves = moves.With(p)
		}
	}
	if seen != s.Len() {
		t.Fatalf("%d of %d nodes follow another", seen, s.Len())
	}
}

// Whatever a member does to a study, it stays a tree within its bounds, and what it was before stays as it was.
func TestRandomStudies(t *testing.T) {
	for seed := range uint64(500) {
		random := rand.New(rand.NewPCG(seed, 7))
		s := grown(random, func(before, after Study) {
			if seed%10 == 0 {
				whole(t, before)
				whole(t, after)
			}
		})
		whole(t, s)
		if s.Last().On().At() != s.Last().At() || s.First().Back().At() != 0 {
			t.Fatal("steps lead beyond the ends")
		}
		at := s.Go(random.IntN(s.Len()))
		around := at
		for range at.Beside() {
			around = around.Aside()
		}
		if around.At() != at.At() {
			t.Fatalf("%d branches beside one another lead from %d to %d", at.Beside(), at.At(), around.At())
		}
		if at.At() > 0 {
			back := at.Back()
			if again := testkit.Got(back.Play(at.Move(at.At()))); again.At() != at.At() || !again.Equal(at) {
				t.Fatal("the move that led there leads elsewhere")
			}
			left := at.Prune()
			if whole(t, left); left.Len() != at.Len()-len(after(at)) || left.At() != back.At() {
				t.Fatalf("pruning %d nodes of %d leaves %d", len(after(at)), at.Len(), left.Len())
			}
		}
		if legal := at.Game().Legal().Points(); len(legal) > 0 { // what is added and pruned again leaves nothing
			p := legal[random.IntN(len(legal))]
			if more, err := at.Play(p); err == nil && more.Len() > at.Len() && !more.Prune().Equal(at) {
				t.Fatal("a move that was pruned again has left something")
			}
		}
	}
}

// after are the nodes at and after the cursor.
func after(s Study) (all []int) {
	for n := s.At(); n < s.end(s.At()); n++ {
		all = append(all, n)
	}
	return all
}

// A study is bounded in nodes and in text, and says so.
func TestBounds(t *testing.T) {
	s := testkit.Got(Of(game.New(game.Gomoku15)))
	var err error
	for err == nil {
		for _, p := range s.Game().Legal().Points() {
			if _, err = s.Play(p); err != nil {
				break
			}
			s = testkit.Got(s.Play(p)).Back()
		}
		if err == nil {
			s = s.On()
		}
	}
	if !errors.Is(err, ErrFull) || s.Len() != MostNodes {
		t.Errorf("%d nodes: %v", s.Len(), err)
	}
	if longer := s.Add(s.Game().Legal().Points()[:1]); longer.Len() != MostNodes || longer.At() != s.At() {
		t.Errorf("a line makes it %d nodes", longer.Len())
	}
	s = s.First()
	long := strings.Repeat("五", 1000)
	for err = nil; err == nil; s = s.Go(s.At() + 1) {
		var more Study
		if more, err = s.Written(long, long); err == nil {
			s = more
			if n := utf8.RuneCountInString(s.Note(s.At())); n != MostNote {
				t.Fatalf("a note of %d characters", n)
			}
		}
	}
	if !errors.Is(err, ErrFull) {
		t.Error(err)
	}
	if _, err := s.Play(game.At(14, 14)); err == nil {
		t.Error("a full study takes a move")
	}
}
