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
	sent int
}

func (f *failing) Find(context.Context, uint64, uint32, time.Time) (uint64, error) { return 0, &f.with }
func (f *failing) Delete(context.Context, chat.To) error                           { return &f.with }
func (f *failing) Send(context.Context, chat.To, chat.Message) (uint64, error) {
	f.sent++
	return 0, &f.with
}

// While Discord fails, a message that was replaced is kept in mind, and no message is sent that may be there. Where it
// refuses for good to delete or to find one, the new message is sent; as text only where that may help.
func TestFailures(t *testing.T) {
	msg := chat.Message{Blocks: []chat.Block{{Picture: &chat.Picture{Text: "a board"}}}}
	for name, c := range map[string]struct {
		err  chat.Error
		sent int
	}{
		"busy":       {chat.Error{Trouble: chat.Busy}, 0},
		"failed":     {chat.Error{Trouble: chat.Failed}, 0},
		"no place":   {chat.Error{Trouble: chat.NoPlace}, 1},
		"no files":   {chat.Error{Trouble: chat.Locked}, 2},
		"an archive": {chat.Error{Trouble: chat.Locked, Archived: true}, 1},
	} {
		f := &failing{with: c.err}
		b, at := room.Base{Chat: f, Now: time.Now}, venue.Place{Channel: 2}
		row := storage.Notice{Retired: 1}
		keep := func(n storage.Notice) error { row = n; return nil }
		err := Bring(t.Context(), b, at, row, 1, msg, keep)
		if kept := row.Retired != 0; err == nil || f.sent != c.sent || kept != (c.sent == 0) {
			t.Errorf("%s: %v, sent %d times, %+v", name, err, f.sent, row)
		}
		f.sent = 0
		if _, err := Once(t.Context(), b, at, storage.Notice{}, msg); err == nil || f.sent != c.sent {
			t.Errorf("%s: begun long ago: %v, sent %d times", name, err, f.sent)
		}
	}
}
