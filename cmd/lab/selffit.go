package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"

	"tengen/ai/five"
	"tengen/game"
)

type selfplayFitCmd struct {
	File   string  `arg:"" help:"File of games; every tenth is held out."`
	Epochs int     `default:"4" help:"How often to go through the positions."`
	Rate   float64 `default:"0.0005" help:"How far a step goes."`
}

// Run fits a sum of line shapes, and tells how well it foresees games that it does not know.
func (c *selfplayFitCmd) Run() error {
	data, err := os.ReadFile(c.File)
	if err != nil {
		return err
	}
	known, held, r, err := taught(data)
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	m := newLineSum(r)
	for epoch := range c.Epochs {
		loss := m.learn(known, c.Rate, rand.New(rand.NewPCG(1, uint64(epoch))))
		fmt.Fprintf(os.Stderr, "epoch %d: loss %.4f\n", epoch+1, loss)
	}
	return tellLosses(os.Stdout, m, r, known, held)
}

// example is an open position with what is to be foreseen there: half the game's result and half the
// value of the search, for the side to move.
type example struct {
	moves       []game.Point
	win, search float64
}

// taught are the open positions of a file, each once: those to learn from and those held out.
func taught(data []byte) (known, held []example, r game.Rules, err error) {
	head, ok := readHead(data)
	if !ok {
		return nil, nil, nil, errors.New("not games of self-play")
	}
	s := newSeen()
	for _, l := range sparrings(data, head.rules.Size()) {
		for _, i := range s.fresh(head.rules.Size(), l) {
			x := l.Labels[i-l.Book]
			if x.Proof() != 0 {
				continue
			}
			result := 0.5
			if l.Winner != game.Empty {
				result = float64(1 - (int(l.Winner-game.Black)^i)&1)
			}
			e := example{l.Moves[:i], (result + x.Win()) / 2, x.Win()}
			if l.Index%10 == 0 {
				held = append(held, e)
			} else {
				known = append(known, e)
			}
		}
	}
	if len(known) == 0 || len(held) == 0 {
		return nil, nil, nil, errors.New("too few games")
	}
	return known, held, head.rules, nil
}

// lineSum is the least of models: a weight for each line shape by the side to move, summed over the
// board, as the logarithm of the odds. What comes after it has to be better.
type lineSum struct {
	size    int
	weights [2][]float64
	steps   [2][]float64 // sums of squares, which make steps of common shapes small
	shapes  []int32
}

// newLineSum is a model that expects nothing. Only in Renju a shape is worth another thing to white.
func newLineSum(r game.Rules) *lineSum {
	m := &lineSum{size: r.Size()}
	for side := range m.weights {
		m.weights[side], m.steps[side] = make([]float64, lineShapes), make([]float64, lineShapes)
		if side == 1 && r != game.Renju {
			m.weights[1], m.steps[1] = m.weights[0], m.steps[0]
		}
	}
	return m
}

// win is what the model expects for the side to move.
func (m *lineSum) win(moves []game.Point) float64 {
	m.shapes = shapesOf(m.shapes[:0], moves, m.size)
	sum, w := 0.0, m.weights[len(moves)%2]
	for _, k := range m.shapes {
		sum += w[k]
	}
	return 1 / (1 + math.Exp(-sum))
}

// learn goes once through the examples, in the order that rnd draws, and gives the loss on the way.
func (m *lineSum) learn(examples []example, rate float64, rnd *rand.Rand) float64 {
	loss := 0.0
	for _, i := range rnd.Perm(len(examples)) {
		e := examples[i]
		win := m.win(e.moves)
		loss += crossEntropy(e.win, win)
		w, steps := m.weights[len(e.moves)%2], m.steps[len(e.moves)%2]
		g := win - e.win
		for _, k := range m.shapes {
			steps[k] += g * g
			w[k] -= rate * g / math.Sqrt(1+steps[k])
		}
	}
	return loss / float64(len(examples))
}

// crossEntropy is the logistic loss of expecting win where truth comes.
func crossEntropy(truth, win float64) float64 {
	win = max(1e-6, min(1-1e-6, win))
	return -truth*math.Log(win) - (1-truth)*math.Log(1-win)
}

// tellLosses prints the loss of the model, of the evaluation and of the search on held-out positions,
// and the least that is possible.
func tellLosses(w io.Writer, m *lineSum, r game.Rules, known, held []example) error {
	e := five.New()
	var model, judged, searched, least float64
	for _, x := range held {
		g, err := game.New(r).PlayAll(x.moves...)
		if err != nil {
			return err
		}
		model += crossEntropy(x.win, m.win(x.moves))
		judged += crossEntropy(x.win, e.Judge(g))
		searched += crossEntropy(x.win, x.search)
		least += crossEntropy(x.win, x.win)
	}
	n := float64(len(held))
	_, err := fmt.Fprintf(w, "%s, %d positions, %d held out\n"+
		"loss of the sum of lines %.4f, of the evaluation %.4f, of the search %.4f, least possible %.4f\n",
		r.Name(), len(known), len(held), model/n, judged/n, searched/n, least/n)
	return err
}
