package events

import (
	"context"
	"errors"
	"hash/fnv"
	"maps"
	"strconv"
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

const (
	editEvery  = 5 * time.Second  // an event's message is edited at most so often
	freshAfter = 50 * time.Minute // Discord limits edits of messages older than an hour
	giveUp     = 8                // tries in a row to show an event whose place refuses
)

// mayShow reports whether the message of an event may be sent now, and notes that it is. Tries that
// fail are made less and less often. sure says that no try before, of this process or of one that died,
// can have posted a message that is not known.
func (v *Events) mayShow(e storage.Event, now time.Time) (may, sure bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	s := v.shown[e.ID]
	if now.Sub(s.at) < editEvery<<min(s.tries, giveUp) && !v.Sabotage.EditNow {
		return false, false
	}
	sure = s.tries == 0 && !s.at.IsZero()
	v.shown[e.ID] = shown{now, s.tries + 1, e.Ended}
	return true, sure
}

// worked notes that the message of an event was shown. The call may have waited: the next one keeps its
// distance from now.
func (v *Events) worked(e storage.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	now := v.Now()
	maps.DeleteFunc(v.shown, func(_ storage.EventID, s shown) bool { return s.over && now.Sub(s.at) >= editEvery })
	v.shown[e.ID] = shown{at: now, over: e.Ended}
}

// show brings the message of an event up to date: by an edit while the message is young, else by a
// new message, without a mention.
func (v *Events) show(ctx context.Context, e storage.Event, now time.Time) error {
	may, sure := v.mayShow(e, now)
	if !may {
		return nil
	}
	whole := v.hangs(ctx, e, now) // asked first: a board that comes meanwhile is shown again
	msg, err := v.live(ctx, e)
	if err != nil {
		return err
	}
	if !v.pass(1) {
		return v.Tasks.Life.Err()
	}
	message, err := v.send(ctx, e, msg, now, sure)
	switch trouble := chat.TroubleOf(err); {
	case err != nil && trouble.Temporary():
		return err
	case err != nil: // the place is gone or closed: the next change tries again
		v.Log.Info("event: its message", "event", view.Name(game.MatchID(e.ID)), "err", err)
		message = e.Message
	}
	v.worked(e)
	version := e.Version
	if !whole {
		version = 0 // of none: it is shown again
	}
	_, err = v.Store.ShownEvent(ctx, e.ID, version, message, v.Now())
	return err
}

// send edits the message of an event, or posts it. The old message goes before the new one comes, so
// that a crash in between leaves nothing behind.
func (v *Events) send(ctx context.Context, e storage.Event, msg chat.Message, now time.Time, sure bool) (uint64, error) {
	to := chat.To{Server: e.Place.Server, Channel: e.Place.Channel, Message: e.Message}
	if e.Message != 0 && now.Sub(storage.TimeOf(e.Message)) < freshAfter {
		message, err := v.edit(ctx, to, msg)
		if t := chat.TroubleOf(err); err == nil || t != chat.Gone && t != chat.TooOld {
			return message, err
		}
	}
	if e.Message != 0 {
		if err := v.Chat.Delete(ctx, to); err != nil && chat.TroubleOf(err).Temporary() {
			return 0, err
		}
		v.pass(1)
	}
	return v.post(ctx, e, to, msg, sure)
}

// post posts the message of an event, once. That it is being posted is noted before: where a former
// try may have done it, the nonce finds the message for some minutes, and later its mark does.
func (v *Events) post(ctx context.Context, e storage.Event, to chat.To, msg chat.Message, sure bool) (uint64, error) {
	tried := !e.Posting.IsZero()
	e, err := v.Store.PostingEvent(ctx, e.ID, v.Now())
	if err != nil {
		return 0, err
	}
	msg.Mark = mark32(e)
	to.Message, to.Nonce = 0, nonce(e)
	if tried {
		found, err := v.Chat.Find(ctx, e.Place.Channel, msg.Mark, e.Posting)
		if err != nil && chat.TroubleOf(err).Temporary() {
			return 0, err
		}
		if to.Message = found; found != 0 {
			to.Nonce = ""
		}
	}
	message, err := v.edit(ctx, to, msg)
	if err != nil || sure || to.Message != 0 {
		return message, err
	}
	// Where a former process posted it, the nonce has found the message as it was then.
	to.Message, to.Nonce = message, ""
	return v.edit(ctx, to, msg)
}

// mark32 is the number by which a message that was being posted can be found.
func mark32(e storage.Event) uint32 {
	h := fnv.New32a()
	h.Write([]byte(nonce(e) + "." + strconv.FormatInt(e.Posting.UnixMilli(), 36)))
	return h.Sum32()>>1 | 1
}

// edit sends the message; as text where the bot may not attach files.
func (v *Events) edit(ctx context.Context, to chat.To, msg chat.Message) (uint64, error) {
	message, err := v.Chat.Send(ctx, to, msg)
	var e *chat.Error
	if plain, ok := msg.Plain(); ok && errors.As(err, &e) && e.Trouble == chat.Locked && !e.Archived {
		return v.Chat.Send(ctx, to, plain)
	}
	return message, err
}

// nonce names the message that follows the one that an event has now: Discord posts one for it.
func nonce(e storage.Event) string {
	h := fnv.New64a()
	h.Write([]byte(strconv.FormatUint(uint64(e.ID), 36) + "." + strconv.FormatUint(e.Message, 36)))
	return "e" + strconv.FormatUint(h.Sum64(), 36)
}
