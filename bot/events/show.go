package events

import (
	"context"
	"time"

	"tengen/bot/chat"
	"tengen/bot/outbox"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

// editEvery is how often an event's message is edited at most.
const editEvery = 5 * time.Second

// show brings the message of an event up to date.
func (v *Events) show(ctx context.Context, e storage.Event) error {
	whole := v.hangs(ctx, e, v.Now()) // asked first: a board that comes meanwhile is shown again
	msg, err := v.live(ctx, e)
	if err != nil {
		return err
	}
	msg.Mark = mark32(e.ID)
	if !v.pass(1 + bit(e.Retired != 0)) {
		return v.Tasks.Life.Err()
	}
	shown := e.Notice
	err = outbox.Bring(ctx, v.Base, e.Place, e.Notice, e.Version, msg, func(n storage.Notice) error {
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
	if err == nil || chat.Temporary(err) {
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
