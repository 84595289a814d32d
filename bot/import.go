package bot

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/record"
	"tengen/render"
)

func importRow() command {
	return command{
		Command: chat.Command{Name: "import", About: "Play on from a record or a position", Alone: true, Options: []chat.OptionSpec{
			{Name: "file", About: "A game record", Type: chat.FileOption},
			{Name: "text", About: "Moves, a position line or a record as text", Type: chat.TextOption, Max: 2000},
			{Name: "rules", About: "The rules, where the record does not say", Type: chat.TextOption, Choices: gameChoices()},
			{Name: "moves", About: "Play on after so many moves", Type: chat.NumberOption, Min: 0, Max: 225},
			{Name: "opponent", About: "Whom to challenge; the bot when left out", Type: chat.MemberOption},
			levelOption(), colorOption()}},
		run: (*Bot).importGame,
	}
}

// load reads a record from a file or a text of a member. Its errors are worded for them.
func (b *Bot) load(ctx context.Context, text string, files []chat.FileTarget, rules game.Rules) (record.Record, error) {
	data := []byte(text)
	if len(files) > 0 {
		f := files[0]
		if f.Size > chat.LargestFile {
			return record.Record{}, no("import.large", "Most", chat.LargestFile>>10)
		}
		var err error
		if data, err = b.fetch(ctx, f); err != nil {
			b.log.Info("fetch", "err", err)
			return record.Record{}, no("import.fetch")
		}
	}
	if len(strings.TrimSpace(string(data))) == 0 {
		return record.Record{}, no("import.nothing")
	}
	rec, err := record.Read(fence(data), record.Hints{Rules: rules})
	var wrong *record.MoveError
	switch {
	case errors.As(err, &wrong):
		return rec, no("import.move", "Number", wrong.Number, "Text", view.Escape(view.Clip(wrong.Text, 20)))
	case err != nil:
		return rec, no("import.unknown")
	}
	return rec, nil
}

// fence takes the code fence away that members put round a record.
func fence(data []byte) []byte {
	s := strings.TrimSpace(string(data))
	if rest, ok := strings.CutPrefix(s, "```"); ok {
		rest = strings.TrimSuffix(strings.TrimSpace(rest), "```")
		return []byte(strings.TrimSpace(rest))
	}
	return data
}

func (b *Bot) importGame(ctx context.Context, r chat.Request) error {
	rules, _ := game.RulesNamed(r.Text("rules", ""))
	var files []chat.FileTarget
	if f := r.Options["file"].File; f.URL != "" {
		files = append(files, f)
	}
	rec, err := b.load(ctx, r.Text("text", ""), files, rules)
	if err != nil {
		return err
	}
	g := rec.Game.Until(r.Number("moves", rec.Game.Len()))
	if whom := r.Options["opponent"].Member; whom.ID != 0 {
		if err := b.mayChallenge(ctx, r, whom); err != nil {
			return err
		}
		return b.playOn(ctx, r, g, game.SeatFor(whom.ID))
	}
	return b.playOn(ctx, r, g, game.SeatEngine(min(max(r.Number("level", 3), 1), 8)))
}

// playOn begins a match from where g stands.
func (b *Bot) playOn(ctx context.Context, r chat.Request, g game.Game, second game.Seat) error {
	if g.Turn() == game.Empty {
		return no("import.over")
	}
	t := game.Terms{Rules: g.Rules(), Given: g.Moves(), Opening: game.ImportedOpening, Seed: b.random(), First: g.Turn()}
	if g.Start() != g.Rules().Start() {
		t.Start = g.Start()
	}
	switch r.Text("color", "") {
	case "black":
		t.First = game.Black
	case "white":
		t.First = game.White
	case "random":
		t.First = game.Empty
	}
	return b.begin(ctx, r, t, second)
}

func loadRow() command {
	return command{
		Command: chat.Command{Name: "Load this record", About: "Reads the message, or the file in it, as a game record and shows the board.", Menu: chat.MessageMenu, Alone: true},
		run:     (*Bot).menuLoad,
		presses: map[string]pressed{
			"load": (*Bot).pressLoad,
		},
	}
}

// menuLoad shows what is in a message: the board, the facts, and a way to play on.
func (b *Bot) menuLoad(ctx context.Context, r chat.Request) error {
	rec, err := b.load(ctx, r.Loaded.Text, r.Loaded.Files, nil)
	if err != nil {
		return err
	}
	t, g := b.tongue(r), rec.Game
	png, err := view.Draw(render.PNG, g, render.Options{Numbers: render.All})
	if err != nil {
		return fmt.Errorf("drawing: %w", err)
	}
	lines := []string{fmt.Sprintf("**%s** · %s", t.Rules(g.Rules()), t.Say("import.moves", "Count", g.Len()))}
	if rec.Black != "" || rec.White != "" {
		lines = append(lines, fmt.Sprintf("⚫ %s  ⚪ %s", view.Escape(view.Clip(rec.Black, 60)), view.Escape(view.Clip(rec.White, 60))))
	}
	if res := rec.Result; res.Winner != game.Empty {
		lines = append(lines, t.Say("import.won", "Color", t.Color(res.Winner)))
	}
	for _, n := range rec.Notes[:min(len(rec.Notes), 3)] {
		lines = append(lines, "-# "+view.Escape(view.Clip(n, 200)))
	}
	msg := chat.Message{Private: true, Blocks: []chat.Block{
		{Text: strings.Join(lines, "\n")},
		{Picture: &chat.Picture{Name: "record.png", Data: png, Alt: t.Say("alt.game", "Rules", t.Rules(g.Rules()), "Number", g.Len())}},
	}}
	if arg, ok := packGame(g); ok && g.Turn() != game.Empty {
		msg.Blocks = append(msg.Blocks, chat.Block{Row: []chat.Button{{ID: view.Do("load", arg), Label: t.Say("button.playOn"), Style: chat.Primary}}})
	} else {
		msg.Blocks = append(msg.Blocks, chat.Block{Text: "-# " + t.Say("import.how")})
	}
	_, err = b.chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Say, Message: msg})
	return err
}

// packGame is a short game as a button carries it: the number of its rules and its moves.
func packGame(g game.Game) (string, bool) {
	i := slices.Index(game.AllRules, g.Rules())
	if i < 0 || g.Start() != g.Rules().Start() {
		return "", false
	}
	data := []byte{byte(i)}
	for _, p := range g.Moves() {
		data = append(data, byte(p))
	}
	s := base64.RawURLEncoding.EncodeToString(data)
	return s, len(s) <= 80
}

func unpackGame(s string) (game.Game, error) {
	data, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || len(data) == 0 || int(data[0]) >= len(game.AllRules) {
		return game.Game{}, fmt.Errorf("packed game %q", s)
	}
	g := game.New(game.AllRules[data[0]])
	for _, p := range data[1:] {
		if g, err = g.Play(game.Point(p)); err != nil {
			return game.Game{}, err
		}
	}
	return g, nil
}

func (b *Bot) pressLoad(ctx context.Context, r chat.Request, p view.Press) error {
	g, err := unpackGame(p.Arg)
	if err != nil {
		return no("unknown.button")
	}
	return b.playOn(ctx, r, g, game.SeatEngine(3))
}
