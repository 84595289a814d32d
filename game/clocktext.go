package game

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The bounds of clocks that can be written.
const (
	day         = 24 * time.Hour
	MostEach    = 14 * day         // for a move
	MostReserve = 14 * day         // beside days a move
	mostBank    = 60 * time.Minute // for a whole game
	mostGain    = 30 * time.Second
	leastGain   = 2 * time.Second // what a press and its answer take
)

// units are what times are written in, the longest first.
var units = []struct {
	name string
	is   time.Duration
	most time.Duration
}{{"d", day, MostEach}, {"h", time.Hour, day}, {"m", time.Minute, time.Hour}}

// String is the clock as members write it: "5m", "3d", "10+5" (minutes, and seconds a move), "1d+5d" (days a move,
// and in reserve), "none".
func (c Clock) String() string {
	switch {
	case c == Clock{}:
		return "none"
	case c.Whole():
		return fmt.Sprintf("%d+%d", c.Bank/time.Minute, c.Gain/time.Second)
	case c.Bank > 0:
		return written(c.Each) + "+" + written(c.Bank)
	}
	return written(c.Each)
}

// written is a time in the longest unit that it is a whole number of.
func written(d time.Duration) string {
	for _, u := range units {
		if d%u.is == 0 {
			return strconv.Itoa(int(d/u.is)) + u.name
		}
	}
	return d.String()
}

// ParseClock reads what String writes. It is false where no game can have such a clock.
func ParseClock(text string) (c Clock, ok bool) {
	text = strings.ToLower(strings.Join(strings.Fields(text), ""))
	text = strings.ReplaceAll(text, "＋", "+")
	if text == "none" {
		return Clock{}, true
	}
	each, more, two := strings.Cut(text, "+")
	if minutes, whole := digits(each); whole {
		seconds, ok := digits(more)
		c = Clock{Bank: time.Duration(minutes) * time.Minute, Gain: time.Duration(seconds) * time.Second}
		return c, ok && c.Bank > 0 && c.Bank <= mostBank && c.Gain >= leastGain && c.Gain <= mostGain
	}
	if c.Each, ok = read(each); !ok || !two {
		return c, ok
	}
	c.Bank, ok = read(more)
	return c, ok && c.Slow() && c.Bank%day == 0 && c.Bank <= MostReserve
}

// read reads a number with its unit.
func read(text string) (time.Duration, bool) {
	for _, u := range units {
		if before, ok := strings.CutSuffix(text, u.name); ok {
			n, ok := digits(before)
			d := time.Duration(n) * u.is
			return d, ok && d > 0 && d <= u.most
		}
	}
	return 0, false
}

// digits reads a number of at most three digits.
func digits(text string) (int, bool) {
	if text == "" || len(text) > 3 || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return n, err == nil
}
