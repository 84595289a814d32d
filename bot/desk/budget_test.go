package desk

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/testkit"
)

// hall simulates a desk in simulated time: members who think for 5 to 60 seconds, workers that
// search, and the cost of a turn beside its search.
type hall struct {
	rng     *rand.Rand
	desk    *Desk
	now     time.Time
	idle    int
	need    func(*rand.Rand) time.Duration // of a search to its full node count
	beside  time.Duration
	events  []event   // in order of time
	from    time.Time // what happens before is not measured
	answers []time.Duration
	given   []time.Duration
	cut     int
}

type event struct {
	at time.Time
	do func()
}

func (h *hall) after(d time.Duration, do func()) {
	e := event{h.now.Add(d), do}
	i, _ := slices.BinarySearchFunc(h.events, e, func(a, b event) int {
		if a.at.After(b.at) {
			return 1
		}
		return -1
	})
	h.events = slices.Insert(h.events, i, e)
}

// member lets a member think, and then has the engine's turn come.
func (h *hall) member(id game.MatchID) {
	h.after(5*time.Second+time.Duration(h.rng.Int64N(int64(55*time.Second))), func() { h.turn(id) })
}

func (h *hall) turn(id game.MatchID) {
	h.desk.ask(turn{match: id, place: venue.Place{Server: uint64(id % 20)}, since: h.now})
	h.work()
}

func (h *hall) work() {
	for h.idle > 0 && len(h.desk.lanes[""].order) > 0 {
		h.idle--
		t := h.desk.take(h.desk.lanes[""])
		each := h.desk.time(t, h.now)
		need := h.need(h.rng)
		took := min(each, need)
		if h.now.After(h.from) {
			h.given = append(h.given, each)
			if need > each {
				h.cut++
			}
		}
		h.after(took+h.beside, func() {
			h.desk.searched(cost{took: took, cut: need > each}, h.beside)
			if h.now.After(h.from) {
				h.answers = append(h.answers, h.now.Sub(t.since))
			}
			h.idle++
			h.member(t.match)
			h.work()
		})
	}
}

// run starts games over the time begin, then lets them play for settle, and measures from then on.
func (h *hall) run(games int, begin, settle, measure time.Duration) {
	h.now = testkit.At("2026-01-01")
	h.from = h.now.Add(begin + settle)
	end := h.from.Add(measure)
	for i := range games {
		h.after(time.Duration(h.rng.Int64N(int64(begin)+1)), func() { h.member(game.MatchID(i + 1)) })
	}
	for len(h.events) > 0 && h.events[0].at.Before(end) {
		e := h.events[0]
		h.events = h.events[1:]
		h.now = e.at
		e.do()
	}
	slices.Sort(h.answers)
	slices.Sort(h.given)
}

func newHall(seed uint64, workers int, need func(*rand.Rand) time.Duration) *hall {
	desk := New(Config{Workers: workers, AnswerIn: 2500 * time.Millisecond, ThinkAtMost: time.Second})
	return &hall{rng: rand.New(rand.NewPCG(seed, 1)), desk: desk, idle: workers, need: need, beside: 10 * time.Millisecond}
}

func at(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// endless is a search that no node count ends: the strongest level.
func endless(*rand.Rand) time.Duration { return time.Hour }

// upTo is a search of a level with a node count: two in three take a while, one ends at once.
func upTo(d time.Duration) func(*rand.Rand) time.Duration {
	return func(r *rand.Rand) time.Duration {
		if r.IntN(3) == 0 {
			return time.Millisecond
		}
		return time.Duration(float64(d) * (.5 + r.Float64()))
	}
}

// Every game of a level gets the same time, however many games there are and however they began.
// That time is as long as two workers allow, and every turn is answered in time.
func TestEqualBudgets(t *testing.T) {
	for _, c := range []struct {
		games       int
		need        func(*rand.Rand) time.Duration
		kind        string
		least, most time.Duration // of the time given, p10 and p90
		cut         float64       // part of the searches that may be cut short
	}{
		{20, endless, "endless", time.Second, time.Second, 1},
		{100, endless, "endless", 320 * time.Millisecond, 500 * time.Millisecond, 1},
		{200, endless, "endless", 160 * time.Millisecond, 250 * time.Millisecond, 1},
		{500, endless, "endless", 64 * time.Millisecond, 100 * time.Millisecond, 1},
		{1000, endless, "endless", 25 * time.Millisecond, 40 * time.Millisecond, 1},
		{2000, endless, "endless", 10 * time.Millisecond, 16 * time.Millisecond, 1},
		{1000, upTo(35 * time.Millisecond), "up to 35 ms", time.Second, time.Second, 0},
		{300, upTo(150 * time.Millisecond), "up to 150 ms", time.Second, time.Second, 0},
	} {
		t.Run(fmt.Sprintf("%d games, %s", c.games, c.kind), func(t *testing.T) {
			h := newHall(1, 2, c.need)
			h.run(c.games, 30*time.Second, 30*time.Second, 10*time.Minute)
			p10, p90, p99 := at(h.given, .1), at(h.given, .9), at(h.answers, .99)
			t.Logf("budget p10 %v, p90 %v; answers p50 %v, p99 %v, max %v; %.1f %% cut short", p10, p90, at(h.answers, .5),
				p99, h.answers[len(h.answers)-1], 100*float64(h.cut)/float64(len(h.given)))
			if p10 < c.least || p90 > c.most || float64(p90) > 1.6*float64(p10) {
				t.Errorf("budget %v to %v, want %v to %v", p10, p90, c.least, c.most)
			}
			if p99 > 2500*time.Millisecond {
				t.Errorf("answers p99 %v", p99)
			}
			if part := float64(h.cut) / float64(len(h.given)); part > c.cut {
				t.Errorf("%.3f of the searches were cut short", part)
			}
		})
	}
}

// A burst of 200 games in two seconds is answered in time.
func TestBudgetInABurst(t *testing.T) {
	for _, games := range []int{0, 100, 500, 1000} {
		for _, need := range []struct {
			name string
			of   func(*rand.Rand) time.Duration
		}{{"endless", endless}, {"up to 35 ms", upTo(35 * time.Millisecond)}} {
			t.Run(fmt.Sprintf("%d games, %s", games, need.name), func(t *testing.T) {
				h := newHall(2, 2, need.of)
				h.after(0, func() {})
				burst := 2 * time.Minute
				h.now = testkit.At("2026-01-01")
				for i := range 200 {
					h.after(burst+time.Duration(h.rng.Int64N(int64(2*time.Second))), func() { h.turn(game.MatchID(5000 + i)) })
				}
				h.run(games, 30*time.Second, burst-30*time.Second, 30*time.Second)
				t.Logf("answers p99 %v, max %v; budget p10 %v, p90 %v", at(h.answers, .99), at(h.answers, 1),
					at(h.given, .1), at(h.given, .9))
				if max := at(h.answers, 1); max > 2500*time.Millisecond {
					t.Errorf("an answer took %v", max)
				}
			})
		}
	}
}
