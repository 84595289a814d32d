package storage

import (
	"slices"
	"time"

	"tengen/game"
	"tengen/game/event"
)

// number is a member's number among the entrants, 0 for one who is not there or has gone.
func (e Event) number(member game.MemberID) int {
	for i, x := range e.Entrants {
		if x.Seat.Kind == game.MemberSeat && x.Seat.Member == member && x.State != event.Gone {
			return i + 1
		}
	}
	return 0
}

// Join enters a seat. by is the member who enters, or the one who let the engine in. A member
// who left before the first round gets their number back, so that nobody fills an event by
// coming and going. A member who left later, or was removed, may not come back: ErrGone. Where the
// event is full, a member waits for a place.
func (e Event) Join(by game.MemberID, seat game.Seat, rating float64, now time.Time) (Event, error) {
	next, err := e.enter(AuditEntry{What: Joined, By: by, At: now}, seat, rating)
	if err != nil || seat.Kind != game.MemberSeat || e.Most == 0 || next.There() <= e.Most {
		return next, err
	}
	switch {
	case e.PlaceOf(seat.Member) > 0:
		return e, event.AlreadyIn
	case len(e.Waiting) == MaxWaiting:
		return e, ErrEventFull
	}
	e.Waiting = append(slices.Clip(e.Waiting), Waiter{seat.Member, rating})
	return e, nil
}

// enter has a seat enter, as d says.
func (e Event) enter(d AuditEntry, seat game.Seat, rating float64) (Event, error) {
	if n := e.left(seat); n > 0 && !e.Ended {
		return e.back(d, n, rating)
	}
	next, number, err := e.Enter(seat, rating, d.At)
	if err != nil {
		return e, err
	}
	e.Event, d.Number = next, number
	return e.did(d), nil
}

// left is the number of a member who has gone; 0 for others.
func (e Event) left(seat game.Seat) int {
	if seat.Kind != game.MemberSeat {
		return 0
	}
	return 1 + slices.IndexFunc(e.Entrants, func(x event.Entrant) bool { return x.Seat == seat && x.State == event.Gone })
}

// back has an entrant enter again who left.
func (e Event) back(d AuditEntry, number int, rating float64) (Event, error) {
	i := len(e.History) - 1
	for ; i >= 0 && e.History[i].Number != number; i-- {
	}
	if e.begun() || i >= 0 && e.History[i].What == Removed {
		return e, ErrGone
	}
	e.Entrants, e.Checked = slices.Clone(e.Entrants), slices.Clone(e.fitted().Checked)
	x := &e.Entrants[number-1]
	x.State, x.Rating, x.Since, e.Checked[number-1] = event.Active, rating, d.At, false
	d.Number = number
	return e.did(d), nil
}

// Leave has a member go. A game under way is lost.
func (e Event) Leave(member game.MemberID, now time.Time) (Event, error) {
	if i := e.PlaceOf(member); i > 0 && !e.Ended {
		e.Waiting = slices.Delete(slices.Clone(e.Waiting), i-1, i)
		return e, nil
	}
	return e.state(AuditEntry{What: Left, By: member, At: now, Number: e.number(member)}, event.Gone)
}

// Remove has an entrant go at somebody's word.
func (e Event) Remove(by game.MemberID, number int, reason string, now time.Time) (Event, error) {
	return e.state(AuditEntry{What: Removed, By: by, At: now, Number: number, Reason: reason}, event.Gone)
}

// Pause leaves an entrant out of the pairings until Resume.
func (e Event) Pause(by game.MemberID, number int, now time.Time) (Event, error) {
	return e.state(AuditEntry{What: Paused, By: by, At: now, Number: number}, event.Paused)
}

// Resume has an entrant be paired again.
func (e Event) Resume(by game.MemberID, number int, now time.Time) (Event, error) {
	return e.state(AuditEntry{What: CameBack, By: by, At: now, Number: number}, event.Active)
}

// state brings an entrant into a state. One who is in it already stays so, and history says nothing.
func (e Event) state(d AuditEntry, s event.State) (Event, error) {
	next, err := e.Set(d.Number, s, d.At)
	if err != nil || d.Number > 0 && e.Entrants[d.Number-1].State == s {
		return e, err
	}
	e.Event = next
	return e.did(d), nil
}

