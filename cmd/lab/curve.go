package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"

	"tengen/ai"
	"tengen/ai/engine"
	"tengen/ai/review"
	"tengen/game"
)

type curveCmd struct {
	Games     int    `default:"80" help:"Games of each kind to play; those in the file already count."`
	Positions int    `default:"6" help:"Positions of each game that are searched at every level of means."`
	Seed      uint64 `default:"1" help:"Seed of the games."`
	Data      string `default:"curve.txt" help:"File that the searched positions are kept in."`
	Fit       bool   `help:"Only fit to what is there."`
	Out       string `default:"ai/review/curves.txt" help:"File that the curves go to."`
}

// Run plays games and fits the curves of the reviews to them. A run that was stopped goes on
// where it was.
func (c *curveCmd) Run(ctx context.Context) error {
	data, err := readCurveData(c.Data)
	if err != nil {
		return err
	}
	if !c.Fit {
		if err := c.play(ctx, data); err != nil {
			return err
		}
	}
	return replace(c.Out, curveLines(data))
}

// curveData is what is known: samples by the name of the rules and the level of means, and
// how many games they are from.
type curveData struct {
	games   map[string]int
	samples map[string][][]review.Sample
}

// play adds games, one of each kind in turn.
func (c *curveCmd) play(ctx context.Context, data *curveData) error {
	file, err := os.OpenFile(c.Data, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer file.Close()
	say := progress()
	for n := range c.Games {
		for i, r := range game.AllRules {
			if data.games[r.Name()] > n {
				continue
			}
			line, err := c.game(ctx, r, rand.New(rand.NewPCG(c.Seed, uint64(n)<<8+uint64(i))))
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintln(file, line); err != nil {
				return err
			}
			data.add(line)
		}
		say("%d of %d games of each kind", n+1, c.Games)
	}
	return nil
}

// game plays a game between equals of level 4 or 5 and searches some of its positions. It
// gives a line of the file: rules, black's result, and of each search the level of means, the
// part of the board that is taken, and black's score.
func (c *curveCmd) game(ctx context.Context, r game.Rules, rnd *rand.Rand) (string, error) {
	g, err := game.New(r).PlayAll(ai.Balanced(r, rnd.Uint64())...)
	if err != nil {
		return "", err
	}
	level := 4 + rnd.IntN(2)
	from := g.Len()
	for g.Turn() != game.Empty && !g.Dead() {
		rep, err := ai.Search(ctx, g, ai.Limits{Level: level, Seed: rnd.Uint64(), Brief: true})
		if err = errors.Join(err, ctx.Err()); err != nil {
			return "", err
		}
		if g, err = g.Play(rep.Move); err != nil {
			return "", err
		}
	}
	result := map[game.Color]float64{game.Black: 1, game.White: 0, game.Empty: 0.5}[g.Result().Winner]
	line := fmt.Sprintf("%s %g", r.Name(), result)
	for range c.Positions {
		at := g.Until(from + rnd.IntN(max(1, g.Len()-from)))
		if review.Solved(at) {
			continue // a review solves it
		}
		for i, m := range review.Levels(r) {
			rep, err := ai.Search(ctx, at, ai.Limits{Nodes: m.Nodes, Brief: true})
			if err = errors.Join(err, ctx.Err()); err != nil {
				return "", err
			}
			if rep.Proof != engine.Unproven {
				continue
			}
			score := review.Score(rep)
			if at.Turn() == game.White {
				score = -score
			}
			line += fmt.Sprintf(" %d:%.3f:%.4f", i, review.Part(at.Position()), score)
		}
	}
	return line, nil
}

func readCurveData(name string) (*curveData, error) {
	data := &curveData{games: map[string]int{}, samples: map[string][][]review.Sample{}}
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return data, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		data.add(lines.Text())
	}
	return data, lines.Err()
}

// add takes a line of the file in.
func (d *curveData) add(line string) {
	f := strings.Fields(line)
	if len(f) < 2 {
		return
	}
	r, ok := game.RulesNamed(f[0])
	if !ok {
		return
	}
	if d.samples[f[0]] == nil {
		d.samples[f[0]] = make([][]review.Sample, len(review.Levels(r)))
	}
	d.games[f[0]]++
	for _, x := range f[2:] {
		var level int
		var s review.Sample
		fmt.Sscan(f[1], &s.Result)
		if n, _ := fmt.Sscanf(x, "%d:%f:%f", &level, &s.Part, &s.Score); n == 3 && level >= 0 && level < len(d.samples[f[0]]) {
			d.samples[f[0]][level] = append(d.samples[f[0]][level], s)
		}
	}
}

// curveLines are the fitted curves as ai/review reads them: rules, nodes, the two slopes, the
// number of positions, their log loss, and that of the engine's own curve.
func curveLines(d *curveData) []byte {
	var out bytes.Buffer
	for _, r := range game.AllRules {
		for i, m := range review.Levels(r) {
			if d.games[r.Name()] == 0 || len(d.samples[r.Name()][i]) == 0 {
				continue
			}
			list := d.samples[r.Name()][i]
			c, loss := review.Fit(list)
			fmt.Fprintf(&out, "%s %d %.4f %.4f %d %.4f %.4f\n", r.Name(), m.Nodes, c.Begin, c.End, len(list), loss, review.Loss(list, review.Curve{Begin: 1, End: 1}))
		}
	}
	return out.Bytes()
}
