package five

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"tengen/game"
)

// The network with two numbers to a word gives the values that it gives with one, in the
// engine's own tables.
func TestNetworkInWords(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 9))
	for _, r := range []game.Rules{game.Gomoku15, game.Standard15, game.Renju} {
		v, _ := variantOf(r)
		w := fitted(v)
		var b board
		for range 100 {
			g := randomGame(rnd, r, 1+rnd.IntN(120))
			b.reset(shapeOf(v, r.Size()))
			b.follow(g)
			if got, want := b.evaluate(), plainly(&b, &w.Net[b.turn&1]); got != want {
				t.Fatalf("%s %s: %d, one number after the other %d", r.Name(), game.MoveList(g.Moves()), got, want)
			}
		}
	}
}

// plainly is the value of a position by l, one number to a word.
func plainly(b *board, l *layers) int {
	var in [inputs]int
	for i, now := range [4]sums{b.sum[b.turn&1], b.sum[b.turn&1^1], b.old[(b.ply-1)&255].sum[b.turn&1],
		b.old[(b.ply-1)&255].sum[b.turn&1^1]} {
		for k, x := range now {
			in[i*lanes+k] = int(x)
		}
	}
	for k := range 2 * lanes {
		in[2*lanes+k] = (in[k] - in[2*lanes+k]) / (laneUnit / netUnit)
		in[k] /= laneUnit / netUnit
	}
	m := b.threats()
	s := [hidden2]int{}
	for j := range s {
		s[j] = int(l.After[j]) * netUnit
	}
	for i := range hidden1 {
		h := int(l.Bias[threatBits][i]) * netUnit
		for bit := range threatBits {
			h += m >> bit & 1 * int(l.Bias[bit][i]) * netUnit
		}
		for k, x := range in {
			h += x * int(l.First[k][i])
		}
		for j := range s {
			s[j] += max(h, 0) / netUnit * int(l.Second[i][j])
		}
	}
	x := 0
	for j, v := range s {
		x += max(v, 0) / netUnit * int(l.Last[j])
	}
	return max(-maxEval, min(maxEval, x*unit/(netUnit*lastUnit)+int(l.Threat[m])/fine))
}

// The network that learns and the network that plays are the same: rounding changes its
// values little, and the sums that follow the moves are those of the position.
func TestNetworkAsLearned(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, r := range []game.Rules{game.Gomoku15, game.Renju} {
		v, _ := variantOf(r)
		points := layeredFor(v, lanes)
		w := hand(v)
		var nets [2]*learner
		for c := range 2 {
			nets[c] = newLearner(rnd)
			for _, l := range []*learned{nets[c].threat, nets[c].after} {
				for i := range l.w {
					l.w[i] = float32(rnd.NormFloat64() / 10)
				}
			}
			points[c].randomise(0.01, rnd)
			points[c].flatten()
		}
		for c := range 2 {
			nets[c].round(&w.Net[c])
			roundLanes(points[c], &w.Lanes[c])
		}
		var b, fresh board
		var p pass
		sh, largest := newShape(v, r.Size(), w), 0.0
		for range 300 {
			g := randomGame(rnd, r, 4+rnd.IntN(60))
			b.reset(sh)
			b.follow(g)
			fresh = b
			fresh.refresh()
			if fresh.sum != b.sum {
				t.Fatalf("%s: the sums are not those of the position", game.MoveList(g.Moves()))
			}
			s := b.sample(Played{Scores: make([]float64, 1)}, 0)
			want := unit * float64(nets[b.turn].run(&p, &s, points[b.turn], points[b.turn^1]))
			got := float64(b.evaluate())
			if math.Abs(got-want) > 4+math.Abs(want)/25 {
				t.Fatalf("%s: %.0f, learned as %.1f", game.MoveList(g.Moves()), got, want)
			}
			largest = max(largest, math.Abs(want))
		}
		if largest < 50 {
			t.Errorf("no position was worth more than %.1f", largest)
		}
	}
}

// A fit learns from the games, and gives the same tables again.
func TestFit(t *testing.T) {
	for _, r := range []game.Rules{game.Gomoku15, game.Renju} {
		e := New()
		rnd := rand.New(rand.NewPCG(5, 6))
		var games []Played
		for len(games) < 60 {
			p, ok := e.SelfPlay(context.Background(), r, rnd, 150)
			if !ok {
				continue
			}
			games = append(games, p)
			for range 5 {
				if a, ok := e.Aside(context.Background(), p, rnd, 150); ok {
					games = append(games, a)
				}
			}
		}
		var told []string
		fit := func() *Weights {
			told = nil
			return Fit(games, func(format string, args ...any) {
				if strings.HasPrefix(format, "evaluation") {
					told = append(told, format)
					if loss := args[1].(float64); len(told) == epochs && loss > 0.69 { // a coin has 0.693
						t.Errorf("%s: a loss of %.3f", r.Name(), loss)
					}
				}
			})
		}
		first := fit()
		if second := fit(); !reflect.DeepEqual(first, second) {
			t.Errorf("%s: two fits to the same games differ", r.Name())
		}
	}
}
