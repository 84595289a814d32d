package storage

import (
	"context"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/event"
	"tengen/storage/kv"
)

// agendaWork makes something due in each agenda, and says when.
var agendaWork = map[Agenda]func(b *bench) time.Time{
	MatchAgenda: func(b *bench) time.Time {
		_, due := b.offer(game.Gomoku9, ann, bob).Due()
		return due
	},
	EventAgenda: func(b *bench) time.Time {
		starts := b.now.Add(time.Hour)
		e := b.meet(2, func(e *Event) { e.Kind, e.Starts = event.KindKnockout, starts })
		// else its message is due at once
		first(b.NoticeEvent(b.t.Context(), e.ID, Notice{Message: 7, Shown: e.Version}, b.now))
		return starts
	},
	LadderAgenda: func(b *bench) time.Time {
		first(b.UpdateLadder(b.t.Context(), here.Server, game.Gomoku15, b.now, func(l Ladder) (Ladder, error) {
			l.Channel = here.Channel
			return l, nil
		}))
		return millis(0)
	},
	Togethers.Agenda(): func(b *bench) time.Time {
		first(Togethers.Begin(b.t.Context(), b.Store, b.now, newTogether(b)))
		return b.now
	},
	Simuls.Agenda(): func(b *bench) time.Time {
		return first(Simuls.Begin(b.t.Context(), b.Store, b.now, newSimul(b))).due()
	},
	DailyAgenda: func(b *bench) time.Time {
		at := b.now.Add(time.Hour)
		first(b.UpdateDaily(b.t.Context(), here.Server, func(d Daily) (Daily, error) {
			d.Channel, d.Next = here.Channel, at
			return d, nil
		}))
		return at
	},
}

// Next follows what is written to each agenda. The store is read only then.
func TestNext(t *testing.T) {
	for a, work := range agendaWork {
		b := newBench(t)
		reads := &counting{Engine: b.kv.Engine}
		b.kv.Engine = reads
		next := func() time.Time { return first(b.Next(t.Context(), a)) }
		if at := next(); !at.IsZero() {
			t.Errorf("agenda %s of an empty store: %v", a, at)
		}
		want := work(b)
		before := reads.n
		if got := next(); !got.Equal(want) {
			t.Errorf("agenda %s: %v, want %v", a, got, want)
		}
		next()
		if n := reads.n - before; n > 1 {
			t.Errorf("agenda %s was read %d times", a, n)
		}
	}
}

// counting counts reads.
type counting struct {
	kv.Engine
	n int
}

func (c *counting) View(ctx context.Context, f func(kv.Reader) error) error {
	c.n++
	return c.Engine.View(ctx, f)
}

// during is an engine that writes right after a read, before the reader hears of it.
type during struct {
	kv.Engine
	write func()
}

func (d *during) View(ctx context.Context, f func(kv.Reader) error) error {
	err := d.Engine.View(ctx, f)
	if write := d.write; write != nil {
		d.write = nil
		write()
	}
	return err
}

// What is written while Next reads is not missed: what was read before counts for nothing.
func TestNextWhileWritten(t *testing.T) {
	b := newBench(t, Options{})
	b.kv.Engine = &during{b.kv.Engine, func() { first(Togethers.Begin(t.Context(), b.Store, b.now, newTogether(b))) }}
	if at := first(b.Next(t.Context(), Togethers.Agenda())); !at.IsZero() {
		t.Fatalf("what was read before the write: %v", at)
	}
	if at := first(b.Next(t.Context(), Togethers.Agenda())); !at.Equal(b.now) {
		t.Errorf("after the write: %v, want %v", at, b.now)
	}
}
