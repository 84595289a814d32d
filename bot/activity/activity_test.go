package activity

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/chat"
	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/tasks"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/storagetest"
)

// discord is what Discord would say.
type discord struct {
	live  map[string]chat.Instance
	late  time.Time // until then the lists are empty
	codes map[string]game.MemberID
	asked int
	fails error
}

func (d *discord) Instance(_ context.Context, id string) (chat.Instance, error) {
	d.asked++
	in, ok := d.live[id]
	switch {
	case d.fails != nil:
		return in, d.fails
	case !ok:
		return in, &chat.Error{Trouble: chat.Gone}
	case time.Now().Before(d.late):
		in.Users = nil
	}
	return in, nil
}

func (d *discord) Member(_ context.Context, code string) (game.MemberID, error) {
	if by, ok := d.codes[code]; ok {
		return by, nil
	}
	return 0, &chat.Error{Trouble: chat.Refused}
}

var (
	here  = venue.Place{Server: 900, Channel: 901}
	there = venue.Place{Server: 900, Channel: 902}
	alone = venue.Place{Channel: 903}
)

// named is the name of an instance in a place that was launched a while ago.
func named(p venue.Place, ago time.Duration) string {
	launch := venue.IDAt(time.Now().Add(-ago))
	if p.Server == 0 {
		return fmt.Sprintf("i-%d-pc-%d", launch, p.Channel)
	}
	return fmt.Sprintf("i-%d-gc-%d-%d", launch, p.Server, p.Channel)
}

type house struct {
	*Activity
	discord *discord
	store   *storage.Store
}

func open(t *testing.T) house {
	t.Helper()
	d := &discord{live: map[string]chat.Instance{}, codes: map[string]game.MemberID{"ann": 1, "bob": 2}}
	store := storagetest.Memory(t)
	return house{New(Config{Discord: d, Store: store, Now: time.Now, Sleep: tasks.Sleep}), d, store}
}

// begins begins a match between 1 and 2.
func (h house) begins(t *testing.T, p venue.Place) game.MatchID {
	t.Helper()
	rec, err := h.store.Create(t.Context(), storage.Cause{At: time.Now()}, p,
		func(id game.MatchID) (game.Match, error) {
			m, err := game.NewMatch(id, game.Terms{Rules: game.Gomoku9, First: game.Black}, 1, game.SeatFor(1), game.SeatFor(2),
				time.Now(), time.Time{})
			if err != nil {
				return m, err
			}
			return m.Accept(2, time.Now())
		})
	testkit.Must(t, err)
	return rec.ID
}

