package bot

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tengen/game"
	"tengen/game/daily"
	"tengen/game/event"
	"tengen/game/venue"
	"tengen/internal/pulse"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/kv"
	"tengen/storage/lease"
	"tengen/storage/storagetest"
)

// hall is where all is played.
var hall = venue.Place{Server: club, Channel: lounge}

// wrong is a bot that runs for a while by a clock which is off, on a store on which bots with a right
// clock run before and after.
type wrong struct {
	t      *testing.T
	engine kv.Engine
	lag    atomic.Int64 // how long a transaction takes, as a duration
	off    time.Duration
	leases *lease.Table // of several processes; nil: each is alone
	*desktop
}

func (w *wrong) now() time.Time { return time.Now().Add(w.off) }

// run runs a bot whose clock is off, and ends it after at least five minutes.
func (w *wrong) run(off time.Duration, during func()) {
	w.t.Helper()
	store := storagetest.Store(w.t, w.engine)
	w.off, w.desktop = off, &desktop{t: w.t, paper: newPaper(), store: store}
	c := Config{Store: store, Chat: w.paper, Think: simple, Draw: drawn, Puzzles: fewPuzzles,
		Options: Options{ReviewMeans: quickReview},
		Pulse:   pulse.New(pulse.Options{Wall: w.now})}
	if w.leases != nil {
		c.Leases, _ = w.leases.Process()
	}
	w.bot = botOf(c)
	testkit.Must(w.t, w.bot.start(w.t.Context()))
	time.Sleep(time.Second)
	during()
	time.Sleep(5 * time.Minute)
	w.bot.close()
	_, err := storage.Verify(w.t.Context(), w.engine)
	testkit.Check(w.t, err)
}

// match makes a match of members a and b, or one of a against the engine, which is played unless it
// is only offered.
func (w *wrong) match(a, b game.MemberID, perMove time.Duration, offered bool) {
	second := game.SeatFor(b)
	if b == 0 {
		second = game.SeatEngine(1)
	}
	cause := storage.Cause{At: w.now(), By: a}
	terms := game.Terms{Rules: game.Gomoku9, First: game.Black, Clock: game.PerMove(perMove)}
	testkit.Got(w.store.Create(w.t.Context(), cause, hall, func(id game.MatchID) (game.Match, error) {
		m, err := game.NewMatch(id, terms, a, game.SeatFor(a), second, w.now(), w.now().Add(24*time.Hour))
		if err == nil && b != 0 && !offered {
			m, err = m.Accept(b, w.now())
		}
		return m, err
	}))
}

// event begins a tournament of two, who have a day for their game.
func (w *wrong) event() {
	w.t.Helper()
	ctx, now := w.t.Context(), w.now()
	e, err := w.store.CreateEvent(ctx, storage.Cause{At: now}, hall, func() (e storage.Event, err error) {
		e.Name, e.Game, e.Rounds, e.Length = "Cup", game.Terms{Rules: game.Gomoku9}, 1, 24*time.Hour
		for m := range game.MemberID(2) {
			if e, err = e.Join(1, game.SeatFor(90+m), 1500, now); err != nil {
				return e, err
			}
		}
		return e.Begin(0, nil, now)
	})
	if err == nil {
		terms := func(e storage.Event, _, _ int) (game.Terms, venue.Place) { return e.Game, e.Place }
		_, _, err = w.store.SettleEvent(ctx, e.ID, now, 99, terms)
	}
	testkit.Must(w.t, err)
}

// live are the matches that are offered or played.
func (w *wrong) live() (recs []storage.Record) {
	w.t.Helper()
	add := func(r storage.Record) bool { recs = append(recs, r); return true }
	testkit.Must(w.t, w.store.Live(w.t.Context(), add))
	return recs
}

// play has who is to move in each match move by the clock of now.
func (w *wrong) play() {
	w.t.Helper()
	for _, rec := range w.live() {
		now := storage.Cause{At: w.now()}
		_, err := w.bot.clocks.Update(w.t.Context(), rec.ID, now, func(m game.Match) (game.Match, error) {
			if m.Phase != game.Playing || !m.Rested.IsZero() || m.Seats[m.ToMove()].Kind != game.MemberSeat {
				return m, nil
			}
			return m.Play(m.Seats[m.ToMove()].Member, m.Game().Legal().Points()[0], w.now())
		})
		testkit.Must(w.t, err)
	}
}

