package bot

import (
	"tengen/bot/chat"
	"tengen/bot/command"
)

func (b *Bot) undoCommand() command.Command {
	return b.inMatch("undo", b.asked("undo"), command.Command{
		Command: chat.Command{Name: "undo", Alone: true,
			Options: []chat.OptionSpec{command.Which()}},
		Presses: map[string]command.Pressed{
			"undo":    b.press,
			"unoffer": b.press,
			"undoyes": b.press,
			"undono":  b.press,
		},
	})
}
