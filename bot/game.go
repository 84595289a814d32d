package bot

import (
	"tengen/bot/chat"
	"tengen/bot/command"
)

// gameCommand does what the buttons of a game do, for those who type.
func (b *Bot) gameCommand() command.Command {
	yes := chat.Option{Yes: true}
	show := func(as string) command.Command {
		way := b.boardWay()
		return command.Command{As: as, Run: command.With(as, yes, b.showBoard), Offers: way.Offers}
	}
	ways := []command.Command{b.boardWay(), show("private"), show("turned"), show("text"), b.replayWay(),
		b.reviewWay(), b.resignWay(), b.drawWay(), b.abortWay(), b.exportWay()}
	return command.Command{
		Command: chat.Command{Name: "game", Alone: true, Options: []chat.OptionSpec{command.Choosing("do", "game", ways),
			command.Which(), {Name: "format", Type: chat.TextOption, Choices: command.PlainChoices(exportFormats...)}}},
		By: "do", Ways: ways,
		Opens: true,
	}
}
