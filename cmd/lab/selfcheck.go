package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"tengen/ai/five"
	"tengen/game"
)

type selfplayCheckCmd struct {
	Files []string `arg:"" help:"The files."`
}

// Run checks the games of the files and counts them.
func (c *selfplayCheckCmd) Run() error {
	for _, name := range c.Files {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		t, err := tallySparrings(data)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		t.print(os.Stdout)
	}
	return nil
}

// sparringTally is what the games of a file have, by their start and for all together at the end.
type sparringTally struct {
	head    sparringHead
	kinds   [five.Starts + 1]sparringCount
	engines map[uint32]int // games by engine
	bytes   int
	damaged int // bytes in no game
}

type sparringCount struct {
	games  int
	ends   [3]int // by the winner
	plies  []int
	labels int        // of positions that no earlier game has
	copies int        // labels of the others
	astray int        // labels that are proofs which the game did not follow
	open   int        // labels that are no proofs
	off    [2]float64 // sums over these: what black was expected to get, and got
}

func (n *sparringCount) add(l five.Sparring, fresh []int) {
	n.games++
	n.ends[l.Winner]++
	n.plies = append(n.plies, len(l.Moves))
	n.labels += len(fresh)
	n.copies += len(l.Labels) - len(fresh)
	for _, i := range fresh {
		side, x := game.Black+game.Color(i%2), l.Labels[i-l.Book]
		if x.Proof() != 0 {
			if (x.Proof() > 0) != (side == l.Winner) || l.Winner == game.Empty {
				n.astray++
			}
			continue
		}
		win := x.Win()
		if side == game.White {
			win = 1 - win
		}
		n.open++
		n.off[0] += win
		n.off[1] += [...]float64{0.5, 1, 0}[l.Winner]
	}
}

// tallySparrings counts the games of a file. A game that the rules contradict is an error.
func tallySparrings(data []byte) (t sparringTally, err error) {
	var ok bool
	if t.head, ok = readHead(data); !ok {
		return t, errors.New("not games of self-play")
	}
	t.bytes, t.damaged, t.engines = len(data), len(data)-len(t.head.String()), map[uint32]int{}
	known := newSeen()
	for _, l := range sparrings(data, t.head.rules.Size()) {
		if err := checkSparring(t.head.rules, l); err != nil {
			return t, fmt.Errorf("game %d: %w", l.Index, err)
		}
		fresh := known.fresh(t.head.rules.Size(), l)
		t.damaged -= len(appendSparring(nil, l))
		t.engines[l.Engine]++
		t.kinds[l.Start].add(l, fresh)
		t.kinds[five.Starts].add(l, fresh)
	}
	return t, nil
}

// checkSparring replays a game: every move is lawful, the best ones too, and the winner has the row. A
// draw has no room for a row or fills a quarter of the board.
func checkSparring(r game.Rules, l five.Sparring) error {
	g := game.New(r)
	for i, p := range l.Moves {
		var err error
		if i >= l.Book {
			err = g.Check(l.Labels[i-l.Book].Best)
		}
		if err == nil {
			g, err = g.Play(p)
		}
		if err != nil {
			return fmt.Errorf("move %d: %w", i+1, err)
		}
	}
	switch end := g.Result(); {
	case end.Winner != l.Winner:
		return fmt.Errorf("won by %v, not %v", end.Winner, l.Winner)
	case !end.Over() && !g.Dead() && !five.Quarter(g):
		return errors.New("not over")
	}
	return nil
}

func (t sparringTally) print(w io.Writer) {
	fmt.Fprintf(w, "%s%d bytes, %d damaged; games by engine:", t.head, t.bytes, t.damaged)
	for _, engine := range slices.Sorted(maps.Keys(t.engines)) {
		fmt.Fprintf(w, " %d by %08x", t.engines[engine], engine)
	}
	fmt.Fprintln(w, "\nstart    games  black  white  drawn  plies (10 50 90 %)  positions    open  astray  copies",
		" expected    got (black, unproven)")
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
		const row = "%-7s %6d %5.1f%% %5.1f%% %5.1f%% %6d %4d %4d %14d %6.1f%% %7d %6.1f%% %8.1f%% %5.1f%%\n"
		fmt.Fprintf(w, row, name, n.games,
			part(n.ends[game.Black], n.games), part(n.ends[game.White], n.games), part(n.ends[game.Empty], n.games),
			at(1), at(5), at(9), n.labels, part(n.open, n.labels), n.astray, part(n.copies, n.labels+n.copies),
			100*n.off[0]/float64(max(n.open, 1)), 100*n.off[1]/float64(max(n.open, 1)))
	}
	all := t.kinds[five.Starts]
	fmt.Fprintf(w, "%.2f bytes a position, %.2f an open one\n",
		float64(t.bytes)/float64(max(all.labels, 1)), float64(t.bytes)/float64(max(all.open, 1)))
}
