package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/record"
	"tengen/internal/testkit"
)

func close3(a, b float64) bool { return math.Abs(a-b) < 0.0005 }

func TestCounting(t *testing.T) {
	s := score{pairs: map[int]float64{}}
	for n, points := range []float64{1, 0, 0.5, 1, 1} { // the last has no partner yet
		s.add(n, outcome{points: points, fault: -1, cpu: [2]time.Duration{time.Second, 0},
			most: [2]time.Duration{time.Duration(n) * time.Millisecond, 0}, moves: [2]int{2, 3}})
	}
	s.add(5, outcome{points: 0, fault: 0})
	if s.won != 3 || s.drawn != 1 || s.lost != 2 || s.games() != 6 || s.faults != [2]int{1, 0} ||
		s.moves != [2]int{10, 15} || s.cpu[0] != 5*time.Second {
		t.Errorf("%+v", s)
	}
	if want := "first 500.0 ms CPU a move, at most 4.0"; !strings.Contains(s.String(), want) {
		t.Errorf("%v, want %s", &s, want)
	}
	if len(s.both) != 3 || s.both[0] != 0.5 || s.both[1] != 0.75 || s.both[2] != 0.5 {
		t.Errorf("pairs %v", s.both)
	}
	if !close3(s.rate(), 3.5/6) {
		t.Errorf("rate %v", s.rate())
	}
}

func TestIntervals(t *testing.T) {
	pairs := func(points ...float64) (l []float64) {
		for range 5 {
			l = append(l, points...)
		}
		return l
	}
	for _, test := range []struct {
		name   string
		s      score
		lo, hi float64
	}{
		{"no games", score{}, 0, 1},
		{"Wilson, 5 of 10", score{won: 5, lost: 5}, 0.2366, 0.7634},
		{"Wilson, 10 of 10", score{won: 10}, 0.7225, 1},
		{"all pairs alike: Wilson", score{won: 10, lost: 10, both: pairs(0.5, 0.5)}, 0.2993, 0.7007},
		// Ten pairs of 0.25 and 0.75: a deviation of 0.25*sqrt(10/9) over sqrt(10).
		{"pairs", score{won: 10, lost: 10, both: pairs(0.25, 0.75)}, 0.3367, 0.6633},
	} {
		if lo, hi := test.s.interval(); !close3(lo, test.lo) || !close3(hi, test.hi) {
			t.Errorf("%s: %.4f to %.4f, want %.4f to %.4f", test.name, lo, hi, test.lo, test.hi)
		}
	}
	if !close3(elo(0.5), 0) || math.Abs(elo(0.75)-190.85) > 0.01 || elo(0) >= -1000 || elo(1) <= 1000 {
		t.Errorf("Elo %v %v %v %v", elo(0.5), elo(0.75), elo(0), elo(1))
	}
	few, up, down := score{both: pairs(1)}, score{both: pairs(1, 0.5)}, score{both: pairs(0, 0.5)}
	if few.llr(0, 10) != 0 || up.llr(0, 10) <= 0 || down.llr(0, 10) >= 0 || !close3(up.llr(-5, 5), -down.llr(-5, 5)) {
		t.Errorf("likelihood ratios %v %v %v", few.llr(0, 10), up.llr(0, 10), down.llr(0, 10))
	}
}

func TestOpenings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "openings")
	write := func(text string) {
		testkit.Write(t, file, []byte(text))
	}
	c := &arenaCmd{Openings: file}
	write("# offsets from the centre, then points\n\n0,0,1,1\nh8i9j7\n7,7,7,7\n")
	list, err := c.openings(game.Gomoku15)
	if err != nil || len(list) != 2 || game.MoveList(list[0]) != "h8i9" || game.MoveList(list[1]) != "h8i9j7" {
		t.Errorf("%v, %v", list, err) // the last plays a point twice
	}
	for _, text := range []string{"", "# nothing\n", "a,b\n", "h8z9\n"} {
		if write(text); true {
			if list, err := c.openings(game.Gomoku15); err == nil {
				t.Errorf("%q gave %v", text, list)
			}
		}
	}
	c = &arenaCmd{Openings: "balanced", Games: 7, Seed: 3}
	if list, err := c.openings(game.Gomoku15); err != nil || len(list) != 4 {
		t.Errorf("%d openings for 7 games: %v", len(list), err)
	}
}

// Each opening is played with both colours, a win counts for who won, and the saved game
// tells both.
func TestPairs(t *testing.T) {
	dir := t.TempDir()
	c := &arenaCmd{First: "a[1]", Second: "b", SGF: dir, Max: 225}
	opening, _ := game.ParseMoves("h8a1i8b1j8c1k8d2") // black wins at once
	for n, points := range []float64{1, 0} {
		o := c.play(t.Context(), game.Gomoku15, opening, n, [2]player{greedy{}, greedy{}})
		if o.points != points || o.fault != -1 || o.moves[n] != 1 || o.game.Len() != len(opening)+1 {
			t.Errorf("game %d: %+v", n, o)
		}
		testkit.Must(t, c.save(n, o))
		data := testkit.Read(t, filepath.Join(dir, []string{"0001.sgf", "0002.sgf"}[n]))
		r, err := record.Read(data, record.Hints{})
		black := []string{"a[1]", "b"}[n]
		if err != nil || !r.Game.Equal(o.game) || r.Black != black || r.Result.Winner != game.Black {
			t.Errorf("saved %s: %+v, %v", data, r, err)
		}
	}
	// A fault of white, the second player, wins for black, though the board does not say so.
	g, _ := game.New(game.Reversi).PlayAll(game.At(5, 4))
	testkit.Must(t, c.save(2, outcome{points: 1, game: g}))
	data, _ := os.ReadFile(filepath.Join(dir, "0003.sgf"))
	if r, err := record.Read(data, record.Hints{}); err != nil || r.Game.Rules() != game.Reversi || !r.Game.Equal(g) ||
		r.Result.Winner != game.Black {
		t.Errorf("saved %s: %+v, %v", data, r, err)
	}
}

// A match hands out each game once and ends at a fault of its own.
func TestMatch(t *testing.T) {
	m := &match{arenaCmd: &arenaCmd{Games: 2}}
	for _, want := range []bool{true, true, false} {
		if _, ok := m.take(t.Context()); ok != want {
			t.Errorf("took: %v, want %v", ok, want)
		}
	}
	m = &match{arenaCmd: &arenaCmd{Games: 2}}
	m.fail(nil)
	if _, ok := m.take(t.Context()); !ok {
		t.Error("ended without a failure")
	}
	if m.fail(os.ErrInvalid); m.failed == nil {
		t.Error("forgot its failure")
	}
	if _, ok := m.take(t.Context()); ok {
		t.Error("goes on after a failure")
	}
}
