package standin

import (
	"hash/fnv"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

const discordEpoch = 1420070400000 // 2015-01-01 in milliseconds

func (i *ids) latest() uint64 {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.last
}

// atLeast makes all further ids greater than one given before.
func (i *ids) atLeast(last uint64) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.last = max(i.last, last)
}

var bubbleStart = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// clock is the stand-in's own time. It runs with the machine's (or with that
// of a testing/synctest bubble) and can be put forward. A bubble starts in the
// year 2000, before Discord's ids begin; there the clock starts in 2026.
type clock struct {
	ahead atomic.Int64
}

func newClock() *clock {
	c := &clock{}
	if time.Now().UnixMilli() < discordEpoch {
		c.ahead.Store(int64(time.Until(bubbleStart)))
	}
	return c
}

func (c *clock) now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

func (c *clock) advance(d time.Duration) { c.ahead.Add(int64(d)) }

// EnterBubble sleeps until 2026; call it first in a testing/synctest bubble. A
// bubble begins in the year 2000, before Discord's first id, so that a bot would
// find the time in an id 26 years ahead of its own clock.
func EnterBubble() {
	time.Sleep(time.Until(bubbleStart))
}

// ids makes snowflakes: rising, unique, and holding the time they were made.
type ids struct {
	mu   sync.Mutex
	last uint64
}

func (i *ids) next(now time.Time) string {
	i.mu.Lock()
	defer i.mu.Unlock()
	id := uint64(now.UnixMilli()-discordEpoch) << 22
	if id <= i.last {
		id = i.last + 1
	}
	i.last = id
	return strconv.FormatUint(id, 10)
}

// named makes an id of a name: servers, channels and members have the same id
// in every stand-in, so that what a bot stored about them stays true when the
// stand-in starts again.
func named(kind, name string) string {
	h := fnv.New64a()
	h.Write([]byte(kind + "\x00" + name))
	const years = 8 * 365 * 24 * 60 * 60 * 1000 // from 2016 to 2024
	sum := h.Sum64()
	ms := 365*24*60*60*1000 + sum%years
	return strconv.FormatUint(ms<<22|sum>>42, 10)
}

func snowflakeTime(id string) time.Time {
	n, err := strconv.ParseUint(id, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(int64(n>>22) + discordEpoch)
}
