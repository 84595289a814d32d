package bot

import (
	"context"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

// onPage gives the match of a press that needs the page.
func (b *Bot) onPage(ctx context.Context, r chat.Request, id game.MatchID) (storage.Record, error) {
	if b.page == nil {
		return storage.Record{}, no("pages.off")
	}
	return b.finder.Readable(ctx, r, id)
}

// pressPage opens the board as a page: in Discord where the member may open the Activity, else by a link into their
// own browser. The link acts for them, so that only those who play get one.
func (b *Bot) pressPage(ctx context.Context, r chat.Request, p view.Press) error {
	rec, err := b.onPage(ctx, r, p.Match)
	if err != nil {
		return err
	}
	if r.Launches {
		instance, err := b.chat.Launch(ctx, r.Ticket())
		if err == nil {
			b.page.Launched(r.By, rec.ID, instance)
			return nil
		}
		b.log.Info("launch", "match", view.Name(rec.ID), "err", err) // whatever it is, a link may work
	}
	if !view.Sits(rec.Match, r.By) {
		return no("pages.seats")
	}
	link, err := b.page.Link(ctx, r.By, rec.ID)
	if err != nil {
		return err
	}
	return b.say(ctx, r, b.tongue(r).PageLink(link))
}

// enter opens the Activity with the games of the channel.
func (b *Bot) enter(ctx context.Context, r chat.Request) error {
	if b.page == nil || !r.Launches {
		return no("pages.off")
	}
	_, err := b.chat.Launch(ctx, r.Ticket())
	return err
}

// pressShare gives the address under which everybody may look at a match. The page refuses who may not share it.
func (b *Bot) pressShare(ctx context.Context, r chat.Request, p view.Press) error {
	rec, err := b.onPage(ctx, r, p.Match)
	if err != nil {
		return err
	}
	link, err := b.page.Shared(ctx, r.By, rec.ID, true)
	if err != nil {
		return err
	}
	return b.reply(ctx, r, b.tongue(r).Shared(rec.Match, link))
}

// pressUnshare ends the sharing of a match, for those who play and for who manages the place.
func (b *Bot) pressUnshare(ctx context.Context, r chat.Request, p view.Press) error {
	rec, err := b.onPage(ctx, r, p.Match)
	if err != nil {
		return err
	}
	if !view.Sits(rec.Match, r.By) && !view.Unshares(rec, r) {
		return &game.Refusal{Code: game.NotSeated}
	}
	if _, err := b.page.Shared(ctx, r.By, rec.ID, false); err != nil {
		return err
	}
	return b.reply(ctx, r, chat.Private(b.tongue(r).Say("pages.unshared")))
}

// pressSignOut ends all pages of the asking member.
func (b *Bot) pressSignOut(ctx context.Context, r chat.Request, _ view.Press) error {
	if b.page == nil {
		return no("pages.off")
	}
	if err := b.page.End(ctx, r.By); err != nil {
		return err
	}
	return b.say(ctx, r, chat.Private(b.tongue(r).Say("pages.left")))
}
