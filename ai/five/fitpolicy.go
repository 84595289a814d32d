package five

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"tengen/ai/engine"
	"tengen/game"
)

// PolicyWeights are the tables of the policy.
type PolicyWeights = policyWeights

// WritePolicy writes the tables of the policy compressed.
func WritePolicy(out io.Writer, w *PolicyWeights) error { return writeTables(out, w) }

// ReadPolicy reads what WritePolicy has written.
func ReadPolicy(r io.Reader) (*PolicyWeights, error) { return readTables[policyWeights](r) }

// Cuts searches a position of the game and gives some of the moves that failed high inside, each as
// a game of its own whose last move alone is to be learned. The order of moves serves such positions
// more than those that a good game reaches.
func (e *Engine) Cuts(ctx context.Context, p Played, rnd *rand.Rand, nodes int64) (cuts []Played) {
	const share = 0.2 // of those not tried first; of the others, which are more, half as many
	root, err := game.New(p.Rules).PlayAll(p.Moves[:p.Book+rnd.IntN(len(p.Moves)-p.Book)]...)
	if err != nil || root.Turn() == game.Empty {
		return nil
	}
	b := &e.main.b
	e.main.tell = func(q uint8, first bool) {
		if rnd.Float64() > share || first && rnd.IntN(2) == 0 {
			return
		}
		c := Played{Rules: p.Rules, Moves: slices.Clone(root.Moves()), Result: 0.5}
		for _, m := range b.moves[root.Len():b.ply] {
			c.Moves = append(c.Moves, game.Point(m))
		}
		c.Book = len(c.Moves)
		c.pass()
		c.Moves = append(c.Moves, game.Point(q))
		c.found(0.5, true)
		cuts = append(cuts, c)
	}
	defer func() { e.main.tell = nil }()
	e.Clear()
	if _, err := e.Search(ctx, root, engine.Limits{Nodes: nodes, Brief: true}); err != nil {
		return nil
	}
	return cuts
}

// outlook is a position for the policy.
type outlook struct {
	turn   uint8
	threat uint16
	last   [recent]uint8
	line   [15 * 15][2]uint16 // for the side to move, for the other; stones instead: ownStone, otherStone
	cand   []uint8            // the chosen one first
	plain  []float32          // the plain ordering's scores
}

const (
	ownStone   = 0xFFFF // no point has such lines where there is anything to choose
	otherStone = 0xFFFE
)

// outlook is the position before p is chosen.
func (b *board) outlook(p uint8) (o outlook, ok bool) {
	me := b.turn
	set := b.candidates()
	o = outlook{turn: uint8(me), threat: uint16(b.threats()), last: [recent]uint8{0xFF, 0xFF, 0xFF}, cand: []uint8{p}}
	for q := range set.All() {
		if b.stones[q] == 3 && uint8(q) != p && !(me == black && b.forbidden(uint8(q))) {
			o.cand = append(o.cand, uint8(q))
		}
	}
	for k := range min(recent, b.ply) {
		o.last[k] = b.moves[b.ply-1-k]
	}
	for i := range o.line {
		q := uint8(i/15<<4 | i%15)
		switch s := int(b.stones[q]); {
		case s == me:
			o.line[i] = [2]uint16{ownStone, ownStone}
		case s < 2:
			o.line[i] = [2]uint16{otherStone, otherStone}
		default:
			o.line[i] = [2]uint16{b.cells[q].line[me], b.cells[q].line[me^1]}
		}
	}
	for _, q := range o.cand {
		o.plain = append(o.plain, float32(b.drawn(q))/orderUnit)
	}
	return o, set.Has(game.Point(p)) && len(o.cand) > 1
}

// outlooks are the positions of games on the full board, as a variant sees them.
func outlooks(games []Played, v variant) (list []outlook) {
	b := new(board)
	for _, g := range games {
		if g.Rules.Size() != 15 {
			continue
		}
		b.reset(shapeOf(v, 15))
		for i, p := range g.Moves {
			if i >= g.Book && b.undecided() {
				if o, ok := b.outlook(uint8(p)); ok {
					list = append(list, o)
				}
			}
			b.play(uint8(p))
		}
	}
	return list
}

type vector = [pc]float32

// seer learns the policy.
type seer struct {
	code                  [2]*layered // vectors of codes, for the side to move and for the other
	point                 [2]*layered // of the candidate itself
	stone, line, tap, out *learned
	scale                 *learned
	cells, gCells         [gridCells]vector
	from                  [gridCells]int32 // both codes, or ^ of a row of stone
	sum                   [256]vector      // by candidate
	weight, gWeight       vector           // of the units, by the threats
	chances               [256]float32
}

