package main

import (
	"bufio"
	"context"
	"fmt"
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
	Seed   uint64   `default:"1" help:"Where the openings are drawn from."`
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
	start := time.Now()
	w := five.Fit(games, func(format string, args ...any) {
		fmt.Fprintf(os.Stderr, "%s "+format+"\n", append([]any{time.Since(start).Round(time.Second)}, args...)...)
	})
	name := map[string]string{"gomoku": "freestyle.z", "standard": "exact.z", "renju": "renju.z"}[c.Rules]
	out, err := os.CreateTemp(c.Out, name)
	if err != nil {
		return err
	}
	if err := five.WriteWeights(out, w); err != nil {
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	return os.Rename(out.Name(), filepath.Join(c.Out, name))
}

// play adds games to the file until there are enough. One in eight is on 9x9, where the
// rules have it.
func (c *tuneCmd) play(ctx context.Context, r game.Rules, played int) error {
	file, err := os.OpenFile(c.Data, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer file.Close()
	var mu sync.Mutex
	var wg sync.WaitGroup
	start, first := time.Now(), played
	for job := range c.Jobs {
		wg.Go(func() {
			e := five.New()
			rnd := rand.New(rand.NewPCG(c.Seed, uint64(played)<<8+uint64(job)))
			for ctx.Err() == nil {
				rules := r
				if rnd.IntN(8) == 0 {
					switch r {
					case game.Gomoku15:
						rules = game.Gomoku9
					case game.Standard15:
						rules = game.Standard9
					}
				}
				p, ok := e.SelfPlay(ctx, rules, rnd, c.Nodes)
				if !ok {
					continue
				}
				var asides []five.Played
				for range c.Asides {
					if a, ok := e.Aside(ctx, p, rnd, c.Nodes); ok {
						asides = append(asides, a)
					}
				}
				mu.Lock()
				if played >= c.Games {
					mu.Unlock()
					return
				}
				fmt.Fprintln(file, writeGame(p))
				for _, a := range asides {
					fmt.Fprintln(file, writeGame(a))
				}
				played++
				if played%100 == 0 {
					each := time.Since(start) / time.Duration(played-first)
					fmt.Fprintf(os.Stderr, "\r%d of %d games, %v to go   ", played, c.Games, (time.Duration(c.Games-played) * each).Round(time.Second))
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	fmt.Fprintln(os.Stderr)
	return ctx.Err()
}

// writeGame is a game as a line: rules, moves, opening, result, expectations in percent
// (with ! where proven).
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
		f := strings.Fields(sc.Text())
		if len(f) < 5 {
			continue
		}
		rules, ok := game.RulesNamed(f[0])
		// Games of freestyle teach exact five too: overlines are rare.
		if name := strings.TrimSuffix(f[0], "9"); !ok || name != r.Name() && !(r == game.Standard15 && name == "gomoku") {
			continue
		}
		p := five.Played{Rules: rules}
		p.Moves, err = game.ParseMoves(f[1])
		if err != nil {
			return nil, err
		}
		p.Book, _ = strconv.Atoi(f[2])
		p.Result, _ = strconv.ParseFloat(f[3], 64)
		for range p.Book {
			p.Scores, p.Proven = append(p.Scores, -1), append(p.Proven, true)
		}
		for _, x := range f[4:] {
			n, _ := strconv.ParseFloat(strings.TrimSuffix(x, "!"), 64)
			p.Scores, p.Proven = append(p.Scores, n/1000), append(p.Proven, strings.HasSuffix(x, "!"))
		}
		if len(p.Scores) == len(p.Moves) {
			games = append(games, p)
		}
	}
	return games, sc.Err()
}
