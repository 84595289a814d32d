package simul

import (
	"errors"
	"slices"
	"testing"
	"time"

	"tengen/game"
	"tengen/internal/testkit"
)

const ann, bob, cat, dan game.MemberID = 1001, 1002, 1003, 1004

var (
	noon  = testkit.At("2026-03-01 12:00")
	terms = game.Terms{Rules: game.Gomoku15, Clock: game.PerMove(time.Hour), First: game.Black}
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// joined is a simul of ann that members have joined.
func joined(members ...game.MemberID) Simul {
	x := New(ann, terms, noon)
	for _, m := range members {
		x = must(x.Join(m, noon))
	}
	return x
}

// begun is a simul in which all matches are made.
func begun(t *testing.T, members ...game.MemberID) (x Simul, matches []game.Match) {
	t.Helper()
	x = must(joined(members...).Start(ann, noon))
	for x.Owed() >= 0 {
		i := x.Owed()
		next, m, err := x.Begin(i, game.MatchID(10+i), terms, noon)
		if err != nil || m.Seats != [2]game.Seat{game.SeatFor(ann), game.SeatFor(members[i])} || m.Phase != game.Playing ||
			m.ColorOf(0) != game.Black {
			t.Fatalf("%+v, %v", m, err)
		}
		x, matches = next, append(matches, m)
	}
	return x, matches
}

// Matches are made for all who have joined, and their ends bring the results.
func TestResults(t *testing.T) {
	x := joined(bob, bob, cat, dan)
	if len(x.Opponents) != 3 || x.Owed() != -1 || x.Due() != noon.Add(StartWithin) {
		t.Errorf("%d opponents, match %d is owed, due at %v", len(x.Opponents), x.Owed(), x.Due())
	}
	x, matches := begun(t, bob, cat, dan)
	if x.Made() != 3 || !x.Due().IsZero() {
		t.Errorf("%d matches, due at %v", x.Made(), x.Due())
	}
	for i, end := range []func(m game.Match) (game.Match, error){
		func(m game.Match) (game.Match, error) { return m.Resign(bob, noon) },
		func(m game.Match) (game.Match, error) { return m.Resign(ann, noon) },
		func(m game.Match) (game.Match, error) { return m.Close(game.Abandoned, noon) },
	} {
		if x.Over() {
			t.Errorf("over after %d games", i)
		}
		x = x.Ended(must(end(matches[i])))
	}
	if want := []Opponent{{bob, 10, Won}, {cat, 11, Lost}, {dan, 12, None}}; !x.Over() || x.Stop(noon).Stopped ||
		!slices.Equal(x.Opponents, want) {
		t.Errorf("at the end: %+v", x)
	}
	x, matches = begun(t, bob)
	m := must(must(matches[0].Draw(ann, noon)).Draw(bob, noon))
	if drawn := x.Ended(m); drawn.Opponents[0].Result != Drawn {
		t.Errorf("a draw: %+v", drawn)
	}
	if m.ID++; x.Ended(m).Over() {
		t.Error("the end of somebody else's match counts")
	}
}

func TestRefusals(t *testing.T) {
	running, _ := begun(t, bob)
	full := New(ann, terms, noon)
	for i := range MaxOpponents {
		full = must(full.Join(game.MemberID(5000+i), noon))
	}
	join := func(by game.MemberID) func(Simul) (Simul, error) {
		return func(x Simul) (Simul, error) { return x.Join(by, noon) }
	}
	start := func(by game.MemberID) func(Simul) (Simul, error) {
		return func(x Simul) (Simul, error) { return x.Start(by, noon) }
	}
	for _, c := range []struct {
		simul Simul
		do    func(Simul) (Simul, error)
		want  error
	}{
		{joined(), join(ann), game.Yourself},
		{joined(bob), start(bob), ErrNotYours},
		{joined(), start(ann), ErrAlone},
		{running, start(ann), ErrStarted},
		{running, join(cat), ErrStarted},
		{running, join(bob), nil},
		{running, func(x Simul) (Simul, error) { return x.Leave(bob, noon) }, ErrStarted},
		{joined().Stop(noon), join(bob), ErrOver},
		{full, join(6000), ErrFull},
	} {
		if _, err := c.do(c.simul); !errors.Is(err, c.want) {
			t.Errorf("%v, want %v", err, c.want)
		}
	}
	if x := must(joined(bob, cat).Leave(bob, noon)); !slices.Equal(x.Opponents, []Opponent{{Member: cat}}) {
		t.Errorf("after bob has left: %+v", x.Opponents)
	}
}

// A simul that is stopped makes no more matches, and ends those that go on. One that is not started in a
// day ends.
func TestStop(t *testing.T) {
	x := must(joined(bob, cat).Start(ann, noon))
	x, m, err := x.Begin(0, 10, terms, noon)
	if x = x.Stop(noon); err != nil || x.Over() || x.Owed() != 0 || x.Due() != x.Updated {
		t.Errorf("stopped: %+v, %v", x, err)
	}
	x = x.Ended(must(m.Close(game.Aborted, noon)))
	if want := []Opponent{{bob, 10, None}, {Member: cat, Result: None}}; !x.Over() || x.Owed() != -1 ||
		!slices.Equal(x.Opponents, want) {
		t.Errorf("at the end: %+v", x)
	}
	if x = joined(bob); x.Tick(noon.Add(StartWithin-time.Second)).Stopped || !x.Tick(noon.Add(StartWithin)).Over() {
		t.Error("it is started in a day, or ends")
	}
}

// Who deletes their data leaves a simul that gathers, and has no name in one that has begun.
func TestWithout(t *testing.T) {
	if x := joined(bob, cat).Without(bob, noon); !slices.Equal(x.Opponents, []Opponent{{Member: cat}}) {
		t.Errorf("before the start: %+v", x.Opponents)
	}
	if x := joined(bob).Without(ann, noon); x.Giver != 0 || !x.Over() {
		t.Errorf("without a giver: %+v", x)
	}
	x, _, err := must(joined(bob, cat, dan).Start(ann, noon)).Begin(0, 10, terms, noon)
	for _, m := range []game.MemberID{cat, bob, 0, 77, ann} { // without a match, with one, nobody, a stranger, the giver
		x = x.Without(m, noon)
	}
	want := []Opponent{{Match: 10}, {Result: None}, {Member: dan, Result: None}}
	if err != nil || x.Giver != 0 || x.Find(0) >= 0 || x.Over() || x.Owed() != -1 || !slices.Equal(x.Opponents, want) {
		t.Errorf("after the start: %+v, %v", x, err)
	}
}

// A simul is a value: what is done with it leaves it as it was.
func TestValue(t *testing.T) {
	x := joined(bob, cat)
	x.Opponents = slices.Grow(x.Opponents, 9)
	want := slices.Clone(x.Opponents[:9])
	must(x.Join(dan, noon))
	must(x.Leave(bob, noon))
	x.Without(bob, noon)
	x.Stop(noon)
	x = must(x.Start(ann, noon))
	x.Without(bob, noon)
	next, m, err := x.Begin(0, 10, terms, noon)
	if err != nil || !slices.Equal(x.Opponents[:9], want) {
		t.Fatalf("afterwards it is %+v, %v", x, err)
	}
	next.Ended(must(m.Resign(bob, noon)))
	testkit.Want(t, "after the end of a match", next.Opponents[0], (Opponent{Member: bob, Match: 10}))
}
