// Package welcome greets those who do not know the bot yet: a server that it has just come to by a message, and a
// member who speaks to it without a point by a line. Both have the same buttons (view.Tongue.Welcome). Start from New,
// Welcome.Came and Welcome.Spoken.
package welcome

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"tengen/bot/chat"
	"tengen/bot/outbox"
	"tengen/bot/room"
	"tengen/bot/view"
	"tengen/storage"
)

// Welcome greets. Any number of goroutines may call its methods.
type Welcome struct {
	room.Base
	lines lines
}

// New makes a Welcome.
func New(b room.Base) *Welcome { return &Welcome{Base: b} }

// Begin notes that servers are welcomed from now on, where no program has before. Where the store does not take that,
// because an older program has it open too, the next arrival does.
func (w *Welcome) Begin() {
	if _, err := w.Store.WelcomesSince(w.Tasks.Life, w.Now()); err != nil && w.Tasks.Life.Err() == nil {
		w.Log.Info("servers are not welcomed yet", "err", err)
	}
}

// welcomed is the name of a setting of a server that is "1" once the server was welcomed, or somebody has tried to.
const welcomed = "welcomed"

// errWelcomed is the outcome of claiming a server that is not to be welcomed.
var errWelcomed = errors.New("not to be welcomed")

// Came welcomes a server that the bot has just come to, once: the store notes it before the message goes out. So of
// several processes that hear of the server one sends, and a process that dies in between leaves the server without
// a welcome.
func (w *Welcome) Came(ctx context.Context, a chat.Arrival) {
	if a.Notices == 0 {
		return
	}
	s, err := w.claim(ctx, a)
	switch {
	case errors.Is(err, errWelcomed):
	case err != nil:
		w.Log.Error("welcome", "server", a.Server, "err", err)
	default:
		w.Tasks.Go(func() { w.send(a, view.In(cmp.Or(s.Look.Language, a.Locale))) })
	}
}

// claim notes that a server is welcomed. A server that was is refused, and one to which the bot came before servers
// were welcomed, or that does not want games where its notices are.
func (w *Welcome) claim(ctx context.Context, a chat.Arrival) (storage.Server, error) {
	since, err := w.Store.WelcomesSince(ctx, w.Now())
	if err != nil {
		return storage.Server{}, err
	}
	if a.At.Before(since) {
		return storage.Server{}, errWelcomed
	}
	return w.Store.SetServer(ctx, a.Server, func(s storage.Server) (storage.Server, error) {
		if s.More[welcomed] != "" || !allows(s, a.Notices) {
			return s, errWelcomed
		}
		return s.With(welcomed, "1"), nil
	})
}

// allows reports whether a server wants games in a channel.
func allows(s storage.Server, channel uint64) bool {
	return len(s.Channels) == 0 || slices.Contains(s.Channels, channel)
}

// send sends the message, and again while its nonce keeps Discord from posting a second one.
func (w *Welcome) send(a chat.Arrival, t view.Tongue) {
	to := chat.To{Server: a.Server, Channel: a.Notices, Nonce: "welcome-" + strconv.FormatUint(a.Server, 36)}
	msg := t.Welcome(t.Say("welcome.server"), true)
	end := w.Now().Add(outbox.NonceLife)
	for wait := time.Second; ; wait *= 2 {
		_, err := outbox.Send(w.Tasks.Life, w.Chat, to, msg)
		again := chat.Temporary(err) && w.Now().Add(wait).Before(end) && w.Tasks.Sleep(wait)
		if err != nil && !again {
			w.Log.Info("a server is not welcomed", "server", a.Server, "err", err)
		}
		if !again {
			return
		}
	}
}

// Spoken answers a member who has spoken to the bot, and said nothing that it knows: by a line that all see, since a
// message can have no private answer. A channel has at most one in ten minutes.
func (w *Welcome) Spoken(ctx context.Context, r chat.Request) (remark string) {
	if r.Place.Server != 0 {
		s, err := w.Store.Server(ctx, r.Place.Server)
		if err != nil || !allows(s, r.Place.Channel) {
			return ""
		}
		r.Locale = s.Look.Language
	}
	if !w.lines.take(r.Place.Channel, w.Now()) {
		return ""
	}
	t := w.House.Tongue(r)
	msg := t.Welcome(t.Say("welcome.spoken"), r.Place.Server != 0)
	msg.Silent = true
	if _, err := w.Chat.Send(ctx, chat.To{Server: r.Place.Server, Channel: r.Place.Channel,
		Nonce: fmt.Sprintf("said-%d", r.ID)}, msg); err != nil {
		w.Log.Debug("a line about a message", "id", r.ID, "err", err)
		return "unanswered"
	}
	return "welcomed"
}

// lineEvery is the time between two lines in a channel.
const lineEvery = 10 * time.Minute

// lines are the channels in which a line was given of late. A restart begins anew.
type lines struct {
	mu sync.Mutex
	at map[uint64]time.Time
}

// take reports whether a channel may have a line now, and notes that it has one.
func (l *lines) take(channel uint64, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.at, func(_ uint64, at time.Time) bool { return now.Sub(at).Abs() >= lineEvery })
	if _, had := l.at[channel]; had {
		return false
	}
	if l.at == nil {
		l.at = map[uint64]time.Time{}
	}
	l.at[channel] = now
	return true
}
