package standin

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Permissions that the stand-in knows; Discord has more, and all are carried.
const (
	PermKickMembers     = 1 << 1
	PermBanMembers      = 1 << 2
	PermAdministrator   = 1 << 3
	PermManageChannels  = 1 << 4
	PermManageGuild     = 1 << 5
	PermAddReactions    = 1 << 6
	PermViewChannel     = 1 << 10
	PermSendMessages    = 1 << 11
	PermManageMessages  = 1 << 13
	PermEmbedLinks      = 1 << 14
	PermAttachFiles     = 1 << 15
	PermReadHistory     = 1 << 16
	PermMentionEveryone = 1 << 17
	PermExternalEmojis  = 1 << 18
	PermUseCommands     = 1 << 31
	PermManageEvents    = 1 << 33
	PermManageThreads   = 1 << 34
	PermPublicThreads   = 1 << 35
	PermPrivateThreads  = 1 << 36
	PermSendInThreads   = 1 << 38
	PermActivities      = 1 << 39
	PermCreateEvents    = 1 << 44
	PermExternalApps    = 1 << 50

	everyonePerms = PermAddReactions | PermViewChannel | PermSendMessages | PermEmbedLinks | PermAttachFiles |
		PermReadHistory | PermExternalEmojis | PermUseCommands | PermPublicThreads | PermPrivateThreads |
		PermSendInThreads | PermExternalApps | PermActivities
	// A member's rights in a direct message.
	directPerms = PermAddReactions | PermViewChannel | PermSendMessages | PermEmbedLinks | PermAttachFiles |
		PermReadHistory | PermExternalEmojis | PermUseCommands | PermMentionEveryone | PermExternalApps | PermActivities
	allPerms = 1<<53 - 1
)

func bitString(b uint64) string { return strconv.FormatUint(b, 10) }

func parseBits(s string) (uint64, error) { return strconv.ParseUint(s, 10, 64) }

type person struct {
	User      `json:"User"`
	Locale    string
	Closed    bool `json:",omitempty"` // takes no direct messages from the bot
	Installed bool `json:",omitempty"` // has installed the app for themselves
	Away      bool `json:"-"`          // is not there, as others see
	Without   bool `json:"-"`          // has a client that opens no Activities
}

type role struct {
	ID, Name string
	Perms    uint64
	Position int
}

type guild struct {
	id, name, owner string
	channels        []*channel
	roles           map[string]*role
	members         map[string][]string // roles of each member by id
	joined          map[string]time.Time
	bot             bool // the bot is a member
	locale          string
	system          string // the channel for Discord's notices; empty: none
	scheduled       []*Scheduled
}

type overwrite struct{ allow, deny uint64 }

type channel struct {
	id, name   string
	kind       int
	guild      *guild
	parent     *channel
	owner      string
	created    time.Time
	overwrites map[string]overwrite // by role or member
	recipients []*person
	messages   []*record
	newest     string          // id of the newest message to all, also once it is deleted
	entered    map[string]bool // of a thread: who is in it
	auto       int             // of a thread: minutes without a message until it is archived
	active     time.Time       // of a thread: when it last had a message, was opened or archived
	archived   bool
	archivedAt time.Time
	locked     bool
	posted     int
}

func (c *channel) thread() bool { return c.kind >= NewsThread && c.kind <= PrivateThread }
func (c *channel) direct() bool { return c.guild == nil }

// permissions gives what a member may do in a channel, by Discord's order:
// everyone, roles, overwrites for everyone, for the roles, for the member.
func (c *channel) permissions(id string) uint64 {
	if c.direct() {
		return directPerms
	}
	g := c.guild
	roles, in := g.members[id]
	perms := g.permissions(id)
	if !in || perms == allPerms {
		return perms
	}
	over := c.overwrites
	if c.thread() {
		over = c.parent.overwrites
	}
	apply := func(o overwrite) { perms = perms&^o.deny | o.allow }
	apply(over[g.id])
	var sum overwrite
	for _, r := range roles {
		sum.allow |= over[r].allow
		sum.deny |= over[r].deny
	}
	apply(sum)
	apply(over[id])
	if perms&PermViewChannel == 0 {
		return 0
	}
	return perms
}

// permissions gives what a member may do in a server, before its channels say otherwise.
func (g *guild) permissions(id string) uint64 {
	roles, in := g.members[id]
	if !in {
		return 0
	}
	if g.owner == id {
		return allPerms
	}
	perms := g.roles[g.id].Perms
	for _, r := range roles {
		if r := g.roles[r]; r != nil {
			perms |= r.Perms
		}
	}
	if perms&PermAdministrator != 0 {
		return allPerms
	}
	return perms
}

// sees reports whether a member sees the channel at all.
func (c *channel) sees(id string) bool {
	if c.direct() {
		return slices.ContainsFunc(c.recipients, func(p *person) bool { return p.ID == id })
	}
	return c.permissions(id)&PermViewChannel != 0
}

