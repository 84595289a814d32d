package storage

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/daily"
	"tengen/internal/testkit"
	"tengen/storage/codec"
)

// solves gives ann a rating, a run, and a part in the daily puzzle of a server.
func (b *bench) solves(member game.MemberID, server uint64) {
	b.t.Helper()
	ctx := b.t.Context()
	_, err := b.UpdateSolver(ctx, member, game.Renju, server, func(s Solver) (Solver, error) {
		s.Tried++
		return s.With(7, b.now), nil
	})
	if err == nil {
		_, err = b.UpdateRun(ctx, member, server, func(r Run) (Run, error) {
			r.Bests = append(r.Bests, Best{StormRun, game.Renju, 3, 2, 1, b.now})
			return r, nil
		})
	}
	if err == nil {
		_, _, err = b.TakeDaily(ctx, server, member, func(d daily.Daily, t daily.Taking) (daily.Daily, daily.Taking, error) {
			d.Channel, d.Next, d.Day = 200, b.now.Add(time.Hour),
				daily.Day{Puzzle: "g00001", Begins: b.now, Made: b.now, First: append(d.Day.First, member)}
			t.Tries += "o"
			return d, t, nil
		})
	}
	testkit.Must(b.t, err)
}

// What is stored of a member's puzzles is theirs to read and to delete; a server's goes with it.
func TestPuzzlesForgotten(t *testing.T) {
	b := newBench(t, Options{Chunk: 2})
	ctx := t.Context()
	for _, m := range []game.MemberID{ann, bob, cat} {
		b.solves(m, 100)
	}
	b.solves(ann, 101)
	first(b.UpdateDaily(ctx, 100, func(d Daily) (Daily, error) {
		d.Before = daily.Day{Puzzle: "g00002", Begins: b.now, Made: b.now, First: []game.MemberID{bob, ann}}
		return d, nil
	}))
	b.sound()
	own, err := json.Marshal(first(b.Everything(ctx, ann)))
	if err != nil || !strings.Contains(string(own), `"seen":[7]`) || !strings.Contains(string(own), `"run":"storm"`) ||
		!strings.Contains(string(own), `"tries":"oo"`) && !strings.Contains(string(own), `"tries":"o"`) {
		t.Errorf("ann's own file: %v\n%s", err, own)
	}
	b.want("solvers", len(first(b.Solvers(ctx, 100, game.Renju, func(m Member) bool { return m.ID != bob }))), 2)

	testkit.Must(t, b.Forget(ctx, ann, b.now))
	b.sound()
	b.want("of ann", first(b.Everything(ctx, ann)).Puzzles.Solvers, []Solver(nil))
	b.want("first", first(b.Daily(ctx, 100)).Day.First, []game.MemberID{bob, cat})
	b.want("first on the day before", first(b.Daily(ctx, 100)).Before.First, []game.MemberID{bob})
	var out bytes.Buffer
	if err := b.Export(ctx, &out, nil); err != nil || strings.Contains(out.String(), codec.IDText(uint64(ann))) ||
		!strings.Contains(out.String(), `"kind":"daily"`) {
		t.Errorf("ann is in the export: %v\n%s", err, out.String())
	}

	testkit.Must(t, b.ServerLeft(ctx, 100, b.now))
	testkit.Must(t, b.Sweep(ctx, b.now.Add(keepLeft+time.Hour)))
	b.sound()
	for table, n := range map[byte]int{tSolverIn: 0, tTaking: 0, tDaily: 1, tDailyDue: 1, tSolver: 2, tRun: 2} {
		b.want(string(table), b.rows(table), n)
	}
}

// A daily puzzle is due when its row says so, and nowhere else.
func TestDailyDue(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	at := b.now
	due := func() []uint64 { return first(b.DueDailies(ctx, at, 9, func(uint64) bool { return true })) }
	change := func(f func(*Daily)) {
		t.Helper()
		first(b.UpdateDaily(ctx, 100, func(d Daily) (Daily, error) { f(&d); return d, nil }))
		b.sound()
	}
	change(func(d *Daily) { d.Next = at.Add(time.Millisecond) })
	b.want("not yet", due(), []uint64(nil))
	change(func(d *Daily) { d.Next = at })
	b.want("now", due(), []uint64{100})
	change(func(d *Daily) {
		d.Next, d.Day = at.Add(time.Hour), daily.Day{Puzzle: "g00001", Made: at, State: daily.Owed}
	})
	b.want("owed", due(), []uint64{100})
	change(func(d *Daily) { d.Day.State = daily.Posted })
	b.want("posted", due(), []uint64(nil))
	change(func(d *Daily) { d.Goes = MessageRef{1, 2} })
	b.want("to be deleted", due(), []uint64{100})
	change(func(d *Daily) { d.Goes, d.Next = MessageRef{}, time.Time{} })
	b.want("off", b.rows(tDailyDue), 0)
}

