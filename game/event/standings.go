package event

import (
	"cmp"
	"fmt"
	"slices"
)

// Standing is where a player stands in an event, with the tie-breaks of FIDE's rules of 2026. A win
// is a point. Programs read the rank, which puts one before the other even where nothing that was
// played does. People read the place.
type Standing struct {
	Place  int     `json:"-"` // from 1, shared where all that was played is equal; see Kind.Place
	Rank   int     `json:"rank"`
	ID     int     `json:"id"`
	Points float64 `json:"points"`
	BHC1   float64 `json:"bhc1"` // Buchholz without the least contribution
	BH     float64 `json:"bh"`   // Buchholz: what the opponents scored
	SB     float64 `json:"sb"`   // Sonneborn-Berger: the same, times the own result
	Wins   int     `json:"wins"`
	Adj    float64 `json:"adj"` // the score as opponents' tie-breaks see it
	DE     int     `json:"de"`  // the place by direct encounter, among those with as many points

	Perf float64 `json:"-"` // arena: performance; 0 without games
	Fire bool    `json:"-"` // arena: the next game counts double
}

// Place fills in the places of a table that is in the order of its ranks. Players whom nothing that
// was played separates share a place: neither rating nor number decides.
func (k Kind) Place(table []Standing) {
	for i := range table {
		table[i].Place = i + 1
		if i > 0 && k.level(table[i-1], table[i]) {
			table[i].Place = table[i-1].Place
		}
	}
}

// level reports whether two have played equally well, up to the last tie-break of the kind.
func (k Kind) level(a, b Standing) bool {
	switch {
	case k == KindKnockout:
		return a.Rank == b.Rank
	case a.Points != b.Points:
		return false
	case k == KindArena:
		return a.Perf == b.Perf
	case k == KindRoundRobin:
		return a.DE == b.DE && a.SB == b.SB && a.Wins == b.Wins
	}
	return a.BHC1 == b.BHC1 && a.BH == b.BH && a.SB == b.SB && a.Wins == b.Wins
}

// Standings ranks players after so many rounds: by points, Buchholz cut 1, Buchholz,
// Sonneborn-Berger, wins, rating and id. It gives no places. The error says what is wrong with the
// players.
func Standings(players []Player, rounds int) ([]Standing, error) {
	if rounds < 0 || rounds > MaxRounds {
		return nil, fmt.Errorf("%d rounds: want at most %d", rounds, MaxRounds)
	}
	if err := check(players, rounds); err != nil {
		return nil, err
	}
	return standings(players, rounds), nil
}

func standings(players []Player, rounds int) []Standing {
	points, adj := make([]int, len(players)), make([]int, len(players)) // in half points
	for i, p := range players {
		points[i], adj[i] = p.points(), p.adjusted()
	}
	table := make([]Standing, len(players))
	for i, p := range players {
		table[i] = Standing{ID: p.ID, Points: float64(points[i]) / 2, Adj: float64(adj[i]) / 2}
		table[i].breakTies(p, points[i], rounds, adj)
	}
	slices.SortFunc(table, func(a, b Standing) int {
		return cmp.Or(cmp.Compare(b.Points, a.Points), cmp.Compare(b.BHC1, a.BHC1), cmp.Compare(b.BH, a.BH),
			cmp.Compare(b.SB, a.SB), cmp.Compare(b.Wins, a.Wins),
			cmp.Compare(players[b.ID-1].Rating, players[a.ID-1].Rating), cmp.Compare(a.ID, b.ID))
	})
	for i := range table {
		table[i].Rank = i + 1
	}
	directEncounters(players, table)
	return table
}

func (p Player) points() (sum int) {
	for _, g := range p.Games {
		sum += halves[g.Result]
	}
	return sum
}

// voluntary reports whether the player chose not to play the round.
func (r Result) voluntary() bool { return r == HalfBye || r == NoBye || r == ForfeitLoss }

// adjusted is the score as opponents' tie-breaks see it: the byes of one who stays away to the end
// count as draws.
func (p Player) adjusted() int {
	sum := p.points()
	for _, g := range slices.Backward(p.Games) {
		if !g.Result.voluntary() {
			break
		}
		if g.Result == NoBye {
			sum++
		}
	}
	return sum
}

// breakTies fills in the tie-breaks of a player with so many half points.
func (s *Standing) breakTies(p Player, points, rounds int, adj []int) {
	sum, products := 0, 0
	least, leastVoluntary := -1, -1
	for _, g := range p.Games {
		value := 0
		switch {
		case g.Result.played():
			value = adj[g.Opp-1]
		case g.Result.bye():
			value = min(points, rounds)
		default:
			value = min(points, adj[g.Opp-1])
		}
		own := halves[g.Result]
		sum += value
		products += value * own
		if own == 2 {
			s.Wins++
		}
		if least < 0 || value < least {
			least = value
		}
		if g.Result.voluntary() && (leastVoluntary < 0 || value < leastVoluntary) {
			leastVoluntary = value
		}
	}
	if leastVoluntary >= 0 {
		least = leastVoluntary
	}
	s.BH, s.BHC1, s.SB = float64(sum)/2, float64(sum-max(least, 0))/2, float64(products)/4
}

// directEncounters fills in the places by direct encounter of a sorted table.
func directEncounters(players []Player, table []Standing) {
	for i := 0; i < len(table); {
		j := i
		var group []int
		for ; j < len(table) && table[j].Points == table[i].Points; j++ {
			group = append(group, table[j].ID)
		}
		places := map[int]int{}
		encounter(players, group, 1, places)
		for k := i; k < j; k++ {
			table[k].DE = places[table[k].ID]
		}
		i = j
	}
}

// encounter gives the ids of a group their places, the first of which is first.
func encounter(players []Player, group []int, first int, places map[int]int) {
	parts := split(players, group)
	for _, part := range parts {
		if len(part) > 1 && len(parts) > 1 {
			encounter(players, part, first, places)
		} else {
			for _, id := range part {
				places[id] = first
			}
		}
		first += len(part)
	}
}

// split orders a group by the games inside it, and puts those that these games cannot separate
// into one part.
func split(players []Player, group []int) (parts [][]int) {
	in := map[int]bool{}
	for _, id := range group {
		in[id] = true
	}
	score, best := map[int]int{}, map[int]int{}
	complete := true
	for _, id := range group {
		met := map[int]bool{}
		for _, g := range players[id-1].Games {
			if g.Result.played() && in[g.Opp] {
				score[id] += halves[g.Result]
				met[g.Opp] = true
			}
		}
		open := len(group) - 1 - len(met)
		best[id] = score[id] + 2*open
		complete = complete && open == 0
	}
	rest := slices.Clone(group)
	slices.SortStableFunc(rest, func(a, b int) int { return score[b] - score[a] })
	if complete {
		for i := 0; i < len(rest); {
			j := i
			for j < len(rest) && score[rest[j]] == score[rest[i]] {
				j++
			}
			parts = append(parts, rest[i:j])
			i = j
		}
		return parts
	}
	for len(rest) > 1 {
		ahead := !slices.ContainsFunc(rest[1:], func(id int) bool { return best[id] >= score[rest[0]] })
		if !ahead {
			break
		}
		parts = append(parts, rest[:1])
		rest = rest[1:]
	}
	return append(parts, rest)
}
