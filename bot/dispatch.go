package bot

import (
	"context"
	"errors"
	"strings"
	"time"

	"tengen/bot/act"
	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

// dispatch runs the command that r is for.
func (b *Bot) dispatch(ctx context.Context, r chat.Request) error {
	switch r.Kind {
	case chat.Entry:
		return b.enter(ctx, r)
	case chat.Complete:
	default:
		return b.commands.Run(ctx, r)
	}
	choices, err := b.commands.Offered(ctx, r)
	if err != nil {
		return err
	}
	_, err = b.chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Offer, Choices: choices})
	return err
}

// act carries out what a member does in a match, and answers r with the board.
func (b *Bot) act(ctx context.Context, r chat.Request, a act.Act) error {
	out, err := b.clerk.Do(ctx, a, b.screens.Cause(r))
	return b.acted(ctx, r, out, err)
}

// asked does what a verb says in a match, whatever stands there.
func (b *Bot) asked(verb string) func(context.Context, chat.Request, game.MatchID) error {
	return func(ctx context.Context, r chat.Request, id game.MatchID) error {
		return b.act(ctx, r, act.Asked(r, id, verb, ""))
	}
}

// inMatch is c as a command that does something in the member's match here, or in the one that they choose. The
// command's choice of matches goes on with verb.
func (b *Bot) inMatch(verb string, do func(context.Context, chat.Request, game.MatchID) error,
	c command.Command) command.Command {
	c.Run = func(ctx context.Context, r chat.Request) error {
		rec, found, err := b.finder.Find(ctx, r, verb, "", view.Playing)
		if err != nil || !found {
			return err
		}
		return do(ctx, r, rec.ID)
	}
	c.Which = command.In(do)
	c.Offers = map[string]command.Offer{"game": b.finder.OfferRunning}
	return c
}

// press carries out the act of a press that needs no more.
func (b *Bot) press(ctx context.Context, r chat.Request, p view.Press) error {
	return b.act(ctx, r, act.Pressed(r, p))
}

// acted answers r by what has come of its act.
func (b *Bot) acted(ctx context.Context, r chat.Request, out act.Outcome, err error) error {
	id := out.Act.Match
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return no("unknown.match")
	case err != nil:
		return b.stale(ctx, r, id, err)
	}
	if err := b.screens.Show(ctx, r, id, out.Remark(b.tongue(r))); err != nil {
		return err
	}
	b.begun(out)
	return nil
}

// begun shows the match that an act has begun.
func (b *Bot) begun(out act.Outcome) {
	if out.Next.ID != 0 {
		b.screens.Refresh(out.Next.ID, true)
	}
}

// Act carries out what a member does elsewhere than in the chat, once for the interaction of its cause: out answers
// the member, and the boards of the channel follow. A refusal is an error that a view.Tongue gives a reason for. Who
// the member is, and that they may see the match, the caller knows.
func (b *Bot) Act(ctx context.Context, a act.Act, c storage.Cause) (out act.Outcome, err error) {
	if err := b.clocks.Settle(ctx); err != nil {
		return out, err
	}
	if out, err = b.clerk.Do(ctx, a, b.screens.Claiming(c)); err == nil {
		b.screens.Refresh(a.Match, false)
		b.begun(out)
	}
	return out, err
}

// no refuses a request for a reason of the bot's own: a key of the catalogue with its arguments.
func no(key string, args ...any) error { return view.No(key, args...) }

// say answers r with a new message for the asking member alone.
func (b *Bot) say(ctx context.Context, r chat.Request, msg chat.Message) error {
	return chat.Tell(ctx, b.chat, r, msg)
}

// reply answers r with msg: in place of the private message whose button was pressed, else
// as a new message.
func (b *Bot) reply(ctx context.Context, r chat.Request, msg chat.Message) error {
	return chat.Reply(ctx, b.chat, r, msg)
}

// ask answers r with a form.
func (b *Bot) ask(ctx context.Context, r chat.Request, f chat.Form) error {
	_, err := b.chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Ask, Form: f})
	return err
}

// stale answers a press that was refused. Where the pressed message is out of date, it brings the
// message up to date first, and the reason follows for the member alone.
func (b *Bot) stale(ctx context.Context, r chat.Request, id game.MatchID, cause error) error {
	var rule *game.Refusal
	if !r.Kind.Component() || !errors.As(cause, &rule) {
		return cause
	}
	corrected, err := b.screens.Correct(ctx, r, id, rule.Code, func(rec storage.Record) string {
		if rule.Code == game.Moved && twice(rec.Match, r) {
			return "" // a double click
		}
		why, _ := b.tongue(r).Reason(cause)
		return why
	})
	if !corrected {
		return cause
	}
	return err
}

// twice reports whether a press asks for the move that its member has just made.
func twice(m game.Match, r chat.Request) bool {
	p, err := view.ParsePress(r.Custom)
	made := m.Made()
	if err != nil || p.Verb != "play" && p.Verb != "sure" && p.Verb != "decide" {
		return false
	}
	for i := len(made) - 1; i >= max(len(m.Given), len(made)-2); i-- {
		seat := m.Seats[made[i].Seat]
		if seat.Kind == game.MemberSeat && seat.Member == r.By {
			return strings.EqualFold(p.Arg, made[i].Decision().String()) && r.At.Sub(made[i].At).Abs() < 5*time.Second
		}
	}
	return false
}
