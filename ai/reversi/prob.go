package reversi

import "math"

// Multi-ProbCut: if a shallow search lies so far outside the window that the deep one
// would very probably agree, the deep one is left out. How far is far enough was measured
// after the training (measureCuts); the weights keep it as smooth curves.

// Selectivity of the endgame, by how many standard deviations a shallow search must lie
// outside the window. exactSel makes no such cut. The first round cuts much, so that it comes to
// its end in little time; and each takes not much longer than the one before, so that little is
// lost when one is cut off.
var selectivity = [exactSel + 1]float64{0.4, 0.6, 0.8, 1.1, 1.5, 2.1, math.Inf(1)}

const (
	exactSel    = 6
	midCut      = 1.1 // standard deviations, in the middle game
	evalCut     = 1.4 // the same where the plain evaluation stands for the search
	probDepth   = 2   // least depth with cuts
	probEmpties = 12  // least empties with cuts in the endgame
)

// shallowFor is the depth of the search that stands for one of the given depth: less
// than half, and of the same parity because odd and even depths see things differently.
func shallowFor(depth int) int { return depth/4*2 + depth&1 }

// curves are what was measured: the logarithm of the standard deviation, in discs, between
// two searches of the middle game is linear in 1, ln(deep-shallow), ln(shallow+1), n-10 and
// (n-10)^2, that between a search and the exact score in 1, ln(shallow+1) and n-10; n is
// the number of empty squares.
type curves struct {
	mid [5]float64
	end [3]float64
}

// noCurves say that searches know nothing of one another.
var noCurves = curves{mid: [5]float64{9}, end: [3]float64{9}}

// sigmas are the standard deviations that curves give, in hundredths of a disc.
type sigmas struct {
	mid [61][61][32]int32 // by empties, deep, shallow
	end [61][32]int32     // by empties, shallow
}

func (c curves) sigmas() *sigmas {
	t := new(sigmas)
	for n := range t.mid {
		x := float64(n - 10)
		for deep := range t.mid[n] {
			for shallow := range min(deep, len(t.mid[n][deep])) {
				v := c.mid[0] + c.mid[1]*math.Log(float64(deep-shallow)) + c.mid[2]*math.Log(float64(shallow+1)) +
					c.mid[3]*x + c.mid[4]*x*x
				t.mid[n][deep][shallow] = int32(100 * math.Exp(min(v, 9)))
			}
		}
		for shallow := range t.end[n] {
			v := c.end[0] + c.end[1]*math.Log(float64(shallow+1)) + c.end[2]*x
			t.end[n][shallow] = int32(100 * math.Exp(min(v, 9)))
		}
	}
	return t
}

// prob tries to cut a null window of the middle game.
func (s *searcher) prob(b board, f *features, depth, alpha, n, ply int) (int, bool) {
	shallow := shallowFor(depth)
	sigma := float64(s.weights.sigmas.mid[n][depth][shallow])
	if shallow == 0 {
		v, margin := s.eval(b, f, n), int(evalCut*sigma)
		switch {
		case v-margin > alpha:
			return alpha + 1, true
		case v+margin <= alpha:
			return alpha, true
		}
		return 0, false
	}
	margin := int(midCut * sigma)
	return s.probWith(b, f, shallow, alpha, alpha+1, margin, n, ply)
}

// probEnd tries to cut a null window of the endgame, alpha in discs.
func (s *searcher) probEnd(b board, f *features, alpha, n, ply int) (int, bool) {
	shallow := shallowFor(n)
	margin := int(selectivity[s.sel] * float64(s.weights.sigmas.end[n][shallow]))
	v, cut := s.probWith(b, f, shallow, 100*alpha, 100*alpha+100, margin, n, ply)
	if !cut {
		return 0, false
	}
	if v >= 100*alpha+100 {
		return alpha + 1, true
	}
	return alpha, true
}

// probWith searches b to the shallow depth against beta plus margin and alpha minus
// margin. The plain evaluation says which of the two is worth a try.
func (s *searcher) probWith(b board, f *features, shallow, alpha, beta, margin, n, ply int) (int, bool) {
	v := s.weights.stage[stageOf(n)].eval(f, n)
	if high := beta + margin; v >= beta-margin/4 && high < 6400 {
		if s.mid(b, f, shallow, high-1, high, n, ply) >= high && !s.stopped {
			return beta, true
		}
	}
	if low := alpha - margin; v <= alpha+margin/4 && low > -6400 {
		if s.mid(b, f, shallow, low, low+1, n, ply) <= low && !s.stopped {
			return alpha, true
		}
	}
	return 0, false
}
