// Package pace keeps calls to Discord within its limits: it knows when a call may go, what
// Discord refused a short while ago, and how many refusals are left. It makes no call itself.
package pace

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"tengen/bot/chat"
)

// Bounds of the pacer.
const (
	PerSecond  = 48               // calls with the bot's token; Discord allows 50, and discordgo makes some of its own
	longestWay = 5 * time.Second  // a call that has not returned after this is taken to have arrived
	manyLimits = 512              // with more limits than this, idle ones are forgotten
	rounding   = time.Millisecond // of the times in Discord's headers
)

// Pacer keeps calls within Discord's limits. Each route and place has a rate limit, which Discord's
// headers describe, and all calls with the bot's token share one gate. A waiting call holds no
// lock and obeys its context.
type Pacer struct {
	gated    bool          // these calls count for the 50 a second
	patience time.Duration // the longest wait for a rate limit; a call that would wait longer fails

	mu     sync.Mutex
	limits map[string]*limit // by route and place, and by bucket and place
	many   int               // with more limits than this the idle ones are forgotten
	until  time.Time         // all limits are closed until then
	passes []*pass           // through the gate, in the last second
	back   chan struct{}     // closed whenever a call returns
}

// pass is a call that went through the gate. Discord counts the call at some moment between its
// start and its end. The gate counts it from its start until a second after its end, so that
// Discord never counts more than PerSecond of them in a second.
type pass struct{ start, end time.Time }

// counts gives the time until which a pass counts; the latest such time while the call is under
// way.
func (p *pass) counts() time.Time {
	if p.end.IsZero() {
		return p.start.Add(longestWay + time.Second)
	}
	return p.end.Add(time.Second)
}

// limit is one rate limit: a number of calls until a time. Until Discord has described the limit,
// calls go one at a time.
type limit struct {
	known     bool // Discord has described the limit
	remaining int
	reset     time.Time
	flying    int           // calls under way
	changed   chan struct{} // closed whenever the limit has changed
}

// ByBot paces the calls with the bot's token.
func ByBot() *Pacer { return newPacer(true, 30*time.Second) }

// ByToken paces the calls with the tokens of interactions, for which members wait.
func ByToken() *Pacer { return newPacer(false, 5*time.Second) }

func newPacer(gated bool, patience time.Duration) *Pacer {
	return &Pacer{gated: gated, patience: patience, limits: map[string]*limit{}, many: manyLimits,
		back: make(chan struct{})}
}

// Limits is how many limits the pacer remembers.
func (p *Pacer) Limits() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.limits)
}

// limit finds the limit of a route in a place (the channel, server or interaction of its path).
func (p *Pacer) limit(route, place string) *limit {
	key := route + " " + place
	l := p.limits[key]
	if l == nil {
		if len(p.limits) > p.many {
			p.forget()
		}
		l = &limit{changed: make(chan struct{})}
		p.limits[key] = l
	}
	return l
}

// forget drops the limits that have no calls under way and limit nothing any more.
func (p *Pacer) forget() {
	now := time.Now()
	for key, l := range p.limits {
		if l.flying == 0 && l.reset.Before(now) {
			delete(p.limits, key)
		}
	}
	p.many = max(manyLimits, 2*len(p.limits)) // with many busy limits, forget does not run at each call
}

// shared gives the limit of a bucket in a place: all routes of the bucket share it. l is the limit
// that the route had before.
func (p *Pacer) shared(l *limit, bucket, route, place string) *limit {
	key := "bucket " + bucket + " " + place
	first := p.limits[key]
	if first == nil {
		p.limits[key] = l
		return l
	}
	if first != l {
		p.limits[route+" "+place] = first
	}
	return first
}

