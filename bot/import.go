package bot

import (
	"context"
	"errors"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/record"
)

func importCommand() command {
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

// load reads a record from a member's file or text. Its errors are refusals.
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

// fence removes the code fence that members put around a record.
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

// playOn begins a match from the position of g.
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

func loadCommand() command {
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
	msg, err := b.tongue(r).Loaded(rec)
	if err != nil {
		return err
	}
	return b.say(ctx, r, msg)
}

func (b *Bot) pressLoad(ctx context.Context, r chat.Request, p view.Press) error {
	g, err := view.UnpackGame(p.Arg)
	if err != nil {
		return no("unknown.button")
	}
	return b.playOn(ctx, r, g, game.SeatEngine(3))
}
