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

// Several processes may serve one store. Any of them answers any member: what counts is
// the store's transaction. What nobody asked for is done by one of them: channels fall into
// slots, and who holds a slot thinks for the engine there, brings what time brings, and
// sends the boards that no answer shows. All that an owner writes carries the fence of its
// slot, so that one who was paused and wakes up late changes nothing.
// Owners hear of screens as they are written, and look for what is owed now and then. Who
// sends a board that a member's act changed is bot/screen's.

const (
	ownSlots  = 64
	ownGroup  = "channels"
	owedEvery = 2 * time.Second // how often owners look for what they did not hear of
)

// owns reports whether this process does what nobody asks for in a place.
func (b *Bot) owns(p chat.Place) bool { return b.share.Holds(lease.SlotOf(p.Channel, ownSlots)) }

// under is a context whose changes are made only while this process owns the place.
func (b *Bot) under(ctx context.Context, p chat.Place) (context.Context, bool) {
	return b.share.Under(ctx, lease.SlotOf(p.Channel, ownSlots))
}

// alone reports that no other process can be there.
func (b *Bot) alone() bool { return !b.share.Shared() }

// join begins to share the work with the other processes.
func (b *Bot) join(ctx context.Context) error {
	share, err := b.leases.Join(ctx, lease.Group{Name: ownGroup, Slots: ownSlots, Gained: b.gained, Lost: b.lost})
	if err != nil {
		return err
	}
	b.share = share
	close(b.joined)
	return nil
}

// gained takes up what is owed in slots that are ours now.
func (b *Bot) gained(s lease.Share, slots []int) {
	if !s.Shared() {
		return // Start takes up everything
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

// lost ends the searches in places that are no longer ours.
func (b *Bot) lost(_ lease.Share, slots []int) {
	b.log.Info("slots", "lost", len(slots))
	b.desk.Leave(func(p chat.Place) bool { return slices.Contains(slots, lease.SlotOf(p.Channel, ownSlots)) })
}

// afterSilence gives clocks the time back for which no process was there.
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

// takeUp looks for turns that the engine owes in our places, and with late for boards
// that are behind.
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

func (b *Bot) troubled(what string, err error) {
	if b.tasks.Life.Err() == nil {
		b.met.Error("sweep")
		b.log.Error(what, "err", err)
	}
}

// listen hears of screens that other processes write, until the bot ends. What was written
// while nobody listened is looked for once it listens again, and not before.
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

// asOwner reads a match and gives the context of its place's owner. The match has no id
// where there is nothing to do: it is gone, or its board is another process's to send.
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

// asDue is asOwner; a bot that is alone need not look who owns a match.
func (b *Bot) asDue(ctx context.Context, id game.MatchID) (context.Context, storage.Record, error) {
	if b.alone() {
		return ctx, storage.Record{Match: game.Match{ID: id}}, nil
	}
	return b.asOwner(ctx, id)
}
