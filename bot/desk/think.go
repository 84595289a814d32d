package desk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"tengen/ai"
	"tengen/ai/engine"
	"tengen/ai/review"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/opening"
	"tengen/storage"
	"tengen/storage/kv"
)

// work is one worker of a lane.
func (d *Desk) work(lane string) {
	for {
		t, ok := d.next(lane)
		if !ok {
			return
		}
		err := d.takeTurn(t)
		d.taken(t.match)
		if err != nil && d.Tasks.Life.Err() == nil {
			d.Metrics.Error("engine")
			d.Log.Error("engine turn", "match", view.Name(t.match), "err", err)
			if t.failed++; t.failed == 2 && errors.Is(err, kv.ErrFull) { // by then the answer with the board is there
				d.House.Stuck(t.match)
			}
			d.later(t)
		}
	}
}

// later queues a failed turn again, after a pause.
func (d *Desk) later(t turn) {
	d.Tasks.Go(func() {
		if d.Tasks.Sleep(d.RetryAfter) {
			d.ask(t)
		}
	})
}

// attempts is how many searches of a turn may fail before the desk plays it without one.
const attempts = 3

// takeTurn searches a turn and plays the engine's move. It leaves a match alone that does not wait
// for the engine any more.
func (d *Desk) takeTurn(t turn) error {
	begun := time.Now()
	rec, err := d.Store.Match(d.Tasks.Life, t.match)
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
	owner, ok := d.House.Under(d.Tasks.Life, rec.Place)
	if !ok {
		return nil // another process plays the engine here
	}
	work, err := d.Store.Try(owner, rec.ID, m.Stamp())
	if errors.Is(err, kv.ErrFenced) {
		return nil
	}
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return err
	}
	found, ok, err := d.find(t, m, work.Tries)
	if err != nil || !ok { // canceled: the change that ended the search has queued a new turn, if there is one
		return err
	}
	_, err = d.House.Update(owner, rec.ID, d.House.Claiming(storage.Cause{At: d.Now()}),
		func(now game.Match) (game.Match, error) {
			return now.ReplyDecision(m.Stamp(), found.decision, found.note, d.Now())
		})
	var stale *game.Refusal
	if errors.As(err, &stale) && stale.Code == game.Moved || errors.Is(err, kv.ErrFenced) {
		return nil
	}
	if err != nil {
		return err
	}
	d.House.Refresh(rec.ID, false)
	if found.spent.took > 0 {
		d.searched(found.spent, time.Since(begun)-found.spent.took)
	}
	return nil
}

// found is what a search has come to, a move or a decision of an opening, and its cost.
type found struct {
	decision game.Decision
	note     game.Note
	spent    cost
}

// find finds what the engine or the guest whose turn it is plays. ok is false when the match changed
// meanwhile.
func (d *Desk) find(t turn, m game.Match, tries int) (f found, ok bool, err error) {
	if name := m.Seats[m.ToMove()].Guest; name != "" {
		f, ok = d.visit(t, m, name, tries)
		return f, ok, nil
	}
	return d.search(t, m, tries)
}

// search finds the engine's move within the budget. After too many failures it gives one without a
// search. ok is false when the match changed meanwhile.
func (d *Desk) search(t turn, m game.Match, tries int) (f found, ok bool, err error) {
	if tries > attempts {
		return found{decision: unsearched(m)}, true, nil
	}
	level := int(m.Seats[m.ToMove()].Level)
	each := d.time(t, d.Now())
	ctx, cancel := context.WithCancel(d.Tasks.Life)
	defer cancel()
	d.begin(t, m.Stamp(), cancel)
	defer d.end(m.ID, m.Stamp())
	limits := ai.Limits{Level: level, Seed: m.Seed + uint64(m.Undos), Time: each, Brief: true}
	if level <= fullLevels {
		limits.Time = 0 // these levels are small enough to be searched in full under any load
	}
	began := time.Now()
	decision, report, err := d.decide(ctx, m, limits)
	f = found{decision, note(report), cost{took: time.Since(began), cut: report.Cut, full: level <= fullLevels}}
	if ctx.Err() != nil {
		return found{}, false, nil
	}
	if err == nil {
		if _, err = m.ReplyDecision(m.Stamp(), f.decision, game.Note{}, d.Now()); err != nil {
			err = fmt.Errorf("engine played %v: %w", f.decision, err)
		}
	}
	switch {
	case err != nil && tries >= attempts:
		d.Log.Error("engine failed; playing without it", "match", view.Name(m.ID), "err", err)
		return found{decision: unsearched(m)}, true, nil
	case err != nil:
		return found{}, false, err
	}
	d.Metrics.Turn("played", limits.Time, d.Now().Sub(t.since), report.Cut)
	return f, true, nil
}

// fullLevels is the highest level that is always searched to its full node count.
const fullLevels = 5

// decide runs the engine on a match: in an opening for a decision, else for a move.
func (d *Desk) decide(ctx context.Context, m game.Match,
	limits ai.Limits) (found game.Decision, report ai.Report, err error) {
	line, _ := opening.Of(m)
	if !m.Deciding() {
		report, err = d.think(ctx, m.Game(), limits)
		return game.Decision(report.Move), report, err
	}
	defer d.recovered(&err)
	return d.Decide(ctx, m.Rules, line.State, limits)
}

