package web

import (
	"context"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage"
)

// Of two who show news at the same time, the one with the older version may come last.
func TestShowGoesForward(t *testing.T) {
	in(t, func(b *bench) {
		c := b.watch()
		board := b.use(b.rec.ID)
		defer b.leave(board)
		b.play("h8")
		c.hears("change")
		synctest.Wait()
		older := b.rec
		board.heard.Lock()
		board.next = older // as who had read it before the move
		board.heard.Unlock()
		board.show()
		if got := board.record().Version; got != b.match().Version {
			t.Errorf("the board goes back to version %d", got)
		}
	})
}

// Nobody sees a match that is deleted, though its board is still there for who comes again at once.
func TestDeletedStaysAway(t *testing.T) {
	in(t, func(b *bench) {
		cookie := b.passOf(ann)
		c := b.open(ann)
		b.rec.Match = game.Match{ID: b.rec.ID}
		b.Told(b.rec)
		c.hears("none")
		again := b.dial("Origin: "+site, "Cookie: "+cookie)
		again.says(`{"t":"hello","way":"member"}`)
		if m := again.next(); m["t"] != "none" {
			t.Errorf("after the end the page hears %v", m)
		}
	})
}

// A member shares as they act: with a good pass, and not faster.
func TestWhoShares(t *testing.T) {
	in(t, func(b *bench) {
		shared := func() bool {
			fresh := storage.ShareSecret{1}
			was, err := b.store.Share(t.Context(), b.rec.ID, fresh)
			testkit.Must(t, err)
			return was != fresh
		}
		d, here := b.withDiscord()
		c := b.frame(map[string]any{"instance": here})
		c.hears("state")
		c.says(`{"t":"code","code":"anns"}`)
		c.hears("you")
		d.instances[here] = chat.Instance{ID: here, Place: b.rec.Place, Users: []game.MemberID{bob}}
		for range 2 * activityLife / pingEvery {
			c.hears("ping")
		}
		c.says(`{"t":"share"}`)
		if m := c.hears("shared"); m["url"] != "" || m["no"] == nil {
			t.Errorf("a member who has left shares a match: %v", m)
		}
		b.share()
		c.says(`{"t":"unshare"}`)
		if c.hears("shared"); !shared() {
			t.Error("a member who has left ends the sharing")
		}
		other := b.open(bob)
		testkit.Must(t, b.store.EndPasses(t.Context(), bob, time.Now()))
		other.says(`{"t":"unshare"}`)
		if other.hears("bye"); !shared() {
			t.Error("who has signed out ends the sharing")
		}
		other = b.open(bob)
		for i := range actsASecond + 1 {
			other.says(`{"t":"share"}`)
			if m := other.hears("shared"); (m["url"] == "") != (i == actsASecond) {
				t.Errorf("question %d for the link is answered %v", i+1, m)
			}
		}
	})
}

// Who looks in the Activity sees a match of the instance's channel as long as it is there, and the instance too.
func TestActivityLooksNoMore(t *testing.T) {
	in(t, func(b *bench) {
		d, here := b.withDiscord()
		c := b.frame(map[string]any{"instance": here})
		c.hears("state")
		for range 3 * lookAgain / pingEvery {
			c.hears("ping")
		}
		_, err := b.store.Move(t.Context(), b.rec.ID, storage.Cause{At: time.Now()}, venue.Place{Server: 5, Channel: 7}, nil)
		testkit.Must(t, err)
		c.hearsIn(activityLife, "none")
		second := b.begin(game.Reversi)
		c = b.frame(map[string]any{"instance": here, "match": view.Key(second.ID)})
		c.hears("state")
		synctest.Wait()
		delete(d.instances, here)
		c.hearsIn(activityLife, "none")
	})
}

// hearsIn gives the next message of a kind, which comes within a time.
func (c *socket) hearsIn(within time.Duration, kind string) map[string]any {
	c.b.t.Helper()
	for begun := time.Now(); time.Since(begun) <= within; {
		if m := c.next(); m == nil || m["t"] == kind {
			return m
		}
	}
	c.b.t.Errorf("the page hears no %q within %v", kind, within)
	return nil
}

// Moves are shown at once while Discord takes its time to say who is still there.
func TestSlowDiscord(t *testing.T) {
	in(t, func(b *bench) {
		d, here := b.withDiscord()
		c := b.frame(map[string]any{"instance": here})
		c.says(`{"t":"code","code":"anns"}`)
		c.hears("you")
		for range activityLife / 2 / pingEvery {
			c.hears("ping")
		}
		synctest.Wait()
		b.Activity = slowly{d}
		for i := range 30 {
			begun := time.Now()
			b.play(string(rune('a'+i%15)) + []string{"1", "3"}[i/15])
			if c.hears("change"); time.Since(begun) > time.Second {
				t.Fatalf("a move comes after %v", time.Since(begun))
			}
			time.Sleep(time.Second)
		}
	})
}

// slowly is Discord on a bad day.
type slowly struct{ *discord }

func (slowly) Instance(ctx context.Context, _ string) (chat.Instance, error) {
	<-ctx.Done()
	return chat.Instance{}, ctx.Err()
}

