package event

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// hall plays random Swiss events.
type hall struct {
	Swiss
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
					pairs, _ = h.Pair()
					longest = max(longest, time.Since(start))
				}
				b.ReportMetric(float64(longest.Milliseconds()), "longest-ms")
			})
			h.play(pairs)
		}
	}
}
