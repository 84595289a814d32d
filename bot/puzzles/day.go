package puzzles

import (
	"slices"
	"strings"
	"time"

	"tengen/ai/puzzle"
	"tengen/internal/zone"
	"tengen/storage"
)

// How long a day is. It begins at an hour of the server's choice, by the clock of its zone.
const (
	shortest = 20 * time.Hour // where the zone was changed, the next day may not begin sooner
	longest  = 46 * time.Hour // from one day to the next that follows it: a change of zone takes up to a day
	postIn   = 2 * time.Minute
)

// moment is the hour at which a day begins on the date of t, and so many days later.
func moment(d storage.Daily, t time.Time, days int) time.Time {
	in := zone.Or(d.Zone)
	y, m, day := t.In(in).Date()
	return time.Date(y, m, day+days, d.Hour, 0, 0, 0, in).UTC()
}

// began is when the day of a time began.
func began(d storage.Daily, now time.Time) time.Time {
	if m := moment(d, now, 0); !m.After(now) {
		return m
	}
	return moment(d, now, -1)
}

// nextPost is when the message of the next day is due; zero where none is posted.
func nextPost(d storage.Daily, now time.Time) time.Time {
	if d.Channel == 0 {
		return time.Time{}
	}
	for days := 0; ; days++ {
		m := moment(d, now, days)
		if m.After(now) && (d.Day.Puzzle == "" || d.Day.Ahead(now) || !m.Before(d.Day.Begins.Add(shortest))) {
			return m
		}
	}
}

// turned is d with the day of a time: a new one, where that has begun, with a puzzle of all. A day is posted only where
// it begins just now. A clock that is set back to the day before one that was posted changes nothing, so that nothing
// comes twice. Any other day that is yet to come was begun by a wrong clock: it is given up, and the day before it may
// go on.
func turned(all shelf, d storage.Daily, now time.Time, nonce uint64) storage.Daily {
	begins, last := began(d, now), d.Day.Puzzle
	for d.Day.Ahead(now) {
		d.Day, d.Before, d.Next = d.Before, storage.Day{}, time.Time{}
	}
	if d.Day.Puzzle == "" || !begins.Before(d.Day.Begins.Add(shortest)) {
		streak := 0
		if d.Day.Solved > 0 && begins.Sub(d.Day.Begins) <= longest {
			streak = d.Day.Streak
		}
		d.Before = d.Day
		d.Day = storage.Day{Puzzle: pick(all, d.Server, last), Begins: begins, Made: now, Nonce: nonce, Streak: streak}
		d.Count++
		if d.Channel != 0 && now.Sub(begins) < postIn {
			d.Day.State = storage.Owed
		}
	}
	if !d.Next.After(now) {
		d.Next = nextPost(d, now)
	}
	return d
}

// Ratings of daily puzzles: for everybody to try.
const (
	easiestDaily = 900
	hardestDaily = 1800
)

// dailies are the puzzles that a day may bring.
func dailies(all shelf) []puzzle.Puzzle {
	return slices.DeleteFunc(shown(all, nil), func(z puzzle.Puzzle) bool {
		return z.Rating < easiestDaily || z.Rating > hardestDaily
	})
}

// pick is the puzzle of a server's next day: the one that follows the last one in an order of the
// server's own, so that no other zone gives a day away, and after the last one the first again. The
// place in the order follows from the id alone: a puzzle that is new, or gone, or rated
// otherwise since moves no other one, and none comes back before the round is over.
func pick(all shelf, server uint64, last string) string {
	list := shuffled(dailies(all), server)
	i := slices.IndexFunc(list, func(z puzzle.Puzzle) bool {
		return last == "" || seedOf(z.ID(), server) > seedOf(last, server)
	})
	return list[max(0, i)].ID()
}

// took is a day, and how a member fares with it, after a try of theirs. A try that comes again, or
// after the end, changes nothing.
func took(d storage.Daily, t storage.Taking, try byte, interaction uint64) (storage.Daily, storage.Taking) {
	if !t.Begins.Equal(d.Day.Begins) {
		t.Begins, t.Tries = d.Day.Begins, ""
	}
	full := len(t.Tries) >= mostSquares && try != storage.TrySolved && try != storage.TryShown
	if t.Interaction == interaction || done(t) || full || try == storage.TryHint && strings.IndexByte(t.Tries, try) >= 0 {
		return d, t
	}
	if t.Tries == "" {
		d.Day.Tried++
	}
	t.Tries += string(rune(try))
	t.Interaction = interaction
	if try != storage.TrySolved {
		return d, t
	}
	if d.Day.Solved++; d.Day.Solved == 1 {
		d.Day.Streak++
	}
	if len(d.Day.First) < storage.MostFirst {
		d.Day.First = append(slices.Clone(d.Day.First), t.Member)
	}
	if t.Last.IsZero() || d.Day.Begins.Sub(t.Last) > longest {
		t.Streak = 0
	}
	t.Streak++
	t.Last, t.Best = d.Day.Begins, max(t.Best, t.Streak)
	return d, t
}

// mostSquares is how many tries of a day are shown.
const mostSquares = 12

// done reports whether a member has solved the puzzle of the day, or looked at its solution.
func done(t storage.Taking) bool {
	return strings.ContainsAny(t.Tries, string([]rune{storage.TrySolved, storage.TryShown}))
}

// squares are the tries of a day, a square each.
func squares(t storage.Taking) string {
	var s strings.Builder
	for _, try := range t.Tries {
		s.WriteString(map[rune]string{storage.TryWrong: "🟥", storage.TrySolved: "🟩", storage.TryHint: "🟨",
			storage.TryShown: "⬜"}[try])
	}
	return s.String()
}
