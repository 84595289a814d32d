package game

import "time"

// Clock is how much time a member has in a match. The zero Clock is none: no time runs out. A move takes its time
// from Each, which every move has anew, and beyond that from Bank, which is there once for the game. So a clock with
// Each alone is a time for each move, one with Bank a time for the whole game, and one with both days a move with a
// reserve. The first move of a side takes nothing from its bank.
type Clock struct {
	Each time.Duration // for each move; what a move leaves of it is lost
	Bank time.Duration // for the whole game
	Gain time.Duration // what each move adds to the bank
}

// PerMove is the clock with a time for each move.
func PerMove(each time.Duration) Clock { return Clock{Each: each} }

// First is the time for the first move of a side.
func (c Clock) First() time.Duration {
	if c.Each > 0 {
		return c.Each
	}
	return c.Bank
}

// Whole reports whether c is a time for the whole game.
func (c Clock) Whole() bool { return c.Each == 0 && c.Bank > 0 }

// usualMoves is how many moves of a side a game is reckoned to have.
const usualMoves = 40

// Lasts is the time that a side has for a number of moves.
func (c Clock) Lasts(moves int) time.Duration { return c.Bank + time.Duration(moves)*(c.Each+c.Gain) }

// The least bank and gain, and the least time for a usual game, that a clock for the whole game needs in a channel:
// there a move takes seconds to be seen and answered. 5+10 is at the edge.
const (
	channelBank = 5 * time.Minute
	channelGain = 5 * time.Second
	channelPace = channelBank + usualMoves*10*time.Second
)

// Fast reports whether c is too fast for the messages of a channel: both have to play on the page.
func (c Clock) Fast() bool {
	return c.Whole() && (c.Bank < channelBank || c.Gain < channelGain || c.Lasts(usualMoves) < channelPace)
}

// Fast reports whether one of the clocks is too fast for the messages of a channel.
func (t Terms) Fast() bool { return t.Clock.Fast() || t.Odds.Fast() }

// Slow reports whether c leaves days: nobody sits and waits.
func (c Clock) Slow() bool { return c.Each >= 24*time.Hour }

// ClockOf is the clock of a seat.
func (t Terms) ClockOf(seat int) Clock {
	if seat == 1 && t.Odds != (Clock{}) {
		return t.Odds
	}
	return t.Clock
}

// SharedClock is the clock that both sides have; zero where they differ.
func (m Match) SharedClock() Clock {
	if m.Odds != (Clock{}) || m.AgainstEngine() {
		return Clock{}
	}
	return m.Clock
}

// MayRate reports whether a game on such terms may be rated: nobody brought its position, and both have the same clock.
func (t Terms) MayRate() bool { return t.Opening != ImportedOpening && t.Odds == Clock{} }

// Grace is how long after a deadline a match is still left alone: a move that a member
// sent in time has arrived by then.
const Grace = 5 * time.Second

// What happens to matches in which nobody moves.
const (
	ForgottenAfter = 24 * time.Hour // against the engine
	RemindAfter    = 3 * 24 * time.Hour
	AbandonAfter   = 7 * 24 * time.Hour
)

// stamp keeps times comparable and as exact as they are stored.
func stamp(t time.Time) time.Time { return time.UnixMilli(t.UnixMilli()).UTC() }

// turnOver starts the time of the side that is to move now.
func (m Match) turnOver(now time.Time) Match {
	m.Turned = stamp(now)
	m.Reminded = false
	m.Deadline = time.Time{}
	if limit, clocked := m.limit(); clocked && m.Phase == Playing && m.Seats[m.ToMove()].Kind == MemberSeat {
		m.Deadline = m.stands(now).Add(limit)
	}
	return m
}

