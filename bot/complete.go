package bot

import (
	"context"
	"slices"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

// complete offers up to 25 choices that fit the text typed so far.
func (b *Bot) complete(ctx context.Context, r chat.Request) error {
	var choices []chat.Choice
	var err error
	if offered := b.commands.byName[r.Name].offers[r.Focused]; offered != nil {
		choices, err = offered(b, ctx, r)
	}
	if err != nil {
		return err
	}
	_, err = b.chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Offer, Choices: choices[:min(len(choices), 25)]})
	return err
}

// completeGame offers the member's running games, first those of this channel and those in
// which it is their turn.
func (b *Bot) completeGame(ctx context.Context, r chat.Request) ([]chat.Choice, error) {
	all, err := b.store.Of(ctx, r.By)
	return b.gameChoices(r, all), err
}

// completeAnyGame is completeGame with finished games too.
func (b *Bot) completeAnyGame(ctx context.Context, r chat.Request) ([]chat.Choice, error) {
	all, err := b.store.Of(ctx, r.By)
	if err != nil {
		return nil, err
	}
	past, err := b.store.History(ctx, r.By, 0, 25)
	return b.gameChoices(r, append(all, past...)), err
}

// gameChoices are the games whose titles hold the text typed so far.
func (b *Bot) gameChoices(r chat.Request, all []storage.Record) []chat.Choice {
	t := b.tongue(r)
	typed := strings.ToUpper(strings.TrimSpace(r.Options["game"].Text))
	weight := func(place chat.Place, m game.Match) int {
		w := 0
		if place == r.Place {
			w -= 2
		}
		if view.TurnOf(r.By)(m) {
			w--
		}
		return w
	}
	var choices []chat.Choice
	var weights []int
	for _, rec := range all {
		title := t.Title(rec.Match, r.By)
		if !strings.Contains(strings.ToUpper(title), typed) {
			continue
		}
		w := weight(rec.Place, rec.Match)
		i, _ := slices.BinarySearchFunc(weights, w+1, func(a, b int) int { return a - b })
		choices = slices.Insert(choices, i, chat.Choice{Label: view.Clip(title, 100), Value: view.Key(rec.ID)})
		weights = slices.Insert(weights, i, w)
	}
	return choices
}
