package game

import (
	"slices"
	"time"
)

// ClockError is how far the clock of a machine may be off and still count as right.
const ClockError = 5 * time.Minute

// What a right clock may leave behind at most.
const (
	mostExtra = time.Hour                // for a move, beyond its time: what restarts and pauses add
	mostOffer = AbandonAfter + mostExtra // until a challenge expires
)

// LatestDue is later than anything is due that time brings to a match by a right clock.
const LatestDue = MostEach + MostReserve + VacationDays*day + day

// Outlast gives back the time that the host was down where no clock runs: a challenge expires later,
// and a match in which nobody moves is given up later. Postpone is for matches with a clock.
func (m Match) Outlast(down time.Duration, now time.Time) (Match, error) {
	rests := m.Phase == Playing && !m.Rested.IsZero()
	switch {
	case m.Phase == Offered && !m.Expires.IsZero():
		m = m.changed(now)
		m.Expires = m.Expires.Add(down)
	case rests || m.Phase == Playing && m.Deadline.IsZero():
		m = m.changed(now).shifted(down)
	default:
		return refused(NotPlaying)
	}
	return m, nil
}

// shifted is m with the time of the side to move later, or sooner.
func (m Match) shifted(d time.Duration) Match {
	m.Turned = m.Turned.Add(d)
	if !m.Deadline.IsZero() {
		m.Deadline = m.Deadline.Add(d)
	}
	if !m.Rested.IsZero() {
		m.Rested = m.Rested.Add(d)
	}
	return m
}

// TakenBack is a match in which a clock that was ahead has left times, as the right clock would have
// left it: nothing has happened after now, and who is to move, or to accept, has no more time than
// they were given. ahead is false, and m as it was, where no time lies further ahead than a clock
// may be off. One that is over is of the same version.
func (m Match) TakenBack(now time.Time) (_ Match, ahead bool) {
	now = stamp(now)
	is := m.shiftedBack(now)
	for _, at := range []*time.Time{&is.Created, &is.Updated, &is.Turned} {
		if at.Sub(now) > ClockError {
			*at = now
		}
	}
	for i, e := range is.Log {
		if e.At.Sub(now) > ClockError {
			is.Log = slices.Clone(is.Log)
			is.Log[i].At = now
		}
	}
	for seat, until := range is.Vacation {
		if until.Sub(now) > VacationDays*day+ClockError {
			is.Vacation[seat] = time.Time{}
		}
	}
	if is.Phase == Playing {
		runs := is.stands(now)
		if limit, clocked := is.limit(); clocked && is.Deadline.Sub(runs) > limit+mostExtra {
			is.Deadline = runs.Add(limit)
		}
	}
	if is.Expires.Sub(now) > mostOffer {
		is.Expires = now.Add(AbandonAfter)
	}
	if ahead = !is.sameTimes(m); ahead && is.Phase != Over {
		is = is.changed(now)
	}
	return is, ahead
}

// shiftedBack moves what ran from a time that is still to come: it runs from now.
func (m Match) shiftedBack(now time.Time) Match {
	switch {
	case m.Phase == Offered:
		if d := m.Created.Sub(now); d > ClockError && !m.Expires.IsZero() {
			m.Expires = m.Expires.Add(-d)
		}
	case !m.Rested.IsZero():
		if d := m.Rested.Sub(now); d > ClockError {
			m = m.shifted(-d)
		}
	default:
		if d := m.Turned.Sub(now); d > ClockError {
			m = m.shifted(-d)
		}
	}
	return m
}

func (m Match) sameTimes(n Match) bool {
	return m.Created == n.Created && m.Updated == n.Updated && m.Turned == n.Turned && m.Expires == n.Expires &&
		m.Deadline == n.Deadline && m.Rested == n.Rested && m.Vacation == n.Vacation && slices.Equal(m.Log, n.Log)
}
