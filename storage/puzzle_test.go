package storage

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"tengen/game"
)

// solves gives ann a rating, a run, and a part in the daily puzzle of a server.
func (b *bench) solves(member game.MemberID, server uint64) {
	b.t.Helper()
	ctx := b.t.Context()
	_, err := b.UpdateSolver(ctx, member, game.Renju, server, func(s Solver) (Solver, error) {
		s.Tried++
		return s.With(7), nil
	})
	if err == nil {
		_, err = b.UpdateRun(ctx, member, server, func(r Run) (Run, error) {
			r.Bests = append(r.Bests, Best{StormRun, game.Renju, 3, 2, 1, b.now})
			return r, nil
		})
	}
	if err == nil {
		_, _, err = b.TakeDaily(ctx, server, member, func(d Daily, t Taking) (Daily, Taking, error) {
			d.Channel, d.Next, d.Day = 200, b.now.Add(time.Hour), Day{Puzzle: "g00001", Begins: b.now, Made: b.now, First: append(d.Day.First, member)}
			t.Tries += "o"
			return d, t, nil
		})
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// What is stored of a member's puzzles is theirs to read and to delete; a server's goes with it.
func TestPuzzlesForgotten(t *testing.T) {
	b := newBench(t, Options{Chunk: 2})
	ctx := t.Context()
	for _, m := range []game.MemberID{ann, bob, cat} {
		b.solves(m, 100)
	}
	b.solves(ann, 101)
	b.sound()
	own, err := json.Marshal(first(b.Everything(ctx, ann)))
	if err != nil || !strings.Contains(string(own), `"seen":[7]`) || !strings.Contains(string(own), `"run":"storm"`) || !strings.Contains(string(own), `"tries":"oo"`) && !strings.Contains(string(own), `"tries":"o"`) {
		t.Errorf("ann's own file: %v\n%s", err, own)
	}
	b.want("solvers", len(first(b.Solvers(ctx, 100, game.Renju, func(m Member) bool { return m.ID != bob }))), 2)

	if err := b.Forget(ctx, ann, b.now); err != nil {
		t.Fatal(err)
	}
	b.sound()
	b.want("of ann", first(b.Everything(ctx, ann)).Puzzles.Solvers, []Solver(nil))
	b.want("first", first(b.Daily(ctx, 100)).Day.First, []game.MemberID{bob, cat})
	var out bytes.Buffer
	if err := b.Export(ctx, &out, nil); err != nil || strings.Contains(out.String(), idText(uint64(ann))) || !strings.Contains(out.String(), `"kind":"daily"`) {
		t.Errorf("ann is in the export: %v\n%s", err, out.String())
	}

	if err := b.ServerLeft(ctx, 100, b.now); err != nil {
		t.Fatal(err)
	}
	if err := b.Sweep(ctx, b.now.Add(keepLeft+time.Hour)); err != nil {
		t.Fatal(err)
	}
	b.sound()
	for table, n := range map[byte]int{tSolverIn: 0, tTaking: 0, tDaily: 1, tDailyDue: 1, tSolver: 2, tRun: 2} {
		b.want(string(table), b.rows(table), n)
	}
}

// A daily puzzle is due when its row says so, and nowhere else.
func TestDailyDue(t *testing.T) {
	b := newBench(t, Options{})
	ctx := t.Context()
	at := b.now
	due := func() []uint64 { return first(b.DueDailies(ctx, at, 9, func(uint64) bool { return true })) }
	change := func(f func(*Daily)) {
		t.Helper()
		if _, err := b.UpdateDaily(ctx, 100, func(d Daily) (Daily, error) { f(&d); return d, nil }); err != nil {
			t.Fatal(err)
		}
		b.sound()
	}
	change(func(d *Daily) { d.Next = at.Add(time.Millisecond) })
	b.want("not yet", due(), []uint64(nil))
	change(func(d *Daily) { d.Next = at })
	b.want("now", due(), []uint64{100})
	change(func(d *Daily) {
		d.Next, d.Day = at.Add(time.Hour), Day{Puzzle: "g00001", Made: at, State: Owed}
	})
	b.want("owed", due(), []uint64{100})
	change(func(d *Daily) { d.Day.State = Posted })
	b.want("posted", due(), []uint64(nil))
	change(func(d *Daily) { d.Goes = MessageRef{1, 2} })
	b.want("to be deleted", due(), []uint64{100})
	change(func(d *Daily) { d.Goes, d.Next = MessageRef{}, time.Time{} })
	b.want("off", b.rows(tDailyDue), 0)
}
