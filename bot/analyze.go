package bot

import (
	"context"
	"strconv"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/record"
	"tengen/game/study"
)

func (b *Bot) analyzeCommand() command.Command {
	return command.Command{
		Command: chat.Command{Name: "analyze", Alone: true, Options: []chat.OptionSpec{
			{Name: "file", Type: chat.FileOption},
			{Name: "text", Of: "analyze", Type: chat.TextOption, Max: 2000},
			command.Which(),
			{Name: "rules", Type: chat.TextOption, Choices: command.GameChoices()},
			{Name: "moves", Type: chat.NumberOption, Min: 0, Max: 225}}},
		Ways:   []command.Command{{Command: chat.Command{Name: "import"}, Run: b.importOrAsk}},
		Opens:  true,
		Run:    b.analyze,
		Offers: map[string]command.Offer{"game": b.offerAnalyzed},
		Presses: map[string]command.Pressed{
			"look":   b.pressLook,
			"looked": b.submitAnalyze,
			"load":   b.pressLoad,
			"lend":   b.pressLend,
			"lent":   b.chooseLent,
			"import": b.pressImport,
			view.TreeVerb: func(ctx context.Context, r chat.Request, p view.Press) error {
				return b.studies.Tree(ctx, r, p)
			},
			view.NodeVerb: func(ctx context.Context, r chat.Request, p view.Press) error {
				return b.studies.Press(ctx, r, p)
			},
			"imported": b.submitImport,
			"copy":     b.pressCopy,
		},
	}
}

// analyzeFields are the options that the form asks for, but the file.
var analyzeFields = []string{"rules", "moves", "text"}

// analyze opens a game, or what was given to read. Where nothing was, it asks for it.
func (b *Bot) analyze(ctx context.Context, r chat.Request) error {
	switch {
	case r.Text("game", "") != "":
		err := b.studies.OpenNamed(ctx, r, r.Text("game", ""))
		if view.IsRefused(err, "study.gone") {
			err = b.replay(ctx, r)
		}
		return err
	case given(r):
		return b.look(ctx, r)
	}
	return b.askAnalyze(ctx, r, nil)
}

// offerAnalyzed offers the member's studies, and their games.
func (b *Bot) offerAnalyzed(ctx context.Context, r chat.Request) ([]chat.Choice, error) {
	studies, err := b.studies.Offer(ctx, r)
	if err != nil {
		return nil, err
	}
	games, err := b.finder.OfferAny(ctx, r)
	return append(studies, games...), err
}

// given reports whether r brings a record.
func given(r chat.Request) bool { return r.Options["file"].File.URL != "" || r.Text("text", "") != "" }

// askAnalyze opens the form, filled in with what is known.
func (b *Bot) askAnalyze(ctx context.Context, r chat.Request, filled map[string]string) error {
	t := b.tongue(r)
	return b.ask(ctx, r, chat.Form{ID: view.Do("looked", ""), Title: t.Say("import.title"), Fields: []chat.Field{
		{ID: "file", Label: t.Say("import.file"), Kind: chat.Upload, Optional: true},
		{ID: "text", Label: t.Say("import.text"), About: t.Say("import.text.about"), Kind: chat.Lines, Optional: true,
			Text: filled["text"]},
		{ID: "rules", Label: t.Say("import.rules"), About: t.Say("import.rules.about"), Kind: chat.Menu, Optional: true,
			Choice: t.Choices(command.GameChoices(), filled["rules"])},
		{ID: "moves", Label: t.Say("import.count"), About: t.Say("import.count.about"), Optional: true, Max: 3,
			Text: filled["moves"]},
	}})
}

// pressLook opens the form again as it was filled in.
func (b *Bot) pressLook(ctx context.Context, r chat.Request, p view.Press) error {
	return b.askAnalyze(ctx, r, view.Unpacked(p.Arg, analyzeFields))
}

func (b *Bot) submitAnalyze(ctx context.Context, r chat.Request, _ view.Press) error {
	err := countable(r.Text("moves", ""))
	if err == nil {
		err = b.look(ctx, r)
	}
	return b.tongue(r).Again(r, err, "look", analyzeFields)
}

// countable refuses what a member typed in place of a number of moves.
func countable(typed string) error {
	if n, err := strconv.Atoi(typed); typed != "" && (err != nil || n < 0) {
		return no("import.number", "Text", view.Escape(view.Clip(typed, 20)))
	}
	return nil
}

// read is the record that r brings, up to the move that it names, and its branches.
func (b *Bot) read(ctx context.Context, r chat.Request) (record.Record, study.Study, error) {
	rules, _ := game.RulesNamed(r.Text("rules", ""))
	var files []chat.FileTarget
	if f := r.Options["file"].File; f.URL != "" {
		files = append(files, f)
	}
	rec, tree, err := b.load(ctx, r.Text("text", ""), files, rules)
	if err == nil {
		rec.Game = rec.Game.Until(r.Number("moves", rec.Game.Len()))
	}
	return rec, tree, err
}

