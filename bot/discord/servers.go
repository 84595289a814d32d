package discord

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"tengen/bot/chat"
	"tengen/internal/tasks"
)

// Without a gateway nobody tells the bot that it came to a server or was removed from one. The
// adapter lists its servers now and then. It asks Discord about a server that it does not know, and
// about one in which a call was refused as if the bot was not there any more.
//
// A list says which servers there are. It does not say which are gone: a list may be empty or cut
// short. A server that a list lacks stays among the bot's until Discord, asked for that server,
// says so (In), or the gateway's own event does.

// serversPage is how many servers Discord lists at a time.
const serversPage = 200

// doubtEvery is the least time between two doubts of a server.
const doubtEvery = 30 * time.Second

// watchServers keeps the list of servers until ctx ends.
func (d *Adapter) watchServers(ctx context.Context) {
	every := cmp.Or(d.options.Endpoint.ListEvery, defaultListEvery)
	for first := true; ; {
		ids, err := d.listServers(ctx)
		switch {
		case err == nil:
			came, lost := d.servers.compare(ids)
			if first {
				d.news.addList(ids, func(uint64) bool { return true })
			}
			if len(lost) > 0 {
				d.news.add(func() { d.handler.Missed(d.life, lost) })
			}
			for _, id := range came {
				if !first { // at the start Present has told all of them
					d.news.add(func() { d.handler.Joined(d.life, id) })
				}
			}
			first = false
		case ctx.Err() != nil:
			return
		default:
			d.log.Warn("list of servers", "error", err)
		}
		if tasks.Sleep(ctx, every) != nil {
			return
		}
	}
}

// news are what the handler is to be told. To add some waits for nobody: while the handler is at work, the
// sockets are read on, and heartbeats are acknowledged.
type news struct {
	mu   sync.Mutex
	some *sync.Cond
	list []piece
}

// piece is a piece of news: the list of the servers of a connection, as chat.Handler.Present takes it, or
// something else, which tell tells. Without either it is the end.
type piece struct {
	servers []uint64
	mine    func(server uint64) bool // nil: it is no list
	tell    func()
}

// and is two lists as one. The later one says which of its own servers are there.
func (p piece) and(later piece) piece {
	return piece{
		servers: append(slices.DeleteFunc(p.servers, later.mine), later.servers...),
		mine:    func(id uint64) bool { return p.mine(id) || later.mine(id) },
	}
}

func newNews() *news {
	n := &news{}
	n.some = sync.NewCond(&n.mu)
	return n
}

// add adds a piece that tell tells; nil is the end.
func (n *news) add(tell func()) { n.put(piece{tell: tell}) }

// addList adds the list of the servers of a connection.
func (n *news) addList(servers []uint64, mine func(server uint64) bool) {
	n.put(piece{servers: servers, mine: mine})
}

func (n *news) put(p piece) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, p)
	n.some.Signal()
}

// next waits for a piece. Lists that wait together are one piece: for each the handler looks through all the
// servers that it knows.
func (n *news) next() piece {
	n.mu.Lock()
	defer n.mu.Unlock()
	for len(n.list) == 0 {
		n.some.Wait()
	}
	p := n.take()
	for p.mine != nil && len(n.list) > 0 && n.list[0].mine != nil {
		p = p.and(n.take())
	}
	return p
}

// take takes the first piece, for a caller that holds n.mu.
func (n *news) take() piece {
	p := n.list[0]
	n.list[0] = piece{} // which may hold a list
	n.list = n.list[1:]
	return p
}

// listServers asks for all servers that the bot is in.
func (d *Adapter) listServers(ctx context.Context) ([]uint64, error) {
	var ids []uint64
	for after := uint64(0); ; {
		r, err := d.get(ctx, "GET guilds", "", fmt.Sprintf("users/@me/guilds?limit=%d&after=%d", serversPage, after))
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
		known := d.servers.has(id)
		switch in, err := d.In(ctx, id); {
		case err != nil:
			d.servers.note(id, unknown)
		case in && !known: // the gateway's own event is late, or lost
			d.news.add(func() { d.handler.Joined(d.life, id) })
		}
	}()
}

