package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tengen/ai/guest"
	"tengen/bot/demo"
	"tengen/bot/standin"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/event"
	"tengen/internal/browser"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/storagetest"
)

// eight is a demo of eight members, of whom a browser shows one.
type eight struct {
	t     *testing.T
	h     *demoHouse
	store *storage.Store
	names map[game.MemberID]string
	ann   *browser.Tab
}

var eightNames = []string{"Ann", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gwen", "Hugo"}

// openEight opens the demo with eight members.
func openEight(t *testing.T, b *browser.Browser) *eight {
	if os.Getenv("TENGEN_FULL") == "" {
		t.Skip("TENGEN_FULL is not set; with TENGEN_EVERY_PART=1 too it plays all four events")
	}
	h := testkit.Got(openDemo(t.Context(), t.TempDir(), demo.Options{Members: len(eightNames)}, &guest.Guests{},
		slog.New(slog.DiscardHandler)))
	t.Cleanup(h.close)
	web := httptest.NewServer(h.page)
	t.Cleanup(web.Close)
	store := storagetest.Store(t, h.file)
	e := &eight{t, h, store, map[game.MemberID]string{}, b.Tab("Ann", web.URL+"/?as=Ann&in=gomoku", 1280, 860)}
	for _, name := range eightNames {
		r := testkit.Got(h.discord.Act(t.Context(), standin.Action{Do: "member", As: name}))
		e.names[game.MemberID(testkit.Got(strconv.ParseUint(r.IDs[0], 10, 64)))] = name
	}
	e.ann.Sees("Play against the bot")
	return e
}

// fits reports what Discord would have refused.
func (e *eight) fits() {
	for _, v := range e.h.discord.Violations() {
		e.t.Errorf("Discord would have refused: %v", v)
	}
}

// demoEight plays a round robin in which three beat one another in a circle, and a knockout, each with a
// member who leaves. It takes a while: TENGEN_FULL=1.
func demoEight(t *testing.T, b *browser.Browser) {
	e := openEight(t, b)
	e.host("Circle of three", "robin")
	e.play("Circle of three", func(round int, a, b int) bool {
		if max(a, b) <= 3 {
			return b == a%3+1
		}
		return a < b
	})
	e.shows("share the first place, out of 8 players", "eight-robin")
	e.standings("Circle of three", "Equal points: in brackets", "eight-robin-standings")

	e.host("Autumn cup", "knockout")
	e.play("Autumn cup", func(round int, a, b int) bool { return (a < b) != (round == 2) })
	e.shows("won, out of 8 players", "eight-knockout")
	e.standings("Autumn cup", "lost by forfeit", "eight-knockout-standings")
	e.fits()
}

// demoAway plays an arena and a Swiss event of a minute a move to which some never come: nobody wins by staying
// away, and nobody aborts a game. It takes some minutes: TENGEN_FULL=1.
func demoAway(t *testing.T, b *browser.Browser) {
	e := openEight(t, b)
	minute := standin.Value{Name: "pace", Value: "1m"}

	e.host("Rush", "arena", minute)
	now := e.until("Rush", "the first boards", func(x storage.Event) bool { return len(x.Paired) > 0 && !x.Owes() })
	for _, m := range now.Matches[0][:2] { // who forfeits sets the other one free, and all four go on
		who, _ := e.sides(m.Match)
		e.refusesAbort(who, m.Match)
		e.gives(who, m.Match, "Forfeit")
	}
	now = e.until("Rush", "the next wave", func(x storage.Event) bool { return len(x.Paired) > 1 && !x.Owes() })
	for i, b := range now.Paired[0][:2] {
		if b.Results != [2]event.Result{event.ForfeitWin, event.ForfeitLoss} &&
			b.Results != [2]event.Result{event.ForfeitLoss, event.ForfeitWin} {
			t.Errorf("board %d: %q, want a point for the one who did not forfeit", i+1, b.Results)
		}
	}
	away, _ := e.sides(now.Matches[0][2].Match)
	e.until("Rush", away+" to pause", func(x storage.Event) bool { return e.state(x, away) == event.Paused })
	e.shows("Pausing:", "eight-arena-away")
	e.as(away, standin.Action{Do: "press", At: e.message("Rush"), Name: "I am back"})
	e.until("Rush", away+" to be back", func(x storage.Event) bool { return e.state(x, away) == event.Active })

	e.host("Fast cup", "swiss", minute)
	now = e.until("Fast cup", "the boards", func(x storage.Event) bool { return len(x.Paired) > 0 && !x.Owes() })
	_, here := e.sides(now.Matches[0][2].Match)
	e.as(here, standin.Action{Do: "press", At: e.message("Fast cup"), Name: "I am here"})
	e.moves(now.Matches[0][3].Match)
	who, _ := e.sides(now.Matches[0][3].Match)
	e.refusesAbort(who, now.Matches[0][3].Match)
	e.gives(who, now.Matches[0][3].Match, "Resign")
	now = e.until("Fast cup", "round 1 to end", func(x storage.Event) bool { return len(x.Paired) > 1 })
	for i, b := range now.Paired[0] {
		if nobody := b.Results == [2]event.Result{event.ForfeitLoss, event.ForfeitLoss}; nobody != (i < 2) {
			t.Errorf("board %d: %q: both have lost where neither came, and nowhere else", i+1, b.Results)
		}
	}
	e.shows("In front", "eight-swiss-away")
	e.fits()
}

// until waits until an event is as wanted, longer than a clock of a minute runs, and gives it.
func (e *eight) until(name, what string, wanted func(storage.Event) bool) (now storage.Event) {
	e.t.Helper()
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if now = e.event(name); wanted(now) {
			return now
		}
	}
	e.t.Fatalf("%s: waited in vain for %s", name, what)
	return now
}

