package finder

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
)

// Of a running game these positions are kept from the engine's eyes beside the present one: its last few, since the
// engine says what follows from them. Games have their first stones in common, which tell nothing.
const (
	lastKept   = 10
	commonUpTo = 6 // stones
)

// Fair refuses positions that would bring help from outside in a rated game which is running: one of the member's own,
// or one of this channel. It does so too where they are turned, mirrored or with the colors exchanged, and where start,
// the position from which they come, is set up with the stones of such a game and more.
func (f *Finder) Fair(ctx context.Context, r chat.Request, start game.Game, positions iter.Seq[game.Position]) error {
	mine, err := f.Store.Of(ctx, r.By)
	if err != nil {
		return err
	}
	here, err := f.Store.InChannel(ctx, r.Place)
	if err != nil {
		return err
	}
	running := map[game.Position]bool{}
	for _, rec := range append(mine, here...) {
		if !view.Playing(rec.Match) || !rec.Rated || rec.Spoiled || rec.Game().Len() == 0 {
			continue
		}
		g := rec.Game()
		if ahead(start, g.Position()) {
			return view.No("review.running")
		}
		running[plain(g.Position())] = true
		for n := max(1, g.Len()-lastKept); n < g.Len(); n++ {
			if b := g.Until(n).Position(); stones(b) >= commonUpTo {
				running[plain(b)] = true
			}
		}
	}
	if len(running) == 0 {
		return nil
	}
	counts := map[int]bool{}
	for b := range running {
		counts[stones(b)] = true
	}
	for b := range positions {
		if counts[stones(b)] && running[plain(b)] {
			return view.No("review.running")
		}
	}
	return nil
}

func stones(b game.Position) int { return b.Count(game.Black) + b.Count(game.White) }

// ahead reports whether a game begins with a position that is set up, and that has all stones of a running one.
func ahead(start game.Game, running game.Position) bool {
	set := start.Start()
	if set == start.Rules().Start() || stones(running) < commonUpTo || set.Size != running.Size {
		return false
	}
	discs := start.Rules() == game.Reversi // they change their color
	return slices.ContainsFunc(alike(running), func(b game.Position) bool {
		if discs {
			return within(b.Stones[0].Or(b.Stones[1]), set.Stones[0].Or(set.Stones[1]))
		}
		return within(b.Stones[0], set.Stones[0]) && within(b.Stones[1], set.Stones[1])
	})
}

func within(s, all game.Set) bool { return s.Or(all) == all }

// alike are the positions that show the same game: the board turned or mirrored, and either color called black.
func alike(b game.Position) (all []game.Position) {
	for way := range uint64(8) {
		seen := game.Position{Size: b.Size, Turn: b.Turn}
		for i, stones := range b.Stones {
			for p := range stones.All() {
				seen.Stones[i] = seen.Stones[i].With(p.Turned(b.Size, way))
			}
		}
		all = append(all, seen,
			game.Position{Size: b.Size, Turn: b.Turn.Other(), Stones: [2]game.Set{seen.Stones[1], seen.Stones[0]}})
	}
	return all
}

// plain is the same position for all that are alike.
func plain(b game.Position) game.Position { return slices.MinFunc(alike(b), order) }

// order is an order of positions on boards of one size.
func order(x, y game.Position) int {
	return cmp.Or(cmp.Compare(x.Turn, y.Turn), slices.Compare(x.Stones[0][:], y.Stones[0][:]),
		slices.Compare(x.Stones[1][:], y.Stones[1][:]))
}

// Reached are the positions that a game reaches, its beginning among them.
func Reached(g game.Game) iter.Seq[game.Position] {
	return func(yield func(game.Position) bool) {
		for n := 0; n <= g.Len() && yield(g.Until(n).Position()); n++ {
		}
	}
}
