package view

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"tengen/bot/chat"
	"tengen/bot/pad"
	"tengen/game"
	"tengen/internal/testkit"
	"tengen/storage"
)

// against is a finished game of member 1, who has black, against the engine at a level. The
// engine expects the given results, in thousandths.
func against(t *testing.T, level int, moves string, expects ...uint16) game.Match {
	t.Helper()
	now := testkit.At("2026-03-01 12:00")
	m := testkit.Got(game.NewMatch(7, game.Terms{Rules: game.Gomoku15, First: game.Black}, 1, game.SeatFor(1),
		game.SeatEngine(level), now, now))
	points, err := game.ParseMoves(moves)
	testkit.Must(t, err)
	for i, p := range points {
		if m.EngineToMove() {
			m, err = m.Reply(m.Stamp(), p, game.Note{Win: expects[i/2]}, now)
		} else {
			m, err = m.Play(1, p, now)
		}
		testkit.Must(t, err)
	}
	return m
}

const (
	blackWins = "h8a1h9a3h10a5h11a7h12"
	whiteWins = "a1h8a3h9a5h10a7h11a9h12"
)

// What a weak level thought of a move is no turning point: it has called moves faults that won.
func TestEngineBlamesNobody(t *testing.T) {
	for _, m := range []game.Match{against(t, 1, blackWins, 500, 900, 100, 900),
		against(t, 1, whiteWins, 500, 100, 900, 950, 1000)} {
		testkit.Want(t, "card", strings.Join(In("en").cardLines(m, Card{}), "\n"), "")
	}
}

func TestCardFor(t *testing.T) {
	won, lost := against(t, 3, blackWins, 500, 500, 500, 500), against(t, 3, whiteWins, 500, 500, 500, 500, 1000)
	helped := won
	helped.Spoiled = true
	results := []storage.Against{{Rules: game.Renju, Level: 3, Tally: storage.Tally{Won: 4}},
		{Rules: game.Gomoku15, Level: 3, Tally: storage.Tally{Won: 1, Lost: 2}}}
	often := []storage.Against{{Rules: game.Gomoku15, Level: 3, Tally: storage.Tally{Won: 2}}}
	for _, c := range []struct {
		name    string
		m       game.Match
		past    game.Past
		results []storage.Against
		want    Card
	}{
		{"the first win", won, game.Past{lost}, results, Card{Who: 1, Next: game.Suggestion{Level: 3}, First: true, Streak: 1}},
		{"the third in a row", won, game.Past{won, won}, often, Card{Who: 1, Next: game.Suggestion{Level: 4, Why: game.TwoWon}, Streak: 3, Lopsided: true}},
		{"a loss after the first win", lost, game.Past{won}, results, Card{Who: 1, Next: game.Suggestion{Level: 3}}},
		{"with help", helped, nil, results, Card{Who: 1, Next: game.Suggestion{Level: 3}}},
	} {
		testkit.Want(t, c.name, CardFor(c.m, c.past, c.results), c.want)
	}
}

// TestAgainRow holds that no row has more than five buttons, and which of them stands out.
func TestAgainRow(t *testing.T) {
	p := Painter{Log: slog.Default()}
	for _, c := range []struct {
		level int
		card  Card
		want  string // the buttons, the one that stands out in brackets
	}{
		{1, Card{}, "[Same level] Harder Profile"},
		{1, Card{Next: game.Suggestion{Level: 2, Why: game.TwoWon}, Lopsided: true}, "Same level [Harder] Balanced start Profile"},
		{3, Card{Next: game.Suggestion{Level: 2, Why: game.TwoLost}, Lopsided: true}, "[Easier] Same level Harder Balanced start Profile"},
		{8, Card{Next: game.Suggestion{Level: 8}}, "Easier [Same level] Profile"},
	} {
		m := against(t, c.level, blackWins, 500, 500, 500, 500)
		var got []string
		for _, block := range p.Match(storage.Record{Match: m}, pad.For(m), c.card).Blocks {
			if len(block.Row) > 5 {
				t.Errorf("level %d: %d buttons in a row", c.level, len(block.Row))
			}
			if block.Row == nil || got != nil {
				continue
			}
			for _, b := range block.Row {
				if b.Style == chat.Primary {
					b.Label = "[" + b.Label + "]"
				}
				got = append(got, b.Label)
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("level %d: %s, want %s", c.level, s, c.want)
		}
	}
}

// TestBetween holds what a finished game of two members shows: it praises who won, and offers
// a rematch on the same terms.
func TestBetween(t *testing.T) {
	now := testkit.At("2026-03-01 12:00")
	m, err := game.NewMatch(7, game.Terms{Rules: game.Gomoku15, First: game.Black}, 1, game.SeatFor(1), game.SeatFor(2),
		now, now.Add(time.Hour))
	if err == nil {
		m, err = m.Accept(2, now)
	}
	points, _ := game.ParseMoves(blackWins)
	for i, p := range points {
		if err == nil {
			m, err = m.Play(game.MemberID(1+i%2), p, now)
		}
	}
	testkit.Must(t, err)
	card := CardFor(m, game.Past{m, m}, nil)
	if want := (Card{Who: 1, Streak: 3, Lopsided: true}); card != want {
		t.Errorf("%+v, want %+v", card, want)
	}
	for lang, want := range map[string]string{
		"en":    "★ <@1>: 3 wins in a row\nBlack has won twice quickly. A balanced start is fairer: it begins with a few near-equal stones.",
		"zh-CN": "★ <@1>：3 连胜\n黑方连续两局速胜。均衡开局更公平：开局先摆几颗大致均势的棋子。",
	} {
		if got := strings.Join(In(lang).cardLines(m, card), "\n"); got != want {
			t.Errorf("%s: %s", lang, got)
		}
	}
	for want, link := range map[string]storage.Link{
		"Replay, Review, Share, ⋯":            {},
		"Replay, Review, Share, Standings, ⋯": {Event: 9},
		"Replay, Review, Share, My place, ⋯":  {Ladder: true},
	} {
		rows := endRows(In("en"), storage.Record{Match: m, Link: link}, card)
		if got := labels(rows); got != "Rematch, Balanced start, Profile / "+want {
			t.Error(got)
		}
		over := m
		over.Next = 7 // the rematch has begun
		for _, row := range endRows(In("en"), storage.Record{Match: over, Link: link}, card) {
			if len(row.Row) > 5 {
				t.Errorf("%d buttons in a row", len(row.Row))
			}
		}
	}
}

// labels are the words on rows of buttons.
func labels(rows []chat.Block) string {
	var lines []string
	for _, b := range rows {
		var line []string
		for _, c := range b.Row {
			line = append(line, c.Label)
		}
		lines = append(lines, strings.Join(line, ", "))
	}
	return strings.Join(lines, " / ")
}
