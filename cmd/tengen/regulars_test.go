package main

import (
	"log/slog"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"tengen/ai"
	"tengen/ai/engine"
	"tengen/ai/guest"
	"tengen/bot/demo"
	"tengen/bot/regulars"
	"tengen/bot/standin"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/event"
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
		r := testkit.Got(h.discord.Act(t.Context(), standin.Action{Do: "member", As: name}))
		c.ids[name] = game.MemberID(number(r.IDs[0]))
	}
	places := testkit.Got(h.discord.Act(t.Context(), standin.Action{Do: "places"}))
	i := slices.IndexFunc(places.Places, func(p standin.Place) bool { return p.Name == demo.Home })
	server := testkit.Got(h.discord.Act(t.Context(), standin.Action{Do: "server"}))
	c.place = venue.Place{Server: number(server.IDs[0]), Channel: number(places.Places[i].ID)}
	if o.Pace == (regulars.Span{}) {
		o.Pace = quick
	}
	o.Log, o.Seed = slog.New(slog.NewTextHandler(t.Output(), nil)), 1
	testkit.Must(t, h.meet(t.Context(), o))
	t.Cleanup(func() {
		for _, v := range h.discord.Violations() {
			t.Errorf("Discord would have refused: %v", v)
		}
	})
	return c
}

