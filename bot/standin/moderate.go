package standin

import (
	"fmt"
	"slices"
	"strings"
)

// moderations are the actions that change the place itself.
var moderations = map[string]func(s *Server, who *person, a Action) (Result, error){
	"add-guild":      (*Server).openGuild,
	"add-channel":    (*Server).openChannel,
	"add-thread":     (*Server).openThread,
	"server":         (*Server).serverID,
	"kick-bot":       inGuild(func(s *Server, g *guild, _ *person, _ Action) { s.removeBot(g) }),
	"invite-bot":     inGuild(func(s *Server, g *guild, _ *person, _ Action) { s.authorize(g) }),
	"system-channel": inChannel((*Server).setSystem),
	"outage":         inGuild((*Server).outage),
	"moderate":       inGuild((*Server).giveRole),
	"role":           inGuild((*Server).giveNamed),
	"everyone":       inGuild((*Server).setEveryone),
	"delete-channel": inChannel(func(s *Server, c *channel, _ Action) error { s.removeChannel(c); return nil }),
	"archive":        inThread(nil),
	"lock":           inThread(new(true)),
	"deny":           inChannel((*Server).overwrite),
	"allow":          inChannel((*Server).overwrite),
	"permit":         inChannel((*Server).overwrite),
	"delete-message": (*Server).memberDeletes,
	"scheduled":      (*Server).listScheduled,
	"unschedule":     inGuild(func(s *Server, g *guild, _ *person, a Action) { s.dropScheduled(g, a.At) }),
	"emojis":         (*Server).listEmojis,
	"add-emoji":      (*Server).operatorAdds,
	"delete-emoji":   (*Server).operatorDeletes,
	"replay":         (*Server).replay,
	"drop":           onSockets(func(_ *Server, c *gatewayConn, _ Action) { c.drop() }),
	"reconnect":      onSockets(func(_ *Server, c *gatewayConn, _ Action) { c.op(7, nil) }),
	"invalidate":     onSockets((*Server).invalidate),
	"close":          onSockets((*Server).closeSocket),
	"forget":         (*Server).forgetLost,
	"outgrow":        (*Server).outgrow,
	"advance":        (*Server).advance,
}

// inGuild makes an action of what happens to the server that it names.
func inGuild(do func(*Server, *guild, *person, Action)) func(*Server, *person, Action) (Result, error) {
	return func(s *Server, who *person, a Action) (Result, error) {
		g, err := s.guildNamed(a.Name)
		if err == nil {
			do(s, g, who, a)
		}
		return Result{}, err
	}
}

// inChannel makes an action of what happens to the channel or thread at its place.
func inChannel(do func(*Server, *channel, Action) error) func(*Server, *person, Action) (Result, error) {
	return func(s *Server, who *person, a Action) (Result, error) {
		c, err := s.place(who, a.At)
		if err != nil {
			return Result{}, err
		}
		return Result{}, do(s, c, a)
	}
}

// inThread makes an action that archives a thread, and locks it where locked says so.
func inThread(locked *bool) func(*Server, *person, Action) (Result, error) {
	return inChannel(func(s *Server, c *channel, a Action) error {
		if !c.thread() {
			return fmt.Errorf("%s is no thread", a.At)
		}
		s.setThread(c, new(true), locked)
		return nil
	})
}

// onSockets makes an action of what happens to every gateway connection.
func onSockets(do func(*Server, *gatewayConn, Action)) func(*Server, *person, Action) (Result, error) {
	return func(s *Server, _ *person, a Action) (Result, error) {
		for c := range s.conns {
			do(s, c, a)
		}
		return Result{}, nil
	}
}

func (s *Server) serverID(_ *person, a Action) (r Result, err error) {
	g, err := s.guildNamed(a.Name)
	if err == nil {
		r.IDs = []string{g.id}
	}
	return r, err
}

func (s *Server) openGuild(_ *person, a Action) (r Result, err error) {
	if a.Name == "" || s.findGuild(a.Name) != nil {
		return r, fmt.Errorf("there is a server %q already", a.Name)
	}
	g := s.addGuild(a.Name, false)
	for _, name := range a.Values {
		s.addChannel(g, name)
	}
	if a.WithBot {
		s.authorize(g)
	}
	r.IDs = []string{g.id}
	return r, nil
}

