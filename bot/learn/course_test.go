package learn

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tengen/ai/five"
	"tengen/ai/puzzle"
	"tengen/bot/texts"
	"tengen/bot/view"
	"tengen/game"
	"tengen/internal/testkit"
)

// each runs a test for every exercise.
func each(t *testing.T, f func(t *testing.T, x exercise, g game.Game)) {
	for _, c := range courses {
		for _, s := range c.steps {
			for i, x := range s.exercises {
				t.Run(fmt.Sprintf("%s.%d", c.key(s), i+1), func(t *testing.T) {
					f(t, x, testkit.Got(x.start()))
				})
			}
		}
	}
}

// A course has so many steps, a step two or three pages and two to four exercises, and every
// one of them has its words in both languages.
func TestCourses(t *testing.T) {
	want := map[string]int{"gomoku": 10, "renju": 8, "reversi": 12}
	lines, keys := map[string]bool{}, map[string]bool{}
	for _, c := range courses {
		if len(c.steps) != want[c.name] {
			t.Errorf("%s has %d steps", c.name, len(c.steps))
		}
		for _, s := range c.steps {
			if len(s.pages) < 2 || len(s.pages) > 3 || len(s.exercises) < 2 || len(s.exercises) > 4 {
				t.Errorf("%s has %d pages and %d exercises", c.key(s), len(s.pages), len(s.exercises))
			}
			if keys[c.key(s)] || len(c.key(s)) > 40 {
				t.Errorf("%s stands twice, or is too long to keep", c.key(s))
			}
			keys[c.key(s)] = true
			must := []string{"lesson." + c.key(s)}
			for _, p := range s.pages {
				must = append(must, "lesson."+p.name)
			}
			for _, x := range s.exercises {
				must = append(must, "learn.ask."+string(x.ask), "learn.hint."+string(x.ask), "learn.wrong."+string(x.ask),
					"learn.wrong.other")
				if what := string(x.ask) + x.line + x.about; lines[what] {
					t.Errorf("%s: %s stands twice", c.key(s), x.line)
				} else {
					lines[what] = true
				}
			}
			for _, key := range must {
				for _, lang := range texts.Tags() {
					if view.In(lang).Say(key) == key {
						t.Errorf("%s lacks %s", lang, key)
					}
				}
			}
		}
	}
}

// The named answers are all right ones, and no other move is: by the rules and by counting
// where the facts of the position decide.
func TestFacts(t *testing.T) {
	each(t, func(t *testing.T, x exercise, g game.Game) {
		if q := questions[x.ask]; q != nil {
			if got := q(g, pointsOf(x.about)); got.right != x.right || !slices.Contains(got.choices, x.right) {
				t.Errorf("%s is right of %v, not %s", got.right, got.choices, x.right)
			}
			return
		}
		decide := facts[x.ask]
		if decide == nil {
			return
		}
		var named game.Set
		for _, p := range x.points() {
			named = named.With(p)
		}
		if got := decide(g); got != named || named.Empty() || named == g.Legal() {
			t.Errorf("right are %s, not %s", row(got.Points()), x.right)
		}
		if g.Rules() != game.Reversi && x.ask != askFive && !wins(g).Empty() {
			t.Errorf("%s wins at once", row(wins(g).Points()))
		}
	})
}

// A named answer of five in a row is not found to lose, with 5000 nodes for a win by threats
// of the other side.
func TestAnswersDoNotLose(t *testing.T) {
	e := five.New()
	each(t, func(t *testing.T, x exercise, g game.Game) {
		if g.Rules() == game.Reversi || !x.onBoard() {
			return
		}
		moves := x.points()
		if x.ask == askWin {
			moves = moves[:1]
		}
		for _, p := range moves {
			h := testkit.Got(g.Play(p))
			if h.Turn() != game.Empty && e.Threats(h, h.Turn(), 5000).Plies > 0 {
				t.Errorf("%v loses", p)
			}
		}
	})
}

// A forced win is proven as a puzzle is, and the judge refutes every other first move.
func TestForcedWins(t *testing.T) {
	each(t, func(t *testing.T, x exercise, g game.Game) {
		p, _ := x.puzzle(g)
		if x.ask != askWin {
			return
		}
		if p.Moves = p.Solver(); p.Check(t.Context()) != nil {
			t.Error(p.Check(t.Context()))
		}
		for m := range g.Legal().All() {
			a, err := p.Try(t.Context(), []game.Point{m})
			want := puzzle.Wrong
			if m == x.points()[0] {
				want = puzzle.Right
			}
			if err != nil || a.Verdict != want {
				t.Errorf("%v is %s: %v", m, a.Verdict, err)
			}
		}
	})
}

