package bot

import (
	"slices"

	"tengen/bot/chat"
	"tengen/bot/command"
)

// allCommands are the commands in the order of /help. Registration, dispatch, completion and
// the documentation read this list. Each command stands in a file of its own. What names guests is left
// out where there are none.
func (b *Bot) allCommands(guests bool) []command.Command {
	return slices.Concat([]command.Command{
		b.playCommand(guests), b.newCommand(), b.moveCommand(), b.undoCommand(), b.resignCommand(), b.drawCommand(),
		b.abortCommand(), b.boardCommand(), b.historyCommand(), b.gamesCommand(), b.replayCommand(), b.reviewCommand(),
		b.exportCommand(), b.importCommand(), b.watchCommand(), b.hintCommand(),
		b.statsCommand(), b.topCommand(),
	}, b.lessons.Commands(), b.puzzles.Commands(), b.events.Commands(), b.ladders.Commands(), b.gathered(),
		[]command.Command{
			b.settingsCommand(), b.serverCommand(), b.helpCommand(), b.privacyCommand(), b.pingCommand(),
			b.challengeCommand(), b.loadCommand(),
		})
}

// Commands are the commands as they are registered, where there are guests and where there are none.
func Commands(guests bool) []chat.Command {
	var specs []chat.Command
	for _, c := range new(Bot).allCommands(guests) {
		specs = append(specs, c.Spec())
	}
	return specs
}
