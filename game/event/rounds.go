package event

import (
	"cmp"
	"math/bits"
	"slices"
	"time"
)

// Apart says of two entrants' numbers that they are not to be paired; nil parts nobody. A
// knockout does not ask it: its ties follow from the seeds.
type Apart func(a, b int) bool

// Next pairs what is to be paired now: the next round, the next game of a knockout's ties, the
// next wave of an arena. Where nothing is left to pair, the event has ended after it.
func (e Event) Next(apart Apart, now time.Time) (Event, error) {
	switch {
	case e.Ended:
		return e, EventOver
	case e.Rounds < 0 || e.Rounds > MaxRounds || e.BestOf < 0 || e.BestOf > MaxRounds || e.Kind > KindArena:
		return e, BadTerms
	case e.Kind == KindArena:
		return e.nextWave(apart, now)
	case e.Kind == KindKnockout:
		return e.nextTies(now)
	case e.running():
		return e, RoundRunning
	case e.Kind == KindRoundRobin:
		return e.nextBerger(apart, now)
	}
	return e.nextSwiss(apart, now)
}

// PairBy begins a round of a Swiss event with pairs that a manager chose: white and black,
// against 0 for a bye. Who is in no pair has no game.
func (e Event) PairBy(pairs [][2]int, now time.Time) (Event, error) {
	switch {
	case e.Ended || len(e.Paired) >= e.Total():
		return e, EventOver
	case e.Kind != KindSwiss || len(pairs) == 0:
		return e, BadPairs
	case e.running():
		return e, RoundRunning
	}
	seen := map[int]bool{0: true}
	for _, p := range pairs {
		for k, number := range p {
			if bye := k == 1 && number == 0; bye {
				continue
			}
			if seen[number] || number < 0 || number > len(e.Entrants) || !e.active(number) {
				return e, BadPairs
			}
			seen[number] = true
		}
	}
	return e.begin(pairs, now), nil
}

// begin adds a round.
func (e Event) begin(pairs [][2]int, now time.Time) Event {
	boards := make([]Board, len(pairs))
	for i, p := range pairs {
		boards[i] = Board{White: p[0], Black: p[1], Began: now}
		if p[1] == 0 {
			boards[i].Results, boards[i].Ended = [2]Result{FullBye}, now
		}
	}
	e = e.copied()
	e.Paired = append(e.Paired, boards)
	return e
}

// MostRounds is how many rounds a Swiss event of n entrants has at most: after them, everybody has met everybody.
// With an odd number one sits out each time.
func MostRounds(n int) int { return max(n-1+n%2, 1) }

// FitRounds is the number of rounds that fits n entrants: one more than a knockout would have, so that there is one
// first, and those behind have met too. LeastRounds leaves one unbeaten at most.
func FitRounds(n int) int { return min(LeastRounds(n)+1, MostRounds(n)) }

// LeastRounds is how many rounds it takes until one entrant of n at most has won all games.
func LeastRounds(n int) int { return max(bits.Len(uint(max(n, 1)-1)), 1) }

// Total is how many rounds a Swiss event has: as many as its host wants, and no more than those who have played, or
// may play, can have. Rounds that are behind it count in any case.
func (e Event) Total() int {
	field := 0
	met := make([]bool, len(e.Entrants)+1)
	for _, boards := range e.Paired {
		for _, b := range boards {
			met[b.White], met[b.Black] = true, true
		}
	}
	for i, x := range e.Entrants {
		if met[i+1] || x.State != Gone {
			field++
		}
	}
	return min(e.Rounds, max(MostRounds(field), len(e.Paired)))
}

func (e Event) nextSwiss(apart Apart, now time.Time) (Event, error) {
	if e.begun() && len(e.Paired) >= e.Total() {
		return e.End(), nil
	}
	players, order := e.table()
	s := swiss{Round: len(e.Paired) + 1, Rounds: e.Total(), Initial: "w", Players: players}
	if e.Black {
		s.Initial = "b"
	}
	present := slices.DeleteFunc(slices.Clone(order), func(number int) bool { return !e.active(number) })
	switch {
	case e.Rounds == 0:
		return e, BadTerms
	case len(present) < 2 && e.begun() && e.exhausted(s):
		return e.End(), nil
	case len(present) < 2:
		return e, TooFewEntrants
	}
	var byRank func(a, b int) bool
	if apart != nil {
		byRank = func(a, b int) bool { return apart(order[a-1], order[b-1]) }
	}
	pairs := s.pair(byRank)
	if pairs == nil && e.exhausted(s) {
		return e.End(), nil
	}
	if pairs == nil {
		return e, NoPairing
	}
	for i, p := range pairs {
		pairs[i][0] = order[p[0]-1]
		if p[1] > 0 {
			pairs[i][1] = order[p[1]-1]
		}
	}
	return e.begin(pairs, now), nil
}

