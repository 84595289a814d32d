package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"time"

	"tengen/bot/chat"
	"tengen/game"
	"tengen/game/venue"
)

// The types of messages that members write.
const (
	plainMessage = 0
	replyMessage = 19
)

// rawSaid is what we read of a message that speaks to the bot.
type rawSaid struct {
	ID       flake     `json:"id"`
	Type     int       `json:"type"`
	Channel  flake     `json:"channel_id"`
	Guild    flake     `json:"guild_id"`
	Webhook  flake     `json:"webhook_id"`
	Content  string    `json:"content"`
	Author   rawUser   `json:"author"`
	Mentions []rawUser `json:"mentions"`
	Replied  struct {
		ID flake `json:"message_id"`
	} `json:"message_reference"`
}

// hear takes the raw event of a new message. Discord gives a bot without the privileged intent the
// content of three kinds of messages: those in its direct messages, those that mention it, and its
// own. A reply mentions the author of what it answers, unless its writer has switched that off. All
// other messages are dropped, before they are decoded where that can be.
func (d *Adapter) hear(raw []byte) {
	defer d.recover("gateway", "")
	self := d.ownID()
	id := digits(self)
	if bytes.Contains(raw, []byte(`"guild_id"`)) && !bytes.Contains(raw, []byte(`"`+id+`"`)) {
		return
	}
	var m rawSaid
	if json.Unmarshal(raw, &m) != nil || m.ID == 0 || m.Author.ID == 0 || m.Author.Bot || m.Webhook != 0 ||
		m.Type != plainMessage && m.Type != replyMessage {
		return
	}
	spoken := m.Guild == 0
	for _, u := range m.Mentions {
		spoken = spoken || uint64(u.ID) == self
	}
	named := strings.NewReplacer("<@"+id+">", " ", "<@!"+id+">", " ").Replace(m.Content)
	text := strings.TrimSpace(named)
	if len(text) > chat.LongestSaid {
		text = ""
	}
	called := m.Guild == 0 || named != m.Content
	if !spoken || text == "" && !called {
		return
	}
	d.sayOn(chat.Request{
		ID: uint64(m.ID), Kind: chat.Said, At: flakeTime(uint64(m.ID)), Name: "said", By: game.MemberID(m.Author.ID),
		Place: venue.Place{Server: uint64(m.Guild), Channel: uint64(m.Channel)}, Direct: m.Guild == 0, Alone: m.Guild == 0,
		Installed: true, Message: uint64(m.Replied.ID), Newest: uint64(m.ID), Said: text, Called: called,
	})
}

// sayOn hands a message on to the handler in a goroutine of its own. A message that the bot leaves alone
// is not logged.
func (d *Adapter) sayOn(r chat.Request) {
	if !d.begin() {
		return
	}
	go func() {
		defer d.work.Done()
		defer d.recover("handler", "", "id", r.ID, "command", r.Name)
		ctx, cancel := context.WithTimeout(d.life, handleLimit)
		defer cancel()
		began := time.Now()
		remark := d.handler.Handle(ctx, r)
		if remark == "" {
			return
		}
		d.log.Info("message", "id", r.ID, "outcome", remark, "ms", time.Since(began).Milliseconds())
		d.metrics.Interaction(r.Kind, remark, time.Since(began))
	}()
}
