package bot

import (
	"tengen/bot/chat"
	"tengen/bot/command"
)

func (b *Bot) drawWay() command.Command {
	return b.inMatch("draw", b.asked("draw"), command.Command{
		Command: chat.Command{Name: "draw"}, As: "draw",
		Presses: map[string]command.Pressed{
			"draw":    b.press,
			"drawyes": b.press,
			"drawno":  b.press,
		},
	})
}
