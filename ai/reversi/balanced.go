package reversi

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"math/bits"
	"math/rand/v2"
	"strings"

	"tengen/game"
)

// balancedMoves is a line of eight moves for each opening that our engine found about
// equal, made by MakeBalanced: no two lead to the same position, turned or not.
//
//go:embed balanced.txt
var balancedMoves string

// openingPlies is how long the balanced openings are.
const openingPlies = 8

// Balanced is an opening of eight moves after which the engine sees both sides about
// equal, turned in one of the four ways that keep the start; seed chooses.
func Balanced(seed uint64) []game.Point {
	rng := rand.New(rand.NewPCG(seed, 8))
	const width = 2*openingPlies + 1
	k := rng.IntN(len(balancedMoves) / width)
	line := balancedMoves[k*width : k*width+width-1]
	sym := startSymmetries[rng.IntN(len(startSymmetries))]
	moves := make([]game.Point, openingPlies)
	for i := range moves {
		moves[i] = pointOf(turnSquare(line[2*i]-'a'+8*(line[2*i+1]-'1'), sym))
	}
	return moves
}

// startSymmetries are the turns that leave the start as it is, colors included.
var startSymmetries = [4]int{0, 3, 4, 7}

// MakeBalanced writes openings whose score by a search of the given depth is at most
// bound hundredths of a disc either way: random lines, searched shallowly first.
func MakeBalanced(ctx context.Context, count, depth, bound int, seed uint64, out io.Writer) error {
	rng := rand.New(rand.NewPCG(seed, 9))
	s := newSearcher(loadWeights(), newTable(16<<20))
	seen := map[board]bool{}
	for tries := 1000*count + 10000; count > 0 && tries > 0; tries-- {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		b := startBoard
		var line strings.Builder
		for range openingPlies {
			m := b.moves()
			x := nth(m, rng.IntN(max(1, bits.OnesCount64(m))))
			fmt.Fprint(&line, strings.ToLower(pointOf(x).String()))
			b = b.play(x)
		}
		if b.moves() == 0 || seen[b.canonical()] {
			continue
		}
		seen[b.canonical()] = true
		f, n := featuresOf(b), b.empties()
		s.tt.age++
		near := true
		for d := 2; d <= depth && near; d += 2 {
			v := s.mid(b, &f, d, -20000, 20000, n, 0)
			near = v <= bound+600/d && v >= -bound-600/d
			if d+2 > depth {
				near = v <= bound && v >= -bound
			}
		}
		if !near {
			continue
		}
		count--
		if _, err := fmt.Fprintln(out, line.String()); err != nil {
			return err
		}
	}
	return nil
}

// canonical is the least of the eight turned boards.
func (b board) canonical() board {
	least := b
	for sym := 1; sym < 8; sym++ {
		t := board{turnAll(b.own, sym), turnAll(b.opp, sym)}
		if t.own < least.own || t.own == least.own && t.opp < least.opp {
			least = t
		}
	}
	return least
}
