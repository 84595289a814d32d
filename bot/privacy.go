package bot

import (
	"context"
	"encoding/json"
	"fmt"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/view"
	"tengen/storage"
)

// dataWays are what /settings does with all that is stored about a member.
func (b *Bot) dataWays() []command.Command {
	return []command.Command{
		{Command: chat.Command{Name: "privacy export"}, As: "export", Opens: true, Run: b.privacyExport},
		{Command: chat.Command{Name: "privacy delete"}, As: "delete", Opens: true, Run: b.privacyDelete},
	}
}

// privacyExport answers with all that is stored about the asking member.
func (b *Bot) privacyExport(ctx context.Context, r chat.Request) error {
	all, err := b.store.Everything(ctx, r.By)
	if err != nil {
		return err
	}
	data, omitted, err := dossier(all, largestDossier)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	t := b.tongue(r)
	said := t.Say("privacy.export")
	if omitted > 0 {
		said += "\n-# " + t.Say("privacy.cut", "Count", omitted)
	}
	return b.say(ctx, r, chat.Private(said,
		chat.Block{File: &chat.File{Name: "tengen-data.json", Data: data, Text: t.FileText(data)}}))
}

// largestDossier is a size in bytes that Discord takes everywhere.
const largestDossier = 8 << 20

// dossier is all that is stored about a member as JSON, running games first, then the newest.
// It leaves the oldest games out where there would be more than most bytes, and says how many
// it left out.
func dossier(all storage.Dossier, most int) (data []byte, omitted int, err error) {
	games := len(all.Games)
	for {
		if data, err = json.MarshalIndent(all, "", " "); err != nil || len(data) <= most || len(all.Games) == 0 {
			return data, games - len(all.Games), err
		}
		all.Games = all.Games[:len(all.Games)*most/(len(data)+len(data)/8)]
	}
}

func (b *Bot) privacyDelete(ctx context.Context, r chat.Request) error {
	t := b.tongue(r)
	return b.say(ctx, r, chat.Private(t.Say("privacy.sure")).WithRow(
		chat.Button{ID: view.Do("forget", fmt.Sprint(r.By)), Label: t.Say("button.forget"), Style: chat.Danger}))
}

func (b *Bot) pressForget(ctx context.Context, r chat.Request, p view.Press) error {
	if p.Arg != fmt.Sprint(r.By) {
		return no("unknown.button")
	}
	if err := b.Erase(ctx, r.By, r.At); err != nil {
		return err
	}
	return chat.Edit(ctx, b.chat, r, chat.Text(b.tongue(r).Say("privacy.deleted")))
}
