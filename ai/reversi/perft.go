package reversi

import (
	"context"
	"math/bits"

	"tengen/game"
)

// Perft counts the leaves of all lines of the given number of plies from the position of
// g. A pass counts as a ply and a finished game as one leaf, however early. It stops with
// the context's error.
func Perft(ctx context.Context, g game.Game, plies int) (int64, error) {
	if plies <= 0 {
		return 1, nil
	}
	return perftUntil(ctx, boardOf(g.Position()), plies)
}

// perftUntil is perft that looks at ctx on the upper plies; a subtree of seven plies
// takes milliseconds.
func perftUntil(ctx context.Context, b board, plies int) (n int64, err error) {
	m := b.moves()
	if plies <= 7 || m == 0 && b.swap().moves() == 0 {
		return perft(b, plies), ctx.Err()
	}
	if m == 0 {
		return perftUntil(ctx, b.swap(), plies-1)
	}
	for ; m != 0; m &= m - 1 {
		sub, err := perftUntil(ctx, b.play(square(bits.TrailingZeros64(m))), plies-1)
		if err != nil {
			return 0, err
		}
		n += sub
	}
	return n, nil
}

func perft(b board, plies int) int64 {
	m := b.moves()
	if m == 0 {
		// A pass on the last ply is a leaf; it must not run on below ply zero.
		if plies == 1 || b.swap().moves() == 0 {
			return 1
		}
		return perft(b.swap(), plies-1)
	}
	if plies == 1 {
		return int64(bits.OnesCount64(m))
	}
	var n int64
	for ; m != 0; m &= m - 1 {
		n += perft(b.play(square(bits.TrailingZeros64(m))), plies-1)
	}
	return n
}
