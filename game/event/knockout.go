package event

import (
	"slices"
	"time"
)

// bracketOrder are the seeds of a full bracket of a power of two, by places: 1 and 2 can meet in the
// final alone.
func bracketOrder(size int) []int {
	order := []int{1}
	for n := 2; n <= size; n *= 2 {
		var wider []int
		for _, seed := range order {
			wider = append(wider, seed, n+1-seed)
		}
		order = wider
	}
	return order
}

// ties are the pairings of a round of a knockout: numbers, 0 for nobody. The last round has the final
// and, where it is played, the match for the third place.
func (e Event) ties(round int) (ties [][2]int) {
	if round == 0 {
		size := 1
		for size < len(e.Seeds) {
			size *= 2
		}
		order := bracketOrder(size)
		for i := 0; i < len(order); i += 2 {
			ties = append(ties, [2]int{e.seeded(order[i]), e.seeded(order[i+1])})
		}
		return ties
	}
	before := e.ties(round - 1)
	var winners, losers []int
	for i, t := range before {
		w, _ := e.winner(round-1, i, t)
		winners = append(winners, w)
		losers = append(losers, t[0]+t[1]-w)
	}
	for i := 0; i+1 < len(winners); i += 2 {
		ties = append(ties, [2]int{winners[i], winners[i+1]})
	}
	if len(before) == 2 && e.Third {
		lost := [2]int{}
		for i, t := range before {
			if winners[i] != 0 && t[0] != 0 && t[1] != 0 {
				lost[i] = losers[i]
			}
		}
		ties = append(ties, lost)
	}
	return ties
}

func (e Event) seeded(seed int) int {
	if seed > len(e.Seeds) {
		return 0
	}
	return e.Seeds[seed-1]
}

// extraGames are played at most when a tie stands level; then the higher seed passes.
const extraGames = 2

// winner is who passes a tie: 0 for nobody, and where it is not decided yet.
func (e Event) winner(round, tie int, t [2]int) (number int, decided bool) {
	if t[0] == 0 || t[1] == 0 {
		return t[0] + t[1], true
	}
	points, games, last := [2]int{}, 0, Board{}
	if round < len(e.Paired) {
		for _, b := range e.Paired[round] {
			if b.Tie != tie {
				continue
			}
			if b.Open() {
				return 0, false
			}
			for k, number := range [2]int{b.White, b.Black} {
				if side := slices.Index(t[:], number); side >= 0 { // a bye by older rules has one
					points[side] += halves[b.Results[k]]
				}
			}
			games, last = games+1, b
		}
	}
	best := max(e.BestOf, 1)
	left := 2 * max(best-games, 0) // half points
	switch lead := points[0] - points[1]; {
	case lead > left:
		return t[0], true
	case -lead > left:
		return t[1], true
	case last.missed() && lead > 0: // it is not played on
		return t[0], true
	case last.missed() && lead < 0:
		return t[1], true
	case games < best+extraGames && !last.missed():
		return 0, false
	case last.forfeited() && !last.missed():
		return 0, true
	}
	if slices.Index(e.Seeds, t[0]) < slices.Index(e.Seeds, t[1]) {
		return t[0], true
	}
	return t[1], true
}

// forfeited reports whether both have lost a game by forfeit.
func (b Board) forfeited() bool { return b.Results == [2]Result{ForfeitLoss, ForfeitLoss} }

// missed reports whether both have lost a game by letting its time run out. A game that neither was there to
// begin is over as it begins.
func (b Board) missed() bool { return b.forfeited() && b.Ended.After(b.Began) }

// nextTies begins the games that the ties of the round still need, or the next round.
func (e Event) nextTies(now time.Time) (Event, error) {
	if err := e.seed(); err != nil {
		return e, err
	}
	e = e.copied()
	if !e.begun() {
		return e.beginTies(now)
	}
	round := len(e.Paired) - 1
	before := len(e.Paired[round])
	e.Paired[round] = slices.Clone(e.Paired[round])
	decided := e.fill(round, now)
	switch {
	case len(e.Paired[round]) > before && !decided:
		return e, nil
	case !decided:
		return e, RoundRunning
	case e.isFinal(round):
		return e.End(), nil
	}
	return e.beginTies(now)
}

// beginTies begins a round, and those after it that nobody has to play.
func (e Event) beginTies(now time.Time) (Event, error) {
	round := len(e.Paired)
	e.Paired = append(e.Paired, nil)
	for i, t := range e.ties(round) {
		if alone := t[0] + t[1]; (t[0] == 0) != (t[1] == 0) {
			e.Paired[round] = append(e.Paired[round],
				Board{White: alone, Tie: i, Began: now, Ended: now, Results: [2]Result{FullBye}})
		}
	}
	if e.fill(round, now) {
		return e.nextTies(now)
	}
	return e, nil
}

// fill adds the next game of each tie that needs one. A game of somebody who is not there is
// forfeited at once. It reports whether all ties are decided.
func (e *Event) fill(round int, now time.Time) (decided bool) {
	decided = true
	for i, t := range e.ties(round) {
		for {
			_, done := e.winner(round, i, t)
			if done {
				break
			}
			b, open := e.another(round, i, t, now)
			if open {
				decided = false
				break
			}
			e.forfeit(&b, now)
			e.Paired[round] = append(e.Paired[round], b)
		}
	}
	return decided
}

// another is the next game of a tie, with the colours turned. open is true where one is being played.
func (e *Event) another(round, tie int, t [2]int, now time.Time) (b Board, open bool) {
	b = Board{White: t[0], Black: t[1], Tie: tie, Began: now}
	if e.Black != (tie%2 == 1) {
		b.White, b.Black = b.Black, b.White
	}
	for _, o := range e.Paired[round] {
		if o.Tie == tie {
			if o.Open() {
				return b, true
			}
			b.White, b.Black = o.Black, o.White
		}
	}
	return b, false
}

// isFinal reports whether a round has the final.
func (e Event) isFinal(round int) bool {
	return len(e.ties(round)) == 1 || e.Third && round > 0 && len(e.ties(round-1)) == 2
}

// knockoutStandings ranks by the round in which one was beaten; those of one round share the rank. Those
// who still play are before those who were beaten in the same round.
func (e Event) knockoutStandings() []Standing {
	reached := make([]int, len(e.Entrants)+1)
	scores := make([]Standing, len(e.Entrants)+1)
	for round, boards := range e.Paired {
		e.reach(round, reached)
		for _, b := range boards {
			for k, number := range [2]int{b.White, b.Black} {
				if half := halves[b.Results[k]]; b.Black != 0 {
					scores[number].Points += float64(half) / 2
					scores[number].Wins += half / 2
				}
			}
		}
	}
	table := []Standing{}
	for _, number := range e.Seeds {
		scores[number].ID = number
		table = append(table, scores[number])
	}
	slices.SortStableFunc(table, func(a, b Standing) int { return reached[b.ID] - reached[a.ID] })
	for i := range table {
		if table[i].Rank = i + 1; i > 0 && reached[table[i].ID] == reached[table[i-1].ID] {
			table[i].Rank = table[i-1].Rank
		}
	}
	return table
}

// reach writes how far the players of a round have come: more is better, and the match for the third
// place ranks below the final.
func (e Event) reach(round int, reached []int) {
	final := e.isFinal(round)
	for i, t := range e.ties(round) {
		w, decided := e.winner(round, i, t)
		for _, number := range t {
			place := 4 * round
			if final {
				place -= 2 * i
			}
			if !decided || number == w {
				place++
			}
			reached[number] = place // nobody's is not looked at
		}
	}
}
