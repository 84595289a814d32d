package events

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/chat"
	"tengen/bot/room"
	"tengen/bot/texts"
	"tengen/game"
	"tengen/game/event"
	"tengen/game/venue"
	"tengen/internal/tasks"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/storagetest"
)

// calendar is Discord's list of a server's events. A call that fails may have been made.
type calendar struct {
	chat.Chat
	list  []chat.Listing
	fails error
	made  bool // what fails is made
	fixed bool // nothing can be changed
	calls int
}

func (c *calendar) done() (bool, error) {
	c.calls++
	return c.fails == nil || c.made, c.fails
}

func (c *calendar) List(_ context.Context, _ uint64, l chat.Listing) (uint64, error) {
	done, err := c.done()
	if done && l.ID == 0 {
		l.ID, l.Status = uint64(100+c.calls), chat.Ahead
		c.list = append(c.list, l)
	}
	if c.fixed {
		return 0, &chat.Error{Trouble: chat.Refused}
	}
	for i := range c.list {
		if done && c.list[i].ID == l.ID && l.Status != 0 {
			c.list[i].Status = l.Status
		}
	}
	return l.ID, err
}

func (c *calendar) Listings(context.Context, uint64) ([]chat.Listing, error) {
	_, err := c.done()
	return slices.Clone(c.list), err
}

func (c *calendar) Unlist(_ context.Context, _, id uint64) error {
	_, err := c.done()
	c.list = slices.DeleteFunc(c.list, func(l chat.Listing) bool { return l.ID == id })
	return err
}

// wanting is an event that wants a listing, with the list.
func wanting(t *testing.T) (*Events, *calendar, func() storage.Event) {
	t.Helper()
	store := storagetest.Memory(t)
	c := &calendar{}
	v := New(Config{Base: room.Base{Store: store, Chat: c, Now: func() time.Time { return noon }, Tasks: tasks.New(nil),
		Log: slog.New(slog.DiscardHandler)}})
	place := venue.Place{Server: 7, Channel: 8}
	e := testkit.Got(store.CreateEvent(t.Context(), storage.Cause{At: noon}, place, func() (storage.Event, error) {
		e := storage.Event{Owner: 1, Listing: storage.Listing{Wanted: true},
			Setup: storage.Setup{Name: "Cup", Game: game.Terms{Rules: game.Renju}, Starts: noon.Add(time.Hour)}}
		e.Kind, e.Rounds, e.Length = event.KindSwiss, 3, time.Hour
		return e, nil
	}))
	return v, c, func() storage.Event {
		return testkit.Got(store.Event(t.Context(), e.ID))
	}
}

// What Discord refuses for good ends the listing, and nothing is called any more. What fails otherwise is
// tried again, and no second listing comes of it.
func TestListingFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			trouble     chat.Trouble
			made, wants bool
		}{{chat.Locked, false, false}, {chat.Refused, false, false}, {chat.NoPlace, false, false},
			{chat.Failed, true, true}, {chat.Failed, false, true}, {chat.Busy, false, true}} {
			v, d, now := wanting(t)
			d.fails, d.made = &chat.Error{Trouble: c.trouble}, c.made
			if err := v.keepListed(t.Context(), now()); (err != nil) != c.wants {
				t.Errorf("%v: %v", c.trouble, err)
			}
			if e := now(); e.Listing.Wanted != c.wants || e.ListingLate() != c.wants {
				t.Errorf("%v: %+v", c.trouble, e.Listing)
			}
			if !c.wants {
				continue
			}
			d.fails = nil
			testkit.Check(t, v.keepListed(t.Context(), now()))
			if e := now(); len(d.list) != 1 || e.Listing.ID != d.list[0].ID || e.ListingLate() {
				t.Errorf("%v: %+v, the list has %+v", c.trouble, e.Listing, d.list)
			}
		}
	})
}

