package bot

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/kv"
)

// pages stand in for the board as a page.
type pages struct {
	Page
	mu    sync.Mutex
	told  []storage.Record
	ended []game.MemberID
	open  map[game.MemberID]bool
}

func (p *pages) Told(rec storage.Record) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told = append(p.told, rec)
}

// newest is the version of which was told last.
func (p *pages) newest() uint32 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.told[len(p.told)-1].Version
}

func (p *pages) End(_ context.Context, by game.MemberID) error {
	p.ended = append(p.ended, by)
	return nil
}

func (p *pages) Open(by game.MemberID, _ game.MatchID) bool { return p.open[by] }

func withPages(t *testing.T) (*desktop, *pages) {
	t.Helper()
	p := &pages{open: map[game.MemberID]bool{}}
	return onPaperOver(t, kv.NewMemory(), func(c *Config) { c.Page, c.Told = p, p.Told }), p
}

// tap has a member act on a page that shows the present position.
func (d *desktop) tap(by game.MemberID, rec storage.Record, number uint64, verb, arg string) (string, error) {
	p := view.Press{Match: rec.ID, Stamp: rec.Stamp(), Verb: verb, Arg: arg}
	said, err := d.bot.Tap(d.t.Context(), by, d.bot.now(), p, number)
	synctest.Wait()
	return said, err
}

// A move on a page is one like any other: it is played once, shown in the channel, and told to all pages.
func TestTap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, p := withPages(t)
		rec := d.betweenMembers()
		number := storage.NumberAt(time.Now())
		for range 2 {
			if _, err := d.tap(1, rec, number, "play", "h8"); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(10 * time.Second)
		if got := d.moves(1); got != "H8" || p.newest() != rec.Version+1 {
			t.Errorf("played: %s, told of version %d", got, p.newest())
		}
		sc, err := d.bot.store.Screen(t.Context(), rec.ID)
		if err != nil || sc.Late() {
			t.Errorf("the channel's board is behind: %v", err)
		}
		if _, err := d.tap(2, rec, number, "play", "i9"); err == nil {
			t.Error("a move for another position was played")
		}
		d.press(2, d.only(2), "play", "I9") // by a button: pages hear of it too
		if got := d.moves(1); got != "H8 I9" || p.newest() != rec.Version+2 {
			t.Errorf("played: %s, told of version %d", got, p.newest())
		}
	})
}

// A page can do what its buttons do, and nothing that needs more than a seat.
func TestTapVerbs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _ := withPages(t)
		rec := d.betweenMembers()
		number := storage.NumberAt(time.Now())
		for i, verb := range []string{"abortsure", "stop", "pause", "resume", "hint", "forget", ""} {
			if _, err := d.tap(1, rec, number+uint64(i), verb, ""); !view.IsRefused(err, "unknown.button") {
				t.Errorf("%q: %v", verb, err)
			}
		}
		if now := d.only(1); now.Version != rec.Version {
			t.Errorf("the match is another one: %+v", now.Match)
		}
		if _, err := d.tap(3, rec, number+100, "resignsure", ""); err == nil {
			t.Error("somebody who does not play has resigned")
		}
		if _, err := d.tap(1, rec, number+101, "resignsure", ""); err != nil {
			t.Error(err)
		}
	})
}

// Both who played ask for another game on their pages, where the server lets games begin. A thread counts as its
// channel, as for a press.
func TestTapRematch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _ := withPages(t)
		rec := d.betweenMembers()
		number := storage.NumberAt(time.Now())
		testkit.Got(d.tap(1, rec, number, "resignsure", ""))
		elsewhere := func(channels ...uint64) {
			testkit.Got(d.store.SetServer(t.Context(), rec.Place.Server, func(s storage.Server) (storage.Server, error) {
				s.Channels = channels
				return s, nil
			}))
		}
		elsewhere(rec.Place.Channel + 1)
		if _, err := d.tap(1, rec, number+1, "rematch", ""); !view.IsRefused(err, "refused.channel") {
			t.Errorf("where no game may begin: %v", err)
		}
		d.paper.parent = rec.Place.Channel + 1 // the game is in a thread of the channel for games
		for i, by := range []game.MemberID{1, 2} {
			if _, err := d.tap(by, rec, number+2+uint64(i), "rematch", ""); err != nil {
				t.Error(err)
			}
		}
		if next := d.only(1); next.ID == rec.ID || next.Phase != game.Playing || d.shows(next) == "" {
			t.Errorf("the next game is %+v", next.Match)
		}
	})
}

// Who has the game open is not called.
func TestNoCallOnPage(t *testing.T) {
	for _, open := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			d, p := withPages(t)
			d.betweenMembers()
			p.open[1], p.open[2] = open, open
			d.plays("H8")
			pinged := len(d.paper.pinged())
			time.Sleep(time.Hour)
			if got := len(d.paper.pinged()) - pinged; (got == 0) != open {
				t.Errorf("open is %v, and %d are called", open, got)
			}
		})
	}
}

func TestForgetEndsPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, p := withPages(t)
		r := d.request(1, chat.Press)
		r.Custom = view.Do("forget", "1")
		d.handle(r)
		if got := fmt.Sprint(p.ended); got != "[1]" {
			t.Errorf("the pages of %s are ended", got)
		}
	})
}
