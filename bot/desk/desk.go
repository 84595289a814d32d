// Package desk is the engine's turns: they wait in a queue, every game has the same time, and
// the move that was found is made as a member's is. What a level is worth is ai's, and how
// the board is shown is the screen's. Start from New, Desk.Open and Desk.Changed.
package desk

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"tengen/ai"
	"tengen/bot/chat"
	"tengen/bot/metrics"
	"tengen/bot/view"
	"tengen/game"
	"tengen/internal/sabotage"
	"tengen/internal/tasks"
	"tengen/storage"
)

// Thinker finds a move: ai.Search, or what a test puts in its place.
type Thinker func(ctx context.Context, g game.Game, limits ai.Limits) (ai.Report, error)

// House is what a desk needs of the bot around it.
type House interface {
	// Owns reports whether this process does what nobody asks for in a place.
	Owns(p chat.Place) bool
	// Under is a context whose changes are made only while this process owns the place.
	Under(ctx context.Context, p chat.Place) (context.Context, bool)
	// Update changes a match, and tells the desk of it (Changed).
	Update(ctx context.Context, id game.MatchID, c storage.Cause, f func(game.Match) (game.Match, error)) (storage.Record, error)
	// Refresh brings a match's board up to date, and says so in c, the cause of a change.
	// Claiming is c with this process as the one that shows what the change makes.
	Claiming(c storage.Cause) storage.Cause
	// Refresh brings a match's board up to date, soon.
	Refresh(id game.MatchID, anew bool)
}

// Config is what a Desk is made of. All of it is needed, but for Think, Metrics and Sabotage.
type Config struct {
	House   House
	Store   *storage.Store
	Tasks   *tasks.Group
	Think   Thinker // nil: ai.Search
	Log     *slog.Logger
	Metrics *metrics.Figures
	Now     func() time.Time

	Workers     int           // turns thought about at a time
	AnswerIn    time.Duration // within which the engine's move is to be there
	ThinkAtMost time.Duration // the longest that one turn is thought about
	RetryAfter  time.Duration // after a failed turn

	Sabotage sabotage.Bot // for tests
}

// Desk is where the engine's turns wait. What is owed is in the store; the desk only
// remembers who waits since when, so that nothing is lost with it.
type Desk struct {
	Config

	mu      sync.Mutex
	arrived *sync.Cond
	queues  map[uint64][]turn // by server, so that a busy one does not starve the others
	order   []uint64          // the servers that wait, in turn
	waiting map[game.MatchID]bool
	running map[game.MatchID]running
	closed  bool

	budget *budget
	advice chan struct{} // what members are being advised
}

// New makes a desk. Nothing is thought about before Open.
func New(c Config) *Desk {
	if c.Think == nil {
		c.Think = ai.Search
	}
	d := &Desk{Config: c, queues: map[uint64][]turn{}, waiting: map[game.MatchID]bool{}, running: map[game.MatchID]running{},
		budget: newBudget(c.Workers, c.AnswerIn, c.ThinkAtMost), advice: make(chan struct{}, c.Workers)}
	d.arrived = sync.NewCond(&d.mu)
	return d
}

// Open begins to think, by as many workers as there are to be.
func (d *Desk) Open() {
	for range d.Workers {
		d.Tasks.Go(d.work)
	}
}

// Changed tells of a match that is new or has moved on.
func (d *Desk) Changed(rec storage.Record) {
	waits := rec.Match.EngineToMove() && d.House.Owns(rec.Place)
	d.stop(rec.ID, rec.Match.Stamp(), waits)
	if waits {
		d.Ask(rec)
	}
}

// watchPace is the least time between two moves of a match between engines: its board is
// edited at most so often.
const watchPace = 3 * time.Second

// Ask puts a match that waits for the engine on the desk; one between engines after a
// pause, so that members can follow.
func (d *Desk) Ask(rec storage.Record) {
	t := turn{match: rec.ID, place: rec.Place, since: d.Now()}
	if !view.BetweenEngines(rec.Match) || rec.Match.Played() == 0 {
		d.ask(t)
		return
	}
	d.Tasks.Go(func() {
		if d.Tasks.Sleep(watchPace) {
			t.since = d.Now()
			d.ask(t)
		}
	})
}

// Owed puts a match on the desk whose turn a former process left.
func (d *Desk) Owed(rec storage.Record, since time.Time) {
	d.ask(turn{match: rec.ID, place: rec.Place, since: since})
}

// turn is one turn of the engine that waits.
type turn struct {
	match game.MatchID
	place chat.Place
	since time.Time
}

type running struct {
	place  chat.Place
	stamp  uint32
	cancel context.CancelFunc
}

// ask puts a match whose engine is to move into the queue, once.
func (d *Desk) ask(t turn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || d.waiting[t.match] {
		return
	}
	d.budget.came(t.since)
	d.waiting[t.match] = true
	if len(d.queues[t.place.Server]) == 0 {
		d.order = append(d.order, t.place.Server)
	}
	d.queues[t.place.Server] = append(d.queues[t.place.Server], t)
	d.arrived.Signal()
}

// next takes the turn that is due: the servers take turns. ok is false once the desk is closed.
func (d *Desk) next() (t turn, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.order) == 0 && !d.closed {
		d.arrived.Wait()
	}
	if d.closed {
		return turn{}, false
	}
	return d.take(), true
}

// take is next where a turn waits; the caller holds d.mu.
func (d *Desk) take() (t turn) {
	server := d.order[0]
	d.order = d.order[1:]
	q := d.queues[server]
	t = q[0]
	if q = q[1:]; len(q) > 0 {
		d.queues[server] = q
		d.order = append(d.order, server)
	} else {
		delete(d.queues, server)
	}
	delete(d.waiting, t.match)
	return t
}

// time is how long the turn may be thought about.
func (d *Desk) time(t turn, now time.Time) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.budget.give(now, len(d.waiting)+1, now.Sub(t.since))
}

// searched tells what a turn took.
func (d *Desk) searched(c cost, beside time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.budget.searched(c, beside)
}

// Drew tells what it took to draw a board.
func (d *Desk) Drew(took time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.budget.drew(took)
}

func (d *Desk) begin(t turn, stamp uint32, cancel context.CancelFunc) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.running[t.match] = running{t.place, stamp, cancel}
}

// Knows reports whether a match waits or is thought about.
func (d *Desk) Knows(id game.MatchID) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, thinking := d.running[id]
	return d.waiting[id] || thinking
}

// Leave ends the searches in the places that gone tells. What waits there is found out
// when its turn comes.
func (d *Desk) Leave(gone func(chat.Place) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range d.running {
		if gone(r.place) {
			r.cancel()
		}
	}
}

// end forgets what begin noted, unless a later turn of the match has begun meanwhile.
func (d *Desk) end(id game.MatchID, stamp uint32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.running[id].stamp == stamp {
		delete(d.running, id)
	}
}

// Forget ends the search of a match that is gone.
func (d *Desk) Forget(id game.MatchID) { d.stop(id, 0, false) }

// stop ends the search of a match that has moved on.
func (d *Desk) stop(id game.MatchID, stamp uint32, waits bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if r, ok := d.running[id]; ok && (!waits || r.stamp != stamp) {
		r.cancel()
	}
}

// Close ends the searches. It does not wait for them: Tasks does.
func (d *Desk) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	for _, r := range d.running {
		r.cancel()
	}
	d.arrived.Broadcast()
}

// Size is how many turns wait and how many are being thought about.
func (d *Desk) Size() (waiting, thinking int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.waiting), len(d.running)
}
