package desk

import (
	"context"
	"time"

	"tengen/ai/review"
	"tengen/bot/view"
	"tengen/game"
)

// turningIn is how long the end of a match waits for its turning point.
const turningIn = time.Second

// mostTurnings is how many turning points a desk remembers: the end of a match is shown several times.
const mostTurnings = 1000

// turning is the turning point of a match that ended with a stamp; nil: none was found in time.
type turning struct {
	stamp uint32
	ply   *review.Ply
}

// Turning is the move at which a finished match turned, as a review sees it that searches its last positions,
// beside the engine's turns like Advise. It is nil where nothing is proven within a second.
func (d *Desk) Turning(ctx context.Context, m game.Match) *review.Ply {
	d.mu.Lock()
	known, ok := d.turnings[m.ID]
	d.mu.Unlock()
	if ok && known.stamp == m.Stamp() {
		return known.ply
	}
	ply := d.findTurning(ctx, m)
	if ctx.Err() != nil {
		return ply
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.turnings) >= mostTurnings {
		clear(d.turnings)
	}
	d.turnings[m.ID] = turning{m.Stamp(), ply}
	return ply
}

func (d *Desk) findTurning(ctx context.Context, m game.Match) (ply *review.Ply) {
	ctx, cancel := context.WithTimeout(ctx, turningIn)
	defer cancel()
	if d.advising(ctx) != nil {
		return nil
	}
	defer d.advised()
	defer func() {
		if p := recover(); p != nil {
			d.Log.Error("turning point", "match", view.Name(m.ID), "panic", p)
			ply = nil
		}
	}()
	found, ok := review.Turning(ctx, m.Game(), m.Result().Winner,
		review.Options{Means: d.Means, Opening: view.OpeningOf(m)})
	if !ok {
		return nil
	}
	return &found
}