// A puzzle that was shown is remembered for sixty days, by two bytes; what a clock that is ahead
// wrote counts from the day on which the clock is right again.
func TestShown(t *testing.T) {
	recent := func(s Solver, n int, at time.Time) bool { _, ok := s.Recent(n, at); return ok }
	days := func(n int) time.Time { return noon.Add(time.Duration(n) * 24 * time.Hour) }
	s := Solver{}.Showed(7, noon, true).With(9, days(30))
	for _, c := range []struct {
		number, day int
		want        bool
	}{{7, 0, true}, {7, 60, true}, {7, 61, false}, {9, 61, true}, {9, 91, false}, {8, 0, false}} {
		if got := recent(s, c.number, days(c.day)); got != c.want {
			t.Errorf("puzzle %d is recent on day %d: %v", c.number, c.day, got)
		}
	}
	if v, _ := s.Recent(7, noon); !v.Open {
		t.Error("a puzzle that is not tried is not open")
	}
	if s = s.Showed(8, days(70), false); len(s.Shown) != 2 || recent(s, 7, noon) {
		t.Errorf("after 70 days %v is kept", s.Shown)
	}
	ahead := Solver{}.Showed(7, noon.AddDate(70, 0, 0), false).Showed(8, noon, false)
	if !recent(ahead, 7, days(60)) || recent(ahead, 7, days(61)) {
		t.Errorf("a clock that was ahead: %v", ahead.Shown)
	}
	far := Solver{}.Showed(7, testkit.At("9999-01-01"), false)
	if got, err := codec.Decode[Solver](key(tSolver, 1, 4), codec.Encode(far)); err != nil || len(got.Shown) != 1 {
		t.Errorf("the year 9999: %v, %v", got.Shown, err)
	}
}

// However many puzzles a member sees, the row stays bounded, and what goes first is the oldest.
func TestShownBound(t *testing.T) {
	s := Solver{}
	for n := range mostShown + 500 {
		s = s.Showed(20*n, noon.Add(time.Duration(n)*time.Minute*10), n%2 == 0)
	}
	row := codec.Encode(s)
	if len(s.Shown) != mostShown || s.Shown[0].Number < 20*300 || len(row) > 3*mostShown+100 {
		t.Errorf("%d puzzles from %d on in %d bytes", len(s.Shown), s.Shown[0].Number, len(row))
	}
	got, err := codec.Decode[Solver](key(tSolver, uint64(ann), 4), row)
	if err != nil || !slices.Equal(got.Shown, s.Shown) {
		t.Errorf("read again: %d puzzles, %v", len(got.Shown), err)
	}
	long := codec.Encode(Solver{Shown: slices.Repeat([]Shown{{}}, mostShown+1)})
	if _, err := codec.Decode[Solver](key(tSolver, uint64(ann), 4), long); err == nil {
		t.Error("a row beyond the bound is read")
	}
}

// A run and what its puzzle leaves with the solver are written together or not at all.
func TestStepRun(t *testing.T) {
	b := newBench(t)
	step := func(fail error) error {
		_, err := b.StepRun(t.Context(), ann, game.Renju, 100, func(v Run, s Solver) (Run, Solver, error) {
			v.Kind, v.Rules, v.Puzzle, v.Moves = StreakRun, game.Renju, 7, []game.Point{0x77}
			return v, s.Showed(7, b.now, false), fail
		})
		return err
	}
	if err := step(codec.ErrContent); err == nil || first(b.Run(t.Context(), ann)).Puzzle != 0 ||
		len(first(b.Solver(t.Context(), ann, game.Renju)).Shown) != 0 {
		t.Errorf("a step that failed left something: %v", err)
	}
	testkit.Must(t, step(nil))
	v, s := first(b.Run(t.Context(), ann)), first(b.Solver(t.Context(), ann, game.Renju))
	if v.Puzzle != 7 || len(v.Moves) != 1 || len(s.Shown) != 1 {
		t.Errorf("%+v, %+v", v, s)
	}
	b.sound()
}