// setSystem makes a channel the one for Discord's notices.
func (s *Server) setSystem(c *channel, a Action) error {
	if c.guild == nil || c.thread() {
		return fmt.Errorf("%s is no channel of a server", a.At)
	}
	c.guild.system = c.id
	s.dispatch("GUILD_UPDATE", c.guild, intentGuilds, s.wireGuild(c.guild))
	return nil
}

func (s *Server) openChannel(_ *person, a Action) (r Result, err error) {
	name, channel, ok := strings.Cut(a.At, "#")
	g := s.findGuild(name)
	if g == nil || !ok || channel == "" {
		return r, fmt.Errorf("%q is not a channel's name, such as #name or Server#name", a.At)
	}
	if _, err := s.place(nil, a.At); err == nil {
		return r, fmt.Errorf("there is a channel %s already", a.At)
	}
	c := s.addChannel(g, channel)
	if a.News {
		c.kind = NewsChannel
	}
	r.IDs = []string{c.id}
	return r, nil
}

func (s *Server) openThread(who *person, a Action) (r Result, err error) {
	c, err := s.place(who, a.At)
	if err != nil {
		return r, err
	}
	id := a.Target
	if id == "" {
		id = s.id()
	}
	if c.guild == nil || c.thread() || s.channels[id] != nil {
		return r, fmt.Errorf("no thread %s can be opened at %s", id, a.At)
	}
	r.IDs = []string{s.addThread(c, a.Name, id, s.bot.ID, PublicThread, 0).id}
	return r, nil
}

func (s *Server) outage(g *guild, _ *person, a Action) {
	if a.Down {
		s.dispatch("GUILD_DELETE", g, intentGuilds, map[string]any{"id": g.id, "unavailable": true})
	} else if g.bot {
		s.dispatch("GUILD_CREATE", g, intentGuilds, s.guildCreate(g))
	}
}

// giveRole gives a member a role of their own, with the action's permissions.
func (s *Server) giveRole(g *guild, who *person, a Action) {
	saw := s.inSight(g)
	s.grant(g, who, "moderator of "+who.Username, a.Permit)
	if who == s.bot { // of others Discord tells with the intent of members alone
		member := s.wireMember(g, who)
		member["guild_id"] = g.id
		s.dispatch("GUILD_MEMBER_UPDATE", g, intentGuilds, member)
	}
	s.syncThreads(g, saw)
}

// giveNamed gives a member the role with the action's text as its name, which permits nothing.
func (s *Server) giveNamed(g *guild, who *person, a Action) {
	for _, id := range sortedKeys(g.roles) {
		if g.roles[id].Name == a.Text {
			g.members[who.ID] = append(g.members[who.ID], id)
			return
		}
	}
	s.grant(g, who, a.Text, 0)
}

// grant gives a member a new role.
func (s *Server) grant(g *guild, who *person, name string, perms uint64) {
	role := &role{s.id(), name, perms, 1}
	g.roles[role.ID] = role
	g.members[who.ID] = append(g.members[who.ID], role.ID)
	s.dispatch("GUILD_ROLE_CREATE", g, intentGuilds, map[string]any{"guild_id": g.id, "role": s.wireRole(role)})
}

// setEveryone sets what all members of a server may do.
func (s *Server) setEveryone(g *guild, _ *person, a Action) {
	saw := s.inSight(g)
	g.roles[g.id].Perms = a.Permit
	s.dispatch("GUILD_ROLE_UPDATE", g, intentGuilds, map[string]any{"guild_id": g.id, "role": s.wireRole(g.roles[g.id])})
	s.syncThreads(g, saw)
	s.feedAll("places")
}

// inSight are the channels of a server that the bot sees.
func (s *Server) inSight(g *guild) map[*channel]bool {
	seen := map[*channel]bool{}
	for _, c := range g.channels {
		seen[c] = c.sees(s.bot.ID)
	}
	return seen
}

