package together

import (
	"strings"
	"testing"
	"time"

	"tengen/bot/view"
	"tengen/game"
	"tengen/game/together"
	"tengen/internal/testkit"
	"tengen/render"
	"tengen/storage"
)

var at = testkit.At("2026-03-01 12:00")

// played is a game of a channel with black on a small board after moves.
func played(moves ...string) (c storage.Together) {
	c.Game = together.Game{Rules: game.Gomoku9, Level: 3, Color: game.Black, Every: time.Minute, Updated: at}
	for _, m := range moves {
		p, err := game.ParsePoint(m, 9)
		if err != nil {
			panic(err)
		}
		c.Moves = append(c.Moves, p)
	}
	return c
}

// TestWords holds how the end of a game is told.
func TestWords(t *testing.T) {
	en := view.In("en")
	won := played("A1", "A2", "B1", "B2", "C1", "C2", "D1", "D2", "E1")
	lost, stopped := won, played()
	lost.Color, stopped.Game = game.White, stopped.Stop(at)
	for want, c := range map[string]storage.Together{
		"You have won together, in 9 moves!":   won,
		"The bot has won.":                     lost,
		"The game was ended without a result.": stopped,
		"Everybody may vote: press a point.":   played(),
		"Bot (level 3) is thinking…":           played("A1"),
	} {
		msg, err := board(en, c)
		if err != nil || !strings.Contains(msg.Blocks[0].Text, want) {
			t.Errorf("%v in %q, want %q", err, msg.Blocks[0].Text, want)
		}
	}
	if got := ended(en, won, game.Empty, 60); !strings.Contains(got, "A draw.") {
		t.Errorf("a draw is %q", got)
	}
}

// TestBadges holds the votes on the board: the leader stands out, and a thousand votes still fit.
func TestBadges(t *testing.T) {
	c := played()
	for i := range together.MaxVotes {
		p := game.At(i%3, 4)
		if i > 9 {
			p = game.At(1, 4)
		}
		var err error
		c.Game, err = c.Vote(game.MemberID(i+1), 0, p, at.Add(time.Duration(i)*time.Second))
		testkit.Must(t, err)
	}
	marks := badges(c)
	if len(marks) != 3 || marks[0] != (render.Mark{At: game.At(1, 4), Text: "993", Best: true}) || marks[1].Best {
		t.Errorf("the badges are %+v", marks)
	}
	_, err := board(view.In("zh-CN"), c)
	testkit.Check(t, err)
}

// Where the board's own buttons have all points, no button leads to others.
func TestOtherPoints(t *testing.T) {
	for rules, want := range map[game.Rules]bool{game.Gomoku9: true, game.Reversi: false} {
		c := played()
		c.Rules = rules
		msg := testkit.Got(board(view.In("en"), c))
		got := false
		for _, b := range msg.Blocks {
			for _, button := range b.Row {
				got = got || button.Label == "Other points"
			}
		}
		if got != want {
			t.Errorf("%v: other points %v, want %v", rules, got, want)
		}
	}
}
