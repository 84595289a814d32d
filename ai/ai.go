// Package ai plays: it asks the engine of a game for a move, at a level. It draws nothing,
// stores nothing and knows no seats. Start from Search.
package ai

import (
	"context"

	"tengen/ai/engine"
	"tengen/ai/five"
	"tengen/ai/reversi"
	"tengen/game"
	"tengen/game/opening"
)

// The words of package engine, so that callers need one import.
type (
	Limits    = engine.Limits
	Report    = engine.Report
	Candidate = engine.Candidate
)

// Search finds a move for the side to move in g; a game that has ended is an
// engine.ErrOver. It obeys ctx within 20 ms, always gives a legal move, and is
// deterministic for fixed Nodes and Seed on one thread.
func Search(ctx context.Context, g game.Game, limits Limits) (Report, error) {
	if g.Rules() == game.Reversi {
		return reversi.Search(ctx, g, limits)
	}
	return five.Search(ctx, g, limits)
}

// Decide answers what the opening s asks next, for whoever is asked. The report's Win is the
// expected result of the person who is asked. Decide obeys ctx and gives a legal decision as
// Search does; the limits are those of the whole decision.
func Decide(ctx context.Context, r game.Rules, s opening.State, limits Limits) (game.Decision, Report, error) {
	return five.Decide(ctx, r, s, limits)
}

// Balanced is an opening that leaves both sides about equal chances, black's move first;
// seed chooses among them.
func Balanced(r game.Rules, seed uint64) []game.Point {
	if r == game.Reversi {
		return reversi.Balanced(seed)
	}
	return five.Balanced(r, seed)
}
