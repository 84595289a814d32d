package game

import (
	"slices"
	"time"
)

// VacationDays is how many days of vacation a member has in a calendar year (UTC).
const VacationDays = 14

// Vacation is a stretch of time for which a member is away. Each 24 hours of it that have begun are a day of the year
// in which they begin.
type Vacation struct{ From, Until time.Time }

// days is how many days of a year a vacation takes.
func (v Vacation) days(year int) (n int) {
	for at := v.From.UTC(); at.Before(v.Until); at = at.Add(day) {
		if at.Year() == year {
			n++
		}
	}
	return n
}

// Vacations are those of a member of which some day counts this year or later, the oldest first.
type Vacations []Vacation

// left is how many days are left in a year.
func (vs Vacations) left(year int) int {
	n := VacationDays
	for _, v := range vs {
		n -= v.days(year)
	}
	return n
}

// Left is how many days are left in the year of now.
func (vs Vacations) Left(now time.Time) int { return max(0, vs.left(now.UTC().Year())) }

// Until is until when the member is away; zero where they are not.
func (vs Vacations) Until(now time.Time) time.Time {
	for _, v := range vs {
		if !now.Before(v.From) && now.Before(v.Until) {
			return v.Until
		}
	}
	return time.Time{}
}

// Begin begins a vacation of some days, in place of one that goes on. It is refused where a year has not so many left.
func (vs Vacations) Begin(days int, now time.Time) (Vacations, error) {
	now = stamp(now)
	vs = vs.End(now)
	next := append(vs, Vacation{now, now.Add(time.Duration(days) * day)})
	year := now.Year()
	if days < 1 || days > VacationDays || next.left(year) < 0 || next.left(year+1) < 0 {
		return nil, &Refusal{Code: NoVacation, Number: vs.Left(now)}
	}
	return next, nil
}

// End ends the vacation that goes on: what has not begun of it is given back. It forgets those that count no more.
func (vs Vacations) End(now time.Time) Vacations {
	now = stamp(now)
	var kept Vacations
	for _, v := range vs {
		if v.Until.After(now) {
			v.Until = now
		}
		if v.From.Before(v.Until) && v.Until.Year() >= now.Year() {
			kept = append(kept, v)
		}
	}
	return slices.Clip(kept)
}

// honours reports whether a vacation of the member in a seat has their time stand still: days, or no clock at all
// between members. Nobody is to wait for days in a game of minutes.
func (m Match) honours(seat int) bool {
	c := m.ClockOf(seat)
	return c.Slow() || c == Clock{} && m.between(MemberSeat)
}

// OnVacation has the time of by stand still until a time; zero, or a time that has passed: it goes on. A game that is
// too fast for that is refused.
func (m Match) OnVacation(by MemberID, until, now time.Time) (Match, error) {
	seat, err := m.playing(by)
	switch {
	case err != nil:
		return Match{}, err
	case !m.honours(seat):
		return refused(NotPlaying)
	case seat == m.ToMove() && !m.Deadline.IsZero() && !m.stands(now).Before(m.Deadline):
		return refused(TooLate)
	case until.After(now):
		until = stamp(until)
	default:
		until = time.Time{}
	}
	if until.Equal(m.Vacation[seat]) {
		return m, nil
	}
	return m.changed(now).vacation(seat, until, now), nil
}

// vacation is m with another end of the vacation of a seat.
func (m Match) vacation(seat int, until, now time.Time) Match {
	if seat != m.ToMove() {
		m.Vacation[seat] = until
		return m
	}
	was, stood := m.Vacation[seat], m.stands(now)
	m.Vacation[seat], m.Reminded = until, m.Reminded && until.IsZero()
	switch {
	case !m.Deadline.IsZero():
		m.Deadline = m.Deadline.Add(m.stands(now).Sub(stood))
	case until.IsZero(): // nobody has been waited for until now
		m.Turned = later(m.Turned, sooner(was, stamp(now)))
	}
	return m
}

// returned is m after the vacations that are over.
func (m Match) returned(now time.Time) Match {
	m = m.changed(now)
	for seat, until := range m.Vacation {
		if !until.IsZero() && !now.Before(until) {
			m = m.vacation(seat, time.Time{}, now)
		}
	}
	return m
}

// returns is when the next vacation is over; zero where nobody is away.
func (m Match) returns() time.Time {
	first, second := m.Vacation[0], m.Vacation[1]
	if first.IsZero() || !second.IsZero() && second.Before(first) {
		return second
	}
	return first
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

func sooner(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
