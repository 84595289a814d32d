package bot

import (
	"context"
	"slices"
	"strconv"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/venue"
	"tengen/storage"
)

// pressRecap shows the member their recap.
func (b *Bot) pressRecap(ctx context.Context, r chat.Request, _ view.Press) error {
	msg, _, err := b.recap(ctx, b.tongue(r), r.By)
	if err != nil {
		return err
	}
	return b.reply(ctx, r, msg)
}

// recap is what a member has played in the last days, the best win with its picture, and a win that they missed as a
// puzzle. played is false where there was nothing.
func (b *Bot) recap(ctx context.Context, t view.Tongue, who game.MemberID) (msg chat.Message, played bool, err error) {
	recs, err := b.store.History(ctx, who, 0, profileGames)
	if err != nil {
		return msg, false, err
	}
	c := view.RecapOf(who, recs, b.now())
	var picture chat.Block
	var end view.Ruling
	if best, ok := c.Best(); ok {
		end = b.screens.Ruling(ctx, t, best)
		if picture, err = pictureOf(t, best, end, "png"); err != nil {
			return msg, false, err
		}
	}
	missed, _, err := b.puzzles.Missed(ctx, t, who, c.Games)
	return t.Recap(c, picture, end, missed), len(c.Games) > 0, err
}

// recapsAtOnce is how many weekly recaps one sweep sends.
const recapsAtOnce = 50

// sweepRecaps sends the recaps that are due to members who want them.
func (b *Bot) sweepRecaps() {
	ctx := b.tasks.Life
	due, err := b.store.DueRecaps(ctx, b.now(), recapsAtOnce, func(member game.MemberID) bool {
		return b.recaps.Over(member) && b.upkeep.Owns(venue.Place{Channel: uint64(member)})
	})
	if err != nil && ctx.Err() == nil {
		b.log.Error("weekly recaps", "err", err)
	}
	for _, member := range due {
		err := b.tasks.Try(func() error { return b.sendRecap(ctx, member) })
		switch {
		case err == nil:
			b.recaps.Did(member)
		case ctx.Err() == nil:
			b.recaps.Failed(member)
			b.log.Info("weekly recap", "err", err)
		}
	}
}

// sendRecap sends a member the recap that is due, at most once: the store notes that it is taken in hand before it goes
// out. Who has played nothing gets none, and who takes no direct messages gets none any more.
func (b *Bot) sendRecap(ctx context.Context, member game.MemberID) error {
	settings, err := b.store.Member(ctx, member)
	if err != nil {
		return err
	}
	msg, played, err := b.recap(ctx, view.In(settings.Look.Language), member)
	if err != nil {
		return err
	}
	var channel uint64
	if played {
		channel, err = b.chat.Direct(ctx, member)
	}
	if chat.Temporary(err) {
		return err
	}
	now := b.now()
	was, bad := b.store.UpdateRecap(ctx, member, func(r storage.Recap) storage.Recap { return r.After(now) })
	if bad != nil || !played || was.Next.IsZero() || was.Next.After(now) { // another process has taken it in hand
		return bad
	}
	if err == nil {
		msg.Private = false
		nonce := "recap-" + strconv.FormatInt(was.Next.UnixMilli(), 36)
		_, err = b.chat.Send(ctx, chat.To{Channel: channel, Nonce: nonce}, msg)
	}
	if err != nil && slices.Contains([]chat.Trouble{chat.Locked, chat.NoPlace, chat.Gone}, chat.TroubleOf(err)) {
		_, bad = b.store.UpdateRecap(ctx, member, func(storage.Recap) storage.Recap { return storage.Recap{} })
	}
	return bad
}
