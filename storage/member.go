package storage

import (
	"context"
	"errors"
	"slices"
	"time"

	"tengen/game"
	"tengen/storage/kv"
)

// Challenges says from whom a member takes challenges. The numbers are stored.
type Challenges uint8

// From whom.
const (
	// FromAll says that every member may challenge.
	FromAll Challenges = iota
	// FromNobody says that no member may challenge.
	FromNobody
)

// Member is the settings of a member. The zero settings are everybody's at first.
type Member struct {
	ID         game.MemberID
	Look       Look // what is empty follows the server
	Challenges Challenges
	Blocked    []game.MemberID // in ascending order

	// More is for settings of which the store need not know anything.
	More map[string]string
}

// Blocks reports whether m takes no challenges from other.
func (m Member) Blocks(other game.MemberID) bool { return has(m.Blocked, other) }

func (m Member) empty() bool {
	return m.Look == Look{} && m.Challenges == FromAll && len(m.Blocked) == 0 && len(m.More) == 0
}

func (m Member) encode() []byte {
	w := &writer{}
	w.byte(1)
	writeLook(w, m.Look)
	w.byte(byte(m.Challenges))
	w.uint(uint64(len(m.Blocked)))
	for _, b := range slices.Sorted(slices.Values(m.Blocked)) {
		w.fixed(uint64(b))
	}
	writeMore(w, m.More)
	return w.b
}

func decodeMember(id game.MemberID, value []byte) (Member, error) {
	d := open(value, 1)
	m := Member{ID: id, Look: readLook(d), Challenges: Challenges(d.byte())}
	for range d.count(8) {
		m.Blocked = append(m.Blocked, game.MemberID(d.fixed()))
	}
	m.More = readMore(d)
	return m, d.end()
}

// Look is how a match is shown.
type Look struct {
	Theme    string // empty: the default of the rules
	Numbers  uint8  // on the stones: 0 none, 1 on the last few, 2 on all, 3 on the last
	Language string // empty: English
	Engine   bool   // with how the engine found its last move
}

// withEngine is the bit of a stored look's numbers that stands for Look.Engine.
const withEngine = 1 << 7

func writeLook(w *writer, l Look) {
	w.text(l.Theme)
	w.byte(l.Numbers&^withEngine | bit(l.Engine)*withEngine)
	w.text(l.Language)
}

func readLook(d *reader) Look {
	l := Look{Theme: d.text(), Numbers: d.byte(), Language: d.text()}
	l.Numbers, l.Engine = l.Numbers&^withEngine, l.Numbers&withEngine != 0
	return l
}

func writeMore(w *writer, more map[string]string) {
	w.uint(uint64(len(more)))
	for _, name := range sortedKeys(more) {
		w.text(name)
		w.text(more[name])
	}
}

func readMore(d *reader) map[string]string {
	n := d.count(2)
	if n == 0 {
		return nil
	}
	more := make(map[string]string, n)
	for range n {
		name := d.text()
		more[name] = d.text()
	}
	return more
}

func sortedKeys[V any](m map[string]V) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Member gives the settings of a member.
func (s *Store) Member(ctx context.Context, id game.MemberID) (Member, error) {
	return look(ctx, s, func(r kv.Reader) (Member, error) { return readMember(r, id) })
}

func readMember(r kv.Reader, id game.MemberID) (Member, error) {
	value, err := r.Get(key(tMember, uint64(id)))
	if err != nil || value == nil {
		return Member{ID: id}, err
	}
	return decodeMember(id, value)
}

// SetMember changes the settings of a member by f.
func (s *Store) SetMember(ctx context.Context, id game.MemberID, f func(Member) (Member, error)) (m Member, err error) {
	err = s.kv.Update(ctx, func(tx kv.Tx) error {
		was, err := readMember(tx, id)
		if err != nil {
			return err
		}
		if m, err = f(was); err != nil {
			return err
		}
		m.ID = id
		if m.empty() {
			return tx.Delete(key(tMember, uint64(id)))
		}
		return tx.Put(key(tMember, uint64(id)), m.encode())
	})
	return m, err
}

