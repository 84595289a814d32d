package bot

import (
	"context"
	"fmt"
	"strings"
	"time"

	"tengen/ai"
	"tengen/ai/engine"
	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/render"
	"tengen/storage"
)

func hintRow() command {
	return command{
		Command: chat.Command{Name: "hint", About: "What the bot would play, in a game against it", Alone: true, Options: []chat.OptionSpec{whichOption()}},
		run:     (*Bot).hint,
		presses: map[string]pressed{
			"hint": (*Bot).pressHint,
		},
		which: func(b *Bot, ctx context.Context, r chat.Request, id game.MatchID, _ string) error {
			return b.hintIn(ctx, r, id)
		},
		offers: map[string]offer{"game": (*Bot).completeGame},
	}
}

// hintTime is how long a hint is thought about.
const hintTime = 400 * time.Millisecond

func (b *Bot) hint(ctx context.Context, r chat.Request) error {
	rec, found, err := b.findTurn(ctx, r, "hint", "")
	if err != nil || !found {
		return err
	}
	return b.hintIn(ctx, r, rec.ID)
}

func (b *Bot) pressHint(ctx context.Context, r chat.Request, p view.Press) error {
	return b.hintIn(ctx, r, p.Match)
}

// hintIn shows the asking member alone what the engine would play.
func (b *Bot) hintIn(ctx context.Context, r chat.Request, id game.MatchID) error {
	rec, err := b.readable(ctx, r, id)
	if err != nil {
		return err
	}
	m := rec.Match
	switch {
	case !sits(m, r.By):
		return &game.Refusal{Code: game.NotSeated}
	case !m.AgainstEngine():
		return no("refused.hintBetween")
	case !view.TurnOf(r.By)(m):
		return &game.Refusal{Code: game.NotYourTurn}
	}
	if _, waits := b.asking.LoadOrStore(r.By, true); waits { // one at a time each, for a turn of the cores
		return no("refused.hintComing")
	}
	defer b.asking.Delete(r.By)
	if _, err := b.update(ctx, id, storage.Cause{Interaction: r.ID, At: r.At}, func(m game.Match) (game.Match, error) {
		return m.Hinted(r.By, r.At)
	}); err != nil {
		return err
	}
	defer b.screens.Refresh(id, false)
	report, err := b.desk.Advise(ctx, m.Game(), ai.Limits{Time: hintTime, Seed: m.Seed})
	if err != nil {
		return err
	}
	t := b.tongue(r)
	marks := []render.Mark{{At: report.Move, Best: true}}
	for _, c := range report.Candidates[:min(len(report.Candidates), 4)] {
		if c.Move != report.Move {
			marks = append(marks, render.Mark{At: c.Move, Text: fmt.Sprintf("%.0f%%", 100*c.Win)})
		} else {
			marks[0].Text = fmt.Sprintf("%.0f%%", 100*c.Win)
		}
	}
	png, err := view.Draw(render.PNG, m.Game(), render.Options{Theme: m.Look.Theme, Marks: marks, Forbidden: true})
	if err != nil {
		return fmt.Errorf("drawing: %w", err)
	}
	var line []string
	for _, p := range report.Line[:min(len(report.Line), 8)] {
		line = append(line, p.String())
	}
	lines := []string{
		t.Say("hint.move", "Point", report.Move.String()),
		chances(t, report),
	}
	if report.Depth > 0 { // else it was seen without a search
		lines = append(lines, "-# "+t.Say("hint.seen", "Depth", report.Depth, "Nodes", view.Thousands(uint64(report.Nodes)), "Line", strings.Join(line, " ")))
	}
	alt := strings.ReplaceAll(t.Say("hint.move", "Point", report.Move.String()), "*", "")
	_, err = b.chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Say, Message: chat.Message{Private: true, Blocks: []chat.Block{
		{Text: strings.Join(lines, "\n")}, {Picture: &chat.Picture{Name: "hint.png", Data: png, Alt: alt}},
	}}})
	return err
}

// chances puts a report into words, as a coach would.
func chances(t view.Tongue, r ai.Report) string {
	switch {
	case r.Proof == engine.Win:
		return t.Say("hint.win", "Count", (r.In+1)/2)
	case r.Proof == engine.Loss:
		return t.Say("hint.loss")
	case r.Proof == engine.Draw:
		return t.Say("hint.draw")
	case r.Win > .85:
		return t.Say("hint.winning")
	case r.Win > .6:
		return t.Say("hint.better")
	case r.Win >= .4:
		return t.Say("hint.even")
	case r.Win >= .15:
		return t.Say("hint.worse")
	}
	return t.Say("hint.losing")
}
