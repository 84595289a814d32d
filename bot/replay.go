package bot

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/render"
	"tengen/storage"
)

func replayRow() command {
	return command{
		Command: chat.Command{Name: "replay", About: "Step through a game", Alone: true, Options: []chat.OptionSpec{
			whichOption(), {Name: "gif", About: "As an animation", Type: chat.YesOption}}},
		run: (*Bot).replay,
		presses: map[string]pressed{
			"replay": (*Bot).pressReplay,
		},
		which: func(b *Bot, ctx context.Context, r chat.Request, id game.MatchID, _ string) error {
			return b.replayIn(ctx, r, id, 0)
		},
		offers: map[string]offer{"game": (*Bot).completeAnyGame},
	}
}

// findAny is find with finished games too: the last one where none runs.
func (b *Bot) findAny(ctx context.Context, r chat.Request, verb, arg string) (storage.Record, bool, error) {
	rec, found, err := b.find(ctx, r, verb, arg, view.Playing)
	if isRefused(err, "refused.noGame") {
		if past, e := b.store.History(ctx, r.By, 0, 1); e == nil && len(past) > 0 {
			return past[0], true, nil
		}
	}
	return rec, found, err
}

func isRefused(err error, key string) bool {
	var own refused
	return errors.As(err, &own) && own.key == key
}

// readable is the match if the asking member may read it: theirs, or one of this channel.
// What others play elsewhere, perhaps in a channel that the member cannot see, is as if it
// were not there.
func (b *Bot) readable(ctx context.Context, r chat.Request, id game.MatchID) (storage.Record, error) {
	rec, err := b.match(ctx, id)
	switch {
	case err != nil:
		return rec, err
	case sits(rec.Match, r.By) || rec.Owner == r.By || rec.Place == r.Place:
		return rec, nil
	}
	return rec, no("unknown.match")
}

func (b *Bot) replay(ctx context.Context, r chat.Request) error {
	if r.Yes("gif", false) {
		rec, found, err := b.findAny(ctx, r, "export", "gif")
		if err != nil || !found {
			return err
		}
		return b.exportIn(ctx, r, rec.ID, "gif")
	}
	rec, found, err := b.findAny(ctx, r, "replay", "0")
	if err != nil || !found {
		return err
	}
	return b.replayIn(ctx, r, rec.ID, 0)
}

func (b *Bot) pressReplay(ctx context.Context, r chat.Request, p view.Press) error {
	ply, err := strconv.Atoi(first(p.Arg, "."))
	if err != nil {
		return no("unknown.button")
	}
	return b.replayIn(ctx, r, p.Match, ply)
}

// replayIn shows the board as it stood after so many moves, to the asking member alone.
func (b *Bot) replayIn(ctx context.Context, r chat.Request, id game.MatchID, ply int) error {
	rec, err := b.readable(ctx, r, id)
	if err != nil {
		return err
	}
	m, t := rec.Match, b.tongue(r)
	last := m.Game().Len()
	ply = min(max(ply, 0), last)
	g := m.Game().Until(ply)
	png, err := view.Draw(render.PNG, g, render.Options{Theme: m.Look.Theme, Numbers: view.Numbered(m.Look.Numbers)})
	if err != nil {
		return fmt.Errorf("drawing: %w", err)
	}
	line := t.Say("replay.at", "Number", ply, "Last", last)
	if ply > 0 {
		p := g.Plies()[ply-1]
		line += fmt.Sprintf(" · %s %v", view.Disc(p.Color), p.Point)
	}
	step := func(name, label string, to int) chat.Button {
		return chat.Button{ID: view.On(m, "replay", fmt.Sprintf("%d.%s", to, name)), Label: label, Disabled: to == ply || to < 0 || to > last}
	}
	alt := t.Say("alt.game", "Rules", t.Rules(m.Rules), "Number", ply)
	if g.Last() != game.NoPoint {
		alt += " " + t.Say("alt.last", "Point", g.Last().String())
	}
	msg := chat.Message{Private: true, Blocks: []chat.Block{
		{Text: t.Title(m, r.By) + "\n" + t.Seats(m) + "\n" + line},
		{Picture: &chat.Picture{Name: "replay.png", Data: png, Alt: alt}},
	}}
	if values := course(m); values != nil {
		graph, err := view.Draw(func(game.Game, render.Options) ([]byte, error) {
			return render.Graph(values, render.GraphOptions{Width: graphWidth, Now: ply})
		}, g, render.Options{})
		if err != nil {
			return fmt.Errorf("drawing: %w", err)
		}
		told := t.Say("replay.graph")
		msg.Blocks = append(msg.Blocks, chat.Block{Text: "-# " + told}, chat.Block{Picture: &chat.Picture{Name: "graph.png", Data: graph, Alt: told}})
	}
	msg.Blocks = append(msg.Blocks, chat.Block{Row: []chat.Button{
		step("first", "⏮", 0), step("back", "◀", ply-1), step("on", "▶", ply+1), step("last", "⏭", last),
		{ID: view.On(m, "export", "gif"), Label: "GIF"},
	}})
	answer := chat.Answer{Kind: chat.Say, Message: msg}
	if r.Kind.Component() && r.Private {
		answer.Kind = chat.Replace
	}
	_, err = b.chat.Answer(ctx, r.Ticket(), answer)
	return err
}

// graphWidth is that of a graph, in pixels: it lies under a board, which is larger.
const graphWidth = 700

// course is black's chance to win after each move, as an engine saw it that played; nil where
// it saw too little, or the game is not over: then it would be a hint. Between two of its
// moves the course goes straight.
func course(m game.Match) []float64 {
	if m.Phase != game.Over {
		return nil
	}
	plies := m.Game().Plies()
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
	for i, ply := range plies {
		n := m.Log[i].Note
		switch {
		case n.Level == 0:
		case ply.Color == game.Black:
			see(i+1, float64(n.Win)/1000)
		default:
			see(i+1, 1-float64(n.Win)/1000)
		}
	}
	if known < 3 {
		return nil
	}
	if r := m.Result(); r.Cause < game.Aborted {
		see(len(plies), map[game.Color]float64{game.Black: 1, game.Empty: .5, game.White: 0}[r.Winner])
	}
	return values
}

// first is what stands before a separator.
func first(s, sep string) string { before, _, _ := strings.Cut(s, sep); return before }
