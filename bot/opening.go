package bot

import (
	"context"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
)

// pressDecide makes the decision of an opening that a button or a menu names.
func (b *Bot) pressDecide(ctx context.Context, r chat.Request, p view.Press) error {
	word := p.Arg
	if len(r.Values) == 1 {
		word = r.Values[0]
	}
	d, ok := game.ParseDecision(word)
	if _, stone := d.Stone(); !ok || stone {
		return no("unknown.button")
	}
	return b.act(ctx, r, p.Match, nil, b.at(p, func(m game.Match) (game.Match, error) { return m.Decide(r.By, d, r.At) }))
}

// completeOpening offers the openings that fit the game of the command, by the names that the member
// reads.
func (b *Bot) completeOpening(ctx context.Context, r chat.Request) ([]chat.Choice, error) {
	return b.host.OpeningChoices(ctx, r)
}
