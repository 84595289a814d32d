package five

import "math"

// params are the numbers of the search. Margins are in units of the evaluation, reductions in 1024ths of a
// ply, and a logit of the policy is 100.
type params struct {
	// Reductions of late moves.
	reduce         int // divisor of the logarithms of depth and move number, in hundredths
	base           int // that every late move has, in hundredths of a ply
	lessPV         int // where the exact value is asked for
	moreCut        int // where a cut is expected
	moreFalling    int // where the evaluation does not rise
	lessFour       int // for a move that makes a four
	lessThree      int // for one that makes a three
	lessAgainst    int // for one against a three
	lessThreatened int // for replies to a straight four that is threatened
	lessHistory    int // for a history of 1024
	moreBehind     int // for each logit below the policy's first move

	// What is left out.
	futile      int // margin a ply above beta at which a position is left alone
	rises       int // part of it that counts as one ply less where the evaluation rises, in hundredths
	guard       int // depth from which a position is not left alone while the other side threatens to win by fours
	futileMove  int // margin a ply below alpha at which a quiet move is left out
	razor       int // part of the razor margins, in hundredths
	late        int // moves that are always searched, in hundredths
	latePly     int // how many more with the square of the depth, in hundredths
	unlikely    int // how far below the policy's first move a move has to be to be left out,
	unlikelyPly int // and how much farther for each ply of depth
	asked       int // moves that the policy is asked about,
	askedPly    int // and how many more for each ply of depth

	// Depth.
	singular int // margin of a singular search, in sixteenths a ply
	double   int // margin below which a singular move gains a second ply
	extend   int // replies to a threatened straight four cost no depth up to this many half depths
	high     int // margin a ply above beta from which a node that should fail high loses a ply
	aspire   int // half the window round the value of the depth before

	// The order of moves.
	killer    int // score of a killer move
	ever      int // weight of a move's history
	following int // weight of its history after the last two moves

	// Wins by fours at a leaf.
	vcfNodes int
	vcfDepth int
}

// numbers are params, and what follows from them.
type numbers struct {
	params
	reductions [64][64]int // of late moves, by depth and move number
}

func newNumbers(p params) *numbers {
	n := &numbers{params: p}
	for d := 1; d < 64; d++ {
		for m := 1; m < 64; m++ {
			n.reductions[d][m] = int(1024 * (float64(p.base)/100 +
				math.Log(float64(d))*math.Log(float64(m))*100/float64(p.reduce)))
		}
	}
	return n
}

// tuned are the numbers that did best in matches between versions.
var tuned = newNumbers(params{
	reduce: 126, base: 21, lessPV: 861, moreCut: 452, moreFalling: 196, lessFour: 780, lessThree: 709, lessAgainst: 197,
	lessThreatened: 286, lessHistory: 60, moreBehind: 58,
	futile: 54, rises: 55, guard: 4, futileMove: 82, razor: 68, late: 501, latePly: 87, unlikely: 235, unlikelyPly: 44,
	asked: 6, askedPly: 6, singular: 17, double: 418, extend: 3, high: 8, aspire: 26,
	killer: 84, ever: 57, following: 59,
	vcfNodes: 29, vcfDepth: 7,
})

// lateMoves is the number of moves after which the rest is not looked at.
func (n *numbers) lateMoves(depth int, improving bool) int {
	most := (n.late + depth*depth*n.latePly) / 100
	if !improving {
		most /= 2
	}
	return most
}
