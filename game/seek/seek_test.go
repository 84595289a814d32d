package seek

import (
	"container/heap"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/testkit"
)

var noon = testkit.At("2026-03-01 12:00")

// wish is one for a usual game.
func wish(member game.MemberID, rating float64, at time.Time) Seek {
	s := New(member, uint64(member), venue.Place{Server: 1, Channel: 2}, game.Terms{Rules: game.Gomoku15, Rated: true}, at)
	s.Rating = rating
	return s
}

// Who fits depends on how long both have waited, on how sure their ratings are, and on what they want to play.
func TestFits(t *testing.T) {
	later := func(d time.Duration) time.Time { return noon.Add(d) }
	for _, c := range []struct {
		name string
		with func(a, b Seek) (Seek, Seek)
		at   time.Time
		want bool
	}{
		{"near", func(a, b Seek) (Seek, Seek) { b.Rating = 1600; return a, b }, noon, true},
		{"not near enough", func(a, b Seek) (Seek, Seek) { b.Rating = 1601; return a, b }, noon, false},
		{"after a while", func(a, b Seek) (Seek, Seek) { b.Rating = 1601; return a, b }, later(15 * time.Second), true},
		{"one has waited, the other has not", func(a, b Seek) (Seek, Seek) {
			b.Rating, b.Since = 1601, later(10*time.Second)
			return a, b
		}, later(15 * time.Second), false},
		{"any strength", func(a, b Seek) (Seek, Seek) { b.Rating = 3000; return a, b }, later(Wide), true},
		{"a newcomer's rating counts half", func(a, b Seek) (Seek, Seek) { b.Rating, b.New = 1700, true; return a, b }, noon,
			true},
		{"another game", func(a, b Seek) (Seek, Seek) { b.Game.Rules = game.Renju; return a, b }, later(Wide), false},
		{"another clock", func(a, b Seek) (Seek, Seek) { b.Game.Clock.Each = time.Hour; return a, b }, later(Wide), false},
		{"casual", func(a, b Seek) (Seek, Seek) { b.Game.Rated = false; return a, b }, later(Wide), false},
		{"another opening", func(a, b Seek) (Seek, Seek) { b.Game.Opening = game.BalancedOpening; return a, b }, later(Wide),
			false},
		{"another server", func(a, b Seek) (Seek, Seek) { b.Place.Server++; return a, b }, later(Wide), false},
		{"another channel", func(a, b Seek) (Seek, Seek) { b.Place.Channel++; return a, b }, noon, true},
		{"oneself", func(a, b Seek) (Seek, Seek) { b.Member = a.Member; return a, b }, noon, false},
		{"stopped", func(a, b Seek) (Seek, Seek) { return a.Stop(), b }, noon, false},
		{"lapsed", func(a, b Seek) (Seek, Seek) { b.Until = later(time.Minute); return a, b }, later(time.Minute), false},
		{"met today", func(a, b Seek) (Seek, Seek) {
			a.Met = a.Meets(b, later(time.Hour-Apart)).Met
			return a, b
		}, noon, false},
		{"met the day before", func(a, b Seek) (Seek, Seek) { a.Met = a.Meets(b, later(-Apart)).Met; return a, b }, noon, true},
		{"met as many as may be", func(a, b Seek) (Seek, Seek) { b.Met = make([]Meeting, MostMet); return a, b }, noon, false},
	} {
		a, b := c.with(wish(1, 1500, noon), wish(2, 1500, noon))
		if a.fits(b, c.at) != c.want || c.name != "met today" && b.fits(a, c.at) != c.want {
			t.Errorf("%s: %v and %v, want %v", c.name, a.fits(b, c.at), b.fits(a, c.at), c.want)
		}
	}
}

// The nearest comes first, and of those that are as near the one who has waited longest.
func TestFitting(t *testing.T) {
	ago := func(n int) time.Time { return noon.Add(-time.Duration(n) * time.Minute) }
	all := []Seek{wish(1, 1590, ago(6)), wish(2, 1510, ago(1)), wish(3, 1490, ago(2)), wish(4, 1700, ago(9))}
	var got []game.MemberID
	for _, s := range wish(5, 1500, noon).Fitting(all, noon) {
		got = append(got, s.Member)
	}
	testkit.Want(t, "who fits", fmt.Sprint(got), "[3 2 1]")
}

