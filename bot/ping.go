package bot

import (
	"context"

	"tengen/bot/chat"
)

func (b *Bot) ping(ctx context.Context, r chat.Request) error {
	return b.say(ctx, r, chat.Private(b.state(r)))
}

// state says how the bot is.
func (b *Bot) state(r chat.Request) string {
	waiting, thinking := b.desk.Size()
	return b.tongue(r).Say("ping",
		"Millis", max(0, b.now().Sub(r.At).Milliseconds()), "Waiting", waiting, "Thinking", thinking)
}
