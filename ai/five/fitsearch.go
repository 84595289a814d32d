package five

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"

	"tengen/ai/engine"
	"tengen/game"
)

// The numbers of the search are fitted by games (SPSA): in each pair of games one side has every
// number a step higher or lower, at random, and the other side a step the other way. The numbers
// go a little towards those of the side that did better.

// knob is a number that is fitted.
type knob struct {
	name        string
	at          *int
	step        float64
	least, most float64
}

// knobs are those of the numbers as they stand.
var knobs = knobsOf(&tuned.params)

func knobsOf(p *params) []knob {
	return []knob{
		{"reduce", &p.reduce, 15, 60, 250},
		{"base", &p.base, 20, -60, 120},
		{"lessPV", &p.lessPV, 250, 0, 2400},
		{"moreCut", &p.moreCut, 200, -400, 1600},
		{"moreFalling", &p.moreFalling, 150, -300, 1200},
		{"lessFour", &p.lessFour, 250, 0, 2400},
		{"lessThree", &p.lessThree, 200, -200, 1600},
		{"lessAgainst", &p.lessAgainst, 150, -400, 1200},
		{"lessThreatened", &p.lessThreatened, 200, -800, 1200},
		{"lessHistory", &p.lessHistory, 25, 0, 240},
		{"moreBehind", &p.moreBehind, 50, -150, 500},
		{"futile", &p.futile, 10, 15, 150},
		{"rises", &p.rises, 20, -50, 150},
		{"futileMove", &p.futileMove, 15, 20, 250},
		{"razor", &p.razor, 15, 20, 200},
		{"late", &p.late, 120, 50, 1200},
		{"latePly", &p.latePly, 20, 20, 250},
		{"unlikely", &p.unlikely, 40, 80, 600},
		{"unlikelyPly", &p.unlikelyPly, 12, 0, 150},
		{"asked", &p.asked, 4, 2, 250},
		{"askedPly", &p.askedPly, 2, 0, 30},
		{"singular", &p.singular, 4, 2, 48},
		{"double", &p.double, 60, 10, 800},
		{"high", &p.high, 3, 2, 40},
		{"aspire", &p.aspire, 10, 10, 120},
		{"killer", &p.killer, 25, 0, 200},
		{"ever", &p.ever, 20, 0, 250},
		{"following", &p.following, 20, 0, 250},
		{"vcfNodes", &p.vcfNodes, 10, 10, 150},
	}
}

// SearchFit is a fit of the numbers of the search, as far as it has come.
type SearchFit struct {
	Pairs  int       // of games played
	Values []float64 // of the knobs
	Sum    []float64 // of Values after each pair of the last part
	Summed int

	Still   bool      // the knobs stay where they stand: a step of each is measured, no more
	Won     []float64 // by knob, what the side with the higher value won more than the other, in points
	Squared float64   // the sum of squares of what was won in each pair
}

// NewSearchFit begins with the numbers as they stand.
func NewSearchFit() *SearchFit {
	f := &SearchFit{Sum: make([]float64, len(knobs)), Won: make([]float64, len(knobs))}
	for _, k := range knobs {
		f.Values = append(f.Values, float64(*k.at))
	}
	return f
}

// result is what has been fitted: the mean over the last part, once there is one.
func (f *SearchFit) result() []float64 {
	mean := append([]float64(nil), f.Values...)
	for i := range mean {
		if f.Summed > 0 {
			mean[i] = f.Sum[i] / float64(f.Summed)
		}
	}
	return mean
}

// Read goes on with a fit that was written as JSON.
func (f *SearchFit) Read(text []byte) error {
	var was SearchFit
	if err := json.Unmarshal(text, &was); err != nil {
		return err
	}
	if len(was.Values) != len(knobs) || len(was.Sum) != len(knobs) || len(was.Won) != len(knobs) {
		return errors.New("not a fit of these numbers")
	}
	*f = was
	return nil
}

// String lists the numbers, and how many steps each has gone.
func (f *SearchFit) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%d pairs", f.Pairs)
	for i, v := range f.result() {
		fmt.Fprintf(&s, " %s=%.0f(%+.1f)", knobs[i].name, v, (v-float64(*knobs[i].at))/knobs[i].step)
	}
	return s.String()
}

// Worth lists what the games say of a step up of each knob against a step down. All knobs are turned
// in every pair, so that each is measured by all of the games.
func (f *SearchFit) Worth() string {
	var s strings.Builder
	n := float64(max(1, f.Pairs))
	fmt.Fprintf(&s, "%d pairs, give or take %.1f %%", f.Pairs, 100*1.96*math.Sqrt(f.Squared)/n/4)
	for i, won := range f.Won {
		fmt.Fprintf(&s, "\n%-14s %.1f %%", knobs[i].name, 50+100*won/n/4)
	}
	return s.String()
}

// The gains of SPSA, as it is usually done: both fall with the pairs.
const (
	spsaAlpha = 0.602
	spsaGamma = 0.101
	spsaGain  = 0.003 // at the end, of a step for each game won
	spsaMean  = 0.6   // part of the pairs before those of which the mean is taken
)

