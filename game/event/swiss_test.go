package event

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"tengen/internal/testkit"
)

// dose is how often a test does something: as the environment has it, else little, or a quarter of it
// in a short run.
func dose(name string, little int) int {
	if testing.Short() {
		little /= 4
	}
	return testkit.Dose(name, little)
}

// hall plays random Swiss events.
type hall struct {
	swiss
	rng     *rand.Rand
	trouble float64 // how often a game is forfeited, or a player stays away
}

func newHall(rng *rand.Rand, players, rounds int, trouble float64) *hall {
	h := &hall{rng: rng, trouble: trouble}
	h.Round, h.Rounds, h.Initial = 1, rounds, []string{"w", "b"}[rng.IntN(2)]
	for i := range players {
		h.Players = append(h.Players, Player{ID: i + 1, Rating: float64(2400 - 3*i)})
	}
	return h
}

// absences decides who stays away from the next round.
func (h *hall) absences() {
	for i := range h.Players {
		h.Players[i].Absent = h.rng.Float64() < h.trouble
	}
}

// play gives the pairs results and goes on to the next round.
func (h *hall) play(pairs [][2]int) {
	done := make([]Game, len(h.Players)+1)
	for _, p := range pairs {
		if p[1] == 0 {
			done[p[0]] = Game{Color: "-", Result: FullBye}
			continue
		}
		r := h.result(p[0], p[1])
		done[p[0]] = Game{p[1], "w", r}
		other := r.turned()
		if r == ForfeitLoss && h.rng.IntN(4) == 0 {
			other = ForfeitLoss
		}
		done[p[1]] = Game{p[0], "b", other}
	}
	for i := range h.Players {
		g := done[i+1]
		if g.Result == "" {
			g = Game{Color: "-", Result: NoBye}
			if h.rng.IntN(3) == 0 {
				g.Result = HalfBye
			}
		}
		h.Players[i].Games = append(h.Players[i].Games, g)
	}
	h.Round++
}

func (h *hall) result(white, black int) Result {
	if h.rng.Float64() < h.trouble {
		return []Result{ForfeitWin, ForfeitLoss}[h.rng.IntN(2)]
	}
	edge := float64(black-white) / float64(len(h.Players))
	switch x := h.rng.Float64() + edge/2; {
	case x < 0.4:
		return Loss
	case x < 0.6:
		return Draw
	}
	return Win
}

// The pairing of 300 entrants, round by round: it has to be done within a second.
func BenchmarkPair(b *testing.B) {
	for _, trouble := range []float64{0, 0.05} {
		h := newHall(rand.New(rand.NewPCG(1, 2)), 300, 13, trouble)
		for h.Round <= h.Rounds {
			h.absences()
			var pairs [][2]int
			longest := time.Duration(0)
			b.Run(fmt.Sprintf("trouble=%v/round=%d", trouble, h.Round), func(b *testing.B) {
				for b.Loop() {
					start := time.Now()
					pairs, _ = h.pairNext()
					longest = max(longest, time.Since(start))
				}
				b.ReportMetric(float64(longest.Milliseconds()), "longest-ms")
			})
			h.play(pairs)
		}
	}
}

// Random events of 4 to 200 entrants keep the absolute rules in every round, and a round without a
// pairing has none.
func TestRandomEvents(t *testing.T) {
	rounds, none := 0, 0
	for seed := range dose("TENGEN_EVENTS", 40) {
		rng := rand.New(rand.NewPCG(uint64(seed), 200))
		n := 4 + rng.IntN(197)
		if seed%2 == 0 {
			n = 4 + rng.IntN(27) // where the rules bite
		}
		h := newHall(rng, n, 1+rng.IntN(min(n+2, 13)), []float64{0, 0.02, 0.2}[seed%3])
		for h.Round <= h.Rounds {
			h.absences()
			pairs := testkit.Got(h.pairNext())
			if err := h.broken(pairs); err != nil {
				t.Fatalf("seed %d, round %d: %v", seed, h.Round, err)
			}
			rounds++
			if pairs == nil {
				none++
			}
			h.play(pairs)
		}
	}
	t.Logf("%d rounds, %d of them cannot be paired", rounds, none)
}

// broken tells which absolute rule pairs break.
func (h *hall) broken(pairs [][2]int) error {
	o := newOracle(h.swiss)
	seen := map[int]bool{}
	present := 0
	for _, p := range h.Players {
		if !p.Absent {
			present++
		}
	}
	if pairs == nil {
		if h.pairable(o) {
			return errors.New("no pairs, although there are some")
		}
		return nil
	}
	for i, p := range pairs {
		for _, id := range p {
			if id == 0 {
				continue
			}
			if seen[id] || h.Players[id-1].Absent {
				return fmt.Errorf("%d is paired twice, or absent", id)
			}
			seen[id] = true
		}
		switch {
		case p[1] == 0 && (i != len(pairs)-1 || present%2 == 0 || !o.byeAble(p[0])):
			return fmt.Errorf("%d has a bye", p[0])
		case p[1] != 0 && !o.legal(p[0], p[1]):
			return fmt.Errorf("%v may not meet", p)
		case p[1] != 0 && o.wish[p[0]] == 3 && o.side[p[0]] == "b" && !(o.wish[p[1]] == 3 && o.side[p[1]] == "b"):
			return fmt.Errorf("%d has white against %d", p[0], p[1])
		case p[1] != 0 && o.wish[p[1]] == 3 && o.side[p[1]] == "w" && !(o.wish[p[0]] == 3 && o.side[p[0]] == "w"):
			return fmt.Errorf("%d has black against %d", p[1], p[0])
		}
	}
	if len(seen) != present {
		return fmt.Errorf("%d of %d are paired", len(seen), present)
	}
	return nil
}

// pairable reports whether there is a legal pairing, by Tutte's theorem: a graph has a perfect
// matching where the determinant of its skew-symmetric matrix of unknowns is not zero. Random
// numbers modulo a large prime stand for the unknowns.
func (h *hall) pairable(o *oracle) bool {
	const prime = 1<<31 - 1
	var ids []int
	for _, p := range h.Players {
		if !p.Absent {
			ids = append(ids, p.ID)
		}
	}
	if len(ids)%2 == 1 {
		ids = append(ids, 0)
	}
	n := len(ids)
	a := make([][]uint64, n)
	for i := range a {
		a[i] = make([]uint64, n)
		for j := range i {
			if ids[i] == 0 && !o.byeAble(ids[j]) || ids[i] != 0 && !o.legal(ids[i], ids[j]) {
				continue
			}
			a[i][j] = 1 + h.rng.Uint64N(prime-1)
			a[j][i] = prime - a[i][j]
		}
	}
	return regular(a, prime)
}

// regular reports whether the determinant of a is not zero.
func regular(a [][]uint64, prime uint64) bool {
	for c := range a {
		r := c
		for r < len(a) && a[r][c] == 0 {
			r++
		}
		if r == len(a) {
			return false
		}
		a[c], a[r] = a[r], a[c]
		inverse := uint64(1)
		for base, e := a[c][c], prime-2; e > 0; base, e = base*base%prime, e/2 {
			if e%2 == 1 {
				inverse = inverse * base % prime
			}
		}
		for r := c + 1; r < len(a); r++ {
			by := (prime - a[r][c]) * inverse % prime
			for k := c; by != 0 && k < len(a); k++ {
				a[r][k] = (a[r][k] + by*a[c][k]) % prime
			}
		}
	}
	return true
}
