package reversi

import (
	"time"

	"tengen/ai/engine"
)

// clock tells how long a search has run, by the wall or by the CPU time of its thread.
type clock struct {
	start time.Time
	cpu   bool
	base  time.Duration
}

func newClock(cpu bool) clock {
	c := clock{start: time.Now(), cpu: cpu}
	if cpu {
		c.base = engine.CPUTime()
	}
	return c
}

func (c *clock) now() time.Duration {
	if c.cpu {
		return engine.CPUTime() - c.base
	}
	return time.Since(c.start)
}

// budget is the time for one move: after soft no further round of deepening starts, at
// hard the search ends where it is. Equal ones mean that the time is there to be used.
type budget struct{ soft, hard time.Duration }

// share is what a move is worth of the time left for the rest of the game: an equal part
// for each own move before the endgame, and much of the rest for solving it, after which
// moves take no time.
func share(left time.Duration, b board) budget {
	const solvedFrom = 18 // empties
	m := b.moves()
	if m&(m-1) == 0 {
		return budget{soft: 1, hard: max(left/100, 1)} // nothing to choose
	}
	n := b.empties()
	if n <= solvedFrom {
		return budget{soft: left / 4, hard: max(left*6/10, 1)}
	}
	moves := time.Duration(n-solvedFrom+1) / 2
	part := left / (moves + 4)
	return budget{soft: part * 6 / 10, hard: max(min(part*2, left*6/10), 1)}
}
