package events

import (
	"slices"
	"strings"
	"testing"

	"tengen/bot/view"
	"tengen/game"
	"tengen/game/event"
	"tengen/internal/testkit"
	"tengen/storage"
)

// played is an event of members 1, 2, ... with the rating of 1 the highest; the bot has the number of
// bot, if any. Of two who meet, beats says whether the first wins.
func played(t *testing.T, terms event.Terms, entrants, bot int, beats func(a, b int) event.Result) storage.Event {
	t.Helper()
	e := storage.Event{Event: event.Event{Terms: terms}}
	var err error
	for number := 1; number <= entrants; number++ {
		seat := game.SeatFor(game.MemberID(number))
		if number == bot {
			seat = game.SeatEngine(3)
		}
		e.Event, _, err = e.Enter(seat, float64(-number), noon)
		testkit.Must(t, err)
	}
	for !e.Ended {
		e.Event, err = e.Next(nil, noon)
		testkit.Must(t, err)
		for round, boards := range e.Paired {
			for i, b := range boards {
				if b.Open() {
					won := beats(b.White, b.Black)
					lost := map[event.Result]event.Result{event.Win: event.Loss, event.Loss: event.Win, event.Draw: event.Draw,
						event.ForfeitWin: event.ForfeitLoss, event.ForfeitLoss: event.ForfeitWin}[won]
					e.Event, err = e.Record(event.Report{Round: round, Board: i, White: won, Black: lost}, noon)
					testkit.Must(t, err)
				}
			}
		}
	}
	return e
}

func stronger(a, b int) event.Result {
	if a < b {
		return event.Win
	}
	return event.Loss
}

// The end names the first three, those who share a place with one another, and the best member where
// a bot is first.
func TestWinners(t *testing.T) {
	circle := func(a, b int) event.Result {
		if b == a%3+1 {
			return event.Win
		}
		return event.Loss
	}
	robin := event.Terms{Kind: event.KindRoundRobin}
	for _, c := range []struct {
		name string
		e    storage.Event
		want []string
	}{
		{"a circle", played(t, robin, 3, 0, circle), []string{"🥇 <@1>, <@2> and <@3> share the first place, out of 3 players. Congratulations!"}},
		{"a row", played(t, robin, 4, 0, stronger), []string{"🥇 <@1> won, out of 4 players. Congratulations!", "🥈 <@2>", "🥉 <@3>"}},
		{"who never came has no place", played(t, robin, 3, 0, func(a, b int) event.Result {
			if max(a, b) == 3 {
				return map[event.Result]event.Result{event.Win: event.ForfeitWin, event.Loss: event.ForfeitLoss}[stronger(a, b)]
			}
			return stronger(a, b)
		}), []string{"🥇 <@1> won, out of 3 players. Congratulations!", "🥈 <@2>"}},
		{"a bot first", played(t, robin, 3, 1, stronger), []string{"🥇 Bot (level 3) won, out of 3 players. Congratulations!", "🥈 <@2>", "🥉 <@3>", "Best of the members: <@2>, place 2."}},
		{"a bot among the first", played(t, robin, 3, 1, circle), []string{"🥇 Bot (level 3), <@2> and <@3> share the first place, out of 3 players. Congratulations!"}},
		{"shared thirds", played(t, event.Terms{Kind: event.KindKnockout}, 4, 0, stronger), []string{"🥇 <@1> won, out of 4 players. Congratulations!", "🥈 <@2>", "🥉 <@3> and <@4>"}},
		{"two first, so nobody is second", played(t, robin, 3, 0, func(a, b int) event.Result {
			if a+b == 3 {
				return event.Draw
			}
			return stronger(a, b)
		}), []string{"🥇 <@1> and <@2> share the first place, out of 3 players. Congratulations!", "🥉 <@3>"}},
	} {
		if got := strings.Split(winners(view.In("en"), c.e), "\n"); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Those in front are five; who shares the last of these places is counted.
func TestLeaders(t *testing.T) {
	e := played(t, event.Terms{Kind: event.KindSwiss, Rounds: 1}, 14, 0, stronger)
	got := leaders(view.In("en"), e)
	if len(got) != 1+listedStandings || got[1] != "1\\. <@1> · 1" || got[5] != "1\\. <@5> (and 2 more) · 1" {
		t.Errorf("%q", got)
	}
	e = played(t, event.Terms{Kind: event.KindRoundRobin}, 6, 0, stronger)
	if got := leaders(view.In("en"), e); got[5] != "5\\. <@5> · 1" {
		t.Errorf("%q", got)
	}
}

// The list beside the picture has what decides between equal points, and one line that says how it is
// counted; forfeits are explained where there are some.
func TestTieBreaks(t *testing.T) {
	e := played(t, event.Terms{Kind: event.KindSwiss, Rounds: 2}, 4, 0, stronger)
	_, legend, _, err := standingsPicture(view.In("en"), e, 0)
	want := "1\\. `#1` <@1> · 2\n2\\. `#2` <@2> · 1 (2 · 2 · 0 · 1)\n2\\. `#3` <@3> · 1 (2 · 2 · 0 · 1)\n" +
		"4\\. `#4` <@4> · 0\n-# Equal points: in brackets"
	if err != nil || !strings.HasPrefix(legend, want) || strings.Contains(legend, "forfeit") {
		t.Errorf("%v\n%s\nwant\n%s", err, legend, want)
	}
	for kind, want := range map[event.Kind]string{event.KindRoundRobin: "-# `+` won and `−` lost by forfeit",
		event.KindKnockout: "-# `+` won and `−` lost by forfeit"} {
		e := played(t, event.Terms{Kind: kind}, 4, 0, func(a, b int) event.Result {
			if a+b == 5 {
				return map[event.Result]event.Result{event.Win: event.ForfeitWin, event.Loss: event.ForfeitLoss}[stronger(a, b)]
			}
			return stronger(a, b)
		})
		p, legend, _, err := standingsPicture(view.In("en"), e, 0)
		if err != nil || !strings.Contains(legend, want) || strings.Contains(legend, "Equal points") {
			t.Errorf("%v: %v %s", kind, err, legend)
		}
		if kind == event.KindKnockout && !strings.Contains(p.Alt,
			"number 1 passed number 4 by forfeit and number 2 passed number 3 by forfeit. Round 2: number 1 beat number 2.") {
			t.Errorf("the picture is described as %s", p.Alt)
		}
	}
}

// A member reads whether others share their place; not before anybody has a point, and in a knockout not
// before the end.
func TestPlaced(t *testing.T) {
	e := played(t, event.Terms{Kind: event.KindKnockout}, 4, 0, stronger)
	over := []string{"place 1, points: 2", "place 2, points: 1", "shared place 3, points: 0"}
	for i, want := range over {
		if got := placed(view.In("en"), e, i+1); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		running := e
		running.Ended = false
		testkit.Want(t, "while it goes on", placed(view.In("en"), running, i+1), "")
	}
	testkit.Want(t, "somebody else", placed(view.In("en"), e, 5), "")
}
