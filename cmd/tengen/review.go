package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"tengen/ai/engine"
	"tengen/ai/review"
	"tengen/bot/view"
	"tengen/game"
	"tengen/render"
)

type reviewCmd struct {
	File  string        `arg:"" help:"Game record or position line; - is stdin."`
	JSON  bool          `name:"json" help:"One JSON object."`
	Time  time.Duration `xor:"limit" help:"CPU time for each position (default 250ms)."`
	Nodes int64         `xor:"limit" help:"Nodes for each position; the same number repeats a review."`
	Out   string        `short:"o" placeholder:"GRAPH.png" help:"Draw the graph of the game into this file."`
	Theme string        `placeholder:"T" help:"Theme of the graph: one of render --list-themes. The default depends on the game."`
	Size  int           `placeholder:"PX" help:"Width of the graph in pixels, 200 to 2100; 0 is 1050."`
	recordFlags
}

func (c reviewCmd) Run(ctx context.Context, s streams) error {
	if c.Time < 0 || c.Nodes < 0 {
		return exit{2, "--time and --nodes want a positive value"}
	}
	if err := c.checkGraph(); err != nil {
		return err
	}
	r, err := c.read(ctx, c.File, s)
	if err != nil {
		return err
	}
	p := newProgress(s.err, "positions")
	rev, err := review.Game(ctx, r.Game, review.Options{
		Means:    review.Means{CPU: c.Time, Nodes: c.Nodes},
		Opening:  r.Opening.State.Stones(),
		Progress: func(done, _ int) { p.at(int64(done)) },
	})
	p.done()
	if err != nil {
		return err
	}
	text := reviewText(rev)
	if c.Out != "" {
		chart := view.Chart(rev)
		c.Theme = cmp.Or(c.Theme, render.DefaultTheme(rev.Rules))
		if err := c.draw(ctx, chart); err != nil {
			return err
		}
		text += "\n" + graphText(chart.Facts()) + "\n"
	}
	if c.JSON {
		text = toJSON(reviewJSON(rev)) + "\n"
	}
	_, err = io.WriteString(s.out, text)
	return err
}

// reviewed is a review as scripts read it.
type reviewed struct {
	Rules  string       `json:"rules"`
	Plies  []reviewPly  `json:"plies"`
	Black  reviewedSide `json:"black"`
	White  reviewedSide `json:"white"`
	Faults []int        `json:"faults"`
}

type reviewPly struct {
	N      int             `json:"n"`
	By     string          `json:"by"`
	Move   string          `json:"move"`
	Before float64         `json:"before"`
	After  float64         `json:"after"`
	Class  string          `json:"class"`
	Note   string          `json:"note"`
	Best   string          `json:"best"`
	Had    reviewedOutcome `json:"had"`
	Gave   reviewedOutcome `json:"gave"`
	Discs  int             `json:"discs"`
}

type reviewedOutcome struct {
	Proof string `json:"proof"`
	In    int    `json:"in"`
}

type reviewedSide struct {
	Accuracy   float64 `json:"accuracy"`
	Inaccuracy int     `json:"inaccuracy"`
	Mistake    int     `json:"mistake"`
	Blunder    int     `json:"blunder"`
}

func reviewJSON(r review.Review) reviewed {
	side := func(s review.Side) reviewedSide {
		return reviewedSide{s.Accuracy, s.Inaccuracy, s.Mistake, s.Blunder}
	}
	outcome := func(o review.Outcome) reviewedOutcome { return reviewedOutcome{o.Proof.String(), o.In} }
	v := reviewed{
		Rules: r.Rules.Name(), Plies: []reviewPly{},
		Black: side(r.Sides[0]), White: side(r.Sides[1]), Faults: r.Faults,
	}
	for _, p := range r.Plies {
		v.Plies = append(v.Plies, reviewPly{
			N: p.N, By: p.By.String(), Move: p.Move.String(), Before: p.Before.Of(), After: p.After.Of(),
			Class: p.Class.String(), Note: p.Note.String(), Best: p.Best.String(),
			Had: outcome(p.Had), Gave: outcome(p.Gave), Discs: p.Discs,
		})
	}
	return v
}

// turningPoints is how many faults are told in words.
const turningPoints = 3

