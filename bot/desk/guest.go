package desk

import (
	"context"
	"fmt"
	"time"

	"tengen/ai"
	"tengen/bot/view"
	"tengen/game"
)

// Guests are programs of other makers that play here: guest.Guests, or a test's stand-in for them.
type Guests interface {
	// Names are the guests that play r; nil asks for all.
	Names(r game.Rules) []string
	// Move is a guest's move in g. After an error the guest is started again.
	Move(ctx context.Context, name string, g game.Game) (game.Point, error)
}

// Names are the guests that play r; nil asks for all.
func (d *Desk) Names(r game.Rules) []string {
	if d.Guests == nil {
		return nil
	}
	return d.Guests.Names(r)
}

// asks is how often a guest is asked for one move before our engine makes it.
const asks = 2

// visit asks a guest for its move. Where the guest fails each time, our engine makes the move, and
// the note has its level. So it is in openings, of which the protocols of guests know nothing. ok is
// false when the match changed meanwhile.
func (d *Desk) visit(t turn, m game.Match, name string, tries int) (f found, ok bool) {
	if tries > attempts { // processes of ours have ended over this turn
		return found{decision: unsearched(m), note: game.Note{Level: game.Levels}}, true
	}
	ctx, cancel := context.WithCancel(d.Tasks.Life)
	defer cancel()
	d.begin(t, m.Stamp(), cancel)
	defer d.end(m.ID, m.Stamp())
	began := time.Now()
	for n := 0; n < asks && !m.Deciding(); n++ {
		p, err := d.askGuest(ctx, name, m.Game())
		switch {
		case ctx.Err() != nil:
			return found{}, false
		case err == nil:
			d.Metrics.Visit("guest")
			return found{decision: game.Decision(p), note: game.Note{Millis: uint32(time.Since(began).Milliseconds())}}, true
		}
		d.Metrics.Error("guest")
		d.Log.Warn("guest failed", "guest", name, "match", view.Name(m.ID), "err", err)
	}
	d.Metrics.Visit("replaced")
	return d.standIn(ctx, m)
}

// askGuest turns a panic into an error, and so an illegal move.
func (d *Desk) askGuest(ctx context.Context, name string, g game.Game) (p game.Point, err error) {
	defer func() {
		if what := recover(); what != nil {
			err = fmt.Errorf("panicked: %v", what)
		}
	}()
	if d.Guests == nil {
		return game.NoPoint, fmt.Errorf("there are no guests")
	}
	if p, err = d.Guests.Move(ctx, name, g); err == nil {
		err = g.Check(p)
	}
	return p, err
}

// standIn moves, or decides, for a guest by our strongest level. Its time is not the budget's, which
// has no part in how long the guest took.
func (d *Desk) standIn(ctx context.Context, m game.Match) (f found, ok bool) {
	decision, report, err := d.decide(ctx, m, ai.Limits{Level: game.Levels, Seed: m.Seed + uint64(m.Undos),
		Time: d.ThinkAtMost, Brief: true})
	if ctx.Err() != nil {
		return found{}, false
	}
	if err == nil {
		_, err = m.ReplyDecision(m.Stamp(), decision, game.Note{}, d.Now())
	}
	if err != nil {
		d.Log.Error("engine failed in a guest's place; playing without it", "match", view.Name(m.ID), "err", err)
		decision, report = unsearched(m), ai.Report{}
	}
	f = found{decision: decision, note: note(report)}
	f.note.Level = game.Levels
	return f, true
}
