// Package desk plays the engine's turns. They wait in a queue, every game gets the same time,
// and the engine's move is made like a member's. While a worker is free, the desk makes the
// reviews that members have asked for. Package ai decides how strong a level is, and package
// screen shows the board. Start from New, Desk.Open, Desk.Changed and Desk.Review.
package desk

import (
	"context"
	"sync"
	"time"

	"tengen/ai"
	"tengen/ai/review"
	"tengen/bot/room"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/opening"
	"tengen/game/venue"
	"tengen/storage"
)

// Thinker finds a move: ai.Search, or a test's stand-in for it.
type Thinker func(ctx context.Context, g game.Game, limits ai.Limits) (ai.Report, error)

// Decider finds a decision of an opening: ai.Decide, or a test's stand-in for it.
type Decider func(ctx context.Context, r game.Rules, s opening.State,
	limits ai.Limits) (game.Decision, ai.Report, error)

// House is what a desk needs of the bot.
type House interface {
	room.House
	// Claiming is c, and names this process as the one that shows the change.
	Claiming(c storage.Cause) storage.Cause
	// Stuck says on a match's board that the engine's move cannot be kept, since the disk is full.
	Stuck(id game.MatchID)
}

// Config is what a Desk needs. Only Think, Decide, Guests, MakeReview, Means and Metrics may be left
// out.
type Config struct {
	room.Base
	House  House
	Think  Thinker // nil: ai.Search
	Decide Decider // nil: ai.Decide
	Guests Guests  // nil: there are none

	Workers     int           // how many turns are searched at a time
	AnswerIn    time.Duration // how soon the engine's move should be there
	ThinkAtMost time.Duration // the longest search of one turn
	RetryAfter  time.Duration // the pause after a failed turn

	MakeReview Reviewer     // nil: review.Game
	Means      review.Means // of reviews; zero: the usual ones
}

// Desk holds the turns of the engine that wait. The store knows which turns are owed, and the
// desk only remembers since when each of them waits: nothing is lost with the desk.
type Desk struct {
	Config

	mu      sync.Mutex
	arrived *sync.Cond
	lanes   map[string]*lane // of our engine: ""; of each guest: its name
	waiting map[game.MatchID]bool
	pausing map[game.MatchID]bool // matches between engines that members follow
	running map[game.MatchID]running
	quick   map[game.MatchID]chan struct{} // closed once a turn that takes no time has been taken
	closed  bool
	idle    *sync.Cond // a worker may be free, or a review is asked for
	reviews reviews
	aside   map[*context.CancelFunc]bool // they end the searches that run only while turns leave a core

	budget *budget
	advice chan struct{} // holds one for each hint that is being searched
	deep   chan struct{} // holds one while a position is searched deeper

	turnings map[game.MatchID]turning // of finished matches
}

// lane is a queue of turns with workers of its own, so that a slow guest keeps only those waiting
// who play it.
type lane struct {
	queues map[uint64][]turn // by server, so that a busy one does not starve the others
	order  []uint64          // the servers with waiting turns; the first is next
	size   int               // how many turns wait
}

// New makes a desk. It searches nothing before Open.
func New(c Config) *Desk {
	if c.Think == nil {
		c.Think = ai.Search
	}
	if c.Decide == nil {
		c.Decide = ai.Decide
	}
	if c.MakeReview == nil {
		c.MakeReview = review.Game
	}
	d := &Desk{Config: c, lanes: map[string]*lane{"": {queues: map[uint64][]turn{}}}, waiting: map[game.MatchID]bool{},
		pausing: map[game.MatchID]bool{}, aside: map[*context.CancelFunc]bool{}, deep: make(chan struct{}, 1),
		running: map[game.MatchID]running{}, quick: map[game.MatchID]chan struct{}{},
		budget: newBudget(c.Workers, c.AnswerIn, c.ThinkAtMost), advice: make(chan struct{}, c.Workers),
		turnings: map[game.MatchID]turning{}}
	d.arrived, d.idle = sync.NewCond(&d.mu), sync.NewCond(&d.mu)
	for _, name := range d.Names(nil) {
		d.lanes[name] = &lane{queues: map[uint64][]turn{}}
	}
	return d
}

// Open starts the workers.
func (d *Desk) Open() {
	for range d.Workers {
		d.Tasks.Go(func() { d.work("") })
	}
	for _, name := range d.Names(nil) {
		d.Tasks.Go(func() { d.work(name) })
	}
	d.Tasks.Go(d.reviewAll)
}

// Changed takes a match that is new or has changed: it ends a search that is out of date, and
// queues the engine's turn where there is one.
func (d *Desk) Changed(rec storage.Record) {
	waits := rec.Match.EngineToMove() && d.House.Owns(rec.Place)
	if goesOn := d.stop(rec.ID, rec.Match.Stamp(), waits); waits && !goesOn {
		d.queue(rec)
	}
}

// watchPace is the least time between two moves of a match between engines, whose board is edited
// for each move.
const watchPace = 3 * time.Second

// queue queues the turn of a match that waits for the engine. A match between engines pauses
// first, so that members can follow.
func (d *Desk) queue(rec storage.Record) {
	t := d.turnOf(rec, d.Now())
	if !view.BetweenEngines(rec.Match) || rec.Match.Played() == 0 {
		d.ask(t)
		return
	}
	if d.pauses(rec.ID) {
		return
	}
	d.Tasks.Go(func() {
		if d.Tasks.Sleep(watchPace) {
			t.since = d.Now()
			d.ask(t)
		}
	})
}

