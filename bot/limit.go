package bot

import (
	"context"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

// limitNames are the catalogue's names of the store's limits. That of a pair is worded by
// pairLimit.
var limitNames = [...]string{storage.OpenLimit: "challenges", storage.RunningLimit: "games",
	storage.EngineLimit: "engineGames", storage.WatchLimit: "watches"}

// overLimit words the store's refusal of a match that is one too many, and lists the matches
// that count, each with the button that ends it. The matches of another member are not listed.
func (b *Bot) overLimit(ctx context.Context, r chat.Request, l *storage.Limit) chat.Message {
	t := b.tongue(r)
	if l.Member != r.By {
		return chat.Private(t.Say("limit.theirs", "Who", view.Mention(l.Member)))
	}
	var recs []storage.Record
	for _, id := range l.Matches[:min(len(l.Matches), view.Listed)] {
		if rec, err := b.store.Match(ctx, id); err == nil && rec.Phase != game.Over {
			recs = append(recs, rec)
		}
	}
	said := ""
	switch {
	case l.Kind != storage.PairLimit:
		said = t.Say("limit."+limitNames[l.Kind], "Count", l.Max)
	case len(recs) == 0: // it was answered meanwhile
		said = t.Say("refused.notOffered")
	default:
		said = pairLimit(t, recs[0], r.By)
	}
	msg := chat.Private(said)
	for _, rec := range recs {
		if l.Kind == storage.PairLimit && rec.Owner != r.By { // the other one has challenged first
			return chat.Private(said, b.gameBlock(ctx, r, rec, false)).WithRow(t.Answers(rec.Match)...)
		}
		msg.Blocks = append(msg.Blocks, b.gameBlock(ctx, r, rec, true))
	}
	return msg
}

// pairLimit says to one of two members who has already challenged whom.
func pairLimit(t view.Tongue, rec storage.Record, by game.MemberID) string {
	if rec.Seats[0].Member == by {
		return t.Say("limit.pair.mine", "Who", t.Seat(rec.Seats[1]))
	}
	return t.Say("limit.pair.theirs", "Who", t.Seat(rec.Seats[0]))
}
