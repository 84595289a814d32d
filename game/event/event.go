// Package event has tournaments as values: entrants and results go in, pairings and standings
// come out. Each change gives a new Event and leaves the old one as it was; times come in with
// it. The package knows no store and no chat. It also computes ratings. Start from Event.Enter
// and Event.Next; the functions below them (Swiss.pairNext, Standings, histories) work on plain
// tables.
package event

import (
	"cmp"
	"slices"
	"time"

	"tengen/game"
)

// Kind is how an event pairs. A ladder is no event: it has no rounds and no end; see Ladder.
type Kind uint8

// The kinds.
const (
	KindSwiss      Kind = iota // FIDE's Dutch system
	KindRoundRobin             // everybody meets everybody, by Berger's tables
	KindKnockout               // who loses is out
	KindArena                  // waves of pairings until the time is over
)

// String is the kind's name.
func (k Kind) String() string {
	return [...]string{"swiss", "round robin", "knockout", "arena"}[min(k, KindArena)]
}

// Terms are what an event is played by. They are set before its first change.
type Terms struct {
	Kind    Kind
	Rounds  int           // Swiss: how many
	Twice   bool          // round robin: each pair meets twice
	BestOf  int           // knockout: games of a tie; 0 is 1
	Third   bool          // knockout: the losers of the semi-finals play for the third place
	Black   bool          // the lot: odd numbers, and higher seeds, begin with black
	Length  time.Duration // of a game, or of an arena; 0: no deadline
	Arena   ArenaRules    //
	Streaks bool          // arena: two wins make the next game count double
}

// Event is a tournament. The zero Event is a Swiss event without entrants; set Terms before the first
// change.
type Event struct {
	Terms
	Entrants []Entrant // in the order of entering: an entrant's number is the place here, from 1
	Seeds    []int     // round robin, knockout: the numbers of those who began, the strongest first
	Paired   [][]Board // by rounds; a wave of an arena is a round
	Ended    bool
}

// Entrant is one who entered.
type Entrant struct {
	Seat   game.Seat
	Rating float64
	State  State
	Since  time.Time // since when they wait for a game
}

// State says whether an entrant is paired.
type State uint8

// The states. One who has gone does not come back.
const (
	Active State = iota
	Paused
	Gone
)

// Board is a game of a round, or a bye.
type Board struct {
	White, Black int // numbers of entrants; a bye is White against 0
	Tie          int // knockout: which of the round's ties it belongs to
	Began        time.Time
	Ended        time.Time
	Results      [2]Result // of White and Black; empty while the game is played
	Plies        int
}

// Open reports whether the game is played.
func (b Board) Open() bool { return b.Results[0] == "" }

// Code is why an event refuses a change.
type Code uint8

// The codes.
const (
	EventOver Code = 1 + iota
	AlreadyIn
	NoEntrant
	TooLateToEnter
	TooManyEntrants
	TooFewEntrants
	RoundRunning
	NoPairing
	NoBoard
	NoResult
	ResultStands
	BadPairs
	BadTerms
)

var codes = [...]string{
	EventOver:       "the event is over",
	AlreadyIn:       "already entered",
	NoEntrant:       "there is no such entrant, or they have left",
	TooLateToEnter:  "the event has begun",
	TooManyEntrants: "the event is full",
	TooFewEntrants:  "two entrants are needed",
	RoundRunning:    "games of the round are still played",
	NoPairing:       "the rules leave no pairing",
	NoBoard:         "there is no such board",
	NoResult:        "these are no results of a game",
	ResultStands:    "the game has another result",
	BadPairs:        "these pairs cannot be played",
	BadTerms:        "no event has these terms",
}

func (c Code) Error() string { return codes[c] }

// copied is e with lists of its own.
func (e Event) copied() Event {
	e.Entrants = slices.Clone(e.Entrants)
	e.Paired = slices.Clone(e.Paired)
	return e
}

// begun reports whether a round was paired.
func (e Event) begun() bool { return len(e.Paired) > 0 }

// Enter adds an entrant, who gets the next number. Swiss events and arenas take late ones.
func (e Event) Enter(seat game.Seat, rating float64, now time.Time) (Event, int, error) {
	switch {
	case e.Ended:
		return e, 0, EventOver
	case e.begun() && (e.Kind == KindRoundRobin || e.Kind == KindKnockout):
		return e, 0, TooLateToEnter
	case len(e.Entrants) == MaxEntrants:
		return e, 0, TooManyEntrants
	case !(rating >= -maxStrength && rating <= maxStrength):
		return e, 0, NoEntrant
	}
	for _, x := range e.Entrants {
		if x.Seat.Kind == game.MemberSeat && x.Seat == seat && x.State != Gone {
			return e, 0, AlreadyIn
		}
	}
	e = e.copied()
	e.Entrants = append(e.Entrants, Entrant{Seat: seat, Rating: rating, Since: now})
	return e, len(e.Entrants), nil
}

// Set pauses an entrant, brings them back, or has them gone. Games that one who goes has not
// ended are lost by forfeit.
func (e Event) Set(number int, s State, now time.Time) (Event, error) {
	switch {
	case e.Ended:
		return e, EventOver
	case number < 1 || number > len(e.Entrants) || s > Gone:
		return e, NoEntrant
	case e.Entrants[number-1].State == s:
		return e, nil
	case e.Entrants[number-1].State == Gone:
		return e, NoEntrant
	}
	e = e.copied()
	e.Entrants[number-1].State, e.Entrants[number-1].Since = s, now
	if s != Gone {
		return e, nil
	}
	for r, boards := range e.Paired {
		for i, b := range boards {
			if !b.Open() || b.White != number && b.Black != number {
				continue
			}
			results := [2]Result{ForfeitLoss, ForfeitWin}
			if b.Black == number {
				results = [2]Result{ForfeitWin, ForfeitLoss}
			}
			e.end(r, i, results, 0, now)
		}
	}
	return e, nil
}

