package bot

import (
	"context"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/view"
	"tengen/game"
)

func (b *Bot) watchWay() command.Command {
	return command.Command{
		Command: chat.Command{Name: "watch"}, As: "engines",
		Opens: true,
		Run:   b.watch,
		Presses: map[string]command.Pressed{
			"pause":  b.pressWatched,
			"resume": b.press,
			"stop":   b.pressWatched,
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
	level := func(name string) game.Seat {
		return game.SeatEngine(min(max(r.Number(name, r.Number("level", 5)), 1), 8))
	}
	return b.host.BeginBetween(ctx, r, t, level("black"), level("white"))
}

// pressWatched pauses or stops a game between bots. That of an event is not: a manager may have it replayed.
func (b *Bot) pressWatched(ctx context.Context, r chat.Request, p view.Press) error {
	err := b.press(ctx, r, p)
	if view.IsRefused(err, "refused.abortContest") {
		return b.askReplay(ctx, r, p.Match)
	}
	return err
}
