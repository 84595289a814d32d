package standin

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"
)

// saved is a world in a file. Interactions are not in it: their tokens would
// be dead by the time it is read.
type saved struct {
	Version int // 1
	Last    uint64
	Given   []string
	People  []savedPerson
	Guilds  []savedGuild
	Directs []savedChannel
	Tables  map[string][]Command // by server; "" is the global one
	Files   []savedFile
}

type savedPerson struct {
	User      User
	Locale    string
	Closed    bool `json:",omitempty"`
	Installed bool `json:",omitempty"`
}

type savedGuild struct {
	ID, Name, Owner, Locale string
	Bot                     bool
	Roles                   []savedRole
	Members                 map[string][]string
	Joined                  map[string]time.Time
	Channels                []savedChannel
}

type savedRole struct {
	ID, Name string
	Perms    uint64
	Position int
}

type savedChannel struct {
	ID, Name, Parent, Owner string
	Kind                    int
	Created, ArchivedAt     time.Time
	Archived, Locked        bool
	Sent                    int
	Overwrites              map[string][2]uint64 // allow, deny
	Recipients              []string
	Messages                []savedMessage
}

type savedMessage struct {
	Message  Message
	Only     string `json:",omitempty"`
	Notice   bool   `json:",omitempty"`
	Created  time.Time
	OldEdits int      `json:",omitempty"`
	Files    []string `json:",omitempty"`
}

type savedFile struct {
	ID, Name, Type, Channel string
	Data                    []byte
}

// Save writes the world: servers, members, messages with their files, and the
// commands. A demo keeps it, so that its channels are there at the next start.
func (s *Server) Save(w io.Writer) error {
	v := s.snapshot()
	if err := json.NewEncoder(w).Encode(v); err != nil {
		return fmt.Errorf("saving the stand-in: %w", err)
	}
	return nil
}

func (s *Server) snapshot() saved {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := saved{Version: 1, Last: s.ids.latest(), Given: sortedKeys(s.given), Tables: map[string][]Command{"": s.global}}
	for _, id := range sortedKeys(s.people) {
		p := s.people[id]
		v.People = append(v.People, savedPerson{p.User, p.locale, p.closed, p.installed})
	}
	for _, g := range s.guilds {
		out := savedGuild{ID: g.id, Name: g.name, Owner: g.owner, Locale: g.locale, Bot: g.bot, Members: map[string][]string{}, Joined: map[string]time.Time{}}
		for _, id := range sortedKeys(g.roles) {
			r := g.roles[id]
			out.Roles = append(out.Roles, savedRole{r.id, r.name, r.perms, r.position})
		}
		for id, roles := range g.members {
			out.Members[id], out.Joined[id] = slices.Clone(roles), g.joined[id]
		}
		for _, c := range g.channels {
			out.Channels = append(out.Channels, saveChannel(c))
		}
		v.Guilds = append(v.Guilds, out)
		if t := s.guildTable[g.id]; len(t) > 0 {
			v.Tables[g.id] = t
		}
	}
	for _, k := range sortedKeys(s.directs) {
		v.Directs = append(v.Directs, saveChannel(s.directs[k]))
	}
	for _, b := range s.blobOrder {
		if s.blobs[b.id] == b {
			v.Files = append(v.Files, savedFile{b.id, b.name, b.ctype, b.channel, b.data})
		}
	}
	return v
}

func saveChannel(c *channel) savedChannel {
	out := savedChannel{ID: c.id, Name: c.name, Owner: c.owner, Kind: c.kind, Created: c.created, ArchivedAt: c.archivedAt,
		Archived: c.archived, Locked: c.locked, Sent: c.sent, Overwrites: map[string][2]uint64{}}
	if c.parent != nil {
		out.Parent = c.parent.id
	}
	for id, o := range c.overwrites {
		out.Overwrites[id] = [2]uint64{o.allow, o.deny}
	}
	for _, p := range c.recipients {
		out.Recipients = append(out.Recipients, p.ID)
	}
	for _, r := range c.messages {
		if r.msg.Thinking() {
			continue // nothing can end it after a new start
		}
		m := savedMessage{Message: r.msg, Only: r.only, Notice: r.ephemera, Created: r.created, OldEdits: r.oldEdits}
		for _, b := range r.blobs {
			if b != nil {
				m.Files = append(m.Files, b.id)
			}
		}
		out.Messages = append(out.Messages, m)
	}
	return out
}

