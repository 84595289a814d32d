package bot

import (
	"context"

	"tengen/bot/chat"
	"tengen/bot/command"
)

func (b *Bot) pingCommand() command.Command {
	return command.Command{
		Command: chat.Command{Name: "ping", Alone: true},
		Opens:   true,
		Run:     b.ping,
	}
}

func (b *Bot) ping(ctx context.Context, r chat.Request) error {
	waiting, thinking := b.desk.Size()
	t := b.tongue(r)
	return b.say(ctx, r, chat.Private(t.Say("ping",
		"Millis", max(0, b.now().Sub(r.At).Milliseconds()), "Waiting", waiting, "Thinking", thinking)))
}
