package storage

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage/kv"
)

// A server that seems lost rests its games, and wakes them when it is there again, with the
// time that they had. A paused match between engines stays paused.
func TestServerMissed(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	timed := func() Record {
		return b.do(b.begin(game.Renju, ann, bob), func(m game.Match) (game.Match, error) {
			m.Clock.Each, m.Version = time.Hour, m.Version+1
			return m.Play(ann, point(t, "H8"), b.now)
		})
	}
	playing, lost := timed(), b.begin(game.Gomoku15, ann, cat)
	between := func() Record {
		c := b.cause()
		return b.must(b.Create(ctx, c, here, func(id game.MatchID) (game.Match, error) {
			return game.NewMatch(id, game.Terms{Rules: game.Gomoku15, First: game.Black}, ann, game.SeatEngine(1),
				game.SeatEngine(2), c.At, time.Time{})
		}))
	}
	paused, watched := between(), between()
	offered := b.offer(game.Gomoku15, bob, ann)
	elsewhere := b.must(b.Move(ctx, b.engineGame(ann).ID, b.cause(), venue.Place{Server: 5, Channel: 6}, nil))
	e := b.meet(2, nil)
	rest := func(m game.Match) (game.Match, error) { return m.Rest(b.now) }
	paused, lost = b.do(paused, rest), b.do(lost, rest)
	b.later(time.Minute)
	left := playing.Deadline.Sub(b.now)

	missed := b.now
	for range 2 { // the second time as after a crash
		testkit.Must(t, b.ServerMissed(ctx, here.Server, b.now))
		b.later(5 * time.Hour)
	}
	b.want("since when it is missed", first(b.Server(ctx, here.Server)).Missed.Equal(missed), true)
	b.want("the game rests since then", b.match(playing.ID).Rested.Equal(missed), true)
	b.same(elsewhere)
	b.same(offered)
	b.same(paused)
	b.same(lost)
	b.want("the engines rest", b.match(watched.ID).EngineToMove(), false)
	b.sound()
	// The settings change meanwhile, and it is still missed.
	first(b.SetServer(ctx, here.Server, func(s Server) (Server, error) {
		s.Look.Theme = "ink"
		s.Missed = time.Time{}
		return s, nil
	}))

	b.want("woken", len(first(b.ServerBack(ctx, here.Server, b.now))), 3)
	b.want("the engines play", b.match(watched.ID).EngineToMove(), true)
	b.want("what had lost its place before", b.match(lost.ID).Rested.IsZero(), true)
	rec := b.match(playing.ID)
	b.want("the game runs", rec.Rested.IsZero() && rec.Phase == game.Playing, true)
	b.want("the time that is left", rec.Deadline.Sub(b.now), left)
	b.same(paused)
	b.want("not missed any more", first(b.Server(ctx, here.Server)).Missed.IsZero(), true)
	testkit.Must(t, b.ServerMissed(ctx, here.Server, b.now))
	testkit.Must(t, b.ServerLeft(ctx, here.Server, b.now))
	b.want("closed", first(b.Match(ctx, playing.ID)).Result().Termination, game.Aborted)
	b.want("the event is over", first(b.Event(ctx, e.ID)).Ended, true)
	b.want("left, and not missed", first(b.Server(ctx, here.Server)).Missed.IsZero(), true)
	testkit.Must(t, b.ServerMissed(ctx, here.Server, b.now))
	b.want("who has left is not missed", first(b.Server(ctx, here.Server)).Missed.IsZero(), true)
	b.sound()
}

// returning lets a server return before the n-th transaction.
type returning struct {
	kv.Engine
	n    int
	back func()
}

func (r *returning) Update(ctx context.Context, fn func(kv.Tx) error) error {
	if r.n--; r.n == 0 {
		r.back()
	}
	return r.Engine.Update(ctx, fn)
}