// Of several listings of an event the known one stays; those of other events are left alone. Where none
// was wanted, nobody asks.
func TestListingsOfOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, d, now := wanting(t)
		e := now()
		for id := uint64(1); id <= 3; id++ {
			l := says(e)
			l.ID, l.Status = id, chat.Ahead
			d.list = append(d.list, l)
		}
		d.list = append(d.list, chat.Listing{ID: 4, About: listingMark(e.ID + 1), Status: chat.Ahead})
		testkit.Got(v.Store.ListEvent(t.Context(), e.ID, e.Listing, storage.Listing{Wanted: true, ID: 2}, noon))
		testkit.Must(t, v.keepListed(t.Context(), now()))
		if len(d.list) != 2 || d.list[0].ID != 2 || d.list[1].ID != 4 {
			t.Errorf("left: %+v", d.list)
		}
		v, d, now = wanting(t)
		e = now()
		e.Listing.Wanted = false
		if _, err := v.listing(t.Context(), e, noon); err != nil || d.calls > 0 {
			t.Errorf("%d calls, %v", d.calls, err)
		}
		e.Listing.Wanted, e.Starts = true, noon
		if _, err := v.listing(t.Context(), e, noon); err != nil || d.calls > 0 {
			t.Errorf("one that is past is made: %d calls, %v", d.calls, err)
		}
	})
}

// A listing whose words a moderator has changed is still called off with its event.
func TestListingReworded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, d, now := wanting(t)
		testkit.Must(t, v.keepListed(t.Context(), now()))
		d.list[0].About = "Come all!"
		e := now()
		e.Ended = true
		if _, err := v.listing(t.Context(), e, noon); err != nil || d.list[0].Status != chat.CalledOff {
			t.Errorf("%+v, %v", d.list, err)
		}
	})
}

// A listing that Discord lets nobody change goes, since it says what is wrong.
func TestListingFixed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, d, now := wanting(t)
		testkit.Must(t, v.keepListed(t.Context(), now()))
		e := now()
		e.Name, d.fixed = "Spring Cup", true
		if err := v.keepListed(t.Context(), e); err != nil || len(d.list) > 0 || now().Listing != (storage.Listing{}) {
			t.Errorf("%+v, %+v, %v", d.list, now().Listing, err)
		}
	})
}

// From each status a listing comes to each other by steps that Discord takes.
func TestStages(t *testing.T) {
	allowed := [][2]chat.Status{{chat.Ahead, chat.Underway}, {chat.Underway, chat.Done}, {chat.Ahead, chat.CalledOff}}
	for _, from := range []chat.Status{chat.Ahead, chat.Underway} {
		for to := chat.Ahead; to <= chat.CalledOff; to++ {
			at := from
			for _, next := range steps(from, to) {
				if next != 0 && !slices.Contains(allowed, [2]chat.Status{at, next}) {
					t.Errorf("from %d to %d by %d after %d", from, to, next, at)
				}
				at = max(at, next)
			}
			if to >= chat.Done && at < chat.Done || to == chat.Underway && at != to {
				t.Errorf("from %d to %d ends at %d", from, to, at)
			}
		}
	}
}

// What a listing says fits Discord, mentions nobody, and ends after it starts.
func TestListingFits(t *testing.T) {
	for _, kind := range []event.Kind{event.KindSwiss, event.KindRoundRobin, event.KindKnockout, event.KindArena} {
		for _, lang := range texts.Tags() {
			for _, begun := range []bool{false, true} {
				e := sample(t, kind, 100)
				e.Name, e.Role, e.Look.Language = strings.Repeat("<@1>@here ", 6), 5, lang
				if begun {
					var err error
					e.Event, err = e.Next(nil, noon.Add(9*time.Minute))
					testkit.Must(t, err)
				}
				l := says(e)
				if n := len([]rune(l.Name)); n == 0 || n > 100 || len([]rune(l.About)) > 1000 || len(l.Where) > 100 ||
					strings.ContainsAny(l.Name+l.About, "@<") {
					t.Errorf("%+v", l)
				}
				if last := l.Ends.Sub(l.Starts); last < leastLasting || last > mostLasting+time.Hour {
					t.Errorf("%v lasts %v", kind, last)
				}
				if begun == (strings.Count(l.About, "\n") == 2) && !e.Takes() {
					t.Errorf("who can join: %s", l.About)
				}
			}
		}
	}
}