// load reads a record and its branches from a member's file or text. Its errors are refusals.
func (b *Bot) load(ctx context.Context, text string, files []chat.FileTarget,
	rules game.Rules) (rec record.Record, tree study.Study, err error) {
	data := []byte(text)
	if len(files) > 0 {
		f := files[0]
		if f.Size > chat.LargestFile {
			return rec, tree, no("import.large", "Most", chat.LargestFile>>10)
		}
		if data, err = b.fetch(ctx, f); err != nil {
			b.log.Info("fetch", "err", err)
			return rec, tree, no("import.fetch")
		}
	}
	return view.ReadRecord(data, rules)
}

// look shows what r brings: the board, the facts, and the ways on.
func (b *Bot) look(ctx context.Context, r chat.Request) error {
	rec, tree, err := b.read(ctx, r)
	if err != nil {
		return err
	}
	return b.loaded(ctx, r, rec, tree)
}

// loaded shows a record. Its branches, if it has any, wait as a study for who presses Analyze.
func (b *Bot) loaded(ctx context.Context, r chat.Request, rec record.Record, tree study.Study) error {
	at, err := b.reviews.Named(ctx, r, rec.Game)
	if err != nil {
		return err
	}
	analyze := ""
	switch {
	case tree.Len() > 0:
		analyze, err = b.studies.Keep(ctx, r, tree.Go(rec.Game.Len()))
	case at != view.Press{}:
		analyze = at.Of(view.TreeVerb)
	}
	if err != nil {
		return err
	}
	msg, err := b.tongue(r).Loaded(rec, at, analyze)
	if err != nil {
		return err
	}
	return b.say(ctx, r, msg)
}

// pressCopy opens a study that a member has shared, as a copy for the one who presses: its argument is the node that is
// shown. The study is in the file of the message.
func (b *Bot) pressCopy(ctx context.Context, r chat.Request, p view.Press) error {
	rec, tree, err := b.load(ctx, "", r.Loaded.Files, nil)
	if err != nil {
		return err
	}
	node, _ := strconv.Atoi(p.Arg)
	if tree.Len() == 0 {
		return b.studies.Open(ctx, r, rec.Game, node)
	}
	return b.studies.Copy(ctx, r, tree.Go(node))
}

func (b *Bot) loadCommand() command.Command {
	return command.Command{
		Command: chat.Command{Name: "Load this record", Menu: chat.MessageMenu, Alone: true},
		Run: func(ctx context.Context, r chat.Request) error {
			rec, tree, err := b.load(ctx, r.Loaded.Text, r.Loaded.Files, nil)
			if err != nil {
				return err
			}
			return b.loaded(ctx, r, rec, tree)
		},
	}
}

// shown is the game of a record that a press names.
func (b *Bot) shown(ctx context.Context, r chat.Request, p view.Press) (game.Game, error) {
	if p.Match != 0 {
		rec, err := b.finder.Readable(ctx, r, p.Match)
		return rec.Match.Game(), err
	}
	g, err := view.UnpackGame(p.Arg)
	if err != nil {
		err = no("unknown.button")
	}
	return g, err
}

// pressLoad plays on against the bot.
func (b *Bot) pressLoad(ctx context.Context, r chat.Request, p view.Press) error {
	g, err := b.shown(ctx, r, p)
	if err != nil {
		return err
	}
	return b.host.PlayOn(ctx, r, g, b.host.EngineSeat(ctx, r, g.Rules()))
}

// pressLend asks with whom to play on.
func (b *Bot) pressLend(ctx context.Context, r chat.Request, p view.Press) error {
	t := b.tongue(r)
	return b.say(ctx, r, chat.Private(t.Say("challenge.whom"),
		chat.Block{Select: &chat.Select{ID: p.Of("lent"), Hint: t.Say("challenge.hint"), Members: true}}))
}

// chooseLent challenges the member that was chosen.
func (b *Bot) chooseLent(ctx context.Context, r chat.Request, p view.Press) error {
	g, err := b.shown(ctx, r, p)
	if err != nil {
		return err
	}
	return b.playOnWith(ctx, r, g, r.Target)
}

// playOnWith challenges a member to play on from g.
func (b *Bot) playOnWith(ctx context.Context, r chat.Request, g game.Game, whom chat.MemberTarget) error {
	if err := b.host.MayChallenge(ctx, r, whom); err != nil {
		return err
	}
	return b.host.PlayOn(ctx, r, g, game.SeatFor(whom.ID))
}
