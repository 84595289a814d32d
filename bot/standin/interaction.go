package standin

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"
)

// Kinds of interactions and of answers to them.
const (
	kindCommand      = 2
	kindComponent    = 3
	kindAutocomplete = 4
	kindModal        = 5

	answerMessage       = 4
	answerThinking      = 5
	answerUpdateLater   = 6
	answerUpdate        = 7
	answerChoices       = 8
	answerModal         = 9
	answerLaunch        = 12
	answerWithin        = 3 * time.Second
	tokenLife           = 15 * time.Minute
	maxUserInstallSends = 5
)

// interaction is one act of a member that the bot must answer.
type interaction struct {
	id, token  string
	kind       int
	name       string // of the command, or the custom id
	shown      string // as others see it: /play bot
	by         *person
	ch         *channel
	created    time.Time
	source     *record // the message whose component was pressed
	owners     map[string]string
	userOnly   bool // not installed in the guild: five follow-ups at most
	private    bool // replies are forced to be private
	focus      int  // type of the option in autocomplete
	original   *record
	followUps  int
	answered   int    // type of the callback; 0 while there is none
	instance   string // of the Activity that the answer has opened
	failed     bool
	waited     bool // someone waits for the reply
	timer      *time.Timer
	done       chan struct{} // closed when answered or failed
	sent, took time.Time     // frame written; callback received
	reply      Answer
	data       any // what the bot gets of it
	event      json.RawMessage
}

func (i *interaction) metadata() *interactionMetadata {
	m := &interactionMetadata{ID: i.id, Type: i.kind, User: i.by.User, Owners: i.owners}
	if i.source != nil {
		m.InteractedMessageID = i.source.msg.ID
	}
	return m
}

func (s *Server) newToken(id string) string {
	var b [64]byte
	for i := 0; i < len(b); i += 8 {
		v := s.rng.Uint64()
		for j := range 8 {
			b[i+j] = byte(v >> (8 * j))
		}
	}
	return base64.RawURLEncoding.EncodeToString([]byte("interaction:" + id + ":" + hex.EncodeToString(b[:])))
}

// begin stores an interaction and sends it to the bot; the caller holds s.mu.
func (s *Server) begin(i *interaction) {
	i.id = s.id()
	i.token = s.newToken(i.id)
	i.created = s.now()
	i.done = make(chan struct{})
	i.reply.Interaction = i.id
	s.setOwners(i)
	s.sweepInteractions()
	s.interactions[i.id], s.tokens[i.token] = i, i
	s.interactionOrder = append(s.interactionOrder, i)
	i.timer = time.AfterFunc(s.opts.AnswerWithin, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.expire(i)
	})
	s.sendInteraction(i, s.interactionEvent(i))
}

// sweepInteractions forgets the interactions whose tokens died long ago, so that memory
// stays bounded.
func (s *Server) sweepInteractions() {
	n := 0
	for n < len(s.interactionOrder) &&
		(s.now().Sub(s.interactionOrder[n].created) > 2*tokenLife || len(s.interactionOrder)-n > s.opts.KeepInteractions) {
		delete(s.interactions, s.interactionOrder[n].id)
		delete(s.tokens, s.interactionOrder[n].token)
		s.interactionOrder[n] = nil
		n++
	}
	s.interactionOrder = s.interactionOrder[n:]
}

// expire tells the member that no answer came in time.
func (s *Server) expire(i *interaction) {
	if i.answered != 0 || i.failed || s.closed {
		return
	}
	i.failed = true
	i.reply.Failed = s.bot.Username + " did not respond in time"
	s.failures++
	if i.kind != kindAutocomplete {
		r := &record{ch: i.ch, only: i.by.ID, created: s.now(), ephemera: true}
		r.msg = s.newMessage(i.ch, draft{author: s.bot.User, kind: 20, flags: flagEphemeral, meta: i})
		r.msg.Content = "The application did not respond"
		r.msg.Interaction = &messageInteraction{i.id, i.kind, i.shown, i.by.User}
		s.append(r)
		s.told(r, "message")
	}
	s.tellAnswer(i)
	close(i.done)
	s.changed()
}

// setOwners notes by which installations the member has the command, and whether that makes
// replies private.
func (s *Server) setOwners(i *interaction) {
	i.owners = map[string]string{}
	if i.by.Installed {
		i.owners["1"] = i.by.ID
	}
	switch {
	case i.ch.direct():
		if s.withBot(i.ch) {
			i.owners["0"] = "0"
		}
	case i.ch.guild.bot:
		i.owners["0"] = i.ch.guild.id
	}
	_, byGuild := i.owners["0"]
	i.userOnly = !byGuild
	if i.userOnly && i.ch.guild != nil && i.ch.permissions(i.by.ID)&PermExternalApps == 0 {
		i.private = true
	}
}

// withBot reports whether a direct message is the one with the bot.
func (s *Server) withBot(c *channel) bool {
	return slices.Contains(c.recipients, s.bot)
}

func (s *Server) interactionEvent(i *interaction) map[string]any {
	e := map[string]any{
		"id": i.id, "application_id": s.app, "type": i.kind, "token": i.token, "version": 1, "data": i.data,
		"channel_id": i.ch.id, "channel": s.interactionChannel(i), "locale": i.by.Locale, "entitlements": []any{},
		"entitlement_sku_ids": []any{}, "authorizing_integration_owners": i.owners, "attachment_size_limit": MaxFileSize,
		"app_permissions": bitString(s.appPermissions(i)),
	}
	switch {
	case i.ch.guild != nil:
		g := i.ch.guild
		m := s.wireMember(g, i.by)
		m["permissions"] = bitString(i.ch.permissions(i.by.ID))
		e["member"], e["guild_id"], e["guild_locale"], e["context"] = m, g.id, g.locale, 0
		e["guild"] = map[string]any{"id": g.id, "locale": g.locale, "features": []string{}}
	case s.withBot(i.ch):
		e["user"], e["context"] = i.by.User, 1
	default:
		e["user"], e["context"] = i.by.User, 2
	}
	if i.source != nil {
		e["message"] = i.source.msg.unlisted()
	}
	return e
}

func (s *Server) interactionChannel(i *interaction) *Channel {
	c := s.wireChannel(i.ch)
	c.Permissions = bitString(i.ch.permissions(i.by.ID))
	c.Overwrites = nil
	return c
}

// appPermissions are the bot's permissions in the place or, where the bot is no
// member, those of a user-installed app.
func (s *Server) appPermissions(i *interaction) uint64 {
	if i.ch.guild == nil {
		return directPerms
	}
	if i.ch.guild.bot {
		return i.ch.permissions(s.bot.ID)
	}
	return i.ch.permissions(i.by.ID) & (PermViewChannel | PermSendMessages | PermEmbedLinks | PermAttachFiles |
		PermMentionEveryone | PermExternalEmojis | PermExternalApps)
}
