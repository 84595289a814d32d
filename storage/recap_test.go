package storage

import (
	"testing"
	"time"

	"tengen/game"
	"tengen/internal/testkit"
)

// A recap is due once a week, to one who takes it in hand; weeks in which nobody did are not made up.
func TestRecap(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	change := func(f func(Recap) Recap) Recap {
		t.Helper()
		return first(b.UpdateRecap(ctx, ann, f))
	}
	due := func() int { return len(first(b.DueRecaps(ctx, b.now, 10, nil))) }
	want := func(r Recap) Recap { return r.Wanted(true, b.now) }
	change(want)
	begun := b.now
	b.later(time.Hour)
	change(want)
	b.want("when it is wanted once more", first(b.Recap(ctx, ann)).Next, begun.Add(RecapEvery))
	b.want("due", due(), 0)
	b.later(3*RecapEvery + time.Hour)
	b.want("due", due(), 1)
	b.want("of nobody's", len(first(b.DueRecaps(ctx, b.now, 10, func(game.MemberID) bool { return false }))), 0)
	b.want("in its agenda", first(b.Next(ctx, RecapAgenda)), begun.Add(RecapEvery))
	take := func(r Recap) Recap { return r.After(b.now) }
	b.want("taken in hand", change(take).Next, begun.Add(RecapEvery))
	b.want("taken by another", change(take).Next.After(b.now), true)
	b.want("the next", first(b.Recap(ctx, ann)).Next, begun.Add(4*RecapEvery))
	b.sound()
	testkit.Must(t, b.TakeBack(ctx, begun.Add(-RecapEvery)))
	b.want("after a clock that was ahead", first(b.Recap(ctx, ann)).Next, begun)
	b.want("in the file", len(first(b.Everything(ctx, ann)).Others["recaps"]), 1)
	testkit.Must(t, b.Forget(ctx, ann, b.now))
	b.want("after the deletion", first(b.Recap(ctx, ann)).Next, time.Time{})
	b.sound()
}
