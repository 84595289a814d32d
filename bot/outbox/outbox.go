// Package outbox sends the messages that stand in a channel and are kept up to date, such as the standings of a ladder.
// The row of a thing notes a new message before it is sent, so that a process that dies between two steps leaves no
// second one. What a message says and when it is due is not in here. Start from Bring, which does all steps for a row
// with a storage.Notice. A match's board and the daily puzzle have rows and steps of their own, and share the limits of
// Discord that stand here, and Send.
package outbox

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

const (
	// FreshAfter is the age at which a new message takes the place of the old one: Discord limits edits of
	// messages older than an hour.
	FreshAfter = 50 * time.Minute
	// NonceLife is how long Discord surely takes a second message of the same nonce for the first one: it checks
	// nonces of "the past few minutes".
	NonceLife = 2 * time.Minute
)

// Send sends or edits a message by the bot's own token. Where the bot may not attach files, it goes as text, and the
// outcome of that counts.
func Send(ctx context.Context, c chat.Chat, to chat.To, msg chat.Message) (id uint64, err error) {
	id, err = c.Send(ctx, to, msg)
	var e *chat.Error
	if plain, ok := msg.Plain(); ok && errors.As(err, &e) && e.Trouble == chat.Locked && !e.Archived {
		return c.Send(ctx, to, plain)
	}
	return id, err
}

// mark is the number by which a new message is found again: among those of a channel, and by its
// nonce. kind tells the messages of several things in one channel apart.
func mark(kind uint32, n storage.Notice) uint32 {
	h := fnv.New32a()
	fmt.Fprint(h, kind, n.Message, n.Posting.UnixMilli())
	return h.Sum32()&(1<<31-1) | 1
}

// Once sends a new message that has been on its way since n.Posting, as its row noted before the first try. While its
// nonce is good, Discord gives the message that is there already; after that the message is looked for.
func Once(ctx context.Context, b room.Base, in venue.Place, n storage.Notice, msg chat.Message) (id uint64, err error) {
	msg.Mark = mark(msg.Mark, n)
	if b.Now().Sub(n.Posting) > NonceLife {
		if id, err = b.Chat.Find(ctx, in.Channel, msg.Mark, n.Posting); id != 0 || chat.Temporary(err) {
			return id, err
		}
	}
	nonce := strconv.FormatUint(uint64(msg.Mark), 36) + "-" + strconv.FormatInt(n.Posting.UnixMilli(), 36)
	return Send(ctx, b.Chat, chat.To{Channel: in.Channel, Server: in.Server, Nonce: nonce}, msg)
}

// updater brings one message up to date.
type updater struct {
	room.Base
	in  venue.Place
	set func(storage.Notice) error // stores where the message stands
}

// Bring brings the message of n in a place up to date, which only the owner of the place may do: msg is what the
// message says as of version. It also deletes the message that a new one has replaced. The mark of msg tells it apart
// from those of other things in the channel. set stores where the message stands, before the next call to Discord.
// Where a process dies between two steps the message stays behind, and the next Bring goes on: no second message comes
// of it. The error is Discord's, or that of set.
func Bring(ctx context.Context, b room.Base, in venue.Place, n storage.Notice, version uint32, msg chat.Message,
	set func(storage.Notice) error) error {
	u := updater{b, in, set}
	n, err := u.tidy(ctx, n) // else a new message would take its place in n, and it would stay
	if err != nil {
		return err
	}
	if n.Shown != version || !n.Posting.IsZero() {
		edited, err := u.edit(ctx, n, msg)
		if err != nil {
			return err
		}
		if edited {
			n.Shown, n.At = version, u.Now()
		} else if n, err = u.post(ctx, n, msg); err != nil {
			return err
		}
		if err := set(n); err != nil {
			return err
		}
	}
	_, err = u.tidy(ctx, n)
	return err
}

// at is where a message of the place is.
func (u updater) at(message uint64) chat.To {
	return chat.To{Channel: u.in.Channel, Server: u.in.Server, Message: message}
}

// tidy deletes the message that a newer one has replaced.
func (u updater) tidy(ctx context.Context, n storage.Notice) (storage.Notice, error) {
	if n.Retired == 0 {
		return n, nil
	}
	if err := u.Chat.Delete(ctx, u.at(n.Retired)); chat.Temporary(err) {
		return n, err
	}
	n.Retired = 0
	return n, u.set(n)
}

// edit edits the message, unless a new one is to take its place.
func (u updater) edit(ctx context.Context, n storage.Notice, msg chat.Message) (edited bool, err error) {
	if n.Message == 0 || !n.Posting.IsZero() || u.Now().Sub(n.Sent) >= FreshAfter {
		return false, nil
	}
	msg.Mark = 0
	_, err = Send(ctx, u.Chat, u.at(n.Message), msg)
	if t := chat.TroubleOf(err); t == chat.Gone || t == chat.TooOld {
		return false, nil
	}
	return err == nil, err
}

// post sends a new message. It counts as showing no version yet: where a process died after it had
// sent the same message, the one that is there may be older than msg.
func (u updater) post(ctx context.Context, n storage.Notice, msg chat.Message) (storage.Notice, error) {
	now := u.Now()
	if n.Posting.IsZero() {
		n.Posting = now.Truncate(time.Millisecond)
		if err := u.set(n); err != nil {
			return n, err
		}
	}
	id, err := Once(ctx, u.Base, u.in, n, msg)
	if err != nil {
		return n, err
	}
	if n.Message != id {
		n.Retired = n.Message
	}
	n.Message, n.Shown, n.Sent, n.At, n.Posting = id, 0, now, now, time.Time{}
	return n, nil
}
