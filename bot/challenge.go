package bot

import (
	"context"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/host"
	"tengen/bot/view"
	"tengen/game"
)

func (b *Bot) challengeCommand() command.Command {
	return command.Command{
		Command: chat.Command{Name: "Challenge to a game",
			Menu: chat.UserMenu},
		Run: b.menuChallenge,
		Presses: map[string]command.Pressed{
			"challenge": b.pressChallenge,
			"whom":      b.chooseWhom,
		},
	}
}

// menuChallenge is the challenge from a member's context menu.
func (b *Bot) menuChallenge(ctx context.Context, r chat.Request) error {
	return b.challenge(ctx, r, r.Target)
}

// pressChallenge asks, on a private screen, whom to challenge: with everything at its default,
// or with the terms of the finished match whose board was pressed.
func (b *Bot) pressChallenge(ctx context.Context, r chat.Request, p view.Press) error {
	if err := host.Overheard(r); err != nil {
		return err
	}
	terms, err := b.termsAgain(ctx, r, p)
	if err != nil {
		return err
	}
	t := b.tongue(r)
	offered := t.Terms(game.Match{Terms: terms, Seats: [2]game.Seat{game.SeatFor(r.By)}})
	p.Verb, p.Arg = "whom", ""
	return b.say(ctx, r, chat.Private(t.Say("challenge.whom")+"\n**"+offered+"**",
		chat.Block{Select: &chat.Select{ID: p.ID(), Hint: t.Say("challenge.hint"), Members: true}}))
}

// chooseWhom challenges the member that was chosen.
func (b *Bot) chooseWhom(ctx context.Context, r chat.Request, p view.Press) error {
	if err := b.host.MayChallenge(ctx, r, r.Target); err != nil {
		return err
	}
	t, err := b.termsAgain(ctx, r, p)
	if err != nil {
		return err
	}
	if t.Rated, err = b.host.Rated(ctx, r, t.Rated, r.Target.ID); err != nil {
		return err
	}
	return b.host.Begin(ctx, r, t, game.SeatFor(r.Target.ID))
}

// termsAgain are the terms of the match that p names, for another game of the asking member,
// who takes the other color. Where p names no match, everything is at its default.
func (b *Bot) termsAgain(ctx context.Context, r chat.Request, p view.Press) (game.Terms, error) {
	if p.Match == 0 {
		return b.host.TermsOfTwo(ctx, r)
	}
	rec, err := b.finder.Readable(ctx, r, p.Match)
	if err != nil {
		return game.Terms{}, err
	}
	t := rec.Match.Terms
	t.Seed, t.Note, t.First = b.random(), "", game.Empty
	t.Rated = t.Rated || rec.Match.AgainstEngine()
	if seat, ok := rec.Match.SeatOf(r.By); ok {
		t.First = rec.Match.BeganAs(seat).Other()
		if seat == 1 && t.Odds != (game.Clock{}) {
			t.Clock, t.Odds = t.Odds, t.Clock
		}
	}
	t = b.host.Redrawn(t)
	if t.Clock != (game.Clock{}) && !r.Installed {
		return t, no("refused.clockAway")
	}
	return t, nil
}