// CheckInNow says that a member is there before the first round.
func (e Event) CheckInNow(member game.MemberID, now time.Time) (Event, error) {
	number := e.number(member)
	switch {
	case e.Ended:
		return e, event.EventOver
	case number == 0:
		return e, event.NoEntrant
	case number <= len(e.Checked) && e.Checked[number-1]:
		return e, nil
	}
	e = e.fitted()
	e.Checked = slices.Clone(e.Checked)
	e.Checked[number-1] = true
	return e.did(AuditEntry{What: CheckedIn, By: member, At: now, Number: number}), nil
}

// CheckingIn reports whether entrants are asked now whether they are there.
func (e Event) CheckingIn(now time.Time) bool {
	return e.CheckIn > 0 && !e.begun() && !e.Ended && !e.Starts.IsZero() && !now.Before(e.Starts.Add(-e.CheckIn))
}

// Begin pairs what is to be paired now (event.Event.Next). Where there is a check-in, members who
// are not there at the first round pause. by is 0 where time begins the round.
func (e Event) Begin(by game.MemberID, apart event.Apart, now time.Time) (Event, error) {
	next, err := e.checked(now).Next(apart, now)
	if err != nil {
		return e, err
	}
	e = e.round(next, by, now)
	if last := len(e.History) - 1; e.Ended && e.Kind == event.KindSwiss && len(e.Paired) < e.Total() {
		e.History[last].What = RanOut
	}
	return e, nil
}

// AllHere is e with every entrant counted as there, at a manager's word.
func (e Event) AllHere() Event {
	e.Checked = slices.Repeat([]bool{true}, len(e.Entrants))
	return e
}

// Here are the numbers of those who would play the first round if it began now, and of those who would be
// missing: they have not checked in.
func (e Event) Here() (here, missing []int) {
	for i, x := range e.Entrants {
		there := e.CheckIn == 0 || i < len(e.Checked) && e.Checked[i] || x.Seat.Kind != game.MemberSeat
		switch {
		case x.State != event.Active:
		case there:
			here = append(here, i+1)
		default:
			missing = append(missing, i+1)
		}
	}
	return here, missing
}

// Overdue reports whether the start is past and no round has begun.
func (e Event) Overdue(now time.Time) bool {
	return !e.begun() && !e.Ended && !e.Starts.IsZero() && !now.Before(e.Starts)
}

// checked is the event in which those who missed the check-in pause.
func (e Event) checked(now time.Time) event.Event {
	next := e.Event
	if e.begun() {
		return next
	}
	_, missing := e.Here()
	for _, number := range missing {
		next, _ = next.Set(number, event.Paused, now) // an event that is over is refused by what follows
	}
	return next
}

// BeginBy begins a round with pairs that a manager chose.
func (e Event) BeginBy(by game.MemberID, pairs [][2]int, now time.Time) (Event, error) {
	next, err := e.PairBy(pairs, now)
	if err != nil {
		return e, err
	}
	return e.round(next, by, now), nil
}

// round notes that a round began, or that the event is over because nothing was left to pair.
func (e Event) round(next event.Event, by game.MemberID, now time.Time) Event {
	e.Event = next
	if e.Ended {
		return e.did(AuditEntry{What: Closed, By: by, At: now})
	}
	return e.did(AuditEntry{What: Began, By: by, At: now, Round: len(e.Paired)})
}

// Settle gives a game the result that a manager says, in the place of one that stands.
func (e Event) Settle(by game.MemberID, r event.Report, reason string, now time.Time) (Event, error) {
	r.Correct = true
	next, err := e.Record(r, now)
	if err != nil {
		return e, err
	}
	e.Event = next
	return e.did(AuditEntry{What: Settled, By: by, At: now, Round: r.Round + 1, Board: r.Board + 1, Reason: reason}), nil
}

// Close ends the event, and its repetition. Games under way go on, and count for it no more.
func (e Event) Close(by game.MemberID, now time.Time) (Event, error) {
	if e.Ended {
		return e, event.EventOver
	}
	e.Event, e.Weekly = e.End(), false
	return e.did(AuditEntry{What: Closed, By: by, At: now}), nil
}

