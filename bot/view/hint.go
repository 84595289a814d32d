package view

import (
	"fmt"
	"strings"

	"tengen/ai"
	"tengen/ai/engine"
	"tengen/bot/chat"
	"tengen/game"
	"tengen/render"
	"tengen/storage"
)

// Hint is the engine's report on a match as a message, for one member alone.
func (t Tongue) Hint(m storage.Record, report ai.Report) (chat.Message, error) {
	marks := []render.Mark{{At: report.Move, Best: true}}
	for _, c := range report.Candidates[:min(len(report.Candidates), 4)] {
		if c.Move != report.Move {
			marks = append(marks, render.Mark{At: c.Move, Text: fmt.Sprintf("%.0f%%", 100*c.Win)})
		} else {
			marks[0].Text = fmt.Sprintf("%.0f%%", 100*c.Win)
		}
	}
	png, err := Draw(render.PNG, m.Game(), render.Options{Theme: m.Look.Theme, Marks: marks, Forbidden: true})
	if err != nil {
		return chat.Message{}, fmt.Errorf("drawing: %w", err)
	}
	lines := []string{
		t.Say("hint.move", "Point", report.Move.String()),
		t.Chances(report),
	}
	if len(report.Line) > 1 {
		lines = append(lines, "-# "+t.Say("hint.seen", "Line", shortLine(report.Line)))
	}
	alt := strings.ReplaceAll(t.Say("hint.move", "Point", report.Move.String()), "*", "")
	if s := t.Crossed(m.Match); s != "" {
		lines = append(lines, Legend(s))
		alt = t.Sentences(alt, s)
	}
	return chat.Private(strings.Join(lines, "\n"),
		chat.Block{Picture: &chat.Picture{Name: "hint.png", Data: png, Alt: alt, Text: PlainBoard(m.Game())}}), nil
}

// shortLine is the beginning of a line of moves: that of a proven win may go on for long.
func shortLine(line []game.Point) string {
	const most = 8
	var points []string
	for i, p := range line {
		if i == most {
			points = append(points, "…")
			break
		}
		points = append(points, p.String())
	}
	return strings.Join(points, " ")
}

// Chances says in words how a report judges the position.
func (t Tongue) Chances(r ai.Report) string {
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