// event is an event as it is stored.
func (e *eight) event(name string) (now storage.Event) {
	e.t.Helper()
	testkit.Must(e.t, e.store.Events(e.t.Context(), func(x storage.Event) bool {
		if x.Name == name {
			now = x
		}
		return true
	}))
	return now
}

// state is the state of a member in an event.
func (e *eight) state(x storage.Event, name string) event.State {
	i := slices.IndexFunc(x.Entrants, func(n event.Entrant) bool { return e.names[n.Seat.Member] == name })
	return x.Entrants[i].State
}

// sides are who is to move in a game, and the other one.
func (e *eight) sides(id game.MatchID) (mover, waiter string) {
	rec := testkit.Got(e.store.Match(e.t.Context(), id))
	return e.names[rec.Seats[rec.ToMove()].Member], e.names[rec.Seats[1-rec.ToMove()].Member]
}

// moves has both sides of a game move once: who gives up before that forfeits.
func (e *eight) moves(id game.MatchID) {
	e.t.Helper()
	for _, point := range []string{"e5", "e6"} {
		who, _ := e.sides(id)
		e.as(who, standin.Action{Do: "slash", At: demo.Home, Name: "/move at:" + point + " game:" + view.Key(id)})
	}
}

// gives has a member give a game up.
func (e *eight) gives(who string, id game.MatchID, button string) {
	e.t.Helper()
	e.as(who, standin.Action{Do: "slash", At: demo.Home, Name: "/game do:resign game:" + view.Key(id)})
	e.as(who, standin.Action{Do: "press", At: demo.Home, Name: button})
}

// refusesAbort has a member try to abort a game. Ann, who is the host, would be asked whether to replay it.
func (e *eight) refusesAbort(who string, id game.MatchID) {
	e.t.Helper()
	if who == "Ann" {
		return
	}
	a := e.as(who, standin.Action{Do: "slash", At: demo.Home, Name: "/game do:abort game:" + view.Key(id)})
	if text, err := json.Marshal(a.Message); err != nil || !strings.Contains(string(text), "cannot be aborted") {
		e.t.Errorf("%s aborts: %s %v", who, text, err)
	}
}

// as does something as a member.
func (e *eight) as(name string, a standin.Action) *standin.Answer {
	e.t.Helper()
	a.As, a.For = name, time.Minute
	r, err := e.h.discord.Act(e.t.Context(), a)
	if err != nil || r.Answer != nil && r.Answer.Failed != "" {
		e.t.Fatalf("%s: %s %s: %v %+v", name, a.Do, a.Name, err, r.Answer)
	}
	return r.Answer
}