// syncThreads tells the bot of the threads in channels that it sees now and did not see before.
func (s *Server) syncThreads(g *guild, saw map[*channel]bool) {
	var channels []string
	var threads []*Channel
	for _, c := range g.channels {
		if !saw[c] && c.sees(s.bot.ID) && c.thread() && !c.archived {
			threads = append(threads, s.wireChannel(c))
			if !slices.Contains(channels, c.parent.id) {
				channels = append(channels, c.parent.id)
			}
		}
	}
	if len(threads) > 0 {
		s.dispatch("THREAD_LIST_SYNC", g, intentGuilds,
			map[string]any{"guild_id": g.id, "channel_ids": channels, "threads": threads, "members": []any{}})
	}
}

func (s *Server) memberDeletes(who *person, a Action) (r Result, err error) {
	m := s.messages[a.At]
	if m == nil {
		return r, fmt.Errorf("there is no message %s", a.At)
	}
	if who != nil && m.only != who.ID && m.msg.Author.ID != who.ID && m.ch.permissions(who.ID)&PermManageMessages == 0 {
		return r, refuse("%s may not delete the message", who.Username)
	}
	s.remove(m)
	return r, nil
}

// overwrite changes what someone may do in a channel: deny, allow, or permit, which takes
// both back.
func (s *Server) overwrite(c *channel, a Action) error {
	if c.guild == nil {
		return fmt.Errorf("%s is not in a server and has no permissions", a.At)
	}
	id := c.guild.id
	if a.Target != "everyone" {
		id = s.person(a.Target).ID
	}
	if c.overwrites == nil {
		c.overwrites = map[string]overwrite{}
	}
	o, saw := c.overwrites[id], s.inSight(c.guild)
	switch a.Do {
	case "deny":
		c.overwrites[id] = overwrite{o.allow &^ a.Permit, o.deny | a.Permit}
	case "allow":
		c.overwrites[id] = overwrite{o.allow | a.Permit, o.deny &^ a.Permit}
	case "permit":
		delete(c.overwrites, id)
	}
	s.dispatch("CHANNEL_UPDATE", c.guild, intentGuilds, s.wireChannel(c))
	s.syncThreads(c.guild, saw)
	s.feedAll("places")
	return nil
}

// replay sends the bot an interaction once more.
func (s *Server) replay(_ *person, a Action) (r Result, err error) {
	i := s.interactions[a.At]
	if i == nil || i.event == nil {
		return r, fmt.Errorf("the interaction %s is not kept", a.At)
	}
	s.deliver(i, i.event)
	return r, nil
}

func (s *Server) invalidate(c *gatewayConn, a Action) {
	if !a.Resumable && c.session != nil {
		delete(s.sessions, c.session.id)
		c.session = nil // the bot identifies again on the same socket
	}
	c.op(9, a.Resumable)
}

// outgrow advises Count shards from now on, refuses fewer, and voids the session of shard 0.
func (s *Server) outgrow(_ *person, a Action) (Result, error) {
	if a.Count <= s.opts.Shards {
		return Result{}, fmt.Errorf("%d shards are no more than %d", a.Count, s.opts.Shards)
	}
	s.opts.Shards, s.leastShards = a.Count, a.Count
	for c := range s.conns {
		if c.session != nil && c.session.shard == 0 {
			s.invalidate(c, a)
		}
	}
	return Result{}, nil
}

// forgetLost forgets the sessions without a connection, as Discord does after some minutes.
func (s *Server) forgetLost(*person, Action) (r Result, err error) {
	for id, ss := range s.sessions {
		if ss.conn == nil {
			delete(s.sessions, id)
		}
	}
	return r, nil
}

func (s *Server) closeSocket(c *gatewayConn, a Action) {
	endsSession := a.CloseCode == CloseBadToken || a.CloseCode == CloseSequence || a.CloseCode == CloseTimeout
	if endsSession && c.session != nil {
		delete(s.sessions, c.session.id)
	}
	c.close(a.CloseCode, "closed by the test")
}

// advance puts the clock forward and lets the interactions expire whose time is over then.
func (s *Server) advance(_ *person, a Action) (r Result, err error) {
	s.clock.advance(a.For)
	for _, i := range s.interactionOrder {
		if i.answered == 0 && !i.failed && s.now().Sub(i.created) > s.opts.AnswerWithin {
			i.timer.Stop()
			s.expire(i)
		}
	}
	return r, nil
}
