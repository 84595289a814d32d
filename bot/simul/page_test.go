package simul

import (
	"strings"
	"testing"
	"time"

	"tengen/bot/view"
	"tengen/game"
	"tengen/game/simul"
	"tengen/game/venue"
	"tengen/storage"
)

// TestPage holds how results are told, and that the largest simul fits in a message.
func TestPage(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	x := storage.Simul{Gathering: storage.Gathering{ID: 1 << 60},
		Simul: simul.New(1<<60, game.Terms{Rules: game.Gomoku15, PerMove: time.Hour}, at)}
	x.Started = at
	links := map[game.MatchID]string{}
	for i := range simul.MaxOpponents {
		o := simul.Opponent{Member: game.MemberID(1<<60 + i), Match: game.MatchID(1<<60 + i), Result: simul.Result(i % 4)}
		x.Opponents = append(x.Opponents, o)
		links[o.Match] = view.Jump(venue.Place{Server: 1 << 60, Channel: 1 << 60}, 1<<60)
	}
	for _, lang := range []string{"en", "zh-CN"} {
		text := ""
		for _, b := range page(view.In(lang), x, links).Blocks {
			text += b.Text
		}
		if n := len([]rune(text)); n > 4000 {
			t.Errorf("%s: %d characters", lang, n)
		}
	}
	text := page(view.In("en"), x, links).Blocks[1].Text
	for _, want := range []string{"Won 5 · drawn 5 · lost 5 · 5 games go on", "has beaten the giver · [board]", "a draw",
		"has lost to the giver"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
}
