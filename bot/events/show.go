package events

import (
	"context"
	"errors"
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
	"tengen/storage/kv"
)

const (
	editEvery = 5 * time.Second // an event's message is edited at most so often
	giveUp    = 8               // tries in a row, each after twice the time, until they come no less often
)

// failures are tries in a row that failed, and when the last one did.
type failures struct {
	at    time.Time
	tries int
}

// duty is what is kept up to date for an event: its message, or its listing.
type duty struct {
	event   storage.EventID
	listing bool
}

// mayTry reports whether what failed, or never did, may be tried.
func (v *Events) mayTry(id duty, now time.Time) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	f, failed := v.failed[id]
	return !failed || now.Sub(f.at).Abs() >= editEvery<<min(f.tries, giveUp)
}

// tried notes how a try went.
func (v *Events) tried(id duty, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err == nil || errors.Is(err, kv.ErrFenced) || errors.Is(err, storage.ErrNotFound) { // or it is not ours any more
		delete(v.failed, id)
		return
	}
	v.failed[id] = failures{v.Now(), v.failed[id].tries + 1}
}

// show brings the message of an event up to date.
func (v *Events) show(ctx context.Context, e storage.Event, now time.Time) error {
	if now.Sub(e.At).Abs() < editEvery && !v.Sabotage.EditNow {
		return nil
	}
	whole := v.hangs(ctx, e, now) // asked first: a board that comes meanwhile is shown again
	msg, err := v.live(ctx, e)
	if err != nil {
		return err
	}
	msg.Mark = mark32(e.ID)
	if !v.pass(1) {
		return v.Tasks.Life.Err()
	}
	shown := e.Notice
	err = v.Notice.Bring(ctx, e.Place, e.Notice, e.Version, msg, func(n storage.Notice) error {
		if shown = n; n.Shown == e.Version && !whole {
			shown.Shown = 0 // none: it is shown again
		}
		if _, err := v.Store.NoticeEvent(ctx, e.ID, shown, v.Now()); err != nil {
			return err
		}
		if more := !n.Posting.IsZero() || n.Retired != 0; more && !v.pass(1) {
			return v.Tasks.Life.Err()
		}
		return nil
	})
	if err == nil || chat.TroubleOf(err).Temporary() {
		return err
	}
	// The place is gone or closed: the next change tries again.
	v.Log.Info("event: its message", "event", view.Name(game.MatchID(e.ID)), "err", err)
	shown.Shown, shown.Posting = e.Version, time.Time{}
	_, err = v.Store.NoticeEvent(ctx, e.ID, shown, v.Now())
	return err
}

// mark32 tells the message of an event apart from those of other things in its channel.
func mark32(id storage.EventID) uint32 { return uint32(id) ^ uint32(id>>32) }