// Server is the settings of a server.
type Server struct {
	ID       uint64
	Look     Look              // of matches whose members have set none
	Channels []uint64          // where games may be played; none: everywhere
	Left     time.Time         // since when the bot is no longer there; zero: it is
	Missed   time.Time         // since when it seems to be there no longer; zero: it does not
	More     map[string]string // settings of which the store need not know anything
}

func (s Server) empty() bool {
	return s.Look == Look{} && len(s.Channels) == 0 && s.Left.IsZero() && s.Missed.IsZero() && len(s.More) == 0
}

// The second format has the time since when the server is missed; where it is not, the
// first is written.
func (s Server) encode() []byte {
	w := &writer{}
	if s.Missed.IsZero() {
		w.byte(1)
	} else {
		w.byte(2)
	}
	writeLook(w, s.Look)
	w.uint(uint64(len(s.Channels)))
	for _, c := range s.Channels {
		w.fixed(c)
	}
	w.time(s.Left)
	writeMore(w, s.More)
	if !s.Missed.IsZero() {
		w.time(s.Missed)
	}
	return w.b
}

func decodeServer(id uint64, value []byte) (Server, error) {
	d, format := openUpTo(value, 2)
	s := Server{ID: id, Look: readLook(d)}
	for range d.count(8) {
		s.Channels = append(s.Channels, d.fixed())
	}
	s.Left = d.time()
	s.More = readMore(d)
	if format == 2 {
		s.Missed = d.time()
	}
	return s, d.end()
}

// Server gives the settings of a server.
func (s *Store) Server(ctx context.Context, id uint64) (Server, error) {
	return look(ctx, s, func(r kv.Reader) (Server, error) { return readServer(r, id) })
}

// Servers calls f with the settings of every server that has any, until f is false.
func (s *Store) Servers(ctx context.Context, f func(Server) bool) error {
	return s.kv.View(ctx, func(r kv.Reader) error {
		var bad error
		err := r.Scan([]byte{tServer}, []byte{tServer + 1}, func(k, v []byte) bool {
			var server Server
			server, bad = decodeServer(part(k, 0), v)
			return bad == nil && f(server)
		})
		return errors.Join(err, bad)
	})
}

func readServer(r kv.Reader, id uint64) (Server, error) {
	value, err := r.Get(key(tServer, id))
	if err != nil || value == nil {
		return Server{ID: id}, err
	}
	return decodeServer(id, value)
}

// SetServer changes the settings of a server by f. Left and Missed are for ServerLeft,
// ServerMissed and ServerBack alone.
func (s *Store) SetServer(ctx context.Context, id uint64, f func(Server) (Server, error)) (server Server, err error) {
	err = s.kv.Update(ctx, func(tx kv.Tx) (err error) {
		server, err = setServer(tx, id, f)
		return err
	})
	return server, err
}

func setServer(tx kv.Tx, id uint64, f func(Server) (Server, error)) (server Server, err error) {
	was, err := readServer(tx, id)
	if err != nil {
		return Server{}, err
	}
	if server, err = f(was); err != nil {
		return Server{}, err
	}
	server.ID, server.Left, server.Missed = id, was.Left, was.Missed
	return server, putServer(tx, server)
}

// ServersAtOnce is how many servers SetServers changes at a time: what fits into one transaction of any engine.
const ServersAtOnce = 100

// SetServers is SetServer for many servers, ServersAtOnce of them in each transaction.
func (s *Store) SetServers(ctx context.Context, ids []uint64, f func(Server) (Server, error)) error {
	for some := range slices.Chunk(ids, ServersAtOnce) {
		err := s.kv.Update(ctx, func(tx kv.Tx) error {
			for _, id := range some {
				if _, err := setServer(tx, id, f); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func putServer(tx kv.Tx, s Server) error {
	if s.empty() {
		return tx.Delete(key(tServer, s.ID))
	}
	return tx.Put(key(tServer, s.ID), s.encode())
}
