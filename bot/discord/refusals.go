package discord

import (
	"context"
	"net/http"
	"sync"
	"time"

	"tengen/bot/chat"
)

// Discord blocks an address for a while after 10,000 invalid requests in ten minutes: answers 401,
// 403 and 429. Two things keep the bot far below. A place that refuses a message of the bot's own
// is left alone for some minutes. And a budget for all calls together, once it is spent, leaves
// only the calls that members wait for.
const (
	refusedFor    = 5 * time.Minute
	manyRefusals  = 4096 // remembered; with more, those that are over are forgotten
	invalidBudget = 2000 // invalid requests in invalidWindow
	invalidWindow = 10   // minutes
)

// try is a kind of call with the bot's token in a channel that Discord may refuse.
type try struct {
	channel     uint64
	edit, files bool
}

// refusals are the tries that Discord refused a short while ago.
type refusals struct {
	mu    sync.Mutex
	since map[try]refusedAt
}

type refusedAt struct {
	at  time.Time
	err chat.Error
}

// of gives the error by which a try was refused within the last minutes; nil for none.
func (r *refusals) of(t try, now time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	was, ok := r.since[t]
	if !ok || now.Sub(was.at) >= refusedFor {
		return nil
	}
	return &was.err
}

// note remembers how a try ended.
func (r *refusals) note(t try, err error, now time.Time) {
	trouble := chat.TroubleOf(err)
	refused := err != nil && (trouble == chat.Locked || trouble == chat.NoPlace)
	r.mu.Lock()
	defer r.mu.Unlock()
	if !refused {
		if err == nil {
			delete(r.since, t)
		}
		return
	}
	if r.since == nil || len(r.since) >= manyRefusals {
		r.sweep(now)
	}
	e := *err.(*chat.Error)
	e.Text = "refused a short while ago: " + e.Text
	r.since[t] = refusedAt{now, e}
	if !t.files || !mayBeFiles(e.Code) { // then the other is refused too
		t.files = !t.files
		r.since[t] = refusedAt{now, e}
	}
}

// mayBeFiles reports whether a refusal may mean the files of a message alone: a missing permission,
// a 403 without a code, or files that Discord does not take here.
func mayBeFiles(code int) bool {
	return code == 50013 || code == http.StatusForbidden || code == 400001
}

// sweep forgets the refusals that are over, and all of them where none is.
func (r *refusals) sweep(now time.Time) {
	left := map[try]refusedAt{}
	for t, was := range r.since {
		if now.Sub(was.at) < refusedFor {
			left[t] = was
		}
	}
	if len(left) >= manyRefusals {
		left = map[try]refusedAt{}
	}
	r.since = left
}

// forget lets the bot try again in a channel, with files or without; channel 0 is all.
func (r *refusals) forget(channel uint64, files bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if channel == 0 {
		r.since = nil
		return
	}
	for _, edit := range []bool{false, true} {
		delete(r.since, try{channel, edit, false})
		if files {
			delete(r.since, try{channel, edit, true})
		}
	}
}

// heard lets the bot try again in the place of an interaction, as far as Discord says there that it
// may.
func (r *refusals) heard(q chat.Request) {
	speaks := q.Allowed.Send && !q.Thread || q.Allowed.SendInThreads && q.Thread
	if q.Installed && q.Allowed.View && speaks {
		r.forget(q.Place.Channel, q.Allowed.Attach)
	}
}

// spent counts the invalid requests of the last minutes.
type spent struct {
	mu     sync.Mutex
	minute int64                  // that counts[0] counts
	counts [invalidWindow + 1]int // by minute, the present one first
	told   time.Time              // when the log last heard that the budget is spent
}

// add counts a request. It reports whether the log should hear that the budget is spent.
func (s *spent) add(now time.Time) (tell bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn(now)
	s.counts[0]++
	if s.sum() < invalidBudget || now.Sub(s.told) < invalidWindow*time.Minute {
		return false
	}
	s.told = now
	return true
}

// turn moves the counts on to the present minute.
func (s *spent) turn(now time.Time) {
	minute := now.Unix() / 60
	for ; s.minute < minute; s.minute++ {
		if minute-s.minute > int64(len(s.counts)) {
			s.minute, s.counts = minute-1, [invalidWindow + 1]int{}
		}
		copy(s.counts[1:], s.counts[:invalidWindow])
		s.counts[0] = 0
	}
}

func (s *spent) sum() (n int) {
	for _, c := range s.counts {
		n += c
	}
	return n
}

// wait is how long the budget is spent for; zero where it is not.
func (s *spent) wait(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn(now)
	n := s.sum()
	if n < invalidBudget {
		return 0
	}
	last := 0 // the minutes from here on have to leave the window
	for i := len(s.counts) - 1; i >= 0 && n >= invalidBudget; i-- {
		n -= s.counts[i]
		last = i
	}
	left := time.Unix((s.minute+int64(len(s.counts)-last))*60, 0).Sub(now)
	return max(left, time.Second)
}

// withheld is the error of a call that is not made: the budget of invalid requests is spent, and no
// member waits for the call. A member waits for the calls of a handler, and for what an
// interaction's token shows. The way to the gateway has to stay open.
func (d *Adapter) withheld(ctx context.Context, route string, c call) error {
	if t, _ := ctx.Value(ticketKey{}).(*ticket); t != nil || c.public || route == routeGateway {
		return nil
	}
	after := d.invalid.wait(time.Now())
	if after == 0 || d.options.Sabotage.NoBudget {
		return nil
	}
	d.metrics.Withheld("budget")
	return &chat.Error{Trouble: chat.Busy, After: after, Text: "too many calls were refused of late: " + route}
}

// meter counts the invalid requests of all calls.
type meter struct {
	http.RoundTripper
	d *Adapter
}

func (m meter) RoundTrip(q *http.Request) (*http.Response, error) {
	p, err := m.RoundTripper.RoundTrip(q)
	if err == nil && invalid(p) {
		m.d.metrics.Invalid(p.StatusCode)
		if m.d.invalid.add(time.Now()) {
			m.d.log.Error("Discord has refused too many calls: for some minutes only those are made for which members wait",
				"refused", invalidBudget, "minutes", invalidWindow)
		}
	}
	return p, err
}

// invalid reports whether Discord counts an answer against the address. A limit that others have
// used up does not count.
func invalid(p *http.Response) bool {
	switch p.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		return true
	case http.StatusTooManyRequests:
		return p.Header.Get("X-Ratelimit-Scope") != "shared"
	}
	return false
}

func (m meter) CloseIdleConnections() {
	if c, ok := m.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}
