package five

import (
	"math"
	"math/rand/v2"
	"slices"

	"tengen/ai/engine"
)

// learned are numbers to be learned: their values, the gradient of the present batch, and
// what Adam remembers of earlier batches.
type learned struct {
	w, g, m, v []float32
	shrink     float32 // how strongly they are kept small
	t          int
}

func newLearned(n int, spread float64, rnd *rand.Rand) *learned {
	p := &learned{w: make([]float32, n), g: make([]float32, n), m: make([]float32, n), v: make([]float32, n)}
	if spread > 0 {
		for i := range p.w {
			p.w[i] = float32(rnd.NormFloat64() * spread)
		}
	}
	return p
}

// step moves along the gradient and forgets it.
func (p *learned) step(rate float64) {
	p.t++
	r := float32(rate / (1 - math.Pow(0.9, float64(p.t))))
	c := 1 / (1 - math.Pow(0.999, float64(p.t)))
	for i, g := range p.g {
		g += p.shrink * p.w[i]
		p.m[i] = 0.9*p.m[i] + 0.1*g
		p.v[i] = 0.999*p.v[i] + 0.001*g*g
		p.w[i] -= r * p.m[i] / (float32(math.Sqrt(float64(p.v[i])*c)) + 1e-8)
		p.g[i] = 0
	}
}

// layered are the weights of codes, in one lane or more. The weight of a code is a sum: of
// its patterns' weights, of its class's, and one of its own. The first two carry rare
// codes, the last is kept small. Steps are scaled by how often a weight counts in a
// position: a board has a hundred points of the common codes, and steps that suit the rare
// ones would shake it.
type layered struct {
	lanes, kind       int
	own, class, shape *learned
	rare              struct{ own, class, shape []float32 }
	flat, grad        []float32 // by code and lane
	base              []float32 // what the layers add to
}

// layeredFor gives layers by colour; colours that play by one rule share them.
func layeredFor(v variant, lanes int) [2]*layered {
	make1 := func(kind int) *layered {
		l := &layered{lanes: lanes, kind: kind, own: newLearned(codes*lanes, 0, nil),
			class: newLearned(int(classes)*lanes, 0, nil), shape: newLearned(int(patterns)*lanes, 0, nil),
			flat: make([]float32, codes*lanes), grad: make([]float32, codes*lanes), base: make([]float32, codes*lanes)}
		l.own.shrink = 1e-4
		l.rare.own, l.rare.class, l.rare.shape = ones(codes), ones(int(classes)), ones(int(patterns))
		return l
	}
	a := make1(v.kind(black))
	if v != renju {
		return [2]*layered{a, a}
	}
	return [2]*layered{a, make1(v.kind(white))}
}

func ones(n int) []float32 {
	l := make([]float32, n)
	for i := range l {
		l[i] = 1
	}
	return l
}

// randomise starts the weights of patterns and classes at random.
func (l *layered) randomise(by float64, rnd *rand.Rand) {
	l.class = newLearned(int(classes)*l.lanes, by, rnd)
	l.shape = newLearned(int(patterns)*l.lanes, by, rnd)
}

// weigh finds how often codes, classes and patterns count, from the tallies of positions.
func (l *layered) weigh(lists [][]tally) {
	own, class, shape := make([]float64, codes), make([]float64, classes), make([]float64, patterns)
	for _, list := range lists {
		var inClass [classes]float64
		var inShape [patterns]float64
		for _, t := range list {
			n := float64(t.n)
			own[t.code] += n * n
			p := patternsOf[t.code]
			inClass[classOf(p, l.kind)] += n
			for _, x := range p {
				inShape[x] += n
			}
		}
		for i, n := range inClass {
			class[i] += n * n
		}
		for i, n := range inShape {
			shape[i] += n * n
		}
	}
	for _, x := range []struct {
		to   []float32
		from []float64
	}{{l.rare.own, own}, {l.rare.class, class}, {l.rare.shape, shape}} {
		for i, sum := range x.from {
			x.to[i] = float32(1 / max(1, math.Sqrt(sum/float64(max(1, len(lists))))))
		}
	}
}

