package main

import (
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tengen/ai"
	"tengen/ai/guest"
	"tengen/bot/demo"
	"tengen/bot/regulars"
	"tengen/bot/standin"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage"
)

// club is a demo whose regulars are quick, and Ann in it.
type club struct {
	t     *testing.T
	h     *demoHouse
	place venue.Place // #gomoku
	ids   map[string]game.MemberID
}

// quick is the pace of regulars in tests.
var quick = regulars.Span{Least: time.Millisecond, Most: 5 * time.Millisecond}

// openClub opens it. Ann looks at it where looked is set.
func openClub(t *testing.T, o regulars.Options) *club {
	t.Helper()
	h, err := openDemo(t.Context(), t.TempDir(), demo.Options{}, &guest.Guests{}, slog.New(slog.DiscardHandler))
	testkit.Must(t, err)
	t.Cleanup(h.close)
	c := &club{t: t, h: h, ids: map[string]game.MemberID{}}
	for _, name := range append(h.page.Others(), "Ann") {
		r, err := h.discord.Act(t.Context(), standin.Action{Do: "member", As: name})
		testkit.Must(t, err)
		c.ids[name] = game.MemberID(number(t, r.IDs[0]))
	}
	places, err := h.discord.Act(t.Context(), standin.Action{Do: "places"})
	testkit.Must(t, err)
	i := slices.IndexFunc(places.Places, func(p standin.Place) bool { return p.Name == demo.Home })
	server, err := h.discord.Act(t.Context(), standin.Action{Do: "server"})
	testkit.Must(t, err)
	c.place = venue.Place{Server: number(t, server.IDs[0]), Channel: number(t, places.Places[i].ID)}
	o.Pace, o.Log, o.Seed = quick, slog.New(slog.NewTextHandler(t.Output(), nil)), 1
	testkit.Must(t, h.meet(t.Context(), o))
	t.Cleanup(func() {
		for _, v := range h.discord.Violations() {
			t.Errorf("Discord would have refused: %v", v)
		}
	})
	return c
}

func number(t *testing.T, s string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(s, 10, 64)
	testkit.Must(t, err)
	return n
}

// ann has Ann do something.
func (c *club) ann(a standin.Action) *standin.Answer {
	c.t.Helper()
	a.As, a.For = "Ann", time.Minute
	if a.At == "" {
		a.At = demo.Home
	}
	r, err := c.h.discord.Act(c.t.Context(), a)
	if err != nil || r.Answer != nil && r.Answer.Failed != "" {
		c.t.Fatalf("Ann: %s %s: %v %+v", a.Do, a.Name, err, r.Answer)
	}
	return r.Answer
}

func (c *club) annUses(line string, options ...standin.Value) *standin.Answer {
	c.t.Helper()
	return c.ann(standin.Action{Do: "slash", Name: line, Options: options})
}

// matches are those of Ann that a test wants.
func (c *club) matches(want func(storage.Record) bool) (found []storage.Record) {
	c.t.Helper()
	all, err := c.h.store.Of(c.t.Context(), c.ids["Ann"])
	testkit.Must(c.t, err)
	return slices.DeleteFunc(all, func(rec storage.Record) bool { return !want(rec) })
}

// playsOn has Ann play her games until a test is content: always the first point that is free.
func (c *club) playsOn(what string, until func() bool) {
	c.t.Helper()
	testkit.Eventually(c.t, what, func() bool {
		if until() {
			return true
		}
		for _, rec := range c.matches(func(rec storage.Record) bool { return rec.Phase == game.Playing }) {
			seat, _ := rec.SeatOf(c.ids["Ann"])
			if waits, ok := rec.WaitsFor(); !ok || waits != seat {
				continue
			}
			if rec.Undoing.Open {
				c.annPresses(rec, "undoyes", "")
				continue
			}
			report, err := ai.Search(c.t.Context(), rec.Game(), ai.Limits{Level: 1, Seed: 1, Memory: 1 << 20})
			testkit.Must(c.t, err)
			c.annPresses(rec, "play", report.Move.String())
		}
		return false
	})
}

// annPresses has Ann press a button of a match, once its message is there.
func (c *club) annPresses(rec storage.Record, verb, arg string) {
	c.t.Helper()
	screen, err := c.h.store.Screen(c.t.Context(), rec.ID)
	if err == nil && screen.Message != 0 {
		_, err = c.h.discord.Act(c.t.Context(), standin.Action{Do: "press", As: "Ann", Raw: true,
			At: strconv.FormatUint(screen.Message, 10), Name: view.On(rec.Match, verb, arg)})
	}
	testkit.Must(c.t, err)
}

// A challenge to one of them is taken, played to its end, and played again.
func TestRegularsPlay(t *testing.T) {
	t.Parallel()
	c := openClub(t, regulars.Options{})
	c.annUses("/play member", standin.Value{Name: "opponent", Value: "@Ben"}, standin.Value{Name: "game", Value: "gomoku9"})
	over := func(rec storage.Record) bool { return rec.Phase == game.Over }
	c.playsOn("the end of the game", func() bool { return len(c.matches(over)) == 1 || c.ended("Ann", 1) })
	c.t.Log("over")
	c.ann(standin.Action{Do: "press", Name: "Rematch"})
	c.playsOn("the end of the rematch", func() bool { return c.ended("Ann", 2) })
}

// ended reports whether a member has so many finished games.
func (c *club) ended(name string, n int) bool {
	c.t.Helper()
	list, err := c.h.store.History(c.t.Context(), c.ids[name], 0, n)
	testkit.Must(c.t, err)
	return len(list) >= n
}

var _ = strings.TrimSpace
