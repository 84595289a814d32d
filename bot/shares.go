package bot

import (
	"context"
	"errors"
	"slices"
	"time"

	"tengen/bot/chat"
	"tengen/bot/clock"
	"tengen/game"
	"tengen/storage"
	"tengen/storage/kv"
	"tengen/storage/lease"
)

// Several processes may share one store. Any of them may answer any member, since the store's
// transaction decides. Some work nobody asks for: the engine's turns, deadlines and reminders, and
// boards that no answer shows. Each channel belongs to one of shareSlots slots, and the process that
// holds the slot does this unasked work: it owns the channel. The store checks the fence of the
// slot on everything that an owner writes, so that a process which was paused and wakes up late
// changes nothing. Owners hear of screens as they are written, and also search for owed work now
// and then. Package screen decides which process sends a board that a member's act changed.

const (
	shareSlots = 64
	shareGroup = "channels"
	owedEvery  = 2 * time.Second // how often an owner searches for work that it did not hear of
)

// owns reports whether this process does the unasked work in a place.
func (b *Bot) owns(p chat.Place) bool { return b.share.Holds(lease.SlotOf(p.Channel, shareSlots)) }

// under gives a context under which the store takes changes only while this process owns the
// place. It is false where another process owns it.
func (b *Bot) under(ctx context.Context, p chat.Place) (context.Context, bool) {
	return b.share.Under(ctx, lease.SlotOf(p.Channel, shareSlots))
}

// alone reports that no other process can share the store.
func (b *Bot) alone() bool { return !b.share.Shared() }

// join begins to share the work with the other processes.
func (b *Bot) join(ctx context.Context) error {
	share, err := b.leases.Join(ctx, lease.Group{Name: shareGroup, Slots: shareSlots, Gained: b.gained, Lost: b.lost})
	if err != nil {
		return err
	}
	b.share = share
	close(b.joined)
	return nil
}

// gained does what is owed in slots that this process now holds.
func (b *Bot) gained(s lease.Share, slots []int) {
	if !s.Shared() {
		return // Start does all of it
	}
	b.log.Info("slots", "gained", len(slots))
	b.pulse.Rest(clock.Takeover)
	b.tasks.Go(func() {
		<-b.joined
		if slices.Contains(slots, 0) {
			b.afterSilence()
		}
		b.takeUp(true)
	})
}

// lost ends the searches in places that this process owns no more.
func (b *Bot) lost(_ lease.Share, slots []int) {
	b.log.Info("slots", "lost", len(slots))
	b.desk.GiveUp(func(p chat.Place) bool { return slices.Contains(slots, lease.SlotOf(p.Channel, shareSlots)) })
}

// afterSilence gives clocks the time back in which no process ran.
func (b *Bot) afterSilence() {
	now := b.now()
	ctx, ok := b.share.Under(b.tasks.Life, 0)
	down, err := b.store.Down(ctx, now)
	if err == nil && ok && down > clock.AloneFor {
		err = b.clocks.Postpone(ctx, down, now.Add(b.opt.ClockAfterRestart))
	}
	if err != nil && b.tasks.Life.Err() == nil {
		b.log.Error("after silence", "err", err)
	}
}

// takeUp searches for turns that the engine owes in this process's places and, with late, for
// boards that are behind.
func (b *Bot) takeUp(late bool) {
	owed, err := b.store.Owed(b.tasks.Life)
	if err != nil {
		b.troubled("owed turns", err)
		return
	}
	for _, w := range owed {
		if b.desk.Knows(w.Match) {
			continue
		}
		if rec, err := b.store.Match(b.tasks.Life, w.Match); err == nil && b.owns(rec.Place) {
			b.desk.Changed(rec)
		}
	}
	if late {
		b.screens.RetryLate(b.now())
	}
}

// troubled logs an error of work that nobody asked for.
func (b *Bot) troubled(what string, err error) {
	if b.tasks.Life.Err() == nil {
		b.met.Error("sweep")
		b.log.Error(what, "err", err)
	}
}

// listen hears of screens that other processes write, until the bot ends. Each time that it begins to
// listen, it searches for what was written before.
func (b *Bot) listen() {
	for {
		b.tasks.Go(func() {
			if b.tasks.Sleep(time.Second) {
				b.takeUp(true)
			}
		})
		err := b.store.Watch(b.tasks.Life, b.screens.Heard)
		if b.tasks.Life.Err() != nil || errors.Is(err, kv.ErrNoWatch) {
			return
		}
		b.log.Info("listening again", "err", err)
		if !b.tasks.Sleep(time.Second) {
			return
		}
	}
}

// asOwner reads a match and gives a context for the unasked work on it. The match has no id
// where there is nothing to do, because it is gone or another process owns it.
func (b *Bot) asOwner(ctx context.Context, id game.MatchID) (context.Context, storage.Record, error) {
	rec, err := b.store.Match(ctx, id)
	if errors.Is(err, storage.ErrNotFound) {
		return ctx, storage.Record{}, nil
	}
	if err != nil {
		return ctx, rec, err
	}
	owner, ok := b.under(ctx, rec.Place)
	if !ok {
		return ctx, storage.Record{}, nil
	}
	return owner, rec, nil
}

// asDue is asOwner, without reading the match where this process is alone.
func (b *Bot) asDue(ctx context.Context, id game.MatchID) (context.Context, storage.Record, error) {
	if b.alone() {
		return ctx, storage.Record{Match: game.Match{ID: id}}, nil
	}
	return b.asOwner(ctx, id)
}
