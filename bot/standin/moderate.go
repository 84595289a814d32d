package standin

import (
	"fmt"
	"strings"
	"time"
)

// moderate does what changes the place itself.
func (s *Server) moderate(who *person, a Action) (Result, error) {
	var r Result
	switch a.Do {
	case "add-guild":
		if a.Name == "" || s.findGuild(a.Name) != nil {
			return r, fmt.Errorf("there is a server %q", a.Name)
		}
		g := s.addGuild(a.Name, false)
		for _, name := range a.Values {
			s.addChannel(g, name)
		}
		if a.Code == 1 {
			s.addBot(g)
		}
		r.IDs = []string{g.id}
		return r, nil
	case "add-channel":
		name, channel, ok := strings.Cut(a.At, "#")
		g := s.findGuild(name)
		if g == nil || !ok || channel == "" {
			return r, fmt.Errorf("%q is no name for a channel, as #name or Server#name", a.At)
		}
		if _, err := s.place(nil, a.At); err == nil {
			return r, fmt.Errorf("there is a channel %s", a.At)
		}
		r.IDs = []string{s.addChannel(g, channel).id}
		return r, nil
	case "add-thread":
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
		r.IDs = []string{s.addThread(c, a.Name, id, s.bot.ID, PublicThread).id}
		return r, nil
	case "kick-bot", "invite-bot", "outage", "moderate":
		g := s.findGuild(a.Name)
		switch {
		case g == nil:
			return r, fmt.Errorf("there is no server %q", a.Name)
		case a.Do == "kick-bot":
			s.removeBot(g)
		case a.Do == "invite-bot":
			s.addBot(g)
		case a.Do == "outage":
			if a.Code == 1 {
				s.dispatch("GUILD_DELETE", g, intentGuilds, map[string]any{"id": g.id, "unavailable": true})
			} else if g.bot {
				s.dispatch("GUILD_CREATE", g, intentGuilds, s.guildCreate(g))
			}
		default:
			role := &role{id: s.id(), name: "moderator of " + who.Username, perms: a.Permit, position: 1}
			g.roles[role.id] = role
			g.members[who.ID] = append(g.members[who.ID], role.id)
		}
		return r, nil
	case "delete-message":
		return r, s.memberDeletes(who, a.At)
	case "delete-channel", "archive", "lock", "unarchive", "deny", "allow", "permit":
		c, err := s.place(who, a.At)
		if err != nil {
			return r, err
		}
		return r, s.moderateChannel(c, a)
	case "advance":
		s.advance(a.For)
		return r, nil
	case "drop", "reconnect", "invalidate", "close":
		s.sockets(a)
		return r, nil
	case "replay":
		i := s.interactions[a.At]
		if i == nil || i.event == nil {
			return r, fmt.Errorf("the interaction %s is not kept", a.At)
		}
		s.deliver(i, i.event)
		return r, nil
	}
	return r, fmt.Errorf("there is no action %q", a.Do)
}

func (s *Server) memberDeletes(who *person, id string) error {
	m := s.messages[id]
	if m == nil {
		return fmt.Errorf("there is no message %s", id)
	}
	if who != nil && m.only != who.ID && m.msg.Author.ID != who.ID && m.ch.permissions(who.ID)&PermManageMessages == 0 {
		return refuse("%s may not delete the message", who.Username)
	}
	s.remove(m)
	return nil
}

func (s *Server) moderateChannel(c *channel, a Action) error {
	yes, no := true, false
	switch a.Do {
	case "delete-channel":
		s.removeChannel(c)
		return nil
	case "archive", "lock", "unarchive":
		if !c.thread() {
			return fmt.Errorf("%s is no thread", a.At)
		}
		switch a.Do {
		case "archive":
			s.setThread(c, &yes, nil)
		case "lock":
			s.setThread(c, &yes, &yes)
		default:
			s.setThread(c, &no, &no)
		}
		return nil
	}
	if c.guild == nil {
		return fmt.Errorf("%s has no permissions", a.At)
	}
	id := c.guild.id
	if a.Target != "everyone" {
		id = s.person(a.Target).ID
	}
	o := c.overwrites[id]
	switch a.Do {
	case "deny":
		o = overwrite{o.allow &^ a.Permit, o.deny | a.Permit}
	case "allow":
		o = overwrite{o.allow | a.Permit, o.deny &^ a.Permit}
	}
	if c.overwrites == nil {
		c.overwrites = map[string]overwrite{}
	}
	c.overwrites[id] = o
	if a.Do == "permit" {
		delete(c.overwrites, id)
	}
	s.dispatch("CHANNEL_UPDATE", c.guild, intentGuilds, s.wireChannel(c))
	s.feedPlaces()
	return nil
}

// advance puts the clock forward and lets time out what is then too late.
func (s *Server) advance(d time.Duration) {
	s.clock.advance(d)
	for _, i := range s.order {
		if i.answered == 0 && !i.failed && s.now().Sub(i.created) > s.opts.AnswerWithin {
			i.timer.Stop()
			s.expire(i)
		}
	}
}

// sockets does something to every gateway connection.
func (s *Server) sockets(a Action) {
	for c := range s.conns {
		switch a.Do {
		case "drop":
			c.drop()
		case "reconnect":
			c.push(frame{data: []byte(`{"op":7,"s":null,"t":null,"d":null}`)})
		case "invalidate":
			again := "false"
			if a.Code == 1 {
				again = "true"
			} else if c.session != nil {
				delete(s.sessions, c.session.id)
				c.session = nil // the bot identifies again on the same socket
			}
			c.push(frame{data: []byte(`{"op":9,"s":null,"t":null,"d":` + again + `}`)})
		default:
			if a.Code == CloseBadToken || a.Code == CloseSequence || a.Code == CloseTimeout {
				if c.session != nil {
					delete(s.sessions, c.session.id)
				}
			}
			c.close(a.Code, "closed by the test")
		}
	}
}
