package bot

import (
	"context"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/view"
	"tengen/game"
)

func (b *Bot) watchCommand() command.Command {
	return command.Command{
		Command: chat.Command{Name: "watch", About: "Let the bot play itself", Options: []chat.OptionSpec{
			command.Kind(),
			{Name: "black", About: "Black's level", Type: chat.NumberOption, Choices: command.LevelChoices()},
			{Name: "white", About: "White's level", Type: chat.NumberOption, Choices: command.LevelChoices()}}},
		Paragraph: true,
		Opens:     true,
		Run:       b.watch,
		Presses: map[string]command.Pressed{
			"pause":  b.pressPause,
			"resume": b.pressResume,
			"stop":   b.pressStop,
		},
	}
}

func (b *Bot) watch(ctx context.Context, r chat.Request) error {
	if !r.Installed {
		return no("refused.watchAway")
	}
	rules, ok := game.RulesNamed(r.Text("game", "gomoku"))
	if !ok {
		return no("unknown.game")
	}
	seed := b.random()
	t := game.Terms{Rules: rules, First: game.Black, Seed: seed, Opening: game.BalancedOpening,
		Given: b.balanced(rules, seed)}
	level := func(name string) game.Seat { return game.SeatEngine(min(max(r.Number(name, 5), 1), 8)) }
	return b.host.BeginBetween(ctx, r, t, level("black"), level("white"))
}

func (b *Bot) pressPause(ctx context.Context, r chat.Request, p view.Press) error {
	return b.act(ctx, r, p.Match, nil, owned(r, func(m game.Match) (game.Match, error) { return m.Rest(r.At) }))
}

func (b *Bot) pressResume(ctx context.Context, r chat.Request, p view.Press) error {
	return b.act(ctx, r, p.Match, nil, owned(r, func(m game.Match) (game.Match, error) { return m.Wake(r.At) }))
}

func (b *Bot) pressStop(ctx context.Context, r chat.Request, p view.Press) error {
	return b.act(ctx, r, p.Match, nil, owned(r, func(m game.Match) (game.Match, error) {
		return m.Close(game.Aborted, r.At)
	}))
}

// owned runs f for the match's owner, and for members who may manage messages here.
func owned(r chat.Request, f func(game.Match) (game.Match, error)) func(game.Match) (game.Match, error) {
	return func(m game.Match) (game.Match, error) {
		if !view.BetweenEngines(m) || m.Owner != r.By && !r.Manages {
			return m, no("refused.notOwner")
		}
		return f(m)
	}
}
