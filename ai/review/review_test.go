package review

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tengen/ai"
	"tengen/ai/engine"
	"tengen/game"
	"tengen/game/record"
	"tengen/internal/testkit"
)

func line(text string) game.Game {
	return testkit.Got(record.ParseLine(text))
}

func reviewed(t testing.TB, g game.Game, o Options) Review {
	return testkit.Got(Game(t.Context(), g, o))
}

// reviews are what reviewedOnce has made.
var reviews sync.Map

// reviewedOnce is a review with so many nodes. Tests that look at the same one share it.
func reviewedOnce(g game.Game, nodes int64) Review {
	key := fmt.Sprint(g.Rules().Name(), g.Until(0).Position(), g.Moves(), nodes)
	review, _ := reviews.LoadOrStore(key, sync.OnceValues(func() (Review, error) {
		return Game(context.Background(), g, Options{Means: Means{Nodes: nodes}})
	}))
	return testkit.Got(review.(func() (Review, error))())
}

// sample is a game of 39 moves with faults of both sides.
const sample = "gomoku " + sampleMoves

const sampleMoves = "h8i9g7i7i8g8h9f7h7h10h6h5g6i6g9f10f5e4k8j8j7l9i5j4g4k10f6e6g5g3e7d8d6c5f8j10k9l11e9"

// forbiddenBlock is a position of Renju in which White threatens G4: Black may not block the four
// at H4, where it would make six. Black looks away.
const forbiddenBlock = "renju .............../.............../.............../.............../.............../" +
	".............../.............../.......O......./.......X......./......OX......./.......X......./..XOOO........./" +
	".......X......./.......X......./............... X a15"

// wins are the forced wins of the engine's test data of at most so many plies.
func wins(most int) (list []game.Game) {
	file := testkit.Got(os.Open("../five/testdata/wins.txt"))
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		f := strings.Fields(lines.Text())
		if len(f) == 4 && f[0] != "#" && len(f[1]) <= 2 && (len(f[1]) == 1 || f[1] <= "13") && most >= 13 {
			list = append(list, line(f[2]+" "+f[3]))
		}
	}
	return list
}

func TestClasses(t *testing.T) {
	for _, c := range []struct {
		before, after Expectation
		want          Class
	}{
		{500, 500, Best}, {500, 499, Good}, {500, 451, Good}, {500, 450, Inaccuracy}, {500, 401, Inaccuracy},
		{500, 400, Mistake}, {500, 351, Mistake}, {500, 350, Blunder}, {1000, 0, Blunder},
	} {
		if got := classOf(c.before, c.after); got != c.want {
			t.Errorf("%d to %d: %v, want %v", c.before, c.after, got, c.want)
		}
	}
}

// The figures are those that lichess's formula gives.
func TestMoveAccuracy(t *testing.T) {
	for fall, want := range map[float64]float64{-3: 100, 0: 100, 1: 96.6, 5: 80.8, 10: 64.6, 15: 51.5, 20: 41, 30: 25.8,
		50: 9.5, 100: 0} {
		if got := moveAccuracy(fall); math.Abs(got-want) > 0.06 {
			t.Errorf("a fall of %v: %.2f, want %v", fall, got, want)
		}
	}
}

// The accuracy of a side, computed by hand: black's moves weigh 0.5 (nothing moves) and 5 (the
// window from 50 to 40), white's 0.5 and 0.5.
func TestSideAccuracy(t *testing.T) {
	plies := []Ply{
		{N: 1, By: game.Black, Before: 500, After: 500, Class: Best},
		{N: 2, By: game.White, Before: 500, After: 500, Class: Best},
		{N: 3, By: game.Black, Before: 500, After: 400, Class: Mistake},
		{N: 4, By: game.White, Before: 600, After: 600, Class: Best},
	}
	a := moveAccuracy(10)
	want := ((100*0.5+a*5)/5.5 + 2/(1.0/100+1/a)) / 2
	got := sides(plies)
	if math.Abs(got[0].Accuracy-want) > 0.05 || got[1].Accuracy != 100 || got[0].Mistake != 1 {
		t.Errorf("got %+v, want %.2f and 100", got, want)
	}
	if v := BlackView(plies); !slices.Equal(v, []float64{50, 50, 50, 40, 40}) {
		t.Errorf("black's view: %v", v)
	}
	if got := sides(nil); got[0].Accuracy != 100 {
		t.Errorf("without moves: %+v", got)
	}
}

// At most three faults a side are worth another try, the worst first.
func TestWorst(t *testing.T) {
	var plies []Ply
	for i, c := range []Class{Inaccuracy, Blunder, Mistake, Good, Blunder, Mistake, Blunder, Opening, Blunder} {
		by := game.Black
		if i == 5 {
			by = game.White
		}
		plies = append(plies, Ply{N: i + 1, By: by, Class: c, Before: 900, After: Expectation(900 - 60*i)})
	}
	if got := worst(plies); !slices.Equal(got, []int{9, 7, 5, 6}) {
		t.Errorf("got %v", got)
	}
}

