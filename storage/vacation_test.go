package storage

import (
	"errors"
	"testing"
	"time"

	"tengen/game"
	"tengen/internal/testkit"
)

// A vacation has the games of days stand still, those that run and those that begin meanwhile, and the days that have
// not begun come back.
func TestSetVacation(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	timed := func(each time.Duration) Record {
		return b.do(b.begin(game.Renju, bob, ann), func(m game.Match) (game.Match, error) {
			m.Clock.Each, m.Version = each, m.Version+1
			return m.Play(bob, point(t, "H8"), b.now)
		})
	}
	slow, fast, idle := timed(3*24*time.Hour), timed(time.Hour), b.begin(game.Gomoku15, ann, cat)
	offered := b.offer(game.Gomoku15, bob, ann)
	other := b.begin(game.Gomoku15, bob, cat)
	set := func(f func(game.Vacations) (game.Vacations, error)) []Record {
		t.Helper()
		changed, err := b.SetVacation(ctx, ann, b.now, f)
		testkit.Must(t, err)
		return changed
	}
	b.later(time.Minute)
	began, until := b.now, b.now.Add(5*24*time.Hour)
	begin := func(vs game.Vacations) (game.Vacations, error) { return vs.Begin(5, b.now) }
	b.want("changed", len(set(begin)), 2)
	b.want("changed, once more", len(set(begin)), 0)
	b.want("the deadline", b.match(slow.ID).Deadline.Sub(slow.Deadline), 5*24*time.Hour)
	b.want("a game without a clock", b.match(idle.ID).Vacation[0], until)
	b.same(fast)
	b.same(offered)
	b.same(other)
	begun := b.do(offered, func(m game.Match) (game.Match, error) { return m.Accept(ann, b.now) })
	b.want("one that has begun since", begun.Vacation[1], until)

	long := func(vs game.Vacations) (game.Vacations, error) { return vs.Begin(20, b.now) }
	_, err := b.SetVacation(ctx, ann, b.now, long)
	b.want("too long", errors.Is(err, game.NoVacation), true)
	first(b.SetMember(ctx, ann, func(Member) (Member, error) { return Member{Look: Look{Theme: "ink"}}, nil }))
	b.want("after other settings", first(b.Member(ctx, ann)).Vacations.Until(b.now), until)
	b.want("in the file", len(first(b.Everything(ctx, ann)).Settings.Vacations), 1)

	b.later(30 * time.Hour)
	end := func(vs game.Vacations) (game.Vacations, error) { return vs.End(b.now), nil }
	b.want("changed by the end", len(set(end)), 3)
	b.want("days left", first(b.Member(ctx, ann)).Vacations.Left(b.now), 12)
	b.want("the deadline after the end", b.match(slow.ID).Deadline.Sub(slow.Deadline), b.now.Sub(began))
	b.want("no more", b.match(begun.ID).Vacation, [2]time.Time{})
	b.sound()
	set(begin)
	testkit.Must(t, b.Forget(ctx, ann, b.now))
	b.want("after the deletion", len(first(b.Member(ctx, ann)).Vacations), 0)
	b.sound()
}

// The deadlines of a tournament wait for nobody.
func TestVacationInEvent(t *testing.T) {
	m := testkit.Got(game.NewMatch(1, game.Terms{Rules: game.Renju, First: game.Black}, ann, game.SeatFor(ann),
		game.SeatFor(bob), testkit.At("2026-03-01 12:00"), time.Time{}))
	m = testkit.Got(m.Accept(bob, m.Created))
	away := Member{ID: ann, Vacations: testkit.Got(game.Vacations{}.Begin(3, m.Created))}
	r := Record{Match: m, Link: Link{Event: 9}}
	testkit.Want(t, "in a tournament", r.onVacation(away, m.Created).Vacation, [2]time.Time{})
	r.Link = Link{Ladder: true}
	testkit.Want(t, "on a ladder", r.onVacation(away, m.Created).Vacation[0], m.Created.AddDate(0, 0, 3))
}