// Run goes on to so many pairs of games, at nodes a move, on as many threads. It tells of each
// hundredth pair.
func (f *SearchFit) Run(ctx context.Context, r game.Rules, pairs int, nodes int64, threads int, seed uint64,
	told func(*SearchFit)) {
	var mu sync.Mutex // guards f
	var all sync.WaitGroup
	total := float64(pairs)
	begin := 0.1 * total
	for range max(1, threads) {
		all.Go(func() {
			x, y := New(), New()
			for {
				mu.Lock()
				if f.Pairs >= pairs || ctx.Err() != nil {
					mu.Unlock()
					return
				}
				f.Pairs++
				n := float64(f.Pairs)
				rnd := rand.New(rand.NewPCG(seed, uint64(f.Pairs)))
				up, down, sign := append([]float64(nil), f.Values...), append([]float64(nil), f.Values...),
					make([]float64, len(knobs))
				mu.Unlock()
				wide := math.Pow(total/n, spsaGamma)
				if f.Still {
					wide = 1
				}
				for i, k := range knobs {
					sign[i] = float64(rnd.IntN(2)*2 - 1)
					up[i], down[i] = k.within(up[i]+wide*k.step*sign[i]), k.within(down[i]-wide*k.step*sign[i])
				}
				x.main.by, y.main.by = turnedTo(up), turnedTo(down)
				first, second, err := x.pairWith(ctx, y, r, nodes, rnd)
				if err != nil {
					continue
				}
				won := 2 * (first + second - 1)
				gain := spsaGain * math.Pow((begin+total)/(begin+n), spsaAlpha) / wide
				if f.Still {
					gain = 0
				}
				mu.Lock()
				f.Squared += won * won
				for i, k := range knobs {
					f.Won[i] += won * sign[i]
					f.Values[i] = k.within(f.Values[i] + gain*k.step*won*sign[i])
					if n > spsaMean*total {
						f.Sum[i] += f.Values[i]
					}
				}
				if n > spsaMean*total {
					f.Summed++
				}
				if f.Pairs%100 == 0 {
					told(f)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	told(f)
}

func (k *knob) within(v float64) float64 { return min(max(v, k.least), k.most) }

// turnedTo are the numbers of the search with the knobs at values.
func turnedTo(values []float64) *numbers {
	p := tuned.params
	for i, k := range knobsOf(&p) {
		*k.at = int(math.Round(values[i]))
	}
	return newNumbers(p)
}

// Match plays pairs of games of the fitted numbers against those that stand, and tells the points of
// the fitted ones in each game.
func (f *SearchFit) Match(ctx context.Context, r game.Rules, pairs int, nodes int64, seed uint64,
	told func(points float64)) error {
	x, y := New(), New()
	x.main.by = turnedTo(f.result())
	for n := range pairs {
		first, second, err := x.pairWith(ctx, y, r, nodes, rand.New(rand.NewPCG(seed, uint64(n))))
		if err != nil {
			return err
		}
		told(first)
		told(second)
	}
	return nil
}

// pairWith plays two games of an opening against another engine, and gives the points of each.
func (e *Engine) pairWith(ctx context.Context, other *Engine, r game.Rules, nodes int64,
	rnd *rand.Rand) (first, second float64, err error) {
	open := Balanced(r, rnd.Uint64())
	if rnd.IntN(2) == 0 {
		if g, ok := e.start(ctx, r, rnd, 1000); ok {
			open = g.Moves()
		}
	}
	if first, err = e.against(ctx, other, r, open, nodes); err != nil {
		return 0, 0, err
	}
	theirs, err := other.against(ctx, e, r, open, nodes)
	return first, 1 - theirs, err
}

// against plays a game against another engine, as Black, until its result is proven or the board is
// dead, and gives its points.
func (e *Engine) against(ctx context.Context, other *Engine, r game.Rules, open []game.Point,
	nodes int64) (float64, error) {
	g, err := game.New(r).PlayAll(open...)
	if err != nil {
		return 0, err
	}
	e.Clear()
	other.Clear()
	for flat := 0; g.Turn() != game.Empty && flat < 24; {
		mover, black := e, g.Turn() == game.Black
		if !black {
			mover = other
		}
		rep, err := mover.Search(ctx, g, engine.Limits{Nodes: nodes, Brief: true})
		switch {
		case err != nil:
			return 0, err
		case ctx.Err() != nil:
			return 0, ctx.Err()
		case rep.Proof != engine.Unproven:
			if black == (rep.Proof == engine.Win) {
				return 1, nil
			}
			return 0, nil
		}
		if g, err = g.Play(rep.Move); err != nil {
			return 0, err
		}
		if flat++; math.Abs(rep.Win-0.5) >= 0.02 || g.Len() <= r.Size()*r.Size()/2 {
			flat = 0
		}
	}
	switch g.Result().Winner {
	case game.Black:
		return 1, nil
	case game.White:
		return 0, nil
	}
	return 0.5, nil
}
