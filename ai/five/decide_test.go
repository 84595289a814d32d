package five

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"tengen/ai/engine"
	"tengen/game"
	"tengen/game/opening"
	"tengen/internal/testkit"
)

// protocolRules are the rules of five in a row that a protocol opens.
var protocolRules = []game.Rules{game.Gomoku15, game.Standard15, game.Renju}

// stage is a random stage of a protocol at which something is asked.
func stage(p opening.Protocol, rng *rand.Rand) opening.State {
	s := p.Begin()
	for range rng.IntN(18) {
		next := after(s, randomDecision(s.Question(), rng))
		if next.Over() {
			break
		}
		s = next
	}
	return s
}

func randomDecision(q game.Question, rng *rand.Rand) game.Decision {
	if len(q.Options) > 0 {
		return q.Options[rng.IntN(len(q.Options))]
	}
	points := q.Points.Points()
	return q.At(points[rng.IntN(len(points))])
}

// Whatever the stage, the level and the limits, the decision is legal.
// TENGEN_DECISIONS counts the stages of a protocol.
func TestDecideIsLegal(t *testing.T) {
	e := New()
	for _, p := range opening.All {
		rng := rand.New(rand.NewPCG(19, uint64(p)))
		for n := range testkit.Dose("TENGEN_DECISIONS", 100) {
			s := stage(p, rng)
			limits := engine.Limits{Level: rng.IntN(9), Nodes: 1 << rng.IntN(9), Seed: rng.Uint64()}
			r := protocolRules[n%len(protocolRules)]
			d, report, err := e.Decide(context.Background(), r, s, limits)
			if err == nil {
				_, err = s.Decide(d)
			}
			if err != nil || !(report.Win >= 0 && report.Win <= 1) {
				t.Fatalf("%s, %+v, %+v: %v, worth %v: %v", p.Name(), s.Question(), limits, d, report.Win, err)
			}
		}
	}
}

// decides gives the decision that a line leads to.
func decides(t *testing.T, r game.Rules, line string, limits engine.Limits) game.Decision {
	t.Helper()
	l := testkit.Got(opening.ParseLine(line))
	d, _, err := Decide(context.Background(), r, l.State, limits)
	testkit.Must(t, err)
	return d
}

// Where one answer is plainly right, it is given.
func TestDecide(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"swap h8 a1 h9", "swap"}, // black is far ahead
		{"swap a1 h8 o15", "stay"},
		{"swap2 h8 a1 h9", "black"},
		{"swap2 a1 h8 o15", "white"},
		{"swap2 h8 a1 h9 two a15 i9", "black"},
		{"swap2 a1 h8 o15 two h9 o1", "white"},
		{"pro", "H8"},
		{"tarannikov h8 stay h9 stay i9 stay e5 stay i8", "swap"},
		{"rif h8 h9 i9 stay a1 i8 a2", "A2"},       // white takes the harmless one
		{"soosyrv8 h8 h9 i9 stay a1", "declare=8"}, // black is ahead whatever is offered
		{"soosyrv8 h8 h9 i9 stay a1 declare=1", "stay"},
		{"yamaguchi h8 h9 i9 declare=1", "swap"},
		{"taraguchi10 h8 stay h9 stay i9 stay e5", "ten"},
	} {
		for _, r := range protocolRules {
			if d := decides(t, r, c.line, engine.Limits{Nodes: 30_000, Seed: 1}); d.String() != c.want {
				t.Errorf("%s, %s: %v, want %s", r.Name(), c.line, d, c.want)
			}
		}
	}
}

// Eight points that a short search calls even are not even once White has chosen: in games,
// Black lost with them. So fewer are declared; a search that judged the last point alone
// declares six or more.
func TestDecideDeclaresFew(t *testing.T) {
	for _, line := range []string{
		"soosyrv8 h8 i8 f6 stay h7", "soosyrv8 h8 h7 f10 swap i10", "soosyrv8 h8 g8 j10 swap h9", "soosyrv8 h8 h9 j6 stay j8",
	} {
		d := decides(t, game.Renju, line, engine.Limits{Level: 8, Nodes: 8000, Seed: 1})
		if n, ok := d.Declared(); !ok || n > 4 {
			t.Errorf("%s: %v", line, d)
		}
	}
}