// flatten computes the weights of the codes from their layers.
func (l *layered) flatten() {
	for code, p := range patternsOf {
		class := int(classOf(p, l.kind))
		for k := range l.lanes {
			x := l.base[code*l.lanes+k] + l.own.w[code*l.lanes+k]*l.rare.own[code] +
				l.class.w[class*l.lanes+k]*l.rare.class[class]
			for _, y := range p {
				x += l.shape.w[int(y)*l.lanes+k] * l.rare.shape[y]
			}
			l.flat[code*l.lanes+k] = x
		}
	}
}

// step hands the gradients of the codes on to the layers and moves along them.
func (l *layered) step(rate float64) {
	for code, p := range patternsOf {
		class := int(classOf(p, l.kind))
		for k := range l.lanes {
			g := l.grad[code*l.lanes+k]
			if g == 0 {
				continue
			}
			l.grad[code*l.lanes+k] = 0
			l.own.g[code*l.lanes+k] = g * l.rare.own[code]
			l.class.g[class*l.lanes+k] += g * l.rare.class[class]
			for _, y := range p {
				l.shape.g[int(y)*l.lanes+k] += g * l.rare.shape[y]
			}
		}
	}
	l.own.step(rate)
	l.class.step(rate)
	l.shape.step(rate)
	l.flatten()
}

func stepBoth(l [2]*layered, rate float64) {
	l[0].step(rate)
	if l[1] != l[0] {
		l[1].step(rate)
	}
}

// learner is a network that learns.
type learner struct {
	first, bias, second, after, last, threat *learned
}

func newLearner(rnd *rand.Rand) *learner {
	n := &learner{
		first:  newLearned(inputs*hidden1, 1/math.Sqrt(2*lanes), rnd),
		bias:   newLearned((threatBits+1)*hidden1, 0.1, rnd),
		second: newLearned(hidden1*hidden2, 1/math.Sqrt(hidden1), rnd),
		after:  newLearned(hidden2, 0.05, rnd),
		last:   newLearned(hidden2, 0.05, rnd),
		threat: newLearned(1<<threatBits+threatBits+1, 0, nil),
	}
	n.threat.shrink = 3e-5
	return n
}

func (n *learner) step(rate float64) {
	for _, p := range []*learned{n.first, n.bias, n.second, n.after, n.last, n.threat} {
		p.step(rate)
	}
}

// pass is one position on its way through a network.
type pass struct {
	sum, gSum [inputs]float32
	h, gH     [hidden1]float32
	s         [hidden2]float32
	on        [threatBits + 1]int // the threats that are there, and the one that always is
	n         int
}

// run is the value of a position.
func (n *learner) run(p *pass, s *sample, me, you *layered) float32 {
	p.sum = [inputs]float32{}
	for i, list := range s.counts {
		sum := p.sum[i*lanes:][:lanes]
		flat := [2]*layered{me, you}[i&1].flat
		for _, t := range list {
			w := flat[int(t.code)*lanes:][:lanes]
			for k := range sum {
				sum[k] += float32(t.n) * w[k]
			}
		}
	}
	p.n = 0
	for bit := range threatBits {
		if s.threat>>bit&1 != 0 {
			p.on[p.n] = bit
			p.n++
		}
	}
	p.on[p.n] = threatBits
	p.n++
	x := n.threat.w[s.threat]
	p.h = [hidden1]float32{}
	for _, bit := range p.on[:p.n] {
		x += n.threat.w[1<<threatBits+bit]
		for i, w := range n.bias.w[bit*hidden1:][:hidden1] {
			p.h[i] += w
		}
	}
	for k, a := range p.sum {
		for i, w := range n.first.w[k*hidden1:][:hidden1] {
			p.h[i] += a * w
		}
	}
	copy(p.s[:], n.after.w)
	for i, a := range p.h {
		if a > 0 {
			for j, w := range n.second.w[i*hidden2:][:hidden2] {
				p.s[j] += a * w
			}
		}
	}
	for j, a := range p.s {
		if a > 0 {
			x += a * n.last.w[j]
		}
	}
	return x
}