// host makes an event whose games are in the channel, has all enter it, and starts it.
func (e *eight) host(name, kind string, more ...standin.Value) {
	fill := func(form *standin.Answer, fields ...standin.Value) {
		e.as("Ann", standin.Action{Do: "submit", Modal: form.Interaction, Options: fields})
	}
	e.as("Ann", standin.Action{Do: "slash", At: demo.Home, Name: "/event"})
	fill(e.as("Ann", standin.Action{Do: "press", At: demo.Home, Name: "New tournament"}), append(more,
		standin.Value{Name: "name", Value: name}, standin.Value{Name: "kind", Value: kind},
		standin.Value{Name: "game", Value: "gomoku9"})...)
	fill(e.as("Ann", standin.Action{Do: "press", At: demo.Home, Name: "Settings…"}),
		standin.Value{Name: "extra", Value: "casualHere"})
	message := e.message(name)
	for _, who := range eightNames {
		e.as(who, standin.Action{Do: "press", At: message, Name: "Join"})
	}
	e.shows("8 joined", "eight-"+kind+"-joined")
	e.as("Ann", standin.Action{Do: "press", At: message, Name: "Manage"})
	e.as("Ann", standin.Action{Do: "choose", At: demo.Home, Name: "What would you like to do?", Values: []string{"Start"}})
}

// message is the id of an event's message, once it is there.
func (e *eight) message(name string) (id string) {
	testkit.Eventually(e.t, "the message of "+name, func() bool {
		r, err := e.h.discord.Act(e.t.Context(), standin.Action{Do: "messages", As: "Ben", At: demo.Home})
		for _, m := range r.Messages {
			if text, bad := json.Marshal(m.Components); bad == nil && strings.Contains(string(text), "🏆 "+name) {
				id = m.ID
			}
		}
		return err == nil && id != ""
	})
	return id
}

// play plays an event to its end: in each game the one resigns whom the other beats. Before the second round
// the last member leaves, or the first who has not lost.
func (e *eight) play(name string, beats func(round, a, b int) bool) {
	left := false
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		now := e.event(name)
		if now.Ended {
			return
		}
		round := len(now.Paired) - 1
		if round == 1 && !left {
			left = true
			gone := now.Paired[1][0].White
			if now.Kind == event.KindRoundRobin {
				gone = len(now.Entrants)
			}
			e.shows("In front", "eight-running", now.Kind == event.KindRoundRobin)
			e.as(eightNames[gone-1], standin.Action{Do: "press", At: e.message(name), Name: "My games"})
			e.as(eightNames[gone-1], standin.Action{Do: "press", At: demo.Home, Name: "Leave"})
			e.as(eightNames[gone-1], standin.Action{Do: "press", At: demo.Home, Name: "Leave"})
			continue
		}
		for i, b := range now.Paired[max(round, 0)] {
			if id := now.Matches[round][i].Match; b.Open() && id != 0 {
				loser := b.White
				if beats(round, b.White, b.Black) {
					loser = b.Black
				}
				rec, err := e.store.Match(e.t.Context(), id)
				if err != nil || rec.Phase != game.Playing {
					continue
				}
				e.moves(id)
				e.gives(eightNames[loser-1], id, "Resign")
			}
		}
	}
	e.t.Fatalf("%s does not end", name)
}

// shows waits until the newest message of an event says something, on a desk and on a phone, where nothing
// sticks out at the side.
func (e *eight) shows(text, name string, wanted ...bool) {
	e.t.Helper()
	if len(wanted) > 0 && !wanted[0] {
		return
	}
	e.picture(`[...document.querySelectorAll("#messages .message")].filter((n) => n.querySelector("[role=heading]")?.innerText.includes("🏆")).pop()`, text, name)
}

func (e *eight) picture(message, text, name string) {
	e.t.Helper()
	for _, size := range [][2]int{{390, 844}, {1280, 860}} {
		e.ann.Resize(size[0], size[1])
		e.ann.Until(fmt.Sprintf(`%s?.innerText.includes(%q) && document.documentElement.scrollWidth === innerWidth`,
			message, text))
		e.ann.Until(`[...document.querySelectorAll("#messages img")].every((i) => i.complete)`)
		e.ann.Eval(message + `.scrollIntoView({block: "end"})`)
		e.ann.Shot(fmt.Sprintf("%s-%d", name, size[0]))
	}
}

// standings opens the table of an event for Ann.
func (e *eight) standings(name, text, shot string) {
	e.as("Ann", standin.Action{Do: "press", At: e.message(name), Name: "Standings"})
	e.picture(lastMessage, text, shot)
}
