package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"tengen/bot/chat"
)

// Without a gateway nobody tells the bot that it came to a server or was removed from
// one. It looks at the list of its servers now and then, and soon after a call that was
// refused as if it was not there any more; of a server that it does not know it asks.

// lookPage is how many servers Discord lists at a time.
const lookPage = 200

// lookSoon is the least time between two looks.
const lookSoon = 30 * time.Second

// lookAround keeps the list of servers until ctx ends.
func (d *Adapter) lookAround(ctx context.Context) {
	every := d.options.Endpoint.Look
	if every == 0 {
		every = defaultLook
	}
	for first := true; ; {
		ids, err := d.listServers(ctx)
		switch {
		case err == nil:
			came, lost := d.servers.compare(ids)
			if first {
				d.tellSoon(ctx, func() { d.handler.Present(d.life, ids, func(uint64) bool { return true }) })
			}
			for _, id := range lost {
				d.tellSoon(ctx, func() { d.handler.Left(d.life, id) })
			}
			for _, id := range came {
				if !first { // at the start all of them are news to us, and to nobody else
					d.tellSoon(ctx, func() { d.handler.Joined(d.life, id) })
				}
			}
			first = false
		case ctx.Err() != nil:
			return
		default:
			d.log.Warn("list of servers", "error", err)
		}
		if pause(ctx, time.Now().Add(min(lookSoon, every)), nil) != nil {
			return
		}
		if pause(ctx, time.Now().Add(every-min(lookSoon, every)), d.doubt) != nil {
			return
		}
	}
}

// tellSoon queues news for the handler.
func (d *Adapter) tellSoon(ctx context.Context, f func()) {
	select {
	case d.news <- f:
	case <-ctx.Done():
	}
}

// listServers asks for all servers that the bot is in.
func (d *Adapter) listServers(ctx context.Context) ([]uint64, error) {
	var ids []uint64
	for after := uint64(0); ; {
		r, err := d.paced(ctx, "GET guilds", "", true, call{method: http.MethodGet,
			path: fmt.Sprintf("users/@me/guilds?limit=%d&after=%d", lookPage, after)})
		if err != nil {
			return nil, err
		}
		page, err := idsOf(r.body)
		if err != nil {
			return nil, err
		}
		ids = append(ids, page...)
		if len(page) < lookPage || slices.Max(page) <= after {
			return ids, nil
		}
		after = slices.Max(page)
	}
}

// idsOf reads the ids of a list of objects.
func idsOf(body []byte) ([]uint64, error) {
	var list []struct {
		ID flake `json:"id"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, fmt.Errorf("reading Discord's answer: %w", err)
	}
	var ids []uint64
	for _, o := range list {
		ids = append(ids, uint64(o.ID))
	}
	return ids, nil
}

// askServer finds out whether the bot is in a server of which it did not know.
func (d *Adapter) askServer(id uint64) {
	if !d.begin() {
		return
	}
	go func() {
		defer d.work.Done()
		defer d.recover("servers", "")
		ctx, cancel := context.WithTimeout(d.life, callLimit)
		defer cancel()
		place := strconv.FormatUint(id, 10)
		_, err := d.paced(ctx, "GET guild", place, true, call{method: http.MethodGet, path: "guilds/" + place})
		var e *chat.Error
		switch {
		case err == nil:
			if d.servers.add(id) && d.options.Endpoint != nil { // the gateway tells itself
				d.tellSoon(ctx, func() { d.handler.Joined(d.life, id) })
			}
		case errors.As(err, &e) && slices.Contains([]chat.Trouble{chat.NoPlace, chat.Gone, chat.Locked}, e.Trouble):
			d.servers.note(id, absent)
		default:
			d.servers.note(id, unknown)
		}
	}()
}

// doubtServers has the list of servers looked at before its time: a place is not there
// any more, and perhaps neither is its server.
func (d *Adapter) doubtServers() {
	select {
	case d.doubt <- struct{}{}:
	default:
	}
}
