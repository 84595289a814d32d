package reversi

import (
	"bytes"
	_ "embed"
	"fmt"
	"math"
	"math/bits"
	"sync"

	"tengen/ai/engine"
)

//go:embed weights.bin
var weightsFile []byte

// weights is the evaluation: linear in what the patterns show, by stage; and how far its
// searches of different depths lie apart.
type weights struct {
	stage  [stages]stage
	curves curves
	sigmas *sigmas // what curves say
}

// loadWeights is the trained evaluation. The embedded file is ours and a test reads it,
// so that an error here cannot happen in a build that passed.
var loadWeights = sync.OnceValue(func() *weights {
	w, err := unpackWeights(weightsFile)
	if err != nil {
		panic(err)
	}
	return w
})

// The weights file is a magic word and what coder makes of the numbers: the curves in
// units of curveUnit; then, stage by stage from the fewest empty squares, the biases and
// each weight once, in units of quantum and in the order of patterns, as the difference
// from the stage before.
const (
	weightsMagic = "tengen reversi 4\n"
	curveUnit    = 1e-4
	quantum      = 4 // hundredths of a disc
)

// once calls f for each weight that no mirror repeats: its table, and its index there
// with that of its mirror.
func once(f func(table, index, mirror int)) {
	for _, p := range patterns {
		first := p.base - len(p.mirror)/2
		for i, m := range p.mirror {
			if int(m) >= i {
				f(p.table, first+i, first+int(m))
			}
		}
	}
}

// pack is the file of w.
func (w *weights) pack() []byte {
	c := &coder{data: []byte(weightsMagic), hi: ^uint32(0)}
	w.code(c)
	return c.finish()
}

func unpackWeights(file []byte) (*weights, error) {
	data, ok := bytes.CutPrefix(file, []byte(weightsMagic))
	if !ok {
		return nil, fmt.Errorf("not a file of Reversi weights")
	}
	w, c := &engine.Large[weights](1)[0], readCoder(data)
	w.code(c)
	if c.short || len(c.data) != 0 {
		return nil, fmt.Errorf("weights: wrong length")
	}
	w.sigmas = w.curves.sigmas()
	return w, nil
}

// code writes w, or reads it.
func (w *weights) code(c *coder) {
	for i := range w.curves.mid {
		w.curves.mid[i] = c.curve(w.curves.mid[i])
	}
	for i := range w.curves.end {
		w.curves.end[i] = c.curve(w.curves.end[i])
	}
	var expect struct {
		some, negative chance
		sizes          sizes
	}
	known := make([]expected, len(patterns))
	before, last := new(stage), new(stage)
	for i := range w.stage {
		s := &w.stage[i]
		for k, v := range last.bias {
			s.bias[k] = v + c.number(s.bias[k]-v, &expect.some, &expect.negative, &expect.sizes)
		}
		for k := range patterns {
			known[k].code(c, &patterns[k], s, last, before)
		}
		before, last = last, s
	}
}

func (c *coder) curve(v float64) float64 {
	return float64(int32(c.plain(uint32(int32(math.Round(v/curveUnit))), 32))) * curveUnit
}

// expected holds the chances for the differences of one pattern. The difference of a shape
// resembles its own in the stage before, and is opposite to that of the shape with the
// colors swapped.
type expected struct {
	some     [3][3][2]chance // by the opposite's sign, the last stage's, whether the shape before has any
	negative [3]chance       // by the opposite's sign
	sizes    [6][6]sizes     // by the bits of the opposite and of the last stage
}

// code writes the weights of p in s, or reads them.
func (x *expected) code(c *coder, p *pattern, s, last, before *stage) {
	of, old, older := &s.of[p.table], &last.of[p.table], &before.of[p.table]
	first, top, beside := p.base-len(p.mirror)/2, len(p.mirror)-1, 0
	for i, m := range p.mirror {
		if int(m) < i {
			continue
		}
		at := first + i
		opposite := 0
		if j := min(top-i, int(p.mirror[top-i])); j < i {
			opposite = int(of[first+j]-old[first+j]) / quantum
		}
		stageBefore := int(old[at]-older[at]) / quantum
		d := c.number(int(of[at]-old[at])/quantum,
			&x.some[sign(opposite)+1][sign(stageBefore)+1][beside],
			&x.negative[sign(opposite)+1],
			&x.sizes[min(bits.Len(uint(abs(opposite))), 5)][min(bits.Len(uint(abs(stageBefore))), 5)])
		v := old[at] + int16(quantum*d)
		of[at], of[first+int(m)] = v, v
		beside = sign(d) & 1
	}
}

func sign(v int) int { return v>>(bits.UintSize-1) | int(uint(-v)>>(bits.UintSize-1)) }

// plainWeights know no more than that corners are good and the squares beside an empty
// corner are bad. The training starts from them.
func plainWeights() *weights {
	w := &weights{curves: noCurves, sigmas: noCurves.sigmas()}
	for _, p := range patterns {
		if p.name != "triangle" {
			continue
		}
		for i := range p.mirror {
			digit := func(k int) int { return i/pow3(k)%3 - 1 } // a1 b1 c1 d1 a2 b2 ...
			v := 1200 * digit(0)
			if digit(0) == 0 {
				v -= 600*digit(5) + 252*(digit(1)+digit(4))
			}
			for s := range w.stage {
				w.stage[s].of[p.table][i] = int16(v)
			}
		}
	}
	return w
}
