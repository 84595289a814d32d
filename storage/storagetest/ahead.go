package storagetest

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/daily"
	"tengen/game/event"
	"tengen/game/simul"
	"tengen/game/together"
	"tengen/game/venue"
	"tengen/storage"
	"tengen/storage/kv"
)

// ahead runs a process whose clock is decades ahead, and then one with the right clock: no
// row says any more that something is yet to come but what the right clock would bring, and all rows
// fit together.
func ahead(t *testing.T, o Open) {
	engine := open(t, o)
	s := must(storage.Open(t.Context(), engine, storage.Options{Chunk: 7}))
	w := &way{t: t, s: s, at: noon.AddDate(73, 0, 0)}
	w.live()
	must(0, s.Sweep(t.Context(), noon))
	if wrong := w.later(engine); len(wrong) > 0 {
		t.Errorf("lies ahead: %q", wrong)
	}
	if _, err := storage.Verify(t.Context(), engine); err != nil {
		t.Errorf("the store is not sound: %v", err)
	}
	w.at = noon.Add(48 * time.Hour) // later than what has just been looked at
	if rec := w.create(game.Terms{Rules: game.Gomoku9}); venue.TimeOf(uint64(rec.ID)).After(w.at.Add(time.Minute)) {
		t.Errorf("a new match has the id of %v", venue.TimeOf(uint64(rec.ID)))
	}
	before := dump(t, engine)
	if must(0, s.TakeBack(t.Context(), w.at)); !bytes.Equal(before, dump(t, engine)) {
		t.Error("what was taken back changes again")
	}
}

func dump(t *testing.T, engine kv.Engine) (all []byte) {
	must(0, engine.View(t.Context(), func(r kv.Reader) error {
		all = nil
		return r.Scan(nil, nil, func(k, v []byte) bool { all = append(append(all, k...), v...); return true })
	}))
	return all
}

// way is what a bot does at a time.
type way struct {
	t  *testing.T
	s  *storage.Store
	at time.Time
}

// live does something of every kind.
func (w *way) live() {
	ctx, s, at := w.t.Context(), w.s, w.at
	must(s.UpdateLadder(ctx, square.Server, game.Renju, noon, func(l storage.Ladder) (_ storage.Ladder, err error) {
		l.Ladder, err = l.Join(1, 1500)
		return l, err
	}))
	must(0, s.Sweep(ctx, at)) // which turns the season
	must(s.UpdateLadder(ctx, square.Server, game.Renju, at, func(l storage.Ladder) (storage.Ladder, error) {
		l.Met, l.Notice = []event.Met{{A: 1, B: 2, At: at}}, storage.Notice{Message: 3, Sent: at, At: at}
		return l, nil
	}))
	must(s.UpdateDaily(ctx, square.Server, func(d storage.Daily) (storage.Daily, error) {
		d.Channel, d.Next = square.Channel, at.Add(time.Hour)
		d.Day = daily.Day{Puzzle: "g00001", Begins: at, Made: at, State: daily.Posted}
		return d, nil
	}))
	must(storage.Togethers.Begin(ctx, s, noon, storage.Together{Gathering: storage.Gathering{Place: square, ID: 60},
		Game: together.Game{Owner: 1, Rules: game.Gomoku9, Level: 1, Color: game.Black, Every: time.Minute, Updated: at}}))
	cause := storage.Cause{At: at}
	must(storage.Togethers.Update(ctx, s, square, cause, func(c storage.Together) (_ storage.Together, err error) {
		c.Notice = storage.Notice{Message: 7, Shown: c.Version, Sent: at, At: at}
		c.Game, err = c.Vote(1, 0, game.At(4, 4), at)
		return c, err
	}))
	must(storage.Simuls.Begin(ctx, s, noon, storage.Simul{Gathering: storage.Gathering{Place: square, ID: 70},
		Simul: simul.New(9, game.Terms{Rules: game.Gomoku9, First: game.Black}, at)}))
	must(0, s.ServerLeft(ctx, 300, at))
	must(0, s.ServerMissed(ctx, 400, at))
	e := must(s.CreateEvent(ctx, storage.Cause{Interaction: venue.IDAt(at), At: at}, square,
		func() (storage.Event, error) {
			e := storage.Event{Setup: storage.Setup{Name: "Spring", Game: game.Terms{Rules: game.Gomoku9}}, Owner: 9}
			e.Rounds, e.Length = 1, 48*time.Hour
			for m := range game.MemberID(2) {
				var err error
				if e, err = e.Join(9, game.SeatFor(1001+m), 1500, at); err != nil {
					return e, err
				}
			}
			return e, nil
		}))
	must(s.UpdateEvent(ctx, e.ID, storage.Cause{At: at}, func(e storage.Event) (storage.Event, error) {
		return e.Begin(9, nil, at)
	}))
	_, _, err := s.SettleEvent(ctx, e.ID, at, 99,
		func(e storage.Event, _, _ int) (game.Terms, venue.Place) { return e.Game, e.Place })
	must(0, err)
	rec := w.create(game.Terms{Rules: game.Gomoku9, First: game.Black})
	act := func(f func(m game.Match) (game.Match, error)) {
		must(s.Update(ctx, rec.ID, storage.Cause{At: at, By: 1}, f))
	}
	act(func(m game.Match) (game.Match, error) { return m.Play(1, game.At(4, 4), at) })
	act(func(m game.Match) (game.Match, error) { return m.Resign(1, at) })
	must(0, s.AskReview(ctx, rec.ID, 1, square, at))
	w.create(game.Terms{Rules: game.Gomoku9, First: game.Black, Clock: game.PerMove(time.Minute)})
}

