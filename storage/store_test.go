package storage

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

var (
	noon  = testkit.At("2026-03-01 12:00")
	here  = venue.Place{Server: 100, Channel: 200}
	there = venue.Place{Server: 100, Channel: 201}
)

const (
	ann = game.MemberID(1001)
	bob = game.MemberID(1002)
	cat = game.MemberID(1003)
)

// bench is a store with a clock that the test turns.
type bench struct {
	*Store
	t      testing.TB
	engine kv.Engine
	now    time.Time
	next   uint64
}

func newBench(t testing.TB, o ...Options) *bench {
	t.Helper()
	b := &bench{t: t, engine: kv.NewMemory(), now: noon}
	b.open(append(o, Options{})[0])
	return b
}

// later turns the clock.
func (b *bench) later(d time.Duration) { b.now = b.now.Add(d) }

func (b *bench) open(o Options) {
	b.Store = first(Open(b.t.Context(), b.engine, o))
}

// cause is a fresh interaction.
func (b *bench) cause() Cause {
	b.next++
	b.later(1500 * time.Millisecond)
	return Cause{Interaction: venue.IDAt(b.now) + b.next, At: b.now}
}

func (b *bench) must(rec Record, err error) Record {
	b.t.Helper()
	testkit.Must(b.t, err)
	return rec
}

// made is a match that a member has offered, or begun, by a cause; it lasts until then, if nobody accepts.
func (b *bench) made(c Cause, terms game.Terms, by game.MemberID, against game.Seat, until time.Time) Record {
	b.t.Helper()
	return b.must(b.Create(b.t.Context(), c, here, func(id game.MatchID) (game.Match, error) {
		return game.NewMatch(id, terms, by, game.SeatFor(by), against, c.At, until)
	}))
}

// match is a match as it is stored.
func (b *bench) match(id game.MatchID) Record {
	b.t.Helper()
	return b.must(b.Match(b.t.Context(), id))
}

func (b *bench) offer(rules game.Rules, from, to game.MemberID) Record {
	b.t.Helper()
	c := b.cause()
	terms := game.Terms{Rules: rules, First: game.Black, Rated: true, Seed: 7}
	return b.made(c, terms, from, game.SeatFor(to), c.At.Add(time.Hour))
}

func (b *bench) begin(rules game.Rules, from, to game.MemberID) Record {
	b.t.Helper()
	m := b.offer(rules, from, to)
	return b.act(m, to, game.Match.Accept)
}

func (b *bench) engineGame(member game.MemberID) Record {
	b.t.Helper()
	c := b.cause()
	return b.made(c, game.Terms{Rules: game.Gomoku15, First: game.Black, Seed: 9}, member, game.SeatEngine(3), time.Time{})
}

func (b *bench) do(rec Record, f func(game.Match) (game.Match, error)) Record {
	b.t.Helper()
	return b.must(b.Update(b.t.Context(), rec.ID, b.cause(), f))
}

// act is what a member does with a match: resign, take back, accept.
func (b *bench) act(rec Record, by game.MemberID,
	f func(game.Match, game.MemberID, time.Time) (game.Match, error)) Record {
	b.t.Helper()
	return b.do(rec, func(m game.Match) (game.Match, error) { return f(m, by, b.now) })
}

// tick lets the clock of a match run out.
func (b *bench) tick(rec Record) Record {
	b.t.Helper()
	return b.do(rec, func(m game.Match) (game.Match, error) {
		m, _, err := m.Tick(b.now)
		return m, err
	})
}

// restyle gives a match another theme.
func (b *bench) restyle(rec Record, theme string) Record {
	b.t.Helper()
	return b.must(b.Restyle(b.t.Context(), rec.ID, b.cause(), func(Record) (Look, error) {
		return Look{Theme: theme}, nil
	}))
}

// play makes moves for whoever's turn it is.
func (b *bench) play(rec Record, points ...string) Record {
	b.t.Helper()
	for _, name := range points {
		p := point(b.t, name)
		rec = b.do(rec, func(m game.Match) (game.Match, error) {
			if m.EngineToMove() {
				return m.Reply(m.Stamp(), p, game.Note{Depth: 7, Nodes: 9000, Millis: 40, Score: 120, Win: 610}, b.now)
			}
			return m.Play(m.Seats[m.ToMove()].Member, p, b.now)
		})
	}
	return rec
}

// blackWins are nine moves by which black makes a row of five.
var blackWins = []string{"H8", "A1", "H9", "A2", "H10", "A3", "H11", "A4", "H12"}

func point(t testing.TB, name string) game.Point {
	for p := range 256 {
		if game.Point(p).String() == name {
			return game.Point(p)
		}
	}
	t.Fatalf("no point %q", name)
	return 0
}

// sound checks all rows of the store against one another.
func (b *bench) sound() {
	b.t.Helper()
	if _, err := Verify(b.t.Context(), b.engine); err != nil {
		b.t.Errorf("the store is not sound: %v", err)
	}
}

// rows counts the rows of a table.
func (b *bench) rows(table byte) (n int) {
	b.t.Helper()
	testkit.Must(b.t, b.engine.View(b.t.Context(), func(r kv.Reader) error {
		return r.Scan([]byte{table}, []byte{table + 1}, func(_, _ []byte) bool { n++; return true })
	}))
	return n
}

