package review

import (
	"context"

	"tengen/ai/engine"
	"tengen/game"
)

// Turning finds the move at which a game turned for good: the last one of the loser after which the game is
// proven lost, and before which it is not. It reviews g from its end, with the means of a review, no further
// than to that move. ok is false where the end of g is not proven, where its loser was hardly in the game any
// more, and where ctx ends first.
func Turning(ctx context.Context, g game.Game, winner game.Color, o Options) (turn Ply, ok bool) {
	r, err := newReviewer(ctx, g, o)
	if err != nil || winner == game.Empty {
		return Ply{}, false
	}
	defer r.close()
	if err := r.lookBack(len(r.moves)); err != nil {
		return Ply{}, false
	}
	for i := len(r.moves) - 1; i >= o.Opening; i-- {
		if err := r.lookBack(i); err != nil {
			return Ply{}, false
		}
		if r.games[i].Turn() == winner {
			continue
		}
		if !r.after(i).lost() {
			return Ply{}, false
		}
		if i > 0 && !r.at[i].lost() { // the winner's move before it may be the first of a proven line
			if err := r.lookBack(i - 1); err != nil {
				return Ply{}, false
			}
			r.handOn(i - 1)
		}
		if !r.at[i].lost() {
			turn, err = r.judge(i)
			if turn.Note == NoNote && turn.Gave.Proof == engine.Loss {
				turn.Note = r.letThrough(i, r.after(i))
			}
			return turn, err == nil && turn.Class == Blunder
		}
	}
	return Ply{}, false
}

// lost reports whether it is proven that the side to which f belongs loses.
func (f found) lost() bool { return f.proof != engine.Unproven && f.value == 0 }
