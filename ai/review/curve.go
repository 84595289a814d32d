package review

import (
	_ "embed"
	"fmt"
	"math"
	"strings"
	"sync"

	"tengen/ai/engine"
	"tengen/game"
)

// Curve turns the score of a search into an expectation: a logistic curve whose slope
// changes evenly from the empty to the full board.
type Curve struct{ Begin, End float64 }

// At is the expectation of a score for its own side, while part of the board is taken.
func (c Curve) At(score, part float64) float64 {
	return 1 / (1 + math.Exp(-score*c.slope(part)))
}

func (c Curve) slope(part float64) float64 {
	return max(leastSlope, c.Begin+(c.End-c.Begin)*part)
}

// leastSlope keeps a curve that few positions were fitted to from falling.
const leastSlope = 0.1

// Score is the score of an unproven report in the unit of the curves. It is finer than the
// whole discs of Report.Score.
func Score(r engine.Report) float64 {
	p := min(max(r.Win, 1e-6), 1-1e-6)
	return math.Log(p / (1 - p))
}

// Part is the part of the board that is taken.
func Part(b game.Position) float64 {
	return float64(b.Count(game.Black)+b.Count(game.White)) / float64(b.Size*b.Size)
}

// curveFile has a line for each curve: RULES NODES BEGIN END and, for the reader, the number
// of positions that it was fitted to, of those held out, and the log loss of these under the
// curve and under the engine's own. `lab curve` writes it.
//
//go:embed curves.txt
var curveFile string

type curveKey struct {
	rules string
	nodes int64
}

var curves = sync.OnceValue(func() map[curveKey]Curve {
	all := map[curveKey]Curve{}
	for line := range strings.Lines(curveFile) {
		var k curveKey
		var c Curve
		if n, _ := fmt.Sscan(line, &k.rules, &k.nodes, &c.Begin, &c.End); n == 4 {
			all[k] = c
		}
	}
	return all
})

// curveFor is the curve of a game and of the level of means nearest to m.
func curveFor(r game.Rules, m Means) Curve {
	level := Levels(r)[levelOf(r, m)]
	if c, ok := curves()[curveKey{r.Name(), level.Nodes}]; ok {
		return c
	}
	return Curve{1, 1} // the engine's own idea
}