// The endgames are played to the end by all lines, by another program than the judge's: the
// named move wins, and no other move does.
func TestEndgames(t *testing.T) {
	each(t, func(t *testing.T, x exercise, g game.Game) {
		if x.ask != askBest {
			return
		}
		for m := range g.Legal().All() {
			if got := plain(testkit.Got(g.Play(m)), g.Turn(), -99, 99); (got > 0) != (m == x.points()[0]) {
				t.Errorf("%v is worth %d", m, got)
			}
			v, err := x.judge(t.Context(), []game.Point{m})
			if err != nil || v.solved != (m == x.points()[0]) || v.undecided {
				t.Errorf("%v: %+v, %v", m, v, err)
			}
		}
	})
}

// plain is what a position is worth to c, in discs, between low and high.
func plain(g game.Game, c game.Color, low, high int) int {
	if g.Turn() == game.Empty {
		black, white := game.Score(g.Position())
		if c == game.White {
			return white - black
		}
		return black - white
	}
	for p := range g.Legal().All() {
		h, err := g.Play(p)
		if err != nil || low >= high {
			break
		}
		if v := plain(h, c, low, high); g.Turn() == c {
			low = max(low, v)
		} else {
			high = min(high, v)
		}
	}
	if g.Turn() == c {
		return low
	}
	return high
}

// Every wrong answer has words, and where it has a reply, the board shows the reply.
func TestWrongAnswers(t *testing.T) {
	each(t, func(t *testing.T, x exercise, g game.Game) {
		if !x.onBoard() || x.ask == askWin || x.ask == askBest {
			return
		}
		tried := 0
		for m := range g.Legal().All() {
			if slices.Contains(x.points(), m) || tried == 12 {
				continue
			}
			tried++
			v, err := x.judge(t.Context(), []game.Point{m})
			if err != nil || v.right {
				t.Fatalf("%v: %+v %v", m, v, err)
			}
			said := attempt{exercise: x}.wrong(view.In("en"), v, m.String())
			if strings.Contains(said, "{{.") || strings.Contains(said, "  ") {
				t.Errorf("%v has no reply: %s", m, said)
			}
		}
	})
}

// What a page marks is what its words claim: the right moves of an ask, and all of them.
func TestMarksOfPages(t *testing.T) {
	claims := map[string]ask{"gomoku.2": askGuard, "gomoku.3": askTwice, "gomoku.five.2": askFive,
		"gomoku.block.2": askBlock, "gomoku.openfour.2": askOpen,
		"gomoku.openthree.2": askOpen, "gomoku.guard.1": askGuard, "gomoku.guard.2": askGuard, "gomoku.gaps.1": askFive,
		"gomoku.gaps.2": askBlock, "gomoku.doublefour.1": askOpen, "gomoku.doublefour.2": askFive,
		"gomoku.fourthree.2": askOpen, "gomoku.doublethree.1": askTwice,
		"renju.fivefirst.2": askFive, "renju.white.1": askFive, "renju.white.2": askTwice, "renju.trap.1": askOpen,
		"renju.force.1": askTwice, "renju.force.2": askOpen,
		"reversi.turn.2": askMost, "reversi.pass.1": askSkip, "reversi.pass.2": askWipe, "reversi.corner.2": askCorner,
		"reversi.few.1": askFew, "reversi.few.2": askFew, "reversi.quiet.1": askQuiet, "reversi.quiet.2": askQuiet,
		"reversi.skip.1": askSkip, "reversi.skip.2": askSkip, "reversi.wipe.1": askWipe, "reversi.wipe.2": askWipe}
	for _, c := range courses {
		for _, s := range c.steps {
			for _, p := range s.pages {
				g, err := board(p.line)
				if err != nil {
					t.Fatalf("%s: %v", p.name, err)
				}
				a, ok := claims[p.name]
				delete(claims, p.name)
				if !ok {
					continue
				}
				var marked game.Set
				for _, at := range pointsOf(p.marks) {
					marked = marked.With(at)
				}
				if p.name == "gomoku.doublefour.2" { // two fives: they are Black's, and White is to move
					if got := wins(passed(g)); got != marked {
						t.Errorf("%s: %s make five", p.name, row(got.Points()))
					}
					continue
				}
				if got := facts[a](g); got != marked {
					t.Errorf("%s: %s are right, not %s", p.name, row(got.Points()), p.marks)
				}
			}
		}
	}
	if len(claims) > 0 {
		t.Errorf("no such pages: %v", claims)
	}
}