// Report is how a game ended.
type Report struct {
	Round, Board int // places in Paired
	White, Black Result
	Plies        int
	Correct      bool // replace a result that stands
}

// Record takes the result of a game. The same report twice is one. A correction does not change who
// was paired, and a knockout takes it only while the round is the last.
func (e Event) Record(r Report, now time.Time) (Event, error) {
	if r.Round < 0 || r.Round >= len(e.Paired) || r.Board < 0 || r.Board >= len(e.Paired[r.Round]) {
		return e, NoBoard
	}
	b := e.Paired[r.Round][r.Board]
	results := [2]Result{r.White, r.Black}
	if !r.fits() || b.Black == 0 {
		return e, NoResult
	}
	switch {
	case b.Results == results && b.Plies == r.Plies:
		return e, nil
	case !b.Open() && !r.Correct:
		return e, ResultStands
	case e.Kind == KindKnockout && r.Round != len(e.Paired)-1:
		return e, ResultStands
	case e.Ended && !r.Correct, e.timeUp(now):
		return e, EventOver
	}
	e = e.copied()
	if e.Kind == KindKnockout {
		e.Ended = false // a corrected tie may go on; Next ends the event again
	}
	if b.Open() {
		e.Entrants[b.White-1].Since, e.Entrants[b.Black-1].Since = now, now
	} else {
		now = b.Ended
	}
	e.end(r.Round, r.Board, results, r.Plies, now)
	return e, nil
}

// fits reports whether these are results of one game.
func (r Report) fits() bool {
	if _, ok := halves[r.White]; !ok || r.White.bye() || r.Plies < 0 {
		return false
	}
	return r.White.turned() == r.Black || r.White == ForfeitLoss && r.Black == ForfeitLoss
}

// end writes the result of a board of a copied event.
func (e *Event) end(round, board int, results [2]Result, plies int, now time.Time) {
	e.Paired[round] = slices.Clone(e.Paired[round])
	b := &e.Paired[round][board]
	b.Results, b.Plies, b.Ended = results, plies, now
}

// End closes an event; what is open stays without a result.
func (e Event) End() Event {
	e.Ended = true
	return e
}

// timeUp reports whether an arena's time is over.
func (e Event) timeUp(now time.Time) bool {
	return e.Kind == KindArena && e.begun() && e.Length > 0 && now.Sub(e.Paired[0][0].Began) >= e.Length
}

// Deadline is when a game must be over; the zero time where there is none.
func (e Event) Deadline(b Board) time.Time { return e.part(b, 1) }

// Halfway is the half of a game's time; the zero time where there is no deadline.
func (e Event) Halfway(b Board) time.Time { return e.part(b, 0.5) }

// Reminders are when a game's players are reminded: after one half and nine tenths of the time.
func (e Event) Reminders(b Board) [2]time.Time {
	return [2]time.Time{e.Halfway(b), e.part(b, 0.9)}
}

// Quarter is when those are reminded who have not come to a game yet.
func (e Event) Quarter(b Board) time.Time { return e.part(b, 0.25) }

func (e Event) part(b Board, part float64) time.Time {
	if e.Length <= 0 || b.Began.IsZero() || e.Kind == KindArena {
		return time.Time{}
	}
	return b.Began.Add(time.Duration(float64(e.Length) * part))
}

// running reports whether a game of the event is played.
func (e Event) running() bool {
	return e.Any(Board.Open)
}

// Any reports whether is holds for a board.
func (e Event) Any(is func(Board) bool) bool {
	return slices.ContainsFunc(e.Paired, func(boards []Board) bool { return slices.ContainsFunc(boards, is) })
}

// active reports whether a number is to be paired.
func (e Event) active(number int) bool { return e.Entrants[number-1].State == Active }

// ranking are the numbers of all entrants, the strongest first.
func (e Event) ranking() []int {
	order := make([]int, len(e.Entrants))
	for i := range order {
		order[i] = i + 1
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(e.Entrants[b-1].Rating, e.Entrants[a-1].Rating) })
	return order
}

// table gives the event as players by rank, and their numbers in this order. Rounds without a game
// count as absences.
func (e Event) table() (players []Player, order []int) {
	order = e.ranking()
	rank := make([]int, len(order)+1)
	for i, number := range order {
		rank[number] = i + 1
	}
	players = make([]Player, len(order))
	for i, number := range order {
		x := e.Entrants[number-1]
		players[i] = Player{ID: i + 1, Rating: x.Rating, Absent: x.State != Active, Games: make([]Game, len(e.Paired))}
		for r := range players[i].Games {
			players[i].Games[r] = Game{Color: "-", Result: NoBye}
		}
	}
	for r, boards := range e.Paired {
		for _, b := range boards {
			white := &players[rank[b.White]-1].Games[r]
			switch {
			case b.Open():
			case b.Black == 0:
				white.Result = b.Results[0]
			default:
				*white = Game{rank[b.Black], "w", b.Results[0]}
				players[rank[b.Black]-1].Games[r] = Game{rank[b.White], "b", b.Results[1]}
			}
		}
	}
	return players, order
}
