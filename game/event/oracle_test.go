package event

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/internal/testkit"
)

// oracle pairs a round of very few players by trying everything, after the text of the rules and
// without the code that it checks: it knows no matching and no costs.
type oracle struct {
	s        swiss
	score    []int // by id, as everything here
	wish     []int // 0 none, 1 mild, 2 strong, 3 absolute
	side     []string
	diff     []int
	byeScore int
}

func newOracle(s swiss) *oracle {
	n := len(s.Players) + 1
	o := &oracle{s: s, score: make([]int, n), wish: make([]int, n), side: make([]string, n), diff: make([]int, n)}
	for _, p := range s.Players {
		o.score[p.ID] = o.scoreBefore(p.ID, s.Round)
		last, before := "", ""
		for _, g := range p.Games {
			if g.Result != "1" && g.Result != "=" && g.Result != "0" {
				continue
			}
			o.diff[p.ID] += map[string]int{"w": 1, "b": -1}[g.Color]
			before, last = last, g.Color
		}
		d := o.diff[p.ID]
		other := map[string]string{"w": "b", "b": "w", "": ""}[last]
		switch {
		case d >= 2:
			o.wish[p.ID], o.side[p.ID] = 3, "b"
		case d <= -2:
			o.wish[p.ID], o.side[p.ID] = 3, "w"
		case last != "" && last == before:
			o.wish[p.ID], o.side[p.ID] = 3, other
		case d == 1:
			o.wish[p.ID], o.side[p.ID] = 2, "b"
		case d == -1:
			o.wish[p.ID], o.side[p.ID] = 2, "w"
		case last != "":
			o.wish[p.ID], o.side[p.ID] = 1, other
		}
	}
	return o
}

func (o *oracle) scoreBefore(id, round int) (sum int) {
	for _, g := range o.s.Players[id-1].Games[:round-1] {
		sum += map[Result]int{"1": 2, "+": 2, "bye1": 2, "=": 1, "bye=": 1}[g.Result]
	}
	return sum
}

func (o *oracle) top(id int) bool { return o.s.Round == o.s.Rounds && o.score[id] > o.s.Rounds-1 }

func (o *oracle) legal(a, b int) bool {
	for _, g := range o.s.Players[a-1].Games {
		if g.Opp == b && (g.Result == "1" || g.Result == "=" || g.Result == "0") {
			return false
		}
	}
	return o.wish[a] != 3 || o.wish[b] != 3 || o.side[a] != o.side[b] || o.top(a) || o.top(b)
}

func (o *oracle) byeAble(id int) bool {
	return !slices.ContainsFunc(o.s.Players[id-1].Games, func(g Game) bool {
		return g.Result == "bye1" || g.Result == "+"
	})
}

// completable: whether all of them can be paired, one with the bye if their number is odd. A score
// of -1 lets every score have the bye.
func (o *oracle) completable(ids []int, byeScore int) bool {
	if len(ids) == 0 {
		return true
	}
	a, rest := ids[0], ids[1:]
	if len(ids)%2 == 1 && o.byeAble(a) && (o.score[a] == byeScore) && o.completable(rest, byeScore) {
		return true
	}
	for i, b := range rest {
		if o.legal(a, b) && o.completable(slices.Concat(rest[:i], rest[i+1:]), byeScore) {
			return true
		}
	}
	return false
}

// float of a player so many rounds ago: 1 down, -1 up.
func (o *oracle) float(id, ago int) int {
	round := o.s.Round - ago
	if round < 1 {
		return 0
	}
	g := o.s.Players[id-1].Games[round-1]
	switch g.Result {
	case "+", "bye1", "bye=":
		return 1
	case "-", "bye0":
		return 0
	}
	return cmp.Compare(o.scoreBefore(id, round), o.scoreBefore(g.Opp, round))
}

