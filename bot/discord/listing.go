package discord

import (
	"context"
	"net/http"
	"time"

	"tengen/bot/chat"
	"tengen/bot/discord/body"
)

// Discord's names for what a listing is: a scheduled event outside its voice channels, for the members
// of the server. The statuses of a listing have the numbers that Discord gives them.
const (
	externalEvent = 3
	membersOnly   = 2
)

// scheduled is a scheduled event on the wire. What is left out of a change stays as it is.
type scheduled struct {
	Name        string          `json:"name,omitempty"`
	Description string          `json:"description,omitempty"`
	Metadata    *scheduledPlace `json:"entity_metadata,omitempty"`
	Starts      time.Time       `json:"scheduled_start_time,omitzero"`
	Ends        time.Time       `json:"scheduled_end_time,omitzero"`
	Status      chat.Status     `json:"status,omitempty"`
	Privacy     int             `json:"privacy_level,omitempty"`
	Entity      int             `json:"entity_type,omitempty"`
}

type scheduledPlace struct {
	Location string `json:"location"`
}

// listed is a scheduled event as Discord lists it.
type listed struct {
	scheduled
	ID      flake `json:"id"`
	Creator flake `json:"creator_id"`
}

// List makes a listing, or changes it, and gives its id.
func (d *Adapter) List(ctx context.Context, server uint64, l chat.Listing) (uint64, error) {
	place := digits(server)
	s := scheduled{Name: body.Cut(l.Name, 100), Description: body.Cut(l.About, 1000), Starts: l.Starts.UTC(),
		Ends: l.Ends.UTC(), Status: l.Status}
	if l.Where != "" {
		s.Metadata = &scheduledPlace{body.Cut(l.Where, 100)}
	}
	c := call{method: http.MethodPatch, path: "guilds/" + place + "/scheduled-events/" +
		digits(l.ID), payload: &s}
	if l.ID == 0 {
		s.Privacy, s.Entity, s.Status = membersOnly, externalEvent, 0
		c.method, c.path = http.MethodPost, "guilds/"+place+"/scheduled-events"
	}
	r, err := d.paced(ctx, c.method+" scheduled events", place, l.ID != 0, c)
	id := messageID(r.body)
	if err == nil && id == 0 {
		err = &chat.Error{Trouble: chat.Failed, Text: "Discord's answer names no scheduled event"}
	}
	return id, err
}

// Listings are the bot's own listings of a server that are not over.
func (d *Adapter) Listings(ctx context.Context, server uint64) ([]chat.Listing, error) {
	self, app := d.self.Load(), d.app.Load()
	if self == 0 && app == 0 {
		return nil, &chat.Error{Trouble: chat.Failed, Text: "the bot does not know itself yet"}
	}
	place := digits(server)
	all, err := getList[listed](ctx, d, "GET scheduled events", place, "guilds/"+place+"/scheduled-events")
	var list []chat.Listing
	for _, e := range all {
		own := e.Creator != 0 && (uint64(e.Creator) == self || uint64(e.Creator) == app)
		if own && (e.Status == chat.Ahead || e.Status == chat.Underway) {
			list = append(list, chat.Listing{ID: uint64(e.ID), Name: e.Name, About: e.Description, Starts: e.Starts,
				Ends: e.Ends, Status: e.Status})
		}
	}
	return list, err
}

// Unlist deletes a listing.
func (d *Adapter) Unlist(ctx context.Context, server, id uint64) error {
	place := digits(server)
	_, err := d.paced(ctx, "DELETE scheduled events", place, true,
		call{method: http.MethodDelete, path: "guilds/" + place + "/scheduled-events/" + digits(id)})
	return err
}
