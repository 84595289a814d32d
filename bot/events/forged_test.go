package events

import (
	"context"
	"errors"
	"testing"
	"time"

	"tengen/bot/chat"
	"tengen/bot/room"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/event"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/kv"
	"tengen/storage/storagetest"
)

// Buttons of another server's event, and those that nobody made, change nothing.
func TestForgedButtons(t *testing.T) {
	store := storagetest.Memory(t)
	v := New(Config{Base: room.Base{House: away{}, Store: store, Now: func() time.Time { return noon }}})
	place := venue.Place{Server: 7, Channel: 8}
	e := testkit.Got(store.CreateEvent(t.Context(), storage.Cause{At: noon}, place, func() (storage.Event, error) {
		e := storage.Event{Owner: 1, Setup: storage.Setup{Name: "Cup", Game: game.Terms{Rules: game.Renju}}}
		e.Kind, e.Rounds = event.KindSwiss, 3
		return e.Join(5, game.SeatFor(5), 1500, noon)
	}))
	presses := v.Commands()[0].Presses
	away := chat.Request{ID: 1, By: 5, At: noon, Place: venue.Place{Server: 6, Channel: 8}, Kind: chat.Press,
		Installed: true, Governs: true}
	home := away
	home.Place.Server, home.Governs = 7, false
	try := func(r chat.Request, verb, arg string, id storage.EventID) {
		r.ID++
		err := presses[verb](t.Context(), r, view.Press{Match: game.MatchID(id), Verb: verb, Arg: arg})
		if _, ok := view.In("en").Reason(err); err == nil || !ok {
			t.Errorf("%s %q: %v", verb, arg, err)
		}
		if now, err := store.Event(t.Context(), e.ID); err != nil || now.Version != e.Version {
			t.Fatalf("%s %q has changed the event: %v", verb, arg, err)
		}
	}
	for verb := range presses {
		for _, arg := range []string{"", "start", "leave", "sure", "pause", "settings", "-1", "99999999999999999999"} {
			if verb != "evmake" && verb != "evsure" && verb != "evlist" { // these are of no event
				try(away, verb, arg, e.ID)
				try(home, verb, arg, e.ID+1)
			}
		}
	}
	for _, verb := range []string{"evmanage", "evask", "evdo", "evend", "evset", "evmake", "evnew", "evsure", "evgo",
		"evpair", "evwhen"} {
		try(home, verb, "", e.ID) // a member who manages nothing
	}
	for _, arg := range []string{"", "go", "Leave", "pause.", "sure sure"} {
		try(home, "evstate", arg, e.ID)
	}
	home.Governs, home.Options = true, map[string]chat.Option{"number": {Text: "1"}, "reason": {Text: "  "}}
	try(home, "evdo", actRemove, e.ID) // without a reason
	for _, c := range []struct {
		allowed chat.Permissions
		thread  bool
		fits    bool
	}{
		{chat.Permissions{}, false, false}, {chat.Permissions{View: true, Send: true}, false, true},
		{chat.Permissions{View: true, Send: true}, true, false},
		{chat.Permissions{View: true, SendInThreads: true}, true, true},
	} {
		home.Allowed, home.Thread = c.allowed, c.thread
		if err := v.mayHost(t.Context(), home); (err == nil) != c.fits {
			t.Errorf("an event where the bot has %+v, in a thread %v: %v", c.allowed, c.thread, err)
		}
	}
}

// away is a house whose places other processes own.
type away struct{ room.House }

func (away) Under(ctx context.Context, _ venue.Place) (context.Context, bool) { return ctx, false }
func (away) Tongue(chat.Request) view.Tongue                                  { return view.In("en") }

// An event of another process is left to that one.
func TestEventOfAnother(t *testing.T) {
	v, list, now := wanting(t)
	v.House = away{}
	if err := v.step(t.Context(), now().ID, noon); !errors.Is(err, kv.ErrFenced) || list.calls > 0 {
		t.Errorf("%v, %d calls", err, list.calls)
	}
}