// check holds what every review must hold.
func check(t *testing.T, g game.Game, r Review) {
	t.Helper()
	if len(r.Plies) != g.Len() {
		t.Fatalf("%d plies of %d", len(r.Plies), g.Len())
	}
	for i, p := range r.Plies {
		at := g.Until(i)
		if p.N != i+1 || p.By != at.Turn() || p.Move != g.Moves()[i] {
			t.Errorf("ply %d is %+v", i+1, p)
		}
		if p.Before < p.After || p.Before > 1000 || p.After < 0 {
			t.Errorf("ply %d: from %d to %d", p.N, p.Before, p.After)
		}
		if err := at.Check(p.Best); err != nil {
			t.Errorf("ply %d: best %v: %v", p.N, p.Best, err)
		}
		if p.Had.Proof == engine.Loss && p.Fault() {
			t.Errorf("ply %d: a fault where all is lost", p.N)
		}
		if blunder := p.Note == MissedWin || p.Note == LetThrough || p.Note == Forbidden ||
			p.Note == Turn && p.After == 0; blunder && p.Class != Blunder {
			t.Errorf("ply %d: %v is %v", p.N, p.Note, p.Class)
		}
		if p.Note == NoNote && p.Class > Opening && p.Class != classOf(p.Before, p.After) &&
			!(p.Class == Good && p.Discs > 0) {
			t.Errorf("ply %d: %v for a fall from %d to %d", p.N, p.Class, p.Before, p.After)
		}
		if !p.Fault() {
			continue
		}
		end, err := at.PlayAll(p.Line...)
		if err != nil || len(p.Line) == 0 || p.Line[0] != p.Best {
			t.Errorf("ply %d: line %v: %v", p.N, p.Line, err)
		}
		if p.Had.Proof == engine.Win && (len(p.Line) != p.Had.In || end.Result().Winner != p.By) {
			t.Errorf("ply %d: the line of a win in %d is %v", p.N, p.Had.In, p.Line)
		}
		end, err = g.Until(i + 1).PlayAll(p.Answer...)
		if err != nil || p.Gave.Proof == engine.Loss && (len(p.Answer) != p.Gave.In || end.Result().Winner != p.By.Other()) {
			t.Errorf("ply %d: the answer that wins in %d is %v: %v", p.N, p.Gave.In, p.Answer, err)
		}
	}
}

// Games of all kinds, finished or not, are reviewed; a number of nodes repeats the review.
func TestGame(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		sample,
		"gomoku start",
		"gomoku h8",
		"gomoku9 e5d5e6e4f6d6f5f7g6d7d4d3",
		"standard h8g7h9h10g8i8f8e8g9",
		"renju h8i9j10i8i7g9h9h10g8f7",
		"reversi f5d6c3d3c4f4f6f3e6e7d7c5",
		"gomoku ......./......./......./......./......./......./.......",
	} {
		g, err := record.ParseLine(text)
		if err != nil {
			continue
		}
		r := reviewed(t, g, Options{Means: Means{Nodes: 2000}})
		check(t, g, r)
		again := reviewed(t, g, Options{Means: Means{Nodes: 2000}})
		if string(Pack(r)) != string(Pack(again)) {
			t.Errorf("%s: the same nodes give another review", text)
		}
	}
}

// A review of a game in which every rule of the notes is seen once.
func TestNotes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		ply        int
		class      Class
		note       Note
		best       string // any of these
	}{
		{"four not completed", "gomoku9 a1e5b1d5c1e4d1g7i9", 9, Blunder, MissedWin, "E1"},
		{"four not blocked", "gomoku " + sampleMoves[:42], 20, Blunder, LetThrough, "J9"},
		{"nothing helps against a straight four", "gomoku h8a1i8a15j8o1k8g8", 8, Best, NoNote, "G8"},
		{"the block would lose too", "gomoku h8g8i8a1j8a15k8a2", 8, Best, NoNote, "A2"},
		{"a longer win is no fault", "gomoku h8h9i8a1j8a15k8o1e5", 9, Best, NoNote, "E5"},
		{"black may not block H4", forbiddenBlock, 1, Blunder, Forbidden, "G4"},
	} {
		g := line(c.text)
		r := reviewedOnce(g, 8000)
		check(t, g, r)
		p := r.Plies[c.ply-1]
		if p.Class != c.class || p.Note != c.note || !strings.Contains(c.best, p.Best.String()) {
			t.Errorf("%s: %v, %v, best %v, had %v, gave %v", c.name, p.Class, p.Note, p.Best, p.Had, p.Gave)
		}
	}
}

// Plies that a protocol placed are never faults, and do not count for the accuracy.
func TestOpening(t *testing.T) {
	t.Parallel()
	g := line("gomoku h8g8i8a1j8a15k8a2l8")
	r := reviewed(t, g, Options{Means: Means{Nodes: 3000}, Opening: 8})
	check(t, g, r)
	for _, p := range r.Plies[:8] {
		if p.Class != Opening || p.Note != NoNote || p.Best != p.Move {
			t.Errorf("ply %d: %v, %v", p.N, p.Class, p.Note)
		}
	}
	if r.Sides[1].Accuracy != 100 || r.Sides[1].Blunder != 0 || len(r.Faults) != 0 {
		t.Errorf("white: %+v, faults %v", r.Sides[1], r.Faults)
	}
}

