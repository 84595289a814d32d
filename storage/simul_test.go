package storage

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/simul"
	"tengen/internal/testkit"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

func newSimul(b *bench) Simul {
	return Simul{Gathering: Gathering{Place: here, ID: 88},
		Simul: simul.New(ann, game.Terms{Rules: game.Gomoku15, Clock: game.PerMove(time.Hour), First: game.Black}, b.now)}
}

// ruled is what a rule of simuls does to one that is stored.
func ruled(f func(simul.Simul) (simul.Simul, error)) func(Simul) (Simul, error) {
	return func(x Simul) (_ Simul, err error) {
		x.Simul, err = f(x.Simul)
		return x, err
	}
}

func (b *bench) simul(f func(simul.Simul) (simul.Simul, error)) Simul {
	return first(Simuls.Update(b.t.Context(), b.Store, here, b.cause(), ruled(f)))
}

// joined begins a simul that members have joined, and starts it where it is to be.
func (b *bench) joined(start bool, members ...game.MemberID) Simul {
	b.t.Helper()
	x := first(Simuls.Begin(b.t.Context(), b.Store, b.now, newSimul(b)))
	for _, m := range members {
		x = b.simul(func(x simul.Simul) (simul.Simul, error) { return x.Join(m, b.now) })
	}
	if start {
		x = b.simul(func(x simul.Simul) (simul.Simul, error) { return x.Start(ann, b.now) })
	}
	b.sound()
	return x
}

// settled makes and ends all that a simul owes.
func (b *bench) settled() (x Simul) {
	b.t.Helper()
	for id := game.MatchID(1); id != 0; b.sound() {
		var err error
		x, id, err = b.SettleSimul(b.t.Context(), here, b.now, newSimul(b).Game)
		testkit.Must(b.t, err)
	}
	return x
}

// A simul from its call to its last result: matches are made once, each side by side, and their ends
// bring the results.
func TestSimul(t *testing.T) {
	b := newBench(t, Options{Limits: Limits{Open: 1, Pair: 1, Running: 1}})
	ctx := t.Context()
	b.joined(false, bob, bob, cat, dan)
	b.want("begun twice by one interaction", first(Simuls.Begin(ctx, b.Store, b.now, newSimul(b))).Version, uint32(4))
	other := newSimul(b)
	other.ID++
	if _, err := Simuls.Begin(ctx, b.Store, b.now, other); !errors.Is(err, ErrHere) {
		t.Errorf("a second simul in a channel: %v", err)
	}
	// What an interaction did is not done again when it comes twice.
	c := b.cause()
	leave := func(x simul.Simul) (simul.Simul, error) { return x.Leave(dan, b.now) }
	b.want("who is left", len(first(Simuls.Update(ctx, b.Store, here, c, ruled(leave))).Opponents), 2)
	b.simul(func(x simul.Simul) (simul.Simul, error) { return x.Join(dan, b.now) })
	b.want("who is left later", len(first(Simuls.Update(ctx, b.Store, here, c, ruled(leave))).Opponents), 3)

	b.simul(func(x simul.Simul) (simul.Simul, error) { return x.Start(ann, b.now) })
	b.want("due", len(first(Simuls.Due(ctx, b.Store, b.now, 9, everywhere))), 1)
	x := b.settled()
	b.want("matches", b.rows(tLive), 3)
	if _, id, err := b.SettleSimul(ctx, here, b.now, x.Game); id != 0 || err != nil {
		t.Errorf("settled twice: match %d, %v", id, err)
	}
	b.play(first(b.Match(ctx, x.Opponents[0].Match)), blackWins...)
	b.do(first(b.Match(ctx, x.Opponents[1].Match)), func(m game.Match) (game.Match, error) { return m.Resign(ann, b.now) })
	b.want("going on", first(Simuls.In(ctx, b.Store, here)).Over(), false)
	b.do(first(b.Match(ctx, x.Opponents[2].Match)), func(m game.Match) (game.Match, error) {
		return m.Close(game.Abandoned, b.now)
	})
	x = first(Simuls.In(ctx, b.Store, here))
	b.want("results", [3]simul.Result{x.Opponents[0].Result, x.Opponents[1].Result, x.Opponents[2].Result},
		[3]simul.Result{simul.Won, simul.Lost, simul.None})
	b.want("over", x.Over(), true)
	b.sound()
	b.want("the next one", first(Simuls.Begin(ctx, b.Store, b.now, other)).ID, other.ID)
	b.want("stats", first(b.Stats(ctx)).Simuls, 1)
	b.sound()
}

// A simul that is stopped makes no more matches, and ends those that go on. The largest one can be read.
func TestSimulStops(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	b.joined(true, bob, cat)
	_, id, err := b.SettleSimul(ctx, here, b.now, newSimul(b).Game)
	if err != nil || id == 0 {
		t.Fatal(id, err)
	}
	b.simul(func(x simul.Simul) (simul.Simul, error) { return x.Stop(b.now), nil })
	x := b.settled()
	if !x.Over() || x.Opponents[0].Result != simul.None ||
		x.Opponents[1] != (simul.Opponent{Member: cat, Result: simul.None}) {
		t.Errorf("stopped: %+v", x)
	}
	b.want("the match", first(b.Match(ctx, id)).Result().Termination, game.Aborted)

	next := newSimul(b)
	next.ID++
	full := first(Simuls.Begin(ctx, b.Store, b.now, next))
	for i := range simul.MaxOpponents {
		full.Simul = first(full.Join(game.MemberID(5000+i), b.now))
	}
	_, err = codec.Decode[Simul](key(tSimul, 1, 2), codec.Encode(full))
	testkit.Check(t, err)
}

