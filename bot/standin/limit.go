package standin

import (
	"cmp"
	"hash/fnv"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Limits are Discord's rate limits. They are off in the zero value.
type Limits struct {
	On       bool
	Global   int    // calls a second in all, interaction calls not counted; 0: 50
	Messages Bucket // new messages of a channel; zero: 5 per 5 s
	Edits    Bucket // edits of a channel's messages; zero: 5 per 5 s
	Deletes  Bucket // zero: 5 per 1 s
	Hooks    Bucket // follow-ups and edits of one interaction; zero: 5 per 2 s
	Other    Bucket // any other route; zero: 10 per 10 s

	Concurrency int // shards that may identify within 5 s, one of each remainder; 0: 1
	Starts      int // sessions started a day; one more resets the token; 0: 1000
}

// Bucket is a number of calls within a time.
type Bucket struct {
	Calls int
	Per   time.Duration
}

type limiter struct {
	mu      sync.Mutex
	limits  Limits
	buckets map[string]*bucket
	recent  []time.Time // calls of the last second that count for the global limit
	peak    int
	sweep   time.Time
}

type bucket struct {
	Bucket
	used  int
	reset time.Time
}

func newLimiter(l Limits) *limiter {
	set := func(b *Bucket, calls int, per time.Duration) {
		if b.Calls == 0 {
			*b = Bucket{calls, per}
		}
	}
	l.Global, l.Concurrency, l.Starts = cmp.Or(l.Global, 50), max(l.Concurrency, 1), cmp.Or(l.Starts, 1000)
	set(&l.Messages, 5, 5*time.Second)
	set(&l.Edits, 5, 5*time.Second)
	set(&l.Deletes, 5, time.Second)
	set(&l.Hooks, 5, 2*time.Second)
	set(&l.Other, 10, 10*time.Second)
	return &limiter{limits: l, buckets: map[string]*bucket{}}
}

// class names the bucket of a call and its size; a callback has none.
func (l *limiter) class(c *call) (string, Bucket) {
	p := c.r.PathValue
	switch {
	case strings.HasPrefix(c.route, "/interactions/"), strings.HasPrefix(c.route, "/gateway"):
		return "", Bucket{}
	case strings.HasPrefix(c.route, "/webhooks/"):
		return "hook " + p("webhook_token"), l.limits.Hooks
	case c.route == routeMessages && c.method == "POST":
		return "post " + p("channel_id"), l.limits.Messages
	case c.route == routeMessage && c.method == "PATCH":
		return "edit " + p("channel_id"), l.limits.Edits
	case c.route == routeMessage && c.method == "DELETE":
		return "delete " + p("channel_id"), l.limits.Deletes
	}
	return c.method + " " + c.route + p("channel_id") + p("guild_id"), l.limits.Other
}

// byInteraction reports whether a route is of an interaction's token. Such calls do not count for the global limit.
func byInteraction(route string) bool {
	return strings.HasPrefix(route, "/interactions/") || strings.HasPrefix(route, "/webhooks/")
}

// enter counts a call. It returns false when it has refused the call and
// written the answer.
func (l *limiter) enter(c *call) bool {
	now := time.Now()
	l.mu.Lock()
	global := l.count(c, now)
	if !l.limits.On {
		l.mu.Unlock()
		return true
	}
	if global > l.limits.Global {
		wait := l.recent[0].Add(time.Second).Sub(now)
		l.recent = l.recent[:len(l.recent)-1]
		l.mu.Unlock()
		c.tooMany(wait, "global")
		return false
	}
	key, size := l.class(c)
	if key == "" {
		l.mu.Unlock()
		return true
	}
	b := l.bucket(key, size, now)
	b.used++
	over, left, wait := b.used > b.Calls, max(0, b.Calls-b.used), b.reset.Sub(now)
	l.mu.Unlock()
	h := c.w.Header()
	h.Set("X-RateLimit-Limit", strconv.Itoa(b.Calls))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(left))
	h.Set("X-RateLimit-Reset", strconv.FormatFloat(float64(b.reset.UnixMilli())/1000, 'f', 3, 64))
	h.Set("X-RateLimit-Reset-After", seconds(wait))
	h.Set("X-RateLimit-Bucket", bucketHash(key))
	if over {
		c.tooMany(wait, "user")
		return false
	}
	return true
}

func (l *limiter) count(c *call, now time.Time) int {
	if byInteraction(c.route) {
		return 0
	}
	n := 0
	for n < len(l.recent) && now.Sub(l.recent[n]) >= time.Second {
		n++
	}
	l.recent = append(l.recent[n:], now)
	l.peak = max(l.peak, len(l.recent))
	return len(l.recent)
}

func (l *limiter) bucket(key string, size Bucket, now time.Time) *bucket {
	if now.Sub(l.sweep) > time.Minute {
		l.sweep = now
		for k, b := range l.buckets {
			if now.After(b.reset) {
				delete(l.buckets, k)
			}
		}
	}
	b := l.buckets[key]
	if b == nil || !now.Before(b.reset) {
		b = &bucket{Bucket: size, reset: now.Add(size.Per)}
		l.buckets[key] = b
	}
	return b
}

func bucketHash(key string) string {
	h := fnv.New64a()
	h.Write([]byte(key))
	return strconv.FormatUint(h.Sum64(), 16)
}

func seconds(d time.Duration) string {
	return strconv.FormatFloat(max(d, time.Millisecond).Seconds(), 'f', 3, 64)
}

func (c *call) tooMany(wait time.Duration, scope string) {
	global, h := scope == "global", c.w.Header()
	h.Set("Retry-After", strconv.Itoa(int((wait+time.Second-1)/time.Second)))
	h.Set("X-RateLimit-Scope", scope)
	h.Set("X-RateLimit-Reset-After", seconds(wait))
	h.Set("X-RateLimit-Remaining", "0")
	if h.Get("X-RateLimit-Bucket") == "" && !global {
		h.Set("X-RateLimit-Bucket", bucketHash(c.method+c.route))
		h.Set("X-RateLimit-Limit", "5")
	}
	words := "You are being rate limited."
	if scope == "shared" {
		words = "The resource is being rate limited."
	}
	if global {
		h.Set("X-RateLimit-Global", "true")
	}
	after, _ := strconv.ParseFloat(seconds(wait), 64)
	c.send(429, map[string]any{"message": words, "retry_after": after, "global": global})
}

func (l *limiter) globalPeak() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.peak
}
