// Package notice keeps a message up to date that shows no match, such as the standings of a ladder:
// it edits the message while that is young, and else sends a new one and deletes the old. It knows
// nothing of what the message says. Start from Bring.
package notice

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"
	"time"

	"tengen/bot/chat"
	"tengen/bot/room"
	"tengen/game/venue"
	"tengen/storage"
)

// freshAfter is the age at which a new message takes the place of the old one: Discord limits edits
// of messages older than an hour.
const freshAfter = 50 * time.Minute

// nonceLife is how long Discord surely takes a second message of the same nonce for the first one.
const nonceLife = 2 * time.Minute

// updater keeps messages up to date.
type updater struct{ room.Base }

// mark is the number by which a new message is found again: among those of a channel, and by its
// nonce. kind tells the messages of several things in one channel apart.
func mark(kind uint32, n storage.Notice) uint32 {
	h := fnv.New32a()
	fmt.Fprint(h, kind, n.Message, n.Posting.UnixMilli())
	return h.Sum32()&(1<<31-1) | 1
}

// Bring brings the message of n in a place up to date, which only the owner of the place may do: msg is what the
// message says as of version. It also deletes the message that a new one has replaced. The mark of msg tells it apart
// from those of other things in the channel. set stores where the message stands, before the next call to Discord.
// Where a process dies between two steps the message stays behind, and the next Bring goes on: no second message comes
// of it. The error is Discord's, or that of set.
func Bring(ctx context.Context, b room.Base, in venue.Place, n storage.Notice, version uint32, msg chat.Message,
	set func(storage.Notice) error) error {
	u := updater{b}
	to := chat.To{Channel: in.Channel, Server: in.Server}
	n, err := u.tidy(ctx, to, n, set) // else a new message would take its place in n, and it would stay
	if err != nil {
		return err
	}
	if n.Shown != version || !n.Posting.IsZero() {
		edited, err := u.edit(ctx, to, n, msg)
		if err != nil {
			return err
		}
		if edited {
			n.Shown, n.At = version, u.Now()
		} else if n, err = u.post(ctx, to, n, msg, set); err != nil {
			return err
		}
		if err := set(n); err != nil {
			return err
		}
	}
	_, err = u.tidy(ctx, to, n, set)
	return err
}

// tidy deletes the message that a newer one has replaced.
func (u updater) tidy(ctx context.Context, to chat.To, n storage.Notice,
	set func(storage.Notice) error) (storage.Notice, error) {
	if n.Retired == 0 {
		return n, nil
	}
	to.Message = n.Retired
	if err := u.Chat.Delete(ctx, to); err != nil && chat.TroubleOf(err).Temporary() {
		return n, err
	}
	n.Retired = 0
	return n, set(n)
}

// edit edits the message, unless a new one is to take its place.
func (u updater) edit(ctx context.Context, to chat.To, n storage.Notice, msg chat.Message) (edited bool, err error) {
	msg.Mark = 0
	if n.Message == 0 || !n.Posting.IsZero() || u.Now().Sub(n.Sent) >= freshAfter {
		return false, nil
	}
	to.Message = n.Message
	_, err = u.send(ctx, to, msg)
	if t := chat.TroubleOf(err); err != nil && (t == chat.Gone || t == chat.TooOld) {
		return false, nil
	}
	return err == nil, err
}

// post sends a new message. It counts as showing no version yet: where a process died after it had
// sent the same message, the one that is there may be older than msg.
func (u updater) post(ctx context.Context, to chat.To, n storage.Notice, msg chat.Message,
	set func(storage.Notice) error) (storage.Notice, error) {
	now := u.Now()
	begun := n.Posting
	if begun.IsZero() {
		n.Posting = now.Truncate(time.Millisecond)
	}
	msg.Mark = mark(msg.Mark, n)
	var id uint64
	var err error
	switch {
	case begun.IsZero():
		if err := set(n); err != nil {
			return n, err
		}
	case now.Sub(n.Posting) > nonceLife:
		id, err = u.Chat.Find(ctx, to.Channel, msg.Mark, n.Posting)
		var trouble *chat.Error
		if errors.As(err, &trouble) && trouble.Trouble.Temporary() {
			return n, err
		}
	}
	if id == 0 || err != nil {
		to.Nonce = strconv.FormatUint(uint64(msg.Mark), 36) + "-" + strconv.FormatInt(n.Posting.UnixMilli(), 36)
		if id, err = u.send(ctx, to, msg); err != nil {
			return n, err
		}
	}
	if n.Message != id {
		n.Retired = n.Message
	}
	n.Message, n.Shown, n.Sent, n.At, n.Posting = id, 0, now, now, time.Time{}
	return n, nil
}

// send sends or edits the message; as text where the bot may not attach files.
func (u updater) send(ctx context.Context, to chat.To, msg chat.Message) (uint64, error) {
	id, err := u.Chat.Send(ctx, to, msg)
	var e *chat.Error
	if plain, ok := msg.Plain(); ok && errors.As(err, &e) && e.Trouble == chat.Locked && !e.Archived {
		return u.Chat.Send(ctx, to, plain)
	}
	return id, err
}
