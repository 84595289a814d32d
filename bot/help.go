package bot

import (
	"context"
	"strconv"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/view"
)

func (b *Bot) helpCommand() command.Command {
	return command.Command{
		Command: chat.Command{Name: "help", Alone: true},
		Opens:   true,
		Run:     b.help,
		Presses: map[string]command.Pressed{
			"help": b.pressHelp,
			"open": b.pressOpen,
		},
	}
}

// help is what one may want of the bot, a button each.
func (b *Bot) help(ctx context.Context, r chat.Request) error {
	return b.reply(ctx, r, b.tongue(r).Help(r.Place.Server == 0))
}

// pressHelp is a button of a page that /help had before: all is on one now.
func (b *Bot) pressHelp(ctx context.Context, r chat.Request, p view.Press) error {
	if _, err := strconv.Atoi(p.Arg); err != nil {
		return no("unknown.button")
	}
	return b.help(ctx, r)
}

// pressOpen runs a command as if the member had typed it without options.
func (b *Bot) pressOpen(ctx context.Context, r chat.Request, p view.Press) error {
	return b.commands.Open(ctx, r, p.Arg)
}
