// Package daily is the puzzle of the day: when a day begins, whether it is posted, and how members fare
// with it. Which puzzle it is, where it is shown and how it is stored, is not in here. Start from Daily.Turn
// and Daily.Try.
package daily

import (
	"slices"
	"strings"
	"time"

	"tengen/game"
	"tengen/internal/zone"
)

// Daily is the daily puzzle of a server: what its managers chose, the day that is going on and the one
// before it. It is a value: each operation gives a new one.
type Daily struct {
	Channel uint64    // where it is posted; 0: nowhere
	Hour    int       // at which a day begins, by the clock of the zone
	Zone    string    // empty: UTC
	Next    time.Time // when the next message is due; zero where none is posted
	Count   int       // days so far
	Day     Day
	Before  Day
}

// Day is a day of a daily puzzle. It counts from the moment at which it begins by the clock of the server.
type Day struct {
	Puzzle string // its id; empty: there is no such day
	Begins time.Time
	Made   time.Time // when a process turned to it
	Nonce  uint64    // of the message
	State  State
	Tried  int // members
	Solved int
	Streak int             // days one after the other on which somebody solved it, up to this one
	First  []game.MemberID // who solved it first, in order
}

// State is how far the message of a day has come. The numbers are stored.
type State uint8

// The states.
const (
	Unposted State = iota // none is wanted
	Owed                  // it is to be sent, under its nonce
	Posted
	Missed // it could not be sent in time, and is not made up
)

// Taking is how a member fares with the daily puzzles of a server.
type Taking struct {
	Member      game.MemberID
	Begins      time.Time // the day that the tries are of
	Tries       string    // a letter each: see the constants
	Interaction uint64    // of the last try: it counts once
	Last        time.Time // the beginning of the last day that counts for the streak
	Streak      int       // days solved one after the other
	Best        int       // the longest streak
}

// The letters of a Taking's tries.
const (
	TryWrong  = 'x'
	TrySolved = 'o'
	TryHint   = 'h'
	TryShown  = 's' // the solution was looked at
	TryShared = 'p' // no try: the member has shown the others how they fared
)

// The bounds. A day begins at an hour of the server's choice, by the clock of its zone.
const (
	Shortest  = 20 * time.Hour  // where the zone was changed, the next day may not begin sooner
	Longest   = 46 * time.Hour  // from one day to the next that follows it: a change of zone takes up to a day
	PostIn    = 2 * time.Minute // so long a day that has begun may be posted
	MostFirst = 10              // of those who were first are remembered
	mostTries = 12              // of a day, before it is solved

	farBegun = 25 * time.Hour // so far ahead may a day that was posted have begun
	farNext  = 3 * farBegun   // and the next message be due
)

// moment is the hour at which a day begins on the date of t, and so many days later.
func (d Daily) moment(t time.Time, days int) time.Time {
	in := zone.Or(d.Zone)
	y, m, day := t.In(in).Date()
	return time.Date(y, m, day+days, d.Hour, 0, 0, 0, in).UTC()
}

// Ends is when the day that is going on is over.
func (d Daily) Ends() time.Time { return d.moment(d.Day.Begins, 1) }

// Date is the date of a day by the clock of its server.
func (d Daily) Date(day Day) string { return day.Begins.In(zone.Or(d.Zone)).Format(time.DateOnly) }

// nextPost is when the message of the next day is due; zero where none is posted.
func (d Daily) nextPost(now time.Time) time.Time {
	if d.Channel == 0 {
		return time.Time{}
	}
	for days := 0; ; days++ {
		m := d.moment(now, days)
		if m.After(now) && (d.Day.Puzzle == "" || d.Day.ahead(now) || !m.Before(d.Day.Begins.Add(Shortest))) {
			return m
		}
	}
}

// ahead reports whether a day was begun by a clock that was ahead. One that was posted does not come
// again: it has its time, unless that is too far away.
func (d Day) ahead(now time.Time) bool {
	far := d.Begins.Sub(now)
	return far > game.ClockError && (d.State == Unposted || far > farBegun)
}

// TakeBack makes due what concerns a day that was begun too early, or is to begin too late, by a clock
// that was ahead.
func (d Daily) TakeBack(now time.Time) Daily {
	if far := d.Next.Sub(now); d.Day.ahead(now) && far > game.ClockError || far > farNext {
		d.Next = now.UTC().Truncate(time.Millisecond) // as it can be stored
	}
	return d
}

