package standin

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"time"
)

// saved is a world in a file. Interactions are not in it: their tokens would
// be dead by the time it is read. Attachments lie beside it; the first version
// had them inside.
type saved struct {
	Version int // 1 or 2
	Last    uint64
	Given   []string
	People  []person
	Guilds  []savedGuild
	Directs []savedChannel
	Tables  map[string][]Command // by server; "" is the global one
	Emojis  []*appEmoji          `json:",omitempty"`
	Files   []savedFile
}

type savedGuild struct {
	ID, Name, Owner, Locale string
	Bot                     bool
	Roles                   []role
	Members                 map[string][]string
	Joined                  map[string]time.Time
	Channels                []savedChannel
	Scheduled               []Scheduled `json:",omitempty"`
	System                  string      `json:",omitempty"`
}

type savedChannel struct {
	ID, Name, Parent, Owner string
	Kind                    int
	Created, ArchivedAt     time.Time
	Archived, Locked        bool
	Active                  time.Time `json:",omitzero"`
	Auto                    int       `json:",omitempty"`
	Entered                 []string  `json:",omitempty"`
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
	By       string   `json:",omitempty"`
	Files    []string `json:",omitempty"`
}

type savedFile struct {
	ID, Name, Type, Channel string
	Data                    []byte `json:",omitempty"` // of version 1
}

// Save writes the world: servers, members, messages, and the commands. A demo
// keeps it, so that its channels are there at the next start. Before that it
// hands each attachment to keep, with an id of nothing but digits. The data of
// an id never changes: keep need not write a file again that an earlier Save
// handed over, and a file that this Save does not hand over can be deleted.
func (s *Server) Save(w io.Writer, keep func(id string, data []byte) error) error {
	v, files := s.snapshot()
	for i, data := range files {
		if err := keep(v.Files[i].ID, data); err != nil {
			return fmt.Errorf("saving the stand-in's files: %w", err)
		}
	}
	if err := json.NewEncoder(w).Encode(v); err != nil {
		return fmt.Errorf("saving the stand-in: %w", err)
	}
	return nil
}

// snapshot is the world, and the data of its files in their order.
func (s *Server) snapshot() (saved, [][]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var files [][]byte
	v := saved{Version: 2, Last: s.ids.latest(), Given: sortedKeys(s.given),
		Tables: map[string][]Command{"": s.globalTable}, Emojis: slices.Clone(s.emojis)}
	for _, id := range sortedKeys(s.people) {
		v.People = append(v.People, *s.people[id])
	}
	for _, g := range s.guilds {
		out := savedGuild{ID: g.id, Name: g.name, Owner: g.owner, Locale: g.locale, Bot: g.bot,
			Members: map[string][]string{}, Joined: map[string]time.Time{}, Scheduled: schedule(g.scheduled),
			System: g.system}
		for _, id := range sortedKeys(g.roles) {
			out.Roles = append(out.Roles, *g.roles[id])
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
			v.Files = append(v.Files, savedFile{ID: b.id, Name: b.name, Type: b.ctype, Channel: b.channel})
			files = append(files, b.data)
		}
	}
	return v, files
}

func saveChannel(c *channel) savedChannel {
	out := savedChannel{ID: c.id, Name: c.name, Owner: c.owner, Kind: c.kind, Created: c.created, ArchivedAt: c.archivedAt,
		Archived: c.archived, Locked: c.locked, Active: c.active, Auto: c.auto, Entered: sortedKeys(c.entered),
		Sent: c.posted, Overwrites: map[string][2]uint64{}}
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
		m := savedMessage{Message: r.msg, Only: r.only, Notice: r.ephemera, Created: r.created,
			OldEdits: r.oldEdits, By: r.by}
		for _, b := range r.blobs {
			if b != nil {
				m.Files = append(m.Files, b.id)
			}
		}
		out.Messages = append(out.Messages, m)
	}
	return out
}

