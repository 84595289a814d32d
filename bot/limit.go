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
	for _, id := range l.Matches[:min(len(l.Matches), listed)] {
		if rec, err := b.store.Match(ctx, id); err == nil && rec.Phase != game.Over {
			msg.Blocks = append(msg.Blocks, b.gameBlock(ctx, r, rec, true))
		}
	}
	return msg
}

// endButton ends a match that is not over: it takes a challenge of by's back or declines one
// of another's, stops a game between engines, aborts one that has hardly begun, and otherwise
// asks whether by resigns.
func endButton(t view.Tongue, m game.Match, by game.MemberID) chat.Button {
	verb, label := "resign", t.Say("button.resign")
	switch {
	case view.BetweenEngines(m):
		verb, label = "stop", t.Say("button.stop")
	case m.Phase == game.Offered && m.Owner == by:
		verb, label = "cancel", t.Say("button.cancel")
	case m.Phase == game.Offered:
		verb, label = "decline", t.Say("button.decline")
	case m.Young():
		verb, label = "abort", t.Say("button.abort") // nobody loses a game that has hardly begun
	}
	return chat.Button{ID: view.On(m, verb, ""), Label: label, Style: chat.Danger}
}
