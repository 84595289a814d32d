package pace

import (
	"maps"
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
	RefusedFor    = 5 * time.Minute // before a refused kind of call may be made again
	manyRefusals  = 4096            // remembered; with more, those that are over are forgotten
	InvalidBudget = 2000            // invalid requests in InvalidWindow
	InvalidWindow = 10              // minutes
)

// CallKind is a kind of call with the bot's token in a channel that Discord may refuse.
type CallKind struct {
	Channel             uint64
	Edit, Files, Delete bool
}

// Refusals are the kinds of calls that Discord refused a short while ago.
type Refusals struct {
	mu     sync.Mutex
	since  map[CallKind]refusedAt
	flying map[*flight]bool
}

// flight is a call that is under way.
type flight struct {
	CallKind
	server uint64
	told   bool // news of the place came meanwhile
}

type refusedAt struct {
	at     time.Time
	err    chat.Error
	server uint64
}

// Of gives the error by which a call of the kind was refused within the last minutes; nil for none.
func (r *Refusals) Of(k CallKind, now time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	was, ok := r.since[k]
	if !ok || now.Sub(was.at) >= RefusedFor {
		return nil
	}
	return &was.err
}

// Begin notes that a call is under way, in a channel of a server (0: of none, or not known).
// The caller must call end with its outcome, which is remembered. Where news of the place came
// after Begin, a refusal is not remembered: it may be older than the news.
func (r *Refusals) Begin(k CallKind, server uint64) (end func(err error, now time.Time)) {
	f := &flight{CallKind: k, server: server}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.flying == nil {
		r.flying = map[*flight]bool{}
	}
	r.flying[f] = true
	return func(err error, now time.Time) {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.flying, f)
		if !f.told {
			r.note(k, server, err, now)
		}
	}
}

// note remembers how a call ended. The caller holds r.mu.
func (r *Refusals) note(k CallKind, server uint64, err error, now time.Time) {
	trouble := chat.TroubleOf(err)
	refused := err != nil && (trouble == chat.Locked || trouble == chat.NoPlace)
	if !refused {
		if err == nil {
			delete(r.since, k)
		}
		return
	}
	if r.since == nil || len(r.since) >= manyRefusals {
		r.sweep(now)
	}
	e := *err.(*chat.Error)
	e.Text = "refused a short while ago: " + e.Text
	r.since[k] = refusedAt{now, e, server}
	if !k.Delete && (!k.Files || !mayBeFiles(e.Code)) { // then the other is refused too
		k.Files = !k.Files
		r.since[k] = refusedAt{now, e, server}
	}
}

// mayBeFiles reports whether a refusal may mean the files of a message alone: a missing permission,
// a 403 without a code, or files that Discord does not take here.
func mayBeFiles(code int) bool {
	return code == 50013 || code == http.StatusForbidden || code == 400001
}

// sweep forgets the refusals that are over, and all of them where none is.
func (r *Refusals) sweep(now time.Time) {
	left := map[CallKind]refusedAt{}
	for k, was := range r.since {
		if now.Sub(was.at) < RefusedFor {
			left[k] = was
		}
	}
	if len(left) >= manyRefusals {
		left = map[CallKind]refusedAt{}
	}
	r.since = left
}

// Forget lets the bot try again in a channel, with files or without; channel 0 is all.
func (r *Refusals) Forget(channel uint64, files bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for f := range r.flying {
		f.told = f.told || channel == 0 || f.Channel == channel && (files || !f.Files)
	}
	if channel == 0 {
		r.since = nil
		return
	}
	delete(r.since, CallKind{Channel: channel, Delete: true})
	for _, edit := range []bool{false, true} {
		delete(r.since, CallKind{Channel: channel, Edit: edit})
		if files {
			delete(r.since, CallKind{Channel: channel, Edit: edit, Files: true})
		}
	}
}

// ForgetServer lets the bot try again in all channels and threads of a server.
func (r *Refusals) ForgetServer(server uint64) {
	if server == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for f := range r.flying {
		f.told = f.told || f.server == server
	}
	maps.DeleteFunc(r.since, func(_ CallKind, was refusedAt) bool { return was.server == server })
}

// Heard lets the bot try again in the place of an interaction, as far as Discord says there that it
// may.
func (r *Refusals) Heard(q chat.Request) {
	speaks := q.Allowed.Send && !q.Thread || q.Allowed.SendInThreads && q.Thread
	if q.Installed && q.Allowed.View && speaks {
		r.Forget(q.Place.Channel, q.Allowed.Attach)
	}
}

// Spent counts the invalid requests of the last minutes.
type Spent struct {
	mu     sync.Mutex
	minute int64                  // that counts[0] counts
	counts [InvalidWindow + 1]int // by minute, the present one first
	told   time.Time              // when the log last heard that the budget is spent
}

// Add counts a request. It reports whether the log should hear that the budget is spent.
func (s *Spent) Add(now time.Time) (tell bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn(now)
	s.counts[0]++
	if s.sum() < InvalidBudget || now.Sub(s.told) < InvalidWindow*time.Minute {
		return false
	}
	s.told = now
	return true
}

// turn moves the counts on to the present minute.
func (s *Spent) turn(now time.Time) {
	minute := now.Unix() / 60
	for ; s.minute < minute; s.minute++ {
		if minute-s.minute > int64(len(s.counts)) {
			s.minute, s.counts = minute-1, [InvalidWindow + 1]int{}
		}
		copy(s.counts[1:], s.counts[:InvalidWindow])
		s.counts[0] = 0
	}
}

func (s *Spent) sum() (n int) {
	for _, c := range s.counts {
		n += c
	}
	return n
}

// Wait is how long the budget is spent for; zero where it is not.
func (s *Spent) Wait(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn(now)
	n := s.sum()
	if n < InvalidBudget {
		return 0
	}
	last := 0 // the minutes from here on have to leave the window
	for i := len(s.counts) - 1; i >= 0 && n >= InvalidBudget; i-- {
		n -= s.counts[i]
		last = i
	}
	left := time.Unix((s.minute+int64(len(s.counts)-last))*60, 0).Sub(now)
	return max(left, time.Second)
}

// Invalid reports whether Discord counts an answer against the address. A limit that others have
// used up does not count.
func Invalid(p *http.Response) bool {
	switch p.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		return true
	case http.StatusTooManyRequests:
		return p.Header.Get("X-Ratelimit-Scope") != "shared"
	}
	return false
}
