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
	"tengen/ai/five"
	"tengen/ai/review"
	"tengen/game"
)

type curveCmd struct {
	Games     int    `default:"80" help:"Games of each kind to play; those in the file already count."`
	Rules     string `help:"The only game to play; all if not given."`
	Positions int    `default:"6" help:"Positions of each game that are searched at every level of means."`
	Seed      uint64 `default:"1" help:"Seed of the games."`
	Data      string `default:"curve.txt" help:"File that the searched positions are kept in."`
	Tuned     string `help:"File of lab tune, whose games are taken instead of new ones. Their own searches, of about as many nodes, are the first level of means; one position of each is searched at the others."`
	Fit       bool   `help:"Only fit to what is there."`
	Out       string `default:"ai/review/curves.txt" help:"File that the curves go to. A curve that is there stays unless the new one is better on games that are held out."`
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
	old, err := os.ReadFile(c.Out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return replace(c.Out, curveLines(data, string(old)))
}

// curveData is what is known: samples by the name of the rules and the level of means, and
// how many games they are from. Every fifth game is held out: no curve is fitted to it.
type curveData struct {
	games         map[string]int
	samples, held map[string][][]review.Sample
}

// play adds games, one of each kind in turn.
func (c *curveCmd) play(ctx context.Context, data *curveData) error {
	file, err := os.OpenFile(c.Data, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer file.Close()
	next, err := c.source()
	if err != nil {
		return err
	}
	say := progress()
	for n := range c.Games {
		for i, r := range game.AllRules {
			if data.games[r.Name()] > n || c.Rules != "" && c.Rules != r.Name() {
				continue
			}
			line, err := next(ctx, r, n, rand.New(rand.NewPCG(c.Seed, uint64(n)<<8+uint64(i))))
			if err != nil {
				return err
			}
			if line == "" {
				continue
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

// source gives the line of game n of the rules, "" where there is none.
func (c *curveCmd) source() (func(ctx context.Context, r game.Rules, n int, rnd *rand.Rand) (string, error), error) {
	if c.Tuned == "" {
		return func(ctx context.Context, r game.Rules, _ int, rnd *rand.Rand) (string, error) {
			return c.game(ctx, r, rnd)
		}, nil
	}
	games, err := readAllGames(c.Tuned)
	return func(ctx context.Context, r game.Rules, n int, rnd *rand.Rand) (string, error) {
		if n >= len(games[r.Name()]) {
			return "", nil
		}
		return c.tuned(ctx, games[r.Name()][n], rnd)
	}, err
}

// readAllGames are the games of a file of lab tune by the name of their rules, without its
// single positions.
func readAllGames(name string) (map[string][]five.Played, error) {
	games := map[string][]five.Played{}
	for _, r := range []game.Rules{game.Gomoku15, game.Standard15, game.Renju} {
		list, err := readGames(name, r)
		if err != nil {
			return nil, err
		}
		for _, p := range list {
			if p.Rules == r && len(p.Moves) > p.Book+1 {
				games[r.Name()] = append(games[r.Name()], p)
			}
		}
	}
	return games, nil
}

// tuned is the line of a game of lab tune.
func (c *curveCmd) tuned(ctx context.Context, p five.Played, rnd *rand.Rand) (string, error) {
	g, err := game.New(p.Rules).PlayAll(p.Moves...)
	if err != nil {
		return "", err
	}
	line := fmt.Sprintf("%s %g", p.Rules.Name(), p.Result)
	for k := range c.Positions {
		ply := p.Book + rnd.IntN(len(p.Moves)-p.Book)
		if at := g.Until(ply); !p.Proven[ply] {
			line += sampleText(0, at, review.Score(engine.Report{Win: p.Scores[ply]}))
		}
		if k == 0 {
			more, err := levelsText(ctx, g.Until(ply), 1)
			if err != nil {
				return "", err
			}
			line += more
		}
	}
	return line, nil
}

// game plays a game between equals of level 4 or 5 and searches some of its positions. It
// gives a line of the file: rules, black's result, and the samples.
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
		more, err := levelsText(ctx, at, 0)
		if err != nil {
			return "", err
		}
		line += more
	}
	return line, nil
}

// levelsText searches a position at the levels of means from the given one on. What is proven
// is left out.
func levelsText(ctx context.Context, at game.Game, from int) (text string, err error) {
	for i, m := range review.Levels(at.Rules()) {
		if i < from {
			continue
		}
		rep, err := ai.Search(ctx, at, ai.Limits{Nodes: m.Nodes, Brief: true})
		if err = errors.Join(err, ctx.Err()); err != nil {
			return "", err
		}
		if rep.Proof == engine.Unproven {
			text += sampleText(i, at, review.Score(rep))
		}
	}
	return text, nil
}

// sampleText is a sample in the file: the level of means, the part of the board that is taken,
// and black's score. The one given is that of the side to move.
func sampleText(level int, at game.Game, score float64) string {
	if at.Turn() == game.White {
		score = -score
	}
	return fmt.Sprintf(" %d:%.3f:%.4f", level, review.Part(at.Position()), score)
}

func readCurveData(name string) (*curveData, error) {
	data := &curveData{games: map[string]int{}, samples: map[string][][]review.Sample{},
		held: map[string][][]review.Sample{}}
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
	if d.games[f[0]] == 0 {
		d.samples[f[0]] = make([][]review.Sample, len(review.Levels(r)))
		d.held[f[0]] = make([][]review.Sample, len(review.Levels(r)))
	}
	d.games[f[0]]++
	to := d.samples[f[0]]
	if d.games[f[0]]%5 == 0 {
		to = d.held[f[0]]
	}
	for _, x := range f[2:] {
		var level int
		var s review.Sample
		fmt.Sscan(f[1], &s.Result)
		if n, _ := fmt.Sscanf(x, "%d:%f:%f", &level, &s.Part, &s.Score); n == 3 && level >= 0 && level < len(to) {
			to[level] = append(to[level], s)
		}
	}
}

// curveLines are the curves as ai/review reads them: rules, nodes, the two slopes; and for the
// reader the number of positions that they were fitted to, of those held out, and the log loss
// of these under the curve and under the engine's own. An old curve stays where the new one is
// no better on the positions held out, or nothing new is known.
func curveLines(d *curveData, old string) []byte {
	var out bytes.Buffer
	for _, r := range game.AllRules {
		for i, m := range review.Levels(r) {
			start := fmt.Sprintf("%s %d ", r.Name(), m.Nodes)
			was, c, fitted := oldCurve(old, start)
			if d.games[r.Name()] == 0 || len(d.samples[r.Name()][i]) == 0 || len(d.held[r.Name()][i]) == 0 {
				out.WriteString(was)
				continue
			}
			held := d.held[r.Name()][i]
			fit, _ := review.Fit(d.samples[r.Name()][i])
			before, loss := review.Loss(held, c), review.Loss(held, fit)
			fmt.Fprintf(os.Stderr, "%s%d games, old curve %.4f, new one %.4f\n", start, d.games[r.Name()], before, loss)
			if was == "" || loss < before {
				c, fitted = fit, len(d.samples[r.Name()][i])
			}
			fmt.Fprintf(&out, "%s%.4f %.4f %d %d %.4f %.4f\n", start, c.Begin, c.End, fitted, len(held),
				review.Loss(held, c), review.Loss(held, review.Curve{Begin: 1, End: 1}))
		}
	}
	return out.Bytes()
}

// oldCurve is the line of the curves that begins with start, its curve, and the number of
// positions that it was fitted to; the engine's own curve where there is no such line.
func oldCurve(curves, start string) (line string, c review.Curve, fitted int) {
	c = review.Curve{Begin: 1, End: 1}
	for line := range strings.Lines(curves) {
		if after, ok := strings.CutPrefix(line, start); ok {
			fmt.Sscan(after, &c.Begin, &c.End, &fitted)
			return line, c, fitted
		}
	}
	return "", c, 0
}
