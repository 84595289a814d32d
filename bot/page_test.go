package bot

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/chat"
	"tengen/bot/discord/body"
	"tengen/bot/pad"
	"tengen/bot/view"
	"tengen/game"
	book "tengen/game/opening"
	"tengen/internal/testkit"
	"tengen/render"
	"tengen/storage"
	"tengen/storage/kv"
)

// fakePage is a Page in memory, which notes what is asked of it.
type fakePage struct {
	mu     sync.Mutex
	links  int
	open   map[game.MemberID]bool
	asked  []string
	broken error
}

func (p *fakePage) note(err error, format string, args ...any) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, fmt.Sprintf(format, args...))
	return err
}

func (p *fakePage) Link(_ context.Context, by game.MemberID, _ game.MatchID) (string, error) {
	p.note(nil, "link %d", by)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.links++
	return fmt.Sprintf("https://play.example.org/board#secret%d", p.links), p.broken
}

func (p *fakePage) Shared(_ context.Context, by game.MemberID, _ game.MatchID, on bool) (string, error) {
	return "https://play.example.org/g/shared", p.note(p.broken, "share %d %v", by, on)
}

func (p *fakePage) LinksOff(_ context.Context, server uint64) error {
	return p.note(p.broken, "links off in %d", server)
}

func (p *fakePage) End(_ context.Context, by game.MemberID) error {
	return p.note(p.broken, "end %d", by)
}

func (p *fakePage) Open(by game.MemberID, _ game.MatchID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.open[by]
}

func (p *fakePage) Launched(by game.MemberID, _ game.MatchID, instance string) {
	p.note(nil, "launched %d %s", by, instance)
}

// did is what was asked of the pages since it was last read.
func (p *fakePage) did() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer func() { p.asked = nil }()
	return strings.Join(p.asked, ", ")
}

// onPaged is a bot on paper with pages.
func onPaged(t *testing.T) (*desktop, *fakePage) {
	t.Helper()
	p := &fakePage{open: map[game.MemberID]bool{}}
	return onPaperOver(t, kv.NewMemory(), func(c *Config) { c.Page = p }), p
}

// pageButton is the button that opens the page; empty where a message has none.
func pageButton(msg chat.Message) chat.Button {
	for _, b := range msg.Blocks {
		if b.Section != nil {
			return b.Section.Button
		}
	}
	return chat.Button{}
}

// blank draws nothing.
func blank(game.Game, render.Options) ([]byte, error) { return nil, nil }

// A message with the button of the page is never larger than Discord takes, whatever the match stands at; without
// pages no message has a section.
func TestPageButtonFits(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 4))
	seen := 0
	look := func(m game.Match) {
		t.Helper()
		pads := []pad.Pad{pad.For(m)}
		if !m.Deciding() {
			pads = append(pads, pad.Asking(m, game.At(rng.IntN(m.Rules.Size()), rng.IntN(m.Rules.Size()))))
		}
		for _, at := range pads {
			for _, lang := range []string{"en", "zh-CN"} {
				rec := storage.Record{Match: m, Look: storage.Look{Language: lang}}
				msg := view.Painter{Page: true, Draw: blank}.Match(rec, at, view.Card{Outside: true})
				if err := body.Check(view.GoesOn(rec, msg)); err != nil {
					t.Fatalf("%v after %v: %v", m.Rules, m.Game().Moves(), err)
				}
				if b := pageButton(msg); view.Playing(m) != (b.Label != "") || b.Label != "" && msg.Accent != 0 {
					t.Fatalf("%v in phase %v has the button %+v", m.Rules, m.Phase, b)
				}
				if b := pageButton((view.Painter{Draw: blank}).Match(rec, at, view.Card{})); b.Label != "" {
					t.Fatalf("without a page there is the button %+v", b)
				}
				seen++
			}
		}
	}
	lookAll := func(m game.Match) { // with all that may be open at once
		look(m)
		undoing, _ := m.Undo(1, time.Now())
		drawing, _ := m.Draw(2, time.Now())
		both, _ := undoing.Draw(2, time.Now())
		resting, _ := m.Rest(time.Now())
		m.Reminded = true
		for _, m := range []game.Match{undoing, drawing, both, resting, m} {
			if m.ID != 0 {
				look(m)
			}
		}
	}
	begin := func(terms game.Terms, black, white game.Seat) game.Match {
		terms.First = game.Black
		m, err := game.NewMatch(1, terms, 1, black, white, time.Now(), time.Time{})
		testkit.Must(t, err)
		if m.Phase == game.Offered {
			look(m)
			m, err = m.Accept(2, time.Now())
			testkit.Must(t, err)
		}
		return m
	}
	ann, bob := game.SeatFor(1), game.SeatFor(2)
	for _, rules := range []game.Rules{game.Gomoku15, game.Gomoku9, game.Renju, game.Reversi} {
		for _, white := range []game.Seat{bob, game.SeatEngine(3)} {
			m := begin(game.Terms{Rules: rules}, ann, white)
			for !m.Result().Over() && m.Phase == game.Playing && m.Played() < 60 {
				lookAll(m)
				legal := m.Game().Legal().Points()
				seat := m.Seats[m.ToMove()]
				var err error
				if p := legal[rng.IntN(len(legal))]; seat.Kind == game.EngineSeat {
					m, err = m.Reply(m.Stamp(), p, game.Note{}, time.Now())
				} else {
					m, err = m.Play(seat.Member, p, time.Now())
				}
				testkit.Must(t, err)
			}
			look(m)
		}
	}
	look(begin(game.Terms{Rules: game.Renju}, game.SeatEngine(1), game.SeatEngine(2)))
	for _, p := range book.All {
		rules := game.Renju
		if p <= book.LongPro {
			rules = game.Gomoku15
		}
		for _, path := range openingPaths(p) {
			m := begin(game.Terms{Rules: rules, Protocol: p}, ann, bob)
			for _, d := range path {
				lookAll(m)
				var err error
				m, err = m.Decide(m.Seats[m.ToMove()].Member, d, time.Now())
				testkit.Must(t, err)
			}
		}
	}
	if seen < 1000 {
		t.Errorf("only %d messages", seen)
	}
}