// rowsBeyond is the row of stone of what lies beyond the edge.
const rowsBeyond = 5

// newSeer begins with random numbers or, where there are some, with those of a policy. It learns for
// one colour to move, or for both where they play by one rule.
func newSeer(list []outlook, v variant, turn int, from *policyWeights, rnd *rand.Rand) *seer {
	n := new(seer)
	for i := range n.code {
		n.code[i], n.point[i] = layeredFor(v, pc)[turn^i], layeredFor(v, 1)[turn^i]
		if from == nil {
			n.code[i].randomise(0.3, rnd)
		}
		var lists [][]tally
		for k := 0; k < len(list); k += 1 + len(list)/3000 {
			lists = append(lists, list[k].tallies(i))
		}
		n.code[i].weigh(lists)
		for _, rare := range [][]float32{n.code[i].rare.own, n.code[i].rare.class, n.code[i].rare.shape} {
			for k, x := range rare { // a candidate sees but a part of the board
				rare[k] = float32(math.Sqrt(float64(x)))
			}
		}
		n.code[i].flatten()
	}
	spread := 1.0
	if from != nil {
		spread = 0
	}
	n.stone = newLearned((rowsBeyond+1)*pc, 0.3*spread, rnd)
	n.line = newLearned(256*pc, 0.2*spread, rnd)
	n.tap = newLearned(2*(1+spokes)*pc, 0.15*spread, rnd)
	n.out = newLearned((threatBits+1)*pc, 0, nil)
	n.scale = newLearned(1, 0, nil)
	if from != nil {
		n.begin(from)
		return n
	}
	for c := range pc {
		n.out.w[threatBits*pc+c] = float32(rnd.NormFloat64() * 0.2)
	}
	return n
}

// begin takes over the numbers of a policy of freestyle.
func (n *seer) begin(w *policyWeights) {
	w = w.borrowed()
	for i := range codes {
		for side, from := range [2][pc]int16{w.Own[i], w.Other[i]} {
			for c, x := range from {
				n.code[side].base[i*pc+c] = float32(x) / cellUnit
			}
		}
		n.point[0].base[i], n.point[1].base[i] = float32(w.Mine[i])/orderUnit, float32(w.Theirs[i])/orderUnit
	}
	for i := range 2 {
		n.code[i].flatten()
		n.point[i].flatten()
	}
	n.eachRow(w, func(whole []int16, at []float32, unit float64) {
		for k, x := range whole {
			at[k] = float32(x) / float32(unit)
		}
	})
	n.scale.w[0] = float32(w.Scale)/256 - 1
}

// eachRow goes through the vectors that a policy has as they are learned, beside those of codes.
func (n *seer) eachRow(w *policyWeights, do func(whole []int16, at []float32, unit float64)) {
	for i := range w.Stone {
		do(w.Stone[i][:], n.stone.w[i*pc:], cellUnit)
	}
	for i := range w.Line {
		do(w.Line[i][:], n.line.w[i*pc:], spokeUnit)
	}
	for i := range w.Tap {
		for k := range w.Tap[i] {
			do(w.Tap[i][k][:], n.tap.w[(i*(1+spokes)+k)*pc:], tapUnit)
		}
	}
	for i := range w.Out {
		do(w.Out[i][:], n.out.w[i*pc:], outUnit)
	}
}

// tallies counts the codes for one side.
func (o *outlook) tallies(side int) (list []tally) {
	var n [codes]int16
	for _, l := range &o.line {
		if l[0] < otherStone {
			n[codeOf[l[side]]]++
		}
	}
	for code, k := range n {
		if k != 0 {
			list = append(list, tally{uint16(code), k})
		}
	}
	return list
}

func (n *seer) step(rate float64) {
	for i := range n.code {
		n.code[i].step(rate)
		n.point[i].step(rate)
	}
	for _, l := range []*learned{n.stone, n.line, n.tap, n.out, n.scale} {
		l.step(rate)
	}
}

// row is a vector of w.
func row(w []float32, i int) *vector { return (*vector)(w[i*pc:]) }