// exhausted reports whether the rules leave those who have not gone no pairing, whoever comes back after a pause and
// whoever has blocked whom. One alone waits for somebody to enter.
func (e Event) exhausted(s swiss) bool {
	s.Players = slices.Clone(s.Players)
	there := 0
	for i, number := range e.ranking() {
		if s.Players[i].Absent = e.Entrants[number-1].State == Gone; !s.Players[i].Absent {
			there++
		}
	}
	return there > 1 && s.pair(nil) == nil
}

// berger is the round of a round robin of n by FIDE's tables, from 0: white and black. With an odd n
// one is paired with 0.
func berger(n, round int) (pairs [][2]int) {
	even := n + n%2
	if even < 2 {
		return nil
	}
	name := func(k int) int { // who sits at place k of the circle
		return 1 + ((k%(even-1))+even-1)%(even-1)
	}
	first := round * (even / 2) // at the fixed place's board
	last := even
	if n%2 == 1 {
		last = 0
	}
	if round%2 == 0 || last == 0 {
		pairs = append(pairs, [2]int{name(first), last})
	} else {
		pairs = append(pairs, [2]int{last, name(first)})
	}
	for k := 1; k < even/2; k++ {
		pairs = append(pairs, [2]int{name(first + k), name(first - k)})
	}
	return pairs
}

func (e Event) nextBerger(apart Apart, now time.Time) (Event, error) {
	if err := e.seed(); err != nil {
		return e, err
	}
	n := len(e.Seeds)
	cycle := n - 1 + n%2
	round := len(e.Paired)
	total := cycle
	if e.Twice {
		total *= 2
	}
	if round >= total {
		return e.End(), nil
	}
	again := round >= cycle
	if round %= cycle; e.Twice && !again && cycle > 2 && round >= cycle-2 {
		round = 2*cycle - 3 - round // so that nobody has a colour three times where the cycles meet
	}
	var pairs [][2]int
	for _, p := range berger(n, round) {
		if again && p[1] != 0 {
			p[0], p[1] = p[1], p[0]
		}
		p[0] = e.Seeds[p[0]-1]
		if p[1] > 0 {
			p[1] = e.Seeds[p[1]-1]
		}
		if p[1] == 0 || apart == nil || !apart(p[0], p[1]) {
			pairs = append(pairs, p)
		}
	}
	e = e.begin(pairs, now)
	boards := e.Paired[len(e.Paired)-1]
	for i, b := range boards {
		if b.Black == 0 {
			boards[i].Results[0] = NoBye // everybody sits out once
		} else {
			e.forfeit(&boards[i], now)
		}
	}
	return e, nil
}

// seed settles who takes part, the strongest first.
func (e *Event) seed() error {
	if e.begun() {
		return nil
	}
	seeds := slices.DeleteFunc(e.ranking(), func(number int) bool { return !e.active(number) })
	if len(seeds) < 2 {
		return TooFewEntrants
	}
	e.Seeds = seeds
	return nil
}

// forfeit ends a game before it begins, where a player is not there.
func (e Event) forfeit(b *Board, now time.Time) {
	white, black := e.active(b.White), e.active(b.Black)
	if white && black {
		return
	}
	there := map[bool]Result{true: ForfeitWin, false: ForfeitLoss}
	b.Results, b.Ended = [2]Result{there[white], there[black]}, now
}

// fewEntrants are so few that the last two who play may meet again and again.
const fewEntrants = 12