// A member's file holds what simuls know of them; deleting takes them out.
func TestSimulForgets(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	b.joined(true, bob, cat, dan)
	x, id, _ := b.SettleSimul(ctx, here, b.now, newSimul(b).Game)
	if own := string(first(json.Marshal(first(b.Everything(ctx, bob))))); !strings.Contains(own,
		`"match":"`+codec.IDText(uint64(id))+`","result":"open"`) {
		t.Errorf("bob's file: %s", own)
	}
	for _, m := range []game.MemberID{cat, bob, ann} { // without a match, with one, the giver
		testkit.Must(t, b.Forget(ctx, m, b.now))
		b.sound()
	}
	x = b.settled()
	want := simul.Opponent{Match: id, Result: simul.Won}
	if x.Giver != 0 || !x.Over() || x.Opponents[0] != want || x.Opponents[1] != (simul.Opponent{Result: simul.None}) {
		t.Errorf("after they are gone: %+v", x)
	}
	var out strings.Builder
	if err := b.Export(ctx, &out, nil); err != nil || !strings.Contains(out.String(), `"kind":"simul"`) ||
		strings.Contains(out.String(), codec.IDText(uint64(bob))) {
		t.Errorf("%v in %s", err, out.String())
	}
}

// What is left of a simul when the bot was removed from a server goes with its data.
func TestSimulOfALostServer(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	b.joined(true, bob, cat)
	_, _, err := b.SettleSimul(ctx, here, b.now, newSimul(b).Game)
	testkit.Must(t, err)
	testkit.Must(t, b.ServerLeft(ctx, here.Server, b.now))
	b.want("over", b.settled().Over(), true)
	testkit.Must(t, b.Sweep(ctx, b.now.Add(keepLeft)))
	b.want("rows that are left", b.rows(tSimul)+b.rows(tSimulDue), 0)
	b.sound()
}

// The message is brought up to date at most every five seconds, and until it leads to all boards.
func TestSimulNotice(t *testing.T) {
	b := newBench(t)
	x := b.joined(false, bob)
	shown := func(linked int) Simul {
		return first(Simuls.Update(t.Context(), b.Store, here, b.cause(), func(x Simul) (Simul, error) {
			x.Notice, x.Linked = Notice{Message: 5, Shown: x.Version, At: b.now}, linked
			return x, nil
		}))
	}
	b.want("at once", x.due(), x.Updated)
	x = shown(0)
	b.want("shown", x.due(), x.Until)
	b.want("the version of what was sent", x.Shown, x.Version)
	x = b.simul(func(x simul.Simul) (simul.Simul, error) { return x.Join(cat, b.now) })
	b.want("after a change", x.due(), x.At.Add(simulEdits))
	x = b.simul(func(x simul.Simul) (simul.Simul, error) { return x.Start(ann, b.now) })
	x = b.settled()
	x = shown(1)
	b.want("a board without a link", x.due(), x.At.Add(simulEdits))
	shown(2)
	x = shown(2) // the first one changed what is to be shown
	b.want("all boards", x.due(), time.Time{})
	b.sound()
}

// Verify speaks where a simul and its rows or its matches differ.
func TestVerifySimul(t *testing.T) {
	for _, change := range []func(x *txn, s Simul) error{
		func(x *txn, s Simul) error { return x.Delete(Simuls.rows(s)[1].key) },
		func(x *txn, s Simul) error { return x.Put(key(tSimulDue, 5, here.Server, here.Channel), none) },
		func(x *txn, s Simul) error { return x.Delete(Simuls.rows(s)[0].key) },
		func(x *txn, s Simul) error { s.Opponents[0].Match = 7; return x.replace(nil, Simuls.rows(s)) },
		func(x *txn, s Simul) error { s.Opponents[0].Match = 0; return x.replace(nil, Simuls.rows(s)) },
		func(x *txn, s Simul) error { s.Opponents[0].Result = simul.Lost; return x.replace(nil, Simuls.rows(s)) },
	} {
		b := newBench(t)
		b.joined(true, bob)
		s := b.settled()
		testkit.Must(t, b.change(t.Context(), Cause{}, func(x *txn) error { return change(x, s) }))
		if _, err := Verify(t.Context(), b.engine); err == nil {
			t.Error("nobody sees it")
		}
	}
}

// An interaction that comes twice acts once.
func TestSimulForgetsNoInteraction(t *testing.T) {
	b := newBench(t)
	b.joined(false, bob)
	c := b.cause()
	leave := func(x simul.Simul) (simul.Simul, error) { return x.Leave(bob, b.now) }
	first(Simuls.Update(t.Context(), b.Store, here, c, ruled(leave)))
	b.simul(func(x simul.Simul) (simul.Simul, error) { return x.Join(bob, b.now) })
	testkit.Want(t, "opponents", len(first(Simuls.Update(t.Context(), b.Store, here, c, ruled(leave))).Opponents), 1)
}

// A simul that cannot be read keeps no member in their matches.
func TestForgetBesideSpoiltSimul(t *testing.T) {
	b := newBench(t)
	rec := b.play(b.begin(game.Renju, ann, bob), "H8", "H9")
	spoilt := func(tx kv.Tx) error { return tx.Put(key(tSimul, 99, 98), []byte{250, 1, 2}) }
	testkit.Must(t, b.engine.Update(t.Context(), spoilt))
	if err := b.Forget(t.Context(), ann, b.now); err == nil {
		t.Error("the spoilt row is no error")
	}
	if _, sits := b.match(rec.ID).SeatOf(ann); sits {
		t.Error("the match keeps the member")
	}
}
