package review

import (
	"fmt"
	"math"
	"time"

	"tengen/ai/engine"
	"tengen/game"
)

// Means bound the work of a review for each position: CPU time of the searching thread, or
// nodes. The zero Means are DefaultMeans.
type Means struct {
	CPU   time.Duration
	Nodes int64
}

// DefaultMeans are what a review has where nothing else is asked for.
var DefaultMeans = Means{CPU: 250 * time.Millisecond}

// orDefault is m, or DefaultMeans where m sets no bound.
func (m Means) orDefault() Means {
	if m.CPU <= 0 && m.Nodes <= 0 {
		return DefaultMeans
	}
	return m
}

// String tells the means in words.
func (m Means) String() string {
	if m.Nodes > 0 {
		return fmt.Sprintf("%d nodes a position", m.Nodes)
	}
	return fmt.Sprintf("%v of CPU time a position", m.CPU)
}

// limits are the bounds of one search with so many times the means, or with aPart of them.
func (m Means) limits(r game.Rules, times int64) engine.Limits {
	if times == aPart {
		m, times = Means{CPU: m.CPU / 5, Nodes: (m.Nodes + 4) / 5}, 1
	}
	// A deep search does not end early, not even where there is a single reply.
	l := engine.Limits{Nodes: m.Nodes * times, Spend: times > 1}
	if m.Nodes <= 0 {
		l.CPU = m.CPU * time.Duration(times)
		if r != game.Reversi {
			l.Memory = searchMemory
		}
	}
	return l
}

// searchMemory bounds the table of a search in five in a row. A larger one would cost more to
// clear than it gains in a quarter of a second.
const searchMemory = 24 << 20

// speed is how many nodes an engine searches in a millisecond of CPU time, roughly: it
// translates means in CPU time into nodes.
func speed(r game.Rules) int64 {
	if r == game.Reversi {
		return 4000
	}
	return 600
}

// Levels are the levels of means for which curves are fitted, the smallest first.
func Levels(r game.Rules) []Means {
	var list []Means
	for _, ms := range []int64{10, 50, 250} {
		list = append(list, Means{Nodes: ms * speed(r)})
	}
	return list
}

// levelOf is the level of means that is nearest to m.
func levelOf(r game.Rules, m Means) int {
	nodes := float64(m.Nodes)
	if m.Nodes <= 0 {
		nodes = m.CPU.Seconds() * 1000 * float64(speed(r))
	}
	best, far := 0, math.Inf(1)
	for i, l := range Levels(r) {
		if d := math.Abs(math.Log(nodes / float64(l.Nodes))); d < far {
			best, far = i, d
		}
	}
	return best
}

// solvedFrom is the number of empty squares from which Reversi is solved whatever the means.
const solvedFrom = 20

// Solved reports whether a review solves the position at the end of g, whatever its means.
func Solved(g game.Game) bool {
	return g.Rules() == game.Reversi && 64-stones(g) <= solvedFrom
}