// nextWave pairs those who wait in an arena. A wave that finds no pair is no round.
func (e Event) nextWave(apart Apart, now time.Time) (Event, error) {
	if e.timeUp(now) {
		return e.End(), nil
	}
	waiting := make([]waiter, len(e.Entrants))
	for i, x := range e.Entrants {
		waiting[i] = waiter{ID: i + 1, Rating: x.Rating, Since: x.Since}
	}
	if e.begun() {
		for _, s := range e.Standings() {
			waiting[s.ID-1].Rank = s.Rank
		}
	}
	busy := make([]bool, len(e.Entrants)+1)
	for _, boards := range e.Paired {
		for _, b := range boards {
			busy[b.White], busy[b.Black] = busy[b.White] || b.Open(), busy[b.Black] || b.Open()
			white, black := &waiting[b.White-1], &waiting[b.Black-1]
			white.Last, black.Last = b.Black, b.White
			white.Whites, black.Whites = white.Whites+1, black.Whites-1
		}
	}
	active := 0
	for number := range e.Entrants {
		if e.active(number + 1) {
			active++
		}
	}
	waiting = slices.DeleteFunc(waiting, func(w waiter) bool { return busy[w.ID] || !e.active(w.ID) })
	pairs := wave(waiting, active <= 2 && len(e.Entrants) <= fewEntrants, apart)
	if len(pairs) == 0 {
		return e, TooFewEntrants
	}
	return e.begin(pairs, now), nil
}

// Standings ranks and places the entrants; the ids are their numbers. Of a round robin the ranks
// follow points, direct encounters, Sonneborn-Berger and wins; of a knockout, how far one came, which
// several can share; of an arena, points and performance. Those who are not seeded are missing where
// there are seeds.
func (e Event) Standings() []Standing {
	table := e.ranked()
	e.Kind.Place(table)
	return table
}

func (e Event) ranked() []Standing {
	switch e.Kind {
	case KindArena:
		return e.arenaStandings()
	case KindKnockout:
		return e.knockoutStandings()
	}
	players, order := e.table()
	for i, p := range players {
		if e.Kind == KindRoundRobin { // who sits out has not stayed away: the round counts for no tie-break
			players[i].Games = slices.DeleteFunc(p.Games, func(g Game) bool { return g.Result == NoBye })
		}
	}
	table := standings(players, len(e.Paired))
	if e.Kind == KindRoundRobin {
		table = slices.DeleteFunc(table, func(s Standing) bool {
			return e.begun() && !slices.Contains(e.Seeds, order[s.ID-1])
		})
		slices.SortStableFunc(table, func(a, b Standing) int {
			return cmp.Or(cmp.Compare(b.Points, a.Points), a.DE-b.DE, cmp.Compare(b.SB, a.SB), b.Wins-a.Wins, a.ID-b.ID)
		})
	}
	for i := range table {
		table[i].Rank = i + 1
		table[i].ID = order[table[i].ID-1]
	}
	return table
}

func (e Event) arenaStandings() []Standing {
	table := make([]Standing, len(e.Entrants))
	for i := range e.Entrants {
		score, _ := e.sheet(i + 1).score() // what the event holds was checked
		table[i] = Standing{ID: i + 1, Points: float64(score.Total), Fire: score.Fire}
		if score.Perf != nil {
			table[i].Perf = *score.Perf
		}
		for _, p := range score.Points {
			if p >= 2 {
				table[i].Wins++
			}
		}
	}
	slices.SortStableFunc(table, func(a, b Standing) int {
		return cmp.Or(cmp.Compare(b.Points, a.Points), cmp.Compare(b.Perf, a.Perf))
	})
	for i := range table {
		table[i].Rank = i + 1
	}
	return table
}

// sheet is what an entrant has played in an arena.
func (e Event) sheet(number int) sheet {
	type line struct {
		at     time.Time
		result string
		plies  int
		opp    float64
	}
	var lines []line
	words := map[Result]string{Win: "W", ForfeitWin: "W", Draw: "D", Loss: "L", ForfeitLoss: "L"}
	for _, boards := range e.Paired {
		for _, b := range boards {
			switch {
			case b.Open():
			case b.White == number:
				lines = append(lines, line{b.Ended, words[b.Results[0]], b.Plies, e.Entrants[b.Black-1].Rating})
			case b.Black == number:
				lines = append(lines, line{b.Ended, words[b.Results[1]], b.Plies, e.Entrants[b.White-1].Rating})
			}
		}
	}
	slices.SortStableFunc(lines, func(a, b line) int { return a.at.Compare(b.at) })
	s := sheet{Rules: e.Arena, Streaks: e.Streaks}
	for _, l := range lines {
		s.Results, s.Plies, s.Opp = append(s.Results, l.result), append(s.Plies, l.plies), append(s.Opp, l.opp)
	}
	return s
}
