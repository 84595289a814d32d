package simul

import (
	"strings"
	"testing"
	"time"

	"tengen/bot/room"
	"tengen/bot/texts"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/simul"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/storagetest"
)

// TestPage holds how results are told, and that the largest simul fits in a message.
func TestPage(t *testing.T) {
	at := testkit.At("2026-03-01 12:00")
	x := storage.Simul{Gathering: storage.Gathering{ID: 1 << 60},
		Simul: simul.New(1<<60, game.Terms{Rules: game.Gomoku15, Clock: game.PerMove(time.Hour)}, at)}
	x.Started = at
	links := map[game.MatchID]string{}
	for i := range simul.MaxOpponents {
		o := simul.Opponent{Member: game.MemberID(1<<60 + i), Match: game.MatchID(1<<60 + i), Result: simul.Result(i % 4)}
		x.Opponents = append(x.Opponents, o)
		links[o.Match] = view.Jump(venue.Place{Server: 1 << 60, Channel: 1 << 60}, 1<<60)
	}
	for _, lang := range texts.Tags() {
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

// Of the boards that wait for an absent giver, the first calls.
func TestFirstBoardCalls(t *testing.T) {
	store := storagetest.Memory(t)
	at, place := time.Now(), venue.Place{Server: 1, Channel: 2}
	terms := game.Terms{Rules: game.Gomoku9, First: game.Black}
	x := storage.Simul{Gathering: storage.Gathering{Place: place, ID: 5}, Simul: simul.New(1, terms, at)}
	_, err := storage.Simuls.Begin(t.Context(), store, time.Now(), x)
	testkit.Must(t, err)
	begin := func(x storage.Simul) (storage.Simul, error) {
		for m := range game.MemberID(3) {
			if x.Simul, err = x.Join(m+2, at); err != nil {
				return x, err
			}
		}
		x.Simul, err = x.Start(1, at)
		return x, err
	}
	testkit.Got(storage.Simuls.Update(t.Context(), store, place, storage.Cause{At: at}, begin))
	s := New(Config{Base: room.Base{Store: store}})
	for n := range 3 {
		_, id, err := store.SettleSimul(t.Context(), place, at, terms)
		testkit.Must(t, err)
		rec := testkit.Got(store.Match(t.Context(), id))
		if first, err := s.Calls(t.Context(), rec, 0); err != nil || first != (n == 0) {
			t.Errorf("board %d calls %v, %v", n+1, first, err)
		}
	}
}
