package bot

import (
	"context"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

// Page is the board as a page, as far as the bot needs it: package web serves it.
type Page interface {
	// Link gives an address that opens a match for a member: once, and within two minutes.
	Link(ctx context.Context, by game.MemberID, id game.MatchID) (string, error)
	// Shared gives the address under which everybody may look at a match, or ends it (on is false).
	Shared(ctx context.Context, by game.MemberID, id game.MatchID, on bool) (string, error)
	// End ends all of a member's pages.
	End(ctx context.Context, by game.MemberID) error
	// Open reports whether a member has a match open in a page that they can see.
	Open(by game.MemberID, id game.MatchID) bool
	// Told hears that a change of a match was committed.
	Told(rec storage.Record)
	// Launched hears that a member's press on a match has opened the Activity in a channel. instance is as Discord
	// names it; empty where Discord's answer was lost.
	Launched(by game.MemberID, id game.MatchID, instance string, channel uint64)
}

// changed tells the desk, and the pages, of a change of a match.
func (b *Bot) changed(rec storage.Record) {
	b.desk.Changed(rec)
	b.told(rec)
}

// told tells the pages alone of a change of a match.
func (b *Bot) told(rec storage.Record) {
	if b.page != nil {
		b.page.Told(rec)
	}
}

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
			b.page.Launched(r.By, rec.ID, instance, r.Place.Channel)
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

// pressShare gives the address under which everybody may look at a match.
func (b *Bot) pressShare(ctx context.Context, r chat.Request, p view.Press) error {
	rec, err := b.onPage(ctx, r, p.Match)
	if err != nil {
		return err
	}
	if !view.Sits(rec.Match, r.By) {
		return &game.Refusal{Code: game.NotSeated}
	}
	if rec.Place.Server != 0 {
		s, err := b.store.Server(ctx, rec.Place.Server)
		if err != nil {
			return err
		}
		if s.More[view.MoreLinks] == "off" {
			return no("pages.linksOff")
		}
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
