package event

import (
	"cmp"
	"fmt"
	"slices"
)

// swiss is a Swiss event between two rounds, as `tengen event pair` reads it. Players are in the
// order of their ids, which run from 1 without holes and are the order of pairing.
type swiss struct {
	Round   int      `json:"round"`   // to be paired now, from 1
	Rounds  int      `json:"rounds"`  // of the whole event
	Initial string   `json:"initial"` // the colour drawn for odd numbers: "w" or "b"
	Players []Player `json:"players"`
}

// Player is one who entered, with what each round so far brought them.
type Player struct {
	ID     int     `json:"id"`
	Rating float64 `json:"rating"`
	Games  []Game  `json:"games"`
	Absent bool    `json:"absent"` // not to be paired
}

// Game is what a round brought a player. Opp is 0 for a bye.
type Game struct {
	Opp    int    `json:"opp"`
	Color  string `json:"color"` // "w", "b", or "-" for a bye
	Result Result `json:"result"`
}

// Result is how a round ended for a player.
type Result string

// The results.
const (
	Win         Result = "1"
	Draw        Result = "="
	Loss        Result = "0"
	ForfeitWin  Result = "+"
	ForfeitLoss Result = "-"
	FullBye     Result = "bye1" // allocated by the pairing
	HalfBye     Result = "bye=" // asked for
	NoBye       Result = "bye0" // absent
)

// halves are the scores in half points.
var halves = map[Result]int{
	Win: 2, ForfeitWin: 2, FullBye: 2, Draw: 1, HalfBye: 1, Loss: 0, ForfeitLoss: 0, NoBye: 0,
}

// played reports whether there was a game: only such games count for colours and meetings.
func (r Result) played() bool { return r == Win || r == Draw || r == Loss }

func (r Result) bye() bool { return r == FullBye || r == HalfBye || r == NoBye }

// turned is what the result is for the opponent. A lost forfeit may be lost by both.
func (r Result) turned() Result {
	other := map[Result]Result{Win: Loss, Loss: Win, ForfeitWin: ForfeitLoss, ForfeitLoss: ForfeitWin}
	return cmp.Or(other[r], r)
}

// Bounds of what the functions of this package take.
const (
	MaxEntrants = 1000
	MaxRounds   = 200
)

// check says what is wrong with the players and their first rounds.
func check(players []Player, rounds int) error {
	if len(players) == 0 || len(players) > MaxEntrants {
		return fmt.Errorf("%d players: want 1 to %d", len(players), MaxEntrants)
	}
	for i, p := range players {
		if p.ID != i+1 {
			return fmt.Errorf("player %d has the id %d: ids run from 1 without holes", i+1, p.ID)
		}
		if len(p.Games) != rounds {
			return fmt.Errorf("player %d has %d games: want one for each of %d rounds", p.ID, len(p.Games), rounds)
		}
	}
	for _, p := range players {
		for r, g := range p.Games {
			if err := checkGame(players, p.ID, r, g); err != nil {
				return fmt.Errorf("player %d, round %d: %w", p.ID, r+1, err)
			}
		}
	}
	return nil
}

func checkGame(players []Player, id, round int, g Game) error {
	if _, ok := halves[g.Result]; !ok {
		return fmt.Errorf("%.20q is no result", string(g.Result))
	}
	if g.Result.bye() {
		if g.Opp != 0 || g.Color != "-" {
			return fmt.Errorf("a bye has no opponent and no colour")
		}
		return nil
	}
	if g.Opp < 1 || g.Opp > len(players) || g.Opp == id {
		return fmt.Errorf("there is no opponent %d", g.Opp)
	}
	other := players[g.Opp-1].Games[round]
	double := g.Result == ForfeitLoss && other.Result == ForfeitLoss
	switch {
	case g.Color != "w" && g.Color != "b":
		return fmt.Errorf("%.20q is no colour", g.Color)
	case other.Opp != id:
		return fmt.Errorf("the opponent %d played another", g.Opp)
	case other.Color == g.Color:
		return fmt.Errorf("the opponent %d has the same colour", g.Opp)
	case other.Result != g.Result.turned() && !double:
		return fmt.Errorf("the result does not fit that of the opponent %d", g.Opp)
	}
	return nil
}

// pairNext pairs the next round by FIDE's Dutch system. A pair is white and black, by ids; one who
// has the bye stands last, against 0. The pairs are nil where the rules leave no complete
// pairing. The error says what is wrong with s.
func (s swiss) pairNext() ([][2]int, error) {
	switch {
	case s.Rounds < 1 || s.Rounds > MaxRounds:
		return nil, fmt.Errorf("%d rounds: want 1 to %d", s.Rounds, MaxRounds)
	case s.Round < 1 || s.Round > s.Rounds:
		return nil, fmt.Errorf("round %d of %d", s.Round, s.Rounds)
	case s.Initial != "w" && s.Initial != "b":
		return nil, fmt.Errorf("initial is %.20q: want w or b", s.Initial)
	}
	if err := check(s.Players, s.Round-1); err != nil {
		return nil, err
	}
	return s.pair(nil), nil
}

