package screen

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/chat"
	"tengen/bot/outbox"
	"tengen/bot/room"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/tasks"
	"tengen/internal/testkit"
	"tengen/storage"
)

// channel is a chat of one channel. It keeps the messages, and what was done by whose token.
type channel struct {
	chat.Chat
	last   uint64
	there  map[uint64]chat.Message
	nonces map[string]uint64
	did    []string
	fail   func(did string) error // after the act where it is *chat.Error of trouble Failed, else in its place
}

func newChannel() *channel {
	return &channel{last: 100, there: map[uint64]chat.Message{}, nonces: map[string]uint64{}}
}

// do notes an act, and does it unless fail says that it is refused.
func (c *channel) do(what string, to chat.To, act func()) error {
	by := "bot"
	if to.Token != "" {
		by = to.Token
	}
	did := what + " by " + by
	c.did = append(c.did, did)
	var err error
	if c.fail != nil {
		err = c.fail(did)
	}
	if err == nil || chat.TroubleOf(err) == chat.Failed {
		act()
	}
	return err
}

func (c *channel) Send(_ context.Context, to chat.To, m chat.Message) (id uint64, err error) {
	if to.Message != 0 {
		return to.Message, c.do("edit", to, func() { c.there[to.Message] = m })
	}
	what := "call"
	if len(m.Blocks) > 1 {
		what = "board"
	}
	if to.Nonce != "" && c.nonces[to.Nonce] != 0 {
		return c.nonces[to.Nonce], c.do("repeat "+what, to, func() {})
	}
	if m.Mention != 0 {
		what += fmt.Sprint(" for ", m.Mention)
	}
	err = c.do(what, to, func() {
		c.last++
		id = c.last
		if c.there[id] = m; to.Nonce != "" {
			c.nonces[to.Nonce] = id
		}
	})
	if err != nil {
		id = 0
	}
	return id, err
}

func (c *channel) Answer(_ context.Context, t chat.Ticket, a chat.Answer) (uint64, error) {
	return 0, c.do("answer", chat.To{Token: t.Token}, func() {})
}

func (c *channel) Delete(_ context.Context, to chat.To) error {
	return c.do("delete", to, func() { delete(c.there, to.Message) })
}

func (c *channel) Find(_ context.Context, _ uint64, mark uint32, _ time.Time) (found uint64, err error) {
	err = c.do("find", chat.To{}, func() {
		for id, m := range c.there {
			if m.Mark == mark {
				found = id
			}
		}
	})
	return found, err
}

// calls are the short calls that stand.
func (c *channel) calls() (n int) {
	for _, m := range c.there {
		if m.Mention != 0 && len(m.Blocks) == 1 {
			n++
		}
	}
	return n
}

// shared is a house that shares its store with others.
type shared struct {
	house
	s    **Screens
	owns *bool
}

func (h shared) Alone() bool { return false }

func (h shared) Owns(venue.Place) bool { return *h.owns }

func (h shared) Due(ctx context.Context, id game.MatchID) (context.Context, storage.Record, error) {
	if !*h.owns {
		return ctx, storage.Record{}, nil
	}
	rec, err := (*h.s).Store.Match(ctx, id)
	return ctx, rec, err
}

func (h shared) Changed(storage.Record) {}

func (h shared) Reply(context.Context, game.MatchID) {}

// table is two processes that share a store, a game in it, and the channel. Member 1 is to move.
type table struct {
	t    *testing.T
	now  time.Time
	c    *channel
	rec  storage.Record
	one  *Screens // owns the channel
	two  *Screens
	owns [2]bool
}

