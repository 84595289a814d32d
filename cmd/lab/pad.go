package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"tengen/bot/pad"
	"tengen/game"
)

type padCmd struct {
	Rules    string `default:"gomoku" help:"The game, by its name in position lines."`
	Games    int    `default:"200" help:"How many games."`
	Levels   int    `default:"6" help:"The highest level: each plays the next one, all equally often."`
	Openings string `default:"none" help:"A file of openings, balanced, or none."`
	Seed     uint64 `default:"1" help:"Seed of the openings and of the levels' choices."`
}

// Run plays the games and prints how the pad serves their moves.
func (c *padCmd) Run(ctx context.Context) error {
	r, err := rulesNamed(c.Rules)
	if err != nil {
		return err
	}
	arena := arenaCmd{Games: c.Games, Openings: c.Openings, Seed: c.Seed, Max: 225}
	openings := [][]game.Point{nil}
	if c.Openings != "none" {
		if openings, err = arena.openings(r); err != nil {
			return err
		}
	}
	all := reach{listed: r == game.Reversi}
	for n := range c.Games {
		level := 1 + n/2%max(c.Levels-1, 1) // two games of each pair follow one another, with colours turned
		var players [2]player
		for i := range players {
			if players[i], err = newPlayer(fmt.Sprintf("tengen,level=%d", level+i), c.Seed<<40+uint64(2*n+i)); err != nil {
				return err
			}
		}
		opening := openings[n/2%len(openings)]
		o := arena.play(ctx, r, opening, n, players)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if o.why != nil {
			return fmt.Errorf("game %d: %w", n+1, o.why)
		}
		all.add(o.game, len(opening))
	}
	all.print(os.Stdout, fmt.Sprintf("%s, opening %s, levels 1 to %d, %d games", c.Rules, c.Openings, c.Levels, c.Games))
	return nil
}

// reach counts by how many presses a person reaches moves.
type reach struct {
	moves   int
	took    tally
	listed  bool // the pad lists all legal moves
	holding int  // moves that a pad could show which knew them, and has to hold the last move
}

// tally counts moves by their presses; the last entry has those of more.
type tally [5]int

func (c *tally) add(presses int) { c[min(presses, len(c))-1]++ }

// add counts the moves of a game that follow its opening.
func (c *reach) add(g game.Game, opening int) {
	for i := opening; i < g.Len(); i++ {
		before, p := g.Undo(g.Len()-i), g.Moves()[i]
		c.moves++
		if c.listed {
			c.took.add(1 + slices.Index(before.Legal().Points(), p)/(wide*wide))
			continue
		}
		c.took.add(presses(before, p))
		if last := before.Last(); last == game.NoPoint || abs(p.Col()-last.Col()) < wide && abs(p.Row()-last.Row()) < wide {
			c.holding++
		}
	}
}

func (c *reach) print(w io.Writer, title string) {
	share := func(n int) float64 { return 100 * float64(n) / float64(max(c.moves, 1)) }
	fmt.Fprintf(w, "%s, %d moves\n", title, c.moves)
	fmt.Fprint(w, "  presses, at most         1        2        3        4\n  the pad           ")
	sum := 0
	for _, n := range c.took[:len(c.took)-1] {
		sum += n
		fmt.Fprintf(w, "  %5.1f %%", share(sum))
	}
	fmt.Fprintln(w)
	if c.listed {
		return
	}
	fmt.Fprintf(w, "  one press of a pad that knew the next move and had to hold the last: %.1f %%\n", share(c.holding))
}

// The model of a person: who sees the point presses it, else the arrow that points to it, as the point lies from the
// middle of the pad. So does who does not know where an arrow will lead. The corners are those of the board, and a
// person goes by where on the board the point lies.

// wide is the width and height of a pad, which its corner nearest to A1 stands for here.
const wide = pad.Cols

// lead is a button that moves the pad.
type lead struct {
	cols, rows int // where its arrow points: columns to the right, rows up
	to         game.Point
}

// presses is how many presses a person needs for a point. Who finds no arrow that points to it takes the one for the
// parts of the board, and the part.
func presses(g game.Game, p game.Point) int {
	const lost = 9
	at := pad.Last(g).From()
	for n := 1; n < lost; n++ {
		if cols, rows := p.Col()-at.Col(), p.Row()-at.Row(); 0 <= min(cols, rows) && max(cols, rows) < wide {
			return n
		}
		col, row := middle(g, at)
		to, ok := pointing(leads(g, at), 2*p.Col()-col, 2*p.Row()-row)
		if !ok {
			return n + 2
		}
		at = to
	}
	return lost
}

// pointing is where the arrow leads that points best to what lies so far away, among those that do by 45 degrees
// or less. Of two that are as good a person takes the one that goes sideways.
func pointing(all []lead, cols, rows int) (to game.Point, ok bool) {
	best, length := 0, 1 // cos² is best/length, but for the distance
	for _, l := range all {
		dot, long := cols*l.cols+rows*l.rows, l.cols*l.cols+l.rows*l.rows
		if dot <= 0 || 2*dot*dot < long*(cols*cols+rows*rows) {
			continue
		}
		if better := dot*dot*length - best*long; better > 0 || better == 0 && l.rows == 0 {
			to, best, length, ok = l.to, dot*dot, long, true
		}
	}
	return to, ok
}

// ways are where the arrows and corners point.
var ways = map[string][2]int{"◀": {-1, 0}, "▶": {1, 0}, "▲": {0, 1}, "▼": {0, -1},
	"◤": {-1, 1}, "◥": {1, 1}, "◣": {-1, -1}, "◢": {1, -1}}

// leads are what a person reads on the buttons of a pad.
func leads(g game.Game, from game.Point) (all []lead) {
	size := g.Rules().Size()
	on := pad.On(g, pad.Buttons{Move: func(arg string) string { return arg }}, wide)
	at, _ := pad.Parse(fmt.Sprintf("%d.%d.0", from.Col(), from.Row()), size) // a pad's own argument
	for _, b := range at.Moves(on) {
		to, err := pad.Parse(b.ID, size)
		if way, ok := ways[b.Label]; ok && err == nil && !b.Disabled {
			all = append(all, lead{way[0], way[1], to.From()})
		}
	}
	return all
}

// middle is from where a person looks for a point, in halves of a step.
func middle(g game.Game, at game.Point) (col, row int) {
	if size := g.Rules().Size(); size < 2*wide {
		return size - 1, size - 1
	}
	return 2*at.Col() + wide - 1, 2*at.Row() + wide - 1
}
