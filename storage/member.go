package storage

import (
	"context"
	"maps"
	"slices"
	"time"

	"tengen/game"
	"tengen/storage/codec"
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
	Vacations  game.Vacations

	// More is for settings of which the store need not know anything.
	More map[string]string
}

// Blocks reports whether m takes no challenges from other.
func (m Member) Blocks(other game.MemberID) bool { return slices.Contains(m.Blocked, other) }

func (m Member) empty() bool {
	return m.Look == Look{} && m.Challenges == FromAll && len(m.Blocked) == 0 && len(m.Vacations) == 0 && len(m.More) == 0
}

// Fields writes the second format where the member has been on vacation.
func (m *Member) Fields(f *codec.Fields) {
	format := f.Format(1+codec.Bit(len(m.Vacations) > 0), 2)
	f.Say("kind", "member")
	codec.Part(f, "id", 0, &m.ID)
	m.Look.Fields(f)
	if codec.Small(f, "", &m.Challenges, 255); f.Exporting() {
		f.Say("challenges", codec.Name([]string{"all", "nobody"}, m.Challenges))
	}
	if f.Writing() {
		m.Blocked = slices.Sorted(slices.Values(m.Blocked))
	}
	codec.IDs(f, "blocked?", &m.Blocked, codec.AnyLength)
	f.More(&m.More)
	if format == 2 || f.Exporting() {
		vacations := []game.Vacation(m.Vacations)
		codec.Many(f, "vacations?", &vacations, 2, codec.AnyLength, func(f *codec.Fields, v *game.Vacation) {
			f.Time("from", &v.From)
			f.Time("until", &v.Until)
		})
		m.Vacations = vacations
	}
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

// Fields walks a look, which is a part of rows.
func (l *Look) Fields(f *codec.Fields) {
	f.Text("theme?", &l.Theme, codec.AnyLength)
	numbers := l.Numbers&^withEngine | codec.Bit(l.Engine)*withEngine
	if f.Exporting() {
		f.Say("numbers?", l.Numbers)
		f.Say("engine?", l.Engine)
	} else if codec.Small(f, "", &numbers, 255); f.Reading() {
		l.Numbers, l.Engine = numbers&^withEngine, numbers&withEngine != 0
	}
	f.Text("language?", &l.Language, codec.AnyLength)
}

// Member gives the settings of a member; zero but for ID where the member has set none.
func (s *Store) Member(ctx context.Context, id game.MemberID) (Member, error) {
	return lookAt[Member](ctx, s, key(tMember, uint64(id)))
}

func readMember(r kv.Reader, id game.MemberID) (Member, error) {
	return get[Member](r, key(tMember, uint64(id)))
}

// SetMember changes the settings of a member by f, but for Vacations: SetVacation does that.
func (s *Store) SetMember(ctx context.Context, id game.MemberID, f func(Member) (Member, error)) (m Member, err error) {
	err = s.kv.Update(ctx, func(tx kv.Tx) error {
		was, err := readMember(tx, id)
		if err != nil {
			return err
		}
		if m, err = f(was); err != nil {
			return err
		}
		m.ID, m.Vacations = id, was.Vacations
		return putMember(tx, m)
	})
	return m, err
}

func putMember(tx kv.Tx, m Member) error {
	if m.empty() {
		return tx.Delete(key(tMember, uint64(m.ID)))
	}
	return tx.Put(key(tMember, uint64(m.ID)), codec.Encode(m))
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

// With is s with one of the settings More changed, or removed where the value is empty.
func (s Server) With(name, value string) Server {
	s.More = changed(s.More, name, value)
	return s
}

// With is m with one of the settings More changed, or removed where the value is empty.
func (m Member) With(name, value string) Member {
	m.More = changed(m.More, name, value)
	return m
}

// changed is a copy of settings with another value of one; an empty value removes it.
func changed(more map[string]string, name, value string) map[string]string {
	more = maps.Clone(more)
	if more == nil {
		more = map[string]string{}
	}
	more[name] = value
	if value == "" {
		delete(more, name)
	}
	return more
}

func (s Server) empty() bool {
	return s.Look == Look{} && len(s.Channels) == 0 && s.Left.IsZero() && s.Missed.IsZero() && len(s.More) == 0
}

// Fields writes the second format where the server is missed: it has the time since when.
func (s *Server) Fields(f *codec.Fields) {
	format := f.Format(1+codec.Bit(!s.Missed.IsZero()), 2)
	f.Say("kind", "server")
	codec.Part(f, "id", 0, &s.ID)
	s.Look.Fields(f)
	codec.IDs(f, "channels?", &s.Channels, codec.AnyLength)
	f.Time("left?", &s.Left)
	if f.More(&s.More); format == 2 {
		f.Time("missed?", &s.Missed)
	}
}

// Server gives the settings of a server; zero but for ID where it has none.
func (s *Store) Server(ctx context.Context, id uint64) (Server, error) {
	return lookAt[Server](ctx, s, key(tServer, id))
}

// Servers calls f with the settings of every server that has any, until f is false.
func (s *Store) Servers(ctx context.Context, f func(Server) bool) error {
	return s.kv.View(ctx, func(r kv.Reader) error {
		return scan(r, under(tServer), func(_ []byte, v Server) bool { return f(v) })
	})
}

func readServer(r kv.Reader, id uint64) (Server, error) {
	return get[Server](r, key(tServer, id))
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

// ServersAtOnce is for how many servers one transaction of any engine has room.
const ServersAtOnce = 100

// SetServers is SetServer for up to ServersAtOnce servers, in one transaction.
func (s *Store) SetServers(ctx context.Context, ids []uint64, f func(Server) (Server, error)) error {
	return s.kv.Update(ctx, func(tx kv.Tx) error {
		for _, id := range ids {
			if _, err := setServer(tx, id, f); err != nil {
				return err
			}
		}
		return nil
	})
}

func putServer(tx kv.Tx, s Server) error {
	if s.empty() {
		return tx.Delete(key(tServer, s.ID))
	}
	return tx.Put(key(tServer, s.ID), codec.Encode(s))
}