// newTable is a game whose members have done nothing for so long. Its board is message 100, which
// the token "old" may edit.
func newTable(t *testing.T, ago time.Duration) *table {
	began := testkit.At("2026-03-01 12:00")
	s, rec := between(t, began)
	b := &table{t: t, c: newChannel(), rec: rec, now: began.Add(ago), owns: [2]bool{true, false}}
	process := func(i int) *Screens {
		p := new(*Screens)
		*p = New(Config{Base: room.Base{Store: s.Store, Chat: b.c, Log: slog.New(slog.DiscardHandler),
			Tasks: tasks.New(nil), Now: func() time.Time { return b.now }}, House: shared{s: p, owns: &b.owns[i]}})
		return *p
	}
	b.one, b.two = process(0), process(1)
	b.c.there[100] = chat.Message{}
	b.set(func(sc storage.Screen) storage.Screen {
		sc.Message, sc.Posted, sc.Shown, sc.Awaited = 100, began, rec.Version, nil
		sc.Token, sc.Expires = "old", began.Add(chat.TokenLife)
		sc.Acted, sc.Reads = [2]time.Time{began, began}, true
		return sc.Plan(rec.Match)
	})
	return b
}

func (b *table) set(f func(storage.Screen) storage.Screen) storage.Screen {
	return testkit.Got(b.one.setScreen(b.t.Context(), b.rec.ID, f))
}

// send lets a process send what is due, and gives what it did.
func (b *table) send(s *Screens) []string {
	b.t.Helper()
	b.c.did = nil
	if err := s.sendOnce(b.t.Context(), b.rec.ID, false); err != nil {
		b.t.Log(err)
	}
	return b.c.did
}

// press lets a member play a point by a press of the board, which a process handles. It waits for
// the sender that the press may start, and gives what both did.
func (b *table) press(s *Screens, by game.MemberID, p game.Point) []string {
	b.t.Helper()
	b.c.did = nil
	r := chat.Request{ID: uint64(b.now.UnixNano()), Token: fmt.Sprint("press of ", by), Kind: chat.Press, At: b.now,
		By: by, Place: b.rec.Place, Installed: true, Message: 100,
		Custom: view.Press{Match: b.rec.ID, Verb: "play", Arg: p.String()}.ID()}
	r.Allowed.Read = true
	rec := testkit.Got(s.Store.Update(b.t.Context(), b.rec.ID, s.Cause(r), func(m game.Match) (game.Match, error) {
		return m.Play(by, p, b.now)
	}))
	b.rec = rec
	testkit.Must(b.t, s.Show(b.t.Context(), r, rec.ID, ""))
	s.Tasks.Wait()
	return b.c.did
}