// The codes by which Discord says that the bot is not in a server. A refusal without a code of
// Discord's own may come from anything between.
const (
	codeNoServer = 10004
	codeNoAccess = 50001
)

// In asks Discord whether the bot is in a server.
func (d *Adapter) In(ctx context.Context, server uint64) (bool, error) {
	place := digits(server)
	_, err := d.get(ctx, "GET guild", place, "guilds/"+place)
	var e *chat.Error
	switch {
	case err == nil:
		d.servers.add(server)
		return true, nil
	case errors.As(err, &e) && (e.Code == codeNoServer || e.Code == codeNoAccess):
		d.servers.remove(server)
		d.servers.note(server, absent)
		return false, nil
	}
	return false, err
}

// Leave leaves a server. The gateway tells of it as of any other removal.
func (d *Adapter) Leave(ctx context.Context, server uint64) error {
	place := digits(server)
	_, err := d.paced(ctx, "DELETE own guild", place, true,
		call{method: http.MethodDelete, path: "users/@me/guilds/" + place})
	var e *chat.Error
	if errors.As(err, &e) && (e.Code == codeNoServer || e.Code == codeNoAccess) {
		return nil
	}
	return err
}

// doubtServer has the handler ask for a server: a place in it is gone, and the bot may have been
// removed from it. With a gateway, that tells so by itself.
func (d *Adapter) doubtServer(id uint64) {
	if d.options.Endpoint != nil && d.servers.doubt(id, time.Now()) {
		d.news.add(func() { d.handler.Missed(d.life, []uint64{id}) })
	}
}

// servers are the servers that the bot is in.
type servers struct {
	mu     sync.Mutex
	ids    map[uint64]bool
	others map[uint64]presence // what is known of servers that are not in ids, since the last list
	doubts map[uint64]time.Time
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

// list adds the servers of a list and gives those that are new. What was known of others counts no longer.
func (s *servers) list(ids []uint64) (came []uint64) {
	came = s.add(ids...)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.others = nil
	return came
}

// compare is list for the list of all servers, and gives those that it lacks too.
func (s *servers) compare(all []uint64) (came, lost []uint64) {
	came = s.list(all)
	s.mu.Lock()
	defer s.mu.Unlock()
	gone := maps.Clone(s.ids)
	for _, id := range all {
		delete(gone, id)
	}
	return came, slices.Sorted(maps.Keys(gone))
}

// doubt notes that one of the bot's servers is in doubt, and reports whether that is news.
func (s *servers) doubt(id uint64, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ids[id] || now.Sub(s.doubts[id]) < doubtEvery {
		return false
	}
	maps.DeleteFunc(s.doubts, func(_ uint64, at time.Time) bool { return now.Sub(at) >= doubtEvery })
	if s.doubts == nil {
		s.doubts = map[uint64]time.Time{}
	}
	s.doubts[id] = now
	return true
}

func (s *servers) has(id uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ids[id]
}

// add gives those that are new.
func (s *servers) add(ids ...uint64) (came []uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ids == nil {
		s.ids = map[uint64]bool{}
	}
	for _, id := range ids {
		if !s.ids[id] {
			s.ids[id] = true
			came = append(came, id)
		}
	}
	return came
}

func (s *servers) remove(id uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.ids, id)
}

// ofShard reports whether a server's events come by a connection.
func ofShard(server uint64, shard, shards int) bool {
	return shards < 2 || int(server>>22%uint64(shards)) == shard
}

// belongs checks that the store belongs to the application. A store that belongs to none is its
// own from now on.
func (d *Adapter) belongs(ctx context.Context, app uint64) error {
	to, err := d.options.Store.Belongs(ctx, app)
	switch {
	case err != nil:
		return &chat.Error{Trouble: chat.Failed, Text: "reading to which application the store belongs: " + err.Error()}
	case to != app:
		return &Fatal{Text: fmt.Sprintf("the store belongs to the application %d, and the token to the application %d: "+
			"all games would seem lost. "+
			"Use the token of %[1]d, or another store; to hand the games over to %[2]d for good, run once with --adopt",
			to, app)}
	}
	return nil
}