// limit is all the time of the side to move for this turn; clocked is false where no clock runs. Where a first
// move in an event has longer than any other, no clock runs for it: the event judges who has come.
func (m Match) limit() (limit time.Duration, clocked bool) {
	seat := m.ToMove()
	switch c := m.ClockOf(seat); {
	case c == Clock{}:
		return 0, false
	case m.Acted(seat):
		return c.Each + m.Left[seat], true
	case m.Begin > c.First():
		return 0, false
	case m.Begin > 0:
		return m.Begin, true
	default:
		return c.First(), true
	}
}

// wound is m with both banks full.
func (m Match) wound() Match {
	for seat := range m.Left {
		m.Left[seat] = m.ClockOf(seat).Bank
	}
	return m
}

// spends reports whether the time of the side to move comes from its bank: that of its first move does not.
func (m Match) spends() bool { return !m.Deadline.IsZero() && m.Acted(m.ToMove()) }

// spent is m with what the side to move has used up to now taken from its bank. Time that was added to the
// deadline counts first, also where it was added late in the turn, but makes no bank larger than it was.
func (m Match) spent(now time.Time) Match {
	if m.Phase != Playing || !m.spends() {
		return m
	}
	seat := m.ToMove()
	m.Left[seat] = max(0, min(m.Left[seat], m.Deadline.Sub(m.stands(now))))
	return m
}

// stands is the time at which the clock stands: now, or when the match began to rest, or when the vacation of the side
// to move will be over.
func (m Match) stands(now time.Time) time.Time {
	at := stamp(now)
	if !m.Rested.IsZero() {
		at = m.Rested
	}
	return later(at, m.Vacation[m.ToMove()])
}

// TimeLeft is how much time a seat has at now, or had at the end: until its deadline where it is to move, else for
// the next move if that were now. ok is false where it has no clock, and while none runs.
func (m Match) TimeLeft(seat int, now time.Time) (left time.Duration, ok bool) {
	c := m.ClockOf(seat)
	playing := m.Phase == Playing
	switch {
	case c == Clock{} || m.Seats[seat].Kind == EngineSeat || m.Phase == Offered:
		return 0, false
	case playing && seat == m.ToMove():
		return max(0, m.Deadline.Sub(m.stands(now))), !m.Deadline.IsZero()
	case playing && !m.Acted(seat):
		return c.First(), true
	case playing:
		return c.Each + m.Left[seat], true
	}
	return m.Left[seat], c.Bank > 0
}

// RanOut reports whether a match ended without a result after the side to move had had all its time. Of an ended
// match no deadline is known: time that was added to it (Postpone) does not count.
func (m Match) RanOut() bool {
	limit, clocked := m.limit()
	return clocked && m.Result().Termination == Aborted && m.First != Empty && !m.Updated.Before(m.Turned.Add(limit))
}

// Rest stops the clock of a match whose place is gone, or pauses one between engines;
// Wake starts it again.
func (m Match) Rest(now time.Time) (Match, error) {
	if !m.runs() {
		return refused(NotPlaying)
	}
	m = m.changed(now)
	m.Rested = stamp(now)
	return m, nil
}

// Wake takes a resting match up again with the time that was left.
func (m Match) Wake(now time.Time) (Match, error) {
	if m.Phase != Playing || m.Rested.IsZero() {
		return refused(NotPlaying)
	}
	m = m.changed(now)
	stood := m.stands(now)
	m.Rested = time.Time{}
	return m.shifted(max(0, m.stands(now).Sub(stood))), nil
}

// Postpone adds the time that the host was down to the deadline, and leaves at least
// until soonest. A match without a deadline is refused, and so is one that rests, which
// loses no time.
func (m Match) Postpone(down time.Duration, soonest, now time.Time) (Match, error) {
	if m.Phase != Playing || m.Deadline.IsZero() || !m.Rested.IsZero() {
		return refused(NotPlaying)
	}
	d := m.Deadline.Add(down)
	if soonest = stamp(soonest); d.Before(soonest) {
		d = soonest
	}
	m = m.changed(now)
	m.Deadline = d
	return m, nil
}

// Forgotten reports whether a match against the engine has rested for a day. Such a match
// does not count among those that a member plays.
func (m Match) Forgotten(now time.Time) bool {
	return m.Phase == Playing && m.AgainstEngine() && now.Sub(m.Turned) >= ForgottenAfter
}

