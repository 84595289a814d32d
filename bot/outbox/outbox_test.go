package outbox

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"tengen/bot/chat"
	"tengen/bot/room"
	"tengen/game/venue"
	"tengen/storage"
)

var errDead = errors.New("this process is dead")

// channel is a Discord with one channel, and the row of the message that is kept there. It dies, once, before or after
// its fuse-th act.
type channel struct {
	chat.Chat
	now    time.Time
	last   uint64
	there  map[uint64]chat.Message
	nonces map[string]uint64 // empty once Discord has forgotten them
	row    storage.Notice
	fuse   int
	after  bool
}

func (c *channel) act(do func()) error {
	c.fuse--
	if c.fuse == 0 && !c.after {
		return errDead
	}
	if do(); c.fuse == 0 {
		return errDead
	}
	return nil
}

func (c *channel) Send(_ context.Context, to chat.To, m chat.Message) (id uint64, err error) {
	return id, c.act(func() {
		if id = to.Message; id == 0 {
			id = c.nonces[to.Nonce]
		}
		if id == 0 {
			c.last++
			id = c.last
			c.nonces[to.Nonce], c.there[id] = id, m
		}
		if to.Message != 0 {
			m.Mark = c.there[id].Mark
			c.there[id] = m
		}
	})
}

func (c *channel) Find(_ context.Context, _ uint64, mark uint32, _ time.Time) (found uint64, err error) {
	return found, c.act(func() {
		for id, m := range c.there {
			if m.Mark == mark {
				found = id
			}
		}
	})
}

func (c *channel) Delete(_ context.Context, to chat.To) error {
	return c.act(func() { delete(c.there, to.Message) })
}

func (c *channel) bring(t *testing.T, version uint32) error {
	msg := chat.Text(fmt.Sprint("version ", version))
	msg.Mark = 7
	b := room.Base{Chat: c, Now: func() time.Time { return c.now }}
	return Bring(t.Context(), b, venue.Place{Channel: 2}, c.row, version, msg,
		func(n storage.Notice) error { return c.act(func() { c.row = n }) })
}

// Wherever a process dies while it sends a new message, edits one or replaces one, the next one goes on, however late:
// one message stands in the channel, and says what it should. It is a new one where the old one is too old for edits.
func TestBringAfterDeath(t *testing.T) {
	for _, age := range []time.Duration{0, time.Minute, FreshAfter} { // of the message that is there already; 0: none
		for _, later := range []time.Duration{time.Second, NonceLife + time.Second} {
			for fuse := range 14 {
				c := &channel{now: time.UnixMilli(1e12), there: map[uint64]chat.Message{}, nonces: map[string]uint64{}}
				for age > 0 && c.row.Shown != 1 {
					if err := c.bring(t, 1); err != nil {
						t.Fatal(err)
					}
				}
				c.now = c.now.Add(age)
				c.fuse, c.after = fuse/2, fuse%2 == 1
				died := c.bring(t, 2)
				c.fuse = 0
				if c.now = c.now.Add(later); later > NonceLife {
					clear(c.nonces)
				}
				for tries := 0; tries < 3 && (c.row.Shown != 2 || c.row.Retired != 0); tries++ {
					if err := c.bring(t, 2); err != nil {
						t.Fatal(err)
					}
				}
				if says := c.there[c.row.Message].Blocks; len(c.there) != 1 || len(says) != 1 || says[0].Text != "version 2" ||
					(c.row.Message == 1) != (age < FreshAfter) {
					t.Errorf("a message of %v, death %d (%v), %v later: %v stand there, the row says %+v", age, fuse, died,
						later, c.there, c.row)
				}
			}
		}
	}
}

// failing is a Discord that fails.
type failing struct {
	chat.Chat
	with chat.Error
	sent []chat.Message
}

func (f *failing) Find(context.Context, uint64, uint32, time.Time) (uint64, error) { return 0, &f.with }
func (f *failing) Delete(context.Context, chat.To) error                           { return &f.with }
func (f *failing) Send(_ context.Context, _ chat.To, m chat.Message) (uint64, error) {
	f.sent = append(f.sent, m)
	return 0, &f.with
}

// What fails for a while is an error. What Discord refuses for good tells nothing of a message, and leaves one that was
// replaced. A message goes as text only where that may help.
func TestFailures(t *testing.T) {
	picture := chat.Message{Blocks: []chat.Block{{Picture: &chat.Picture{Text: "a board"}}}}
	for name, c := range map[string]struct {
		err  chat.Error
		fail bool
		sent int
	}{
		"busy":       {chat.Error{Trouble: chat.Busy}, true, 1},
		"failed":     {chat.Error{Trouble: chat.Failed}, true, 1},
		"no place":   {chat.Error{Trouble: chat.NoPlace}, false, 1},
		"no files":   {chat.Error{Trouble: chat.Locked}, false, 2},
		"an archive": {chat.Error{Trouble: chat.Locked, Archived: true}, false, 1},
	} {
		f := &failing{with: c.err}
		id, sure, err := Find(t.Context(), f, 2, 7, time.Time{})
		if id != 0 || sure || (err != nil) != c.fail {
			t.Errorf("%s: found %d, %v, %v", name, id, sure, err)
		}
		if err := Delete(t.Context(), f, chat.To{Message: 1}); (err != nil) != c.fail {
			t.Errorf("%s: deleted, %v", name, err)
		}
		if _, err := Send(t.Context(), f, chat.To{Channel: 2}, picture); err == nil || len(f.sent) != c.sent {
			t.Errorf("%s: sent %d times, %v", name, len(f.sent), err)
		}
	}
}
