// Package servers keeps count of the servers that the bot is in. It believes no list that lacks
// one: it asks Discord for the server, and the server's games rest or end by the answer. Start
// from New, Servers.Joined and Servers.Present.
package servers

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"tengen/bot/room"
	"tengen/game/venue"
	"tengen/storage"
)

// A list of servers may be wrong: empty, cut short, or another application's. So no list ends a
// game. A server that a list lacks is asked for by its id. Where Discord says that the bot is not
// there, the server's games rest; only where it still says so a day later they end. What the
// gateway says of one server (Joined, Removed) is believed at once.
const (
	missedFor = 24 * time.Hour   // before the games of a missed server end
	AskEvery  = 10 * time.Minute // between two questions about a missed server
	askAtMost = 30 * time.Second // for one answer
)

// member is the name of a setting of a server that is "1" where the bot is or was a member of it.
const member = "member"

// Servers knows in which servers the bot is. Any number of goroutines may call its methods.
type Servers struct {
	room.Base
	doubts doubts
}

// New makes servers. They ask nothing before Present, Missed or AskAgain is called.
func New(b room.Base) *Servers { return &Servers{Base: b} }

// doubts are the servers about which Discord is to be asked.
type doubts struct {
	mu      sync.Mutex
	waiting map[uint64]bool
	asking  bool
	next    time.Time // when those that are missed are asked for again
}

// Joined notes that the bot is a member, so that Present can tell when the bot was removed without
// a connection. Where the store does not take that, Discord is asked for the server later.
func (v *Servers) Joined(ctx context.Context, server uint64) {
	if v.noteMember(ctx, server) != nil {
		v.doubts.add(server)
	}
}

func (v *Servers) noteMember(ctx context.Context, server uint64) error {
	s, err := v.Store.Server(ctx, server)
	if err == nil && (!s.Left.IsZero() || !s.Missed.IsZero()) {
		err = v.back(ctx, server)
	}
	if err == nil && s.More[member] != "1" {
		_, err = v.Store.SetServer(ctx, server, noted)
	}
	if err != nil && ctx.Err() == nil {
		v.Log.Error("joined", "server", server, "err", err)
	}
	return err
}

// noted is a server with the note that the bot is a member.
func noted(s storage.Server) (storage.Server, error) { return s.With(member, "1"), nil }

// back lets the games of a server go on.
func (v *Servers) back(ctx context.Context, server uint64) error {
	woken, err := v.Store.ServerBack(ctx, server, v.Now())
	for _, rec := range woken {
		v.House.Refresh(rec.ID, false)
	}
	return err
}

// Removed hears that the bot was removed: the server's games end unrated, and its data is deleted later.
func (v *Servers) Removed(ctx context.Context, server uint64) {
	if err := v.Store.ServerLeft(ctx, server, v.Now()); err != nil {
		v.Log.Error("removed", "server", server, "err", err)
	}
}

// Present does what Joined would have done for news that the bot missed, and asks after the servers
// that are not listed. A list may be long: what the store knows is read at once, and new servers
// are noted many at a time.
func (v *Servers) Present(ctx context.Context, servers []uint64, mine func(uint64) bool) {
	listed := map[uint64]bool{}
	for _, id := range servers {
		listed[id] = true
	}
	var missed, back []uint64
	known := map[uint64]bool{} // of the listed ones: no news to the store, or back
	err := v.Store.Servers(ctx, func(s storage.Server) bool {
		switch wasThere := s.More[member] == "1"; {
		case !mine(s.ID):
		case listed[s.ID] && (!s.Left.IsZero() || !s.Missed.IsZero()):
			known[s.ID], back = true, append(back, s.ID)
		case listed[s.ID]:
			known[s.ID] = wasThere
		case wasThere && s.Left.IsZero():
			missed = append(missed, s.ID)
		}
		return true
	})
	if err != nil {
		v.doubt(ctx, err, servers...)
		return
	}
	for _, id := range back {
		v.Joined(ctx, id)
	}
	news := slices.DeleteFunc(slices.Clone(servers), func(id uint64) bool { return known[id] })
	for some := range slices.Chunk(news, storage.ServersAtOnce) {
		if err := v.Store.SetServers(ctx, some, noted); err != nil {
			v.doubt(ctx, err, some...)
		}
	}
	v.Missed(ctx, missed)
}