func (b *table) want(what string, got []string, want ...string) {
	b.t.Helper()
	if !slices.Equal(got, want) {
		b.t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// One process calls, and the other answers the member who was called: the call goes away by the
// token that sent it, whoever has it. The other cannot call, and leaves that to the owner.
func TestCallBetweenProcesses(t *testing.T) {
	b := newTable(t, 3*time.Minute)
	b.want("the owner", b.send(b.one), "call for 1 by old")
	b.want("again", b.send(b.one))
	b.want("the other", b.send(b.two))
	b.now = b.now.Add(time.Minute)
	b.want("her move at the other", b.press(b.two, 1, game.At(3, 3)), "answer by press of 1", "delete by old")
	testkit.Want(t, "calls stand", b.c.calls(), 0)
	b.want("the owner hears", b.send(b.one), "call for 2 by press of 1")
	b.owns = [2]bool{false, true}
	b.now = b.now.Add(20 * time.Minute)
	b.want("his move at the former owner, after the token's life", b.press(b.one, 2, game.At(4, 4)),
		"answer by press of 2", "delete by bot")
	b.want("the new owner", b.send(b.two), "call for 1 by press of 2")
}

// A process dies while it calls: the next owner finds the call, and sends none.
func TestCallOfDeadProcess(t *testing.T) {
	b := newTable(t, 3*time.Minute)
	b.c.fail = func(did string) error {
		if did == "call for 1 by old" {
			return &chat.Error{Trouble: chat.Failed}
		}
		return nil
	}
	b.want("the owner", b.send(b.one), "call for 1 by old")
	b.owns = [2]bool{false, true}
	b.want("at once", b.send(b.two)) // it may be on its way
	b.now = b.now.Add(settleWait)
	b.want("the next owner", b.send(b.two), "find by bot")
	b.want("again", b.send(b.two))
	b.want("her move", b.press(b.two, 1, game.At(3, 3)), "answer by press of 1", "delete by bot",
		"call for 2 by press of 1")
	testkit.Want(t, "calls that stand", b.c.calls(), 1)
}

// A call that did not go by the token goes by the bot's own: at once where it is certainly not
// there, else once it was looked for. One that cannot be looked for is not sent again.
func TestCallAfterRefusedToken(t *testing.T) {
	for _, test := range []struct {
		call, find error
		before     []string
		after      []string
	}{
		{&chat.Error{Trouble: chat.Lapsed}, nil, []string{"call for 1 by old", "call for 1 by bot"}, nil},
		{&chat.Error{Trouble: chat.Busy}, nil, []string{"call for 1 by old", "call for 1 by bot"}, nil},
		{&chat.Error{Trouble: chat.Failed}, nil, []string{"call for 1 by old"}, []string{"find by bot"}},
		{&chat.Error{Trouble: chat.Failed}, &chat.Error{Trouble: chat.Locked}, []string{"call for 1 by old"}, []string{"find by bot"}},
	} {
		b := newTable(t, 3*time.Minute)
		b.c.fail = func(did string) error {
			switch did {
			case "call for 1 by old":
				return test.call
			case "find by bot":
				return test.find
			}
			return nil
		}
		b.want(test.call.Error(), b.send(b.one), test.before...)
		b.now = b.now.Add(settleWait)
		b.want("then", b.send(b.one), test.after...)
		b.want("then", b.send(b.one))
	}

	// It was lost on its way.
	b := newTable(t, 3*time.Minute)
	b.c.fail = func(did string) error {
		if did == "call for 1 by old" {
			clear(b.c.there)
			return &chat.Error{Trouble: chat.Failed}
		}
		return nil
	}
	b.send(b.one)
	delete(b.c.there, b.c.last)
	b.now = b.now.Add(settleWait)
	b.want("a lost call", b.send(b.one), "find by bot", "call for 1 by bot")
}

// A game ends while a call in doubt is looked for: nobody is to be called any more, and nothing is
// left to do.
func TestGameEndsDuringSearch(t *testing.T) {
	b := newTable(t, 3*time.Minute)
	b.c.fail = func(did string) error {
		switch did {
		case "call for 1 by old":
			return &chat.Error{Trouble: chat.Failed}
		case "find by bot":
			clear(b.c.there)
			rec, err := b.one.Store.Update(t.Context(), b.rec.ID, storage.Cause{Interaction: 5, By: 1, At: b.now},
				func(m game.Match) (game.Match, error) { return m.Resign(1, b.now) })
			testkit.Check(t, err)
			b.rec = rec
		}
		return nil
	}
	b.send(b.one)
	b.now = b.now.Add(settleWait)
	b.send(b.one) // looks for the call
	b.now = b.now.Add(storage.AwayAfter)
	b.send(b.one)
	b.send(b.one)
	if late, err := b.one.Store.Late(t.Context(), b.now); err != nil || len(late) > 0 {
		t.Errorf("left to do: %+v, %v", late, err)
	}
}

// Where the board can be edited no more, it comes anew and calls itself, and the old one goes.
func TestTooOldToEditCalls(t *testing.T) {
	b := newTable(t, 20*time.Minute)
	b.set(func(sc storage.Screen) storage.Screen { sc.Shown--; return sc })
	b.c.fail = func(did string) error {
		if did == "edit by bot" {
			return &chat.Error{Trouble: chat.TooOld, Code: 30046}
		}
		return nil
	}
	b.want("the board", b.send(b.one), "edit by bot", "board for 1 by bot", "delete by bot")
	sc, err := b.one.Store.Screen(t.Context(), b.rec.ID)
	if err != nil || sc.Message != 101 || sc.Call.Seat != 1 || sc.Call.Message != 0 || len(sc.Retired) != 0 {
		t.Errorf("%+v %v", sc, err)
	}
	b.want("again", b.send(b.one))
}

// A board that the channel refuses goes out by the live message's token. If the process dies before
// it notes that, the next one finds the board and posts no second one.
func TestBoardOfDeadProcess(t *testing.T) {
	forbidden := &chat.Error{Trouble: chat.Locked, Code: 50013}
	for _, test := range []struct {
		name string
		lost bool  // the board never arrived
		find error // of the search
		then []string
	}{
		{"it is there", false, nil, []string{"find by bot", "edit by bot", "delete by old"}},
		{"it was lost", true, nil, []string{"find by bot", "board by bot", "edit by bot", "delete by old"}},
		{"nobody may look", false, forbidden, []string{"find by bot", "board by bot", "edit by bot", "delete by old"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newTable(t, time.Minute)
			b.set(func(sc storage.Screen) storage.Screen {
				sc.Shown, sc.Token = sc.Shown-1, FollowUp("old")
				return sc
			})
			alive := true
			b.c.fail = func(did string) error {
				switch {
				case alive && did == "board by old":
					return &chat.Error{Trouble: chat.Failed}
				case alive && did == "board by bot", alive && did == "edit by bot", alive && did == "edit by old":
					return &chat.Error{Trouble: chat.NoPlace, Code: 50001}
				case did == "find by bot":
					return test.find
				}
				return nil
			}
			b.want("the owner", b.send(b.one), "edit by old", "edit by bot", "board by bot", "board by old")
			if test.lost {
				delete(b.c.there, b.c.last)
			}
			alive = false
			b.owns = [2]bool{false, true}
			b.want("the next owner", b.send(b.two), test.then...)
			b.want("again", b.send(b.two))
			if n := len(b.c.there); n != 1 && test.find == nil {
				t.Errorf("%d boards stand", n)
			}
		})
	}
}

// A call that may not be deleted now is deleted later. One whose place is gone, or which is gone
// itself, is forgotten.
func TestRefusedDelete(t *testing.T) {
	for _, test := range []struct {
		err  *chat.Error
		kept bool
	}{
		{&chat.Error{Trouble: chat.Locked, Code: 50013}, true},
		{&chat.Error{Trouble: chat.NoPlace, Code: 50001}, true},
		{&chat.Error{Trouble: chat.NoPlace, Code: 10003}, false},
		{&chat.Error{Trouble: chat.Gone, Code: 50005}, false},
	} {
		b := newTable(t, 20*time.Minute)
		b.want("the call", b.send(b.one), "call for 1 by bot")
		refuses := true
		b.c.fail = func(did string) error {
			if did == "delete by bot" && refuses {
				return test.err
			}
			return nil
		}
		b.want("her move", b.press(b.two, 1, game.At(3, 3)), "answer by press of 1", "delete by bot")
		refuses = false
		var later []string
		if test.kept {
			later = []string{"delete by bot"}
		}
		b.set(func(sc storage.Screen) storage.Screen { // his call is not the matter here
			sc.Acted[1] = b.now
			return sc.Plan(b.rec.Match)
		})
		late, err := b.one.Store.Late(t.Context(), b.now)
		if err != nil || (len(late) > 0) != test.kept {
			t.Errorf("%v: left to do %v, %v", test.err, late, err)
		}
		b.want("later", b.send(b.one), later...)
		b.want("then", b.send(b.one))
	}
}

// What one process holds, no other takes or gives back before its time is over.
func TestHeldScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTable(t, 0)
		now := func() storage.Screen { return b.set(func(sc storage.Screen) storage.Screen { return sc }) }
		release := testkit.Got(b.one.hold(t.Context(), b.rec.ID))
		brief, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := b.two.claim(brief, b.rec.ID); err == nil || now().Sender != b.one.process {
			t.Errorf("the other has taken it: %v", err)
		}
		b.now = b.now.Add(holdFor)
		testkit.Got(b.two.hold(t.Context(), b.rec.ID))
		if release(); now().Sender != b.two.process {
			t.Errorf("given back by the former holder: %+v", now())
		}
	})
}

// Where the bot may read nothing, a call of which it is not known whether it is there is neither looked for
// nor sent again.
func TestCallWhereNothingCanBeRead(t *testing.T) {
	b := newTable(t, 20*time.Minute)
	b.set(func(sc storage.Screen) storage.Screen { sc.Reads = false; return sc })
	b.c.fail = func(string) error { return &chat.Error{Trouble: chat.Failed} }
	b.want("a call that fails", b.send(b.one), "call for 1 by bot")
	b.c.fail = nil
	b.now = b.now.Add(outbox.NonceLife + time.Second)
	b.want("later", b.send(b.one))
}