// Enter waits for a call's turn. Every call that Enter lets through ends with leave, which is told
// the status and the headers of Discord's answer (0 and nil without one), and how long Discord
// asks for a pause. Enter fails at once, as Busy, where the wait would be longer than the pacer's
// patience or the context.
func (p *Pacer) Enter(ctx context.Context,
	route, place string) (leave func(status int, h http.Header, after time.Duration), err error) {
	deadline := time.Now().Add(p.patience)
	if d, ok := ctx.Deadline(); ok && d.Before(deadline) {
		deadline = d
	}
	for {
		p.mu.Lock()
		now := time.Now()
		l := p.limit(route, place)
		until, changed := p.closed(l, now)
		if until.IsZero() && changed == nil {
			l.flying++
			l.remaining--
			through := &pass{start: now}
			if p.gated {
				p.passes = append(p.passes, through)
			}
			p.mu.Unlock()
			return func(status int, h http.Header, after time.Duration) {
				p.leave(l, through, route, place, status, h, after)
			}, nil
		}
		p.mu.Unlock()
		if until.After(deadline) {
			return nil, &chat.Error{Trouble: chat.Busy, Code: http.StatusTooManyRequests, After: until.Sub(now),
				Text: "our own pace: " + route}
		}
		if err := pause(ctx, until, changed); err != nil {
			return nil, &chat.Error{Trouble: chat.Busy, After: max(until.Sub(now), 0), Text: "our own pace: " + route +
				": " + err.Error()}
		}
	}
}

// closed gives the time until which a limit is closed, and a channel that is closed when the limit may
// open earlier. Without either the limit is open.
func (p *Pacer) closed(l *limit, now time.Time) (time.Time, <-chan struct{}) {
	if p.until.After(now) {
		return p.until, nil
	}
	if until, news, full := p.full(now); full {
		return until, news
	}
	switch {
	case !l.known && l.flying > 0:
		return time.Time{}, l.changed
	case !l.known, l.remaining > 0:
		return time.Time{}, nil
	case l.reset.After(now):
		return l.reset, l.changed
	}
	// The window has passed. One call goes ahead and brings the new figures.
	if l.flying > 0 {
		return time.Time{}, l.changed
	}
	return time.Time{}, nil
}

// full reports whether the gate is closed, and until when. Where it gives a channel too, the gate may
// open early: when a call under way returns, which closes the channel.
func (p *Pacer) full(now time.Time) (time.Time, <-chan struct{}, bool) {
	p.passes = slices.DeleteFunc(p.passes, func(w *pass) bool {
		return !w.counts().After(now)
	})
	if len(p.passes) < PerSecond {
		return time.Time{}, nil, false
	}
	first := p.passes[0]
	for _, w := range p.passes[1:] {
		if w.counts().Before(first.counts()) {
			first = w
		}
	}
	if first.end.IsZero() {
		return first.counts(), p.back, true
	}
	return first.counts(), nil, true
}

// pause waits for a time or a change, whichever is first.
func pause(ctx context.Context, until time.Time, changed <-chan struct{}) error {
	var clock <-chan time.Time
	if !until.IsZero() {
		timer := time.NewTimer(time.Until(until))
		defer timer.Stop()
		clock = timer.C
	}
	select {
	case <-clock:
	case <-changed:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// leave ends a call's pass, and notes what Discord's headers say.
func (p *Pacer) leave(l *limit, through *pass, route, place string, status int, h http.Header, after time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l.flying--
	now := time.Now()
	through.end = now
	close(p.back)
	p.back = make(chan struct{})
	if bucket := h.Get("X-Ratelimit-Bucket"); bucket != "" {
		own := l
		if l = p.shared(l, bucket, route, place); own != l {
			own.news()
		}
	}
	if n, err := strconv.Atoi(h.Get("X-Ratelimit-Remaining")); err == nil {
		reset := now.Add(Seconds(h.Get("X-Ratelimit-Reset-After")) + rounding)
		// Responses overtake one another: within one window only a lower figure is newer.
		if !l.known || reset.After(l.reset.Add(500*time.Millisecond)) || n-l.flying < l.remaining {
			l.remaining = max(n-l.flying, 0)
		}
		l.known, l.reset = true, reset
	}
	if status == http.StatusForbidden && after > 0 { // Cloudflare's: it turns all calls away
		p.until = later(p.until, now.Add(after))
	}
	if status == http.StatusTooManyRequests {
		scope := h.Get("X-Ratelimit-Scope")
		if h.Get("X-Ratelimit-Global") != "" || scope == "global" || scope == "" && h.Get("X-Ratelimit-Bucket") == "" {
			p.until = later(p.until, now.Add(after))
		} else {
			l.known, l.remaining, l.reset = true, 0, later(l.reset, now.Add(after))
		}
	}
	l.news()
}

// news wakes those who wait for a change of the limit.
func (l *limit) news() {
	close(l.changed)
	l.changed = make(chan struct{})
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// Seconds reads a number of seconds; zero where it cannot be read.
func Seconds(s string) time.Duration {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f < 0 || f > 24*3600 {
		return 0
	}
	return time.Duration(f * float64(time.Second))
}
