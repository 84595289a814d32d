package view

import (
	"testing"
	"time"

	"tengen/bot/chat"
	"tengen/game"
	"tengen/internal/testkit"
	"tengen/storage"
)

// A recap has the games of seven days. Its best win is one against members, and of those the one against the strongest;
// a win with help is none.
func TestRecap(t *testing.T) {
	now := testkit.At("2026-03-01 12:00")
	bot := storage.Record{Match: against(t, 7, blackWins, 500, 500, 500, 500), Ended: now}
	weak, helped := bot, bot
	weak.Match = against(t, 2, blackWins, 500, 500, 500, 500)
	helped.Spoiled = true
	between := func(days int, moves string, rated float64) storage.Record {
		rec := storage.Record{Match: against(t, 3, moves, 500, 500, 500, 500, 1000), Ended: now.AddDate(0, 0, -days)}
		rec.Seats[1] = game.SeatFor(2)
		rec.Changes[1].Before = rated
		return rec
	}
	strong, weaker, lost := between(6, blackWins, 1700), between(1, blackWins, 1600), between(2, whiteWins, 1900)
	for _, c := range []struct {
		name  string
		games []storage.Record
		want  int // index of the best; -1: none
		count int
	}{
		{"none", nil, -1, 0},
		{"lost", []storage.Record{lost}, -1, 1},
		{"helped", []storage.Record{helped}, -1, 1},
		{"levels", []storage.Record{weak, bot, weak}, 1, 3},
		{"members first", []storage.Record{bot, weaker, lost}, 1, 3},
		{"the strongest", []storage.Record{bot, weaker, lost, strong}, 3, 4},
		{"older than a week", []storage.Record{bot, between(8, blackWins, 2000)}, 0, 1},
	} {
		r := RecapOf(1, c.games, now)
		best, ok := r.Best()
		if len(r.Games) != c.count || ok != (c.want >= 0) || ok && !best.Ended.Equal(c.games[c.want].Ended) ||
			ok && (best.Changes != c.games[c.want].Changes || best.Seats != c.games[c.want].Seats) {
			t.Errorf("%s: %d games, best %v %+v", c.name, len(r.Games), ok, best.Seats)
		}
	}
	c := RecapOf(1, []storage.Record{bot, weaker, lost}, now)
	testkit.Want(t, "recap", textOf(In("en").Recap(c, chat.Block{}, "", chat.Button{})), `### Your week
Games that ended since <t:1771761600:D>
**Gomoku 15×15**
Against members: 1 won, 0 drawn, 1 lost
Against the bot: 1 won, 0 drawn, 0 lost
Best win · **Gomoku 15×15** `+"`#"+Name(weaker.ID)+"`"+` ⚫ <@1> wins with the row H8‑H12.`)
	testkit.Want(t, "since", c.Since, now.Add(-RecapDays*24*time.Hour))
}
