package bot

import (
	"runtime"
	"time"

	"tengen/ai/review"
)

// Options are what an operator may choose of the bot's behaviour. DefaultOptions are the
// defaults; the limits per member are the store's (storage.Limits).
type Options struct {
	Workers           int           // how many of the engine's turns are searched at a time; 0: one a core
	AnswerIn          time.Duration // how soon the engine's move should be there
	ThinkAtMost       time.Duration // the longest search of one turn
	RetryAfter        time.Duration // the pause after a failed turn
	ClockAfterRestart time.Duration // the least time that every clock has after a restart
	Settle            time.Duration // so soon after the board has changed a press of a point asks first; 0: none does
	ReviewMeans       review.Means  // what a review may spend on each position; zero: the usual
}

// DefaultOptions are the options unless an operator chooses others.
func DefaultOptions() Options {
	return Options{
		Workers: runtime.GOMAXPROCS(0), AnswerIn: 2500 * time.Millisecond, ThinkAtMost: time.Second,
		RetryAfter: time.Second, ClockAfterRestart: 10 * time.Minute, Settle: 500 * time.Millisecond,
	}
}

// filled is o with the default of every option that is not set.
func (o Options) filled() Options {
	d := DefaultOptions()
	if o.Workers <= 0 {
		o.Workers = d.Workers
	}
	for _, p := range []struct {
		to *time.Duration
		is time.Duration
	}{{&o.AnswerIn, d.AnswerIn}, {&o.ThinkAtMost, d.ThinkAtMost}, {&o.RetryAfter, d.RetryAfter},
		{&o.ClockAfterRestart, d.ClockAfterRestart}} {
		if *p.to <= 0 {
			*p.to = p.is
		}
	}
	return o
}
