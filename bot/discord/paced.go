package discord

import (
	"context"
	"net/http"
	"time"

	"tengen/bot/chat"
	"tengen/bot/discord/pace"
	"tengen/internal/tasks"
)

// maxTries is how often one call is made.
const maxTries = 4

// paced makes a call in its turn. A rate-limited call is made again when Discord allows that. A
// failed call is made again only with again, which means that making it twice does no harm, or
// when it certainly did not reach Discord.
func (d *Adapter) paced(ctx context.Context, route, place string, again bool, c call) (reply, error) {
	if err := d.withheld(ctx, route, c); err != nil {
		return reply{}, err
	}
	p := d.pacer
	if c.public {
		p = d.hooks
	}
	wait := 200 * time.Millisecond
	for try := 1; ; try++ {
		leave, err := p.Enter(ctx, route, place)
		if err != nil {
			return reply{}, err
		}
		r, err := d.wire.do(ctx, c)
		var e *chat.Error
		if err != nil {
			e = err.(*chat.Error)
			d.metrics.Call(e.Trouble)
			if !c.public { // a bad token of an interaction says nothing of the bot's own
				d.learn(r, e, c.server)
			}
		}
		after := time.Duration(0)
		if e != nil {
			after = e.After
		}
		leave(r.status, r.header, after)
		if e == nil || try == maxTries || ctx.Err() != nil {
			return r, err
		}
		switch {
		case e.Trouble == chat.Busy && r.status == http.StatusTooManyRequests:
			// Enter waits, or fails where the wait is too long
		case e.Trouble == chat.Failed && (again || e.Unsent):
			if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < wait || tasks.Sleep(ctx, wait) != nil {
				return r, err
			}
			wait *= 3
		default:
			return r, err
		}
	}
}

// get asks for something in its turn.
func (d *Adapter) get(ctx context.Context, route, place, path string) (reply, error) {
	return d.paced(ctx, route, place, true, call{method: http.MethodGet, path: path})
}

// learn draws conclusions from a call with the bot's token that failed.
func (d *Adapter) learn(r reply, e *chat.Error, server uint64) {
	if r.status == http.StatusUnauthorized {
		d.giveUp(errToken())
	}
	if e.Trouble == chat.NoPlace {
		d.doubtServer(server)
	}
}

// withheld is the error of a call that is not made: the budget of invalid requests is spent, and no
// member waits for the call. A member waits for the calls of a handler, and for what an
// interaction's token shows. The way to the gateway has to stay open.
func (d *Adapter) withheld(ctx context.Context, route string, c call) error {
	if t, _ := ctx.Value(ticketKey{}).(*ticket); t != nil || c.public || route == routeGateway {
		return nil
	}
	after := d.invalid.Wait(time.Now())
	if after == 0 {
		return nil
	}
	d.metrics.Withheld("budget")
	return &chat.Error{Trouble: chat.Busy, After: after, Text: "too many calls were refused of late: " + route}
}

// meter counts the invalid requests of all calls.
type meter struct {
	transport
	d *Adapter
}

func (m meter) RoundTrip(q *http.Request) (*http.Response, error) {
	p, err := m.RoundTripper.RoundTrip(q)
	if err == nil && pace.Invalid(p) {
		m.d.metrics.Invalid(p.StatusCode)
		if m.d.invalid.Add(time.Now()) {
			m.d.log.Error("Discord has refused too many calls: for some minutes only those are made for which members wait",
				"refused", pace.InvalidBudget, "minutes", pace.InvalidWindow)
		}
	}
	return p, err
}

// transport is what lies under a meter or a noter.
type transport struct{ http.RoundTripper }

func (t transport) CloseIdleConnections() {
	if c, ok := t.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}
