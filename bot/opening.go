package bot

import (
	"context"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/host"
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
	usual, err := b.host.UsualGame(ctx, r)
	if err != nil {
		return nil, err
	}
	rules, ok := game.RulesNamed(r.Text("game", usual))
	if !ok {
		return nil, nil
	}
	t, typed := b.tongue(r), strings.ToLower(strings.TrimSpace(r.Options["opening"].Text))
	var choices []chat.Choice
	for _, name := range host.Openings(rules) {
		label := t.Opening(name)
		if strings.Contains(strings.ToLower(label), typed) || strings.HasPrefix(name, typed) {
			choices = append(choices, chat.Choice{Label: label, Value: name})
		}
	}
	return choices, nil
}