// lifeOf is a store in which a bot was at work for a while with its clock off, and what is wrong
// afterwards.
func lifeOf(t *testing.T, off time.Duration, leases *lease.Table) (bad error) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(testkit.At("2026-11-26 10:00")))
		w := &wrong{t: t, leases: leases}
		w.engine = lagging{kv.NewMemory(), &w.lag}
		ctx := context.Background()
		w.run(0, func() {
			for i := range game.MemberID(5) {
				w.match(10+i, 20+i, 0, false)
				w.match(30+i, 40+i, time.Hour, false)
				w.match(50+i, 0, 0, false)
				w.match(60+i, 70+i, 0, true)
			}
			w.match(80, 81, time.Hour, false)
			recs := w.live()
			rest := func(m game.Match) (game.Match, error) { return m.Rest(w.now()) }
			_, err := w.store.Update(ctx, recs[len(recs)-1].ID, storage.Cause{At: w.now()}, rest)
			_, err2 := w.store.UpdateDaily(ctx, club, func(d storage.Daily) (storage.Daily, error) {
				d.Channel, d.Hour, d.Next = lounge, 18, w.now()
				return d, nil
			})
			join := func(l storage.Ladder) (_ storage.Ladder, err error) { l.Ladder, err = l.Join(1, 1500); return l, err }
			_, err3 := w.store.UpdateLadder(ctx, club, game.Gomoku15, w.now(), join)
			testkit.Must(t, errors.Join(err, err2, err3))
			w.event()
			w.play()
		})
		before := len(w.live())
		w.lag.Store(int64(time.Second)) // time runs while it is given back
		w.run(off, w.play)
		w.run(0, func() {})
		w.lag.Store(0)
		wrong := func(format string, args ...any) { bad = errors.Join(bad, fmt.Errorf(format, args...)) }
		if n := len(w.live()); n != before || before != 22 {
			wrong("of %d matches %d are left", before, n)
		}
		now := time.Now()
		for _, rec := range w.live() {
			_, due := rec.Due()
			ahead := rec.Phase == game.Playing && rec.Turned.After(now.Add(game.ClockError))
			if ahead || due.Sub(now) > game.AbandonAfter+time.Hour {
				wrong("match %d: turned %v, due %v", rec.ID, rec.Turned, due)
			}
		}
		cups, err := w.store.EventsIn(ctx, club, false, 9)
		if err != nil || len(cups) != 1 {
			t.Fatal(cups, err)
		}
		if b := cups[0].Paired[0][0]; !b.Open() || cups[0].Deadline(b).Sub(now) > 24*time.Hour+game.ClockError {
			wrong("the round's game: %+v", b)
		}
		l, err := w.store.Ladder(ctx, club, game.Gomoku15)
		seasons, err2 := w.store.Seasons(ctx, club, game.Gomoku15)
		testkit.Must(t, errors.Join(err, err2))
		if l.Month != event.MonthOf(now) || off > 0 && len(seasons) > 0 {
			wrong("the ladder's month is %d instead of %d; %d seasons are over", l.Month, event.MonthOf(now), len(seasons))
		}
		w.run(0, func() { time.Sleep(time.Until(testkit.At("2026-11-26 18:00:05"))) })
		d := testkit.Got(w.store.Daily(ctx, club))
		want := testkit.At("2026-11-26 18:00")
		if !d.Day.Begins.Equal(want) || d.Day.State != daily.Posted || !d.Next.Equal(want.AddDate(0, 0, 1)) {
			wrong("the day began at %v, state %v, the next one is due at %v", d.Day.Begins, d.Day.State, d.Next)
		}
	})
	return bad
}

// A bot runs with a clock that is ahead or behind, by weeks or by decades, and afterwards with the right
// one: no game is lost, and the daily puzzle, the ladder's season and the clocks go on.
func TestClockWasOff(t *testing.T) {
	const day = 24 * time.Hour
	for _, off := range []time.Duration{26 * time.Hour, 40 * day, 73 * 365 * day, -40 * day, -9 * 365 * day} {
		for name, leases := range map[string]*lease.Table{"alone": nil, "shared": lease.NewTable()} {
			t.Run(off.String()+" "+name, func(t *testing.T) {
				testkit.Check(t, lifeOf(t, off, leases))
			})
		}
	}
}
