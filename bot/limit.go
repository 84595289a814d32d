package bot

import (
	"context"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

// limitNames are the catalogue's names of the store's limits.
var limitNames = [...]string{storage.OpenLimit: "challenges", storage.PairLimit: "pair", storage.RunningLimit: "games",
	storage.EngineLimit: "engineGames", storage.WatchLimit: "watches"}

// overLimit words the store's refusal of a match that is one too many, and lists the matches
// that count, each with the button that ends it. The matches of another member are not listed.
func (b *Bot) overLimit(ctx context.Context, r chat.Request, l *storage.Limit) chat.Message {
	t := b.tongue(r)
	if l.Member != r.By {
		return chat.Private(t.Say("limit.theirs", "Who", view.Mention(l.Member)))
	}
	msg := chat.Private(t.Say("limit."+limitNames[l.Kind], "Count", l.Max))
	for _, id := range l.Matches[:min(len(l.Matches), view.Listed)] {
		if rec, err := b.store.Match(ctx, id); err == nil && rec.Phase != game.Over {
			msg.Blocks = append(msg.Blocks, b.gameBlock(ctx, r, rec, true))
		}
	}
	return msg
}