// Turn is d with the day of a time: a new one, where that has begun, with the puzzle that follows the last
// one. A day is posted only where it begins just now. A clock that is set back to the day before one that
// was posted changes nothing, so that nothing comes twice. Any other day that is yet to come was begun by a
// wrong clock: it is given up, and the day before it may go on.
func (d Daily) Turn(now time.Time, nonce uint64, follows func(last string) string) Daily {
	begins, last := d.moment(now, 0), d.Day.Puzzle
	if begins.After(now) {
		begins = d.moment(now, -1)
	}
	for d.Day.ahead(now) {
		d.Day, d.Before, d.Next = d.Before, Day{}, time.Time{}
	}
	if d.Day.Puzzle == "" || !begins.Before(d.Day.Begins.Add(Shortest)) {
		streak := 0
		if d.Day.Solved > 0 && begins.Sub(d.Day.Begins) <= Longest {
			streak = d.Day.Streak
		}
		d.Before = d.Day
		d.Day = Day{Puzzle: follows(last), Begins: begins, Made: now, Nonce: nonce, Streak: streak}
		d.Count++
		if d.Channel != 0 && now.Sub(begins) < PostIn {
			d.Day.State = Owed
		}
	}
	if !d.Next.After(now) {
		d.Next = d.nextPost(now)
	}
	return d
}

// Choose is d as a manager wants it. A message that is owed is not sent any more where the channel
// changes.
func (d Daily) Choose(channel uint64, hour int, zone string, now time.Time) Daily {
	if channel != d.Channel {
		d = d.Miss(d.Day.Nonce)
	}
	d.Channel, d.Hour, d.Zone = channel, min(max(hour, 0), 23), zone
	d.Next = d.nextPost(now)
	return d
}

// Miss is d after the message of the day with a nonce could not be sent.
func (d Daily) Miss(nonce uint64) Daily {
	if d.Day.Nonce == nonce && d.Day.State == Owed {
		d.Day.State = Missed
	}
	return d
}

// Try is a day, and how a member fares with it, after a try of theirs. A try that comes again, or
// after the end, changes nothing.
func (d Daily) Try(t Taking, try byte, interaction uint64) (Daily, Taking) {
	if !t.Begins.Equal(d.Day.Begins) {
		t.Begins, t.Tries = d.Day.Begins, ""
	}
	full := len(t.Tries) >= mostTries && try != TrySolved && try != TryShown
	if t.Interaction == interaction || d.Done(t) || full || try == TryHint && strings.IndexByte(t.Tries, try) >= 0 {
		return d, t
	}
	if t.Tries == "" {
		d.Day.Tried++
	}
	t.Tries += string(rune(try))
	t.Interaction = interaction
	if try != TrySolved {
		return d, t
	}
	if d.Day.Solved++; d.Day.Solved == 1 {
		d.Day.Streak++
	}
	if len(d.Day.First) < MostFirst {
		d.Day.First = append(slices.Clone(d.Day.First), t.Member)
	}
	t.Streak = d.Streak(t) + 1
	t.Last, t.Best = d.Day.Begins, max(t.Best, t.Streak)
	return d, t
}

// Done reports whether a member has solved the puzzle of the day, or looked at its solution.
func (d Daily) Done(t Taking) bool {
	return t.Begins.Equal(d.Day.Begins) && strings.ContainsAny(t.Tries, string([]rune{TrySolved, TryShown}))
}

// Streak is a member's streak as long as it can go on today.
func (d Daily) Streak(t Taking) int {
	if t.Last.IsZero() || d.Day.Begins.Sub(t.Last) > Longest {
		return 0
	}
	return t.Streak
}

// Share notes that a member shows the others how they fared, which they may do once a day.
func (t Taking) Share() (_ Taking, ok bool) {
	if strings.ContainsRune(t.Tries, TryShared) {
		return t, false
	}
	t.Tries += string(TryShared)
	return t, true
}

// Without is d after a member has deleted their data.
func (d Daily) Without(member game.MemberID) Daily {
	for _, day := range []*Day{&d.Day, &d.Before} {
		day.First = slices.DeleteFunc(slices.Clone(day.First), func(m game.MemberID) bool { return m == member })
	}
	return d
}
