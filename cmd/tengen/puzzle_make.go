package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"tengen/ai/puzzle"
	"tengen/storage"
)

type puzzleMakeCmd struct {
	lookFlags
	Out  string `short:"o" required:"" placeholder:"OUT" help:"File to write: a puzzle a line, for --from of the other commands."`
	Most int    `placeholder:"N" default:"1000" help:"End with so many puzzles."`
}

// Run finds puzzles in the finished games of a store. Nothing of who played them is kept.
func (c puzzleMakeCmd) Run(ctx context.Context, s streams) (err error) {
	l, err := c.look(ctx, s, inside{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	p := newProgress(s.err, "games")
	defer p.done()
	var list []puzzle.Puzzle
	games := int64(0)
	finder := puzzle.Finder{Seen: map[puzzle.Key]bool{}}
	var failed error
	err = l.Archive(ctx, func(r storage.Record) bool {
		found, err := finder.Find(ctx, r.Game())
		if err != nil {
			failed = err
			return false
		}
		list = append(list, found...)
		games++
		p.at(games)
		return len(list) < c.Most
	})
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	list = puzzle.Numbered(list[:min(len(list), c.Most)], nil)
	err = writeWhole(c.Out, 0o644, func(w io.Writer) error {
		out := bufio.NewWriter(w)
		for _, one := range list {
			fmt.Fprintln(out, toJSON(one.Entry()))
		}
		return out.Flush()
	})
	if err == nil {
		fmt.Fprintf(s.out, "%s from %s\n", plural(len(list), "puzzle"), plural(int(games), "game"))
	}
	return err
}
