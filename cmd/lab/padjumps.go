package main

import (
	"slices"

	"tengen/bot/pad"
	"tengen/game"
)

// jumping is the pad of versions before the arrows had fixed places, to be compared with: it held the last two
// moves where both fit, and three buttons jumped to where the eye looked most, each in a direction of its own.
type jumping struct {
	size         int
	last, before game.Point
	drawn        [15][15]int
}

const mostJumps = 3

func jumpsOf(g game.Game) jumping {
	j := jumping{g.Rules().Size(), g.Last(), game.NoPoint, pad.Drawn(g)}
	if g.Len() > 1 {
		j.before = g.Moves()[g.Len()-2]
	}
	return j
}

func (j jumping) middle(at game.Point) (col, row int) { return middleOf(at) }

func (j jumping) first() game.Point {
	holds := func(at, p game.Point) bool {
		cols, rows := p.Col()-at.Col(), p.Row()-at.Row()
		return p == game.NoPoint || 0 <= min(cols, rows) && max(cols, rows) < wide
	}
	both := j.before != game.NoPoint && abs(j.last.Col()-j.before.Col()) < wide && abs(j.last.Row()-j.before.Row()) < wide
	at, _ := j.best(func(at game.Point) bool { return holds(at, j.last) && (!both || holds(at, j.before)) },
		func(at game.Point) int {
			col, row := middleOf(at)
			if j.last == game.NoPoint {
				return abs(col-j.size+1) + abs(row-j.size+1)
			}
			return abs(col-2*j.last.Col()) + abs(row-2*j.last.Row())
		})
	return at
}

// leads are the jumps from a pad: those that show most of what it does not.
func (j jumping) leads(from game.Point) (all []lead) {
	for j = j.without(from); len(all) < mostJumps; {
		to, ok := j.best(func(at game.Point) bool {
			l := leadTo(from, at)
			return at != from && !slices.ContainsFunc(all, func(o lead) bool { return o.cols == l.cols && o.rows == l.rows })
		}, func(at game.Point) int {
			cols, rows := abs(at.Col()-from.Col()), abs(at.Row()-from.Row())
			return 2*abs(max(cols, rows)-wide+1) + min(cols, rows)
		})
		if !ok {
			break
		}
		all = append(all, leadTo(from, to))
		j = j.without(to)
	}
	return all
}

func leadTo(from, to game.Point) lead {
	sign := func(n int) int { return max(min(n, 1), -1) }
	return lead{sign(to.Col() - from.Col()), sign(to.Row() - from.Row()), to}
}

// best is the pad that draws most among those that satisfy want, and of equals the one for which less is least.
func (j jumping) best(want func(at game.Point) bool, less func(at game.Point) int) (best game.Point, ok bool) {
	most, rest := 0, 0
	for col := range j.size - wide + 1 {
		for row := range j.size - wide + 1 {
			at := game.At(col, row)
			if !want(at) {
				continue
			}
			if s, r := j.sum(at), less(at); !ok || s > most || s == most && r < rest {
				best, most, rest, ok = at, s, r, true
			}
		}
	}
	return best, ok
}

func (j jumping) sum(at game.Point) (sum int) {
	for col := range wide {
		for row := range wide {
			sum += j.drawn[at.Col()+col][at.Row()+row]
		}
	}
	return sum
}

// without is j with nothing drawn on what a pad shows.
func (j jumping) without(at game.Point) jumping {
	for col := range wide {
		for row := range wide {
			j.drawn[at.Col()+col][at.Row()+row] = 0
		}
	}
	return j
}
