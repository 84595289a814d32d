package bot

import (
	"context"
	"maps"
	"sync"
	"time"

	"tengen/bot/chat"
	"tengen/storage"
)

// A list of servers may be wrong: empty, cut short, or another application's. So no list ends a
// game. A server that a list lacks is asked for by its id. Where Discord says that the bot is not
// there, the server's games rest; only where it still says so a day later they end. What the
// gateway says of one server (Joined, Removed) is believed at once.
const (
	missedFor = 24 * time.Hour   // before the games of a missed server end
	askEvery  = 10 * time.Minute // between two questions about a missed server
	askAtMost = 30 * time.Second // for one answer
)

// doubts are the servers about which Discord is to be asked.
type doubts struct {
	mu      sync.Mutex
	waiting map[uint64]bool
	asking  bool
	next    time.Time // when those that are missed are asked for again
}

// Joined implements chat.Handler. It notes that the bot is a member, so that Present can tell
// when the bot was removed without a connection. Where the store does not take that, Discord
// is asked for the server later.
func (b *Bot) Joined(ctx context.Context, server uint64) {
	if b.noteMember(ctx, server) != nil {
		b.doubts.add(server)
	}
}

func (b *Bot) noteMember(ctx context.Context, server uint64) error {
	s, err := b.store.Server(ctx, server)
	if err == nil && (!s.Left.IsZero() || !s.Missed.IsZero()) {
		err = b.back(ctx, server)
	}
	if err == nil && s.More[moreMember] != "1" {
		_, err = b.store.SetServer(ctx, server, func(s storage.Server) (storage.Server, error) {
			s.More = maps.Clone(s.More)
			if s.More == nil {
				s.More = map[string]string{}
			}
			s.More[moreMember] = "1"
			return s, nil
		})
	}
	if err != nil && ctx.Err() == nil {
		b.log.Error("joined", "server", server, "err", err)
	}
	return err
}

// back lets the games of a server go on.
func (b *Bot) back(ctx context.Context, server uint64) error {
	woken, err := b.store.ServerBack(ctx, server, b.now())
	for _, rec := range woken {
		b.desk.Changed(rec)
		b.screens.Refresh(rec.ID, false)
	}
	return err
}

// Removed implements chat.Handler: the server's games end unrated, and its data is deleted later.
func (b *Bot) Removed(ctx context.Context, server uint64) {
	if err := b.store.ServerLeft(ctx, server, b.now()); err != nil {
		b.log.Error("removed", "server", server, "err", err)
	}
}

// Present implements chat.Handler. It does what Joined would have done for news that the bot
// missed, and asks after the servers that are not listed.
func (b *Bot) Present(ctx context.Context, servers []uint64, mine func(uint64) bool) {
	there := map[uint64]bool{}
	for _, id := range servers {
		there[id] = true
		b.Joined(ctx, id)
	}
	var missed []uint64
	err := b.store.Servers(ctx, func(s storage.Server) bool {
		if s.More[moreMember] == "1" && s.Left.IsZero() && mine(s.ID) && !there[s.ID] {
			missed = append(missed, s.ID)
		}
		return true
	})
	if err != nil && ctx.Err() == nil {
		b.log.Error("servers", "err", err)
	}
	b.Missed(ctx, missed)
}

// Missed implements chat.Handler: Discord is asked for each server, one after the other.
func (b *Bot) Missed(ctx context.Context, servers []uint64) {
	if b.sabotage.BelieveLists {
		for _, id := range servers {
			b.Removed(ctx, id)
		}
		return
	}
	d := &b.doubts
	d.add(servers...)
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.waiting) > 0 && !d.asking {
		d.asking = b.tasks.Go(b.askServers)
	}
}

// askServers asks for the servers in doubt until none is left. A server for which Discord
// gives no answer is asked for again by askAgain.
func (b *Bot) askServers() {
	d := &b.doubts
	unanswered := map[uint64]bool{}
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		maps.Copy(d.waiting, unanswered)
		d.asking = false
	}()
	for {
		id, any := d.take()
		if !any || b.tasks.Life.Err() != nil {
			return
		}
		if !b.settleServer(id) {
			unanswered[id] = true
		}
	}
}

// add puts servers in doubt.
func (d *doubts) add(servers ...uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.waiting == nil {
		d.waiting = map[uint64]bool{}
	}
	for _, id := range servers {
		d.waiting[id] = true
	}
}

// take gives one of the servers in doubt.
func (d *doubts) take() (id uint64, any bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for id = range d.waiting {
		delete(d.waiting, id)
		return id, true
	}
	return 0, false
}

// settleServer asks Discord whether the bot is in a server and acts on the answer. It is false
// where there was none.
func (b *Bot) settleServer(id uint64) bool {
	ctx, cancel := context.WithTimeout(b.tasks.Life, askAtMost)
	defer cancel()
	in, err := b.chat.In(ctx, id)
	switch {
	case err != nil:
		b.log.Info("Discord does not say whether the bot is in a server: asking again later", "server", id, "err", err)
		return false
	case in:
		return b.noteMember(b.tasks.Life, id) == nil
	}
	now := b.now()
	s, err := b.store.Server(ctx, id)
	switch {
	case err != nil:
		return false
	case s.Missed.IsZero():
		b.log.Warn("the bot is not in a server any more: its games rest for a day", "server", id)
	case now.Sub(s.Missed) >= missedFor:
		b.log.Warn("the bot has not been in a server for a day: its games end", "server", id)
		b.Removed(b.tasks.Life, id)
		return true
	}
	if err := b.store.ServerMissed(b.tasks.Life, id, now); err != nil {
		b.log.Error("missed", "server", id, "err", err)
		return false
	}
	return true
}

// askAgain asks now and then for the servers that are missed, in one process for each of them.
func (b *Bot) askAgain(now time.Time) {
	d := &b.doubts
	d.mu.Lock()
	due := !now.Before(d.next)
	if due {
		d.next = now.Add(askEvery)
	}
	var missed []uint64
	for id := range d.waiting {
		missed = append(missed, id)
	}
	d.mu.Unlock()
	if due {
		err := b.store.Servers(b.tasks.Life, func(s storage.Server) bool {
			if !s.Missed.IsZero() && b.owns(chat.Place{Channel: s.ID}) {
				missed = append(missed, s.ID)
			}
			return true
		})
		if err != nil {
			b.troubled("missed servers", err)
		}
	}
	if len(missed) > 0 {
		b.Missed(b.tasks.Life, missed)
	}
}
