package game

import "time"

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
	if m.Phase == Playing && m.Seats[m.ToMove()].Kind == MemberSeat {
		if limit := m.limit(); limit > 0 {
			m.Deadline = m.Turned.Add(limit)
		}
	}
	return m
}

// limit is the time of the side to move; zero: no clock runs. Where a first move has longer than any other,
// no clock runs for it: the event judges who has come.
func (m Match) limit() time.Duration {
	switch {
	case m.Begin == 0 || m.Acted(m.ToMove()):
		return m.PerMove
	case m.Begin > m.PerMove:
		return 0
	}
	return m.Begin
}

// RanOut reports whether a match ended without a result after the side to move had had all its time. Of an ended
// match no deadline is known: time that was added to it (Postpone) does not count.
func (m Match) RanOut() bool {
	limit := m.limit()
	return m.Result().Termination == Aborted && m.First != Empty && limit > 0 && !m.Updated.Before(m.Turned.Add(limit))
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
	m = m.changed(now).shifted(max(0, stamp(now).Sub(m.Rested)))
	m.Rested = time.Time{}
	return m, nil
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
)

// Due is the next event that time brings to the match and when it comes.
func (m Match) Due() (Event, time.Time) {
	switch {
	case m.Phase == Offered && !m.Expires.IsZero():
		return ExpireEvent, m.Expires
	case m.Phase != Playing:
		return NoEvent, time.Time{}
	case !m.Rested.IsZero():
		return AbandonEvent, m.Rested.Add(AbandonAfter)
	case !m.Deadline.IsZero() && !m.Reminded:
		return RemindEvent, m.Deadline.Add(-m.limit() / 4)
	case !m.Deadline.IsZero():
		return TimeoutEvent, m.Deadline.Add(Grace)
	case !m.Reminded && m.Seats[m.ToMove()].Kind == MemberSeat:
		return RemindEvent, m.Turned.Add(RemindAfter)
	}
	return AbandonEvent, m.Turned.Add(AbandonAfter)
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
	if event == NoEvent || now.Before(at) {
		return Match{}, NoEvent, &Refusal{Code: NoOffer}
	}
	switch event {
	case ExpireEvent:
		return m.over(Result{Termination: Expired}, now), event, nil
	case RemindEvent:
		return m.reminded(now), event, nil
	case TimeoutEvent:
		if m.playedBy(0) == 0 || m.playedBy(1) == 0 {
			return m.over(Result{Termination: Aborted}, now), event, nil
		}
		return m.over(Result{Termination: ByTimeout, Winner: m.ColorOf(1 - m.ToMove())}, now), event, nil
	}
	return m.over(Result{Termination: Abandoned}, now), event, nil
}