// fill computes the vectors of the cells.
func (n *seer) fill(o *outlook) {
	for i := range n.cells {
		n.cells[i], n.from[i] = *row(n.stone.w, rowsBeyond), ^rowsBeyond
	}
	for i, l := range &o.line {
		at := gridAt(uint8(i/15<<4 | i%15))
		x := &n.cells[at]
		if l[0] >= otherStone {
			n.from[at] = ^int32(ownStone - l[0])
			*x = *row(n.stone.w, int(ownStone-l[0]))
			continue
		}
		own, other := int(codeOf[l[0]]), int(codeOf[l[1]])
		n.from[at] = int32(own<<12 | other)
		t, u := row(n.code[0].flat, own), row(n.code[1].flat, other)
		for c := range x {
			x[c] = t[c] + u[c]
		}
	}
	for k, p := range o.last {
		if p != 0xFF {
			x := &n.cells[gridAt(p)]
			for c, y := range row(n.stone.w, 2+k) {
				x[c] += y
			}
		}
	}
	for i := range n.cells {
		for c, x := range &n.cells[i] {
			n.cells[i][c] = max(x, 0)
		}
	}
}

// lineRow is the row of line for direction d of a point.
func lineRow(l [2]uint16, d int) int { return int(l[0]>>(4*d)&15)<<4 | int(l[1]>>(4*d)&15) }

// chance is how likely each candidate is to be the chosen one. The next call overwrites it.
func (n *seer) chance(o *outlook) []float32 {
	n.fill(o)
	n.weight = *row(n.out.w, threatBits)
	for m := uint(o.threat); m != 0; m &= m - 1 {
		for c, x := range row(n.out.w, bits.TrailingZeros(m)) {
			n.weight[c] += x
		}
	}
	p := n.chances[:len(o.cand)]
	for i, q := range o.cand {
		p[i] = n.score(o, i, q)
	}
	softmax(p)
	return p
}

func (n *seer) score(o *outlook, i int, q uint8) float32 {
	at, l, a := gridAt(q), o.line[int(q>>4)*15+int(q&15)], &n.sum[i]
	for c, x := range row(n.tap.w, 0) {
		a[c] = x * n.cells[at][c]
	}
	for d := range 4 {
		for c, x := range row(n.line.w, lineRow(l, d)) {
			a[c] += x
		}
		for k := 1; k <= spokes; k++ {
			w, x, y := row(n.tap.w, d>>1*(1+spokes)+k), &n.cells[at+k*gridStep[d]], &n.cells[at-k*gridStep[d]]
			for c := range a {
				a[c] += w[c] * (x[c] + y[c])
			}
		}
	}
	sum := o.plain[i]*(1+n.scale.w[0]) + n.point[0].flat[n.from[at]>>12] + n.point[1].flat[n.from[at]&4095]
	for c, x := range a {
		sum += max(x, 0) * n.weight[c]
	}
	return sum
}

// learn adds the gradient of a position that counts as one of so many.
func (n *seer) learn(o *outlook, of int) {
	p, scale := n.chance(o), 1/float32(of)
	n.gCells, n.gWeight = [gridCells]vector{}, vector{}
	for i, q := range o.cand {
		g := p[i] * scale
		if i == 0 {
			g -= scale
		}
		if abs32(g) > 1e-4*scale { // the others take time and change nothing
			n.learnMove(o, i, q, g)
		}
	}
	add(row(n.out.g, threatBits), &n.gWeight)
	for m := uint(o.threat); m != 0; m &= m - 1 {
		add(row(n.out.g, bits.TrailingZeros(m)), &n.gWeight)
	}
	for i := range n.cells {
		g := &n.gCells[i]
		for c, x := range &n.cells[i] {
			if x <= 0 {
				g[c] = 0
			}
		}
		if *g == (vector{}) {
			continue
		}
		if k := int(n.from[i]); k < 0 {
			add(row(n.stone.g, ^k), g)
		} else {
			add(row(n.code[0].grad, k>>12), g)
			add(row(n.code[1].grad, k&4095), g)
		}
	}
	for k, q := range o.last {
		if q != 0xFF {
			add(row(n.stone.g, 2+k), &n.gCells[gridAt(q)])
		}
	}
}

func abs32(x float32) float32 { return max(x, -x) }

func add(to, x *vector) {
	for c, y := range x {
		to[c] += y
	}
}

// learnMove adds the gradient of a candidate's score.
func (n *seer) learnMove(o *outlook, i int, q uint8, g float32) {
	at, l := gridAt(q), o.line[int(q>>4)*15+int(q&15)]
	n.scale.g[0] += g * o.plain[i]
	n.point[0].grad[n.from[at]>>12] += g
	n.point[1].grad[n.from[at]&4095] += g
	var ga vector
	for c, x := range &n.sum[i] {
		if x > 0 {
			ga[c] = g * n.weight[c]
			n.gWeight[c] += g * x
		}
	}
	w, gw := row(n.tap.w, 0), row(n.tap.g, 0)
	for c, y := range ga {
		gw[c] += y * n.cells[at][c]
		n.gCells[at][c] += y * w[c]
	}
	for d := range 4 {
		add(row(n.line.g, lineRow(l, d)), &ga)
		for k := 1; k <= spokes; k++ {
			j, far := d>>1*(1+spokes)+k, k*gridStep[d]
			w, gw := row(n.tap.w, j), row(n.tap.g, j)
			x, y, gx, gy := &n.cells[at+far], &n.cells[at-far], &n.gCells[at+far], &n.gCells[at-far]
			for c, z := range ga {
				gw[c] += z * (x[c] + y[c])
				gx[c] += z * w[c]
				gy[c] += z * w[c]
			}
		}
	}
}

