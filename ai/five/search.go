package five

import (
	"math"
	"math/bits"

	"tengen/ai/engine"
	"tengen/game"
)

const (
	infinite = 32000
	mate     = 30000 // a win now; one less for each ply until it
	mateEdge = 29000 // beyond it a value is a proven win or loss
	maxEval  = 20000
	maxPly   = 240
)

// historyShift scales a history down to the weights of the ordering.
const historyShift = 6

var turnKey = [2]uint64{0, 0xA0761D6478BD642F}

type scored struct {
	p     uint8
	after uint8 // better moves that were left out
	score int32
}

// frame is what the search keeps for one ply.
type frame struct {
	moves    [256]scored
	n        int
	killers  [2]uint8
	eval     int
	move     uint8
	excluded uint16 // a point and one: the move that a singular search leaves out
}

// searcher is one thread of search.
type searcher struct {
	b       board
	tt      *table
	solved  solved
	proofs  proofs
	threat  threat
	watch   *engine.Watch
	nodes   int64
	limit   int64 // of nodes, 0 for none
	stopped bool
	lean    bool // the VCF at hand tries no plain fours
	budget  int  // nodes left to the VCF search at hand
	seldep  int
	depth   int  // of the iteration
	helper  bool // beside the main thread
	skip    int  // depth that a helper starts at

	stack    [maxPly + 4]frame
	history  [2][256]int32
	counter  [2][256]uint8
	cont     [2][256][256]int16 // by the move before
	plan     [2][256][256]int16 // by one's own move before
	line     [maxPly + 2][maxPly + 2]uint8
	lineLen  [maxPly + 2]int
	root     []rootMove
	vcfDepth int     // of a level, 0 for full strength
	heat     float64 // of the choice at the root
}

// step counts a node and reports whether the search has to end.
func (s *searcher) step() bool {
	s.nodes++
	if s.nodes&255 == 0 && s.over() || s.limit > 0 && s.nodes >= s.limit {
		s.stopped = true
	}
	return s.stopped
}

func (s *searcher) over() bool {
	if s.helper { // the main thread alone reads the clock
		return s.watch.Stopped()
	}
	return s.watch.Over(s.nodes)
}

// tuned are the numbers of the search that did best in matches between versions. Values
// are in units of the evaluation.
var tuned = params{
	reduce: 125, futile: 60, futileMove: 85, razor: 75, late: 4, singular: 4, extend: 3,
	killer: 60, vcfNodes: 40, vcfDepth: 7, guard: 4, high: 10,
}

type params struct {
	reduce     int // divisor of the reduction of late moves, in hundredths
	futile     int // margin a ply above beta at which a position is left alone
	futileMove int // margin a ply below alpha at which a quiet move is left out
	razor      int // part of the razor margins, in hundredths
	late       int // moves that are always searched; with depth they become more
	singular   int // margin of a singular search, in quarters a ply
	extend     int // replies to a threatened straight four cost no depth up to this many half depths
	killer     int // score of a killer move in the ordering
	vcfNodes   int // bounds of the VCF at a leaf
	vcfDepth   int
	high       int // margin a ply above beta from which a node that should fail high loses a ply
	guard      int // depth from which a position is not left alone while the other side threatens to win by fours
}

// reductions of late moves by depth and move number.
var reductions = reductionTable(tuned.reduce)

func reductionTable(divisor int) (r [64][64]int) {
	for d := 1; d < 64; d++ {
		for m := 1; m < 64; m++ {
			r[d][m] = int(1024 * (0.2 + math.Log(float64(d))*math.Log(float64(m))*100/float64(divisor)))
		}
	}
	return r
}

// known is the value of a position that can be told from the counts of classes: five
// in one, two fives against, a straight four.
func (s *searcher) known(ply int) (int, bool) {
	b := &s.b
	me := b.turn & 1
	you := me ^ 1
	switch {
	case b.count[me][winFive] > 0:
		return mate - ply - 1, true
	case b.count[you][winFive] > 1:
		return -(mate - ply - 2), true
	case b.count[you][winFive] == 1:
		if me == black && b.forbidden(first(&b.five[you])) {
			return -(mate - ply - 2), true
		}
	case b.count[me][openFour] > 0:
		return mate - ply - 3, true
	case b.quickFourThree(me):
		return mate - ply - 5, true
	case b.empty == (pointSet{}):
		return 0, true
	}
	return 0, false
}

// leaf is the value where the search ends: a VCF, or the evaluation.
func (s *searcher) leaf(alpha, beta, ply, eval int) int {
	b := &s.b
	if eval >= beta && b.count[b.turn&1^1][openFour] == 0 {
		return eval
	}
	if w := s.quickVCF(); w > 0 {
		return mate - ply - w
	}
	return eval
}