// maySend reports whether a member may write here, or why not.
func (c *channel) maySend(id string, files bool) error {
	perms := c.permissions(id)
	need := uint64(PermSendMessages)
	if c.thread() {
		need = PermSendInThreads
	}
	if files {
		need |= PermAttachFiles
	}
	if perms&PermViewChannel == 0 {
		return errMissingAccess
	}
	if perms&need != need {
		return errMissingPermission
	}
	return nil
}

// Name is the channel as places are written: #gomoku, or @ann for a DM.
func (c *channel) placeName() string {
	switch {
	case c.direct():
		return "@" + c.recipients[len(c.recipients)-1].Username
	case c.thread():
		return c.parent.placeName() + "/" + c.name
	}
	return "#" + c.name
}

func (s *Server) wireChannel(c *channel) *Channel {
	w := &Channel{ID: c.id, Type: c.kind, Name: c.name}
	w.LastMessageID = c.newest
	if c.direct() {
		for _, p := range c.recipients {
			if p != s.bot || c.kind != DirectMessage {
				w.Recipients = append(w.Recipients, p.User)
			}
		}
		return w
	}
	w.GuildID = c.guild.id
	if c.thread() {
		w.ParentID, w.OwnerID = c.parent.id, c.owner
		w.MessageCount, w.MemberCount = c.posted, len(c.entered)
		w.Thread = &threadMetadata{Archived: c.archived, Locked: c.locked, AutoArchive: c.auto,
			ArchivedAt: stamp(c.archivedAt), CreatedAt: stamp(c.created)}
		return w
	}
	w.Position = slices.Index(c.guild.channels, c)
	for _, id := range sortedKeys(c.overwrites) {
		o, kind := c.overwrites[id], 0
		if _, isMember := c.guild.members[id]; isMember {
			kind = 1
		}
		w.Overwrites = append(w.Overwrites, wireOverwrite{id, kind, bitString(o.allow), bitString(o.deny)})
	}
	return w
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000+00:00") }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// guild lookups; the caller holds s.mu.

func (s *Server) addGuild(name string, bot bool) *guild {
	g := &guild{id: s.fixedID("guild", name), name: name, roles: map[string]*role{}, members: map[string][]string{},
		joined: map[string]time.Time{}, locale: "en-US"}
	g.roles[g.id] = &role{ID: g.id, Name: "@everyone", Perms: everyonePerms}
	g.owner = s.person("owner").ID
	g.members[g.owner] = nil
	for _, p := range s.people {
		if p != s.bot {
			s.joinGuild(g, p)
		}
	}
	s.guilds = append(s.guilds, g)
	if bot {
		s.addBot(g)
	}
	return g
}

// fixedID is the id of a name. A place that was deleted and opened again gets another id.
func (s *Server) fixedID(kind, name string) string {
	id := named(kind, name)
	if s.given[id] {
		return s.id()
	}
	s.given[id] = true
	return id
}

func (s *Server) joinGuild(g *guild, p *person) {
	if _, in := g.members[p.ID]; !in {
		g.members[p.ID] = nil
		g.joined[p.ID] = s.now()
	}
}

func (s *Server) addBot(g *guild) {
	if g.bot {
		return
	}
	g.bot = true
	s.joinGuild(g, s.bot)
	s.dispatch("GUILD_CREATE", g, intentGuilds, s.guildCreate(g))
}

func (s *Server) addChannel(g *guild, name string) *channel {
	c := &channel{id: s.fixedID("channel", g.name+"#"+name), name: name, kind: TextChannel, guild: g,
		overwrites: map[string]overwrite{}, created: s.now()}
	g.channels = append(g.channels, c)
	s.channels[c.id] = c
	if g.bot {
		s.dispatch("CHANNEL_CREATE", g, intentGuilds, s.wireChannel(c))
	}
	s.feedAll("places")
	return c
}

func (s *Server) addThread(parent *channel, name, id, owner string, kind, auto int) *channel {
	c := &channel{id: id, name: name, kind: kind, guild: parent.guild, parent: parent, owner: owner, created: s.now(),
		archivedAt: s.now(), entered: map[string]bool{owner: true}, auto: cmp.Or(auto, defaultAuto), active: s.now()}
	parent.guild.channels = append(parent.guild.channels, c)
	s.channels[c.id] = c
	s.dispatch("THREAD_CREATE", c.guild, intentGuilds, s.wireChannel(c))
	s.feedAll("places")
	return c
}

// directWith finds or opens the direct message channel between people.
func (s *Server) directWith(people ...*person) *channel {
	key := directKey(people)
	if c := s.directs[key]; c != nil {
		return c
	}
	c := &channel{id: s.fixedID("direct", key), kind: DirectMessage, recipients: people, created: s.now()}
	s.directs[key], s.channels[c.id] = c, c
	return c
}

func directKey(people []*person) string {
	ids := make([]string, len(people))
	for i, p := range people {
		ids[i] = p.ID
	}
	slices.Sort(ids)
	return strings.Join(ids, "-")
}

// person finds a member by name, id or mention. A name that is heard for the
// first time makes a new member of every guild.
func (s *Server) person(name string) *person {
	name = strings.TrimPrefix(name, "@")
	if p := s.findPerson(name); p != nil {
		return p
	}
	shown := name
	p := &person{User: User{ID: s.fixedID("member", name), Username: name, Discriminator: "0", GlobalName: &shown},
		Locale: "en-US"}
	s.people[p.ID], s.byName[name] = p, p
	for _, g := range s.guilds {
		s.joinGuild(g, p)
	}
	return p
}

func (s *Server) findPerson(name string) *person {
	name = strings.TrimPrefix(name, "@")
	if name == "bot" {
		return s.bot
	}
	if p := s.byName[name]; p != nil {
		return p
	}
	return s.people[name]
}

func (s *Server) findGuild(name string) *guild {
	for _, g := range s.guilds {
		if name == "" || g.name == name || g.id == name {
			return g
		}
	}
	return nil
}

func (s *Server) guildNamed(name string) (*guild, error) {
	if g := s.findGuild(name); g != nil {
		return g, nil
	}
	return nil, fmt.Errorf("there is no server %q", name)
}

// place finds a channel as the member writes it: #gomoku or Club#gomoku,
// #gomoku/thread name, @bot or @bob for a direct message, or an id.
func (s *Server) place(as *person, name string) (*channel, error) {
	if c := s.channels[name]; c != nil {
		return c, nil
	}
	if who, ok := strings.CutPrefix(name, "@"); ok && as != nil {
		p := s.findPerson(who)
		if p == nil {
			return nil, fmt.Errorf("there is no member %s", who)
		}
		return s.directWith(as, p), nil
	}
	guildName, rest, ok := strings.Cut(name, "#")
	g := s.findGuild(guildName)
	if !ok || g == nil {
		return nil, fmt.Errorf("there is no place %q", name)
	}
	chanName, thread, inThread := strings.Cut(rest, "/")
	for i := len(g.channels) - 1; i >= 0; i-- { // of threads with one name, the newest
		c := g.channels[i]
		if !inThread && !c.thread() && c.name == chanName ||
			inThread && c.thread() && c.name == thread && c.parent.name == chanName {
			return c, nil
		}
	}
	return nil, fmt.Errorf("there is no place %q", name)
}

func (s *Server) removeChannel(c *channel) {
	if c.guild != nil {
		c.guild.channels = slices.DeleteFunc(c.guild.channels, func(x *channel) bool {
			if x == c || x.parent == c {
				delete(s.channels, x.id)
				if c.guild.system == x.id {
					c.guild.system = ""
				}
				for _, r := range x.messages {
					s.forget(r)
				}
				x.messages = nil
				return true
			}
			return false
		})
		event := "CHANNEL_DELETE"
		if c.thread() {
			event = "THREAD_DELETE"
		}
		if c.guild.bot {
			s.dispatch(event, c.guild, intentGuilds, s.wireChannel(c))
		}
	}
	s.feedAll("places")
	s.changed()
}

// guildCreate is the event by which a bot learns of a guild.
func (s *Server) guildCreate(g *guild) map[string]any {
	var channels, threads []*Channel
	for _, c := range g.channels {
		if c.thread() {
			if !c.archived {
				threads = append(threads, s.wireChannel(c))
			}
		} else {
			channels = append(channels, s.wireChannel(c))
		}
	}
	m := s.wireGuild(g)
	m["channels"], m["threads"] = list(channels), list(threads)
	m["members"] = []any{s.wireMember(g, s.bot)}
	m["joined_at"], m["large"], m["unavailable"] = stamp(g.joined[s.bot.ID]), false, false
	for _, k := range []string{"presences", "voice_states", "stage_instances", "guild_scheduled_events"} {
		m[k] = []any{}
	}
	return m
}

func (s *Server) wireGuild(g *guild) map[string]any {
	roles := []any{}
	for _, id := range sortedKeys(g.roles) {
		roles = append(roles, s.wireRole(g.roles[id]))
	}
	var system any
	if g.system != "" {
		system = g.system
	}
	return map[string]any{"id": g.id, "name": g.name, "owner_id": g.owner, "roles": roles, "emojis": []any{},
		"stickers": []any{}, "features": []string{}, "preferred_locale": g.locale, "member_count": len(g.members),
		"icon": nil, "description": nil, "verification_level": 0, "default_message_notifications": 0,
		"explicit_content_filter": 0, "mfa_level": 0, "system_channel_id": system, "system_channel_flags": 0,
		"premium_tier": 0, "nsfw_level": 0, "afk_timeout": 300}
}

func (s *Server) wireRole(r *role) map[string]any {
	return map[string]any{"id": r.ID, "name": r.Name, "permissions": bitString(r.Perms), "position": r.Position,
		"color": 0, "hoist": false, "managed": false, "mentionable": false, "flags": 0}
}

func (s *Server) wireMember(g *guild, p *person) map[string]any {
	roles := g.members[p.ID]
	if roles == nil {
		roles = []string{}
	}
	return map[string]any{"user": p.User, "roles": roles, "nick": nil, "avatar": nil, "joined_at": stamp(g.joined[p.ID]),
		"deaf": false, "mute": false, "flags": 0, "pending": false, "premium_since": nil, "communication_disabled_until": nil}
}

// list makes an empty list of nil, which JSON shows as [] instead of null.
func list[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}
