package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"tengen/ai/five"
	"tengen/game"
)

// stats checks the games of the file by the rules and counts.
func (c *selfplayCmd) stats() error {
	data, err := os.ReadFile(c.File)
	if err != nil {
		return err
	}
	t, err := tallyLessons(data)
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	t.print(os.Stdout)
	return nil
}

// lessonTally is what the games of a file have, by their start and for all together at the end.
type lessonTally struct {
	head    lessonHead
	kinds   [five.Starts + 1]lessonCount
	bytes   int
	damaged int // bytes in no game
}

type lessonCount struct {
	games   int
	ends    [3]int // by the winner
	labels  int    // of positions that no earlier game has
	copies  int
	proven  int // labels that are proofs
	astray  int // of them by proofs that the game did not follow
	plies   []int
	off     [2]float64 // labels without proof: what black was expected to get, and got
	unknown int        // such labels
}

func (n *lessonCount) add(l five.Lesson) {
	n.games++
	n.ends[l.Winner]++
	n.plies = append(n.plies, len(l.Moves))
	for i, x := range l.Labels {
		side := game.Black + game.Color((l.Book+i)%2)
		switch {
		case x.Copied():
			n.copies++
			continue
		case x.Proof() != 0:
			n.proven++
			if (x.Proof() > 0) != (side == l.Winner) || l.Winner == game.Empty {
				n.astray++
			}
		default:
			win := x.Win()
			if side == game.White {
				win = 1 - win
			}
			n.unknown++
			n.off[0] += win
			n.off[1] += [...]float64{0.5, 1, 0}[l.Winner]
		}
		n.labels++
	}
}

// tallyLessons counts the games of a file. A game that the rules contradict is an error.
func tallyLessons(data []byte) (t lessonTally, err error) {
	var ok bool
	if t.head, ok = readHead(data); !ok {
		return t, errors.New("not games of self-play")
	}
	t.bytes, t.damaged = len(data), len(data)-len(t.head.String())
	for _, l := range lessons(data, t.head.rules.Size()) {
		if err := checkLesson(t.head.rules, l); err != nil {
			return t, fmt.Errorf("game %d: %w", l.Index, err)
		}
		t.damaged -= len(appendLesson(nil, l))
		t.kinds[l.Start].add(l)
		t.kinds[five.Starts].add(l)
	}
	return t, nil
}

// checkLesson replays a game: every move is lawful, and the winner has the row. A draw has no room
// for a row or fills half of the board.
func checkLesson(r game.Rules, l five.Lesson) error {
	g, err := game.New(r).PlayAll(l.Moves...)
	if err != nil {
		return err
	}
	switch end := g.Result(); {
	case end.Winner != l.Winner:
		return fmt.Errorf("won by %v, not %v", end.Winner, l.Winner)
	case !end.Over() && !g.Dead() && 2*g.Len() <= r.Size()*r.Size():
		return errors.New("not over")
	}
	return nil
}

func (t lessonTally) print(w io.Writer) {
	fmt.Fprintf(w, "%s%d bytes, %d damaged\n", t.head, t.bytes, t.damaged)
	fmt.Fprintln(w, "start   games  black  white  drawn  plies (10 50 90 %)     labels  proven  astray  copies",
		" expected  got (black, unproven)")
	for kind, n := range t.kinds {
		if n.games == 0 {
			continue
		}
		name := "all"
		if kind < int(five.Starts) {
			name = five.Start(kind).String()
		}
		slices.Sort(n.plies)
		part := func(k, of int) float64 { return 100 * float64(k) / float64(max(of, 1)) }
		at := func(tenth int) int { return n.plies[(len(n.plies)-1)*tenth/10] }
		const row = "%-6s %6d %5.1f%% %5.1f%% %5.1f%% %6d %4d %4d %14d %6.1f%% %7d %6.1f%% %8.1f%% %5.1f%%\n"
		fmt.Fprintf(w, row, name, n.games,
			part(n.ends[game.Black], n.games), part(n.ends[game.White], n.games), part(n.ends[game.Empty], n.games),
			at(1), at(5), at(9), n.labels, part(n.proven, n.labels), n.astray, part(n.copies, n.labels+n.copies),
			100*n.off[0]/float64(max(n.unknown, 1)), 100*n.off[1]/float64(max(n.unknown, 1)))
	}
	fmt.Fprintf(w, "%.2f bytes a label\n", float64(t.bytes)/float64(max(t.kinds[five.Starts].labels, 1)))
}
