package reversi

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"iter"
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

// randomLines gives random lines of eight moves, each with the position after it: no two
// positions are the same, turned or not. The lines depend on the seed and the stream alone.
func randomLines(seed, stream uint64) iter.Seq2[string, board] {
	return func(yield func(string, board) bool) {
		rng := rand.New(rand.NewPCG(seed, stream))
		seen := map[board]bool{}
		for idle := 0; idle < 1<<20; idle++ { // by then all positions have come
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
			idle = 0
			if !yield(line.String(), b) {
				return
			}
		}
	}
}

// nearEven reports whether a search of the given depth scores b within bound hundredths of
// a disc. Shallower searches, with more room, sort most of the others out first.
func (s *searcher) nearEven(b board, depth, bound int) bool {
	f, n := featuresOf(b), b.empties()
	for d := 2; d < depth; d += 2 {
		if abs(s.mid(b, &f, d, -20000, 20000, n, 0)) > bound+600/d {
			return false
		}
	}
	return abs(s.mid(b, &f, depth, -20000, 20000, n, 0)) <= bound
}

// MakeBalanced writes openings whose score by a search of the given depth is at most
// bound hundredths of a disc either way.
func MakeBalanced(ctx context.Context, count, depth, bound int, seed uint64, out io.Writer) error {
	s := newSearcher(loadWeights(), newTable(16<<20))
	for line, b := range randomLines(seed, 9) {
		if count == 0 || ctx.Err() != nil {
			break
		}
		s.tt.age++
		if !s.nearEven(b, depth, bound) {
			continue
		}
		count--
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// MakeXOT calls keep with each line of eight moves that a search of the given depth scores
// within bound hundredths of a disc, until there are count. It goes on after the lines that
// it found before: what it finds depends on seed, depth and bound alone.
func MakeXOT(ctx context.Context, count, depth, bound int, seed uint64, before []string,
	keep func(line string) error) error {
	tt := newTable(16 << 20)
	found := 0
	for line, b := range randomLines(seed, 10) {
		if found == count || ctx.Err() != nil {
			break
		}
		if found < len(before) {
			if line == before[found] {
				found++
			}
			continue
		}
		// A fresh table, so that a verdict does not depend on what was searched before.
		clear(tt.buckets)
		if !newSearcher(loadWeights(), tt).nearEven(b, depth, bound) {
			continue
		}
		found++
		if err := keep(line); err != nil {
			return err
		}
	}
	return ctx.Err()
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