// What many offers are worth falls with their number, less where more is searched, and proofs
// stay.
func TestOffersChosen(t *testing.T) {
	even := make([]answer, 12)
	for i := range even {
		even[i].worth = 0.5
	}
	brief, deep := newTalks(nil, game.Renju, engine.Limits{Nodes: 8000}),
		newTalks(nil, game.Renju, engine.Limits{Nodes: 800_000})
	if brief.chosen(even, 1) != 0.5 {
		t.Error("a single offer leaves no choice")
	}
	for n := 2; n <= 7; n++ {
		if a, b := brief.chosen(even, n), brief.chosen(even, n-1); a >= b || deep.chosen(even, n) <= a {
			t.Errorf("%d offers: %v after %v, searched well %v", n, a, b, deep.chosen(even, n))
		}
	}
	if won, lost := brief.chosen([]answer{{worth: 1}, {worth: 1}}, 2),
		brief.chosen([]answer{{worth: 1}, {}}, 2); won != 1 || lost != 0 {
		t.Errorf("proven: %v and %v", won, lost)
	}
}

// A beginner takes the worse color at times, a master does not.
func TestDecideByLevel(t *testing.T) {
	wrong := map[int]int{}
	for _, level := range []int{1, 6} {
		for seed := range uint64(60) {
			if decides(t, game.Gomoku15, "swap h8 h9 i8", engine.Limits{Level: level, Nodes: 2000, Seed: seed}) != game.Swap {
				wrong[level]++
			}
		}
	}
	if wrong[1] < 5 || wrong[1] > 40 || wrong[6] > 0 {
		t.Errorf("times that the worse color is taken, by level: %v", wrong)
	}
}

// negotiated is an opening that the engine negotiates with itself.
func negotiated(t *testing.T, r game.Rules, p opening.Protocol, limits engine.Limits) opening.Line {
	t.Helper()
	l := opening.Line{Protocol: p, State: p.Begin()}
	for !l.State.Over() {
		d, _, err := Decide(context.Background(), r, l.State, limits)
		if err == nil {
			l.State, err = l.State.Decide(d)
		}
		if err != nil {
			t.Fatalf("%s: %v", l, err)
		}
		l.Decisions = append(l.Decisions, d)
	}
	return l
}

// The same seed gives the same opening; seeds differ.
func TestDecideBySeed(t *testing.T) {
	for _, p := range opening.All {
		seen := map[string]bool{}
		for seed := range uint64(6) {
			limits := engine.Limits{Nodes: 2000, Seed: seed}
			l := negotiated(t, game.Gomoku15, p, limits).String()
			if again := negotiated(t, game.Gomoku15, p, limits).String(); again != l {
				t.Errorf("seed %d: %q and then %q", seed, l, again)
			}
			seen[l] = true
			t.Log(l)
		}
		if len(seen) < 3 {
			t.Errorf("%s: %d openings of 6 seeds", p.Name(), len(seen))
		}
	}
}

// A decision ends with its context and still is legal.
func TestDecideObeysContext(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, p := range opening.All {
		for _, wait := range []time.Duration{0, 10 * time.Millisecond, 30 * time.Millisecond} {
			s := stage(p, rng)
			ctx, cancel := context.WithTimeout(context.Background(), wait)
			began := time.Now()
			d, _, err := Decide(ctx, game.Renju, s, engine.Limits{Nodes: 1 << 40})
			cancel()
			if err == nil {
				_, err = s.Decide(d)
			}
			if took := time.Since(began); err != nil || took > wait+2*time.Second { // a busy machine
				t.Errorf("%s: %v after %v: %v", p.Name(), d, took, err)
			}
		}
	}
}

func ExampleDecide() {
	l, _ := opening.ParseLine("swap2 h8 a1 h9")
	d, _, _ := Decide(context.Background(), game.Gomoku15, l.State, engine.Limits{Nodes: 5000})
	fmt.Println(d)
	// Output: black
}