// learn adds the gradient of a position that run has just seen; g is that of its value.
func (n *learner) learn(p *pass, s *sample, me, you *layered, g float32) {
	n.threat.g[s.threat] += g
	for _, bit := range p.on[:p.n] {
		n.threat.g[1<<threatBits+bit] += g
	}
	p.gH = [hidden1]float32{}
	for j, a := range p.s {
		if a <= 0 {
			continue
		}
		n.last.g[j] += g * a
		gj := g * n.last.w[j]
		n.after.g[j] += gj
		for i, a := range p.h {
			if a > 0 {
				n.second.g[i*hidden2+j] += gj * a
				p.gH[i] += gj * n.second.w[i*hidden2+j]
			}
		}
	}
	for _, bit := range p.on[:p.n] {
		for i, g := range p.gH {
			n.bias.g[bit*hidden1+i] += g
		}
	}
	for k, a := range p.sum {
		sum := float32(0)
		for i, g := range p.gH {
			n.first.g[k*hidden1+i] += g * a
			sum += g * n.first.w[k*hidden1+i]
		}
		p.gSum[k] = sum
	}
	for i, list := range s.counts {
		sum := p.gSum[i*lanes:][:lanes]
		grad := [2]*layered{me, you}[i&1].grad
		for _, t := range list {
			w := grad[int(t.code)*lanes:][:lanes]
			for k := range sum {
				w[k] += float32(t.n) * sum[k]
			}
		}
	}
}

// round writes the network into l.
func (n *learner) round(l *layers) {
	for i := range hidden1 {
		for k := range l.First {
			l.First[k][i] = rounded(n.first.w[k*hidden1+i], netUnit)
		}
		for bit := range l.Bias {
			l.Bias[bit][i] = rounded(n.bias.w[bit*hidden1+i], netUnit)
		}
		for j := range hidden2 {
			l.Second[i][j] = rounded(n.second.w[i*hidden2+j], netUnit)
		}
	}
	for j := range hidden2 {
		l.After[j], l.Last[j] = rounded(n.after.w[j], netUnit), rounded(n.last.w[j], lastUnit)
	}
	for m := range l.Threat {
		x := n.threat.w[m] + n.threat.w[1<<threatBits+threatBits]
		for bit := range threatBits {
			if m>>bit&1 != 0 {
				x += n.threat.w[1<<threatBits+bit]
			}
		}
		l.Threat[m] = rounded(x, unit*fine)
	}
}

func rounded(x float32, unit float64) int16 {
	return int16(math.Round(max(-32000, min(32000, float64(x)*unit))))
}

const (
	batchSize = 2048
	firstRate = 0.01
	lastRate  = 0.0003
)

// study goes through positions once, at random, in batches: it learns from each as from one of so many, and
// makes a step after each batch.
func study[T any](list []T, size int, rnd *rand.Rand, learn func(*T, int), step func()) {
	rnd.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	for batch := range slices.Chunk(list, size) {
		for i := range batch {
			learn(&batch[i], len(batch))
		}
		step()
	}
}

// evaluator learns the evaluation: what the codes of the points are worth, and a network
// over their sums for each side to move. Sides that play by one rule share both.
type evaluator struct {
	points [2]*layered
	nets   [2]*learner
	pass   pass // of the last value
}

