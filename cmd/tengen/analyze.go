package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"tengen/ai"
	"tengen/ai/engine"
	"tengen/game"
	"tengen/game/record"
)

type analyzeCmd struct {
	JSON  bool          `name:"json" help:"One JSON object a line."`
	Time  time.Duration `xor:"limit" help:"Think this long (default 1s)."`
	Nodes int64         `xor:"limit" help:"Think for so many nodes."`
	Level int           `xor:"limit" help:"Think as level 1-8 of the bot."`
	Seed  uint64        `help:"Seed of a level's choice among equal moves."`
}

// analysis is an answer as scripts read it.
type analysis struct {
	Turn       string      `json:"turn"`
	Move       string      `json:"move"`
	Score      int         `json:"score"`
	Win        float64     `json:"win"`
	Proof      string      `json:"proof"`
	In         int         `json:"in"`
	Depth      int         `json:"depth"`
	Nodes      int64       `json:"nodes"`
	MS         int64       `json:"ms"`
	PV         []string    `json:"pv"`
	Candidates []candidate `json:"candidates"`
}

type candidate struct {
	Move  string `json:"move"`
	Score int    `json:"score"`
}

// Run answers the position lines of stdin.
func (c analyzeCmd) Run(ctx context.Context, s streams) error {
	if c.Time < 0 || c.Nodes < 0 || c.Level < 0 || c.Level > 8 {
		return exit{2, "--time and --nodes want a positive value, --level one from 1 to 8"}
	}
	if c.Time == 0 && c.Nodes == 0 && c.Level == 0 {
		c.Time = time.Second
	}
	a := analyst{ai.Limits{Time: c.Time, Nodes: c.Nodes, Level: c.Level, Seed: c.Seed, Spend: c.Level == 0},
		map[onLine]ai.Report{}}
	return answerLines(ctx, s, func(line string) (string, bool) {
		text, err := a.answer(ctx, line)
		return answerText(text, err, c.JSON)
	})
}

// analyst answers the lines of one call. It remembers the lines of what it has proven: a search
// with fresh tables may need more nodes for a part of a proof than another needed for the whole.
type analyst struct {
	limits ai.Limits
	proven map[onLine]ai.Report
}

// onLine names a position on the line of a proof.
type onLine struct {
	rules string
	b     game.Position
}

// mostProven bounds what an analyst remembers.
const mostProven = 50_000

// search searches g, or goes on with the line of an earlier proof that led to it.
func (a *analyst) search(ctx context.Context, g game.Game) (ai.Report, error) {
	if r, ok := a.proven[onLine{g.Rules().Name(), g.Position()}]; ok {
		return r, nil
	}
	r, err := ai.Search(ctx, g, a.limits)
	if err == nil && a.limits.Level == 0 && r.In == len(r.Line) {
		a.remember(g, r)
	}
	return r, err
}

// remember keeps the positions on the line of r, which ends with the game. Of two lines through
// a position the first stays.
func (a *analyst) remember(g game.Game, r ai.Report) {
	if len(a.proven) > mostProven {
		clear(a.proven)
	}
	for r.In > 1 {
		next, err := g.Play(r.Line[0])
		if err != nil {
			return
		}
		g, r = next, follow(r)
		key := onLine{g.Rules().Name(), g.Position()}
		if _, ok := a.proven[key]; !ok {
			a.proven[key] = r
		}
	}
}

// follow is what a proven report says of the position after its first move.
func follow(r ai.Report) ai.Report {
	next := ai.Report{Move: r.Line[1], Line: r.Line[1:], In: r.In - 1, Win: 1 - r.Win, Proof: engine.Loss,
		Score: -r.Score - 1}
	if r.Proof == engine.Loss {
		next.Proof, next.Score = engine.Win, -r.Score+1
	}
	next.Candidates = []ai.Candidate{{Move: next.Move, Score: next.Score, Win: next.Win}}
	return next
}

func (a *analyst) answer(ctx context.Context, line string) (analysis, error) {
	g, err := record.ParseLine(line)
	if err != nil {
		return analysis{}, err
	}
	r, err := a.search(ctx, g)
	if err != nil {
		return analysis{}, err
	}
	name := game.Point.String
	out := analysis{
		Turn: g.Turn().String(), Move: name(r.Move), Score: r.Score, Win: r.Win, Proof: r.Proof.String(), In: r.In,
		Depth: r.Depth, Nodes: r.Nodes, MS: r.Elapsed.Milliseconds(), PV: []string{}, Candidates: []candidate{},
	}
	for _, p := range r.Line {
		out.PV = append(out.PV, name(p))
	}
	for _, m := range r.Candidates {
		out.Candidates = append(out.Candidates, candidate{name(m.Move), m.Score})
	}
	return out, nil
}

func (a analysis) String() string {
	s := fmt.Sprintf("%s to move: %s, score %d, win %.0f %%", a.Turn, a.Move, a.Score, 100*a.Win)
	if a.Proof != "none" {
		s += ", proven " + a.Proof
		if a.In > 0 {
			s += fmt.Sprintf(" in %d", a.In)
		}
	}
	return s + fmt.Sprintf(", depth %d, %d nodes, %d ms, line %s", a.Depth, a.Nodes, a.MS, strings.Join(a.PV, " "))
}