// Restore adds a saved world to this one, before a bot connects. Servers,
// channels and members that are here already stay, and get what the saved world
// has under their ids. get reads an attachment that Save handed over; where it
// answers fs.ErrNotExist, the members do without that file. Where Restore fails,
// the world is as before.
func (s *Server) Restore(r io.Reader, get func(id string) ([]byte, error)) error {
	var v saved
	if err := json.NewDecoder(r).Decode(&v); err != nil {
		return fmt.Errorf("restoring the stand-in: %w", err)
	}
	if v.Version != 1 && v.Version != 2 {
		return fmt.Errorf("restoring the stand-in: version %d is not known", v.Version)
	}
	if err := v.check(s.app); err != nil {
		return fmt.Errorf("restoring the stand-in: %w", err)
	}
	files, err := v.files(get)
	if err != nil {
		return fmt.Errorf("restoring the stand-in's files: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ids.atLeast(v.Last)
	for _, id := range v.Given {
		s.given[id] = true
	}
	for _, p := range v.People {
		s.restorePerson(p)
	}
	for _, b := range files {
		s.keepBlob(b)
	}
	for _, g := range v.Guilds {
		s.restoreGuild(g)
	}
	for _, d := range v.Directs {
		if c := s.restoreChannel(d, nil); c != nil {
			s.directs[directKey(c.recipients)] = c
		}
	}
	s.globalTable = v.Tables[""]
	if s.opts.Activity && !slices.ContainsFunc(s.globalTable, func(c Command) bool { return c.Type == entryCommand }) {
		s.globalTable = append(s.globalTable, s.entryPoint()) // it was saved before there were Activities
	}
	s.emojis = v.Emojis
	for id, t := range v.Tables {
		if id != "" {
			s.guildTable[id] = t
		}
	}
	s.changed()
	return nil
}

// files are the attachments with their data.
func (v *saved) files(get func(id string) ([]byte, error)) ([]*blob, error) {
	var blobs []*blob
	for _, f := range v.Files {
		data, err := f.Data, error(nil)
		if data == nil {
			data, err = get(f.ID)
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		blobs = append(blobs, &blob{f.ID, f.Name, f.Type, f.Channel, data})
	}
	return blobs, nil
}

// check refuses a world that does not hold together.
func (v *saved) check(app string) error {
	people, channels := map[string]bool{}, map[string]bool{}
	for _, p := range v.People {
		people[p.ID] = true
	}
	if !people[app] {
		return fmt.Errorf("it is the world of another bot")
	}
	for _, f := range v.Files {
		if _, err := strconv.ParseUint(f.ID, 10, 64); err != nil {
			return fmt.Errorf("a file has the id %.30q", f.ID)
		}
	}
	for _, g := range v.Guilds {
		if err := g.check(people, channels); err != nil {
			return err
		}
	}
	for _, c := range v.Directs {
		if err := c.checkDirect(people, channels); err != nil {
			return err
		}
	}
	return nil
}

// check refuses a server that lacks its owner, its members or the channel of a thread, and
// notes its channels.
func (g *savedGuild) check(people, channels map[string]bool) error {
	roles, parents := map[string]bool{}, map[string]bool{}
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
		if channels[c.ID] {
			return fmt.Errorf("there are two channels %s", c.ID)
		}
		inThread := c.Kind >= NewsThread && c.Kind <= PrivateThread
		if inThread != (c.Parent != "") || inThread && !parents[c.Parent] {
			return fmt.Errorf("thread %s has no channel", c.Name)
		}
		channels[c.ID], parents[c.ID] = true, !inThread
	}
	return nil
}

// checkDirect refuses direct messages without members that are there, and notes their channel.
func (c *savedChannel) checkDirect(people, channels map[string]bool) error {
	if channels[c.ID] {
		return fmt.Errorf("there are two channels %s", c.ID)
	}
	channels[c.ID] = true
	for _, id := range c.Recipients {
		if !people[id] {
			return fmt.Errorf("a direct message has an unknown member")
		}
	}
	if len(c.Recipients) == 0 {
		return fmt.Errorf("a direct message is with nobody")
	}
	return nil
}

func (s *Server) restorePerson(v person) {
	if v.ID == s.app {
		return
	}
	p := s.people[v.ID]
	if p == nil {
		p = &v
		s.people[p.ID] = p
	}
	if s.byName[p.Username] == nil {
		s.byName[p.Username] = p
	}
	p.Locale, p.Closed, p.Installed = v.Locale, v.Closed, v.Installed
}

func (s *Server) restoreGuild(v savedGuild) {
	var g *guild
	if i := slices.IndexFunc(s.guilds, func(g *guild) bool { return g.id == v.ID }); i >= 0 {
		g = s.guilds[i]
	} else {
		g = &guild{id: v.ID, name: v.Name, joined: map[string]time.Time{}}
		s.guilds = append(s.guilds, g)
	}
	there := g.members
	g.owner, g.locale, g.bot, g.roles, g.members = v.Owner, v.Locale, g.bot || v.Bot, map[string]*role{},
		map[string][]string{}
	g.system = v.System
	for _, e := range v.Scheduled {
		g.scheduled = append(g.scheduled, &e)
	}
	for _, r := range v.Roles {
		g.roles[r.ID] = &r
	}
	for id, roles := range v.Members {
		g.members[id], g.joined[id] = roles, v.Joined[id]
	}
	for id := range there {
		s.joinGuild(g, s.people[id])
	}
	for _, c := range v.Channels {
		s.restoreChannel(c, g)
	}
}

// restoreChannel returns the channel, or nil where another server has its id.
func (s *Server) restoreChannel(v savedChannel, g *guild) *channel {
	c := s.channels[v.ID]
	if c != nil && c.guild != g {
		return nil
	}
	if c == nil {
		c = &channel{id: v.ID, name: v.Name, kind: v.Kind, guild: g, parent: s.channels[v.Parent]}
		for _, id := range v.Recipients {
			c.recipients = append(c.recipients, s.people[id])
		}
		s.channels[c.id] = c
		if g != nil {
			g.channels = append(g.channels, c)
		}
	}
	c.owner, c.created, c.archived, c.archivedAt, c.locked, c.posted = v.Owner, v.Created, v.Archived, v.ArchivedAt,
		v.Locked, v.Sent
	c.entered, c.auto, c.active = map[string]bool{c.owner: true}, cmp.Or(v.Auto, defaultAuto), v.Active
	if c.active.IsZero() { // of an older version
		c.active = s.now()
	}
	for _, id := range v.Entered {
		c.entered[id] = true
	}
	c.overwrites = map[string]overwrite{}
	for id, o := range v.Overwrites {
		c.overwrites[id] = overwrite{o[0], o[1]}
	}
	for _, m := range v.Messages {
		r := &record{msg: m.Message, ch: c, only: m.Only, ephemera: m.Notice, created: m.Created,
			oldEdits: m.OldEdits, by: m.By}
		for _, id := range m.Files {
			if b := s.blobs[id]; b != nil {
				r.blobs = append(r.blobs, b)
			}
		}
		s.append(r)
	}
	return c
}
