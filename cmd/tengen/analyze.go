package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"tengen/ai"
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
	return answerLines(ctx, s, func(line string) (string, bool) {
		a, err := c.answer(ctx, line)
		return answerText(a, err, c.JSON)
	})
}

func (c analyzeCmd) answer(ctx context.Context, line string) (analysis, error) {
	g, err := record.ParseLine(line)
	if err != nil {
		return analysis{}, err
	}
	r, err := ai.Search(ctx, g, ai.Limits{Time: c.Time, Nodes: c.Nodes, Level: c.Level, Seed: c.Seed})
	if err != nil {
		return analysis{}, err
	}
	name := game.Point.String
	a := analysis{
		Turn: g.Turn().String(), Move: name(r.Move), Score: r.Score, Win: r.Win, Proof: r.Proof.String(), In: r.In,
		Depth: r.Depth, Nodes: r.Nodes, MS: r.Elapsed.Milliseconds(), PV: []string{}, Candidates: []candidate{},
	}
	for _, p := range r.Line {
		a.PV = append(a.PV, name(p))
	}
	for _, m := range r.Candidates {
		a.Candidates = append(a.Candidates, candidate{name(m.Move), m.Score})
	}
	return a, nil
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