// create makes a match of member 1 against the engine.
func (w *way) create(terms game.Terms) storage.Record {
	return must(w.s.Create(w.t.Context(), storage.Cause{At: w.at, By: 1}, square,
		func(id game.MatchID) (game.Match, error) {
			return game.NewMatch(id, terms, 1, game.SeatFor(1), game.SeatEngine(1), w.at, time.Time{})
		}))
}

var anyTime = regexp.MustCompile(`"(\w+)":"(\d{4}-\d\d-\d\dT[^"]*)"`)

// later is what is wrong in a store at noon: a time in its export that is too far ahead, and rows
// that are due, or go, too late.
func (w *way) later(engine kv.Engine) (wrong []string) {
	ctx, s := w.t.Context(), w.s
	var lines bytes.Buffer
	must(0, s.Export(ctx, &lines, nil))
	for _, m := range anyTime.FindAllStringSubmatch(lines.String(), -1) {
		daily := m[1] == "begins" || m[1] == "day" // waits for the bot, which knows its hour
		if at, err := time.Parse(time.RFC3339Nano, m[2]); err == nil && at.After(noon.AddDate(0, 0, 8)) && !daily {
			wrong = append(wrong, m[0])
		}
	}
	look := func(what string, bad bool) {
		if bad {
			wrong = append(wrong, what)
		}
	}
	every := func(uint64) bool { return true }
	here := func(p venue.Place) bool { return p == square }
	look("daily puzzle", len(must(s.DueDailies(ctx, noon, 9, every))) != 1)
	look("game together", len(must(storage.Togethers.Due(ctx, s, noon.Add(time.Hour), 9, here))) != 1)
	look("simul", len(must(storage.Simuls.Due(ctx, s, noon.Add(25*time.Hour), 9, here))) != 1)
	look("event", len(must(s.EventsDue(ctx, noon.Add(25*time.Hour), 9, func(storage.EventID) bool { return true }))) != 1)
	look("match", len(must(s.Due(ctx, noon.Add(time.Hour), 9, func(game.MatchID) bool { return true }))) != 1)
	l := must(s.Ladder(ctx, square.Server, game.Renju))
	look("season", l.Month != event.MonthOf(noon) || len(must(s.Seasons(ctx, square.Server, game.Renju))) != 0)
	look("met", l.Met[0].At.After(noon) || l.At.After(noon))
	look("server", must(s.Server(ctx, 300)).Left.After(noon) || must(s.Server(ctx, 400)).Missed.After(noon))
	look("alive", !must(s.Alive(ctx)).Equal(noon))
	look("rows of days and causes", w.rows(engine, "il") > 0)

	ended := must(s.Of(ctx, 1))
	must(0, s.Sweep(ctx, noon.AddDate(0, 0, 2)))
	for _, r := range ended {
		look("match", r.Turned.After(noon) || r.Created.After(noon))
	}
	look("ended match", w.rows(engine, "z") > 0)
	return wrong
}

// rows counts the rows of tables.
func (w *way) rows(engine kv.Engine, tables string) (n int) {
	must(0, engine.View(context.WithoutCancel(w.t.Context()), func(r kv.Reader) (err error) {
		n = 0
		for _, table := range []byte(tables) {
			err = errors.Join(err, r.Scan([]byte{table}, []byte{table + 1}, func(_, _ []byte) bool { n++; return true }))
		}
		return err
	}))
	return n
}
