package bot

import (
	"context"
	"slices"
	"time"

	"tengen/bot/act"
	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

// tapped are the verbs of a page. The others need what a press alone says, such as who moderates the channel.
var tapped = []string{"play", "decide", "undo", "unoffer", "undoyes", "undono", "draw", "drawyes", "drawno", "accept",
	"decline", "cancel", "color", "casual", "rated", "here", "resignsure", "abort"}

// Tap carries out what a member does on a page, for the position that the page showed: once for each number, however
// often the page sends it. Like that of a press, its board comes to the channel. said is what the board does not say.
func (b *Bot) Tap(ctx context.Context, by game.MemberID, at time.Time, p view.Press, number uint64) (said string,
	err error) {
	if !slices.Contains(tapped, p.Verb) {
		return "", no("unknown.button")
	}
	a := act.Act{Match: p.Match, Verb: p.Verb, Arg: p.Arg, By: by, At: at}.For(p.Stamp)
	out, err := b.Act(ctx, a, storage.Cause{Number: number, By: by, At: at})
	if err != nil {
		return "", err
	}
	return out.Remark(b.tongue(chat.Request{By: by})), nil
}