// without is the event as it stays after members have deleted their data: their results are kept,
// nameless.
func (e Event) without(gone []game.MemberID, now time.Time) Event {
	is := func(m game.MemberID) bool { return m != 0 && slices.Contains(gone, m) }
	for i, x := range e.Entrants {
		if !is(x.Seat.Member) {
			continue
		}
		if next, err := e.Set(i+1, event.Gone, now); err == nil {
			e.Event = next
		}
		e.Entrants = slices.Clone(e.Entrants)
		e.Entrants[i].Seat = game.Seat{Kind: game.FormerSeat}
	}
	e.Waiting = slices.DeleteFunc(slices.Clone(e.Waiting), func(w Waiter) bool { return is(w.Member) })
	e.History = slices.Clone(e.History)
	for i := range e.History {
		if is(e.History[i].By) {
			e.History[i].By = 0
		}
	}
	if is(e.Owner) {
		e.Owner = 0
	}
	return e
}

// Due is the next moment after Looked at which time changes the event, such as its start;
// zero: never.
func (e Event) Due() (due time.Time) {
	if e.Ended {
		return time.Time{}
	}
	soonest := func(at time.Time) {
		if at.After(e.Looked) {
			due = sooner(due, at)
		}
	}
	if !e.begun() {
		if !e.Starts.IsZero() {
			soonest(e.Starts.Add(-e.CheckIn))
			soonest(e.Starts)
			if e.Weekly {
				soonest(e.Starts.Add(repeatAfter))
			}
		}
		return due
	}
	if e.Kind == event.KindArena {
		soonest(e.Looked.Add(event.WaveEvery(e.Game.Clock.Lasts(movesOfArena))))
		for _, boards := range e.Paired {
			for _, b := range boards {
				if b.Results[0] == event.ForfeitLoss || b.Results[1] == event.ForfeitLoss {
					soonest(b.Ended) // nobody waits because somebody does not play
				}
			}
		}
		return due
	}
	for _, boards := range e.Paired {
		for _, b := range boards {
			at := e.Deadline(b)
			if !b.Open() || at.IsZero() {
				continue
			}
			for _, r := range e.RemindedAt(b) {
				soonest(r)
			}
			if half := e.judgedAt(b); !half.IsZero() {
				soonest(half.Add(game.Grace))
			}
			if at = at.Add(game.Grace); at.After(e.Looked) {
				soonest(at)
			} else { // it could not be forfeited: its match rests, or is not made yet
				soonest(e.Looked.Add(lookAgain))
			}
		}
	}
	return due
}

// Of games with a clock below slowClock a move, or for the whole game, the clock tells who is away. They are begun
// within firstMove.
const (
	slowClock = 10 * time.Minute
	firstMove = 5 * time.Minute
)

// slow reports whether the half of a round tells who is away.
func (e Event) slow() bool {
	return e.Kind != event.KindArena && (e.Game.Clock == game.Clock{} || e.Game.Clock.Each >= slowClock)
}

// begins is the time for the first moves of a board's match that is made now: up to the half of the round, or by
// the clock.
func (e Event) begins(b event.Board, now time.Time) time.Duration {
	switch half := e.judgedAt(b); {
	case !half.IsZero():
		return max(half.Sub(now), time.Minute)
	case e.Game.Clock.Each < slowClock:
		return min(e.Game.Clock.First(), firstMove)
	}
	return e.Game.Clock.First()
}

// judgedAt is when a game goes to the one who has come, where the other has not; the zero time where its
// clock tells that.
func (e Event) judgedAt(b event.Board) time.Time {
	if !e.slow() {
		return time.Time{}
	}
	return e.Halfway(b)
}

// RemindedAt are when the players of a game are reminded: those who have not come at the first time, where
// there are three, and at the others who is to move.
func (e Event) RemindedAt(b event.Board) []time.Time {
	r := e.Reminders(b)
	if !e.slow() {
		return r[:]
	}
	return []time.Time{e.Quarter(b), r[0], r[1]}
}

const (
	movesOfArena = 20 // as long as these take at most, a game of an arena is expected to last
	lookAgain    = time.Hour
)

// Owes reports whether the event has boards without a match, or matches whose result was given
// otherwise.
func (e Event) Owes() bool { return len(e.owed(1)) > 0 }

// owed are the first boards, at most n, that Owes reports, by round and board.
func (e Event) owed(n int) (boards [][2]int) {
	for r, games := range e.Paired {
		for i, b := range games {
			g := e.Matches[r][i]
			makes := b.Open() && !e.Ended && g.Match == 0
			ends := !b.Open() && g.Match != 0 && !g.Over
			if (makes || ends) && len(boards) < n {
				boards = append(boards, [2]int{r, i})
			}
		}
	}
	return boards
}