// think runs the engine and turns a panic into an error.
func (d *Desk) think(ctx context.Context, g game.Game, limits ai.Limits) (report ai.Report, err error) {
	defer d.recovered(&err)
	return d.Think(ctx, g, limits)
}

// recovered turns a panic of the engine into an error.
func (d *Desk) recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("engine panicked: %v", p)
	}
}

// unsearched is a decision without a search: in an opening the first answer or point that is allowed, else
// the move of Unsearched.
func unsearched(m game.Match) game.Decision {
	q := m.Question()
	switch {
	case !m.Deciding():
		return game.Decision(Unsearched(m.Game()).Move)
	case len(q.Options) > 0:
		return q.Options[0]
	}
	return q.At(q.Points.Points()[0])
}

// Unsearched is a move without a search: the first legal point near the last move, else the first
// legal point.
func Unsearched(g game.Game) ai.Report {
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

// nearby reports whether two points are at most four columns and three rows apart.
func nearby(p, q game.Point) bool {
	dc, dr := p.Col()-q.Col(), p.Row()-q.Row()
	return dc > -5 && dc < 5 && dr > -4 && dr < 4
}

// note is what a match keeps of a report beside the move.
func note(r engine.Report) game.Note {
	return game.Note{
		Depth: uint16(min(r.Depth, math.MaxUint16)), Nodes: uint64(r.Nodes),
		Millis: uint32(r.Elapsed.Milliseconds()), Score: int32(r.Score),
		Win: uint16(min(1000, max(0, r.Win*1000))), Proof: uint8(r.Proof),
		In: uint16(r.In), Cut: r.Cut,
	}
}

// Advise finds a move for a member who asks for a hint. It runs beside the engine's turns and shares
// the cores with them, and so may take twice the time of limits.
func (d *Desk) Advise(ctx context.Context, g game.Game, limits ai.Limits) (ai.Report, error) {
	if err := d.advising(ctx); err != nil {
		return ai.Report{}, err
	}
	defer d.advised()
	ctx, cancel := context.WithTimeout(ctx, 2*limits.Time)
	defer cancel()
	return d.think(ctx, g, limits)
}

// advising waits for its place among the hints and tries that are searched. A member waits for
// each: a review gives way to them too.
func (d *Desk) advising(ctx context.Context) error {
	select {
	case d.advice <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.giveWay()
	return nil
}

// advised notes that a hint, or the verdict on a try, is searched no more.
func (d *Desk) advised() {
	<-d.advice
	d.mu.Lock()
	defer d.mu.Unlock()
	d.idle.Broadcast()
}

// Deepen looks longer at a position than Advise, for a member who studies it. It takes what turns, hints and tries
// leave: one search at a time, which ends when they need the core and goes on when one is free, limits.Time in all. It
// refuses where others wait before it for too long, and gives what it has where ctx ends.
func (d *Desk) Deepen(ctx context.Context, g game.Game, limits ai.Limits) (best ai.Report, err error) {
	soon, cancel := context.WithTimeout(ctx, judgeIn)
	defer cancel()
	select {
	case d.deep <- struct{}{}:
	case <-soon.Done():
		if ctx.Err() == nil {
			return best, view.No("study.busy")
		}
		return best, ctx.Err()
	}
	defer func() { <-d.deep }()
	for left := limits.Time; left > 0 && ctx.Err() == nil; {
		limits.Time = left
		search, end := d.beginSearch(ctx)
		began := time.Now()
		r, err := d.think(search, g, limits)
		whole := search.Err() == nil
		end()
		if err != nil && whole {
			return best, err
		}
		if err == nil && (best.Nodes == 0 || r.Depth > best.Depth || r.Proof != engine.Unproven) {
			best = r
		}
		if left -= time.Since(began); whole || r.Proof != engine.Unproven {
			break
		}
	}
	if best.Nodes == 0 {
		return best, cmp.Or(ctx.Err(), error(view.No("study.busy")))
	}
	return best, nil
}

// Try judges a second try at a fault of a review, beside the engine's turns like Advise.
func (d *Desk) Try(ctx context.Context, g game.Game, fault review.Ply, move game.Point,
	m review.Means) (v review.Verdict, err error) {
	if err := d.advising(ctx); err != nil {
		return v, err
	}
	defer d.advised()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("trying panicked: %v", p)
		}
	}()
	return review.Try(ctx, g, fault, move, m)
}

// judgeIn is how long an answer waits for its place.
const judgeIn = 5 * time.Second

// Judge has an answer judged, which is bounded in time, beside the engine's turns like Advise. It refuses
// where no place is free in time: the answer does not count.
func (d *Desk) Judge(ctx context.Context, judge func(context.Context) error) (err error) {
	wait, cancel := context.WithTimeout(ctx, judgeIn)
	defer cancel()
	if err := d.advising(wait); err != nil {
		if ctx.Err() == nil {
			return view.No("puzzle.busy")
		}
		return err
	}
	defer d.advised()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("judging panicked: %v", p)
		}
	}()
	return judge(ctx)
}
