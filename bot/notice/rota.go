package notice

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

// Rota has things looked after, such as the simuls of channels: each thing by one goroutine,
// and only so many things at one time. It knows a thing by its key. A thing that failed waits
// before it is tried again. Any number of goroutines may call its methods.
type Rota[K comparable] struct {
	name   string
	atOnce int
	tasks  *tasks.Group
	log    *slog.Logger
	waits  tasks.Waits[K] // for what has failed

	mu   sync.Mutex
	busy map[K]bool
}

// NewRota makes a rota that has at most atOnce things looked after at one time. name is what
// its log lines call one of them.
func NewRota[K comparable](name string, atOnce int, b room.Base) *Rota[K] {
	return &Rota[K]{name: name, atOnce: atOnce, tasks: b.Tasks, log: b.Log, busy: map[K]bool{}}
}

// Busy is how many are being looked after.
func (r *Rota[K]) Busy() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.busy)
}

// Free is how many more may be looked after now.
func (r *Rota[K]) Free() int { return r.atOnce - r.Busy() }

// May reports whether nobody is at k, and k need not wait.
func (r *Rota[K]) May(k K) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.may(k)
}

func (r *Rota[K]) may(k K) bool { return !r.busy[k] && r.waits.Over(k) }

// Begin has k looked after by do, on a goroutine. It does nothing, and is false, where k may
// not be looked after now, or too many things are.
func (r *Rota[K]) Begin(k K, do func() error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.may(k) || len(r.busy) >= r.atOnce {
		return false
	}
	began := r.tasks.Go(func() { r.ended(k, r.tasks.Try(do)) })
	if began {
		r.busy[k] = true
	}
	return began
}

// ended notes how it went with k. What was deleted meanwhile, or belongs to another process by now, has
// not failed.
func (r *Rota[K]) ended(k K, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.busy, k)
	r.waits.Did(k)
	if err == nil || errors.Is(err, kv.ErrFenced) || errors.Is(err, storage.ErrNotFound) || r.tasks.Life.Err() != nil {
		return
	}
	r.log.Info(r.name, "of", k, "err", err)
	if chat.TroubleOf(err).Temporary() && err != tasks.ErrPanicked {
		r.waits.Later(k, tryAgain)
	} else {
		r.waits.Later(k, AskAgain)
	}
}

// Places is a rota of places in which something is due now and then. A process looks after its own.
type Places struct {
	*Rota[venue.Place]
	room.Base
}

// NewPlaces is NewRota for places.
func NewPlaces(name string, atOnce int, b room.Base) Places {
	return Places{NewRota[venue.Place](name, atOnce, b), b}
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