// Restore takes up a saved world. It is called right after Start with
// NoGuild, before a bot connects; where it fails, the world is as Start made it.
func (s *Server) Restore(r io.Reader) error {
	var v saved
	if err := json.NewDecoder(r).Decode(&v); err != nil {
		return fmt.Errorf("restoring the stand-in: %w", err)
	}
	if v.Version != 1 {
		return fmt.Errorf("restoring the stand-in: version %d is not known", v.Version)
	}
	if err := v.check(s.app); err != nil {
		return fmt.Errorf("restoring the stand-in: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ids.atLeast(v.Last)
	for _, id := range v.Given {
		s.given[id] = true
	}
	for _, p := range v.People {
		if p.User.ID == s.app {
			continue
		}
		got := &person{User: p.User, locale: p.Locale, closed: p.Closed, installed: p.Installed}
		s.people[p.User.ID], s.byName[p.User.Username] = got, got
	}
	for _, f := range v.Files {
		b := &blob{f.ID, f.Name, f.Type, f.Channel, f.Data}
		s.blobs[b.id] = b
		s.blobOrder = append(s.blobOrder, b)
		s.blobBytes += int64(len(b.data))
	}
	for _, g := range v.Guilds {
		s.restoreGuild(g)
	}
	for _, d := range v.Directs {
		c := s.restoreChannel(d, nil)
		s.directs[directKey(c.recipients)] = c
	}
	s.global = v.Tables[""]
	for id, t := range v.Tables {
		if id != "" {
			s.guildTable[id] = t
		}
	}
	s.changed()
	return nil
}

// check refuses a world that does not hold together.
func (v *saved) check(app string) error {
	people, channels := map[string]bool{}, map[string]bool{}
	for _, p := range v.People {
		people[p.User.ID] = true
	}
	if !people[app] {
		return fmt.Errorf("it is the world of another bot")
	}
	for _, g := range v.Guilds {
		roles := map[string]bool{}
		for _, r := range g.Roles {
			roles[r.ID] = true
		}
		if !roles[g.ID] || !people[g.Owner] {
			return fmt.Errorf("server %s is incomplete", g.Name)
		}
		for id := range g.Members {
			if !people[id] {
				return fmt.Errorf("server %s has an unknown member", g.Name)
			}
		}
		for _, c := range g.Channels {
			channels[c.ID] = true
			if c.Parent != "" && !channels[c.Parent] {
				return fmt.Errorf("thread %s has no channel", c.Name)
			}
		}
	}
	for _, c := range v.Directs {
		for _, id := range c.Recipients {
			if !people[id] {
				return fmt.Errorf("a direct message has an unknown member")
			}
		}
		if len(c.Recipients) == 0 {
			return fmt.Errorf("a direct message is with nobody")
		}
	}
	return nil
}

func (s *Server) restoreGuild(v savedGuild) {
	g := &guild{id: v.ID, name: v.Name, owner: v.Owner, locale: v.Locale, bot: v.Bot, roles: map[string]*role{},
		members: v.Members, joined: v.Joined}
	for _, r := range v.Roles {
		g.roles[r.ID] = &role{r.ID, r.Name, r.Perms, r.Position}
	}
	s.guilds = append(s.guilds, g)
	for _, c := range v.Channels {
		g.channels = append(g.channels, s.restoreChannel(c, g))
	}
}

func (s *Server) restoreChannel(v savedChannel, g *guild) *channel {
	c := &channel{id: v.ID, name: v.Name, kind: v.Kind, guild: g, parent: s.channels[v.Parent], owner: v.Owner, created: v.Created,
		archived: v.Archived, archivedAt: v.ArchivedAt, locked: v.Locked, sent: v.Sent, overwrites: map[string]overwrite{}}
	for id, o := range v.Overwrites {
		c.overwrites[id] = overwrite{o[0], o[1]}
	}
	for _, id := range v.Recipients {
		c.recipients = append(c.recipients, s.people[id])
	}
	for _, m := range v.Messages {
		r := &record{msg: m.Message, ch: c, only: m.Only, ephemera: m.Notice, created: m.Created, oldEdits: m.OldEdits}
		for _, id := range m.Files {
			if b := s.blobs[id]; b != nil {
				r.blobs = append(r.blobs, b)
			}
		}
		c.messages = append(c.messages, r)
		s.messages[r.msg.ID] = r
	}
	s.channels[c.id] = c
	return c
}