func (b *bench) want(what string, got, want any) {
	b.t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		b.t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// same holds a record against the one that the store gives.
func (b *bench) same(rec Record) {
	b.t.Helper()
	got := first(b.Match(b.t.Context(), rec.ID))
	rec.Repeated = false
	equalRecords(b.t, "the stored match", got, rec)
}

func equalRecords(t testing.TB, what string, got, want Record) {
	t.Helper()
	if !got.Game().Equal(want.Game()) {
		t.Errorf("%s has another game", what)
	}
	if !reflect.DeepEqual(got.Question(), want.Question()) || !reflect.DeepEqual(got.Made(), want.Made()) {
		t.Errorf("%s asks %+v after %+v, want %+v after %+v", what, got.Question(), got.Made(), want.Question(), want.Made())
	}
	followed := []string{".game", ".asks", ".opened", ".filed"} // from the rest
	opts := cmp.Options{cmp.FilterPath(func(p cmp.Path) bool { return slices.Contains(followed, p.Last().String()) },
		cmp.Ignore()),
		cmp.Comparer(func(a, b game.Rules) bool { return a == b })}
	if d := cmp.Diff(want, got, opts); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func TestLife(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	rec := b.offer(game.Gomoku15, ann, bob)
	b.same(rec)
	for _, c := range []struct {
		what string
		recs []Record
		err  error
	}{
		{"the channel", first(b.InChannel(ctx, here)), nil},
		{"ann", first(b.Of(ctx, ann)), nil}, {"bob", first(b.Of(ctx, bob)), nil},
	} {
		if len(c.recs) != 1 || c.recs[0].ID != rec.ID {
			t.Errorf("%s has %d matches, want the one", c.what, len(c.recs))
		}
	}
	rec = b.act(rec, bob, game.Match.Accept)
	rec = b.play(rec, blackWins...)
	b.same(rec)
	if !rec.archived() || rec.Ended.IsZero() || rec.Result().Winner != game.Black {
		t.Errorf("the finished match is %+v", rec)
	}
	for _, at := range []time.Time{rec.Updated, rec.Ended, rec.Turned, rec.Log[1].At} {
		if at.Nanosecond() != 0 {
			t.Errorf("the archive keeps the moment %v", at)
		}
	}
	if n := len(first(b.InChannel(ctx, here))) + len(first(b.Of(ctx, ann))); n != 0 {
		t.Errorf("a finished match is in %d live lists", n)
	}
	for _, m := range []game.MemberID{ann, bob} {
		if h := first(b.History(ctx, m, 0, 10)); len(h) != 1 || h[0].ID != rec.ID {
			t.Errorf("the history of %d has %d matches", m, len(h))
		}
	}
	b.sound()
}

func first[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A cause is applied once, and a refusal leaves nothing behind.
func TestOnce(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	c := b.cause()
	made := 0
	create := func(id game.MatchID) (game.Match, error) {
		made++
		return game.NewMatch(id, game.Terms{Rules: game.Renju, First: game.Black}, ann, game.SeatFor(ann),
			game.SeatFor(bob), c.At, time.Time{})
	}
	rec := b.must(b.Create(ctx, c, here, create))
	again := b.must(b.Create(ctx, c, here, create))
	if !again.Repeated || again.ID != rec.ID || made != 1 {
		t.Errorf("the same challenge again: repeated %v, id %d and %d, made %d times", again.Repeated, again.ID, rec.ID, made)
	}
	rec = b.act(rec, bob, game.Match.Accept)
	c = b.cause()
	play := func(m game.Match) (game.Match, error) {
		return m.Play(m.Seats[m.ToMove()].Member, game.At(7, 7+m.Played()), c.At)
	}
	rec = b.must(b.Update(ctx, rec.ID, c, play))
	again = b.must(b.Update(ctx, rec.ID, c, play))
	if rec.Repeated || !again.Repeated || again.Played() != 1 {
		t.Errorf("the same move again: repeated %v and %v, %d moves", rec.Repeated, again.Repeated, again.Played())
	}
	before := b.rows(tSeen)
	c = b.cause()
	_, err := b.Update(ctx, rec.ID, c, func(m game.Match) (game.Match, error) { return m.Play(ann, game.At(0, 0), c.At) })
	if !errors.Is(err, game.NotYourTurn) || b.rows(tSeen) != before {
		t.Errorf("a refused move gives %v and leaves %d rows more", err, b.rows(tSeen)-before)
	}
	if _, err := b.Update(ctx, 12345, b.cause(), play); !errors.Is(err, ErrNotFound) {
		t.Errorf("an unknown match gives %v", err)
	}
	// What was deleted is not made again by what made it.
	c = b.cause()
	gone := b.must(b.Create(ctx, c, here, create))
	testkit.Must(t, b.delete(ctx, []game.MatchID{gone.ID}, nil))
	if _, err := b.Create(ctx, c, here, create); !errors.Is(err, ErrNotFound) || b.rows(tLive) != 1 {
		t.Errorf("a challenge that was deleted, again: %v, %d matches", err, b.rows(tLive))
	}
	before = b.rows(tSeen)
	unchanged := b.must(b.Update(ctx, rec.ID, b.cause(), func(m game.Match) (game.Match, error) { return m, nil }))
	if unchanged.Version != rec.Version || b.rows(tSeen) != before {
		t.Error("an update that changes nothing wrote something")
	}
	b.sound()
}

// What the engine owes is written with the move that gives it the turn.
func TestWork(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	rec := b.engineGame(ann)
	testkit.Want(t, "turns are owed while the member is to move", len(first(b.Owed(ctx))), 0)
	rec = b.play(rec, "H8")
	owed := first(b.Owed(ctx))
	b.want("what is owed", owed, []Work{{Match: rec.ID, Stamp: rec.Stamp(), Since: rec.Turned}})
	for range 2 {
		first(b.Try(ctx, rec.ID, rec.Stamp()))
	}
	// A change that leaves the position alone leaves the count of tries.
	rec = b.restyle(rec, "ink")
	if owed = first(b.Owed(ctx)); len(owed) != 1 || owed[0].Tries != 2 {
		t.Errorf("after two tries and a change of look: %+v", owed)
	}
	stamp := rec.Stamp()
	rec = b.act(rec, ann, game.Match.Undo)
	if owed = first(b.Owed(ctx)); len(owed) != 0 {
		t.Errorf("after an undo: %+v", owed)
	}
	if _, err := b.Try(ctx, rec.ID, stamp); !errors.Is(err, ErrNotFound) {
		t.Errorf("a try of a position that is gone: %v", err)
	}
	rec = b.play(rec, "H8", "H9", "G8")
	if _, err := b.Try(ctx, rec.ID, stamp); !errors.Is(err, ErrNotFound) {
		t.Errorf("a try of a position that is gone while another is waited for: %v", err)
	}
	if owed = first(b.Owed(ctx)); len(owed) != 1 || owed[0].Tries != 0 {
		t.Errorf("after the engine's move and another one: %+v", owed)
	}
	b.act(rec, ann, game.Match.Resign)
	if owed = first(b.Owed(ctx)); len(owed) != 0 {
		t.Errorf("after the end: %+v", owed)
	}
	b.sound()
}

// An undo after the end takes a match out of the archive and back into play.
func TestReopen(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	rec := b.play(b.engineGame(ann), blackWins...)
	b.want("the table against the engine", first(b.Store.AgainstEngine(ctx, ann))[0].Tally, Tally{Won: 1})
	b.sound()
	rec = b.act(rec, ann, game.Match.Undo)
	if rec.Phase != game.Playing || !rec.Ended.IsZero() || len(first(b.History(ctx, ann, 0, 9))) != 0 ||
		len(first(b.Of(ctx, ann))) != 1 {
		t.Errorf("the match is not back in play: %+v", rec)
	}
	b.same(rec)
	b.sound()
	rec = b.play(rec, "H12")
	// Once it has been filed it can be taken up again as well, and filed again.
	for range 2 {
		b.later(keepEnded + quarter)
		testkit.Must(t, b.Sweep(ctx, b.now))
		b.want("rows of the archive, live and of screens",
			[]int{b.rows(tArchive), b.rows(tLive), b.rows(tScreen)}, []int{1, 0, 0})
		b.same(rec)
		b.sound()
		rec = b.act(rec, ann, game.Match.Undo)
		b.want("rows of the archive, live and of screens",
			[]int{b.rows(tArchive), b.rows(tLive), b.rows(tScreen)}, []int{0, 1, 1})
		b.sound()
		rec = b.play(rec, "H12")
	}
	b.want("the table, which an undone game does not enter",
		first(b.Store.AgainstEngine(ctx, ann))[0].Tally, Tally{Won: 1})
	b.same(rec)
	b.sound()
}

// A match begins in the look that its cause names. Another look is a new version, the same is none.
func TestRestyle(t *testing.T) {
	b := newBench(t)
	c := b.cause()
	c.Look = Look{Theme: "wood", Numbers: 3, Language: "zh-CN", Engine: true}
	rec := b.made(c, game.Terms{Rules: game.Renju}, ann, game.Seat{}, c.At.Add(time.Hour))
	b.want("its look", b.match(rec.ID).Look, c.Look)
	next := b.restyle(rec, "ink")
	b.want("another", next.Look, Look{Theme: "ink"})
	b.want("versions", []uint32{next.Version, b.restyle(next, "ink").Version}, []uint32{rec.Version + 1, rec.Version + 1})
	b.same(next)
}

func TestRematch(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	rec := b.restyle(b.play(b.begin(game.Gomoku15, ann, bob), blackWins...), "ink")
	again := func(by game.MemberID) func(game.Match, game.MatchID) (game.Match, game.Match, error) {
		return rematch(b, by)
	}
	old, next, err := b.Rematch(ctx, rec.ID, b.cause(), again(ann))
	if err != nil || old.Next != 0 || next.ID != 0 {
		t.Fatalf("one side asks: %v, next %d", err, next.ID)
	}
	c := b.cause()
	c.Token, c.Second, c.Expires = "press", "f:press", c.At.Add(15*time.Minute)
	old, next, err = b.Rematch(ctx, rec.ID, c, again(bob))
	if err != nil || old.Next != next.ID || next.ID == 0 || next.Phase != game.Playing || next.First != game.White ||
		next.Look != rec.Look {
		t.Fatalf("both ask: %v, next %d of %d, first seat plays %v", err, next.ID, old.Next, next.First)
	}
	b.same(old)
	b.same(next)
	s := first(b.Screen(ctx, next.ID))
	b.want("the token of the rematch, and the answers that may show it", []any{s.Token, len(s.Awaited)},
		[]any{"f:press", 0})
	b.want("the answer to the press shows the old match", first(b.Screen(ctx, old.ID)).Awaits("press"), true)
	old2, next2, err := b.Rematch(ctx, rec.ID, c, again(bob))
	if err != nil || !old2.Repeated || old2.ID != old.ID || next2.ID != next.ID {
		t.Errorf("the same again: %v, repeated %v, %d and %d", err, old2.Repeated, old2.ID, next2.ID)
	}
	if _, _, err := b.Rematch(ctx, rec.ID, b.cause(), again(ann)); !errors.Is(err, game.RematchMade) {
		t.Errorf("a second rematch: %v", err)
	}
	testkit.Must(t, b.delete(ctx, []game.MatchID{next.ID}, nil))
	if old, next, err = b.Rematch(ctx, rec.ID, c, again(bob)); err != nil || !old.Repeated || next.ID != 0 {
		t.Errorf("the same again after the rematch was deleted: %v, repeated %v, %d", err, old.Repeated, next.ID)
	}
	b.sound()
}

// rematch is the wish of a member for another game, for Store.Rematch.
func rematch(b *bench, by game.MemberID) func(game.Match, game.MatchID) (game.Match, game.Match, error) {
	return func(m game.Match, next game.MatchID) (game.Match, game.Match, error) {
		m, err := m.Rematch(by, next, b.now)
		if err != nil || m.Next == 0 {
			return m, game.Match{}, err
		}
		after, err := m.Successor(nil, 3, b.now)
		return m, after, err
	}
}

func TestMove(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	rec := b.begin(game.Reversi, ann, bob)
	b.want("screen", first(b.SetScreen(ctx, rec.ID, func(s Screen) (Screen, error) {
		s.Message, s.Shown = 77, s.Wanted
		return s, nil
	})).Late(), false)
	rec = b.must(b.Move(ctx, rec.ID, b.cause(), there, func(m game.Match) (game.Match, error) { return m.Rest(b.now) }))
	if len(first(b.InChannel(ctx, here))) != 0 || len(first(b.InChannel(ctx, there))) != 1 {
		t.Error("the match is not in its new place")
	}
	s := first(b.Screen(ctx, rec.ID))
	if s.Message != 0 || s.Channel != there.Channel || !s.Late() {
		t.Errorf("the screen in the new place is %+v", s)
	}
	rec = b.must(b.Move(ctx, rec.ID, b.cause(), here, nil))
	b.same(rec)
	b.sound()
}

func TestScreen(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	c := b.cause()
	c.Token, c.Expires = "first", c.At.Add(15*time.Minute)
	rec := b.made(c, game.Terms{Rules: game.Gomoku15, First: game.Black}, ann, game.SeatFor(bob), time.Time{})
	s := first(b.Screen(ctx, rec.ID))
	b.want("the screen of a new match", s, Screen{Match: rec.ID, Channel: here.Channel, Wanted: 1,
		Awaited: []AwaitedAnswer{{Token: "first", Expires: c.Expires}}, Acted: [2]time.Time{c.At.UTC(), c.At.UTC()}})
	shown := func(message uint64) {
		t.Helper()
		first(b.SetScreen(ctx, rec.ID, func(s Screen) (Screen, error) {
			s.Message, s.Posted, s.Shown = message, b.now, s.Wanted
			for _, a := range s.Awaited {
				s.Token, s.Expires = a.Token, a.Expires
			}
			s.Awaited = nil
			return s, nil
		}))
	}
	shown(77)
	testkit.Want(t, "screens are late", len(first(b.Late(ctx, time.Time{}))), 0)
	// Pressed on another message: its token cannot edit the live one.
	c = b.cause()
	c.Token, c.Expires, c.Message = "other", c.At.Add(15*time.Minute), 78
	rec = b.must(b.Update(ctx, rec.ID, c, func(m game.Match) (game.Match, error) { return m.Accept(bob, c.At) }))
	late := first(b.Late(ctx, time.Time{}))
	if len(late) != 1 || late[0].Token != "first" || late[0].Awaited != nil || late[0].Wanted != rec.Version ||
		late[0].Shown != 1 || late[0].Message != 77 {
		t.Errorf("after a press elsewhere: %+v", late)
	}
	c = b.cause()
	c.Token, c.Expires, c.Message = "second", c.At.Add(15*time.Minute), 77
	rec = b.must(b.Update(ctx, rec.ID, c, func(m game.Match) (game.Match, error) { return m.Play(ann, 0x77, c.At) }))
	if s = first(b.Screen(ctx, rec.ID)); s.Token != "first" || !s.Awaits("second") || s.Wanted != rec.Version {
		t.Errorf("after a press on the live message: %+v", s)
	}
	testkit.Want(t, "tokens", b.rows(tToken), 1)
	testkit.Must(t, b.Sweep(ctx, b.now.Add(20*time.Minute)))
	if s = first(b.Screen(ctx, rec.ID)); s.Token != "" || s.Awaited != nil || b.rows(tToken) != 0 {
		t.Errorf("the token outlives its time: %+v", s)
	}
	shown(77)
	// What is begun and not ended is told after a start, in the new place too.
	underway := func(f func(Screen) Screen) {
		t.Helper()
		first(b.SetScreen(ctx, rec.ID, func(s Screen) (Screen, error) { return f(s), nil }))
	}
	for what, f := range map[string]func(Screen) Screen{
		"an answer":    func(s Screen) Screen { return s.Await(AwaitedAnswer{Token: "a", Expires: b.now.Add(time.Hour)}) },
		"a post":       func(s Screen) Screen { s.Nonce = 9; return s },
		"an old board": func(s Screen) Screen { return s.Retire(MessageRef{5, 6}) },
		"an old board,": func(s Screen) Screen {
			return s.Retire(MessageRef{5, 6}).Retire(MessageRef{5, 6}).Closed(MessageRef{5, 7})
		},
	} {
		underway(f)
		if late := first(b.Late(ctx, time.Time{})); len(late) != 1 || late[0].Late() {
			t.Errorf("%s that is under way: %+v", what, late)
		}
		underway(func(s Screen) Screen { s.Nonce = 0; return s.Closed(MessageRef{5, 6}).Heard("a") })
		if late := first(b.Late(ctx, time.Time{})); len(late) != 0 {
			t.Errorf("%s that is done: %+v", what, late)
		}
	}
	underway(func(s Screen) Screen { return s.Await(AwaitedAnswer{Token: "unheard", Expires: b.now.Add(time.Hour)}) })
	rec = b.must(b.Move(ctx, rec.ID, b.cause(), venue.Place{Server: here.Server, Channel: here.Channel + 1}, nil))
	if s = first(b.Screen(ctx, rec.ID)); s.Message != 0 || len(s.Retired) != 1 ||
		s.Retired[0] != (MessageRef{here.Channel, 77}) {
		t.Errorf("the board in the old place: %+v", s)
	}
	shown(78)
	underway(func(s Screen) Screen { return s.Closed(s.Retired...) })
	if late := first(b.Late(ctx, time.Time{})); len(late) != 1 || !slices.Equal(late[0].Answers(), []string{"unheard"}) ||
		late[0].Awaited != nil {
		t.Errorf("an answer in the old place, which may be a board: %+v", late)
	}
	underway(func(s Screen) Screen { return s.AnswersClosed("unheard") })
	if late := first(b.Late(ctx, time.Time{})); len(late) != 0 {
		t.Errorf("an answer that was deleted: %+v", late)
	}
	rec = b.do(rec, func(m game.Match) (game.Match, error) { return m.Close(game.Aborted, b.now) })
	if len(first(b.Late(ctx, time.Time{}))) != 1 {
		t.Error("the end is not wanted on the screen")
	}
	testkit.Must(t, b.Sweep(ctx, b.now.Add(keepEnded+quarter)))
	if _, err := b.Match(ctx, rec.ID); !errors.Is(err, ErrNotFound) {
		t.Errorf("a match that never got going is still there after a day: %v", err)
	}
	if _, err := b.Screen(ctx, rec.ID); !errors.Is(err, ErrNotFound) {
		t.Errorf("its screen: %v", err)
	}
	b.sound()
}

func TestLimits(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		name   string
		limits Limits
		kind   LimitKind
		member game.MemberID
		run    func(b *bench) error
	}{
		{"open", Limits{Open: 2}, OpenLimit, ann, func(b *bench) error {
			b.offer(game.Renju, ann, bob)
			b.offer(game.Renju, ann, cat)
			return b.tryOffer(ann, 0)
		}},
		{"pair", Limits{Open: 3, Pair: 1}, PairLimit, ann, func(b *bench) error {
			b.offer(game.Renju, ann, bob)
			b.offer(game.Renju, ann, cat)
			return b.tryOffer(ann, bob)
		}},
		{"pair the other way round", Limits{Open: 3, Pair: 1}, PairLimit, ann, func(b *bench) error {
			b.offer(game.Renju, bob, ann)
			return b.tryOffer(ann, bob)
		}},
		{"invitations do not count", Limits{Open: 1}, 0, 0, func(b *bench) error {
			b.offer(game.Renju, bob, ann)
			b.offer(game.Renju, cat, ann)
			return b.tryOffer(ann, bob)
		}},
		{"running", Limits{Running: 1}, RunningLimit, bob, func(b *bench) error {
			b.begin(game.Renju, cat, bob)
			m := b.offer(game.Renju, ann, bob)
			_, err := b.Update(ctx, m.ID, b.cause(), func(m game.Match) (game.Match, error) { return m.Accept(bob, b.now) })
			return err
		}},
		{"moves are never limited", Limits{Running: 1, Open: 1}, 0, 0, func(b *bench) error {
			b.play(b.begin(game.Renju, cat, bob), "H8", "H9")
			return nil
		}},
		{"engine", Limits{Running: 9, Engine: 1}, EngineLimit, ann, func(b *bench) error {
			b.engineGame(ann)
			return b.tryEngine(game.SeatFor(ann))
		}},
		{"a game against the engine is forgotten after a day", Limits{Running: 1, Engine: 1}, 0, 0, func(b *bench) error {
			b.engineGame(ann)
			b.later(game.ForgottenAfter)
			b.begin(game.Renju, ann, bob)
			b.engineGame(cat)
			b.later(game.ForgottenAfter)
			return b.tryEngine(game.SeatFor(cat))
		}},
		{"but not before", Limits{Engine: 1}, EngineLimit, ann, func(b *bench) error {
			b.engineGame(ann)
			b.later(game.ForgottenAfter - 10*time.Second)
			return b.tryEngine(game.SeatFor(ann))
		}},
		{"a game between members is not forgotten", Limits{Running: 1}, RunningLimit, ann, func(b *bench) error {
			b.begin(game.Renju, ann, bob)
			b.later(2 * game.ForgottenAfter)
			return b.tryEngine(game.SeatFor(ann))
		}},
		{"a forgotten game that is played again counts", Limits{Engine: 1}, EngineLimit, ann, func(b *bench) error {
			rec := b.engineGame(ann)
			b.later(game.ForgottenAfter)
			b.do(rec, func(m game.Match) (game.Match, error) { return m.Play(ann, 112, b.now) })
			return b.tryEngine(game.SeatFor(ann))
		}},
		{"a game between engines is no game of the member", Limits{Running: 1, Engine: 1}, 0, 0, func(b *bench) error {
			if err := b.tryEngine(game.SeatEngine(2)); err != nil {
				return err
			}
			return b.tryEngine(game.SeatFor(ann))
		}},
		{"nor the other way round", Limits{Running: 1, Engine: 1}, 0, 0, func(b *bench) error {
			b.engineGame(ann)
			return b.tryEngine(game.SeatEngine(2))
		}},
		{"two games between engines", Limits{Engine: 1}, WatchLimit, ann, func(b *bench) error {
			if err := b.tryEngine(game.SeatEngine(2)); err != nil {
				return err
			}
			return b.tryEngine(game.SeatEngine(2))
		}},
		{"what ended does not count", Limits{Open: 1, Running: 1}, 0, 0, func(b *bench) error {
			m := b.offer(game.Renju, ann, bob)
			b.act(m, ann, game.Match.Cancel)
			b.play(b.begin(game.Gomoku15, ann, bob), blackWins...)
			return b.tryOffer(ann, bob)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, Options{Limits: c.limits})
			err := c.run(b)
			var limit *Limit
			switch {
			case c.kind == 0 && err != nil:
				t.Errorf("refused: %v", err)
			case c.kind != 0 && !errors.As(err, &limit):
				t.Errorf("not refused: %v", err)
			case c.kind != 0 && (limit.Kind != c.kind || limit.Member != c.member || len(limit.Matches) != limit.Max):
				t.Errorf("the limit met is %+v", limit)
			}
			b.sound()
		})
	}
}

// tryEngine begins a match of seat, a member's or the engine's, against the engine.
func (b *bench) tryEngine(seat game.Seat) error {
	owner := seat.Member
	if owner == 0 {
		owner = ann
	}
	_, err := b.Create(b.t.Context(), b.cause(), here, func(id game.MatchID) (game.Match, error) {
		return game.NewMatch(id, game.Terms{Rules: game.Renju, First: game.Black}, owner, seat, game.SeatEngine(1),
			b.now, time.Time{})
	})
	return err
}

func (b *bench) tryOffer(from, to game.MemberID) error {
	c := b.cause()
	_, err := b.Create(b.t.Context(), c, here, func(id game.MatchID) (game.Match, error) {
		seat := game.SeatFor(to)
		if to == 0 {
			seat = game.Seat{}
		}
		return game.NewMatch(id, game.Terms{Rules: game.Renju}, from, game.SeatFor(from), seat, c.At, c.At.Add(time.Hour))
	})
	return err
}

// five moves for each side and no row, then black resigns: rated.
func (b *bench) ratedGame(x, y game.MemberID) Record {
	b.t.Helper()
	rec := b.begin(game.Gomoku15, x, y)
	for i := range 10 {
		rec = b.play(rec, game.At(i%5*3, i/5*4+i%2).String())
	}
	return b.act(rec, x, game.Match.Resign)
}

// assure makes the ratings of members in Gomoku certain.
func (b *bench) assure(members ...game.MemberID) {
	b.t.Helper()
	testkit.Must(b.t, b.engine.Update(b.t.Context(), func(tx kv.Tx) (err error) {
		for _, m := range members {
			st, e := readStanding(tx, m, 0)
			st.RD = 60
			err = errors.Join(err, e, tx.Put(key(tRating, uint64(m), 0), codec.Encode(st)))
		}
		return err
	}))
}

func TestRatings(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	rec := b.ratedGame(ann, bob)
	if c := rec.Changes; c[0].After >= c[0].Before || c[1].After <= c[1].Before || c[0].Before != 1500 {
		t.Errorf("the changes are %+v", c)
	}
	b.same(rec)
	st := first(b.Standing(ctx, bob, game.Gomoku15))
	if st.R != rec.Changes[1].After || st.Tally != (Tally{Won: 1}) {
		t.Errorf("bob stands at %+v, the match says %+v", st, rec.Changes[1])
	}
	for range 3 {
		rec = b.ratedGame(ann, bob)
	}
	testkit.Want(t, "the fourth game of a day is rated", rec.Changes, [2]Change{})
	testkit.Want(t, "games are rated today", first(b.RatedToday(ctx, bob, ann, b.now)), RatedPerDay)
	b.ratedGame(cat, ann)
	if top := first(b.Top(ctx, here.Server, game.Gomoku15, 10, b.now, nil)); len(top) != 0 {
		t.Errorf("newcomers are in the table: %+v", top)
	}
	b.assure(ann, bob, cat)
	top := first(b.Top(ctx, here.Server, game.Gomoku15, 10, b.now, nil))
	if len(top) != 3 || top[0].Member != bob {
		t.Errorf("the table is %+v", top)
	}
	unlisted := func(m Member) bool { return m.ID != bob }
	top = first(b.Top(ctx, here.Server, game.Gomoku15, 10, b.now, unlisted))
	if len(top) != 2 || top[0].Member == bob || top[1].Member == bob {
		t.Errorf("the table without bob is %+v", top)
	}
	listed := func(server uint64, n int, keep func(Member) bool) (ids []game.MemberID) {
		for _, st := range first(b.Top(ctx, server, game.Gomoku15, n, b.now, keep)) {
			ids = append(ids, st.Member)
		}
		return ids
	}
	notBob := func(m Member) bool { return m.ID != bob }
	b.want("the best two but bob", listed(here.Server, 2, notBob), []game.MemberID{ann, cat})
	b.want("the best of all", listed(0, 1, nil), []game.MemberID{bob})
	b.want("the best of all but bob", listed(0, 10, notBob), []game.MemberID{ann, cat})
	b.want("the best of another server", len(listed(here.Server+1, 10, nil)), 0)
	b.want("who played rated games here", first(b.Players(ctx, here.Server)),
		map[game.MemberID]bool{ann: true, bob: true, cat: true})
	b.want("who played rated games elsewhere", len(first(b.Players(ctx, here.Server+1))), 0)
	if n := len(first(b.Standings(ctx, ann))); n != 1 {
		t.Errorf("ann has %d standings", n)
	}
	b.later(24 * time.Hour)
	if rec = b.ratedGame(ann, bob); rec.Changes == [2]Change{} {
		t.Error("a game on the next day is not rated")
	}
	b.sound()
}

// What a match did to the ratings it does once, whatever changes about it after its end.
func TestRatedOnce(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	rated := b.ratedGame(ann, bob)
	won := b.play(b.engineGame(ann), blackWins...)
	was := first(b.Standing(ctx, bob, game.Gomoku15))
	later := func(what string) {
		t.Helper()
		for _, rec := range []Record{rated, won} {
			after := b.restyle(rec, what)
			if after.Changes != rec.Changes || !after.Ended.Equal(rec.Ended) {
				t.Errorf("%s: changed by %+v at %v, at its end by %+v at %v", what, after.Changes, after.Ended,
					rec.Changes, rec.Ended)
			}
		}
		if st := first(b.Standing(ctx, bob, game.Gomoku15)); st != was {
			t.Errorf("%s: bob stands at %+v, before at %+v", what, st, was)
		}
		b.want(what+": rated games of the pair, and days of which they are",
			[]int{first(b.RatedToday(ctx, ann, bob, rated.Ended)), b.rows(tPair)}, []int{1, 1})
		b.want(what+": ann against the engine", first(b.Store.AgainstEngine(ctx, ann))[0].Tally, Tally{Won: 1})
	}
	later("a new look")
	for _, by := range []game.MemberID{ann, bob} {
		_, _, err := b.Rematch(ctx, rated.ID, b.cause(), rematch(b, by))
		testkit.Must(t, err)
	}
	later("after a rematch")
	b.later(keepEnded + quarter)
	testkit.Must(t, b.Sweep(ctx, b.now))
	later("filed")
	b.sound()
}

// What is not a whole game against the engine, by the member alone, is in no table.
func TestAgainstEngine(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	end := func(rec Record, moves int, f func(game.Match) (game.Match, error)) {
		t.Helper()
		if rec = b.do(b.play(rec, blackWins[:moves]...), f); rec.Phase != game.Over {
			t.Fatal("it goes on")
		}
	}
	resign := func(m game.Match) (game.Match, error) { return m.Resign(ann, b.now) }
	c := b.cause()
	imported := b.made(c, game.Terms{Rules: game.Gomoku15, First: game.Black, Opening: game.ImportedOpening}, ann,
		game.SeatEngine(3), time.Time{})
	end(imported, 4, resign)
	end(b.engineGame(ann), 1, resign)
	end(b.engineGame(ann), 4, func(m game.Match) (game.Match, error) { return m.Close(game.Aborted, b.now) })
	end(b.do(b.engineGame(ann), func(m game.Match) (game.Match, error) { return m.Hinted(ann, b.now) }), 4, resign)
	c = b.cause()
	guest := b.made(c, game.Terms{Rules: game.Gomoku15, First: game.Black}, ann, game.SeatGuest("Visitor"), time.Time{})
	end(guest, 4, resign)
	b.want("rows of results", b.rows(tLevel), 0)
	end(b.engineGame(ann), 4, resign)
	b.want("results", first(b.Store.AgainstEngine(ctx, ann))[0].Tally, Tally{Lost: 1})
}

// Who has not played for years is as unknown as a newcomer.
func TestTopOfThePresent(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	b.ratedGame(ann, bob)
	b.assure(bob)
	for after, want := range map[time.Duration]int{0: 1, 5 * 365 * 24 * time.Hour: 0} {
		b.want("in the table after "+after.String(),
			len(first(b.Top(ctx, here.Server, game.Gomoku15, 10, b.now.Add(after), nil))), want)
	}
}

func TestTime(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	rec := b.offer(game.Renju, ann, bob)
	if due := first(b.Due(ctx, b.now, 10, nil)); len(due) != 0 {
		t.Errorf("due at once: %v", due)
	}
	b.later(2 * time.Hour)
	due := first(b.Due(ctx, b.now, 10, nil))
	b.want("due after two hours", due, []game.MatchID{rec.ID})
	other := b.offer(game.Renju, ann, cat)
	due = first(b.Due(ctx, b.now.Add(2*time.Hour), 1, func(id game.MatchID) bool { return id != rec.ID }))
	b.want("due behind one that waits", due, []game.MatchID{other.ID})
	b.act(other, ann, game.Match.Cancel)
	rec = b.tick(rec)
	if due := first(b.Due(ctx, b.now, 10, nil)); len(due) != 0 || rec.Result().Termination != game.Expired {
		t.Errorf("after its time: due %v, %+v", due, rec.Result())
	}
	// A row that no match knows goes, or it would be due for ever.
	testkit.Must(t, b.engine.Update(ctx, func(tx kv.Tx) error {
		return errors.Join(tx.Put(key(tDue, 1000, uint64(rec.ID)), none), tx.Put(key(tDue, 1000, 4), none))
	}))
	testkit.Must(t, b.Sweep(ctx, b.now))
	testkit.Want(t, "stale rows are left", b.rows(tDue), 0)
	b.later(90 * time.Minute)
	if down := first(b.Down(ctx, b.now)); down != 90*time.Minute {
		t.Errorf("down for %v", down)
	}
	b.sound()
}

func TestSweepPrunes(t *testing.T) {
	b := newBench(t, Options{Chunk: 7})
	for range 30 {
		rec := b.engineGame(ann)
		b.act(rec, ann, game.Match.Abort)
	}
	recent := b.cause()
	b.later(KeepSeen - time.Minute)
	b.engineGame(bob)
	testkit.Must(t, b.Sweep(t.Context(), b.now))
	b.later(2 * time.Minute)
	testkit.Must(t, b.Sweep(t.Context(), b.now))
	_ = recent
	testkit.Want(t, "causes are remembered", b.rows(tSeen), 1)
	b.later(keepEnded + quarter)
	testkit.Must(t, b.Sweep(t.Context(), b.now))
	b.want("rows of ended matches", []int{b.rows(tClose), b.rows(tScreen), b.rows(tLive)}, []int{0, 1, 1})
	b.sound()
}

// Sweep leaves what is alive alone, and what has just changed.
func TestSweepSpares(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	sweep := func() {
		t.Helper()
		testkit.Must(t, b.Sweep(ctx, b.now))
	}
	late := b.offer(game.Renju, ann, bob) // nobody has looked at its time for long
	running := b.play(b.begin(game.Gomoku15, cat, bob), "H8", "H9")
	testkit.Must(t, b.engine.Update(ctx, func(tx kv.Tx) error {
		return tx.Put(key(tClose, 1000, uint64(running.ID)), none)
	}))
	ended := b.ratedGame(ann, bob)
	b.later(20 * time.Hour)
	ended = b.restyle(ended, "ink")
	b.later(keepEnded - time.Minute)
	sweep()
	b.same(running)
	b.want("matches, due and to be put away", []int{b.rows(tLive), b.rows(tDue), b.rows(tClose)}, []int{3, 2, 1})
	b.want("its time", first(b.Due(ctx, b.now, 9, nil)), []game.MatchID{late.ID})
	b.want("its token", first(b.SetScreen(ctx, ended.ID, func(s Screen) (Screen, error) {
		s.Token, s.Expires = "token", b.now.Add(9*keepEnded)
		return s, nil
	})).Token, "token")
	b.later(keepEnded)
	sweep()
	b.want("in the archive, rated games of the days, and tokens",
		[]int{b.rows(tArchive), b.rows(tPair), b.rows(tToken)}, []int{1, 0, 0})
	b.same(ended)
	b.sound()
}

// A member's file has all games, however many are read at once.
func TestEverythingOfMany(t *testing.T) {
	b := newBench(t, Options{Chunk: 2})
	for range 5 {
		b.finished()
	}
	b.want("games", len(first(b.Everything(t.Context(), ann)).Games), 5)
}

// meddling does something else before its next transaction.
type meddling struct {
	kv.Engine
	first func()
}

func (m *meddling) Update(ctx context.Context, f func(kv.Tx) error) error {
	if do := m.first; do != nil {
		m.first = nil
		do()
	}
	return m.Engine.Update(ctx, f)
}

// A token that came while the old ones were looked for stays, and where a match went
// meanwhile its tokens do not come back.
func TestTokensMeanwhile(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	held := func(rec Record, token string, until time.Time) {
		t.Helper()
		b.want("token", first(b.SetScreen(ctx, rec.ID, func(s Screen) (Screen, error) {
			s.Token, s.Expires = token, until
			return s, nil
		})).Token, token)
	}
	one, two := b.offer(game.Renju, ann, bob), b.offer(game.Renju, ann, cat)
	held(one, "old", b.now)
	held(two, "old", b.now)
	m := &meddling{Engine: b.engine}
	b.engine = m
	b.open(Options{})
	m.first = func() {
		held(one, "new", b.now.Add(time.Hour))
		testkit.Check(t, b.delete(ctx, []game.MatchID{two.ID}, nil))
	}
	testkit.Check(t, b.dropTokens(ctx, b.now))
	b.want("the token", first(b.Screen(ctx, one.ID)).Token, "new")
	b.want("tokens", b.rows(tToken), 1)
	b.sound()
}

func TestPrivacy(t *testing.T) {
	b := newBench(t, Options{Chunk: 20})
	ctx := t.Context()
	for range 5 {
		b.ratedGame(ann, bob)
		b.later(time.Hour)
	}
	b.play(b.engineGame(ann), blackWins...)
	running := b.play(b.begin(game.Renju, ann, cat), "H8", "H9")
	open := b.offer(game.Renju, ann, bob)
	invited := b.offer(game.Renju, cat, ann)
	declined := b.offer(game.Reversi, bob, ann)
	b.act(declined, ann, game.Match.Decline)
	first(b.SetMember(ctx, ann, func(m Member) (Member, error) {
		m.Challenges, m.Blocked, m.More = FromNobody, []game.MemberID{cat}, map[string]string{"a": "b"}
		return m, nil
	}))
	all := first(b.Everything(ctx, ann))
	b.want("what is stored of ann", []int{len(all.Ratings), len(all.Against), len(all.Games), len(all.Settings.Blocked)},
		[]int{1, 1, 10, 1})

	testkit.Must(t, b.Forget(ctx, ann, b.now))
	all = first(b.Everything(ctx, ann))
	b.want("what is stored of ann afterwards", []int{len(all.Ratings), len(all.Against), len(all.Games),
		len(all.Settings.Blocked)}, []int{0, 0, 0, 0})
	for _, id := range []game.MatchID{running.ID, open.ID, invited.ID} {
		if rec := b.match(id); rec.Phase != game.Over {
			t.Errorf("match %d goes on", id)
		}
	}
	h := first(b.History(ctx, bob, 0, 100))
	if len(h) != 5 {
		t.Errorf("bob's history has %d matches", len(h))
	}
	rated := 0
	for _, rec := range h {
		if rec.Seats[0].Kind != game.FormerSeat || rec.Played() != 10 || rec.Owner != 0 || rec.Changes[0] != (Change{}) {
			t.Errorf("in bob's history: %+v, ratings %+v", rec.Seats, rec.Changes)
		}
		if rec.Changes[1] != (Change{}) {
			rated++
		}
	}
	b.want("games in bob's history that changed his rating", rated, RatedPerDay)
	b.nowhere(ann)
	b.sound()
}

// Either member of a rated pair is found by the rows of the day.
func TestPrivacyOfAPair(t *testing.T) {
	for _, member := range []game.MemberID{ann, bob} {
		b := newBench(t)
		b.ratedGame(ann, bob)
		testkit.Must(t, b.Forget(t.Context(), member, b.now))
		b.want("rows of pairs", b.rows(tPair), 0)
		b.nowhere(member)
		b.sound()
	}
}

// A deletion comes to an end though the history names a match that there is not, or one in
// which the member does not sit.
func TestForgetOfARow(t *testing.T) {
	b := newBench(t)
	other := b.ratedGame(bob, cat)
	testkit.Must(t, b.change(t.Context(), Cause{}, func(tx *txn) error {
		return errors.Join(tx.remember(ann, 77), tx.remember(ann, other.ID))
	}))
	views := &cutting{Engine: b.engine, updates: 100}
	b.engine = views
	b.open(Options{})
	if err := b.Forget(t.Context(), ann, b.now); err != nil {
		t.Errorf("with %d transactions left: %v", views.updates, err)
	}
	b.nowhere(ann)
	b.same(other)
}

// nowhere looks for the id of a member in every row, keys and values.
func (b *bench) nowhere(member game.MemberID) {
	b.t.Helper()
	id := string(key(0, uint64(member))[1:])
	testkit.Must(b.t, b.engine.View(b.t.Context(), func(r kv.Reader) error {
		return r.Scan(nil, nil, func(k, v []byte) bool {
			if containsString(k, id) || containsString(v, id) {
				b.t.Errorf("the row %q still names the member", k)
			}
			return true
		})
	}))
}

func containsString(b []byte, s string) bool {
	for i := range b {
		if len(b)-i >= len(s) && string(b[i:i+len(s)]) == s {
			return true
		}
	}
	return false
}

// cutting lets so many transactions through, and none after them.
type cutting struct {
	kv.Engine
	updates int
}

var errCut = errors.New("cut off")

func (c *cutting) Update(ctx context.Context, f func(kv.Tx) error) error {
	if c.updates--; c.updates < 0 {
		return errCut
	}
	return c.Engine.Update(ctx, f)
}

// goesOn cuts some work off behind each of its transactions in turn, from the first one's number on, and lets the
// next sweep finish it.
func goesOn(t *testing.T, n int, scene func(b *bench), work func(b *bench) error, finished func(b *bench)) {
	t.Helper()
	for ; ; n++ {
		b := newBench(t)
		scene(b)
		cut := &cutting{b.engine, n}
		b.engine = cut
		b.open(Options{Chunk: 1})
		err := work(b)
		if err != nil && !errors.Is(err, errCut) {
			t.Fatal(err)
		}
		cut.updates = 1 << 30
		testkit.Must(t, b.Sweep(t.Context(), b.now))
		finished(b)
		b.sound()
		if err == nil || t.Failed() {
			b.want("more than two transactions", n > 2, true)
			return
		}
	}
}

// A deletion that was cut off, behind any of its transactions, is finished by the next sweep.
func TestForgetGoesOn(t *testing.T) {
	goesOn(t, 1, func(b *bench) {
		b.ratedGame(ann, bob)
		b.play(b.begin(game.Renju, ann, cat), "H8", "H9")
		b.offer(game.Renju, ann, bob)
	}, func(b *bench) error { return b.Forget(t.Context(), ann, b.now) }, func(b *bench) {
		b.nowhere(ann)
		b.want("deletions under way", b.rows(tForget), 0)
	})
}

// So is the deletion of a server's data.
func TestClearGoesOn(t *testing.T) {
	goesOn(t, 0, func(b *bench) {
		b.ratedGame(ann, bob)
		testkit.Must(t, b.ServerLeft(t.Context(), here.Server, b.now))
		under := b.play(b.begin(game.Renju, ann, cat), "H8", "H9") // as the bot left
		b.want("its token", first(b.SetScreen(t.Context(), under.ID, func(s Screen) (Screen, error) {
			s.Token, s.Expires = "token", b.now.Add(keepLeft*2)
			return s, nil
		})).Token, "token")
		b.later(keepLeft + time.Minute)
	}, func(b *bench) error { return b.goOnClearing(t.Context(), b.now) }, func(b *bench) {
		b.want("what is left of the server", []int{b.rows(tLive), b.rows(tArchive), b.rows(tScreen), b.rows(tToken),
			b.rows(tBoard), b.rows(tServer), b.rows(tClear)}, make([]int, 7))
	})
}

func TestServerLeft(t *testing.T) {
	b := newBench(t, Options{Chunk: 20})
	ctx := t.Context()
	done := b.ratedGame(ann, bob)
	running := b.play(b.begin(game.Renju, ann, cat), "H8", "H9")
	elsewhere := b.must(b.Move(ctx, b.engineGame(ann).ID, b.cause(), venue.Place{Server: 5, Channel: 6}, nil))
	first(b.SetServer(ctx, here.Server, func(s Server) (Server, error) {
		s.Look.Theme = "ink"
		return s, nil
	}))
	testkit.Must(t, b.ServerLeft(ctx, here.Server, b.now))
	if rec := b.match(running.ID); rec.Result().Termination != game.Aborted || rec.Changes != [2]Change{} {
		t.Errorf("a running match of the server: %+v", rec.Result())
	}
	sweep := func(after time.Duration) {
		t.Helper()
		b.later(after)
		testkit.Must(t, b.Sweep(ctx, b.now))
	}
	sweep(29 * 24 * time.Hour)
	b.same(done)
	first(b.ServerBack(ctx, here.Server, b.now))
	sweep(2 * 24 * time.Hour)
	b.same(done)
	testkit.Must(t, b.ServerLeft(ctx, here.Server, b.now))
	// Told of it again, as after a start, it goes when it would have gone.
	sweep(20 * 24 * time.Hour)
	testkit.Must(t, b.ServerLeft(ctx, here.Server, b.now))
	sweep(keepLeft - 20*24*time.Hour + time.Minute)
	if _, err := b.Match(ctx, done.ID); !errors.Is(err, ErrNotFound) {
		t.Errorf("after %v: %v", keepLeft, err)
	}
	if s := first(b.Server(ctx, here.Server)); s.Look.Theme != "" || !s.Left.IsZero() {
		t.Errorf("the server's settings: %+v", s)
	}
	if n := len(first(b.History(ctx, bob, 0, 9))); n != 0 {
		t.Errorf("bob's history has %d matches", n)
	}
	b.same(elsewhere)
	b.want("boards and left servers", []int{b.rows(tBoard), b.rows(tClear)}, []int{0, 0})
	b.sound()

	// A server that came back while its games were deleted keeps its settings.
	first(b.SetServer(ctx, here.Server, func(s Server) (Server, error) {
		s.Look.Theme = "ink"
		return s, nil
	}))
	testkit.Must(t, b.clear(ctx, here.Server))
	b.want("the theme of who came back", first(b.Server(ctx, here.Server)).Look.Theme, "ink")
}

func TestSettings(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	want := Member{ID: ann, Look: Look{Theme: "ink", Numbers: 2, Language: "de", Engine: true}, Challenges: FromNobody,
		Blocked: []game.MemberID{3, 9}, More: map[string]string{"x": "1", "y": ""}}
	first(b.SetMember(ctx, ann, func(m Member) (Member, error) {
		b.want("settings at first", m, Member{ID: ann})
		m = want
		m.Blocked = []game.MemberID{9, 3}
		return m, nil
	}))
	b.want("settings", first(b.Member(ctx, ann)), want)
	server := Server{ID: 5, Look: Look{Language: "ja"}, Channels: []uint64{1, 2}, More: map[string]string{"z": "2"}}
	first(b.SetServer(ctx, 5, func(Server) (Server, error) { return server, nil }))
	b.want("server", first(b.Server(ctx, 5)), server)
	first(b.SetMember(ctx, ann, func(Member) (Member, error) { return Member{}, nil }))
	b.want("rows of members", b.rows(tMember), 0)
	b.sound()
}

func TestStats(t *testing.T) {
	b := newBench(t, Options{Chunk: 2})
	b.ratedGame(ann, bob)
	b.play(b.begin(game.Renju, ann, cat), "H8")
	b.offer(game.Renju, ann, bob)
	b.play(b.engineGame(bob), "H8")
	st := first(b.Stats(t.Context()))
	b.want("schema, and kinds of rows", []int{st.Schema, len(st.Kinds)}, []int{2, 15})
	st.Schema, st.Kinds = 0, nil
	want := Stats{Offered: 1, Playing: 2, Archived: 1, Standings: 2, Owed: 1, Late: 4, Seen: b.rows(tSeen)}
	b.want("stats", st, want)
	want.Rated, want.Rules = 1, map[string]int{"gomoku": 1}
	b.want("stats, and what is in games", first(b.Games(t.Context(), st)), want)
}

// The history comes in pages, newest first, whatever the order in which games end.
func TestHistory(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	rng := rand.New(rand.NewPCG(1, 2))
	var ids []game.MatchID
	for i := range 300 {
		ids = append(ids, game.MatchID(i*1000+5))
	}
	shuffled := append([]game.MatchID(nil), ids...)
	for i := range shuffled { // games end in about the order in which they begin
		j := min(i+rng.IntN(40), len(shuffled)-1)
		shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
	}
	testkit.Must(t, b.change(ctx, Cause{}, func(tx *txn) error {
		for _, id := range shuffled {
			if err := tx.remember(ann, id); err != nil {
				return err
			}
		}
		return nil
	}))
	page := func(before game.MatchID, n int) (got []game.MatchID) {
		t.Helper()
		testkit.Must(t, b.engine.View(ctx, func(r kv.Reader) (err error) {
			got, err = historyIDs(r, ann, before, n)
			return err
		}))
		return got
	}
	var all []game.MatchID
	for before := game.MatchID(0); ; {
		ids := page(before, 7)
		if len(ids) == 0 {
			break
		}
		all = append(all, ids...)
		before = ids[len(ids)-1]
	}
	for i, j := 0, len(ids)-1; i < j; i, j = i+1, j-1 {
		ids[i], ids[j] = ids[j], ids[i]
	}
	b.want("all pages", all, ids)
	if n := b.rows(tHistory); n > 300/maxBundle*4 {
		t.Errorf("300 matches are in %d bundles", n)
	}
	rng.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	for i, id := range ids {
		testkit.Must(t, b.change(ctx, Cause{}, func(tx *txn) error { return tx.unremember(ann, id) }))
		if got := len(page(0, 1000)); got != len(ids)-i-1 {
			t.Fatalf("after taking out %d of %d there are %d", i+1, len(ids), got)
		}
	}
	b.want("bundles", b.rows(tHistory), 0)
}

func TestIDs(t *testing.T) {
	i := ids{node: 5}
	seen := map[game.MatchID]bool{}
	last := game.MatchID(0)
	for n := range 10000 {
		id := i.next(noon.Add(time.Duration(n/5000) * time.Millisecond))
		if seen[id] || id <= last || uint64(id)>>12&maxNode != 5 {
			t.Fatalf("id %d after %d", id, last)
		}
		seen[id], last = true, id
	}
	if at := venue.TimeOf(uint64(last)); at.Sub(noon) > 5*time.Millisecond || at.Before(noon) {
		t.Errorf("the last id says %v", at)
	}
	i.next(noon.AddDate(1, 0, 0)) // by a clock that is ahead
	if at := venue.TimeOf(uint64(i.next(noon.Add(time.Second)))); !at.Equal(noon.Add(time.Second)) {
		t.Errorf("after a clock was ahead an id says %v", at)
	}
}

// Two processes that were given the same node number by mistake do not write over one
// another's matches.
func TestSameNode(t *testing.T) {
	one := newBench(t)
	over := one.play(one.begin(game.Gomoku15, ann, bob), blackWins...)
	_, _, err := one.Rematch(t.Context(), over.ID, one.cause(), rematch(one, ann))
	testkit.Must(t, err)
	two := &bench{t: t, engine: one.engine, now: one.now, next: 5000}
	two.open(Options{})
	three := &bench{t: t, engine: one.engine, now: one.now, next: 6000}
	three.open(Options{})
	mine := one.offer(game.Renju, ann, bob)
	theirs := two.offer(game.Reversi, cat, bob)
	_, next, err := three.Rematch(t.Context(), over.ID, three.cause(), rematch(three, bob))
	if err != nil || next.ID == 0 {
		t.Fatal(next.ID, err)
	}
	three.now = one.now
	e := one.meet(0, nil)
	if rec := three.offer(game.Renju, bob, cat); uint64(rec.ID) == uint64(e.ID) {
		t.Errorf("a match and an event have the id %d", e.ID)
	}
	for _, rec := range []Record{mine, theirs, next} {
		one.same(rec)
		if at := venue.TimeOf(uint64(rec.ID)); !at.Equal(two.now) {
			t.Errorf("match %d is of %v, not of %v", rec.ID, at, two.now)
		}
	}
	one.sound()
}

// reserve is an engine that has no more room than what it keeps for running matches.
type reserve struct{ kv.Engine }

func (reserve) Room() error { return kv.ErrFull }

// When only the reserve is left nothing new begins, a rematch neither, and what runs goes on.
func TestRoom(t *testing.T) {
	b := newBench(t)
	over := b.play(b.begin(game.Gomoku15, ann, bob), blackWins...)
	_, _, err := b.Rematch(t.Context(), over.ID, b.cause(), rematch(b, ann))
	testkit.Must(t, err)
	running := b.begin(game.Gomoku15, ann, cat)
	b.engine = reserve{b.engine}
	b.open(Options{})
	if err := b.tryOffer(ann, bob); !errors.Is(err, kv.ErrFull) {
		t.Errorf("a challenge: %v", err)
	}
	if _, _, err := b.Rematch(t.Context(), over.ID, b.cause(), rematch(b, bob)); !errors.Is(err, kv.ErrFull) {
		t.Errorf("a rematch: %v", err)
	}
	b.same(b.play(running, blackWins...))
	b.want("matches", b.rows(tLive), 2)
	b.sound()
}

func TestSchema(t *testing.T) {
	ctx := t.Context()
	schema := func(e kv.Engine) int {
		n := first((&Store{kv: &schedule{Engine: e, register: &register{}}}).schema(ctx, 99))
		return n
	}
	b := newBench(t)
	testkit.Want(t, "a new store has schema", schema(b.engine), len(migrations)+1)
	put := func(e kv.Engine, n int) {
		testkit.Must(t, e.Update(ctx, func(tx kv.Tx) error { return tx.Put(metaKey("schema"), schemaValue(n)) }))
	}
	put(b.engine, 1000)
	if _, err := Open(ctx, b.engine, Options{}); err == nil {
		t.Error("a store of a newer schema is opened")
	}
	put(b.engine, 1)
	copies, fail := 0, true
	var ran []int
	steps := []migration{
		func(*register, kv.Tx) error { ran = append(ran, 1); return nil },
		func(*register, kv.Tx) error {
			ran = append(ran, 2)
			if fail {
				return errors.New("no luck")
			}
			return nil
		},
	}
	s := &Store{kv: &schedule{Engine: b.engine, register: &register{}},
		options: Options{Log: slog.New(slog.DiscardHandler),
			BeforeMigration: func(from, to int) error { copies++; return nil }}}
	if err := s.migrate(ctx, steps); err == nil || schema(b.engine) != 2 {
		t.Errorf("a migration that fails: %v, schema %d", err, schema(b.engine))
	}
	fail = false
	if err := s.migrate(ctx, steps); err != nil || schema(b.engine) != 3 {
		t.Errorf("the migration again: %v, schema %d", err, schema(b.engine))
	}
	if err := s.migrate(ctx, steps); err != nil || copies != 2 || fmt.Sprint(ran) != "[1 2 2]" {
		t.Errorf("%v; copies %d, steps %v", err, copies, ran)
	}
	s.options.BeforeMigration = func(int, int) error { return errors.New("disk full") }
	put(b.engine, 1)
	if err := s.migrate(ctx, steps); err == nil || schema(b.engine) != 1 {
		t.Errorf("a migration without its copy: %v, schema %d", err, schema(b.engine))
	}
	put(b.engine, 1)
	ran, s.options.BeforeMigration = nil, nil
	other := &Store{kv: &schedule{Engine: b.engine, register: &register{}}, options: s.options}
	s.kv.Engine = &meddling{b.engine, func() {
		testkit.Check(t, other.migrate(ctx, steps))
	}}
	if err := s.migrate(ctx, steps); err != nil || schema(b.engine) != 3 || fmt.Sprint(ran) != "[1 2]" {
		t.Errorf("two processes migrate: %v, schema %d, steps %v", err, schema(b.engine), ran)
	}
	foreign := kv.NewMemory()
	testkit.Must(t, foreign.Update(ctx, func(tx kv.Tx) error { return tx.Put([]byte("x"), nil) }))
	if _, err := Open(ctx, foreign, Options{}); err == nil {
		t.Error("rows without a schema are taken for a store")
	}
}

// One process sends for a screen at a time; another one takes it over when the time of the first is over.
func TestScreenHeld(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	rec := b.begin(game.Renju, ann, bob)
	move := func(sender uint64, point game.Point) {
		t.Helper()
		c := b.cause()
		c.Sender, c.Until = sender, b.now.Add(10*time.Second)
		rec = b.must(b.Update(ctx, rec.ID, c, func(m game.Match) (game.Match, error) {
			return m.Play(m.Seats[m.ToMove()].Member, point, b.now)
		}))
	}
	sender := func() uint64 { return first(b.Screen(ctx, rec.ID)).Sender }
	move(1, 0x77)
	move(2, 0x78)
	b.want("who sends", sender(), uint64(1))
	b.later(10 * time.Second)
	move(2, 0x76)
	b.want("who sends when the time is over", sender(), uint64(2))
}

// What a sender notes stays within bounds, and nothing of it is for ever. No backup holds a token.
func TestScreenBounds(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	rec := b.begin(game.Renju, ann, bob)
	until := b.now.Add(15 * time.Minute)
	s := first(b.SetScreen(ctx, rec.ID, func(s Screen) (Screen, error) {
		for n := range 2 * mostAwaited {
			s = s.Await(AwaitedAnswer{Token: fmt.Sprint("secret", n), Expires: until})
		}
		for n := range uint64(2 * mostRetired) {
			s = s.RetireBy(MessageRef{here.Channel, n + 1}, fmt.Sprint("secret", n), until)
		}
		s.Wanted += 7
		return s, nil
	}))
	b.want("bounds", []int{len(s.Awaited), len(s.Retired), len(s.Keys)}, []int{mostAwaited, mostRetired, mostRetired})
	newest := []string{s.Awaited[mostAwaited-1].Token, s.Keys[mostRetired-1].Token}
	b.want("the newest ones", newest, []string{"secret7", "secret15"})
	b.want("what is wanted", first(b.Screen(ctx, rec.ID)).Wanted, rec.Version)
	secrets := func() (n int) {
		for _, row := range first(between(ctx, b.engine, nil, nil)) {
			if containsString(row.value, "secret") {
				if n++; !Omit(row.key) {
					t.Errorf("a backup holds the row %x", row.key)
				}
			}
		}
		return n
	}
	b.want("rows with tokens", secrets(), 1)
	testkit.Must(t, b.Sweep(ctx, until))
	b.want("rows with tokens that are good no more", secrets(), 0)
}

// Verify speaks where a match lacks a row that follows from it, and where such a row has no match.
func TestVerifyMatch(t *testing.T) {
	for name, change := range map[string]func(x *txn, over, live Record) error{
		"not in a history": func(x *txn, over, _ Record) error { return x.unremember(ann, over.ID) },
		"not in its channel": func(x *txn, _, live Record) error {
			return x.Delete(key(tPlace, here.Server, here.Channel, uint64(live.ID)))
		},
		"due at another time": func(x *txn, _, live Record) error { return x.Put(key(tDue, 5, uint64(live.ID)), none) },
		"owed without its turn": func(x *txn, _, live Record) error {
			return x.Put(key(tWork, uint64(live.ID)), codec.Encode(Work{}))
		},
	} {
		b := newBench(t)
		over, live := b.finished(), b.begin(game.Renju, ann, bob)
		testkit.Must(t, b.change(t.Context(), Cause{}, func(x *txn) error { return change(x, over, live) }))
		if _, err := Verify(t.Context(), b.engine); err == nil {
			t.Errorf("%s: nobody sees it", name)
		}
	}
}
