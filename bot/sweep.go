package bot

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
	"tengen/storage/kv"
)

// sweepEvery is how often the bot checks clocks and forgotten games.
const sweepEvery = time.Second

// keepEvery is how often the store is tidied, and notes that the bot is running.
const keepEvery = time.Minute

// resume does what a former process left undone.
func (b *Bot) resume(ctx context.Context) error {
	now := b.now()
	down, err := b.store.Down(ctx, now)
	if err != nil {
		return err
	}
	if down > 0 {
		if err := b.clocks.Postpone(ctx, down, now.Add(b.opt.ClockAfterRestart)); err != nil {
			return err
		}
	}
	owed, err := b.store.Owed(ctx)
	if err != nil {
		return err
	}
	for _, w := range owed {
		rec, err := b.store.Match(ctx, w.Match)
		if err != nil {
			b.log.Error("owed turn", "match", view.Name(w.Match), "err", err)
			continue
		}
		b.desk.Owed(rec, now)
	}
	late, err := b.store.Late(ctx)
	if err != nil {
		return err
	}
	// Before they are up to date, a press on a board that a crash made the store forget looks like
	// a press on an old board. But members must not wait for ever.
	patience := time.NewTimer(catchUpTime)
	defer patience.Stop()
	select {
	case <-b.screens.CatchUp(late):
	case <-patience.C:
	case <-ctx.Done():
	}
	b.log.Info("resumed", "down", down.Round(time.Second), "owed", len(owed), "late", len(late))
	return nil
}

// catchUpTime is how long the start waits for boards that are behind.
const catchUpTime = 3 * time.Second

// sweep does what is due, until the bot ends.
func (b *Bot) sweep() {
	b.tasks.Go(b.clocks.Beat)
	var kept, owed time.Time
	for {
		now := b.now() // read before Settle, so that no clock runs out by a stop after it
		if err := b.clocks.Settle(b.tasks.Life); err != nil {
			b.troubled("giving time back", err)
		}
		if err := b.bringDue(b.tasks.Life, now); err != nil {
			b.troubled("sweep", err)
		}
		b.met.Queue(b.desk.Size())
		if now.Sub(kept) >= keepEvery {
			kept = now
			b.screens.RetryLate(now)
			b.askAgain(now)
			if tidy, ok := b.share.Under(b.tasks.Life, 0); ok {
				if err := b.store.Sweep(tidy, now); err != nil && !errors.Is(err, kv.ErrFenced) {
					b.troubled("tidy", err)
				}
			}
		}
		if !b.alone() && now.Sub(owed) >= owedEvery {
			owed = now
			b.takeUp(false)
		}
		if !b.tasks.Sleep(sweepEvery) {
			return
		}
	}
}

// bringDue sends reminders, and ends games whose clock ran out, expired challenges and
// forgotten games.
func (b *Bot) bringDue(ctx context.Context, now time.Time) error {
	due, err := b.store.Due(ctx, now, 500)
	if err != nil {
		return err
	}
	failed := 0
	for _, id := range due {
		e := b.bringOne(ctx, id, now)
		if e == nil {
			continue
		}
		// A match that cannot be read must not stop the clocks of the others.
		if failed++; err == nil {
			err = fmt.Errorf("match %s: %w", view.Name(id), e)
		}
		if failed == fewFail || ctx.Err() != nil {
			break
		}
	}
	return err
}

// fewFail is how many matches may fail before the store must be at fault.
const fewFail = 10

// bringOne does what is due in a match.
func (b *Bot) bringOne(ctx context.Context, id game.MatchID, now time.Time) error {
	if !b.clocks.Settled(id) {
		return nil
	}
	owner, rec, err := b.asDue(ctx, id)
	if err != nil || rec.ID == 0 {
		return err
	}
	var event game.Event
	_, err = b.update(owner, id, storage.Cause{At: now}, func(m game.Match) (game.Match, error) {
		next, e, err := m.Tick(now)
		if e == game.TimeoutEvent && b.clocks.Forbears(m, now) {
			return m, &game.Refusal{Code: game.NoOffer}
		}
		event = e
		return next, err
	})
	var r *game.Refusal
	switch {
	case errors.As(err, &r), errors.Is(err, storage.ErrNotFound), errors.Is(err, kv.ErrFenced):
		return nil
	case err != nil:
		return err
	}
	b.screens.Refresh(id, event == game.RemindEvent)
	return nil
}

// ChannelGone implements chat.Handler: the games of the channel rest until /board moves them
// to another.
func (b *Bot) ChannelGone(ctx context.Context, p chat.Place) {
	recs, err := b.store.InChannel(ctx, p)
	if err != nil {
		b.log.Error("channel gone", "channel", p.Channel, "err", err)
	}
	for _, rec := range recs {
		b.tasks.Go(func() { b.screens.Lose(b.tasks.Life, rec, errors.New("channel deleted")) })
	}
}