// A wish is looked after at each step, then now and then, and lapses sooner where both would sit at the board.
func TestWaits(t *testing.T) {
	s := wish(1, 1500, noon)
	s.Until = noon.Add(12 * time.Minute)
	var at []string
	for s.Due().Before(s.Until) {
		now := s.Due()
		at = append(at, now.Sub(noon).String())
		s = s.Waits(now)
	}
	testkit.Want(t, "looks", fmt.Sprint(at), "[0s 15s 45s 2m0s 5m0s]")
	testkit.Want(t, "over", fmt.Sprint(s.Due().Sub(noon), s.Tick(s.Due()).Empty()), "12m0s true")
	for clock, want := range map[game.Clock]time.Duration{
		{}: slowLife, game.PerMove(time.Minute): quickLife, {Bank: time.Hour, Gain: time.Second}: quickLife,
		game.PerMove(time.Hour): slowLife, {Each: 24 * time.Hour, Bank: time.Hour}: slowLife,
	} {
		terms := game.Terms{Rules: game.Reversi, Clock: clock, First: game.Black, Seed: 7, Note: "hello"}
		s := New(1, 2, venue.Place{}, terms, noon)
		if s.Until.Sub(noon) != want || s.Game.First != game.Empty || s.Game.Seed != 0 || s.Game.Note != "" {
			t.Errorf("%v: until %v, %+v", clock, s.Until, s.Game)
		}
	}
	met := wish(1, 1500, noon).Meets(wish(2, 1500, noon), noon.Add(time.Minute))
	testkit.Want(t, "a meeting is forgotten", met.Due(), noon.Add(time.Minute+Apart))
	if met.Tick(met.Due().Add(-time.Millisecond)).Empty() || !met.Tick(met.Due()).Empty() || !met.Without(2).Empty() {
		t.Error("a meeting is forgotten after a day, or with the member")
	}
	ahead := wish(1, 1500, noon).TakenBack(noon.Add(-time.Hour))
	if !ahead.Empty() || !met.TakenBack(noon.Add(-time.Hour)).Empty() || met.TakenBack(noon).Empty() {
		t.Error("what a clock that was ahead has left is taken back, and nothing else")
	}
}

// How long one waits is told by those who had to wait, for the same rules, of late.
func TestWait(t *testing.T) {
	met := func(minutes int, rules game.Rules, ago time.Duration) Seek {
		return Seek{Met: []Meeting{{With: 9, Rules: rules, At: noon.Add(-ago), Waited: time.Duration(minutes) * time.Minute}}}
	}
	all := []Seek{met(1, game.Gomoku15, 0), met(0, game.Gomoku15, 0), met(50, game.Renju, 0),
		met(60, game.Gomoku15, Apart), met(5, game.Gomoku15, time.Hour)}
	if wait, known := wish(1, 1500, noon).Wait(all, noon); known {
		t.Errorf("two have waited: %v", wait)
	}
	wait, known := wish(1, 1500, noon).Wait(append(all, met(30, game.Gomoku15, 0)), noon)
	testkit.Want(t, "the middle one", fmt.Sprint(wait, known), "5m0s true")
}

// The match is a challenge of the one who waited longer.
func TestMatch(t *testing.T) {
	a, b := wish(1, 1500, noon), wish(2, 1500, noon.Add(time.Minute))
	now := noon.Add(time.Hour)
	m := testkit.Got(Match(7, a, b, a.Game, now))
	if m.Phase != game.Playing || m.Owner != 1 || m.Seats != [2]game.Seat{game.SeatFor(1), game.SeatFor(2)} ||
		!m.Created.Equal(noon) || !m.Turned.Equal(now) || !m.Rated {
		t.Errorf("%+v", m)
	}
	if _, err := Match(7, a, a, a.Game, now); err == nil {
		t.Error("nobody plays themselves")
	}
}

// act is a moment at which a member asks, or is looked after.
type act struct {
	at     time.Time
	member game.MemberID
	asks   bool
}

type acts []act

func (a acts) Len() int           { return len(a) }
func (a acts) Less(i, j int) bool { return a[i].at.Before(a[j].at) }
func (a acts) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }
func (a *acts) Push(x any)        { *a = append(*a, x.(act)) }
func (a *acts) Pop() any {
	last := (*a)[len(*a)-1]
	*a = (*a)[:len(*a)-1]
	return last
}

// town is a server whose members ask now and then, each for their usual one of three games.
type town struct {
	t       *testing.T
	people  []person
	todo    acts
	waiting map[game.MemberID]bool
	last    map[[2]game.MemberID]time.Time // when two met

	asked, lapsed, most int // most waited at a time
	waits               []time.Duration
	apart               []float64
}

type person struct {
	terms  game.Terms
	rating float64
	isNew  bool
	seek   Seek
}