// A review ends soon after its context does.
func TestCanceled(t *testing.T) {
	t.Parallel()
	g := line(sample)
	for _, after := range []int{0, 1, 20, 39} {
		ctx, cancel := context.WithCancel(t.Context())
		var at time.Time
		if after == 0 {
			cancel()
			at = time.Now()
		}
		_, err := Game(ctx, g, Options{Means: Means{Nodes: 300_000}, Progress: func(done, of int) {
			testkit.Want(t, "positions", of, 40)
			if done == after {
				at = time.Now()
				time.AfterFunc(10*time.Millisecond, cancel)
			}
		}})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("after %d positions: %v", after, err)
		}
		if took := time.Since(at); took > 2*time.Second { // 20 ms of CPU; the machine may be busy
			t.Errorf("after %d positions: ended %v after its context", after, took)
		}
		cancel()
	}
}

// A move that made a win longer did not miss it, even where ten times the means do not find
// the longer one: the review spends on it what is left.
func TestLongerWinIsNotMissed(t *testing.T) {
	for _, test := range []struct {
		game  string
		ply   int
		nodes int64
	}{
		{"gomoku i7g9j8h6j7k6i10", 7, 6000},
		{"gomoku9 e4e6f6d7b5g2f7h4f5f4d8g4f8f9g8e8g5", 15, 30_000}, // found with more than forty times the means
	} {
		if test.nodes > 6000 && testkit.Dose("TENGEN_REVIEWS", 1) == 1 {
			continue // it takes seconds
		}
		r := reviewed(t, line(test.game), Options{Means: Means{Nodes: test.nodes}})
		if p := r.Plies[test.ply-1]; p.Note == MissedWin || p.Had.Proof != engine.Win ||
			p.Gave.Proof != engine.Win || p.Fault() {
			t.Errorf("%s: got %+v", test.game, p)
		}
	}
}

// A short win is looked for before a fault with ten times the means, where the means alone do not
// find it.
func TestWinBeforeAFault(t *testing.T) {
	r := reviewed(t, line("standard i7h7g6h5h8j6i9j8g7f6i10i11j9h9h12"), Options{Means: Means{Nodes: 6000}})
	if p := r.Plies[14]; p.Note != MissedWin || p.Had.In > 13 {
		t.Errorf("got %+v", p)
	}
}

// even plays a game of the engine against itself from a balanced opening.
func even(t *testing.T, rules game.Rules, seed uint64) game.Game {
	t.Helper()
	g, err := game.New(rules).PlayAll(ai.Balanced(rules, seed)...)
	for err == nil && g.Turn() != game.Empty && !g.Dead() && g.Len() < 80 {
		var rep engine.Report
		if rep, err = ai.Search(t.Context(), g, engine.Limits{Nodes: 2000 + 500*int64(seed+uint64(g.Len()))%1500,
			Brief: true}); err == nil {
			g, err = g.Play(rep.Move)
		}
	}
	testkit.Must(t, err)
	return g
}

// What is proven stays proven: after each reply of the side that is lost the other still wins, and
// after each move of the line of a win that side is still lost. The count of plies falls with each.
func TestCountsFall(t *testing.T) {
	t.Parallel()
	games := []game.Game{
		line("gomoku g9h8h10g7g6f8h6f6i9e5d4e8g8e7e9g5f9h9d8f5d9c9d5f7f4d7c7h7"), // searched one by one, 18 plies, then 19
		line("gomoku e12c10b10e11e8g10g9f8f7e6i9h9i8i10g6d9h7f5h5i4i7g7i6i5h6j6h4h3h8"),
		line("renju h8h9i7j7g8i8k6g9j6f9e9f8g10g6k5l4h7e7d6f7f6h5i4i9j9i11h10i10i12d7c7e8d9"), // 18, then none
	}
	for n := range testkit.Dose("TENGEN_REVIEWS", 1) - 1 {
		games = append(games, even(t, []game.Rules{game.Gomoku15, game.Renju, game.Standard15}[n%3], uint64(n)))
	}
	proven := 0
	for _, g := range games {
		r := testkit.Got(newReviewer(t.Context(), g, Options{Means: Means{Nodes: 6000}}))
		defer r.close()
		testkit.Must(t, r.backwards())
		plies := testkit.Got(r.judgeAll())
		check(t, g, finish(Review{Plies: plies}))
		for i, p := range plies[:max(len(plies)-1, 0)] {
			next := plies[i+1].Had
			if p.Had.Proof != engine.Loss && !(p.Had.Proof == engine.Win && r.at[i].line[0] == p.Move) {
				continue
			}
			proven++
			if next.Proof != opposite(p.Had.Proof) || next.In >= p.Had.In || p.Gave.In != next.In {
				t.Errorf("%s %s, ply %d: had %v, gave %v, then %v", g.Rules().Name(), game.MoveList(g.Moves()), p.N,
					p.Had, p.Gave, next)
			}
		}
	}
	if t.Logf("%d positions are proven", proven); proven < 20 {
		t.Error("too few")
	}
}
