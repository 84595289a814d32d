package bot

import (
	"slices"

	"tengen/bot/chat"
	"tengen/bot/command"
)

// allCommands are the commands. Registration, dispatch, completion and the documentation read this list. Each
// command stands in a file of its own, and so does each thing that /play and /game do. What names guests is
// left out where there are none.
func (b *Bot) allCommands(guests bool) []command.Command {
	return slices.Concat([]command.Command{
		b.playCommand(guests), b.moveCommand(), b.undoCommand(), b.hintCommand(), b.historyCommand(), b.gameCommand(),
		b.gamesCommand(), b.analyzeCommand(),
	}, b.puzzles.Commands(), b.lessons.Commands(), []command.Command{b.profileCommand(), b.topCommand()},
		b.events.Commands(), b.ladders.Commands(), []command.Command{
			b.settingsCommand(), b.helpCommand(), b.serverCommand(), b.challengeCommand(), b.loadCommand(),
		})
}

// Commands are the commands as they are registered, where there are guests and where there are none.
func Commands(guests bool) []chat.Command {
	var specs []chat.Command
	for _, c := range new(Bot).allCommands(guests) {
		specs = append(specs, c.Command)
	}
	return specs
}
