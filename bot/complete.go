package bot

import (
	"context"
	"slices"
	"strings"

	"tengen/bot/chat"
	"tengen/game"
)

// complete offers what fits to what is being typed: 25 entries at most.
func (b *Bot) complete(ctx context.Context, r chat.Request) error {
	var choices []chat.Choice
	var err error
	switch r.Focused {
	case "at":
		choices, err = b.completeMove(ctx, r)
	case "theme":
		choices = completeTheme(r.Options["theme"].Text)
	case "game":
		choices, err = b.completeGame(ctx, r)
	}
	if err != nil {
		return err
	}
	_, err = b.chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Offer, Choices: choices[:min(len(choices), 25)]})
	return err
}

// completeMove offers the points that may be played, those near the last move first (by
// distance alone: no hint), filtered by what is typed.
func (b *Bot) completeMove(ctx context.Context, r chat.Request) ([]chat.Choice, error) {
	all, err := b.store.Of(ctx, r.By)
	if err != nil {
		return nil, err
	}
	named, _ := parseMatchKey(r.Text("game", ""))
	for _, rec := range all {
		m := rec.Match
		if named != 0 && rec.ID != named || named == 0 && rec.Place != r.Place || !turnOf(r.By)(m) {
			continue
		}
		return pointChoices(m.Game(), r.Options["at"].Text), nil
	}
	return nil, nil
}

func pointChoices(g game.Game, typed string) []chat.Choice {
	last := g.Last()
	if last == game.NoPoint {
		last = game.At(g.Rules().Size()/2, g.Rules().Size()/2)
	}
	legal := g.Legal().Points()
	slices.SortStableFunc(legal, func(p, q game.Point) int { return apart(p, last) - apart(q, last) })
	// What is typed may be a whole point in another form (8,8 or 8h), or the beginning of one.
	whole, err := game.ParsePoint(typed, g.Rules().Size())
	prefix := strings.ToUpper(strings.TrimSpace(typed))
	var choices []chat.Choice
	for _, p := range legal {
		name := p.String()
		if strings.HasPrefix(name, prefix) || err == nil && p == whole {
			choices = append(choices, chat.Choice{Label: name, Value: name})
		}
	}
	return choices
}

// apart is the distance of two points in steps.
func apart(p, q game.Point) int {
	return max(max(p.Col()-q.Col(), q.Col()-p.Col()), max(p.Row()-q.Row(), q.Row()-p.Row()))
}

// completeGame offers the member's games, those of this channel and those that wait for
// them first.
func (b *Bot) completeGame(ctx context.Context, r chat.Request) ([]chat.Choice, error) {
	all, err := b.store.Of(ctx, r.By)
	if err != nil {
		return nil, err
	}
	if r.Name == "history" || r.Name == "replay" || r.Name == "export" || r.Name == "board" {
		past, err := b.store.History(ctx, r.By, 0, 25)
		if err != nil {
			return nil, err
		}
		all = append(all, past...)
	}
	t := b.tongue(r)
	typed := strings.ToUpper(strings.TrimSpace(r.Options["game"].Text))
	weight := func(place chat.Place, m game.Match) int {
		w := 0
		if place == r.Place {
			w -= 2
		}
		if turnOf(r.By)(m) {
			w--
		}
		return w
	}
	var choices []chat.Choice
	var weights []int
	for _, rec := range all {
		title := t.title(rec.Match, r.By)
		if !strings.Contains(strings.ToUpper(title), typed) {
			continue
		}
		w := weight(rec.Place, rec.Match)
		i, _ := slices.BinarySearchFunc(weights, w+1, func(a, b int) int { return a - b })
		choices = slices.Insert(choices, i, chat.Choice{Label: clip(title, 100), Value: matchKey(rec.ID)})
		weights = slices.Insert(weights, i, w)
	}
	return choices, nil
}
