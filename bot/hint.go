package bot

import (
	"context"
	"time"

	"tengen/ai"
	"tengen/bot/act"
	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

func (b *Bot) hintCommand() command.Command {
	return command.Command{
		Command: chat.Command{Name: "hint", Alone: true,
			Options: []chat.OptionSpec{command.Which()}},
		Run: b.hint,
		Presses: map[string]command.Pressed{
			"hint": command.Press(b.hintIn),
		},
		Which:  command.In(b.hintIn),
		Offers: map[string]command.Offer{"game": b.finder.OfferRunning},
	}
}

// hintTime is how long the search for a hint takes.
const hintTime = 400 * time.Millisecond

func (b *Bot) hint(ctx context.Context, r chat.Request) error {
	rec, found, err := b.finder.Turn(ctx, r, "hint", "")
	if err != nil || !found {
		return err
	}
	return b.hintIn(ctx, r, rec.ID)
}

// hintIn shows the asking member alone what the engine would play.
func (b *Bot) hintIn(ctx context.Context, r chat.Request, id game.MatchID) error {
	rec, err := b.finder.Readable(ctx, r, id)
	if err != nil {
		return err
	}
	m := rec.Match
	switch {
	case !view.Sits(m, r.By):
		return &game.Refusal{Code: game.NotSeated}
	case !m.AgainstEngine():
		return no("refused.hintBetween")
	case !view.TurnOf(r.By)(m):
		return &game.Refusal{Code: game.NotYourTurn}
	case m.Deciding():
		return no("refused.hintOpening")
	}
	if _, waits := b.asking.LoadOrStore(r.By, true); waits { // each member may have one search at a time
		return no("refused.hintComing")
	}
	defer b.asking.Delete(r.By)
	cause := storage.Cause{Interaction: r.ID, At: r.At}
	if _, err := b.clerk.Do(ctx, act.Asked(r, id, "hint", ""), cause); err != nil {
		return err
	}
	defer b.screens.Refresh(id, false)
	report, err := b.desk.Advise(ctx, m.Game(), ai.Limits{Time: hintTime, Seed: m.Seed})
	if err != nil {
		return err
	}
	msg, err := b.tongue(r).Hint(rec, report)
	if err != nil {
		return err
	}
	return b.say(ctx, r, msg)
}
