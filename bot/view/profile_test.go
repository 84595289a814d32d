package view

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tengen/bot/chat"
	"tengen/game"
	"tengen/game/event"
	"tengen/internal/testkit"
	"tengen/storage"
)

// texts are the lines of a message.
func textOf(msg chat.Message) string {
	var lines []string
	for _, b := range msg.Blocks {
		if b.Text != "" {
			lines = append(lines, b.Text)
		}
	}
	return strings.Join(lines, "\n")
}

// A profile has, game by game, the rating, the rated results, the casual ones, and those against each level; then
// streaks, and how who asks fares against them.
func TestProfile(t *testing.T) {
	won, lost := against(t, 3, blackWins, 500, 500, 500, 500), against(t, 3, whiteWins, 500, 500, 500, 500, 1000)
	won.Seats[1], lost.Seats[1] = game.SeatFor(2), game.SeatFor(2) // the same games between members
	rated := storage.Record{Match: won,
		Changes: [2]storage.Change{{Before: 1500, After: 1662}, {Before: 1500, After: 1338}}}
	p := Profile{Who: 1, Asks: 2, Part: "games",
		Rated: []storage.Standing{
			{Rules: game.Renju, Rating: event.Rating{R: 1612.4, RD: 80, Vol: 0.06},
				Tally: storage.Tally{Won: 9, Lost: 3}},
			{Rules: game.Gomoku15, Rating: event.Rating{R: 1662, RD: 290, Vol: 0.06}, Tally: storage.Tally{Won: 1}}},
		Bot: []storage.Against{{Rules: game.Gomoku15, Level: 2, Tally: storage.Tally{Won: 2}},
			{Rules: game.Gomoku15, Level: 3, Tally: storage.Tally{Drawn: 1}}},
		Past: []storage.Record{{Match: lost}, {Match: won}, rated, {Match: lost}}}
	testkit.Want(t, "profile", textOf(testkit.Got(In("en").Profile(p))), `### <@1> · Games and ratings
**Gomoku 15×15** · new
Rated: 1 won, 0 drawn, 0 lost
Casual: 1 won, 0 drawn, 2 lost
Level 2 of the bot: 2 won, 0 drawn, 0 lost
Level 3 of the bot: 0 won, 1 drawn, 0 lost
**Renju** · 1612
Rated: 9 won, 0 drawn, 3 lost
Longest streak against members: 2 wins
You against <@1>: 2 won, 0 drawn, 2 lost.
-# A rating is new until it has settled: after some ten games, as a rule.`)
}

// ratedGames are rated games of member 1 against member 2, a day each, the newest first.
func ratedGames(t *testing.T, n int) (recs []storage.Record) {
	m := against(t, 3, blackWins, 500, 500, 500, 500)
	m.Seats[1] = game.SeatFor(2)
	for i := range n {
		r := storage.Record{Match: m, Ended: testkit.At("2026-03-01 12:00").Add(time.Duration(-i) * 24 * time.Hour)}
		r.ID += game.MatchID(n - i)
		rating := 1500 + 10*float64(n-i)
		r.Changes = [2]storage.Change{{Before: rating - 10, After: rating}, {Before: 1700, After: 1690}}
		recs = append(recs, r)
	}
	return recs
}

// A settled rating has a graph, which begins where it had settled, and says the same in words. A new one has none.
func TestRatingsPicture(t *testing.T) {
	st := storage.Standing{Rules: game.Gomoku15, Rating: event.Rating{R: 1620, RD: 80, Vol: 0.06},
		Tally: storage.Tally{Won: 12}}
	p := Profile{Who: 1, Asks: 1, Part: "games", Rated: []storage.Standing{st}, Past: ratedGames(t, 12)}
	alt := func() (alts []string) {
		for _, b := range testkit.Got(In("en").Profile(p)).Blocks {
			if b.Picture != nil {
				alts = append(alts, b.Picture.Alt)
			}
		}
		return alts
	}
	testkit.Want(t, "alt", fmt.Sprint(alt()), "[Gomoku 15×15 · Rating after each of 2 games, from 2026-02-28 to "+
		"2026-03-01: 1610 at first, 1620 now; lowest 1610, highest 1620.]")
	p.Rated[0].Won = 11
	testkit.Want(t, "pictures of a rating with one game", len(alt()), 0)
	p.Rated[0].Won, p.Rated[0].RD = 12, 200
	testkit.Want(t, "pictures of a new rating", len(alt()), 0)
}