// While the store fails, or Discord, nobody is told that there is nothing: their page comes again.
func TestTrouble(t *testing.T) {
	in(t, func(b *bench) {
		d, here := b.withDiscord()
		cookie, share := b.passOf(ann), b.share()
		link, err := b.Link(t.Context(), ann, b.rec.ID)
		testkit.Must(t, err)
		watcher, member := b.watch(), b.open(bob)
		other := b.begin(game.Reversi)
		b.engine.broken.Store(true)
		comesAgain := func(what, hello string, headers ...string) {
			t.Helper()
			s := b.dial(headers...)
			if s == nil {
				return // which says so too
			}
			s.says(hello)
			if m := s.next(); m != nil {
				t.Errorf("%s: hears %v", what, m)
			}
		}
		watches := `{"t":"hello","way":"watch","share":"` + share + `"}`
		comesAgain("a member", `{"t":"hello","way":"member"}`, "Origin: "+site, "Cookie: "+cookie)
		comesAgain("a watcher", watches, "Origin: null")
		comesAgain("the Activity", `{"t":"hello","way":"activity","instance":"`+here+`"}`, "Origin: null")
		for what, req := range map[string][]string{
			"a link": {"/pass", secretOf(link)}, "a poll": {"/poll", watches}, "a poll of a member": {"/poll", ""},
		} {
			res, text := b.ask("POST", req[0], req[1], "Origin: "+site, "Cookie: "+cookie)
			if res.StatusCode != 503 && text != "[]" {
				t.Errorf("%s: %v %q", what, res.Status, text)
			}
		}
		member.says(`{"t":"open","match":"` + view.Key(other.ID) + `"}`)
		for m := member.next(); m != nil; m = member.next() {
			if m["t"] != "ping" {
				t.Errorf("who turns to another match hears %v", m)
			}
		}
		for range 3 * lookAgain / pingEvery {
			watcher.hears("ping")
		}
		b.engine.broken.Store(false)
		b.play("h8")
		watcher.hearsIn(time.Minute, "change")
		b.open(bob)
		b.Activity = busy{d}
		comesAgain("the Activity while Discord is busy", `{"t":"hello","way":"activity","instance":"`+
			instanceID(time.Now().Add(-time.Minute), "5", "6")+`"}`, "Origin: null")
	})
}

// busy is Discord when it was asked too much.
type busy struct{ *discord }

func (busy) Instance(context.Context, string) (chat.Instance, error) {
	return chat.Instance{}, &chat.Error{Trouble: chat.Busy}
}

// A page that comes again and has missed nothing hears at once that it is back.
func TestBack(t *testing.T) {
	in(t, func(b *bench) {
		c := b.dial("Origin: null")
		begun := time.Now()
		c.says(string(raw(map[string]any{"t": "hello", "way": "watch", "share": b.share(), "have": b.rec.Version})))
		if m := c.next(); m["t"] != "ping" || time.Since(begun) > time.Second {
			t.Errorf("after %v it hears %v", time.Since(begun), m)
		}
	})
}

// Strangers with addresses without end fill no memory.
func TestBucketsAreBounded(t *testing.T) {
	var b bounds
	now := testkit.At("2026-03-01 12:00")
	for i := range 3 * mostKept {
		b.ask(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), now)
	}
	if n := len(b.asks); n > mostKept {
		t.Errorf("%d buckets are kept", n)
	}
}

// Who looks from the Activity and gets a seat meanwhile has its buttons at once.
func TestSeatMeanwhile(t *testing.T) {
	in(t, func(b *bench) {
		_, here := b.withDiscord()
		rec, err := b.store.Create(t.Context(), storage.Cause{At: time.Now()}, b.rec.Place,
			func(id game.MatchID) (game.Match, error) {
				return game.NewMatch(id, game.Terms{Rules: game.Gomoku15, First: game.Black}, bob, game.SeatFor(bob), game.Seat{},
					time.Now(), time.Now().Add(time.Hour))
			})
		testkit.Must(t, err)
		c := b.frame(map[string]any{"instance": here, "match": view.Key(rec.ID)})
		c.hears("state")
		c.says(`{"t":"code","code":"anns"}`)
		if m := c.hears("you"); m["seat"] != -1.0 {
			t.Errorf("who has no seat is told %v", m)
		}
		b.do(rec, func(m game.Match) (game.Match, error) { return m.Accept(ann, time.Now()) })
		if m := c.hearsIn(time.Second, "you"); m["seat"] != 1.0 {
			t.Errorf("who has got a seat is told %v", m)
		}
	})
}

// A panic of one act ends its page, and no count.
func TestPanic(t *testing.T) {
	in(t, func(b *bench) {
		b.Host(panics{})
		for range mostOfMember + 1 {
			c := b.open(ann)
			c.says(string(raw(map[string]any{"t": "act", "n": uintText(storage.NumberAt(time.Now())), "verb": "draw",
				"match": view.Key(b.rec.ID)})))
			for begun := time.Now(); c.next() != nil; {
				if time.Since(begun) > silentFor {
					t.Fatal("the page stays open")
				}
			}
			time.Sleep(time.Second)
		}
		if n := b.looking(); n != 0 {
			t.Errorf("%d pages look", n)
		}
	})
}