// pauses reports whether a match pauses already. It does from now on.
func (d *Desk) pauses(id game.MatchID) (already bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	already, d.pausing[id] = d.pausing[id], true
	return already
}

// Owed queues a match whose turn a former process left.
func (d *Desk) Owed(rec storage.Record, since time.Time) {
	if !d.Knows(rec.ID) {
		d.ask(d.turnOf(rec, since))
	}
}

// turn is a waiting turn of the engine.
type turn struct {
	match game.MatchID
	place venue.Place
	since time.Time
	guest string // the lane; our engine takes the turn of a guest that is not here
	quick bool   // the level is searched in full, which takes no time

	failed int // times, one after the other
}

func (d *Desk) turnOf(rec storage.Record, since time.Time) turn {
	t := turn{match: rec.ID, place: rec.Place, since: since}
	seat := rec.Seats[rec.ToMove()]
	if d.lanes[seat.Guest] != nil {
		t.guest = seat.Guest
	}
	t.quick = t.guest == "" && int(seat.Level) <= fullLevels
	return t
}

// running is a search that is under way.
type running struct {
	place  venue.Place
	stamp  uint32
	cancel context.CancelFunc
	ended  bool // by stop
}

// ask queues a turn, unless its match waits already.
func (d *Desk) ask(t turn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.pausing, t.match)
	if d.closed || d.waiting[t.match] {
		return
	}
	if t.guest == "" {
		d.budget.came(t.since)
	}
	d.waiting[t.match] = true
	if t.quick && d.quick[t.match] == nil {
		d.quick[t.match] = make(chan struct{})
	}
	l := d.lanes[t.guest]
	if len(l.queues[t.place.Server]) == 0 {
		l.order = append(l.order, t.place.Server)
	}
	l.queues[t.place.Server] = append(l.queues[t.place.Server], t)
	l.size++
	d.arrived.Broadcast() // the workers of all lanes wait here
	if t.guest == "" {
		d.giveWay()
	}
}

// next waits for a turn of a lane and takes it. It serves the servers in rotation. ok is false once
// the desk is closed.
func (d *Desk) next(name string) (t turn, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.lanes[name]
	for len(l.order) == 0 && !d.closed {
		d.arrived.Wait()
	}
	if d.closed {
		return turn{}, false
	}
	return d.take(l), true
}

// take takes the next turn of a lane. One waits, and the caller holds d.mu.
func (d *Desk) take(l *lane) (t turn) {
	server := l.order[0]
	l.order = l.order[1:]
	q := l.queues[server]
	t = q[0]
	if q = q[1:]; len(q) > 0 {
		l.queues[server] = q
		l.order = append(l.order, server)
	} else {
		delete(l.queues, server)
	}
	l.size--
	delete(d.waiting, t.match)
	d.idle.Broadcast() // the turn may come to nothing
	return t
}

// time is how long the search of a turn may take.
func (d *Desk) time(t turn, now time.Time) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.budget.give(now, d.lanes[""].size+1, now.Sub(t.since))
}

// searched notes what a turn cost.
func (d *Desk) searched(c cost, beside time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.budget.searched(c, beside)
}

// Drew notes how long drawing a board took.
func (d *Desk) Drew(took time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.budget.drew(took)
}

// Await waits until a quick turn of a match has been taken, for as long as a member likes to wait for one
// answer with both moves rather than for two answers.
func (d *Desk) Await(ctx context.Context, id game.MatchID) {
	d.mu.Lock()
	taken := d.quick[id]
	d.mu.Unlock()
	if taken == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, both)
	defer cancel()
	select {
	case <-taken:
	case <-ctx.Done():
	}
}

// both is how long an answer waits for the engine's move.
const both = 300 * time.Millisecond

// taken notes that a turn has been taken, or has failed.
func (d *Desk) taken(id game.MatchID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if taken := d.quick[id]; taken != nil {
		close(taken)
		delete(d.quick, id)
	}
}

// begin notes the search of a turn.
func (d *Desk) begin(t turn, stamp uint32, cancel context.CancelFunc) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.running[t.match] = running{place: t.place, stamp: stamp, cancel: cancel}
	d.giveWay()
}

// Knows reports whether a match's turn waits, pauses or is being searched.
func (d *Desk) Knows(id game.MatchID) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, thinking := d.running[id]
	return d.waiting[id] || d.pausing[id] || thinking
}

// GiveUp ends the searches in the places that gone names. A waiting turn there is dropped when a
// worker takes it.
func (d *Desk) GiveUp(gone func(venue.Place) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range d.running {
		if gone(r.place) {
			r.cancel()
		}
	}
	if d.reviews.cancel != nil && gone(d.reviews.place) {
		d.reviews.cancel()
	}
}

// end forgets what begin noted, unless a later turn of the match has begun meanwhile.
func (d *Desk) end(id game.MatchID, stamp uint32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.running[id].stamp == stamp {
		delete(d.running, id)
	}
	d.idle.Broadcast()
}

// stop ends a match's search, unless the match still waits for the engine in the same position: then it goes on.
func (d *Desk) stop(id game.MatchID, stamp uint32, waits bool) (goesOn bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r, ok := d.running[id]
	if ok && (!waits || r.stamp != stamp) {
		r.ended = true
		r.cancel()
		d.running[id] = r
	}
	return ok && !r.ended
}

// Close ends the searches. Tasks.Wait waits for them.
func (d *Desk) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	for _, r := range d.running {
		r.cancel()
	}
	d.arrived.Broadcast()
	d.idle.Broadcast()
}

// Size is how many turns wait and how many are being searched.
func (d *Desk) Size() (waiting, thinking int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.waiting), len(d.running)
}
