package storage

import (
	"sync"
	"time"

	"tengen/game"
	"tengen/game/venue"
)

const (
	maxNode = 1<<10 - 1
	maxSeq  = 1<<12 - 1
)

// ids gives ids of the kind of Discord's: 42 bits of milliseconds, 10 of the process,
// 12 that tell apart what one process makes in one millisecond.
type ids struct {
	node uint64

	mu   sync.Mutex
	last uint64
}

// next is an id of the moment at, larger than those before it.
func (i *ids) next(at time.Time) game.MatchID {
	i.mu.Lock()
	defer i.mu.Unlock()
	id := venue.IDAt(at) | i.node<<12
	if i.last > venue.IDAt(at.Add(game.ClockError)) { // by a clock that was ahead
		i.last = 0
	}
	if id <= i.last {
		id = i.last + 1
		if id&maxSeq == 0 { // the millisecond is used up: the next one lends its ids
			id = i.last>>22<<22 + 1<<22 | i.node<<12
		}
	}
	i.last = id
	return game.MatchID(id)
}