type panics struct{ House }

func (panics) Tap(context.Context, game.MemberID, time.Time, view.Press, uint64) (string, error) {
	panic("a fault in a rule")
}

// Who has too many pages gets no pass for one more, neither at once nor when passes are renewed, and there they only
// watch, whatever is played.
func TestOnePageTooMany(t *testing.T) {
	in(t, func(b *bench) {
		_, here := b.withDiscord()
		for range mostOfMember {
			b.open(ann)
		}
		c := b.frame(map[string]any{"instance": here})
		c.hears("state")
		c.says(`{"t":"code","code":"anns"}`)
		if m := c.hears("pass"); m["pass"] != "" {
			t.Errorf("the pass is %v", m)
		}
		b.play("h8")
		c.hears("change")
		for begun := time.Now(); time.Since(begun) < 2*lookAgain; {
			if m := c.next(); m["t"] == "pass" || m["t"] == "you" {
				t.Fatalf("it hears %v", m)
			}
		}
	})
}

// A panic while a board is shown ends this board, and neither the program nor other boards: its pages come again.
func TestBoardPanic(t *testing.T) {
	in(t, func(b *bench) {
		one, watcher := b.open(ann), b.watch()
		other := b.begin(game.Reversi)
		elsewhere := b.open(bob)
		elsewhere.says(`{"t":"open","match":"` + view.Key(other.ID) + `"}`)
		elsewhere.hears("state")
		synctest.Wait()
		broken := b.rec
		broken.Version++
		broken.Rules = nil // nobody can show it
		b.Told(broken)
		for _, c := range []*socket{one, watcher} {
			for begun := time.Now(); c.next() != nil; {
				if time.Since(begun) > silentFor {
					t.Fatal("the page stays open, and hears of no more moves")
				}
			}
		}
		b.do(other, func(m game.Match) (game.Match, error) { return m.Resign(bob, time.Now()) })
		elsewhere.hearsIn(time.Second, "change")
		if m := b.open(ann).act(storage.NumberAt(time.Now()), b.match().Stamp(), "draw", ""); m != "" {
			t.Errorf("who comes again reads %q", m)
		}
	})
}

// Who signs out in one process acts in no other: not by the pass of an Activity, nor by one that is renewed.
func TestSignedOutElsewhere(t *testing.T) {
	in(t, func(b *bench) {
		_, here := b.withDiscord()
		proven := func() (c *socket, pass any) {
			c = b.frame(map[string]any{"instance": here})
			c.says(`{"t":"code","code":"anns"}`)
			pass = c.hears("pass")["pass"]
			c.hears("you")
			return c, pass
		}
		c, pass := proven()
		for range activityLife / pingEvery { // it is renewed meanwhile
			c.hears("ping")
		}
		time.Sleep(time.Second)
		testkit.Must(t, b.store.EndPasses(t.Context(), ann, time.Now()))
		if no := c.act(storage.NumberAt(time.Now()), b.rec.Stamp(), "play", "h8"); no == "" {
			t.Error("who has signed out elsewhere plays")
		}
		second := b.frame(map[string]any{"instance": here, "pass": pass})
		second.hears("state")
		if no := second.act(storage.NumberAt(time.Now()), b.rec.Stamp(), "play", "h8"); no == "" {
			t.Error("a pass from before is good")
		}
		c.hearsIn(2*lookAgain, "bye")
		time.Sleep(time.Second)
		c, _ = proven()
		if no := c.act(storage.NumberAt(time.Now()), b.rec.Stamp(), "play", "h8"); no != "" {
			t.Errorf("who proves anew who they are reads %q", no)
		}
	})
}

// An instance asks so often without a socket, and has so many codes looked at. A frame without an origin may read the
// answer.
func TestInstanceLimits(t *testing.T) {
	in(t, func(b *bench) {
		d, here := b.withDiscord()
		poll := `{"t":"hello","way":"activity","instance":"` + here + `"}`
		for i := range mostPolls + 1 {
			res, text := b.ask("POST", "/poll", poll, "Origin: null")
			if (res.StatusCode == 200) != (i < mostPolls) {
				t.Fatalf("poll %d: %v %s", i, res.Status, text)
			}
			if got := res.Header.Get("Access-Control-Allow-Origin"); got != "null" {
				t.Errorf("poll %d may be read by %q", i, got)
			}
		}
		if res, _ := b.ask("POST", "/poll", poll, "Origin: "+site); res.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Error("a page with an origin needs no word of who may read")
		}
		c := b.frame(map[string]any{"instance": here})
		c.hears("state")
		begun := time.Now()
		for range 2 * mostCodes {
			c.says(`{"t":"code","code":"anns"}`)
			c.hears("pass")
			time.Sleep(100 * time.Millisecond) // or it sends too much
		}
		if most := mostCodes + int(time.Since(begun).Seconds())*codesASecond + 1; d.proofs > most || d.proofs < mostCodes {
			t.Errorf("Discord is asked of %d codes, at most are %d", d.proofs, most)
		}
	})
}