// Who plays gets a link, for themselves alone; who does not gets a plain word. Where the Activity opens it takes the
// place of both. No token of such a press is kept for the screen.
func TestPagePress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, p := onPaged(t)
		d.betweenMembers()
		rec := d.only(1)
		before, err := d.store.Screen(t.Context(), rec.ID)
		testkit.Must(t, err)
		p.did()
		press := func(by game.MemberID, launches bool) string {
			r := d.request(by, chat.Press)
			r.Custom, r.Message, r.Launches = view.On(rec.Match, "page", ""), before.Message, launches
			d.handle(r)
			return p.did()
		}
		for _, c := range []struct {
			by                   game.MemberID
			launches             bool
			instance, want, says string
		}{
			{1, false, "i-1", "link 1", "works once"},
			{2, true, "", "link 2", "works once"},
			{7, false, "i-1", "", "opens for its players"},
			{7, true, "", "", "opens for its players"},
			{1, true, "i-1", "launched 1 i-1", ""},
			{7, true, "i-2", "launched 7 i-2", ""},
		} {
			d.paper.instance, d.paper.answer = c.instance, chat.Answer{}
			did := press(c.by, c.launches)
			a := d.paper.answer
			if did != c.want || !strings.Contains(wordsOf(a.Message), c.says) || (c.says == "") != (a.Kind == 0) {
				t.Errorf("%+v: %q, answered %+v", c, did, a)
			}
			if c.says != "" && !a.Message.Private {
				t.Errorf("%+v: others see the answer", c)
			}
		}
		now, err := d.store.Screen(t.Context(), rec.ID)
		testkit.Must(t, err)
		if now.Token != before.Token || !now.Expires.Equal(before.Expires) || len(now.Awaited) > 0 || len(now.Keys) > 0 {
			t.Errorf("screen %+v after %+v", now, before)
		}
		p.broken = errors.New("no store")
		press(1, false)
		if says := wordsOf(d.paper.answer.Message); strings.Contains(says, "no store") || says == "" {
			t.Errorf("a broken page says %q", says)
		}
	})
}

// A button from the time when there was a page says so in plain words.
func TestPageIsOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		d.betweenMembers()
		for _, verb := range []string{"page", "share", "unshare", "signout"} {
			d.press(1, d.only(1), verb, "")
			if says := wordsOf(d.paper.answer.Message); !strings.Contains(says, "only here in Discord") {
				t.Errorf("%s says %q", verb, says)
			}
		}
	})
}

// Switching share links off ends those that there are.
func TestLinksOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, p := onPaged(t)
		p.did()
		for _, on := range []bool{true, false} {
			r := d.request(1, chat.Slash)
			r.Name, r.Governs, r.Options = "server", true, map[string]chat.Option{"links": {Yes: on}}
			d.handle(r)
			want := ""
			if !on {
				want = fmt.Sprintf("links off in %d", r.Place.Server)
			}
			if did := p.did(); did != want {
				t.Errorf("%v: %q", on, did)
			}
		}
	})
}

// Sharing is the page's to refuse; either seat or a manager ends it.
func TestShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, p := onPaged(t)
		d.betweenMembers()
		p.did()
		press := func(by game.MemberID, verb string, manages bool) string {
			r := d.request(by, chat.Press)
			r.Custom, r.Manages = view.On(d.only(1).Match, verb, ""), manages
			d.handle(r)
			return p.did()
		}
		for _, c := range []struct {
			by      game.MemberID
			verb    string
			manages bool
			want    string
		}{
			{1, "share", false, "share 1 true"}, {2, "unshare", false, "share 2 false"}, {7, "unshare", false, ""},
			{7, "unshare", true, "share 7 false"},
		} {
			if did := press(c.by, c.verb, c.manages); did != c.want {
				t.Errorf("%+v: %q", c, did)
			}
		}
	})
}

// The settings end a member's pages, and so does deleting their data.
func TestPagesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, p := onPaged(t)
		d.betweenMembers()
		p.did()
		r := d.request(1, chat.Press)
		r.Custom = view.Do("signout", "")
		d.handle(r)
		testkit.Want(t, "asked by the settings", p.did(), "end 1")
		r = d.request(2, chat.Press)
		r.Custom = view.Do("forget", "2")
		d.handle(r)
		testkit.Want(t, "asked by the deletion", p.did(), "end 2")
	})
}

// Who has the game open in a page that they can see is neither called nor reminded.
func TestOpenPageIsNotCalled(t *testing.T) {
	for _, open := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			d, p := onPaged(t)
			d.betweenMembers("clock", "1d")
			p.mu.Lock()
			p.open[1] = open
			p.mu.Unlock()
			d.plays("H8", "I9")
			before := len(d.paper.pinged())
			time.Sleep(18*time.Hour + 2*time.Second)
			synctest.Wait()
			pings := slices.DeleteFunc(d.paper.pinged()[before:], func(m game.MemberID) bool { return m != 1 })
			if (len(pings) == 0) != open || !d.only(1).Reminded {
				t.Errorf("open %v: %d calls, reminded %v", open, len(pings), d.only(1).Reminded)
			}
		})
	}
}