// pair pairs a round that was checked. Those whom apart names never meet.
func (s swiss) pair(apart Apart) [][2]int {
	f := s.field(apart)
	pairs, bye, ok := f.pair()
	if !ok {
		return nil
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		return cmp.Or(b.high.score-a.high.score, b.low.score-a.low.score, a.high.id-b.high.id)
	})
	out := make([][2]int, 0, len(pairs)+1)
	for _, p := range pairs {
		if p.high.white(p.low, s.Initial == "w") {
			out = append(out, [2]int{p.high.id, p.low.id})
		} else {
			out = append(out, [2]int{p.low.id, p.high.id})
		}
	}
	if bye != nil {
		out = append(out, [2]int{bye.id, 0})
	}
	return out
}

// entrant is a player as the pairing sees them.
type entrant struct {
	id, score int // in half points
	effective int // place among those who were ever paired
	met       []bool
	colors    []bool // of played games, oldest first: whether white
	diff      int    // whites less blacks
	wish      wish
	toWhite   bool   // the side of the wish
	floats    [2]int // in the last round and the one before: +1 down, -1 up
	unplayed  int    // rounds without a game
	hadBye    bool   // or won by forfeit
	top       bool   // in the last round, with more than half the points
}

// wish is how strongly a colour is due.
type wish int

const (
	noWish wish = iota
	mild
	strong
	absolute
)

// pair is two entrants, the higher ranked one first.
type pair struct{ high, low *entrant }

// field is all who are to be paired, by rank.
type field struct {
	entrants []*entrant
	apart    Apart
}

func (s swiss) field(apart Apart) field {
	scores := make([][]int, len(s.Players)) // before each round and now
	for i, p := range s.Players {
		scores[i] = make([]int, 1, len(p.Games)+1)
		for r, g := range p.Games {
			scores[i] = append(scores[i], scores[i][r]+halves[g.Result])
		}
	}
	f := field{apart: apart}
	effective := 0
	for i, p := range s.Players {
		e := newEntrant(p, scores)
		e.top = s.Round == s.Rounds && !p.Absent && scores[i][s.Round-1] > s.Round-1
		if !p.Absent || e.everPaired(p) {
			effective++
		}
		e.effective = effective
		if !p.Absent {
			f.entrants = append(f.entrants, e)
		}
	}
	slices.SortStableFunc(f.entrants, func(a, b *entrant) int { return b.score - a.score })
	return f
}

func newEntrant(p Player, scores [][]int) *entrant {
	e := &entrant{id: p.ID, met: make([]bool, len(scores)+1)}
	e.score = scores[p.ID-1][len(p.Games)]
	for r, g := range p.Games {
		if ago := len(p.Games) - 1 - r; ago < 2 {
			e.floats[ago] = float(p.ID, r, g, scores)
		}
		if !g.Result.played() {
			e.unplayed++
			e.hadBye = e.hadBye || g.Result == FullBye || g.Result == ForfeitWin
			continue
		}
		e.met[g.Opp] = true
		e.colors = append(e.colors, g.Color == "w")
		if g.Color == "w" {
			e.diff++
		} else {
			e.diff--
		}
	}
	e.wish, e.toWhite = due(e.colors, e.diff)
	return e
}

func (e *entrant) everPaired(p Player) bool {
	return slices.ContainsFunc(p.Games, func(g Game) bool { return g.Opp != 0 || g.Result == FullBye })
}

// float tells whether a round paired a player downwards (1), upwards (-1) or neither. Points without
// a game count as downwards.
func float(id, round int, g Game, scores [][]int) int {
	if !g.Result.played() {
		return min(halves[g.Result], 1)
	}
	return cmp.Compare(scores[id-1][round], scores[g.Opp-1][round])
}

// due is the wish for a colour that a history leaves.
func due(colors []bool, diff int) (w wish, toWhite bool) {
	n := len(colors)
	if n == 0 {
		return noWish, false
	}
	twice := n > 1 && colors[n-1] == colors[n-2]
	switch {
	case diff >= 2 || diff <= -2:
		return absolute, diff < 0
	case twice:
		return absolute, !colors[n-1]
	case diff != 0:
		return strong, diff < 0
	}
	return mild, !colors[n-1]
}

// clash reports whether both wish for the same side.
func (e *entrant) clash(o *entrant) bool {
	return e.wish != noWish && o.wish != noWish && e.toWhite == o.toWhite
}

// legal reports whether two may meet by the absolute rules, which no pairing breaks: no rematch, and no
// third colour in a row for both.
func (f field) legal(a, b *entrant) bool {
	switch {
	case a.met[b.id]:
		return false
	case a.wish == absolute && b.wish == absolute && a.toWhite == b.toWhite && !a.top && !b.top:
		return false
	}
	return f.apart == nil || !f.apart(a.id, b.id)
}

// white reports whether e, the higher ranked of the two, has white against o.
func (e *entrant) white(o *entrant, initial bool) bool {
	switch {
	case e.wish == noWish && o.wish == noWish:
		return (e.effective%2 == 1) == initial
	case o.wish == noWish:
		return e.toWhite
	case e.wish == noWish || e.toWhite != o.toWhite:
		return !o.toWhite
	case e.wish == absolute && o.wish == absolute && abs(e.diff) != abs(o.diff):
		return (abs(e.diff) > abs(o.diff)) == e.toWhite
	case e.wish != o.wish:
		return (e.wish > o.wish) == e.toWhite
	}
	for k := 1; k <= min(len(e.colors), len(o.colors)); k++ {
		mine, theirs := e.colors[len(e.colors)-k], o.colors[len(o.colors)-k]
		if mine != theirs {
			return theirs
		}
	}
	return e.toWhite
}

func abs(n int) int { return max(n, -n) }
