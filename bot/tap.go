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
	"decline", "cancel", "color", "casual", "rated", "here", "resignsure", "abort", "rematch"}

// Tap carries out what a member does on a page, for the position that the page showed: once for each number, however
// often the page sends it. Like that of a press, its board comes to the channel. said is what the board does not say.
func (b *Bot) Tap(ctx context.Context, by game.MemberID, at time.Time, p view.Press, number uint64) (said string,
	err error) {
	if !slices.Contains(tapped, p.Verb) {
		return "", no("unknown.button")
	}
	if b.ordered().BansMember(by) {
		return "", no("refused.banned")
	}
	if p.Verb == "rematch" {
		if err := b.mayBegin(ctx, by, at, p.Match); err != nil {
			return "", err
		}
	}
	a := act.Act{Match: p.Match, Verb: p.Verb, Arg: p.Arg, By: by, At: at}.For(p.Stamp)
	out, err := b.Act(ctx, a, storage.Cause{Number: number, By: by, At: at})
	if err != nil {
		return "", err
	}
	return out.Remark(b.tongue(chat.Request{By: by})), nil
}

// mayBegin asks what a press on the board of the match is asked (Bot.pressRematch). A press says in which channel its
// thread is; for a page Discord is asked, where that matters. Who manages the channel, a page does not know: they
// begin one there by a press.
func (b *Bot) mayBegin(ctx context.Context, by game.MemberID, at time.Time, id game.MatchID) error {
	rec, err := b.store.Match(ctx, id)
	if err != nil {
		return err
	}
	r := chat.Request{By: by, At: at, Place: rec.Place}
	refused := b.host.AllowedHere(ctx, r)
	if !view.IsRefused(refused, "refused.channel") {
		return refused
	}
	if r.Parent, err = b.chat.Parent(ctx, rec.Place.Channel); err != nil {
		b.log.Info("asking for the channel of a thread", "match", view.Name(id), "err", err)
	}
	if r.Thread = r.Parent != 0; !r.Thread {
		return refused
	}
	return b.host.AllowedHere(ctx, r)
}

// AskReview has the review of a match made, for a member who played in it and looks at its page.
func (b *Bot) AskReview(ctx context.Context, by game.MemberID, at time.Time, id game.MatchID) error {
	return b.reviews.Ask(ctx, by, at, id)
}

// TryAgain does on a member's page what presses on the trial board of a review do.
func (b *Bot) TryAgain(ctx context.Context, t view.Tongue, by game.MemberID, p view.Press) (view.Tried, error) {
	return b.reviews.Tap(ctx, t, by, p)
}
