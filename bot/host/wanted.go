package host

import (
	"context"
	"slices"
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

// MayChallenge refuses a challenge that nobody could accept, or that its member does not want.
func (h *Host) MayChallenge(ctx context.Context, r chat.Request, whom chat.MemberTarget) error {
	switch {
	case whom.ID == 0:
		return view.No("challenge.whom")
	case whom.ID == r.By:
		return &game.Refusal{Code: game.Yourself}
	case whom.Bot:
		return view.No("refused.bot")
	}
	if err := Overheard(r); err != nil {
		return err
	}
	return h.Wanted(ctx, r.By, whom.ID, false)
}

// Overheard refuses a challenge that nobody else could see: in the bot's own direct messages,
// and where Discord shows the bot's answers to the asking member alone.
func Overheard(r chat.Request) error {
	switch {
	case r.Alone:
		return view.No("refused.alone")
	case !r.Installed && !r.Direct && !r.Allowed.External:
		return view.No("refused.hidden")
	}
	return nil
}

// Wanted refuses a challenge that the other member does not want. With open the other member
// has offered the game to all, and only a block counts.
func (h *Host) Wanted(ctx context.Context, from, to game.MemberID, open bool) error {
	member, err := h.Store.Member(ctx, to)
	if err != nil {
		return err
	}
	if member.Challenges == storage.FromNobody && !open || member.Blocks(from) {
		return view.No("refused.unwelcome", "Who", view.Mention(to))
	}
	return nil
}

// Rateable refuses a rated game of two members who have played as many today as may count.
func (h *Host) Rateable(ctx context.Context, rated bool, one, other game.MemberID, at time.Time) error {
	if !rated {
		return nil
	}
	n, err := h.Store.RatedToday(ctx, one, other, at)
	if err == nil && n >= storage.RatedPerDay {
		return view.No("limit.rated")
	}
	return err
}

// Rated reports whether a challenge of another member is rated that would be, as far as the day allows: beyond that
// it is casual, unless r asks for more.
func (h *Host) Rated(ctx context.Context, r chat.Request, rated bool, other game.MemberID) (bool, error) {
	err := h.Rateable(ctx, rated, r.By, other, r.At)
	if view.IsRefused(err, "limit.rated") && !r.Yes("rated", false) {
		return false, nil
	}
	return rated, err
}

// Post answers r with a message that everybody in the channel sees, where the server allows that.
func (h *Host) Post(ctx context.Context, r chat.Request, m chat.Message) error {
	if err := h.AllowedHere(ctx, r); err != nil {
		return err
	}
	return h.post(ctx, r, m)
}

// post answers r with a message that everybody in the channel sees.
func (h *Host) post(ctx context.Context, r chat.Request, m chat.Message) error {
	_, err := h.Chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Say, Message: m})
	return err
}

// AllowedHere refuses to begin something here that everybody sees, or to bring it here, where the server
// allows games only in other channels. A thread counts as its channel. Those who manage the server or its
// messages may do so everywhere, and private answers are given everywhere.
func (h *Host) AllowedHere(ctx context.Context, r chat.Request) error {
	in := r.Place.Channel
	if r.Thread {
		in = r.Parent
	}
	if r.Place.Server == 0 || r.Manages || r.Governs || in == 0 {
		return nil
	}
	server, err := h.Store.Server(ctx, r.Place.Server)
	if err != nil {
		return err
	}
	if len(server.Channels) == 0 {
		return nil
	}
	if slices.Contains(server.Channels, in) {
		return nil
	}
	return view.No("refused.channel", "Channel", view.Channel(server.Channels[0]))
}
