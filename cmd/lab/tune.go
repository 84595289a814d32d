package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"tengen/ai/five"
	"tengen/game"
)

type tuneCmd struct {
	Rules  string   `default:"gomoku" enum:"gomoku,standard,renju" help:"The game to fit tables for; boards of 9x9 share them."`
	Games  int      `default:"20000" help:"Games to play against itself; games in the file already count."`
	Nodes  int64    `default:"2000" help:"Nodes a move."`
	Asides int      `default:"40" help:"Positions beside a game's own that the search is asked about."`
	Jobs   int      `default:"1" help:"Games at a time."`
	Seed   uint64   `default:"1" help:"Seed of the openings."`
	Data   string   `default:"tune.txt" help:"File that the games are kept in."`
	More   []string `help:"Files of games of earlier rounds, to fit to as well."`
	Out    string   `default:"ai/five/tables" help:"Folder that the tables go to."`
	Fit    bool     `help:"Only fit to the games that are there."`
}

// Run plays, then fits.
func (c *tuneCmd) Run(ctx context.Context) error {
	r, _ := game.RulesNamed(c.Rules)
	played := 0
	if old, err := readGames(c.Data, r); err == nil {
		for _, g := range old {
			if len(g.Moves) > g.Book+1 {
				played++ // the others are single positions
			}
		}
	}
	if !c.Fit {
		if err := c.play(ctx, r, played); err != nil {
			return err
		}
	}
	var games []five.Played
	for _, file := range append([]string{c.Data}, c.More...) {
		more, err := readGames(file, r)
		if err != nil {
			return err
		}
		games = append(games, more...)
	}
	if len(games) == 0 {
		return fmt.Errorf("%s: no games", c.Data)
	}
	var out bytes.Buffer
	if err := five.WriteWeights(&out, five.Fit(games, progress())); err != nil {
		return err
	}
	name := map[string]string{"gomoku": "freestyle.z", "standard": "exact.z", "renju": "renju.z"}[c.Rules]
	return replace(filepath.Join(c.Out, name), out.Bytes())
}

// play adds games to the file until there are enough.
func (c *tuneCmd) play(ctx context.Context, r game.Rules, played int) error {
	file, err := os.OpenFile(c.Data, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer file.Close()
	k := &gameWriter{to: file, played: played, want: c.Games, first: played, start: time.Now()}
	var wg sync.WaitGroup
	for job := range c.Jobs {
		rnd := rand.New(rand.NewPCG(c.Seed, uint64(played)<<8+uint64(job)))
		wg.Go(func() {
			e := five.New()
			for ctx.Err() == nil {
				p, ok := e.SelfPlay(ctx, boardFor(r, rnd), rnd, c.Nodes)
				if !ok {
					continue
				}
				games := []five.Played{p}
				for range c.Asides {
					if a, ok := e.Aside(ctx, p, rnd, c.Nodes); ok {
						games = append(games, a)
					}
				}
				if !k.keep(games) {
					return
				}
			}
		})
	}
	wg.Wait()
	fmt.Fprintln(os.Stderr)
	return errors.Join(k.failed, ctx.Err())
}

// boardFor is r or, one time in eight, the same game on 9x9 where there is one.
func boardFor(r game.Rules, rnd *rand.Rand) game.Rules {
	if rnd.IntN(8) == 0 {
		switch r {
		case game.Gomoku15:
			return game.Gomoku9
		case game.Standard15:
			return game.Standard9
		}
	}
	return r
}

// gameWriter writes down the games of all jobs until there are enough.
type gameWriter struct {
	mu           sync.Mutex
	to           io.Writer
	played, want int
	first        int // games that were there at the start
	start        time.Time
	failed       error
}

// keep writes a game and the positions asked beside it. It returns false once there are enough
// games.
func (k *gameWriter) keep(games []five.Played) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.played >= k.want || k.failed != nil {
		return false
	}
	for _, g := range games {
		if _, err := fmt.Fprintln(k.to, writeGame(g)); err != nil {
			k.failed = err
			return false
		}
	}
	k.played++
	if k.played%100 == 0 {
		each := time.Since(k.start) / time.Duration(k.played-k.first)
		fmt.Fprintf(os.Stderr, "\r%d of %d games, %v to go   ", k.played, k.want,
			(time.Duration(k.want-k.played) * each).Round(time.Second))
	}
	return true
}

// writeGame is a game as a line: rules, moves, opening, result, expectations in
// thousandths (with ! where proven).
func writeGame(p five.Played) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s %s %d %g", p.Rules.Name(), game.MoveList(p.Moves), p.Book, p.Result)
	for i, x := range p.Scores[p.Book:] {
		mark := ""
		if p.Proven[p.Book+i] {
			mark = "!"
		}
		fmt.Fprintf(&s, " %.0f%s", 1000*x, mark)
	}
	return s.String()
}

// readGames are the games of a file that teach r.
func readGames(name string, r game.Rules) ([]five.Played, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var games []five.Played
	sc := bufio.NewScanner(file)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		p, ok, err := readGame(sc.Text())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if ok && teaches(p.Rules, r) {
			games = append(games, p)
		}
	}
	return games, sc.Err()
}

// teaches reports whether games by one set of rules, on any board, serve the fit of
// another. Games of freestyle teach exact five too: overlines are rare.
func teaches(rules, r game.Rules) bool {
	name := strings.TrimSuffix(rules.Name(), "9")
	return name == r.Name() || name == "gomoku" && r == game.Standard15
}

// readGame reads what writeGame writes. A line that is cut off is left out.
func readGame(line string) (p five.Played, ok bool, err error) {
	f := strings.Fields(line)
	if len(f) < 5 {
		return p, false, nil
	}
	if p.Rules, ok = game.RulesNamed(f[0]); !ok {
		return p, false, nil
	}
	if p.Moves, err = game.ParseMoves(f[1]); err != nil {
		return p, false, err
	}
	if p.Book, err = strconv.Atoi(f[2]); err != nil {
		return p, false, err
	}
	if p.Result, err = strconv.ParseFloat(f[3], 64); err != nil {
		return p, false, err
	}
	if p.Book < 0 || len(f)-4+p.Book != len(p.Moves) {
		return p, false, nil
	}
	for range p.Book {
		p.Scores, p.Proven = append(p.Scores, -1), append(p.Proven, true)
	}
	for _, x := range f[4:] {
		n, err := strconv.ParseFloat(strings.TrimSuffix(x, "!"), 64)
		if err != nil {
			return p, false, err
		}
		p.Scores, p.Proven = append(p.Scores, n/1000), append(p.Proven, strings.HasSuffix(x, "!"))
	}
	return p, true, nil
}