func number(s string) uint64 {
	return testkit.Got(strconv.ParseUint(s, 10, 64))
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

// playsOn has Ann play her games until a test is content: as a beginner does.
func (c *club) playsOn(what string, until func() bool) {
	c.t.Helper()
	testkit.Eventually(c.t, what, func() bool {
		if until() {
			return true
		}
		for _, rec := range c.running() {
			seat, _ := rec.SeatOf(c.ids["Ann"])
			if waits, ok := rec.WaitsFor(); !ok || waits != seat {
				continue
			}
			if rec.Undoing.Open {
				c.annPresses(rec, "undoyes", "")
				continue
			}
			report := testkit.Got(ai.Search(c.t.Context(), rec.Game(), ai.Limits{Level: 1, Seed: 1, Memory: 1 << 20}))
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
	c.annUses("/play", standin.Value{Name: "opponent", Value: "@Ben"},
		standin.Value{Name: "game", Value: "gomoku9"})
	c.playsOn("the end of the game", func() bool { return c.ended("Ann", 1) })
	c.ann(standin.Action{Do: "press", Name: "Rematch"})
	c.playsOn("the end of the rematch", func() bool { return c.ended("Ann", 2) })
}

// ended reports whether a member has so many finished games.
func (c *club) ended(name string, n int) bool {
	return len(testkit.Got(c.h.store.History(c.t.Context(), c.ids[name], 0, n))) >= n
}

// event gives the only tournament as it stands.
func (c *club) event() func() storage.Event {
	return func() (now storage.Event) {
		testkit.Must(c.t, c.h.store.Events(c.t.Context(), func(e storage.Event) bool { now = e; return true }))
		return now
	}
}

// running are the games that Ann plays.
func (c *club) running() []storage.Record {
	all := testkit.Got(c.h.store.Of(c.t.Context(), c.ids["Ann"]))
	return slices.DeleteFunc(all, func(rec storage.Record) bool { return rec.Phase != game.Playing })
}

// cup has Ann make a knockout, which all others enter, and start it.
func (c *club) cup(enters bool) func() storage.Event {
	c.t.Helper()
	c.annUses("/event")
	form := c.ann(standin.Action{Do: "press", Name: "New tournament"})
	c.ann(standin.Action{Do: "submit", Modal: form.Interaction, Options: []standin.Value{{Name: "name", Value: "Cup"},
		{Name: "kind", Value: "knockout"}, {Name: "game", Value: "gomoku9"}}})
	all := len(c.h.page.Others())
	if enters {
		c.ann(standin.Action{Do: "press", Name: "Join"})
		all++
	}
	cup := c.event()
	testkit.Eventually(c.t, "all to enter", func() bool { return len(cup().Entrants) == all })
	c.ann(standin.Action{Do: "press", Name: "Manage"})
	c.ann(standin.Action{Do: "choose", Name: "What would you like to do?", Values: []string{"Start"}})
	return cup
}

// What they are asked is answered: whether a move may be taken back, and whether the game is a draw.
func TestRegularsAnswerOffers(t *testing.T) {
	t.Parallel()
	c := openClub(t, regulars.Options{})
	c.annUses("/play", standin.Value{Name: "opponent", Value: "@Ben"}, standin.Value{Name: "color", Value: "black"})
	c.playsOn("a few moves", func() bool {
		games := c.running()
		return len(games) == 1 && games[0].Played() >= 4
	})
	for _, offer := range []string{"/undo", "/game do:draw"} {
		c.annUses(offer)
		testkit.Eventually(t, offer+" to be answered", func() bool {
			games := c.running()
			return len(games) == 0 || games[0].DrawBy == 0 && !games[0].Undoing.Open
		})
	}
}

// They enter a tournament, and play its games to the end.
func TestRegularsEnter(t *testing.T) {
	t.Parallel()
	c := openClub(t, regulars.Options{})
	cup := c.cup(true)
	c.playsOn("the end of the tournament", func() bool { return cup().Ended })
	testkit.Want(t, "rounds", len(cup().Paired), 3)
	for r, round := range cup().Paired {
		for _, b := range round {
			if b.Results[0] == event.ForfeitWin || b.Results[1] == event.ForfeitWin {
				t.Errorf("round %d: %+v: a board was not played", r+1, b)
			}
		}
	}
}

// They join a ladder, and challenge who stands above them, a visitor first.
func TestRegularsClimb(t *testing.T) {
	t.Parallel()
	c := openClub(t, regulars.Options{Ideas: quick, Leave: quick})
	c.annUses("/ladder", standin.Value{Name: "game", Value: "gomoku9"})
	form := c.ann(standin.Action{Do: "press", Name: "Set up"})
	c.ann(standin.Action{Do: "submit", Modal: form.Interaction})
	c.annUses("/ladder")
	c.ann(standin.Action{Do: "press", Name: "Join"})
	ladder := func() storage.Ladder {
		return testkit.Got(c.h.store.Ladder(t.Context(), c.place.Server, game.Gomoku9))
	}
	testkit.Eventually(t, "all to join", func() bool { return len(ladder().Rungs) == 8 })
	c.h.others.Opened("Ann") // she looks, and they have ideas
	testkit.Eventually(t, "a challenge", func() bool { return len(ladder().Active) > 0 })
	c.ann(standin.Action{Do: "press", Name: "Accept"})
	c.playsOn("a game of the ladder", func() bool { return len(ladder().Met) > 0 })
}

// They vote where the channel plays together, and join a simul.
func TestRegularsGather(t *testing.T) {
	t.Parallel()
	c := openClub(t, regulars.Options{})
	c.annUses("/play with:channel", standin.Value{Name: "game", Value: "gomoku9"},
		standin.Value{Name: "color", Value: "black"})
	testkit.Eventually(t, "seven votes", func() bool {
		one, err := storage.Togethers.In(t.Context(), c.h.store, c.place)
		return err == nil && len(one.Votes) == 7
	})
	c.annUses("/play with:many", standin.Value{Name: "game", Value: "gomoku9"})
	testkit.Eventually(t, "seven opponents", func() bool {
		one, err := storage.Simuls.In(t.Context(), c.h.store, c.place)
		return err == nil && len(one.Opponents) == 7
	})
	c.ann(standin.Action{Do: "press", Name: "Start"})
	c.playsOn("the end of two of its games", func() bool { return c.ended("Ann", 2) })
}

// Who is acted as does nothing by themselves until let go.
func TestRegularsAreActedAs(t *testing.T) {
	t.Parallel()
	c := openClub(t, regulars.Options{})
	c.h.others.Opened("Ben")
	c.annUses("/play", standin.Value{Name: "opponent", Value: "@Ben"})
	c.annUses("/play", standin.Value{Name: "opponent", Value: "@Cleo"})
	playing := func(name string) bool {
		all := testkit.Got(c.h.store.Of(t.Context(), c.ids[name]))
		return slices.ContainsFunc(all, func(rec storage.Record) bool { return rec.Phase == game.Playing })
	}
	testkit.Eventually(t, "Cleo to accept", func() bool { return playing("Cleo") })
	if playing("Ben") {
		t.Error("Ben accepts while somebody else is Ben")
	}
	c.h.others.Closed("Ben")
	testkit.Eventually(t, "Ben to accept", func() bool { return playing("Ben") })
}

// A visitor who takes what is offered to everybody, and members who go away and come back.
func TestRegularsHaveIdeas(t *testing.T) {
	t.Parallel()
	c := openClub(t, regulars.Options{Ideas: quick, Leave: quick})
	feed := c.h.discord.Feed(t.Context(), "Ann")
	c.h.others.Opened("Ann")
	c.ann(standin.Action{Do: "press", Name: "Play"})
	c.playsOn("the end of the game", func() bool { return c.ended("Ann", 1) })
	away := 0
	for away < 2 { // gone, and back
		if e, ok := <-feed.C; !ok || e.Kind == "people" {
			away++
		}
	}
}

// Members who rest sleep: each wakes once for each thing that happens before their eyes, and never by time.
func TestRegularsRest(t *testing.T) {
	t.Parallel()
	c := openClub(t, regulars.Options{})
	others := int64(len(c.h.page.Others()))
	c.ann(standin.Action{Do: "say", Text: "Hello?"})
	testkit.Eventually(t, "all to have heard it", func() bool { return c.h.others.Woken() >= others })
	before := c.h.others.Woken()
	for n := range int64(20) {
		c.ann(standin.Action{Do: "say", Text: "Anybody?"})
		testkit.Eventually(t, "all to have heard it", func() bool { return c.h.others.Woken() >= before+(n+1)*others })
	}
	testkit.Want(t, "how often they woke", c.h.others.Woken()-before, 20*others)
}

// What members who answer cost while nobody looks: at rest, and in a tournament at their usual pace. It measures for
// a minute: TENGEN_FULL=1.
func TestRegularsCost(t *testing.T) {
	if os.Getenv("TENGEN_FULL") == "" {
		t.Skip("TENGEN_FULL is not set")
	}
	c := openClub(t, regulars.Options{Pace: regulars.Span{Least: time.Second, Most: 4 * time.Second}})
	others := float64(len(c.h.page.Others()))
	share := func(what string, bound float64) {
		t.Helper()
		began, used, woken := time.Now(), engine.ProcessTime(), c.h.others.Woken()
		time.Sleep(20 * time.Second)
		each := 100 * (engine.ProcessTime() - used).Seconds() / time.Since(began).Seconds() / others
		t.Logf("%s: %.2f %% of a core for each of them, with the bot's work; woken %d times", what, each,
			c.h.others.Woken()-woken)
		if each > bound {
			t.Errorf("%s: %.2f %% of a core each, want at most %.0f %%", what, each, bound)
		}
	}
	share("at rest", 1)
	c.cup(false)
	share("in a tournament", 1)
}
