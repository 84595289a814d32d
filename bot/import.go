package bot

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/record"
)

func (b *Bot) importCommand() command.Command {
	return command.Command{
		Command: chat.Command{Name: "import", Alone: true,
			Options: []chat.OptionSpec{
				{Name: "file", Type: chat.FileOption},
				{Name: "text", Of: "import", Type: chat.TextOption, Max: 2000},
				{Name: "rules", Type: chat.TextOption,
					Choices: command.GameChoices()},
				{Name: "moves", Type: chat.NumberOption, Min: 0, Max: 225},
				{Name: "opponent", Of: "import", Type: chat.MemberOption},
				command.Level(), command.Color()}},
		Run: b.importOrAsk,
		Presses: map[string]command.Pressed{
			"import":   b.pressImport,
			"imported": b.submitImport,
		},
	}
}

// importFields are the options that can be taken into the form and out of it. The form has no
// field for those of importBehind, and keeps them in its id.
var (
	importFields = []string{"rules", "opponent", "moves", "level", "color", "text"}
	importBehind = []string{"level", "color"}
)

// importOrAsk opens the form where neither a file nor a text was given.
func (b *Bot) importOrAsk(ctx context.Context, r chat.Request) error {
	if r.Options["file"].File.URL != "" || r.Text("text", "") != "" {
		return b.importGame(ctx, r)
	}
	return b.askImport(ctx, r, view.Unpacked(view.Packed(r, importFields), importFields))
}

// pressImport opens the form again as it was filled in.
func (b *Bot) pressImport(ctx context.Context, r chat.Request, p view.Press) error {
	return b.askImport(ctx, r, view.Unpacked(p.Arg, importFields))
}

// askImport opens the form, filled in with what is known.
func (b *Bot) askImport(ctx context.Context, r chat.Request, filled map[string]string) error {
	t := b.tongue(r)
	opponent, _ := strconv.ParseUint(filled["opponent"], 10, 64)
	behind := strings.Join([]string{filled["level"], filled["color"]}, ".")
	return b.ask(ctx, r, chat.Form{ID: view.Do("imported", behind), Title: t.Say("import.title"), Fields: []chat.Field{
		{ID: "file", Label: t.Say("import.file"), Kind: chat.Upload, Optional: true},
		{ID: "text", Label: t.Say("import.text"), About: t.Say("import.text.about"), Kind: chat.Lines, Optional: true,
			Text: filled["text"]},
		{ID: "rules", Label: t.Say("import.rules"), About: t.Say("import.rules.about"), Kind: chat.Menu, Optional: true,
			Choice: t.Choices(command.GameChoices(), filled["rules"])},
		{ID: "moves", Label: t.Say("import.count"), About: t.Say("import.count.about"), Optional: true, Max: 3,
			Text: filled["moves"]},
		{ID: "opponent", Label: t.Say("new.opponent"), About: t.Say("new.opponent.about"), Kind: chat.Members,
			Optional: true, Member: game.MemberID(opponent)},
	}})
}

func (b *Bot) submitImport(ctx context.Context, r chat.Request, p view.Press) error {
	for name, value := range view.Unpacked(p.Arg, importBehind) {
		if n, _ := strconv.ParseInt(value, 10, 64); value != "" {
			r.Options[name] = chat.Option{Text: value, Number: n}
		}
	}
	err := countable(r.Text("moves", ""))
	if err == nil {
		err = b.importGame(ctx, r)
	}
	return b.tongue(r).Again(r, err, "import", importFields)
}

// countable refuses what a member typed in place of a number of moves.
func countable(typed string) error {
	if n, err := strconv.Atoi(typed); typed != "" && (err != nil || n < 0) {
		return no("import.number", "Text", view.Escape(view.Clip(typed, 20)))
	}
	return nil
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
	return view.ReadRecord(data, rules)
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
	if g.Turn() == game.Empty {
		review, err := b.reviews.Offer(ctx, r, rec.Game)
		if err != nil || review.ID == "" {
			return errors.Join(err, no("import.over"))
		}
		return view.Offering(no("import.over"), review)
	}
	if whom := r.Options["opponent"].Member; whom.ID != 0 && !whom.Own {
		if err := b.host.MayChallenge(ctx, r, whom); err != nil {
			return err
		}
		return b.host.PlayOn(ctx, r, g, game.SeatFor(whom.ID))
	}
	return b.host.PlayOn(ctx, r, g, b.host.EngineSeat(ctx, r, g.Rules()))
}

func (b *Bot) loadCommand() command.Command {
	return command.Command{
		Command: chat.Command{Name: "Load this record", Menu: chat.MessageMenu, Alone: true}, Run: b.menuLoad,
		Presses: map[string]command.Pressed{
			"load": b.pressLoad,
		},
	}
}

// menuLoad shows what is in a message: the board, the facts, and a way to play on.
func (b *Bot) menuLoad(ctx context.Context, r chat.Request) error {
	rec, err := b.load(ctx, r.Loaded.Text, r.Loaded.Files, nil)
	if err != nil {
		return err
	}
	review, err := b.reviews.Offer(ctx, r, rec.Game)
	if err != nil {
		return err
	}
	msg, err := b.tongue(r).Loaded(rec, review)
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
	return b.host.PlayOn(ctx, r, g, game.SeatEngine(3))
}