// round gives what was learned in whole numbers.
func (n *seer) round() *policyWeights {
	w := new(policyWeights)
	put := func(to []int16, from []float32, unit float64) {
		for i := range to {
			to[i] = rounded(from[i], unit)
		}
	}
	for i := range codes {
		put(w.Own[i][:], n.code[0].flat[i*pc:], cellUnit)
		put(w.Other[i][:], n.code[1].flat[i*pc:], cellUnit)
	}
	put(w.Mine[:], n.point[0].flat, orderUnit)
	put(w.Theirs[:], n.point[1].flat, orderUnit)
	n.eachRow(w, put)
	w.Scale = rounded(1+n.scale.w[0], 256)
	return w
}

// FitPolicy fits the policy of a game to the moves chosen in games, and gives the tables that it has
// by their names. It begins with a policy, if there is one. The last twentieth of each list is left
// out, to test the fit on games that it does not know.
func FitPolicy(r game.Rules, lists [][]Played, from *PolicyWeights, epochs int,
	told engine.Progress) map[string]*PolicyWeights {
	v, _ := variantOf(r)
	var train []outlook
	var tests [][]outlook
	for _, games := range lists {
		cut := len(games) - len(games)/20
		train = append(train, outlooks(games[:cut], v)...)
		tests = append(tests, outlooks(games[cut:], v))
	}
	fitted := map[string]*PolicyWeights{}
	for turn, name := range policyNames[v] {
		if fitted[name] != nil {
			continue
		}
		alike := policyNames[v][white] == policyNames[v][black]
		ours := func(list []outlook) []outlook {
			return slices.DeleteFunc(slices.Clone(list), func(o outlook) bool { return !alike && int(o.turn) != turn })
		}
		var held [][]outlook
		for _, list := range tests {
			held = append(held, ours(list))
		}
		told.Say("%s:", name)
		fitted[name] = fitPolicy(ours(train), held, v, turn, from, epochs, told)
	}
	return fitted
}

// fitPolicy fits the policy of one colour to move, or of both.
func fitPolicy(train []outlook, tests [][]outlook, v variant, turn int, from *policyWeights, epochs int,
	told engine.Progress) *policyWeights {
	told.Say("%d positions for the policy", len(train))
	rnd := rand.New(rand.NewPCG(3, 3))
	n := newSeer(train, v, turn, from, rnd)
	test := func(what string, chance func(*outlook) []float32) {
		for _, list := range tests {
			l, first, three := loss(list, chance)
			told.Say("%s: loss %.4f, the chosen move comes first in %.1f %%, among the first three in %.1f %%", what, l,
				100*first, 100*three)
		}
	}
	test("plain ordering", n.plain)
	test("policy: before the fit", n.chance)
	rate := 0.01
	if from != nil {
		rate = 0.003 // there is less to learn
	}
	const batchSize = 512
	steps, done := max(1, epochs*len(train)/batchSize), 0
	for epoch := range epochs {
		study(train, batchSize, rnd, n.learn, func() {
			n.step(rate * math.Pow(0.03, float64(done)/float64(steps)))
			done++
		})
		test(fmt.Sprintf("policy: epoch %d", epoch+1), n.chance)
	}
	return n.round()
}

// plain is how likely the plain ordering alone makes each candidate.
func (n *seer) plain(o *outlook) []float32 {
	p := n.chances[:copy(n.chances[:], o.plain)]
	softmax(p)
	return p
}

// loss gives the mean loss of chances on the moves chosen in list, and the shares of positions in
// which the chosen move comes first and among the first three.
func loss(list []outlook, chance func(*outlook) []float32) (l, first, three float64) {
	for i := range list {
		p := chance(&list[i])
		l -= math.Log(float64(p[0]) + 1e-12)
		better := 0
		for _, x := range p[1:] {
			if x >= p[0] {
				better++
			}
		}
		if better == 0 {
			first++
		}
		if better < 3 {
			three++
		}
	}
	k := float64(max(1, len(list)))
	return l / k, first / k, three / k
}
