package puzzle

import (
	"math/bits"

	"tengen/game"
)

// Key names a position up to the turns and mirrorings of the board and, but for Renju, the
// colors: two puzzles with one key are the same puzzle.
type Key struct {
	rules     string
	own, opp  game.Set
	blackMove bool
}

// Key names the position of p.
func (p Puzzle) Key() Key {
	b := p.Game.Position()
	best := Key{}
	for t := range 8 {
		k := Key{rules: p.Game.Rules().Name(), own: turned(b, b.Of(b.Turn), t), opp: turned(b, b.Of(b.Turn.Other()), t)}
		k.blackMove = p.Game.Rules() == game.Renju && b.Turn == game.Black
		if t == 0 || less(k, best) {
			best = k
		}
	}
	return best
}

// apart is in how many points two positions of one kind of game differ at least.
const apart = 6

// Alike reports whether p and q are nearly the same position: what one asks for would give
// the other away.
func (p Puzzle) Alike(q Puzzle) bool {
	a, b := p.Game.Position(), q.Game.Position()
	n := 0
	for i := range a.Stones[0] {
		n += bits.OnesCount64(a.Stones[0][i] ^ b.Stones[0][i] | a.Stones[1][i] ^ b.Stones[1][i])
	}
	return p.Game.Rules() == q.Game.Rules() && n < apart
}

func less(a, b Key) bool {
	for i := range a.own {
		if a.own[i] != b.own[i] {
			return a.own[i] < b.own[i]
		}
	}
	for i := range a.opp {
		if a.opp[i] != b.opp[i] {
			return a.opp[i] < b.opp[i]
		}
	}
	return false
}

// turned is s after one of the eight turns and mirrorings of the board of b.
func turned(b game.Position, s game.Set, t int) (out game.Set) {
	for p := range s.All() {
		out = out.With(p.Turned(b.Size, uint64(t)))
	}
	return out
}
