package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"

	"tengen/bot/chat"
	"tengen/internal/tasks"
)

// Discord tells of an arrival in two ways. The gateway lists each server when a session begins, and one that the bot
// has just come to, with the time at which it came. Over HTTP there is an event of its own for a server that has
// authorized the application (APPLICATION_AUTHORIZED), where the operator has subscribed to it. Discord sends that
// event too when a server authorizes the application again, so the bot asks since when it is a member there.

// rawServer is what we read of a server.
type rawServer struct {
	ID      flake `json:"id"`
	Joined  loose `json:"joined_at"` // in the gateway's listing alone
	Notices flake `json:"system_channel_id"`
	Locale  loose `json:"preferred_locale"`
}

// arrived tells the handler of the listing of a server where the bot has just come.
func (d *Adapter) arrived(listing []byte) {
	var s rawServer
	if json.Unmarshal(listing, &s) == nil {
		d.tellArrival(s)
	}
}

// tellArrival tells the handler of a server where the bot has just come, if it has.
func (d *Adapter) tellArrival(s rawServer) {
	at, err := time.Parse(time.RFC3339, string(s.Joined))
	a := chat.Arrival{Server: uint64(s.ID), At: at, Notices: uint64(s.Notices), Locale: string(s.Locale)}
	if err == nil && a.Fresh(d.now()) {
		d.news.add(func() { d.handler.Came(d.life, a) })
	}
}

// event is an event that Discord sends over HTTP, or its question whether events are taken here.
type event struct {
	Type string `json:"type"`
	Data struct {
		Scopes []string  `json:"scopes"` // without "bot" the server has the commands alone
		Server rawServer `json:"guild"`  // none where a member has installed the application for themselves
	} `json:"data"`
}

// The types of what Discord posts where it sends events.
const (
	eventPing = 0
	anEvent   = 1
)

// How often, and how soon again, Discord is asked since when the bot is a member.
const (
	memberTries = 3
	memberPause = 2 * time.Second
)

// asEvent reads a body as an event. It is nil where Discord only asks; ok is false where the body is no event. Every
// interaction has a token, and no event has: most bodies need not be read for this.
func asEvent(body []byte) (e *event, ok bool) {
	var raw struct {
		Type  *int   `json:"type"`
		Event *event `json:"event"`
	}
	if bytes.Contains(body, []byte(`"token":`)) || json.Unmarshal(body, &raw) != nil || raw.Type == nil {
		return nil, false
	}
	return raw.Event, *raw.Type == eventPing && raw.Event == nil || *raw.Type == anEvent && raw.Event != nil
}

// hearEvent takes an event over HTTP. Nobody waits for what comes of it.
func (d *Adapter) hearEvent(e *event) error {
	if e == nil || e.Type != "APPLICATION_AUTHORIZED" || e.Data.Server.ID == 0 ||
		!slices.Contains(e.Data.Scopes, "bot") {
		return nil
	}
	if !d.begin() {
		return errEnding
	}
	go func() {
		defer d.work.Done()
		defer d.recover("servers", "")
		ctx, cancel := context.WithTimeout(d.life, callLimit)
		defer cancel()
		s := e.Data.Server
		var err error
		for try := 1; ; try++ { // the event may be ahead of the membership
			s.Joined, err = d.memberSince(ctx, uint64(s.ID))
			if err == nil || try == memberTries || tasks.Sleep(ctx, memberPause) != nil {
				break
			}
		}
		if err != nil {
			d.log.Info("Discord does not say since when the bot is in a server", "server", uint64(s.ID), "error", err)
			return
		}
		if id := uint64(s.ID); len(d.servers.add(id)) > 0 {
			d.news.add(func() { d.handler.Joined(d.life, id) })
		}
		d.tellArrival(s)
	}()
	return nil
}

// memberSince asks Discord since when the bot is a member of a server.
func (d *Adapter) memberSince(ctx context.Context, server uint64) (loose, error) {
	place := digits(server)
	r, err := d.get(ctx, "GET guild member", place, "guilds/"+place+"/members/"+digits(d.ownID()))
	if err != nil {
		return "", err
	}
	var member struct {
		Joined loose `json:"joined_at"`
	}
	err = json.Unmarshal(r.body, &member)
	return member.Joined, err
}

// ownID is the bot's id as a member, as far as Discord has said it.
func (d *Adapter) ownID() uint64 {
	if self := d.self.Load(); self != 0 {
		return self
	}
	return d.app.Load()
}