// quickVCF is vcf within the bounds of a leaf. It tries only fours that make something
// beside them: the plain ones are most of the work and seldom win (Elo +175 at equal nodes).
func (s *searcher) quickVCF() int {
	if !s.b.rich(s.b.turn) {
		return 0
	}
	s.budget, s.lean = tuned.vcfNodes, true
	w := s.vcf(s.fours(tuned.vcfDepth))
	s.lean = false
	return w
}

// fours bounds the depth of a VCF by the level.
func (s *searcher) fours(n int) int {
	if s.vcfDepth > 0 {
		return min(n, s.vcfDepth)
	}
	return n
}

// search is the value of the position for the side to move within alpha and beta.
func (s *searcher) search(alpha, beta, depth, ply int, cut bool) int {
	b := &s.b
	s.lineLen[ply] = 0
	if s.step() {
		return 0
	}
	s.seldep = max(s.seldep, ply)
	if v, ok := s.known(ply); ok {
		return v
	}
	if ply >= maxPly-2 {
		return b.evaluate()
	}
	alpha, beta = max(alpha, -(mate-ply-4)), min(beta, mate-ply-5)
	if alpha >= beta {
		return alpha
	}
	pv := beta-alpha > 1
	me := b.turn & 1
	you := me ^ 1
	f := &s.stack[ply]

	if b.count[you][winFive] == 1 { // the only move
		q := first(&b.five[you])
		f.move = q
		f.eval = 0
		if ply >= 2 {
			f.eval = s.stack[ply-2].eval
		}
		b.play(q)
		v := -s.search(-beta, -alpha, depth, ply+1, !cut)
		b.back()
		if v > alpha && pv {
			s.keep(ply, q)
		}
		return v
	}

	key := b.hash ^ turnKey[me] ^ uint64(f.excluded)*0x9E3779B97F4A7C15
	t, hit := s.tt.get(key, ply)
	if hit && !pv && t.depth >= depth && f.excluded == 0 {
		switch {
		case t.bound == boundExact,
			t.bound == boundLower && t.value >= beta,
			t.bound == boundUpper && t.value <= alpha:
			return t.value
		}
	}
	eval := t.eval
	if !hit {
		eval = b.evaluate()
		t.move = 0xFF
	}
	f.eval = eval
	threatened := b.count[you][openFour] > 0
	if depth <= 0 {
		if threatened && b.defence() == (pointSet{}) {
			return -(mate - ply - 4)
		}
		v := s.leaf(alpha, beta, ply, eval)
		if !s.stopped {
			bound := boundUpper
			if v >= beta {
				bound = boundLower
			} else if v > alpha {
				bound = boundExact
			}
			s.tt.put(key, ply, 0xFF, 0, bound, v, f.eval)
		}
		return v
	}
	improving := ply >= 2 && f.eval > s.stack[ply-2].eval

	if !pv && !threatened && f.excluded == 0 {
		if depth <= 4 && eval+razor[depth]*tuned.razor/100 <= alpha {
			v := s.leaf(alpha, beta, ply, eval)
			if v <= alpha || v > mateEdge {
				return v
			}
		}
		margin := tuned.futile * depth
		if improving {
			margin -= tuned.futile / 2
		}
		if depth <= 7 && eval-margin >= beta && beta > -mateEdge && !(tuned.guard > 0 && depth >= tuned.guard && s.hangs()) {
			return eval
		}
	}
	if t.move == 0xFF && depth >= 4 && !threatened {
		depth--
	}

	// A node that is likely to fail high, from an evaluation far above beta, does so at less depth.
	high := !pv && cut && depth > 1 && f.excluded == 0 && !threatened && eval >= beta+tuned.high*(depth-1)
	s.generate(ply, threatened, t.move)
	best, bestMove := -infinite, uint8(0xFF)
	oldAlpha := alpha
	count := 0
	var tried [32]uint8
	// A four that makes nothing beside it is a quiet move here, and if it does not meet a
	// threat it is no answer to it: such fours only put off what is to come.
	loud := uint8(fourPlus)
	if b.unmet(me) {
		loud = fourMove
	}
	for i := 0; i < f.n; i++ {
		m := f.pick(i)
		if uint16(m.p)+1 == f.excluded {
			continue
		}
		if me == black && b.forbidden(m.p) {
			continue
		}
		count++
		number := count + int(m.after)
		mine := b.info[me][b.cells[m.p].code[me]&4095].class
		theirs := b.info[you][b.cells[m.p].code[you]&4095].class
		quiet := mine < three && theirs < three
		if best > -mateEdge && !threatened {
			if number > lateMoves(depth, improving) && mine < loud {
				count--
				s.narrow(f, i+1, loud)
				continue
			}
			if quiet && !pv && depth <= 5 && eval+tuned.futileMove*depth <= alpha && number > 3 {
				count--
				s.narrow(f, i+1, three)
				continue
			}
		}
		if best > -mateEdge && threatened && mine == fourMove && mine < loud && theirs < fourMove && m.p != t.move {
			count--
			continue
		}
		next := depth - 1
		if high && mine < fourMove {
			next = max(0, next-1)
		}
		if threatened && tuned.extend > 0 && ply < tuned.extend*s.depth/2 {
			next++
		}
		if m.p == t.move && depth >= 6 && f.excluded == 0 && t.bound&boundLower != 0 && t.depth >= depth-3 && abs(t.value) < mateEdge && ply < 60 {
			edge := t.value - tuned.singular*depth/4
			keepN := f.n
			saved := f.moves
			f.excluded = uint16(m.p) + 1
			v := s.search(edge-1, edge, (depth-1)/2, ply, cut)
			f.excluded = 0
			f.moves, f.n = saved, keepN
			if s.stopped {
				return 0
			}
			if v < edge {
				next++
			} else if edge >= beta {
				return edge
			}
		}
		f.move = m.p
		b.play(m.p)
		var v int
		if depth >= 2 && count > 1 {
			r := reductions[min(depth, 63)][min(number, 63)]
			if pv {
				r -= 1024
			}
			if cut {
				r += 512
			}
			if !improving {
				r += 300
			}
			if mine >= fourMove {
				r -= 1024
			} else if mine >= three {
				r -= 512
			}
			if theirs >= three {
				r -= 300
			}
			if threatened {
				r -= 300
			}
			r -= int(s.history[me][m.p]) / 16
			d := min(next, max(next-max(r, 0)/1024, min(1, next)))
			v = -s.search(-alpha-1, -alpha, d, ply+1, true)
			if v > alpha && d < next {
				v = -s.search(-alpha-1, -alpha, next, ply+1, !cut)
			}
		} else if !pv || count > 1 {
			v = -s.search(-alpha-1, -alpha, next, ply+1, !cut)
		}
		if pv && (count == 1 || v > alpha) {
			v = -s.search(-beta, -alpha, next, ply+1, false)
		}
		b.back()
		if s.stopped {
			return 0
		}
		if v > best {
			best = v
			if v > alpha {
				bestMove = m.p
				if pv {
					s.keep(ply, m.p)
				}
				if v >= beta {
					s.reward(ply, m.p, depth, tried[:min(count-1, len(tried))])
					break
				}
				alpha = v
			}
		}
		if count <= len(tried) {
			tried[count-1] = m.p
		}
	}
	if count == 0 {
		switch {
		case f.excluded != 0:
			return alpha
		case threatened:
			best = -(mate - ply - 4)
		case b.near == (pointSet{}) || !s.anyLegal():
			return 0
		default:
			best = eval
		}
	}
	if f.excluded == 0 {
		bound := boundUpper
		if best >= beta {
			bound = boundLower
		} else if best > oldAlpha {
			bound = boundExact
		}
		s.tt.put(key, ply, bestMove, depth, bound, best, f.eval)
	}
	return best
}