// newTown is a town whose members ask one to three times a day for so many days, by day more than at night.
func newTown(t *testing.T, members, days int) *town {
	w := &town{t: t, waiting: map[game.MemberID]bool{}, last: map[[2]game.MemberID]time.Time{}}
	rng := rand.New(rand.NewPCG(1, 2))
	games := []game.Rules{game.Gomoku15, game.Gomoku15, game.Gomoku15, game.Renju, game.Reversi, game.Reversi}
	for id := range game.MemberID(members) {
		p := person{game.Terms{Rules: games[rng.IntN(len(games))], Rated: true, Clock: game.PerMove(5 * time.Minute)},
			1500 + 300*rng.NormFloat64(), rng.IntN(3) == 0, Seek{Member: id}}
		if p.isNew {
			p.rating = 1500
		}
		w.people = append(w.people, p)
		for range days * (1 + rng.IntN(3)) {
			at := time.Duration(rng.Int64N(int64(days) * int64(24*time.Hour)))
			if night := at%(24*time.Hour) < 8*time.Hour; night && rng.IntN(4) > 0 {
				at += 8 * time.Hour
			}
			w.todo = append(w.todo, act{noon.Add(at), id, true})
		}
	}
	heap.Init(&w.todo)
	return w
}

// live has all members ask and wait until nobody does any more.
func (w *town) live() {
	for len(w.todo) > 0 {
		a := heap.Pop(&w.todo).(act)
		p := &w.people[a.member]
		if a.asks && !p.seek.Looks(a.at) {
			w.asked++
			next := New(a.member, uint64(w.asked), venue.Place{Server: 1, Channel: 2}, p.terms, a.at)
			next.Rating, next.New, next.Met = p.rating, p.isNew, p.seek.Met
			p.seek = next
		} else if p.seek.Until.IsZero() || p.seek.Due().After(a.at) {
			continue
		}
		w.look(p, a.at)
	}
	slices.Sort(w.waits)
	slices.Sort(w.apart)
}

// look looks for an opponent of a member.
func (w *town) look(p *person, now time.Time) {
	member := p.seek.Member
	if p.seek = p.seek.Tick(now); p.seek.Until.IsZero() {
		w.lapsed++
		delete(w.waiting, member)
		return
	}
	var others []Seek
	for id := range w.waiting {
		others = append(others, w.people[id].seek)
	}
	w.most = max(w.most, len(others))
	fit := p.seek.Fitting(others, now)
	if len(fit) == 0 {
		p.seek = p.seek.Waits(now)
		w.waiting[member] = true
		heap.Push(&w.todo, act{p.seek.Due(), member, false})
		return
	}
	other := fit[0].Member
	o := &w.people[other]
	two := [2]game.MemberID{min(member, other), max(member, other)}
	if at, met := w.last[two]; met && now.Sub(at) < Apart {
		w.t.Fatalf("%v meet again after %v", two, now.Sub(at))
	}
	w.last[two] = now
	w.waits = append(w.waits, now.Sub(p.seek.Since), now.Sub(o.seek.Since))
	w.apart = append(w.apart, math.Abs(p.rating-o.rating))
	p.seek, o.seek = p.seek.Meets(o.seek, now), o.seek.Meets(p.seek, now)
	delete(w.waiting, member)
	delete(w.waiting, other)
}

// at is a percentile.
func at[T any](sorted []T, percent int) T { return sorted[min(len(sorted)*percent/100, len(sorted)-1)] }

// Ten thousand members of one server, and three hundred of another, ask for three days. No two meet twice within a
// day. Who waits, and how far apart those are who meet, is told by the log.
func TestTenThousandMembers(t *testing.T) {
	for _, c := range []struct {
		members       int
		waited, worst time.Duration // by 90 and 99 of a hundred, at most
		apart         float64       // half of the pairs, at most
		lapsed        int           // percent of the wishes, at most
	}{
		{10_000, 2 * time.Minute, 10 * time.Minute, 100, 1},
		{300, 25 * time.Minute, quickLife, 200, 30},
	} {
		w := newTown(t, c.members, 3)
		w.live()
		for _, p := range []int{50, 90, 99} {
			t.Logf("%d members, %d%%: waited %v, %.0f points apart", c.members, p, at(w.waits, p).Round(time.Second),
				at(w.apart, p))
		}
		t.Logf("%d asked, %d found an opponent, %d wishes lapsed, at most %d waited at a time", w.asked, len(w.waits),
			w.lapsed, w.most)
		if at(w.waits, 90) > c.waited || at(w.waits, 99) > c.worst || at(w.apart, 50) > c.apart ||
			100*w.lapsed > c.lapsed*w.asked {
			t.Errorf("%d members: want %+v", c.members, c)
		}
	}
}