// pair gives the pairs by rank, the bye as {id, 0}, or nil.
func (o *oracle) pair() [][2]int {
	all := [][2]int{}
	var ids []int
	for _, p := range o.s.Players {
		if !p.Absent {
			ids = append(ids, p.ID)
		}
	}
	slices.SortStableFunc(ids, func(a, b int) int { return o.score[b] - o.score[a] })
	o.byeScore = -1
	for s := 0; len(ids)%2 == 1 && o.byeScore < 0; s++ {
		if s > 2*o.s.Rounds {
			return nil
		}
		if o.completable(ids, s) {
			o.byeScore = s
		}
	}
	if !o.completable(ids, o.byeScore) {
		return nil
	}
	var moved []int
	for len(ids) > 0 {
		n := o.group(ids)
		c := o.best(moved, ids[:n], ids[n:])
		all = append(all, c.pairs...)
		moved, ids = c.down, ids[n:]
	}
	if len(moved) > 0 {
		all = append(all, [2]int{moved[0], 0})
	}
	return all
}

// group is how many have the score of the first.
func (o *oracle) group(ids []int) (n int) {
	for n < len(ids) && o.score[ids[n]] == o.score[ids[0]] {
		n++
	}
	return n
}

type candidate struct {
	pairs [][2]int
	down  []int
}

// candidates calls f with every set of legal pairs inside a bracket.
func (o *oracle) candidates(moved, residents []int, f func(candidate)) {
	in := slices.Concat(moved, residents)
	var c candidate
	var walk func(rest []int)
	walk = func(rest []int) {
		if len(rest) == 0 {
			f(candidate{slices.Clone(c.pairs), slices.Clone(c.down)})
			return
		}
		a := rest[0]
		c.down = append(c.down, a)
		walk(rest[1:])
		c.down = c.down[:len(c.down)-1]
		for i, b := range rest[1:] {
			if slices.Contains(moved, b) || !o.legal(a, b) {
				continue
			}
			c.pairs = append(c.pairs, [2]int{a, b})
			walk(slices.Concat(rest[1:i+1], rest[i+2:]))
			c.pairs = c.pairs[:len(c.pairs)-1]
		}
	}
	walk(in)
}

func (o *oracle) best(moved, residents, below []int) (best candidate) {
	var value [][]int
	o.candidates(moved, residents, func(c candidate) {
		if !o.completable(slices.Concat(c.down, below), o.byeScore) {
			return
		}
		if v := o.value(c, moved, residents, below); value == nil || slices.CompareFunc(v, value, slices.Compare[[]int]) < 0 {
			best, value = c, v
		}
	})
	return best
}

func (o *oracle) scores(ids []int) (list []int) {
	for _, id := range ids {
		list = append(list, o.score[id])
	}
	slices.Sort(list)
	slices.Reverse(list)
	return list
}

// value is what candidates are compared by: sections 5 and 6 of the rules.
func (o *oracle) value(c candidate, moved, residents, below []int) (v [][]int) {
	v = append(v, []int{len(c.down)}, o.scores(c.down)) // C6, C7
	v = append(v, o.nextBracket(c.down, below)...)
	waited := 0
	if len(c.down) == 1 && o.byeScore >= 0 && o.score[residents[0]] <= o.byeScore {
		for _, g := range o.s.Players[c.down[0]-1].Games {
			if g.Result != "1" && g.Result != "=" && g.Result != "0" {
				waited++
			}
		}
	}
	v = append(v, []int{waited}) // C9
	v = append(v, o.clashes(c))
	v = append(v, o.repeats(c, moved)...)
	return append(v, o.order(c, moved, residents)...)
}

// clashes are C10 to C13.
func (o *oracle) clashes(c candidate) []int {
	var c10, c11, c12, c13 int
	for _, p := range c.pairs {
		a, b := p[0], p[1]
		if o.side[a] == "" || o.side[a] != o.side[b] {
			continue
		}
		da, db := max(o.diff[a], -o.diff[a]), max(o.diff[b], -o.diff[b])
		c12++
		if da >= 2 && db >= 2 {
			c10++
		}
		if o.wish[a] == 3 && o.wish[b] == 3 {
			ta, tb := o.thirdInARow(a), o.thirdInARow(b)
			if da < db && ta || db < da && tb || da == db && ta && tb {
				c11++
			}
		} else if o.wish[a] >= 2 && o.wish[b] >= 2 {
			c13++
		}
	}
	return []int{c10, c11, c12, c13}
}

