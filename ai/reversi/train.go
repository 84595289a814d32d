package reversi

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"time"

	"tengen/ai/engine"
)

// Training says how the evaluation is trained. Start from DefaultTraining.
type Training struct {
	Rounds    int     // games are made again with each round's weights
	Positions int     // per stage in the last round
	Exact     int     // positions with up to so many empty squares are solved
	Depth     int     // the others are searched so deep
	Ridge     float64 // how strongly a weight is held to that of the stage before, in positions
	Colors    float64 // how strongly it is held to the opposite of the weight with the colors swapped
	Beside    float64 // what a position of a neighbouring stage, at most two empty squares off, counts
	Cuts      int     // positions per number of empty squares that measure the curves of the cuts
	Seed      uint64
	Start     []byte // weights to go on from; nil: from nothing
	Progress  engine.Progress
	// Keep is given the file of weights after each stage, so that a training that
	// stops early is not in vain: stages not yet trained are those of the round
	// before.
	Keep func([]byte) error
}

// DefaultTraining is how the embedded weights were made.
func DefaultTraining() Training {
	return Training{Rounds: 2, Positions: 600_000, Exact: 13, Depth: 4, Ridge: 20, Colors: 40, Beside: 0.7,
		Cuts: 6, Seed: 1}
}

// Train makes the weights of the evaluation from nothing but the rules: games from
// random openings, labels stage by stage from the end of the game backwards (exact
// endings first, earlier stages by short searches that see the later stages' weights),
// and linear weights fitted to each stage; at last the curves of Multi-ProbCut. It gives
// the file of weights, which depends on t and on the rules alone: no clock, no order of
// a search, no table has a say in a label.
func Train(ctx context.Context, t Training) ([]byte, error) {
	runtime.LockOSThread() // the times told are CPU times
	defer runtime.UnlockOSThread()
	w := plainWeights()
	if t.Start != nil {
		var err error
		if w, err = unpackWeights(t.Start); err != nil {
			return nil, err
		}
	}
	for round := range t.Rounds {
		part := t
		if round < t.Rounds-1 { // enough to play the games of the next round by
			part.Positions, part.Exact = t.Positions/15, min(t.Exact, 12)
		}
		if err := part.round(ctx, w, round); err != nil {
			return nil, err
		}
	}
	if t.Cuts > 0 {
		begin := engine.CPUTime()
		w.curves = t.measureCuts(ctx, w)
		t.Progress.Say("curves of the cuts %.4f, of the endgame %.4f; %v", w.curves.mid, w.curves.end,
			(engine.CPUTime() - begin).Round(time.Millisecond))
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return w.pack(), nil
}

// round makes games by w and trains each stage of w in turn.
func (t Training) round(ctx context.Context, w *weights, round int) error {
	begin := engine.CPUTime()
	pools := t.play(ctx, w, rand.New(rand.NewPCG(t.Seed, uint64(round))))
	t.Progress.Say("round %d: games made in %v", round+1, (engine.CPUTime() - begin).Round(time.Second))
	prior := make([]float32, weightCount)
	var train, held [stages]sample
	for s := range stages {
		begin := engine.CPUTime()
		train[s], held[s] = t.label(ctx, w, pools[s])
		if err := ctx.Err(); err != nil {
			return err
		}
		pools[s] = nil
		labelled := engine.CPUTime() - begin
		prior = t.fit(&train, s, prior)
		writeStage(&w.stage[s], prior)
		t.Progress.Say("round %d, stage %d of %d, empties %2d-%2d: %d positions, labels spread %.2f, error %.2f, "+
			"held out %.2f, near even %.2f discs; %v + %v",
			round+1, s+1, stages, s*stageWidth, min(s*stageWidth+stageWidth-1, 60), len(train[s].labels),
			train[s].spread(), train[s].rms(prior, 64), held[s].rms(prior, 64), held[s].rms(prior, nearEven),
			labelled.Round(time.Millisecond), (engine.CPUTime() - begin - labelled).Round(time.Millisecond))
		if t.Keep != nil {
			if err := t.Keep(w.pack()); err != nil {
				return err
			}
		}
	}
	// Now that all stages have labels, each is fitted to those on both its sides.
	prior = make([]float32, weightCount)
	for s := range stages {
		prior = t.fit(&train, s, prior)
		writeStage(&w.stage[s], prior)
		t.Progress.Say("round %d, stage %d of %d again: error %.2f, held out %.2f, near even %.2f discs",
			round+1, s+1, stages, train[s].rms(prior, 64), held[s].rms(prior, 64), held[s].rms(prior, nearEven))
	}
	return nil
}

// fit finds the weights of stage s by its own positions and those of its neighbours that
// have almost as many empty squares.
func (t Training) fit(sets *[stages]sample, s int, prior []float32) []float32 {
	const reach = 2
	var all rows
	all.add(sets[s], 1, 0, 64)
	if s > 0 {
		all.add(sets[s-1], t.Beside, s*stageWidth-reach, s*stageWidth-1)
	}
	if s < stages-1 {
		all.add(sets[s+1], t.Beside, (s+1)*stageWidth, (s+1)*stageWidth+reach-1)
	}
	return fit(all, prior, t.Ridge, t.Colors, 40)
}

// play makes games and picks positions of each stage out of them. A game begins with
// random moves, mostly few, so that it is nearly even; then each side plays by a short
// search, and now and then at random. A search meets more than good play leads to, so a
// quarter of the positions lie two random moves off the game, one of each side: after one
// alone the side to move would be ahead more often than not, and all earlier stages would
// learn that.
func (t Training) play(ctx context.Context, w *weights, rng *rand.Rand) (pools [stages][]pick) {
	s := newSearcher(w, newTable(1<<20))
	seen := map[board]bool{} // the openings repeat
	for games := 0; games < 20*t.Positions && ctx.Err() == nil; games++ {
		full := true
		for i := range pools {
			full = full && (len(pools[i]) >= t.Positions || i >= stages-2)
		}
		if full {
			break
		}
		random := 2 + rng.IntN(12)
		if games%12 == 0 {
			random = 12 + rng.IntN(30)
		}
		wild := rng.Float64() * 0.06
		var at [stages][]board
		for b, ply := startBoard, 0; b.empties() > 0; ply++ {
			m := b.moves()
			if m == 0 {
				if b = b.swap(); b.moves() == 0 {
					break
				}
				m = b.moves()
			}
			stray := b
			if rng.IntN(4) == 0 {
				stray = b.stray(rng).stray(rng)
			}
			if n := stray.empties(); n > 0 {
				at[stageOf(n)] = append(at[stageOf(n)], stray)
			}
			x := nth(m, rng.IntN(bits.OnesCount64(m)))
			if ply >= random && rng.Float64() >= wild {
				x = s.quick(b, m, rng)
			}
			b = b.play(x)
		}
		for i, list := range at {
			if len(list) == 0 || len(pools[i]) >= t.Positions {
				continue
			}
			k := rng.IntN(len(list))
			picked := list[k : k+1]
			if len(list) > 2 {
				picked = append(picked[:1:1], list[(k+2)%len(list)])
			}
			for _, b := range picked {
				if i >= 2 && rng.Float64() >= wanted(w, b) {
					continue
				}
				if i >= 8 {
					if seen[b] {
						continue
					}
					seen[b] = true
				}
				pools[i] = append(pools[i], pick{b, games%16 == 15})
			}
		}
	}
	return pools
}

// wanted is how often a position is taken: one that seems decided is taken seldom, since
// few searches that matter meet it.
func wanted(w *weights, b board) float64 {
	f, n := featuresOf(b), b.empties()
	v := float64(w.stage[stageOf(n)].eval(&f, n)) / 100
	return 1 / (1 + v*v/200)
}

// pick is a position out of a game, and whether it is held out of the training. Games are
// held out whole, so that no position is known by its neighbours.
type pick struct {
	board
	held bool
}

// stray is b after a random move, or as it is where there is none.
func (b board) stray(rng *rand.Rand) board {
	m := b.moves()
	if m == 0 {
		return b
	}
	return b.play(nth(m, rng.IntN(bits.OnesCount64(m))))
}

// nth is the k-th square of m.
func nth(m uint64, k int) square {
	for range k {
		m &= m - 1
	}
	return square(bits.TrailingZeros64(m))
}

// quick is a move by two plies of search with a little noise.
func (s *searcher) quick(b board, m uint64, rng *rand.Rand) square {
	f := featuresOf(b)
	n := b.empties()
	best, bestMove := math.Inf(-1), noSquare
	for ; m != 0; m &= m - 1 {
		x := square(bits.TrailingZeros64(m))
		child := b.play(x)
		var g features
		g.turn(&f, b.own, b.opp, x)
		v := float64(-s.mid(child, &g, 1, -20000, 20000, n-1, 1)) + 100*rng.NormFloat64()
		if v > best {
			best, bestMove = v, x
		}
	}
	return bestMove
}

// sample is labelled positions.
type sample struct {
	boards []board
	labels []float32 // discs
}

// rows are labelled positions as the numbers of their weights, and what each counts.
type rows struct {
	rows   [][rowLen]uint32
	labels []float32
	counts []float32
}

// add adds the positions of set with from to to empty squares, each counting factor times
// what its label is worth.
func (r *rows) add(set sample, factor float64, from, to int) {
	if factor == 0 {
		return
	}
	for i, b := range set.boards {
		if n := b.empties(); n >= from && n <= to {
			r.rows = append(r.rows, rowOf(b))
			r.labels = append(r.labels, set.labels[i])
			r.counts = append(r.counts, float32(factor*float64(worth(set.labels[i]))))
		}
	}
}

// nearEven is how far apart, in discs, the sides may be in a position that counts as near
// even.
const nearEven = 12

// worth is what a position with label l counts in the fit: decided positions need not be
// judged as finely.
func worth(l float32) float32 { return 1 / (1 + float32(l*l)/(20*20)) }

// rowLen is the weights that one position adds up: those of its images and the bias.
const rowLen = lanes + 1

// label gives each position its value for the side to move.
func (t Training) label(ctx context.Context, w *weights, list []pick) (train, held sample) {
	s := newSearcher(w, newTable(1<<20))
	s.noCuts = true
	for _, b := range list {
		if ctx.Err() != nil {
			break
		}
		if b.moves() == 0 {
			continue
		}
		set := &train
		if b.held {
			set = &held
		}
		set.boards = append(set.boards, b.board)
		set.labels = append(set.labels, s.value(b.board, t.Exact, t.Depth))
	}
	return train, held
}

// value is the exact score of a position with few empty squares, else that of a search,
// in discs.
func (s *searcher) value(b board, exact, depth int) float32 {
	s.tt.age++
	f := featuresOf(b)
	n := b.empties()
	if n <= exact {
		guess := 0
		if n > smallEmpties {
			guess = s.mid(b, &f, 4, -20000, 20000, n, 0) / 200 * 2
		}
		return float32(s.solveFrom(b, guess))
	}
	v := s.mid(b, &f, 2-depth%2, -20000, 20000, n, 0)
	for d := 4 - depth%2; d <= depth; d += 2 {
		// A window around the last depth's score; nearly all fall into it.
		lo, hi := v-250, v+250
		v = s.mid(b, &f, d, lo, hi, n, 0)
		switch {
		case v <= lo:
			v = s.mid(b, &f, d, -20000, v+1, n, 0)
		case v >= hi:
			v = s.mid(b, &f, d, v-1, 20000, n, 0)
		}
	}
	return float32(v) / 100
}

// solveFrom is the exact score by null windows from a guess.
func (s *searcher) solveFrom(b board, guess int) int {
	f := featuresOf(b)
	return s.narrow(-65, guess, func(alpha int) int { return s.solve(b, &f, alpha, b.empties(), 0) })
}

func (set sample) spread() float64 {
	var sum, sq float64
	for _, l := range set.labels {
		sum += float64(l)
		sq += float64(float64(l) * float64(l))
	}
	n := float64(max(len(set.labels), 1))
	return math.Sqrt(max(sq/n-sum/n*sum/n, 0))
}

// rms is the root mean square error of weights w on the positions with labels of at most
// bound discs either way.
func (set sample) rms(w []float32, bound float32) float64 {
	var sq, count float64
	for i, l := range set.labels {
		if l > bound || l < -bound {
			continue
		}
		row := rowOf(set.boards[i])
		e := float64(l) - float64(sumRow(&row, w))
		sq += float64(e * e)
		count++
	}
	return math.Sqrt(sq / max(count, 1))
}

func sumRow(row *[rowLen]uint32, w []float32) (v float32) {
	for _, j := range row {
		v += w[j]
	}
	return v
}

// weightNumbers[table][index] numbers the weights that differ; mirrors share a number.
// The biases are the last.
var weightNumbers, weightCount = numberWeights()

func numberWeights() (numbers [tables][1 << 16]uint32, count int) {
	once(func(table, index, mirror int) {
		numbers[table][index], numbers[table][mirror] = uint32(count), uint32(count)
		count++
	})
	return numbers, count + stageWidth
}

// opposites[i] is the number of the weight of the same shape with the colors swapped, i
// itself where there is none.
var opposites = makeOpposites()

func makeOpposites() []uint32 {
	list := make([]uint32, weightCount)
	for i := range list {
		list[i] = uint32(i)
	}
	for _, p := range patterns {
		first, last := p.base-len(p.mirror)/2, p.base+len(p.mirror)/2
		for i := first; i <= last; i++ {
			list[weightNumbers[p.table][i]] = weightNumbers[p.table][first+last-i]
		}
	}
	return list
}

func rowOf(b board) (row [rowLen]uint32) {
	f := featuresOf(b)
	for i, w := range f {
		for k := range 4 {
			row[4*i+k] = weightNumbers[wordTables[i]][uint16(w>>(16*k))]
		}
	}
	row[lanes] = uint32(weightCount - stageWidth + b.empties()%stageWidth)
	return row
}

// writeStage rounds fitted weights into s.
func writeStage(s *stage, w []float32) {
	i := 0
	once(func(table, index, mirror int) {
		v := quantum * int16(math.Round(100/quantum*float64(min(max(w[i], -300), 300))))
		s.of[table][index], s.of[table][mirror] = v, v
		i++
	})
	for k := range s.bias {
		s.bias[k] = int(math.Round(100 * float64(w[weightCount-stageWidth+k])))
	}
}

// fit finds the weights with the least squared error on set, plus ridge times the squared
// distance from prior, plus colors times the square of what a weight and its opposite
// together differ from prior, by conjugate gradients scaled by how often each weight
// occurs. The conversions keep products from being fused into sums, so that every machine
// makes the same weights.
func fit(set rows, prior []float32, ridge, colors float64, steps int) []float32 {
	w := append([]float32(nil), prior...)
	if len(set.labels) == 0 {
		return w
	}
	n := len(prior)
	scale := make([]float64, n) // the diagonal of the normal equations
	res := make([]float64, n)   // their right-hand side, less what w explains
	for i := range scale {
		scale[i] = ridge
		if opposites[i] != uint32(i) {
			scale[i] += colors
		}
	}
	for i, l := range set.labels {
		c := float64(set.counts[i])
		e := float64(c * (float64(l) - float64(sumRow(&set.rows[i], w))))
		for _, j := range set.rows[i] {
			res[j] += e
			scale[j] += c
		}
	}
	dir := make([]float32, n)
	image := make([]float64, n)
	rho := 0.0
	for i := range dir {
		z := res[i] / scale[i]
		dir[i] = float32(z)
		rho += float64(z * res[i])
	}
	for range steps {
		for i := range image {
			image[i] = float64(ridge * float64(dir[i]))
			if j := opposites[i]; j != uint32(i) {
				image[i] += float64(colors * (float64(dir[i]) + float64(dir[j])))
			}
		}
		for i := range set.labels {
			v := float64(float64(set.counts[i]) * float64(sumRow(&set.rows[i], dir)))
			for _, j := range set.rows[i] {
				image[j] += v
			}
		}
		curve := 0.0
		for i := range dir {
			curve += float64(float64(dir[i]) * image[i])
		}
		if curve <= 0 {
			break
		}
		a := rho / curve
		next := 0.0
		for i := range w {
			w[i] += float32(a * float64(dir[i]))
			res[i] -= float64(a * image[i])
			next += float64(res[i] * res[i] / scale[i])
		}
		b := next / rho
		rho = next
		if rho < 1e-9 {
			break
		}
		for i := range dir {
			dir[i] = float32(res[i]/scale[i] + float64(b*float64(dir[i])))
		}
	}
	return w
}
