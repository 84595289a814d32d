package bot

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"tengen/ai"
	"tengen/ai/engine"
	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
	"tengen/storage/kv"
)

// Thinker finds a move: ai.Search, or what a test puts in its place.
type Thinker func(ctx context.Context, g game.Game, limits ai.Limits) (ai.Report, error)

// desk is where the engine's turns wait. What is owed is in the store; the desk only
// remembers who waits since when, so that nothing is lost with it.
type desk struct {
	mu      sync.Mutex
	arrived *sync.Cond
	queues  map[uint64][]turn // by server, so that a busy one does not starve the others
	order   []uint64          // the servers that wait, in turn
	waiting map[game.MatchID]bool
	running map[game.MatchID]running
	closed  bool

	budget *budget
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

func newDesk(o Options) *desk {
	d := &desk{queues: map[uint64][]turn{}, waiting: map[game.MatchID]bool{},
		running: map[game.MatchID]running{}, budget: newBudget(o.Workers, o.AnswerIn, o.ThinkAtMost)}
	d.arrived = sync.NewCond(&d.mu)
	return d
}

// ask puts a match whose engine is to move into the queue, once.
func (d *desk) ask(t turn) {
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
func (d *desk) next() (t turn, ok bool) {
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
func (d *desk) take() (t turn) {
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
func (d *desk) time(t turn, now time.Time) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.budget.give(now, len(d.waiting)+1, now.Sub(t.since))
}

// searched and drew tell what a turn took.
func (d *desk) searched(c cost, beside time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.budget.searched(c, beside)
}

func (d *desk) drew(took time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.budget.drew(took)
}

func (d *desk) begin(t turn, stamp uint32, cancel context.CancelFunc) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.running[t.match] = running{t.place, stamp, cancel}
}

// knows reports whether a match waits or is thought about.
func (d *desk) knows(id game.MatchID) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, thinking := d.running[id]
	return d.waiting[id] || thinking
}

// leave ends the searches in the places that gone tells. What waits there is found out
// when its turn comes.
func (d *desk) leave(gone func(chat.Place) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range d.running {
		if gone(r.place) {
			r.cancel()
		}
	}
}

// end forgets what begin noted, unless a later turn of the match has begun meanwhile.
func (d *desk) end(id game.MatchID, stamp uint32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.running[id].stamp == stamp {
		delete(d.running, id)
	}
}

// stop ends the search of a match that has moved on.
func (d *desk) stop(id game.MatchID, stamp uint32, waits bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if r, ok := d.running[id]; ok && (!waits || r.stamp != stamp) {
		r.cancel()
	}
}

func (d *desk) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	for _, r := range d.running {
		r.cancel()
	}
	d.arrived.Broadcast()
}

// size is how many turns wait and how many are being thought about.
func (d *desk) size() (waiting, thinking int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.waiting), len(d.running)
}

// work is one worker of the desk.
func (b *Bot) work() {
	for {
		t, ok := b.desk.next()
		if !ok {
			return
		}
		if err := b.takeTurn(t); err != nil && b.life.Err() == nil {
			b.met.Error("engine")
			b.log.Error("engine turn", "match", view.Name(t.match), "err", err)
			b.later(t)
		}
	}
}

// later asks again for a turn that failed, after a while.
func (b *Bot) later(t turn) {
	b.spawn(func() {
		if b.sleep(b.opt.RetryAfter) {
			b.desk.ask(t)
		}
	})
}

// attempts is after how many failed searches a turn is played without one.
const attempts = 3

