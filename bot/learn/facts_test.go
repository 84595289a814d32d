package learn

import (
	"iter"

	"tengen/game"
)

// facts give all right first moves of a position.
var facts = map[ask]func(g game.Game) game.Set{
	askFive:  wins,
	askBlock: func(g game.Game) game.Set { return moves(g, func(h game.Game) bool { return wins(h).Empty() }) },
	askOpen:  opens,
	askThree: func(g game.Game) game.Set {
		return moves(g, func(h game.Game) bool { return !opens(passed(h)).Empty() })
	},
	askGuard: guards,
	askTwice: twice,
	askMost: func(g game.Game) game.Set {
		return least(g, func(h game.Game) int { return -h.Position().Count(g.Turn()) })
	},
	askCorner: corners,
	askSafe: func(g game.Game) game.Set {
		return moves(g, func(h game.Game) bool { return h.Turn() == g.Turn() || corners(h).Empty() })
	},
	askFew:   func(g game.Game) game.Set { return least(g, func(h game.Game) int { return replies(h, g.Turn()) }) },
	askSkip:  func(g game.Game) game.Set { return moves(g, func(h game.Game) bool { return h.Turn() == g.Turn() }) },
	askQuiet: quiet,
	askWipe: func(g game.Game) game.Set {
		return moves(g, func(h game.Game) bool { return h.Position().Count(g.Turn().Other()) == 0 })
	},
}

// moves are the moves after which the position is as wanted.
func moves(g game.Game, wanted func(h game.Game) bool) (set game.Set) {
	for p := range g.Legal().All() {
		if h, err := g.Play(p); err == nil && wanted(h) {
			set = set.With(p)
		}
	}
	return set
}

// least are the moves after which a number is the least.
func least(g game.Game, number func(h game.Game) int) game.Set {
	best := 1 << 30
	moves(g, func(h game.Game) bool { best = min(best, number(h)); return false })
	return moves(g, func(h game.Game) bool { return number(h) == best })
}

// guards are the moves after which the other side can make neither five nor such a four.
func guards(g game.Game) (set game.Set) {
	for p := range guarding(g) {
		set = set.With(p)
	}
	return set
}

// guarding gives the guards one by one. What refuted one of the others is tried first.
func guarding(g game.Game) iter.Seq[game.Point] {
	return func(yield func(game.Point) bool) {
		var refuted game.Set
		for p := range g.Legal().All() {
			h, err := g.Play(p)
			if err != nil || refutes(h, &refuted) {
				continue
			}
			if !yield(p) {
				return
			}
		}
	}
}

// twice are the moves, of those that go on from own stones, after which the other side has no
// such guard.
func twice(g game.Game) (set game.Set) {
	for p := range near(g, g.Turn()).All() {
		h, err := g.Play(p)
		if err != nil || h.Turn() == game.Empty {
			continue
		}
		guarded := false
		for range guarding(h) {
			guarded = true
			break
		}
		if !guarded {
			set = set.With(p)
		}
	}
	return set
}

// replies is how many moves a side has left after a move of c.
func replies(h game.Game, c game.Color) int {
	if h.Turn() != c.Other() {
		return 0
	}
	return h.Legal().Len()
}

// quiet are the moves of which no turned disc has an empty neighbor.
func quiet(g game.Game) game.Set {
	before := g.Position()
	return moves(g, func(h game.Game) bool {
		for p := range h.Position().Of(g.Turn()).All() {
			if before.At(p) == g.Turn().Other() && open(h.Position(), p) {
				return false
			}
		}
		return true
	})
}

// open reports whether a point has an empty neighbor.
func open(b game.Position, p game.Point) bool {
	for col := max(p.Col()-1, 0); col <= min(p.Col()+1, b.Size-1); col++ {
		for row := max(p.Row()-1, 0); row <= min(p.Row()+1, b.Size-1); row++ {
			if b.At(game.At(col, row)) == game.Empty {
				return true
			}
		}
	}
	return false
}