// Whoever is in a live instance sees the games of its channel: the pressed one first, then the newest. Made-up, ended
// and old instances, those of other channels and of places without games show nothing, and only a live one of a place
// with games costs a question.
func TestGames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(testkit.At("2026-03-01 12:00")))
		h := open(t)
		first := h.begins(t, here)
		time.Sleep(time.Second)
		second := h.begins(t, here)
		elsewhere := h.begins(t, there)
		direct := h.begins(t, alone)
		live := named(here, time.Minute)
		h.discord.live[live] = chat.Instance{ID: live, Place: here, Users: []game.MemberID{1}}
		lies := named(there, time.Minute) // Discord says that it is another channel's
		h.discord.live[lies] = chat.Instance{ID: lies, Place: here}
		old := named(here, 25*time.Hour)
		h.discord.live[old] = chat.Instance{ID: old, Place: here}
		talk := named(alone, time.Minute)
		h.discord.live[talk] = chat.Instance{ID: talk, Place: alone}
		h.Launched(1, first, live, here.Channel)
		h.Launched(2, elsewhere, "", there.Channel)
		for _, c := range []struct {
			name, instance string
			by             game.MemberID
			want           []game.MatchID
			asks           int
		}{
			{"nobody known", live, 0, []game.MatchID{second, first}, 1},
			{"the one who pressed", live, 1, []game.MatchID{first, second}, 1},
			{"who pressed elsewhere", live, 2, []game.MatchID{second, first}, 1},
			{"direct messages", talk, 0, []game.MatchID{direct}, 1},
			{"of another channel", lies, 0, nil, 1},
			{"ended", named(here, 2*time.Minute), 0, nil, 1},
			{"of yesterday", old, 0, nil, 0},
			{"of tomorrow", named(here, -2*time.Hour), 0, nil, 0},
			{"a place without games", named(venue.Place{Server: 1, Channel: 2}, 0), 0, nil, 0},
			{"made up", "i-1", 0, nil, 0}, {"nothing", "", 0, nil, 0}, {"too much", live + "-1", 0, nil, 0},
		} {
			time.Sleep(freshFor)
			h.discord.asked = 0
			got, err := h.Games(t.Context(), c.instance, c.by)
			if err != nil || !slices.Equal(got, c.want) || h.discord.asked != c.asks {
				t.Errorf("%s: %v after %d questions, %v; want %v after %d", c.name, got, h.discord.asked, err, c.want, c.asks)
			}
		}
		time.Sleep(pressLife)
		if got, _ := h.Games(t.Context(), live, 1); !slices.Equal(got, []game.MatchID{second, first}) {
			t.Errorf("an old press still counts: %v", got)
		}
		h.discord.asked = 0
		for range 100 {
			h.Games(t.Context(), live, 0)
		}
		testkit.Want(t, "questions of a hundred at once", h.discord.asked, 0)
		time.Sleep(freshFor)
		h.discord.fails = &chat.Error{Trouble: chat.Busy}
		if got, err := h.Games(t.Context(), live, 0); err == nil || got != nil {
			t.Errorf("where Discord does not say: %v %v", got, err)
		}
	})
}

// A member is whom Discord names, if they are in the instance. Its list may come late.
func TestMember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(testkit.At("2026-03-01 12:00")))
		h := open(t)
		live := named(here, time.Minute)
		h.discord.live[live] = chat.Instance{ID: live, Place: here, Users: []game.MemberID{1}}
		for _, c := range []struct {
			name, instance, code string
			late                 time.Duration
			want                 game.MemberID
			fails                bool
		}{
			{"is there", live, "ann", 0, 1, false},
			{"comes late", live, "ann", 2 * time.Second, 1, false},
			{"comes too late", live, "ann", 5 * time.Second, 0, false},
			{"is not there", live, "bob", 0, 0, false},
			{"a bad code", live, "eve", 0, 0, true},
			{"no instance", named(here, 2*time.Minute), "ann", 0, 0, false},
		} {
			time.Sleep(time.Minute)
			h.discord.late = time.Now().Add(c.late)
			begun := time.Now()
			who, err := h.Member(t.Context(), c.instance, c.code)
			if who != c.want || (err != nil) != c.fails || time.Since(begun) > lagsFor+askAgain {
				t.Errorf("%s: %d %v after %v", c.name, who, err, time.Since(begun))
			}
		}
		time.Sleep(time.Minute)
		if !h.Present(t.Context(), live, 1) || h.Present(t.Context(), live, 2) || h.Present(t.Context(), live, 0) {
			t.Error("who is present is not who is there")
		}
		time.Sleep(time.Minute)
		delete(h.discord.live, live)
		if h.Present(t.Context(), live, 1) {
			t.Error("somebody is present in an instance that is over")
		}
	})
}

// What is kept does not grow without end.
func TestBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t)
		for i := range 3 * mostKept {
			h.Launched(game.MemberID(i+1), 1, "i", 1)
			h.ask(t.Context(), fmt.Sprint(i), freshFor)
		}
		if len(h.presses) > mostKept || len(h.answers) > mostKept {
			t.Errorf("%d presses and %d answers", len(h.presses), len(h.answers))
		}
	})
}
