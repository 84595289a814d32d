package bot

import (
	"cmp"
	"context"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/host"
	"tengen/bot/screen"
	"tengen/bot/view"
	"tengen/game"
)

func (b *Bot) playCommand(guests bool) command.Command {
	ways := append([]command.Command{
		{Command: chat.Command{Name: "play bot"}, As: "bot", Run: b.playBot},
		{Command: chat.Command{Name: "play member"}, As: "member", Run: b.playMember},
		{Command: chat.Command{Name: "play open"}, As: "anyone", Run: b.playOpen},
	}, append(b.gathered(), b.watchWay())...)
	options := []chat.OptionSpec{{Name: "opponent", Type: chat.MemberOption}, command.Choosing("with", "", ways),
		command.Kind(), command.Level(), command.Color(), command.Opening(), command.Clock(), command.Rated(),
		command.Thread(), command.Note()}
	if guests {
		options = append(options, command.Guest())
	}
	return command.Command{
		Command: chat.Command{Name: "play", Alone: true, Options: options},
		By:      "with", Ways: ways,
		Was:    []string{"new"},
		Opens:  true,
		Run:    b.play,
		Offers: map[string]command.Offer{"opening": b.completeOpening, host.GuestOption: b.completeGuest},
		Presses: map[string]command.Pressed{
			"menu":    b.pressMenu,
			"new":     b.pressNew,
			"begin":   b.submitNew,
			"start":   b.pressStart,
			"accept":  b.pressAccept,
			"decline": b.press,
			"cancel":  b.press,
			"color":   b.press,
			"casual":  b.press,
			"rated":   b.pressRated,
			"rematch": b.pressRematch,
		},
	}
}

// play opens the menu where nothing is chosen. Else whoever is named is the opponent, or it is the bot.
func (b *Bot) play(ctx context.Context, r chat.Request) error {
	switch whom := r.Options["opponent"].Member; {
	case len(r.Options) == 0:
		return b.openMenu(ctx, r, nil)
	case whom.ID == 0 || whom.Own:
		return b.playBot(ctx, r)
	}
	return b.playMember(ctx, r)
}

// pressStart begins a game against the bot with everything at its default.
func (b *Bot) pressStart(ctx context.Context, r chat.Request, p view.Press) error {
	r.Options = map[string]chat.Option{"game": {Text: p.Arg}, "color": {Text: "black"}}
	return b.playBot(ctx, r)
}

func (b *Bot) playBot(ctx context.Context, r chat.Request) error {
	t, err := b.host.Terms(ctx, r)
	if err != nil {
		return err
	}
	t.Rated = false
	seat, err := b.host.GuestSeat(r, t.Rules)
	if err == nil && seat.Guest == "" {
		seat = b.host.EngineSeat(ctx, r, t.Rules)
	}
	if err != nil {
		return err
	}
	return b.host.Begin(ctx, r, t, seat)
}

func (b *Bot) playMember(ctx context.Context, r chat.Request) error {
	whom := r.Options["opponent"].Member
	if whom.ID == 0 && r.Kind == chat.Slash {
		return b.openMenu(ctx, r, chosenBy(r))
	}
	return b.challenge(ctx, r, whom)
}

func (b *Bot) challenge(ctx context.Context, r chat.Request, whom chat.MemberTarget) error {
	if err := b.host.MayChallenge(ctx, r, whom); err != nil {
		return err
	}
	t, err := b.host.Terms(ctx, r)
	if err != nil {
		return err
	}
	if t.Rated, err = b.host.Rated(ctx, r, t.Rated, whom.ID); err != nil {
		return err
	}
	return b.host.Begin(ctx, r, t, game.SeatFor(whom.ID))
}

func (b *Bot) playOpen(ctx context.Context, r chat.Request) error {
	if err := host.Overheard(r); err != nil {
		return err
	}
	t, err := b.host.Terms(ctx, r)
	if err != nil {
		return err
	}
	return b.host.Begin(ctx, r, t, game.Seat{})
}

func (b *Bot) pressAccept(ctx context.Context, r chat.Request, p view.Press) error {
	rec, err := b.finder.Match(ctx, p.Match)
	if err != nil {
		return err
	}
	if m := rec.Match; m.Phase == game.Offered && m.Seats[0].Member != r.By {
		asked := m.Seats[0].Member
		if m.Seats[1].Kind != game.MemberSeat {
			if err := b.host.Wanted(ctx, r.By, asked, true); err != nil {
				return err
			}
		}
		if err := b.host.Rateable(ctx, r, m.Rated, asked); err != nil {
			return err
		}
	}
	open := rec.Match.Phase == game.Offered && rec.Match.Seats[1].Kind != game.MemberSeat
	err = b.press(ctx, r, p)
	if rec, e := b.store.Match(ctx, p.Match); open && r.Thread && r.Installed && err == nil && e == nil &&
		view.Playing(rec.Match) {
		b.host.Enter(rec)
	}
	return err
}

// pressRated asks that a casual challenge be rated, or agrees to it, as far as the day allows.
func (b *Bot) pressRated(ctx context.Context, r chat.Request, p view.Press) error {
	rec, err := b.finder.Match(ctx, p.Match)
	if err != nil {
		return err
	}
	if seat, ok := rec.SeatOf(r.By); ok && rec.Seats[1-seat].Kind == game.MemberSeat {
		if err := b.host.Rateable(ctx, r, true, rec.Seats[1-seat].Member); err != nil {
			return err
		}
	}
	return b.press(ctx, r, p)
}

func (b *Bot) pressRematch(ctx context.Context, r chat.Request, p view.Press) error {
	seed := b.random()
	cause := b.screens.Cause(r)
	if cause.Token != "" {
		cause.Second = screen.FollowUp(cause.Token) // the interaction's own answer stays the old board
	}
	before, err := b.finder.Match(ctx, p.Match)
	if err != nil {
		return err
	}
	if err := cmp.Or(b.host.StillHere(before.Match), b.host.AllowedHere(ctx, r)); err != nil {
		return err
	}
	rated := before.Rated
	if seat, ok := before.SeatOf(r.By); ok && rated {
		rated = !view.IsRefused(b.host.Rateable(ctx, r, rated, before.Seats[1-seat].Member), "limit.rated")
	}
	old, made, err := b.store.Rematch(ctx, p.Match, cause,
		func(m game.Match, next game.MatchID) (game.Match, game.Match, error) {
			wish := m.Rematch
			if p.Arg == "balanced" {
				wish = m.RematchBalanced
			}
			m, err := wish(r.By, next, r.At)
			if err != nil || m.Next == 0 {
				return m, game.Match{}, err
			}
			s, err := host.Changed(m, p.Arg).Successor(b.balanced(m.Rules, seed), seed, r.At)
			s.Rated = s.Rated && rated
			return m, b.clocks.OnTime(s), err
		})
	if err != nil {
		return b.stale(ctx, r, p.Match, err)
	}
	if made.ID == 0 {
		return b.screens.Show(ctx, r, old.ID, "")
	}
	b.desk.Changed(made)
	if err := b.screens.Show(ctx, r, old.ID, ""); err != nil {
		return err
	}
	b.screens.Refresh(made.ID, true)
	return nil
}
