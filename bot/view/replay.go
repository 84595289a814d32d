package view

import (
	"fmt"
	"math"

	"tengen/bot/chat"
	"tengen/game"
	"tengen/game/opening"
	"tengen/render"
	"tengen/storage"
)

// Replay is the board after a number of moves, for one member alone. A running match, where there
// is one, is a press away.
func (t Tongue) Replay(rec storage.Record, end Ruling, ply int, running game.Match) (chat.Message, error) {
	m, last := rec.Match, rec.Game().Len()
	ply = min(max(ply, 0), last)
	g := m.Game().Until(ply)
	png, err := Draw(render.PNG, g, render.Options{Theme: rec.Look.Theme, Numbers: Numbered(rec.Look.Numbers)})
	if err != nil {
		return chat.Message{}, fmt.Errorf("drawing: %w", err)
	}
	line := t.Say("replay.at", "Number", ply, "Last", last)
	if ply > 0 {
		p := g.Plies()[ply-1]
		line = t.Line(line, fmt.Sprintf("%s %v", Disc(p.Color), p.Point))
	}
	step := func(name, label string, to int) chat.Button {
		return chat.Button{ID: On(m, "replay", fmt.Sprintf("%d.%s", to, name)), Label: label,
			Disabled: to == ply || to < 0 || to > last}
	}
	msg := chat.Private(t.Heading(rec, end)+"\n"+line,
		chat.Block{Picture: &chat.Picture{Name: "replay.png", Data: png, Alt: t.AltMoves(g), Text: PlainBoard(g)}})
	if values := chances(m); values != nil {
		graph, err := Draw(func(game.Game, render.Options) ([]byte, error) {
			return render.Graph(values, render.GraphOptions{Width: graphWidth, Now: ply})
		}, g, render.Options{})
		if err != nil {
			return chat.Message{}, fmt.Errorf("drawing: %w", err)
		}
		told := t.Say("replay.graph")
		msg.Blocks = append(msg.Blocks, chat.Block{Text: "-# " + told},
			chat.Block{Picture: &chat.Picture{Name: "graph.png", Data: graph, Alt: told}})
	}
	steps := []chat.Button{
		step("first", "⏮", 0), step("back", "◀", ply-1), step("on", "▶", ply+1), step("last", "⏭", last),
	}
	if m.Phase == game.Over && last > 0 {
		steps = append(steps, t.AnalyzeButton(m, ply))
	}
	msg = msg.WithRow(steps...)
	row := []chat.Button{{ID: On(m, "history", "0.list"), Label: t.Say("button.history")}}
	if m.Phase == game.Over && last > 0 {
		row = append(row, t.ReviewButton(m, "replay"))
	}
	row = append(row, chat.Button{ID: On(m, "export", "gif"), Label: "GIF"})
	return msg.WithRow(append(row, otherGames(t, m, running, "replay", "0.running")...)...), nil
}

// graphWidth is the width of a graph, in pixels. It stands under a board, which is larger.
const graphWidth = 700

// chances is Black's chance to win after each move, as the playing engine saw it. Between two of the
// engine's moves it is a straight line. It is nil where the engine saw too little, and while the
// game runs, since it would then be a hint.
func chances(m game.Match) []float64 {
	if m.Phase != game.Over {
		return nil
	}
	plies, entries := m.Game().Plies(), m.Stones()
	values, known, before := make([]float64, len(plies)+1), 0, -1
	see := func(at int, chance float64) {
		for i := before + 1; i < at && before >= 0; i++ {
			values[i] = values[before] + (chance-values[before])*float64(i-before)/float64(at-before)
		}
		values[at], before = chance, at
		known++
	}
	for i := range values {
		values[i] = math.NaN()
	}
	line, _ := opening.Of(m)
	given := line.State.Position.Count(game.Black) + line.State.Position.Count(game.White)
	for i, ply := range plies {
		n := entries[i].Note
		switch {
		case n.Level == 0 || i < given: // in an opening who places a stone need not have its color
		case ply.Color == game.Black:
			see(i+1, float64(n.Win)/1000)
		default:
			see(i+1, 1-float64(n.Win)/1000)
		}
	}
	if known < 3 {
		return nil
	}
	if r := m.Result(); r.Termination < game.Aborted {
		see(len(plies), map[game.Color]float64{game.Black: 1, game.Empty: .5, game.White: 0}[r.Winner])
	}
	return values
}