func reviewText(r review.Review) string {
	var s strings.Builder
	size := r.Rules.Size()
	fmt.Fprintf(&s, "%s %dx%d, %s, reviewed with %v\n", r.Rules.Name(), size, size, plural(len(r.Plies), "move"), r.Means)
	for i, side := range r.Sides {
		fmt.Fprintf(&s, "%s: accuracy %.1f, %s, %s, %s\n", game.Color(i+1), side.Accuracy,
			plural(side.Inaccuracy, "inaccuracy"), plural(side.Mistake, "mistake"),
			plural(side.Blunder, "blunder"))
	}
	if len(r.Plies) == 0 {
		return s.String()
	}
	fmt.Fprintf(&s, "\n  n  by     move  before  after  class       best  what is proven\n")
	for _, p := range r.Plies {
		line := fmt.Sprintf("%3d  %-5s  %-4s  %6s  %5s  %-10s  %-4s  %s",
			p.N, p.By, p.Move, expected(p.Before, p.Had), expected(p.After, p.Gave), p.Class, bestText(p), provenText(p))
		s.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	for i, n := range r.Faults[:min(len(r.Faults), turningPoints)] {
		if i == 0 {
			s.WriteString("\nTurning points\n")
		}
		s.WriteString(faultText(r.Plies[n-1]) + "\n")
	}
	return s.String()
}

// expected is an expectation in hundredths; what is proven has no comma.
func expected(e review.Expectation, o review.Outcome) string {
	if o.Proof != engine.Unproven {
		return fmt.Sprintf("%d", e/10)
	}
	return fmt.Sprintf("%.1f", 100*e.Of())
}

func bestText(p review.Ply) string {
	if p.Best == p.Move {
		return ""
	}
	return p.Best.String()
}

// provenText tells in a few words what is proven before and after a move.
func provenText(p review.Ply) string {
	text := map[review.Note]string{
		review.MissedWin: "missed win", review.Forbidden: "a win through forbidden points",
		review.LetThrough: "lets a win through", review.Turn: "turns the result",
	}[p.Note]
	var parts []string
	if text != "" {
		parts = append(parts, text)
	}
	switch {
	case p.Discs > 0:
		parts = append(parts, plural(p.Discs, "disc")+" lost")
	case p.Note != review.NoNote:
	case p.Gave.Proof == engine.Win && p.Gave.In > 0:
		parts = append(parts, fmt.Sprintf("wins in %d", p.Gave.In))
	case p.Gave.Proof == engine.Loss && p.Gave.In > 0:
		parts = append(parts, fmt.Sprintf("loses in %d", p.Gave.In))
	}
	return strings.Join(parts, ", ")
}

// faultText tells a fault in words.
func faultText(p review.Ply) string {
	head := fmt.Sprintf("%d: %s %s ", p.N, p.By, p.Move)
	switch p.Note {
	case review.MissedWin:
		return head + fmt.Sprintf("lets a win in %d go; no win found any more. %s", p.Had.In, lineText("It was", p.Line))
	case review.Forbidden:
		return head + fmt.Sprintf("lets %s win in %d, by points that are forbidden to black. %s%s",
			p.By.Other(), p.Gave.In, lineText("The win", p.Answer), insteadText(p))
	case review.LetThrough:
		return head + fmt.Sprintf("lets %s win in %d. %s%s", p.By.Other(), p.Gave.In,
			lineText("The win", p.Answer), insteadText(p))
	case review.Turn:
		return head + fmt.Sprintf("makes %s of %s, %s by exact play.%s",
			outcomeWord(p.After), outcomeWord(p.Before), plural(p.Discs, "disc")+" lost", insteadText(p))
	}
	return head + fmt.Sprintf("takes the expectation from %s to %s.%s", expected(p.Before, p.Had),
		expected(p.After, p.Gave), insteadText(p))
}

// insteadText says what was better.
func insteadText(p review.Ply) string {
	if len(p.Line) == 0 {
		return " Better was " + p.Best.String() + "."
	}
	return " " + lineText("Better was", p.Line)
}

func outcomeWord(e review.Expectation) string {
	switch e {
	case 1000:
		return "a win"
	case 0:
		return "a loss"
	}
	return "a draw"
}

func lineText(head string, line []game.Point) string {
	if len(line) == 0 {
		return ""
	}
	words := []string{head}
	for _, p := range line {
		words = append(words, p.String())
	}
	return strings.Join(words, " ") + "."
}
