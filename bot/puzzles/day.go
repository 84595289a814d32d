package puzzles

import (
	"slices"
	"strings"
	"time"

	"tengen/ai/puzzle"
	"tengen/game/daily"
	"tengen/storage"
)

// turned is d with the day of a time: a new one, where that has begun, with a puzzle of all.
func turned(all shelf, d storage.Daily, now time.Time, nonce uint64) storage.Daily {
	d.Daily = d.Turn(now, nonce, func(last string) string { return pick(all, d.Server, last) })
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

// squares are the tries of a day, a square each.
func squares(t daily.Taking) string {
	var s strings.Builder
	for _, try := range t.Tries {
		s.WriteString(map[rune]string{daily.TryWrong: "🟥", daily.TrySolved: "🟩", daily.TryHint: "🟨",
			daily.TryShown: "⬜"}[try])
	}
	return s.String()
}
