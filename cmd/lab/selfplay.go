package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"tengen/ai/engine"
	"tengen/ai/five"
	"tengen/game"
)

type selfplayCmd struct {
	Play  selfplayPlayCmd  `cmd:"" default:"withargs" help:"Play games and add them to the files of a folder."`
	Check selfplayCheckCmd `cmd:"" help:"Check the games of files by the rules, and count."`
	Fit   selfplayFitCmd   `cmd:"" help:"Fit the least of models to games: what networks have to beat."`
}

type selfplayPlayCmd struct {
	Folder string   `arg:"" type:"existingdir" help:"Folder of the files RULES.games. A run goes on with the games that they lack."`
	Rules  []string `default:"gomoku,renju" enum:"gomoku,standard,renju" help:"What to play, a game of each by turns."`
	Games  int      `default:"1000000" help:"Games of each, by all processes."`
	Nodes  int64    `default:"20000" help:"Nodes a search."`
	Seed   uint64   `default:"1" help:"Seed of the games: with the number of a game it tells all of it."`
	Part   int      `default:"0" help:"Which part of the games is this process's, from 0."`
	Parts  int      `default:"1" help:"How many processes share the games. They may share the files."`
	Pause  string   `placeholder:"FILE" help:"Begin no game while there is such a file. Without it SIGSTOP does."`
}

// pauseEvery is how often a paused process checks whether it may go on.
const pauseEvery = time.Second

// Run adds the games that the files lack. A process that is killed leaves whole games and at most
// a torn one, which is skipped when the file is read and played again by the next process.
func (c *selfplayPlayCmd) Run(ctx context.Context) error {
	if c.Parts < 1 || c.Part < 0 || c.Part >= c.Parts {
		return errors.New("--part is from 0 to --parts less one")
	}
	e := five.New()
	var files []*sparringFile
	for _, name := range c.Rules {
		r, _ := game.RulesNamed(name)
		f, err := openSparrings(filepath.Join(c.Folder, name+".games"), sparringHead{r, c.Seed, c.Nodes})
		if err != nil {
			return err
		}
		defer f.file.Close()
		if f.engine, err = signature(ctx, e, r); err != nil {
			return err
		}
		files = append(files, f)
	}
	open, began := 0, engine.ProcessTime()
	for n := c.Part; n < c.Games; n += c.Parts {
		for _, f := range files {
			if f.has[uint32(n)] {
				continue
			}
			if err := c.pause(ctx); err != nil {
				return err
			}
			l, err := e.Sparring(ctx, f.head.rules, c.Seed, uint32(n), c.Nodes)
			if err == nil {
				err = f.add(l)
			}
			if err != nil {
				return err
			}
			open += l.Open()
		}
		if n/c.Parts%100 == 99 && open > 0 {
			fmt.Fprintf(os.Stderr, "%d games of each, %.1f open positions in a second of CPU\n",
				n+1, float64(open)/(engine.ProcessTime()-began).Seconds())
		}
	}
	return nil
}

// pause waits until there is no file that asks for a pause.
func (c *selfplayPlayCmd) pause(ctx context.Context) error {
	for c.Pause != "" && ctx.Err() == nil {
		if _, err := os.Stat(c.Pause); errors.Is(err, fs.ErrNotExist) {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(pauseEvery):
		}
	}
	return ctx.Err()
}
