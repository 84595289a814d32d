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

// historyShift scales a history, times its weight, down to the weights of the ordering.
const historyShift = 12

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
	by      *numbers                  // tuned, but for a fit of them
	policy  [2]policy                 // by colour to move
	tell    func(p uint8, first bool) // of moves that fail high, if anybody asks
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
	draws    draws
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

// atOnce gives the value of a position that is not searched.
func (s *searcher) atOnce(ply int) (int, bool) {
	if s.step() {
		return 0, true
	}
	s.seldep = max(s.seldep, ply)
	if v, ok := s.known(ply); ok {
		return v, true
	}
	if ply >= maxPly-2 {
		return s.b.evaluate(), true
	}
	return 0, false
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
func (s *searcher) leaf(beta, ply, eval int) int {
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
	s.budget, s.lean = s.by.vcfNodes, true
	w := s.vcf(s.fours(s.by.vcfDepth))
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

// node is a position of the search, and what the steps of search find out about it.
type node struct {
	alpha, beta, depth, ply int

	cut        bool // it is expected to fail high
	pv         bool // its exact value is asked for
	threatened bool // the other side has a straight four next
	improving  bool // its evaluation is above that of two plies ago
	high       bool // it is likely to fail high, so its moves are searched less deep
	ordered    bool // by the policy

	me, you   int
	key       uint64
	table     found // move 0xFF: none
	hit       bool  // the table knows the position
	eval      int
	loud      uint8 // the least class of a move that is never left out
	top       int32 // the best score of the policy's order, the table's move aside
	count     int   // moves searched so far
	excluding bool  // a singular search, which leaves a move out

	best     int // the best value so far
	bestMove uint8
}

// trial is a move that a node tries.
type trial struct {
	p            uint8
	number       int   // its place among the moves in their order
	behind       int   // how far its score is below the best, where the policy has ordered the moves
	mine, theirs uint8 // the classes that the move has for either side
	depth        int   // of the search after it
}

// search is the value of the position for the side to move within alpha and beta.
func (s *searcher) search(alpha, beta, depth, ply int, cut bool) int {
	b := &s.b
	s.lineLen[ply] = 0
	// 1. The search may be over, or the value plain from what stands on the board.
	if v, ok := s.atOnce(ply); ok {
		return v
	}
	// 2. Beyond that, a loss takes four plies at least and a win five.
	alpha, beta = max(alpha, -(mate-ply-4)), min(beta, mate-ply-5)
	if alpha >= beta {
		return alpha
	}
	f, me := &s.stack[ply], b.turn&1
	n := node{alpha: alpha, beta: beta, depth: depth, ply: ply, cut: cut, pv: beta-alpha > 1, me: int(me),
		you: int(me ^ 1), excluding: f.excluded != 0, best: -infinite, bestMove: 0xFF}
	// 3. Where the other side makes five next, one move prevents it.
	if b.count[n.you][winFive] == 1 {
		return s.preventFive(&n)
	}
	// 4. The table may know enough.
	if v, ok := s.probe(&n); ok {
		return v
	}
	// 5. to 9. The evaluation may do, or asks for less depth.
	if v, ok := s.judge(&n); ok {
		return v
	}
	// 10. to 14. The moves, until one is good enough.
	if v, ok := s.tryMoves(&n); ok {
		return v
	}
	// 15. No move was tried.
	if n.count == 0 {
		var settled bool
		if n.best, settled = s.moveless(&n); settled {
			return n.best
		}
	}
	// 16. What was found goes into the table.
	if !n.excluding {
		s.tt.put(n.key, ply, n.bestMove, n.depth, boundOf(n.best, alpha, beta), n.best, f.eval)
	}
	return n.best
}

// judge evaluates a node, and gives its value where its moves need not be searched.
func (s *searcher) judge(n *node) (int, bool) {
	b, f := &s.b, &s.stack[n.ply]
	// 5. The evaluation.
	n.eval = n.table.eval
	if !n.hit {
		n.eval = b.evaluate()
		n.table.move = 0xFF
	}
	f.eval = n.eval
	n.threatened = b.count[n.you&1][openFour] > 0
	// 6. At the end of the depth fours alone are searched.
	if n.depth <= 0 {
		return s.horizon(n), true
	}
	n.improving = n.ply >= 2 && f.eval > s.stack[n.ply-2].eval
	// 7. A value far outside the window will not come back into it.
	if v, ok := s.prune(n); ok {
		return v, true
	}
	// 8. Without a move from the table the order is poor: less depth finds one for the next time.
	if n.table.move == 0xFF && n.depth >= 4 && !n.threatened {
		n.depth--
	}
	// 9. An evaluation far above beta, where a cut is expected, needs less depth.
	n.high = n.cut && !n.pv && !n.excluding && !n.threatened && n.isHigh(s.by.high)
	return 0, false
}

// tryMoves searches the moves of a node, best first, until one fails high. Where a search of
// the other moves settles the value of the node, or the time is over, it gives that value.
func (s *searcher) tryMoves(n *node) (v int, settled bool) {
	b, f, me := &s.b, &s.stack[n.ply], n.me&1
	// 10. A four that makes nothing beside it is a quiet move here, and if it does not meet a
	// threat it is no answer to it: such fours only put off what is to come.
	alone := s.firstAlone(n)
	if !alone {
		s.list(n)
	}
	n.loud = fourPlus
	if b.snared(me) {
		n.loud = fourMove
	}
	var tried [32]uint8
	for i := 0; ; i++ {
		if i == 1 && alone {
			s.list(n)
			f.pick(0)
		}
		if i >= f.n {
			break
		}
		m := f.pick(i)
		if uint16(m.p)+1 == f.excluded || me == black && b.forbidden(m.p) {
			continue
		}
		t := trial{p: m.p, number: n.count + 1 + int(m.after), mine: b.class(m.p, me), theirs: b.class(m.p, me^1)}
		if n.ordered {
			t.behind = int(n.top - m.score)
		}
		// 11. Late and hopeless moves are left out, as soon as one move does not lose.
		if n.best > -mateEdge && s.leavesOut(n, &t, i) {
			continue
		}
		n.count++
		// 12. How deep: less where a cut is near, more for answers to a straight four, and
		// more for a move that is better than all others.
		if v, ok := s.depthAfter(n, &t); ok {
			return v, true
		}
		// 13. The search of what follows.
		v := s.follow(n, &t)
		if s.stopped {
			return 0, true
		}
		// 14. A better move than before, and perhaps good enough.
		if v > n.best && s.raise(n, t.p, v) {
			s.reward(n.ply, t.p, n.depth, tried[:min(n.count-1, len(tried))])
			if s.tell != nil && n.depth >= policyDepth && !n.excluding {
				s.tell(t.p, n.count == 1)
			}
			break
		}
		if n.count <= len(tried) {
			tried[n.count-1] = t.p
		}
	}
	return 0, false
}

// firstAlone makes the table's move the only one for now: mostly it fails high, and the others
// need not be listed. That pays where the policy would order them.
func (s *searcher) firstAlone(n *node) bool {
	b, f, p := &s.b, &s.stack[n.ply], n.table.move
	if b.policy[n.me&1] == nil || p == 0xFF || b.stones[p] != 3 {
		return false
	}
	set := b.near
	if n.threatened {
		set = b.defence()
	}
	if !set.Has(game.Point(p)) {
		return false
	}
	f.moves[0], f.n = scored{p: p, score: 1 << 30}, 1
	return true
}

// policyDepth is the depth from which the policy orders the moves. Near the leaves there are too
// many nodes for it.
const policyDepth = 3

// unasked puts moves that the policy is not asked about behind the others.
const unasked = 1 << 14

// list lists the moves of a node with their scores. Off the principal line the policy is asked about
// the best of the plain order alone.
func (s *searcher) list(n *node) {
	b, f := &s.b, &s.stack[n.ply]
	s.generate(n.ply, n.threatened, n.table.move)
	w := b.policy[n.me&1]
	if w == nil || n.depth < policyDepth {
		return
	}
	most := f.n
	if asked := s.by.asked + n.depth*s.by.askedPly; most > asked && !n.pv {
		most = asked
		for i := range most {
			f.pick(i)
		}
		for i := most; i < f.n; i++ {
			f.moves[i].score -= unasked
		}
	}
	s.policy[n.me&1].order(b, w, f.moves[:most])
	n.ordered, n.top = true, math.MinInt32
	for i := range f.moves[:most] {
		if m := &f.moves[i]; m.p == n.table.move {
			m.score = 1 << 30
		} else if n.me != black || !b.forbidden(m.p) {
			n.top = max(n.top, m.score)
		}
	}
}

// raise takes the value of a move that is better than those before, and reports whether it
// fails high.
func (s *searcher) raise(n *node, p uint8, v int) bool {
	n.best = v
	if v <= n.alpha {
		return false
	}
	n.bestMove = p
	if n.pv {
		s.keep(n.ply, p)
	}
	if v >= n.beta {
		return true
	}
	n.alpha = v
	return false
}

// boundOf says what a search within alpha and beta that gave v has shown.
func boundOf(v, alpha, beta int) int {
	switch {
	case v >= beta:
		return boundLower
	case v > alpha:
		return boundExact
	}
	return boundUpper
}

// preventFive searches the one move that keeps the other side from a five.
func (s *searcher) preventFive(n *node) int {
	b, f := &s.b, &s.stack[n.ply]
	q := first(&b.five[n.you])
	f.move = q
	f.eval = 0
	if n.ply >= 2 {
		f.eval = s.stack[n.ply-2].eval
	}
	b.play(q)
	v := -s.search(-n.beta, -n.alpha, n.depth, n.ply+1, !n.cut)
	b.back()
	if v > n.alpha && n.pv {
		s.keep(n.ply, q)
	}
	return v
}

// probe looks the position up in the table. Where that settles the value, it reports it.
func (s *searcher) probe(n *node) (int, bool) {
	n.key = s.b.hash ^ turnKey[n.me] ^ uint64(s.stack[n.ply].excluded)*0x9E3779B97F4A7C15
	n.table, n.hit = s.tt.get(n.key, n.ply)
	t := &n.table
	if !n.hit || n.pv || t.depth < n.depth || n.excluding {
		return 0, false
	}
	return t.value, t.bound == boundExact ||
		t.bound == boundLower && t.value >= n.beta ||
		t.bound == boundUpper && t.value <= n.alpha
}

// horizon is the value of a node without depth.
func (s *searcher) horizon(n *node) int {
	if n.threatened && s.b.defence() == (pointSet{}) {
		return -(mate - n.ply - 4)
	}
	v := s.leaf(n.beta, n.ply, n.eval)
	if !s.stopped {
		s.tt.put(n.key, n.ply, 0xFF, 0, boundOf(v, n.alpha, n.beta), v, n.eval)
	}
	return v
}

// prune gives the value of a node that is not worth its depth: one far below alpha that no
// win by fours saves, or one so far above beta that no threat by fours is in sight.
func (s *searcher) prune(n *node) (int, bool) {
	if n.pv || n.threatened || n.excluding {
		return 0, false
	}
	if n.depth <= 4 && n.eval+razor[n.depth]*s.by.razor/100 <= n.alpha {
		v := s.leaf(n.beta, n.ply, n.eval)
		if v <= n.alpha || v > mateEdge {
			return v, true
		}
	}
	margin := s.by.futile * n.depth
	if n.improving {
		margin -= s.by.futile * s.by.rises / 100
	}
	safe := n.depth <= 7 && n.eval-margin >= n.beta && n.beta > -mateEdge
	return n.eval, safe && !(n.depth >= s.by.guard && s.hangs())
}

// isHigh reports whether the evaluation is above beta by a margin for each ply of depth.
func (n *node) isHigh(margin int) bool {
	return n.depth > 1 && n.eval >= n.beta+margin*(n.depth-1)
}

// leavesOut reports whether a node leaves out its i-th move. It takes the moves after it
// away that cannot matter any more either.
func (s *searcher) leavesOut(n *node, t *trial, i int) bool {
	if n.threatened {
		return t.mine == fourMove && t.mine < n.loud && t.theirs < fourMove && t.p != n.table.move
	}
	if t.behind > s.by.unlikely+n.depth*s.by.unlikelyPly && !n.pv && t.mine < n.loud {
		s.narrow(&s.stack[n.ply], i+1, n.loud)
		return true
	}
	if t.number > s.by.lateMoves(n.depth, n.improving) && t.mine < n.loud {
		s.narrow(&s.stack[n.ply], i+1, n.loud)
		return true
	}
	quiet := t.mine < three && t.theirs < three
	if quiet && !n.pv && n.depth <= 5 && n.eval+s.by.futileMove*n.depth <= n.alpha && t.number > 3 {
		s.narrow(&s.stack[n.ply], i+1, three)
		return true
	}
	return false
}

// depthAfter sets the depth of the search after a move. Where a search of the other moves
// settles the value of the node, or the time is over, it gives that value.
func (s *searcher) depthAfter(n *node, t *trial) (v int, settled bool) {
	t.depth = n.depth - 1
	if n.high && t.mine < fourMove {
		t.depth = max(0, t.depth-1)
	}
	if n.threatened && n.ply < s.by.extend*s.depth/2 {
		t.depth++
	}
	if !n.mayBeSingular(t) {
		return 0, false
	}
	edge := n.table.value - s.by.singular*n.depth/16
	switch v := s.without(n, t.p, edge); {
	case s.stopped:
		return 0, true
	case v < edge:
		t.depth++
		if !n.pv && v < edge-s.by.double {
			t.depth++
		}
	case edge >= n.beta: // a second move fails high too
		return edge, true
	}
	return 0, false
}

// mayBeSingular reports whether a move is the table's, and good by a deep enough search, so
// that a search of the others is worth its time.
func (n *node) mayBeSingular(t *trial) bool {
	known := &n.table
	return t.p == known.move && n.depth >= 6 && !n.excluding && known.bound&boundLower != 0 &&
		known.depth >= n.depth-3 && abs(known.value) < mateEdge && n.ply < 60
}

// without searches a node without one of its moves, to half its depth, and tells whether
// the others come up to edge.
func (s *searcher) without(n *node, p uint8, edge int) int {
	f := &s.stack[n.ply]
	count, moves := f.n, f.moves
	f.excluded = uint16(p) + 1
	v := s.search(edge-1, edge, (n.depth-1)/2, n.ply, n.cut)
	f.excluded = 0
	f.n, f.moves = count, moves
	return v
}

// moveless is the value of a node in which no move was tried. Where settled, it does not depend
// on the depth, and stays out of the table.
func (s *searcher) moveless(n *node) (v int, settled bool) {
	switch {
	case n.excluding:
		return n.alpha, true
	case n.threatened:
		return -(mate - n.ply - 4), false
	case s.b.near == (pointSet{}) || !s.anyLegal():
		return 0, true
	}
	return n.eval, false
}

// follow plays a move and gives its value. A move after the first has to show in a null
// window that it is better, at first at less depth; only then its exact value is searched.
func (s *searcher) follow(n *node, t *trial) (v int) {
	s.stack[n.ply].move = t.p
	s.tt.expect(s.b.hash ^ s.b.zobrist[n.me&1][t.p] ^ turnKey[n.you&1])
	s.b.play(t.p)
	alpha, ply := n.alpha, n.ply+1
	if n.depth >= 2 && n.count > 1 {
		d := min(t.depth, max(t.depth-s.reduction(n, t), min(1, t.depth)))
		v = -s.search(-alpha-1, -alpha, d, ply, true)
		if v > alpha && d < t.depth {
			v = -s.search(-alpha-1, -alpha, t.depth, ply, !n.cut)
		}
	} else if !n.pv || n.count > 1 {
		v = -s.search(-alpha-1, -alpha, t.depth, ply, !n.cut)
	}
	if n.pv && (n.count == 1 || v > alpha) {
		v = -s.search(-n.beta, -alpha, t.depth, ply, false)
	}
	s.b.back()
	return v
}

// reduction is the depth that a later move is searched less: more where a cut is expected or the
// policy finds the move unlikely, less where threats are about, and less after a good history.
func (s *searcher) reduction(n *node, t *trial) int {
	by := s.by
	r := by.reductions[min(n.depth, 63)][min(t.number, 63)]
	if n.pv {
		r -= by.lessPV
	}
	if n.cut {
		r += by.moreCut
	}
	if !n.improving {
		r += by.moreFalling
	}
	if t.mine >= fourMove {
		r -= by.lessFour
	} else if t.mine >= three {
		r -= by.lessThree
	}
	if t.theirs >= three {
		r -= by.lessAgainst
	}
	if n.threatened {
		r -= by.lessThreatened
	}
	if n.ordered {
		r += t.behind * by.moreBehind / 100
	}
	r -= int(s.history[n.me][t.p]) * by.lessHistory / 1024
	return max(r, 0) / 1024
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
	d := &s.draws
	d.look(b)
	d.ever, d.following, d.always = &s.history[me], int32(s.by.following), int32(s.by.ever)
	if ply > 0 {
		d.cont = &s.cont[me][s.stack[ply-1].move]
	}
	if ply > 1 {
		d.plan = &s.plan[me][s.stack[ply-2].move]
	}
	n := 0
	for i, word := range set { // not by an iterator: its body would be called point by point
		for ; word != 0; word &= word - 1 {
			p := uint8(i<<6 + bits.TrailingZeros64(word))
			f.moves[n&255] = scored{p: p}
			n++
		}
	}
	f.n = n
	d.score(&f.moves, n)
	var liked pointSet
	for _, p := range [...]uint8{f.killers[0], f.killers[1], counter} {
		liked = liked.With(game.Point(p))
	}
	for i, word := range liked {
		for word &= set[i]; word != 0; word &= word - 1 {
			f.moves[before(&set, uint8(i<<6+bits.TrailingZeros64(word)))].score += int32(s.by.killer)
		}
	}
	if set.Has(game.Point(first)) {
		f.moves[before(&set, first)].score = 1 << 30
	}
}

// before counts the points of a set that come before p.
func before(set *pointSet, p uint8) uint8 {
	n := bits.OnesCount64(set[p>>6] & (1<<(p&63) - 1))
	for _, word := range set[:p>>6] {
		n += bits.OnesCount64(word)
	}
	return uint8(n)
}

// pick brings the best of the moves from i on to i.
func (f *frame) pick(i int) scored {
	best := i
	if n := f.n - i; vectors && n >= fewest {
		best += topVector(&f.moves[i], n)
	} else {
		best += topPlain(f.moves[i:f.n])
	}
	f.moves[i], f.moves[best] = f.moves[best], f.moves[i]
	return f.moves[i]
}

// fewest is the least number of moves that topVector compares.
const fewest = 4

// topPlain is the place of the best move, the first of equals. topVector does the same with
// vector instructions.
func topPlain(moves []scored) (best int) {
	for j := range moves {
		if moves[j].score > moves[best].score {
			best = j
		}
	}
	return best
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
