// Package pool has things looked after that stand in channels, such as ladders: how many at one time, and when
// one that failed is tried again. It knows nothing of what is done. Start from New.
package pool

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"tengen/bot/chat"
	"tengen/bot/room"
	"tengen/game/venue"
	"tengen/internal/tasks"
	"tengen/storage"
	"tengen/storage/kv"
)

// AskAgain is how long something waits that Discord refused for good, or that panicked.
const AskAgain = 10 * time.Minute

// tryAgain is how long something waits that failed otherwise.
const tryAgain = 5 * time.Second

// Pool is a worker pool: it has things looked after, such as the simuls of channels, each by one goroutine,
// and only so many things at one time. It knows a thing by its key. A thing that failed waits
// before it is tried again. Any number of goroutines may call its methods.
type Pool[K comparable] struct {
	name   string
	atOnce int
	tasks  *tasks.Group
	log    *slog.Logger
	waits  tasks.Waits[K] // for what has failed

	mu   sync.Mutex
	busy map[K]bool
}

// New makes a pool that has at most atOnce things looked after at one time. name is what
// its log lines call one of them.
func New[K comparable](name string, atOnce int, b room.Base) *Pool[K] {
	return &Pool[K]{name: name, atOnce: atOnce, tasks: b.Tasks, log: b.Log, busy: map[K]bool{}}
}

// Busy is how many are being looked after.
func (p *Pool[K]) Busy() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.busy)
}

// Free is how many more may be looked after now.
func (p *Pool[K]) Free() int { return p.atOnce - p.Busy() }

// May reports whether nobody is at k, and k need not wait.
func (p *Pool[K]) May(k K) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.may(k)
}

func (p *Pool[K]) may(k K) bool { return !p.busy[k] && p.waits.Over(k) }

// Begin has k looked after by do, on a goroutine. It does nothing, and is false, where k may
// not be looked after now, or too many things are.
func (p *Pool[K]) Begin(k K, do func() error) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.may(k) || len(p.busy) >= p.atOnce {
		return false
	}
	began := p.tasks.Go(func() { p.ended(k, p.tasks.Try(do)) })
	if began {
		p.busy[k] = true
	}
	return began
}

// ended notes how it went with k. What was deleted meanwhile, or belongs to another process by now, has
// not failed.
func (p *Pool[K]) ended(k K, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.busy, k)
	p.waits.Did(k)
	if err == nil || errors.Is(err, kv.ErrFenced) || errors.Is(err, storage.ErrNotFound) || p.tasks.Life.Err() != nil {
		return
	}
	p.log.Info(p.name, "of", k, "err", err)
	if chat.TroubleOf(err).Temporary() && err != tasks.ErrPanicked {
		p.waits.Later(k, tryAgain)
	} else {
		p.waits.Later(k, AskAgain)
	}
}

// Places is a pool for places in which something is due now and then. A process looks after its own.
type Places struct {
	*Pool[venue.Place]
	room.Base
}

// NewPlaces is NewPool for places.
func NewPlaces(name string, atOnce int, b room.Base) Places {
	return Places{New[venue.Place](name, atOnce, b), b}
}

// Sweep has the places that due gives looked after by do. due gives at most n places, all of
// them places for which want is true.
func (p Places) Sweep(due func(ctx context.Context, now time.Time, n int,
	want func(venue.Place) bool) ([]venue.Place, error), do func(context.Context, venue.Place) error) {
	places, err := due(p.tasks.Life, p.Now(), p.Free(), func(at venue.Place) bool {
		_, owns := p.House.Under(p.tasks.Life, at)
		return owns && p.May(at)
	})
	if err != nil && p.tasks.Life.Err() == nil {
		p.log.Error(p.name, "err", err)
	}
	for _, at := range places {
		if ctx, owns := p.House.Under(p.tasks.Life, at); owns {
			p.Begin(at, func() error { return do(ctx, at) })
		}
	}
}