var razor = [5]int{0, 250, 350, 500, 700}

// hangs reports whether the other side would win by fours if it were to move.
func (s *searcher) hangs() bool {
	b := &s.b
	b.turn ^= 1
	w := s.quickVCF()
	b.turn ^= 1
	return w > 0
}

// lateMoves is the number of moves after which the rest is not looked at.
func lateMoves(depth int, improving bool) int {
	n := tuned.late + depth*depth
	if !improving {
		n /= 2
	}
	return n
}

// anyLegal reports whether the side to move has a lawful point on the whole board.
func (s *searcher) anyLegal() bool {
	b := &s.b
	for p := range b.empty.All() {
		if b.turn != black || !b.forbidden(uint8(p)) {
			return true
		}
	}
	return false
}

// keep makes p and what follows it the line of ply.
func (s *searcher) keep(ply int, p uint8) {
	s.line[ply][0] = p
	n := copy(s.line[ply][1:], s.line[ply+1][:s.lineLen[ply+1]])
	s.lineLen[ply] = n + 1
}

// generate lists the moves of the position with their scores.
func (s *searcher) generate(ply int, threatened bool, first uint8) {
	b := &s.b
	f := &s.stack[ply]
	me := b.turn & 1
	you := me ^ 1
	var set pointSet
	if threatened {
		set = b.defence()
	} else {
		for i := range set {
			set[i] = b.near[i] & b.empty[i]
		}
		if set == (pointSet{}) {
			set = b.empty
		}
	}
	counter := uint8(0xFF)
	if ply > 0 {
		counter = s.counter[me][s.stack[ply-1].move]
	}
	// Missing moves draw nothing.
	far, last := [recent]*[1024]int16{&farNone, &farNone, &farNone}, [recent]int{}
	for k := range min(recent, b.ply) {
		p := b.moves[(b.ply-1-k)&255]
		if p == 0xFF {
			break
		}
		far[k], last[k] = &b.far[k], 512-spread(p)
	}
	history, cont, plan := &s.history[me], &contNone, &contNone
	if ply > 0 {
		cont = &s.cont[me][s.stack[ply-1].move]
	}
	if ply > 1 {
		plan = &s.plan[me][s.stack[ply-2].move]
	}
	urges, other, both, mood := b.urge[me], b.urge[you], &b.both[me], &b.mood[me][b.threats()]
	n := 0
	for i, word := range set { // not by an iterator: its body would be called point by point
		for ; word != 0; word &= word - 1 {
			p := uint8(i<<6 + bits.TrailingZeros64(word))
			c := &b.cells[p]
			mine, theirs := &urges[c.code[me]&4095], &other[c.code[you]&4095]
			at := spread(p)
			score := int32(mine.attack) + int32(theirs.defend) + int32(both[mine.class&15][theirs.class&15]) +
				int32(mood.mine[mine.class&15]) + int32(mood.theirs[theirs.class&15]) +
				int32(far[0][(at+last[0])&1023]) + int32(far[1][(at+last[1])&1023]) + int32(far[2][(at+last[2])&1023]) +
				(int32(cont[p])+int32(plan[p])+history[p])>>historyShift
			switch p {
			case first:
				score = 1 << 30
			case f.killers[0], f.killers[1], counter:
				score += int32(tuned.killer)
			}
			f.moves[n&255] = scored{p: p, score: score}
			n++
		}
	}
	f.n = n
}

