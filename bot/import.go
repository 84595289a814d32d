package bot

import (
	"context"
	"errors"
	"strconv"

	"tengen/bot/chat"
	"tengen/bot/view"
)

// Before /analyze there was /import, which plays on at once. A client may still show it, and a form of it may
// still be open.

// importFields and importBehind are what its form held: in its fields, and in its id.
var (
	importFields = []string{"rules", "opponent", "moves", "level", "color", "text"}
	importBehind = []string{"level", "color"}
)

func (b *Bot) importOrAsk(ctx context.Context, r chat.Request) error {
	if given(r) {
		return b.importGame(ctx, r)
	}
	return b.askAnalyze(ctx, r, nil)
}

func (b *Bot) pressImport(ctx context.Context, r chat.Request, p view.Press) error {
	return b.askAnalyze(ctx, r, view.Unpacked(p.Arg, importFields))
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
	return b.tongue(r).Again(r, err, "look", analyzeFields)
}

func (b *Bot) importGame(ctx context.Context, r chat.Request) error {
	rec, _, err := b.read(ctx, r)
	if err != nil {
		return err
	}
	g := rec.Game
	if g.Turn() == 0 {
		at, err := b.reviews.Named(ctx, r, g)
		if err != nil || g.Len() == 0 {
			return errors.Join(err, no("import.over"))
		}
		return view.Offering(no("import.over"), b.tongue(r).ReviewRecord(at))
	}
	if whom := r.Options["opponent"].Member; whom.ID != 0 && !whom.Own {
		return b.playOnWith(ctx, r, g, whom)
	}
	return b.host.PlayOn(ctx, r, g, b.host.EngineSeat(ctx, r, g.Rules()))
}