// cleared deletes a server's data, whose bot returns before the n-th transaction of the
// deletion: nothing goes from then on.
func cleared(t *testing.T, n int) (done bool) {
	b := newBench(t)
	ctx := t.Context()
	b.ratedGame(ann, bob)
	b.ratedGame(ann, cat)
	b.meet(2, nil)
	b.climb(ann, bob)
	b.solves(ann, here.Server)
	first(Togethers.Begin(ctx, b.Store, b.now, newTogether(b)))
	first(Simuls.Begin(ctx, b.Store, b.now, newSimul(b)))
	left := func() (rows []int) {
		for _, table := range []byte{tArchive, tLive, tBoard, tEvent, tEntrant, tLadder, tRung,
			tSolverIn, tTaking, tDaily, tTogether, tSimul, tClear} {
			rows = append(rows, b.rows(table))
		}
		return rows
	}
	first(b.SetServer(ctx, here.Server, func(s Server) (Server, error) {
		s.Look.Theme = "ink"
		return s, nil
	}))
	testkit.Must(t, b.ServerLeft(ctx, here.Server, b.now))
	b.later(keepLeft + time.Minute)
	plain := b.Store
	var want []int
	r := &returning{Engine: b.engine, back: func() {
		_, err := plain.ServerBack(ctx, here.Server, b.now)
		testkit.Check(t, err)
		want = left()
	}}
	b.engine = r
	b.open(Options{Chunk: 1})
	r.n = n
	testkit.Must(t, b.goOnClearing(ctx, b.now))
	b.sound()
	if r.n > 0 {
		return true
	}
	b.want("the settings of who came back", first(b.Server(ctx, here.Server)).Look.Theme, "ink")
	b.want(fmt.Sprintf("what is left of who was back before transaction %d", n), left(), want)
	return false
}

// A server that returns while its data is being deleted keeps all that is not deleted yet.
func TestClearLooksAgain(t *testing.T) {
	for n := 1; ; n++ {
		if done := cleared(t, n); done || t.Failed() {
			if n < 15 {
				t.Errorf("only %d transactions", n-1)
			}
			return
		}
	}
}

// A server that was left by a clock which was ahead goes thirty days after the clock is right again.
func TestServerLeftAhead(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	b.ratedGame(ann, bob)
	testkit.Must(t, b.ServerLeft(ctx, here.Server, b.now.AddDate(70, 0, 0)))
	testkit.Must(t, errors.Join(b.TakeBack(ctx, b.now), b.Sweep(ctx, b.now.Add(keepLeft-time.Hour))))
	b.want("games before that", b.rows(tArchive), 1)
	testkit.Must(t, b.Sweep(ctx, b.now.Add(keepLeft)))
	b.want("games after thirty days", b.rows(tArchive)+b.rows(tLive), 0)
	b.sound()
}

// A store belongs to the first application that it meets, over a restart and a copy, until
// it is given to another.
func TestBelongs(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	b.want("nobody's", first(b.Stats(ctx)).Application, uint64(0))
	for range 2 {
		b.want("the first one's", first(b.Belongs(ctx, 11)), uint64(11))
		b.want("whoever asks", first(b.Belongs(ctx, 12)), uint64(11))
		b.open(Options{})
	}
	testkit.Must(t, b.SetSession(ctx, 2, 1, Session{ID: "x", URL: "wss://gateway"}))
	there := kv.NewMemory()
	first(Copy(ctx, there, b.engine, "", nil))
	copied := first(Open(ctx, there, Options{}))
	b.want("the copy is the same one's", first(copied.Stats(ctx)).Application, uint64(11))

	b.want("whose it was", first(b.Adopt(ctx, 12)), uint64(11))
	b.want("whose it is", first(b.Belongs(ctx, 11)), uint64(12))
	b.want("its sessions", b.rows(tSession), 0)
	b.want("adopted again", first(b.Adopt(ctx, 12)), uint64(12))
	b.sound()
}

// Where another process comes first, the store is that one's application's, and a process that gives it
// away hears to whom it belonged at that moment.
func TestBelongsOfTwo(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	other := b.Store
	meanwhile := &meddling{Engine: b.engine}
	b.engine = meanwhile
	b.open(Options{})
	meanwhile.first = func() { b.want("the other's", first(other.Belongs(ctx, 22)), uint64(22)) }
	b.want("whose it is", first(b.Belongs(ctx, 11)), uint64(22))
	b.want("whose it stays", first(b.Belongs(ctx, 11)), uint64(22))
	meanwhile.first = func() { b.want("given away", first(other.Adopt(ctx, 33)), uint64(22)) }
	b.want("whose it was", first(b.Adopt(ctx, 44)), uint64(33))
	b.want("whose it is now", first(other.Belongs(ctx, 11)), uint64(44))

	// The sessions stay where another process has given the store to the same application, and has begun.
	meanwhile.first = func() {
		first(other.Adopt(ctx, 55))
		testkit.Check(t, other.SetSession(ctx, 2, 1, Session{ID: "x", URL: "wss://gateway"}))
	}
	b.want("given to the same", first(b.Adopt(ctx, 55)), uint64(55))
	b.want("its sessions", b.rows(tSession), 1)
	b.sound()
}
