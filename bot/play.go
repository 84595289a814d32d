package bot

import (
	"context"
	"slices"

	"tengen/bot/act"
	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/host"
	"tengen/bot/view"
	"tengen/game"
)

func (b *Bot) playCommand(guests bool) command.Command {
	ways := append([]command.Command{
		{Command: chat.Command{Name: "play bot"}, As: "bot", Run: b.playBot},
		{Command: chat.Command{Name: "play member"}, As: "member", Run: b.playMember},
		{Command: chat.Command{Name: "play open"}, As: "anyone", Run: b.playOpen},
	}, slices.Concat(b.seeks.Commands(), b.gathered(), []command.Command{b.watchWay()})...)
	options := []chat.OptionSpec{{Name: "opponent", Type: chat.MemberOption}, command.Choosing("with", "", ways),
		command.Kind(), command.Level(), command.Color(), command.Opening(), command.Clock(), command.Odds(),
		command.Rated(), command.Thread(), command.Note()}
	if guests {
		options = append(options, command.Guest())
	}
	return command.Command{
		Command: chat.Command{Name: "play", Alone: true, Options: options},
		By:      "with", Ways: ways,
		Was:   []string{"new"},
		Opens: true,
		Run:   b.play,
		Offers: map[string]command.Offer{"opening": b.host.OpeningChoices, "clock": b.host.ClockChoices("clock"),
			"odds": b.host.ClockChoices("odds"), host.GuestOption: b.host.GuestChoices},
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
			"rated":   b.press,
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
	t.Rated, t.Odds = false, game.Clock{} // the engine has no clock
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
	t, err := b.host.TermsOfTwo(ctx, r)
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
	t, err := b.host.TermsOfTwo(ctx, r)
	if err != nil {
		return err
	}
	return b.host.Begin(ctx, r, t, game.Seat{})
}

// pressAccept takes a challenge. Who takes an open one in a thread joins the thread.
func (b *Bot) pressAccept(ctx context.Context, r chat.Request, p view.Press) error {
	out, err := b.clerk.Do(ctx, act.Pressed(r, p), b.screens.Cause(r))
	open := out.Before.Phase == game.Offered && out.Before.Seats[1].Kind != game.MemberSeat
	taken := err == nil && open && view.Playing(out.Record.Match)
	if err = b.acted(ctx, r, out, err); err == nil && taken && r.Thread && r.Installed {
		b.host.Enter(out.Record)
	}
	return err
}

// pressRematch asks for another game, or agrees to it, where one may begin.
func (b *Bot) pressRematch(ctx context.Context, r chat.Request, p view.Press) error {
	if err := b.host.AllowedHere(ctx, r); err != nil {
		return err
	}
	return b.press(ctx, r, p)
}