// doubt puts servers in doubt which the store did not take, or did not give.
func (v *Servers) doubt(ctx context.Context, err error, servers ...uint64) {
	if ctx.Err() == nil {
		v.Log.Error("servers", "servers", len(servers), "err", err)
	}
	v.doubts.add(servers...)
}

// Missed hears of servers that a list lacks: Discord is asked for each server, one after the other.
func (v *Servers) Missed(ctx context.Context, servers []uint64) {
	d := &v.doubts
	d.add(servers...)
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.waiting) > 0 && !d.asking {
		d.asking = v.Tasks.Go(v.askServers)
	}
}

// askServers asks for the servers in doubt until none is left. A server for which Discord
// gives no answer is asked for again by AskAgain.
func (v *Servers) askServers() {
	d := &v.doubts
	unanswered := map[uint64]bool{}
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		maps.Copy(d.waiting, unanswered)
		d.asking = false
	}()
	for {
		id, any := d.take()
		if !any || v.Tasks.Life.Err() != nil {
			return
		}
		if !v.settleServer(id) {
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
func (v *Servers) settleServer(id uint64) bool {
	ctx, cancel := context.WithTimeout(v.Tasks.Life, askAtMost)
	defer cancel()
	in, err := v.Chat.In(ctx, id)
	switch {
	case err != nil:
		v.Log.Info("Discord does not say whether the bot is in a server: asking again later", "server", id, "err", err)
		return false
	case in:
		return v.noteMember(v.Tasks.Life, id) == nil
	}
	now := v.Now()
	s, err := v.Store.Server(ctx, id)
	switch {
	case err != nil:
		return false
	case s.Missed.IsZero():
		v.Log.Warn("the bot is not in a server any more: its games rest for a day", "server", id)
	case now.Sub(s.Missed) >= missedFor:
		v.Log.Warn("the bot has not been in a server for a day: its games end", "server", id)
		v.Removed(v.Tasks.Life, id)
		return true
	}
	if err := v.Store.ServerMissed(v.Tasks.Life, id, now); err != nil {
		v.Log.Error("missed", "server", id, "err", err)
		return false
	}
	return true
}

// Known is a server of which the store knows.
type Known struct {
	storage.Server
	In    bool // the bot is or was a member
	Games int  // challenges and running games there
}

// Known are all servers of which the store knows, by their ids.
func (v *Servers) Known(ctx context.Context) (all []Known, err error) {
	err = v.Store.Servers(ctx, func(s storage.Server) bool {
		all = append(all, Known{Server: s, In: s.More[member] == "1"})
		return true
	})
	if err != nil {
		return nil, err
	}
	games := map[uint64]int{}
	err = v.Store.Live(ctx, func(r storage.Record) bool {
		games[r.Place.Server]++
		return ctx.Err() == nil
	})
	for i, k := range all {
		all[i].Games = games[k.ID]
	}
	return all, err
}

// AskAgain asks now and then for the servers that are missed, in one process for each of them.
func (v *Servers) AskAgain(now time.Time) (err error) {
	d := &v.doubts
	d.mu.Lock()
	due := !now.Before(d.next)
	if due {
		d.next = now.Add(AskEvery)
	}
	var missed []uint64
	for id := range d.waiting {
		missed = append(missed, id)
	}
	d.mu.Unlock()
	if due {
		err = v.Store.Servers(v.Tasks.Life, func(s storage.Server) bool {
			if !s.Missed.IsZero() && v.House.Owns(venue.Place{Channel: s.ID}) {
				missed = append(missed, s.ID)
			}
			return true
		})
	}
	if len(missed) > 0 {
		v.Missed(v.Tasks.Life, missed)
	}
	return err
}