// Tables of zeros, for moves that are missing.
var (
	farNone  [1024]int16
	contNone [256]int16
)

// pick brings the best of the moves from i on to i.
func (f *frame) pick(i int) scored {
	best := i
	for j := i + 1; j < f.n; j++ {
		if f.moves[j].score > f.moves[best].score {
			best = j
		}
	}
	f.moves[i], f.moves[best] = f.moves[best], f.moves[i]
	return f.moves[i]
}

// narrow leaves out the move before i and the moves from i on that cannot matter any more:
// to pick them one by one took a quarter of the time. The moves of class least or better
// stay; so do those against a class of three or better, if least is three. They keep their
// numbers, since each counts the better moves that were left out.
func (s *searcher) narrow(f *frame, i int, least uint8) {
	b := &s.b
	me := b.turn & 1
	you := me ^ 1
	n := i
	for j := i; j < f.n; j++ {
		p := f.moves[j].p
		if b.class(p, me) >= least || least == three && b.class(p, you) >= three {
			f.moves[n], f.moves[j] = f.moves[j], f.moves[n]
			n++
		}
	}
	for j := i; j < n; j++ {
		m := &f.moves[j]
		m.after++
		for k := n; k < f.n; k++ {
			if f.moves[k].score > m.score {
				m.after++
			}
		}
	}
	f.n = n
}

// reward remembers a move that refuted the position, and the moves that did not.
func (s *searcher) reward(ply int, p uint8, depth int, tried []uint8) {
	f := &s.stack[ply]
	me := s.b.turn & 1
	if f.killers[0] != p {
		f.killers[0], f.killers[1] = p, f.killers[0]
	}
	if ply > 0 {
		s.counter[me][s.stack[ply-1].move] = p
	}
	bonus := int32(min(depth*depth*16, 1600))
	s.learn(ply, p, bonus)
	for _, q := range tried {
		if q != p {
			s.learn(ply, q, -bonus)
		}
	}
}

// learn moves the histories of p towards bonus.
func (s *searcher) learn(ply int, p uint8, bonus int32) {
	me := s.b.turn & 1
	h := &s.history[me][p]
	*h += bonus - *h*max(bonus, -bonus)/8192
	if ply > 0 {
		h := &s.cont[me][s.stack[ply-1].move][p]
		*h += int16(bonus - int32(*h)*max(bonus, -bonus)/8192)
	}
	if ply > 1 {
		h := &s.plan[me][s.stack[ply-2].move][p]
		*h += int16(bonus - int32(*h)*max(bonus, -bonus)/8192)
	}
}

// points turns the line of ply into points of the game.
func (s *searcher) points(ply int) []game.Point {
	var l []game.Point
	for _, p := range s.line[ply][:s.lineLen[ply]] {
		l = append(l, game.Point(p))
	}
	return l
}
