package bot

import (
	"runtime"
	"time"
)

// Options are what an operator may choose of the bot's behaviour. DefaultOptions are the
// defaults; the limits per member are the store's (storage.Limits).
type Options struct {
	Workers           int           // engine turns thought about at a time; 0: one a core
	AnswerIn          time.Duration // within which the engine's move is to be there
	ThinkAtMost       time.Duration // the longest that one turn is thought about
	RetryAfter        time.Duration // after a failed turn
	ClockAfterRestart time.Duration // what every clock has at least after a restart
}

// DefaultOptions are the options unless an operator chooses others.
func DefaultOptions() Options {
	return Options{
		Workers: runtime.GOMAXPROCS(0), AnswerIn: 2500 * time.Millisecond, ThinkAtMost: time.Second,
		RetryAfter: time.Second, ClockAfterRestart: 10 * time.Minute,
	}
}

// filled is o with the defaults where it says nothing.
func (o Options) filled() Options {
	d := DefaultOptions()
	if o.Workers <= 0 {
		o.Workers = d.Workers
	}
	for _, p := range []struct {
		to *time.Duration
		is time.Duration
	}{{&o.AnswerIn, d.AnswerIn}, {&o.ThinkAtMost, d.ThinkAtMost}, {&o.RetryAfter, d.RetryAfter}, {&o.ClockAfterRestart, d.ClockAfterRestart}} {
		if *p.to <= 0 {
			*p.to = p.is
		}
	}
	return o
}