// repeats are C14 to C21.
func (o *oracle) repeats(c candidate, moved []int) [][]int {
	var counts, lists [][]int
	for ago := 1; ago <= 2; ago++ {
		residents := 0
		var left, met []int
		for _, id := range c.down {
			switch isMoved := slices.Contains(moved, id); {
			case o.float(id, ago) <= 0:
			case isMoved:
				left = append(left, id)
			default:
				residents++
			}
		}
		for _, p := range c.pairs {
			if slices.Contains(moved, p[0]) && o.float(p[1], ago) < 0 {
				met = append(met, p[0])
			}
		}
		counts = append(counts, []int{residents}, []int{len(met)})
		lists = append(lists, o.scores(left), o.scores(met))
	}
	return append(counts, lists...)
}

func (o *oracle) thirdInARow(id int) bool {
	var colors []string
	for _, g := range o.s.Players[id-1].Games {
		if g.Result == "1" || g.Result == "=" || g.Result == "0" {
			colors = append(colors, g.Color)
		}
	}
	n := len(colors)
	return n >= 2 && colors[n-1] != o.side[id] && colors[n-2] != o.side[id]
}

// nextBracket is C8.
func (o *oracle) nextBracket(down, below []int) [][]int {
	if len(below) == 0 {
		return [][]int{nil, nil}
	}
	n := o.group(below)
	var best [][]int
	o.candidates(down, below[:n], func(c candidate) {
		v := [][]int{{len(c.down)}, o.scores(c.down)}
		if (best == nil || slices.CompareFunc(v, best, slices.Compare[[]int]) < 0) &&
			o.completable(slices.Concat(c.down, below[n:]), o.byeScore) {
			best = v
		}
	})
	return best
}

// order is section 6.
func (o *oracle) order(c candidate, moved, residents []int) (v [][]int) {
	partner := map[int]int{}
	for _, p := range c.pairs {
		partner[p[0]], partner[p[1]] = p[1], p[0]
	}
	var numbers, opponents, rest []int
	used := map[int]bool{}
	for i, id := range moved {
		if p := partner[id]; p != 0 {
			numbers = append(numbers, i)
			opponents = append(opponents, slices.Index(residents, p))
			used[p] = true
		}
	}
	for _, id := range residents {
		if !used[id] {
			rest = append(rest, id)
		}
	}
	var u, partners []int // the higher of each pair of the rest
	for i, id := range rest {
		if p := slices.Index(rest, partner[id]); p > i {
			u, partners = append(u, i), append(partners, p)
		}
	}
	n := len(u)
	exchanges, sum := 0, 0
	var away, come []int
	for _, i := range u {
		sum += i
		if i >= n {
			exchanges++
			come = append(come, i)
		}
	}
	for i := n - 1; i >= 0; i-- {
		if !slices.Contains(u, i) {
			away = append(away, -i) // the larger list comes first
		}
	}
	return [][]int{numbers, opponents, {exchanges}, {sum}, away, come, partners}
}

// sorted are pairs without their colours and boards.
func sorted(pairs [][2]int) [][2]int {
	out := slices.Clone(pairs)
	for i, p := range out {
		out[i] = [2]int{max(p[0], p[1]), min(p[0], p[1])}
	}
	slices.SortFunc(out, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	return out
}

// Very small events are paired as trying everything pairs them.
func TestPairByOracle(t *testing.T) {
	rounds, none := 0, 0
	for seed := range dose("TENGEN_ORACLE", 150) {
		rng := rand.New(rand.NewPCG(uint64(seed), 22))
		n := 2 + rng.IntN(9)
		h := newHall(rng, n, 1+rng.IntN(n+1), []float64{0, 0.1, 0.3}[seed%3])
		for h.Round <= h.Rounds {
			h.absences()
			want := newOracle(h.swiss).pair()
			got := testkit.Got(h.pairNext())
			if !slices.Equal(sorted(got), sorted(want)) || (got == nil) != (want == nil) {
				t.Fatalf("seed %d, round %d: %v, want %v", seed, h.Round, sorted(got), sorted(want))
			}
			rounds++
			if got == nil {
				none++
			}
			h.play(got)
		}
	}
	t.Logf("%d rounds, %d of them cannot be paired", rounds, none)
}