// Openings that differ by a turn of the board are the same.
func TestFirstStones(t *testing.T) {
	for _, c := range []struct {
		rules game.Rules
		moves []string
		want  string
	}{
		{game.Gomoku15, []string{"h8h9i10", "h8h9g10", "h8g8f9", "h8h7g6", "h8i8j9"}, "H8 H9 I10"},
		{game.Renju, []string{"h8i9j10", "h8g7f6", "h8g9f10"}, "H8 I9 J10"},
		{game.Reversi, []string{"f5f6e6", "c4c3d3", "d3c3c4", "e6f6f5"}, "F5 F6 E6"},
		{game.Gomoku15, []string{"h8h9"}, ""},
	} {
		for _, moves := range c.moves {
			m := testkit.Got(game.NewMatch(1, game.Terms{Rules: c.rules, First: game.Black}, 1, game.SeatFor(1), game.SeatFor(2),
				testkit.At("2026-03-01 12:00"), time.Time{}))
			m = testkit.Got(m.Accept(2, testkit.At("2026-03-01 12:00")))
			for _, p := range testkit.Got(game.ParseMoves(moves)) {
				m = testkit.Got(m.Play(m.Seats[m.ToMove()].Member, p, testkit.At("2026-03-01 12:01")))
			}
			testkit.Want(t, c.rules.Name()+" "+moves, firstStones(m), c.want)
		}
	}
}

// Whoever asks reads nothing of a part that is hidden from them, nor of opponents who are not to be named.
func TestHiddenParts(t *testing.T) {
	p := Profile{Who: 1, Asks: 9, Part: "feats", Hidden: []string{"games", "puzzles", "events"}, Past: ratedGames(t, 12),
		Bot:     []storage.Against{{Rules: game.Gomoku15, Level: 3, Tally: storage.Tally{Won: 1}}},
		Rated:   []storage.Standing{{Rules: game.Gomoku15, Tally: storage.Tally{Won: 12}}},
		Courses: []Course{{game.Renju, 3, 3}},
		Puzzles: storage.OwnPuzzles{Solvers: []storage.Solver{{Rules: game.Renju, Tried: 30, Solved: 30}}},
		Ladders: []storage.Rung{{Rules: "renju", Seasons: map[string]int{"2026-02": 1}}}}
	testkit.Want(t, "hidden feats", textOf(testkit.Got(In("en").Profile(p))), `### <@1> · Achievements
None yet. The first comes with a win against the bot.`)
	p.Asks = 1
	testkit.Want(t, "own feats", textOf(testkit.Got(In("en").Profile(p))), `### <@1> · Achievements
★ Beat level 3 of the bot
★ 10 rated games
★ 12 wins in a row against members
★ Beat somebody rated 200 points higher
★ 25 puzzles solved at the first try
★ Renju · all lessons
★ First on a ladder at the end of 1 season`)
	p.Part, p.Asks = "opponents", 9
	p.Named = func(game.MemberID) bool { return false }
	testkit.Want(t, "opponents", textOf(testkit.Got(In("en").Profile(p))), `### <@1> · Opponents
Against others: 12 won, 0 drawn, 0 lost`)
}

// A member turns parts on and off; a name that is none changes nothing.
func TestTurnPart(t *testing.T) {
	m := storage.Member{}
	for _, c := range []struct{ turn, want string }{{"puzzles", "puzzles"}, {"games", "puzzles games"},
		{"", "puzzles games"}, {"none", "puzzles games"}, {"puzzles", "games"}, {"games", ""}} {
		m = TurnPart(m, c.turn)
		testkit.Want(t, c.turn, m.More[MoreParts], c.want)
	}
	testkit.Want(t, "settings left", len(m.More), 0)
	testkit.Want(t, "hidden of one who is listed nowhere", len(HiddenParts(m.With(MoreHidden, "1"))), len(ProfileParts))
}

// The menu of the parts says below each whether others see it.
func TestShownParts(t *testing.T) {
	for _, c := range In("en").shownParts("x", storage.Member{}.With(MoreParts, "games")).Choice {
		want := "Others see it. Choose it to hide it."
		if c.Value == "games" {
			want = "Only you see it. Choose it to show it."
		}
		testkit.Want(t, c.Value, c.Detail, want)
	}
}
