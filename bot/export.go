package bot

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/record"
	"tengen/render"
	"tengen/storage"
)

func (b *Bot) exportWay() command.Command {
	return command.Command{
		Command: chat.Command{Name: "export"}, As: "export",
		Run: b.export,
		Presses: map[string]command.Pressed{
			"export": b.pressExport,
			"post":   b.pressPost,
		},
		Which:  b.exportIn,
		Offers: map[string]command.Offer{"game": b.finder.OfferAny},
	}
}

func (b *Bot) export(ctx context.Context, r chat.Request) error {
	format := r.Text("format", "sgf")
	rec, found, err := b.finder.Past(ctx, r, "export", format)
	if err != nil || !found {
		return err
	}
	return b.exportIn(ctx, r, rec.ID, format)
}

func (b *Bot) pressExport(ctx context.Context, r chat.Request, p view.Press) error {
	return b.exportIn(ctx, r, p.Match, p.Arg)
}

// exportIn answers with the game as a file, for the asking member alone.
func (b *Bot) exportIn(ctx context.Context, r chat.Request, id game.MatchID, format string) error {
	rec, err := b.finder.Readable(ctx, r, id)
	if err != nil {
		return err
	}
	m, t := rec.Match, b.tongue(r)
	name := "tengen-" + strings.ToLower(view.Name(m.ID)) + "." + format
	msg := chat.Private(t.Title(m, r.By))
	switch format {
	case "png", "gif":
		picture, err := pictureOf(t, rec, b.screens.Ruling(ctx, t, rec), format)
		if err != nil {
			return err
		}
		msg.Blocks = append(msg.Blocks, picture)
	default:
		data, err := view.File(m, format)
		var unfit *record.Unfit
		if errors.As(err, &unfit) {
			can := []string{}
			for _, f := range exportFormats {
				one, ok := record.FormatNamed(f)
				if always := f == "txt" || f == "png" || f == "gif"; always || ok && slices.Contains(unfit.Can, one) {
					can = append(can, f)
				}
			}
			return no("refused.unfit", "Format", format, "Can", can)
		}
		if errors.Is(err, view.ErrNoFormat) {
			return no("unknown.format")
		}
		if err != nil {
			return err
		}
		msg.Blocks = append(msg.Blocks, chat.Block{File: &chat.File{Name: name, Data: data, Text: t.FileText(data)}})
		if view.StonesOnly(m, format) {
			msg.Blocks = append(msg.Blocks, chat.Block{Text: "-# " + t.Say("export.stonesOnly", "Format", format)})
		}
	}
	return b.say(ctx, r, msg)
}

// pictureOf is a game's last position, or with format "gif" the game as an animation.
func pictureOf(t view.Tongue, m storage.Record, end view.Ruling, format string) (chat.Block, error) {
	draw := render.PNG
	if format == "gif" {
		draw = render.GIF
	}
	data, err := view.Draw(draw, m.Game(), render.Options{Theme: m.Look.Theme, Numbers: view.Numbered(m.Look.Numbers)})
	if err != nil {
		return chat.Block{}, fmt.Errorf("drawing: %w", err)
	}
	name := "tengen-" + strings.ToLower(view.Name(m.ID)) + "." + format
	return chat.Block{Picture: &chat.Picture{Name: name, Data: data, Alt: t.Alt(m.Match, end),
		Text: view.PlainBoard(m.Game())}}, nil
}

// exportFormats are the formats that members can ask for.
var exportFormats = []string{"sgf", "psq", "ggf", "lib", "txt", "png", "gif"}
