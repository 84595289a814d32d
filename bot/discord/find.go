package discord

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"tengen/bot/chat"
)

// Discord answers a search for what was posted with nothing where the bot may not read it, and
// with pages of at most a hundred messages.
const (
	findPage  = 100
	findPages = 5
	findSlack = time.Minute     // by which Discord's clock may differ from ours
	findSpan  = 3 * time.Minute // after which no message is the one that is looked for
)

// posted is a message in a channel, as far as Find looks at it.
type posted struct {
	ID     flake `json:"id"`
	Author struct {
		ID flake `json:"id"`
	} `json:"author"`
	Webhook    flake `json:"webhook_id"` // of what an interaction's token posted: the application
	Components []struct {
		Mark uint32 `json:"id"`
	} `json:"components"`
}

// Find looks for a message of the bot's own that bears a mark.
func (d *Adapter) Find(ctx context.Context, channel uint64, mark uint32, since time.Time) (uint64, error) {
	after, seen := flakeAt(since.Add(-findSlack)), 0
	for range findPages {
		list, err := d.history(ctx, channel, fmt.Sprintf("limit=%d&after=%d", findPage, after))
		if err != nil {
			return 0, err
		}
		for _, m := range list {
			if d.own(m) && len(m.Components) > 0 && m.Components[0].Mark == mark {
				return uint64(m.ID), nil
			}
			after = max(after, uint64(m.ID))
		}
		if seen += len(list); len(list) < findPage || flakeTime(after).After(since.Add(findSpan)) {
			return 0, d.readable(ctx, channel, seen)
		}
	}
	return 0, &chat.Error{Trouble: chat.Locked, Text: "too many messages to look through"}
}

// own reports whether the bot posted a message, by whichever token.
func (d *Adapter) own(m posted) bool {
	self, app := d.self.Load(), d.app.Load()
	return m.Author.ID != 0 && uint64(m.Author.ID) == self ||
		app != 0 && (uint64(m.Webhook) == app || uint64(m.Author.ID) == app)
}

// readable is an error where the bot may not read what was posted in a channel: Discord then shows
// it as empty.
func (d *Adapter) readable(ctx context.Context, channel uint64, seen int) error {
	if seen > 0 {
		return nil
	}
	list, err := d.history(ctx, channel, "limit=1")
	if err == nil && len(list) == 0 {
		err = &chat.Error{Trouble: chat.Locked, Text: "the channel is empty, or the bot may not read what was posted there"}
	}
	return err
}

func (d *Adapter) history(ctx context.Context, channel uint64, query string) ([]posted, error) {
	place := digits(channel)
	return getList[posted](ctx, d, "GET messages", place, "channels/"+place+"/messages?"+query)
}

// getList asks for a list of things. Those of others may hold what we do not know, and are then read in part.
func getList[T any](ctx context.Context, d *Adapter, route, place, path string) ([]T, error) {
	r, err := d.get(ctx, route, place, path)
	if err != nil {
		return nil, err
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(r.body, &raw); err != nil {
		return nil, &chat.Error{Trouble: chat.Failed, Text: "reading Discord's answer: " + err.Error()}
	}
	list := make([]T, len(raw))
	for i := range raw {
		json.Unmarshal(raw[i], &list[i])
	}
	return list, nil
}
