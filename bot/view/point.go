package view

import (
	"slices"
	"strings"

	"tengen/bot/chat"
	"tengen/game"
)

// PointChoices are the legal points whose names begin with what a member has typed. Those near
// the last move come first, sorted by distance alone, which gives no hint. Where an opening asks
// for something else, they are the words that answer it.
func (t Tongue) PointChoices(m game.Match, typed string) []chat.Choice {
	g, q := m.Game(), m.Question()
	last := g.Last()
	if last == game.NoPoint {
		last = game.At(g.Rules().Size()/2, g.Rules().Size()/2)
	}
	legal := g.Legal().Points()
	if m.Deciding() {
		legal = q.Points.Points()
	}
	slices.SortStableFunc(legal, func(p, q game.Point) int { return apart(p, last) - apart(q, last) })
	// The member may have typed a whole point in another form (8,8 or 8h), or the beginning of
	// a name.
	whole, err := game.ParsePoint(typed, g.Rules().Size())
	prefix := strings.ToUpper(strings.TrimSpace(typed))
	var choices []chat.Choice
	for _, d := range q.Options {
		if word, label := d.String(), t.answer(m, d); strings.Contains(strings.ToUpper(word+"\n"+label), prefix) {
			choices = append(choices, chat.Choice{Label: label, Value: word})
		}
	}
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
