package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"tengen/bot/chat"
	"tengen/internal/tasks"
)

// Without a gateway nobody tells the bot that it came to a server or was removed from one. The
// adapter lists its servers now and then, and soon after a call that was refused as if the bot
// was not there any more. It asks Discord about a server that it does not know.

// serversPage is how many servers Discord lists at a time.
const serversPage = 200

// relistSoon is the least time between two lists.
const relistSoon = 30 * time.Second

// watchServers keeps the list of servers until ctx ends.
func (d *Adapter) watchServers(ctx context.Context) {
	every := d.options.Endpoint.ListEvery
	if every == 0 {
		every = defaultListEvery
	}
	for first := true; ; {
		ids, err := d.listServers(ctx)
		switch {
		case err == nil:
			came, lost := d.servers.compare(ids)
			if first {
				d.tellSoon(ctx, func() { d.handler.Present(d.life, ids, func(uint64) bool { return true }) })
			}
			for _, id := range lost {
				d.tellSoon(ctx, func() { d.handler.Removed(d.life, id) })
			}
			for _, id := range came {
				if !first { // at the start Present has told all of them
					d.tellSoon(ctx, func() { d.handler.Joined(d.life, id) })
				}
			}
			first = false
		case ctx.Err() != nil:
			return
		default:
			d.log.Warn("list of servers", "error", err)
		}
		if tasks.Sleep(ctx, min(relistSoon, every)) != nil {
			return
		}
		if pause(ctx, time.Now().Add(every-min(relistSoon, every)), d.doubt) != nil {
			return
		}
	}
}

// tellSoon queues news for the handler.
func (d *Adapter) tellSoon(ctx context.Context, f func()) {
	select {
	case d.news <- f:
	case <-ctx.Done():
	}
}

// listServers asks for all servers that the bot is in.
func (d *Adapter) listServers(ctx context.Context) ([]uint64, error) {
	var ids []uint64
	for after := uint64(0); ; {
		r, err := d.paced(ctx, "GET guilds", "", true, call{method: http.MethodGet,
			path: fmt.Sprintf("users/@me/guilds?limit=%d&after=%d", serversPage, after)})
		if err != nil {
			return nil, err
		}
		page, err := idsOf(r.body)
		if err != nil {
			return nil, err
		}
		ids = append(ids, page...)
		if len(page) < serversPage || slices.Max(page) <= after {
			return ids, nil
		}
		after = slices.Max(page)
	}
}

// idsOf reads the ids of a list of objects.
func idsOf(body []byte) ([]uint64, error) {
	var list []struct {
		ID flake `json:"id"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, fmt.Errorf("reading Discord's answer: %w", err)
	}
	var ids []uint64
	for _, o := range list {
		ids = append(ids, uint64(o.ID))
	}
	return ids, nil
}

// askServer finds out whether the bot is in a server of which it did not know.
func (d *Adapter) askServer(id uint64) {
	if !d.begin() {
		return
	}
	go func() {
		defer d.work.Done()
		defer d.recover("servers", "")
		ctx, cancel := context.WithTimeout(d.life, callLimit)
		defer cancel()
		place := strconv.FormatUint(id, 10)
		_, err := d.paced(ctx, "GET guild", place, true, call{method: http.MethodGet, path: "guilds/" + place})
		var e *chat.Error
		switch {
		case err == nil:
			if d.servers.add(id) && d.options.Endpoint != nil { // the gateway tells itself
				d.tellSoon(ctx, func() { d.handler.Joined(d.life, id) })
			}
		case errors.As(err, &e) && slices.Contains([]chat.Trouble{chat.NoPlace, chat.Gone, chat.Locked}, e.Trouble):
			d.servers.note(id, absent)
		default:
			d.servers.note(id, unknown)
		}
	}()
}

// doubtServers has the servers listed ahead of time: a place is gone, and the bot may have been
// removed from its server.
func (d *Adapter) doubtServers() {
	select {
	case d.doubt <- struct{}{}:
	default:
	}
}

// servers are the servers that the bot is in.
type servers struct {
	mu     sync.Mutex
	ids    map[uint64]bool
	others map[uint64]presence // without a gateway: what is known of servers that are not in ids
}

// presence is what is known of a server that is not among the bot's.
type presence uint8

const (
	unknown presence = iota
	asked            // Discord is being asked
	absent           // the bot is not there
)

// believed reports whether the bot is in a server, and whether Discord is to be asked.
func (s *servers) believed(id uint64, authorized bool) (in, ask bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ids[id]:
		return true, false
	case !authorized || s.others[id] == absent:
		return false, false
	case s.others[id] == asked:
		return true, false
	}
	s.set(id, asked)
	return true, true
}

// note keeps what is known of a server that is not among the bot's.
func (s *servers) note(id uint64, p presence) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set(id, p)
}

// set is note for a caller that holds s.mu.
func (s *servers) set(id uint64, p presence) {
	if s.others == nil {
		s.others = map[uint64]presence{}
	}
	s.others[id] = p
}

// compare sets the servers to those of a list, and gives those that are new and those that are
// gone.
func (s *servers) compare(list []uint64) (came, lost []uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := map[uint64]bool{}
	for _, id := range list {
		if now[id] = true; !s.ids[id] {
			came = append(came, id)
		}
	}
	for id := range s.ids {
		if !now[id] {
			lost = append(lost, id)
		}
	}
	slices.Sort(lost)
	s.ids, s.others = now, nil
	return came, lost
}

func (s *servers) has(id uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ids[id]
}

// add reports whether the server was new.
func (s *servers) add(id uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ids == nil {
		s.ids = map[uint64]bool{}
	}
	news := !s.ids[id]
	s.ids[id] = true
	return news
}

// remove reports whether the bot was in the server.
func (s *servers) remove(id uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	news := s.ids[id]
	delete(s.ids, id)
	return news
}

// ofShard reports whether a server's events come by a connection.
func ofShard(server uint64, shard, shards int) bool {
	return shards < 2 || int(server>>22%uint64(shards)) == shard
}

// replace sets the servers of one shard to those that READY lists.
func (s *servers) replace(ids []uint64, shard, shards int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ids == nil {
		s.ids = map[uint64]bool{}
	}
	for id := range s.ids {
		if ofShard(id, shard, shards) {
			delete(s.ids, id)
		}
	}
	for _, id := range ids {
		s.ids[id] = true
	}
}

// listed are the servers that the bot is in, as far as Discord has told.
func (d *Adapter) listed() []uint64 {
	d.servers.mu.Lock()
	defer d.servers.mu.Unlock()
	var ids []uint64
	for id := range d.servers.ids {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