// takeTurn thinks about a match and plays the engine's move. A match that does not wait
// for the engine any more is left alone.
func (b *Bot) takeTurn(t turn) error {
	begun := time.Now()
	rec, err := b.store.Match(b.life, t.match)
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	m := rec.Match
	if !m.EngineToMove() {
		return nil
	}
	owner, ok := b.under(b.life, rec.Place)
	if !ok {
		return nil // another process thinks here
	}
	work, err := b.store.Try(owner, rec.ID, m.Stamp())
	if errors.Is(err, kv.ErrFenced) {
		return nil
	}
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return err
	}
	report, spent, err := b.search(t, m, work.Tries)
	if err != nil {
		return err
	}
	if !report.Move.On(m.Rules.Size()) {
		return nil // canceled: whoever changed the match has asked again where needed
	}
	_, err = b.update(owner, rec.ID, b.claiming(storage.Cause{At: b.now()}), func(now game.Match) (game.Match, error) {
		stamp := m.Stamp()
		if b.sabotage.StaleMove {
			stamp = now.Stamp()
		}
		return now.Reply(stamp, report.Move, note(report), b.now())
	})
	var stale *game.Refusal
	if errors.As(err, &stale) && stale.Code == game.Moved || errors.Is(err, kv.ErrFenced) {
		return nil
	}
	if err != nil {
		return err
	}
	b.refresh(rec.ID, false)
	if spent.took > 0 {
		b.desk.searched(spent, time.Since(begun)-spent.took)
	}
	return nil
}

// search thinks within the budget and tells what it took. After too many failures it plays
// without thinking. Its report has no move when the match moved on meanwhile.
func (b *Bot) search(t turn, m game.Match, tries int) (report ai.Report, spent cost, err error) {
	if tries > attempts {
		return unsearched(m.Game()), cost{}, nil
	}
	level := int(m.Seats[m.ToMove()].Level)
	each := b.desk.time(t, b.now())
	ctx, cancel := context.WithCancel(b.life)
	defer cancel()
	b.desk.begin(t, m.Stamp(), cancel)
	defer b.desk.end(m.ID, m.Stamp())
	limits := ai.Limits{Level: level, Seed: m.Seed + uint64(m.Undos), Time: each}
	if level <= fullLevels {
		limits.Time = 0 // small enough to be played in full always
	}
	began := time.Now()
	report, err = b.thinkSafely(ctx, m.Game(), limits)
	spent = cost{took: time.Since(began), cut: report.Cut, full: level <= fullLevels}
	switch {
	case ctx.Err() != nil:
		return ai.Report{Move: game.NoPoint}, cost{}, nil
	case err != nil && tries >= attempts:
		b.log.Error("engine failed; playing without it", "match", view.Name(m.ID), "err", err)
		return unsearched(m.Game()), cost{}, nil
	case err != nil:
		return ai.Report{}, cost{}, err
	case m.Game().Check(report.Move) != nil && tries >= attempts:
		return unsearched(m.Game()), cost{}, nil
	case m.Game().Check(report.Move) != nil:
		return ai.Report{}, cost{}, fmt.Errorf("engine played %v: %w", report.Move, m.Game().Check(report.Move))
	}
	b.met.Turn("played", limits.Time, b.now().Sub(t.since), report.Cut)
	return report, spent, nil
}

// fullLevels are the levels that are always played at their full node count.
const fullLevels = 5

// thinkSafely is the engine with its panics made errors.
func (b *Bot) thinkSafely(ctx context.Context, g game.Game, limits ai.Limits) (report ai.Report, err error) {
	defer func() {
		if b.sabotage.NoRecover {
			return
		}
		if p := recover(); p != nil {
			err = fmt.Errorf("engine panicked: %v", p)
		}
	}()
	return b.think(ctx, g, limits)
}

// unsearched is a move without a search: the first legal point next to a stone, else the
// first legal one.
func unsearched(g game.Game) ai.Report {
	best := game.NoPoint
	for p := range g.Legal().All() {
		if best == game.NoPoint {
			best = p
		}
		if q := g.Last(); q != game.NoPoint && nearby(p, q) {
			best = p
			break
		}
	}
	return ai.Report{Move: best}
}

// nearby reports whether two points lie on one pad.
func nearby(p, q game.Point) bool {
	dc, dr := p.Col()-q.Col(), p.Row()-q.Row()
	return dc > -5 && dc < 5 && dr > -4 && dr < 4
}

// note is what is kept of a report beside the move.
func note(r engine.Report) game.Note {
	return game.Note{
		Depth: uint16(min(r.Depth, math.MaxUint16)), Nodes: uint64(r.Nodes),
		Millis: uint32(r.Elapsed.Milliseconds()), Score: int32(r.Score),
		Win: uint16(min(1000, max(0, r.Win*1000))), Proof: uint8(r.Proof),
		In: uint16(r.In), Cut: r.Cut,
	}
}