// newEvaluator starts the weights at random, scaled by what stands in the samples.
func newEvaluator(samples []sample, v variant, rnd *rand.Rand) *evaluator {
	e := &evaluator{points: layeredFor(v, lanes), nets: [2]*learner{newLearner(rnd)}}
	e.nets[1] = e.nets[0]
	if v == renju {
		e.nets[1] = newLearner(rnd)
	}
	for c, l := range e.points {
		if c == 1 && l == e.points[0] {
			break
		}
		var lists [][]tally
		for i := 0; i < len(samples); i += 10 {
			if s := &samples[i]; e.points[s.turn] == l {
				lists = append(lists, s.counts[0])
			} else {
				lists = append(lists, s.counts[1])
			}
		}
		l.randomise(0.3, rnd)
		l.weigh(lists)
		l.flatten()
	}
	e.center(samples)
	return e
}

// center starts the first layer in the middle of the positions that it has to tell apart.
func (e *evaluator) center(samples []sample) {
	middle := map[*learner]*pass{e.nets[0]: {}, e.nets[1]: {}}
	for i := 0; i < len(samples); i += 100 {
		e.value(&samples[i])
		m := middle[e.nets[samples[i].turn]]
		m.n++
		for j, h := range e.pass.h {
			m.h[j] += h
		}
	}
	for net, m := range middle {
		for j, sum := range m.h {
			net.bias.w[threatBits*hidden1+j] -= sum / float32(max(1, m.n))
		}
	}
}

func (e *evaluator) value(s *sample) float32 {
	return e.nets[s.turn].run(&e.pass, s, e.points[s.turn], e.points[s.turn^1])
}

// learn adds the gradient of a position that counts as one of n.
func (e *evaluator) learn(s *sample, n int) {
	g := float32(1/(1+math.Exp(-float64(e.value(s))))) - s.want
	e.nets[s.turn].learn(&e.pass, s, e.points[s.turn], e.points[s.turn^1], g/float32(n))
}

// step moves along the gradient and forgets it.
func (e *evaluator) step(rate float64) {
	stepBoth(e.points, rate)
	e.nets[0].step(rate)
	if e.nets[1] != e.nets[0] {
		e.nets[1].step(rate)
	}
}

// loss is the mean logistic loss of the values on their labels; off is how far they are
// from what the search expected (root of the mean square).
func (e *evaluator) loss(list []sample) (loss, off float64) {
	for i := range list {
		s := &list[i]
		p, y := 1/(1+math.Exp(-float64(e.value(s)))), float64(s.want)
		loss -= y*math.Log(p+1e-9) + (1-y)*math.Log(1-p+1e-9)
		off += (p - float64(s.score)) * (p - float64(s.score))
	}
	n := float64(max(1, len(list)))
	return loss / n, math.Sqrt(off / n)
}

// fitEval fits the evaluation. The samples are in the order of their games: the last are
// left out, to test the fit on games that it does not know.
func fitEval(samples []sample, v variant, w *weights, told engine.Progress) {
	rnd := rand.New(rand.NewPCG(1, 1))
	train, test := samples[:len(samples)-len(samples)/20], samples[len(samples)-len(samples)/20:]
	e := newEvaluator(train, v, rnd)
	for epoch := range epochs {
		rate := firstRate * math.Pow(lastRate/firstRate, float64(epoch)/(epochs-1))
		study(train, batchSize, rnd, e.learn, func() { e.step(rate) })
		known, _ := e.loss(train[:min(len(train), 20000)])
		unknown, off := e.loss(test)
		told.Say("evaluation: epoch %d, loss %.5f on what it learns from, %.5f on what it does not, %.4f off the search",
			epoch+1, known, unknown, off)
	}
	for c := range 2 {
		e.nets[c].round(&w.Net[c])
		roundLanes(e.points[c], &w.Lanes[c])
	}
}

func roundLanes(l *layered, to *[codes][lanes]int16) {
	for i, x := range l.flat {
		to[i/lanes][i%lanes] = rounded(x, laneUnit)
	}
}
