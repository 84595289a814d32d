package event

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// sheet is one player's games in an arena, in the order in which they ended.
type sheet struct {
	Rules   ArenaRules `json:"rules"`
	Streaks bool       `json:"streaks"`
	Results []string   `json:"results"` // W, D or L; with a B behind it the player berserked
	Plies   []int      `json:"plies"`   // how long each game was
	Opp     []float64  `json:"opp"`     // the opponents' ratings
}

// ArenaRules are lengths of games, in plies. Zero is no rule.
type ArenaRules struct {
	BerserkMin int `json:"berserkMin"` // from here on, berserk is worth a point
	QuickDraw  int `json:"quickDraw"`  // a draw before it is worth nothing
	LongDraw   int `json:"longDraw"`   // from here on, a draw after a draw counts
}

// score is what a sheet is worth.
type score struct {
	Points []int    `json:"points"` // of each game
	Total  int      `json:"total"`
	Fire   bool     `json:"fire"` // the next game counts double
	Perf   *float64 `json:"perf"` // the mean of what each game says of the strength; nil without games
}

// maxSheet bounds the games of a sheet.
const maxSheet = 10_000

// score counts a sheet. The error says what is wrong with it.
func (s sheet) score() (score, error) {
	n := len(s.Results)
	if n > maxSheet || len(s.Plies) != n || len(s.Opp) != n {
		return score{}, fmt.Errorf("%d results, %d plies, %d opponents: want as many of each, at most %d", n,
			len(s.Plies), len(s.Opp), maxSheet)
	}
	sum := score{Points: make([]int, n)}
	streak, drawn := 0, false // wins up to now; the last game that was not lost was drawn
	perf := 0.0
	for i, result := range s.Results {
		kind, berserk := strings.CutSuffix(result, "B")
		fire := s.Streaks && streak >= 2
		switch {
		case s.Plies[i] < 0:
			return score{}, fmt.Errorf("game %d has %d plies", i+1, s.Plies[i])
		case !(s.Opp[i] >= -maxStrength && s.Opp[i] <= maxStrength):
			return score{}, fmt.Errorf("game %d: a rating is from -%d to %d", i+1, maxStrength, maxStrength)
		case kind == "W":
			sum.Points[i] = s.Rules.win(fire, berserk, s.Plies[i])
			streak, drawn = streak+1, false
			perf += s.Opp[i] + 500
		case kind == "D":
			sum.Points[i] = s.Rules.draw(fire, drawn, s.Plies[i])
			streak, drawn = 0, true
			perf += s.Opp[i]
		case kind == "L":
			streak = 0
			perf += s.Opp[i] - 500
		default:
			return score{}, fmt.Errorf("game %d: %.20q is no result", i+1, result)
		}
		sum.Total += sum.Points[i]
	}
	sum.Fire = s.Streaks && streak >= 2
	if n > 0 {
		perf /= float64(n)
		sum.Perf = &perf
	}
	return sum, nil
}

// maxStrength bounds ratings that come from outside.
const maxStrength = 10_000

func (r ArenaRules) win(fire, berserk bool, plies int) int {
	points := 2
	if fire {
		points = 4
	}
	if berserk && plies >= r.BerserkMin {
		points++
	}
	return points
}

func (r ArenaRules) draw(fire, drawn bool, plies int) int {
	switch {
	case plies < r.QuickDraw:
		return 0
	case fire:
		return 2
	case drawn && plies < r.LongDraw:
		return 0
	}
	return 1
}

// waiter is one who waits for a game in an arena.
type waiter struct {
	ID     int
	Rank   int // in the table, from 1; 0 before the first wave
	Rating float64
	Last   int // the opponent of the last game, or 0
	Whites int // more whites than blacks, or fewer
	Since  time.Time
}

// WaveEvery is the time between two waves of pairings in an arena whose games take so long.
func WaveEvery(game time.Duration) time.Duration {
	return min(max(game/10+6*time.Second, 15*time.Second), 50*time.Second)
}

// groupSize is how many are paired with one another at most.
const groupSize = 100

// wave pairs those who wait: leaders with leaders, by rank and rating. A pair is white and black.
// Nobody plays the last opponent again, unless again allows it, nor gets a fourth game in excess with
// one colour. Who came last waits on when the number is odd.
func wave(waiting []waiter, again bool, apart Apart) (pairs [][2]int) {
	w := slices.Clone(waiting)
	slices.SortStableFunc(w, func(a, b waiter) int { return a.Since.Compare(b.Since) })
	w = w[:len(w)/2*2]
	slices.SortStableFunc(w, func(a, b waiter) int {
		return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(b.Rating, a.Rating), cmp.Compare(a.ID, b.ID))
	})
	last := 1
	for _, x := range w {
		last = max(last, x.Rank)
	}
	for len(w) > 0 {
		n := min(len(w), groupSize)
		pairs = append(pairs, group(w[:n], last, again, apart)...)
		w = w[n:]
	}
	return pairs
}

// group pairs as many as it can at the least cost. Who cannot be paired stays alone: each has a
// stand-in, which costs much, and the stand-ins pair for nothing.
func group(w []waiter, last int, again bool, apart Apart) (pairs [][2]int) {
	const alone = 1 << 30
	n := len(w)
	m := newMatching(2*n, 1)
	for i, a := range w {
		m.join(i, n+i, []int64{2 * alone})
		for j := range i {
			m.join(n+i, n+j, []int64{0})
			if a.mayMeet(w[j], again) && (apart == nil || !apart(a.ID, w[j].ID)) {
				m.join(i, j, []int64{2 * a.distance(w[j], last)})
			}
		}
	}
	m.solve()
	for i, a := range w {
		if j := m.mate[i]; j > i && j < n {
			pairs = append(pairs, a.seats(w[j]))
		}
	}
	return pairs
}

func (a waiter) mayMeet(b waiter, again bool) bool {
	if (a.Last == b.ID || b.Last == a.ID) && !again {
		return false
	}
	return !(a.Whites >= 3 && b.Whites >= 3) && !(a.Whites <= -3 && b.Whites <= -3)
}

// distance is how badly two go together: ranks count more the nearer they are to the first.
func (a waiter) distance(b waiter, last int) int64 {
	f := 300.0
	if a.Rank > 0 && b.Rank > 0 {
		f += 1700 * float64(last-min(a.Rank, b.Rank)) / float64(last)
	}
	d := float64(abs(a.Rank-b.Rank))*f + max(a.Rating-b.Rating, b.Rating-a.Rating)
	return int64(min(d, 1<<24))
}

// seats gives white to the one who had it less often; to the lower id where that does not decide.
func (a waiter) seats(b waiter) [2]int {
	if a.Whites < b.Whites || a.Whites == b.Whites && a.ID < b.ID {
		return [2]int{a.ID, b.ID}
	}
	return [2]int{b.ID, a.ID}
}