// Event is what time does to a match.
type Event uint8

// The events, in the order of Due.
const (
	NoEvent      Event = iota
	ExpireEvent        // the challenge lapses
	RemindEvent        // the side to move is reminded
	TimeoutEvent       // the side to move loses on time
	AbandonEvent       // nobody has moved for a week
	ReturnEvent        // a vacation is over
)

// Due is the next event that time brings to the match and when it comes.
func (m Match) Due() (Event, time.Time) {
	event, at := m.due()
	if back := m.returns(); m.runs() && !back.IsZero() && !back.After(at) {
		return ReturnEvent, back
	}
	return event, at
}

// due is Due but for vacations.
func (m Match) due() (Event, time.Time) {
	switch {
	case m.Phase == Offered && !m.Expires.IsZero():
		return ExpireEvent, m.Expires
	case m.Phase != Playing:
		return NoEvent, time.Time{}
	case !m.Rested.IsZero():
		return m.ending()
	case !m.Deadline.IsZero() && m.reminds():
		limit, _ := m.limit()
		return RemindEvent, m.Deadline.Add(-limit / 4)
	case m.Deadline.IsZero() && !m.Reminded && m.Seats[m.ToMove()].Kind == MemberSeat:
		return RemindEvent, m.waited().Add(RemindAfter)
	}
	return m.ending()
}

// ending is the event that ends the match where nobody moves, and when it comes; only while the match is played.
func (m Match) ending() (Event, time.Time) {
	switch {
	case !m.Rested.IsZero():
		return AbandonEvent, m.Rested.Add(AbandonAfter)
	case !m.Deadline.IsZero():
		return TimeoutEvent, m.Deadline.Add(Grace)
	}
	return AbandonEvent, m.waited().Add(AbandonAfter)
}

// waited is since when, or from when on, the side to move is waited for where no clock runs.
func (m Match) waited() time.Time { return later(m.Turned, m.Vacation[m.ToMove()]) }

// leastReminded is the time for a turn from which a reminder helps. A time for each move is always reminded of: it
// runs out no more than once.
const leastReminded = 2 * time.Minute

// reminds reports whether the side to move is to be reminded of its deadline.
func (m Match) reminds() bool {
	limit, _ := m.limit()
	return !m.Reminded && (m.ClockOf(m.ToMove()).Bank == 0 || limit >= leastReminded)
}

// Remind notes that the side to move is reminded, for a cause outside the match. Its version is a
// new one each time.
func (m Match) Remind(now time.Time) (Match, error) {
	if !m.runs() {
		return refused(NotPlaying)
	}
	return m.reminded(now), nil
}

func (m Match) reminded(now time.Time) Match {
	m = m.changed(now)
	m.Reminded = true
	return m
}

// Tick brings the event that is due at now. It is refused (NoOffer) when nothing is due.
func (m Match) Tick(now time.Time) (Match, Event, error) {
	event, at := m.Due()
	if event == RemindEvent { // one that comes after the deadline helps nobody
		if end, over := m.ending(); !now.Before(over.Add(-Grace)) {
			event, at = end, over
		}
	}
	if event == NoEvent || now.Before(at) {
		return Match{}, NoEvent, &Refusal{Code: NoOffer}
	}
	switch event {
	case ExpireEvent:
		return m.over(Result{Termination: Expired}, now), event, nil
	case RemindEvent:
		return m.reminded(now), event, nil
	case ReturnEvent:
		return m.returned(now), event, nil
	case TimeoutEvent:
		if m.playedBy(0) == 0 || m.playedBy(1) == 0 {
			return m.over(Result{Termination: Aborted}, now), event, nil
		}
		return m.over(Result{Termination: ByTimeout, Winner: m.ColorOf(1 - m.ToMove())}, now), event, nil
	}
	return m.over(Result{Termination: Abandoned}, now), event, nil
}
