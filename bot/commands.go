package bot

import "tengen/bot/chat"

// allCommands are the commands in the order of /help. Registration, dispatch, completion and
// the documentation read this list. Each command stands in a file of its own.
func allCommands() []command {
	return []command{
		playCommand(), newCommand(), moveCommand(), undoCommand(), resignCommand(), drawCommand(), abortCommand(),
		boardCommand(), historyCommand(), gamesCommand(), replayCommand(), reviewCommand(), exportCommand(), importCommand(),
		watchCommand(), hintCommand(),
		statsCommand(), topCommand(), rulesCommand(),
		settingsCommand(), serverCommand(), helpCommand(), privacyCommand(), pingCommand(),
		challengeCommand(), loadCommand(),
	}
}

// Commands are the commands as they are registered.
func Commands() []chat.Command {
	var specs []chat.Command
	for _, c := range allCommands() {
		specs = append(specs, c.spec())
	}
	return specs
}
