package event

import (
	"errors"
	"slices"
	"testing"
	"time"

	"tengen/game"
	"tengen/internal/testkit"
)

const ann, bob, cat, dan game.MemberID = 1001, 1002, 1003, 1004

// climbed is a ladder that members have joined.
func climbed(t *testing.T, members ...game.MemberID) (l Ladder) {
	t.Helper()
	for _, m := range members {
		next, err := l.Join(m, 1500)
		if l = next; err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// end is how a match of a ladder ends, from its state before that on.
type end func(game.Match) (game.Match, error)

// challenged is l after a match in which a member challenges another has ended; start goes before the end.
func challenged(t *testing.T, l Ladder, by, whom game.MemberID, start, end end) Ladder {
	t.Helper()
	terms := game.Terms{Rules: game.Gomoku15, First: game.Black, Rated: true, Clock: game.PerMove(time.Hour)}
	l, err := l.Challenge(Challenge{7, by, whom}, day)
	m, err2 := game.NewMatch(7, terms, by, game.SeatFor(by), game.SeatFor(whom), day, day.Add(restDays*24*time.Hour))
	was, err3 := start(m)
	is, err4 := end(was)
	testkit.Must(t, errors.Join(err, err2, err3, err4))
	return l.Ended(was, is, [2]float64{1600, 1400})
}

// What the end of a match does to the order, by how it ended; ann challenges bob, who stands above her.
func TestLadderEnds(t *testing.T) {
	asked := func(m game.Match) (game.Match, error) { return m, nil }
	accepted := func(m game.Match) (game.Match, error) { return m.Accept(bob, day) }
	moved := func(m game.Match) (game.Match, error) {
		m, err := m.Accept(bob, day)
		for i, by := range []game.MemberID{ann, bob, ann, bob} {
			if err == nil {
				m, err = m.Play(by, game.At(i, i), day)
			}
		}
		return m, err
	}
	late := func(m game.Match) (_ game.Match, err error) {
		for err == nil && m.Phase != game.Over { // a reminder first
			_, at := m.Due()
			m, _, err = m.Tick(at)
		}
		return m, err
	}
	resigns := func(by game.MemberID) end {
		return func(m game.Match) (game.Match, error) { return m.Resign(by, day) }
	}
	drawn := func(m game.Match) (game.Match, error) {
		m, err := m.Draw(ann, day)
		if err == nil {
			m, err = m.Draw(bob, day)
		}
		return m, err
	}
	for _, c := range []struct {
		name       string
		start, end end
		want       []game.MemberID
		rated      bool
	}{
		{"won", moved, resigns(bob), []game.MemberID{cat, ann, bob}, true},
		{"lost", moved, resigns(ann), []game.MemberID{cat, bob, ann}, true},
		{"drawn", moved, drawn, []game.MemberID{cat, bob, ann}, true},
		{"given up before a move", accepted, resigns(bob), []game.MemberID{cat, ann, bob}, true},
		{"the time is over", moved, late, []game.MemberID{cat, bob}, true},
		{"the time is over before a move", accepted, late, []game.MemberID{cat, bob}, false},
		{"declined", asked, func(m game.Match) (game.Match, error) { return m.Decline(bob, day) }, []game.MemberID{cat, ann, bob}, false},
		{"not answered", asked, late, []game.MemberID{cat, ann, bob}, false},
		{"taken back", asked, func(m game.Match) (game.Match, error) { return m.Cancel(ann, day) }, []game.MemberID{cat, bob, ann}, false},
		{"stopped", accepted, func(m game.Match) (game.Match, error) { return m.Close(game.Aborted, day) }, []game.MemberID{cat, bob, ann}, false},
	} {
		l := challenged(t, climbed(t, cat, bob, ann, cat), ann, bob, c.start, c.end)
		if got := ids(l.Rungs); !slices.Equal(got, c.want) || len(l.Active) > 0 || (len(l.Met) == 1) != c.rated {
			t.Errorf("%s: %v, want %v; %+v", c.name, got, c.want, l)
		}
		for member, want := range map[game.MemberID]float64{ann: 1600, bob: 1400} {
			if !c.rated {
				want = 1500
			}
			if place := l.Place(member); place > 0 && l.Rungs[place-1].Rating != want {
				t.Errorf("%s: %d has the rating %v, want %v", c.name, member, l.Rungs[place-1].Rating, want)
			}
		}
	}
	l := climbed(t, bob, ann)
	for _, c := range []struct {
		met  []Met
		want int
	}{{[]Met{{cat, dan, day.Add(-rest)}}, 1}, {slices.Repeat([]Met{{cat, dan, day}}, MaxMet), MaxMet}} {
		l.Met = c.met
		met := challenged(t, l, ann, bob, moved, resigns(bob)).Met
		if len(met) != c.want || met[len(met)-1] != (Met{ann, bob, day}) {
			t.Errorf("%d games before: %d after", len(c.met), len(met))
		}
	}
	nameless := func(m game.Match) (game.Match, error) {
		m, err := m.Resign(bob, day)
		m.Seats[0].Member = 0
		return m, err
	}
	if got := ids(challenged(t, l, ann, bob, moved, nameless).Rungs); !slices.Equal(got, []game.MemberID{ann, bob}) {
		t.Errorf("won by a seat that has lost its id: %v", got)
	}
	if got := ids(l.won(ann, cat).Rungs); !slices.Equal(got, []game.MemberID{bob, ann}) {
		t.Errorf("won against one who has left: %v", got)
	}
	sat := game.Match{Seats: [2]game.Seat{game.SeatFor(ann), game.SeatFor(bob)}}
	if got := l.rated(sat, [2]float64{0, 1700}).Rungs; !slices.Equal(got, []Rung{{bob, 1700}, {ann, 1500}}) {
		t.Errorf("a rating that is unchanged: %v", got)
	}
	other := func(m game.Match) (game.Match, error) { m.ID = 8; return m, nil }
	l = challenged(t, climbed(t, bob, ann), ann, bob, other, late)
	if len(l.Active) != 1 || !slices.Equal(ids(l.Rungs), []game.MemberID{bob, ann}) {
		t.Errorf("the end of somebody else's match counts: %+v", l)
	}
}

// Whom a ladder lets a member challenge: the same two not within seven days, nobody twice at one time.
func TestLadderRefuses(t *testing.T) {
	l := climbed(t, bob, cat, ann, dan)
	for _, c := range []struct {
		name     string
		do       func(Ladder) Ladder
		by, whom game.MemberID
		want     error
	}{
		{"upwards", func(l Ladder) Ladder { return l }, ann, bob, nil},
		{"downwards", func(l Ladder) Ladder { return l }, bob, ann, ErrOutOfReach},
		{"a stranger", func(l Ladder) Ladder { return l }, 77, ann, ErrOutOfReach},
		{"off", func(l Ladder) Ladder { l.Off = true; return l }, ann, bob, ErrLadderOff},
		{"a week later", func(l Ladder) Ladder { l.Met = []Met{{bob, ann, day.Add(-7 * 24 * time.Hour)}}; return l }, ann, bob, nil},
		{"within a week", func(l Ladder) Ladder { l.Met = []Met{{bob, ann, day.Add(time.Second - 7*24*time.Hour)}}; return l }, ann, bob, ErrOutOfReach},
		{"asked already", func(l Ladder) Ladder { l.Active = []Challenge{{1, ann, bob}}; return l }, ann, bob, ErrOutOfReach},
		{"three asked already", func(l Ladder) Ladder { l.Active = slices.Repeat([]Challenge{{1, ann, cat}}, 3); return l }, ann, bob, ErrOutOfReach},
		{"replaced", func(l Ladder) Ladder { l.Active = []Challenge{{1, ann, bob}}; return l.Replace(1, 2).Replace(1, 3) }, ann, bob, ErrOutOfReach},
	} {
		if _, err := c.do(l).Challenge(Challenge{9, c.by, c.whom}, day); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	l.Active = []Challenge{{1, ann, bob}}
	got := l.Replace(1, 2).Replace(1, 3).Active
	if !slices.Equal(got, []Challenge{{2, ann, bob}}) || l.Active[0].Match != 1 {
		t.Errorf("replaced: %v, before %v", got, l.Active)
	}
	off := Ladder{Off: true}
	if _, err := off.Join(ann, 1500); !errors.Is(err, ErrLadderOff) {
		t.Errorf("joining a ladder that is off: %v", err)
	}
	full := Ladder{Rungs: make([]Rung, MaxRungs-1)}
	for _, want := range []error{nil, ErrLadderFull} {
		var err error
		if full, err = full.Join(game.MemberID(1+len(full.Rungs)), 1500); !errors.Is(err, want) {
			t.Errorf("%d members: %v, want %v", len(full.Rungs), err, want)
		}
	}
}

// A season ends with its month, and leaves the first of its places.
func TestLadderTurns(t *testing.T) {
	l := Ladder{Month: MonthOf(day), Rungs: make([]Rung, hallOfFame+1)}
	l.Rungs[0].ID = ann
	next, over := l.Turn(day)
	if next.Month != l.Month || over != nil {
		t.Errorf("within the month: %v, %v", next.Month, over)
	}
	next, over = l.Turn(day.AddDate(0, 3, 0))
	if next.Month != l.Month+3 || len(over) != hallOfFame || over[0] != ann || len(next.Rungs) != len(l.Rungs) {
		t.Errorf("three months later: %v, %v", next.Month, over)
	}
	testkit.Want(t, "the month", MonthOf(testkit.At("2026-03-31 23:59")).String(), "2026-03")
}

// A deleted member's id is nowhere in a ladder: neither on a rung, nor in a challenge, nor among the
// games of the last days.
func TestLadderWithout(t *testing.T) {
	l := climbed(t, bob, ann, cat)
	l.Active = []Challenge{{1, ann, bob}, {2, bob, ann}, {3, bob, cat}}
	l.Met = []Met{{ann, bob, day}, {bob, ann, day}, {bob, cat, day}}
	l = l.Without(ann)
	if !slices.Equal(ids(l.Rungs), []game.MemberID{bob, cat}) || !slices.Equal(l.Active, []Challenge{{3, bob, cat}}) ||
		!slices.Equal(l.Met, []Met{{bob, cat, day}}) {
		t.Errorf("without ann: %+v", l)
	}
}
