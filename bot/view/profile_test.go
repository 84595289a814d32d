package view

import (
	"testing"

	"tengen/game"
	"tengen/game/event"
	"tengen/internal/testkit"
	"tengen/storage"
)

// A profile has, game by game, the rating, the rated results, the casual ones, and those against each level.
func TestProfile(t *testing.T) {
	won, lost := against(t, 3, blackWins, 500, 500, 500, 500), against(t, 3, whiteWins, 500, 500, 500, 500, 1000)
	won.Seats[1], lost.Seats[1] = game.SeatFor(2), game.SeatFor(2) // the same games between members
	p := Profile{Who: 1,
		Rated: []storage.Standing{
			{Rules: game.Renju, Rating: event.Rating{R: 1612.4, RD: 80, Vol: 0.06},
				Tally: storage.Tally{Won: 9, Lost: 3}},
			{Rules: game.Gomoku15, Rating: event.Rating{R: 1662, RD: 290, Vol: 0.06}, Tally: storage.Tally{Won: 1}}},
		Bot: []storage.Against{{Rules: game.Gomoku15, Level: 2, Tally: storage.Tally{Won: 2}},
			{Rules: game.Gomoku15, Level: 3, Tally: storage.Tally{Drawn: 1}}}}
	rated := storage.Record{Match: won,
		Changes: [2]storage.Change{{Before: 1500, After: 1662}, {Before: 1500, After: 1338}}}
	for _, rec := range []storage.Record{{Match: won}, {Match: lost}, {Match: lost}, rated} {
		p = p.With(rec, 2)
	}
	testkit.Want(t, "profile", In("en").Profile(p), `### <@1>
**Gomoku 15×15** · new
Rated: 1 won, 0 drawn, 0 lost
Casual: 1 won, 0 drawn, 2 lost
Level 2 of the bot: 2 won, 0 drawn, 0 lost
Level 3 of the bot: 0 won, 1 drawn, 0 lost
**Renju** · 1612
Rated: 9 won, 0 drawn, 3 lost
You against <@1>: 2 won, 0 drawn, 2 lost.
-# A rating is new until it has settled: after some ten games, as a rule.`)
}
