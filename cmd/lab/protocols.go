package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"

	"tengen/ai/engine"
	"tengen/ai/five"
	"tengen/game"
	book "tengen/game/opening"
)

type protocolsCmd struct {
	Protocol []string `arg:"" optional:"" help:"The openings to play, such as swap2; empty-gomoku and empty-renju are the empty board. Without any: all."`
	Games    int      `default:"400" help:"Games of each."`
	Nodes    int64    `default:"2500" help:"Nodes a move."`
	Decide   int64    `default:"10000" help:"Nodes a decision of an opening."`
	Seed     uint64   `default:"1" help:"Seed of the first game; the next ones follow."`
	Out      string   `required:"" help:"File that the games are added to, one a line. A run goes on where the file ends."`
}

// arranged is a way to open games: a protocol, or none, and the rules that it is played with.
type arranged struct {
	name     string
	rules    game.Rules
	protocol book.Protocol
}

// arrangements are those with the names, or all.
func arrangements(names []string) ([]arranged, error) {
	all := []arranged{{"empty-gomoku", game.Gomoku15, 0}, {"empty-renju", game.Renju, 0}}
	for _, p := range book.All {
		rules := game.Renju
		if p <= book.LongPro {
			rules = game.Gomoku15
		}
		all = append(all, arranged{p.Name(), rules, p})
	}
	if len(names) == 0 {
		return all, nil
	}
	var some []arranged
	for _, name := range names {
		i := slices.IndexFunc(all, func(a arranged) bool { return a.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no opening is called %q", name)
		}
		some = append(some, all[i])
	}
	return some, nil
}

// bout is one game as the file has it.
type bout struct {
	Opening string
	Seed    uint64
	Nodes   [2]int64 // of a move and of a decision
	Line    string   // the decisions of the opening
	Moves   string
	Black   float64 // points of Black
	Opener  float64 // points of the person who opened
}

// Run plays the engine against itself, its own decisions on both sides, and tells how even each
// opening is.
func (c *protocolsCmd) Run(ctx context.Context) error {
	all, err := arrangements(c.Protocol)
	if err != nil {
		return err
	}
	out, err := os.OpenFile(c.Out, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return err
	}
	defer out.Close()
	done, err := c.played(out)
	if err != nil {
		return err
	}
	defer c.tell(all, done)
	for n := range c.Games { // all openings side by side, so that a part of the games says something of each
		for _, a := range all {
			key := bout{Opening: a.name, Seed: c.Seed + uint64(n), Nodes: [2]int64{c.Nodes, c.Decide}}
			if _, ok := done[key]; ok {
				continue
			}
			b, err := a.play(ctx, key)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				return err
			}
			if err := json.NewEncoder(out).Encode(b); err != nil {
				return err
			}
			done[key] = b
		}
	}
	return nil
}

// played are the games of earlier runs, each under its opening, seed and nodes. A last line that
// was cut off gets its end: its game is still to be played.
func (c *protocolsCmd) played(file *os.File) (map[bout]bout, error) {
	done := map[bout]bout{}
	data, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(data) {
		var b bout
		if json.Unmarshal(line, &b) == nil {
			done[bout{Opening: b.Opening, Seed: b.Seed, Nodes: b.Nodes}] = b
		}
	}
	if len(data) > 0 && !bytes.HasSuffix(data, []byte("\n")) {
		_, err = file.WriteString("\n")
	}
	return done, err
}

// tell prints the table.
func (c *protocolsCmd) tell(all []arranged, done map[bout]bout) {
	fmt.Println("| opening | rules | games | Black's score | the opener's score | stones after | swapped |")
	fmt.Println("|---|---|---|---|---|---|---|")
	for _, a := range all {
		black, opener := score{pairs: map[int]float64{}}, score{pairs: map[int]float64{}}
		stones, swapped := 0, 0
		for n := range c.Games {
			b, ok := done[bout{Opening: a.name, Seed: c.Seed + uint64(n), Nodes: [2]int64{c.Nodes, c.Decide}}]
			if !ok {
				continue
			}
			black.add(2*n, outcome{points: b.Black, fault: -1})
			opener.add(2*n, outcome{points: b.Opener, fault: -1})
			if l, err := book.ParseLine(b.Line); err == nil {
				stones += l.State.Stones()
				swapped += l.State.Black
			}
		}
		share := func(s *score) string {
			lo, hi := s.interval()
			return fmt.Sprintf("%.1f %% [%.1f, %.1f]", 100*s.rate(), 100*lo, 100*hi)
		}
		games := black.games()
		fmt.Printf("| %s | %s | %d | %s | %s | %.1f | %.0f %% |\n", a.name, a.rules.Name(), games,
			share(&black), share(&opener), float64(stones)/float64(max(1, games)), 100*float64(swapped)/float64(max(1, games)))
	}
}

// limits bound what the seats do: the last level, which varies its play in the opening.
func (b bout) limits(nodes int64, seat int) engine.Limits {
	return engine.Limits{Level: 8, Nodes: nodes, Seed: b.Seed<<1 | uint64(seat), Brief: true}
}

// play plays one game. A proven win ends it.
func (a arranged) play(ctx context.Context, b bout) (bout, error) {
	seats := [2]*five.Engine{five.New(), five.New()}
	black, g := 0, game.New(a.rules)
	if a.protocol != 0 {
		l := book.Line{Protocol: a.protocol, State: a.protocol.Begin()}
		for !l.State.Over() {
			who := l.State.Question().Who
			d, _, err := seats[who].Decide(ctx, a.rules, l.State, b.limits(b.Nodes[1], who))
			if err == nil {
				l.State, err = l.State.Decide(d)
			}
			if err != nil {
				return b, fmt.Errorf("%s: %w", l, err)
			}
			l.Decisions = append(l.Decisions, d)
			if p, ok := d.Stone(); ok {
				if g, err = g.Play(p); err != nil {
					return b, fmt.Errorf("%s: %w", l, err)
				}
			}
		}
		b.Line, black = l.String(), l.State.Black
	}
	winner := game.Empty
	for g.Turn() != game.Empty && winner == game.Empty {
		seat := black
		if g.Turn() == game.White {
			seat = 1 - black
		}
		r, err := seats[seat].Search(ctx, g, b.limits(b.Nodes[0], seat))
		switch {
		case ctx.Err() != nil:
			return b, ctx.Err()
		case err != nil:
			return b, err
		case r.Proof == engine.Win:
			winner = g.Turn()
		case r.Proof == engine.Loss:
			winner = g.Turn().Other()
		}
		if g, err = g.Play(r.Move); err != nil {
			return b, err
		}
	}
	if g.Turn() == game.Empty {
		winner = g.Result().Winner
	}
	b.Moves = game.MoveList(g.Moves())
	b.Black = map[game.Color]float64{game.Black: 1, game.Empty: 0.5, game.White: 0}[winner]
	b.Opener = b.Black
	if black != 0 {
		b.Opener = 1 - b.Black
	}
	return b, nil
}
