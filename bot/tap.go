package bot

import (
	"context"
	"errors"
	"slices"
	"time"

	"tengen/bot/act"
	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
	"tengen/storage/kv"
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
	if err := b.clocks.Settle(b.tasks.Life); err != nil {
		b.upkeep.Troubled("giving time back", err)
	}
	r := chat.Request{Kind: chat.Press, By: by, At: at}
	rec, err := b.finder.Match(ctx, p.Match)
	if err == nil {
		err = b.allowed(ctx, r, rec, p.Verb)
	}
	if err != nil {
		return "", err
	}
	cause := b.screens.Claiming(storage.Cause{Number: number, By: by, At: at})
	if rec, err = b.update(ctx, p.Match, cause, act.Pressed(r, p).Do); err != nil {
		return "", err
	}
	b.screens.Refresh(rec.ID, false)
	if remark := remarks[p.Verb]; remark != nil {
		said = remark(b.tongue(r), rec)
	}
	return said, nil
}

// allowed refuses an act for reasons outside its match: what two members want of each other, what the day allows, and
// what is played for an event.
func (b *Bot) allowed(ctx context.Context, r chat.Request, rec storage.Record, verb string) error {
	m := rec.Match
	seat, sits := m.SeatOf(r.By)
	switch {
	case verb == "accept" && m.Phase == game.Offered && m.Seats[0].Member != r.By:
		asked := m.Seats[0].Member
		if m.Seats[1].Kind != game.MemberSeat {
			if err := b.host.Wanted(ctx, r.By, asked, true); err != nil {
				return err
			}
		}
		return b.host.Rateable(ctx, r, m.Rated, asked)
	case verb == "rated" && sits && m.Seats[1-seat].Kind == game.MemberSeat:
		return b.host.Rateable(ctx, r, true, m.Seats[1-seat].Member)
	case verb == "abort":
		counts, err := b.counts(ctx, rec)
		if err == nil && counts && sits {
			err = no("refused.abortContest")
		}
		return err
	}
	return nil
}

// tellPage tells the page what other processes change, until the bot ends.
func (b *Bot) tellPage() {
	for {
		err := b.store.WatchMatches(b.tasks.Life, b.page.Told)
		if errors.Is(err, kv.ErrNoWatch) || !b.tasks.Sleep(time.Second) {
			return
		}
		b.log.Info("listening for pages again", "err", err)
	}
}
