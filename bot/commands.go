package bot

import "tengen/bot/chat"

// allCommands are the commands in the order of /help. Registration, dispatch, completion and
// the documentation read this list. Each command stands in a file of its own. What names guests is left
// out where there are none.
func allCommands(guests bool) []command {
	return []command{
		playCommand(guests), newCommand(), moveCommand(), undoCommand(), resignCommand(), drawCommand(), abortCommand(),
		boardCommand(), historyCommand(), gamesCommand(), replayCommand(), reviewCommand(), exportCommand(), importCommand(),
		watchCommand(), hintCommand(),
		statsCommand(), topCommand(), rulesCommand(),
		settingsCommand(), serverCommand(), helpCommand(), privacyCommand(), pingCommand(),
		challengeCommand(), loadCommand(),
	}
}

// Commands are the commands as they are registered, where there are guests and where there are none.
func Commands(guests bool) []chat.Command {
	var specs []chat.Command
	for _, c := range allCommands(guests) {
		specs = append(specs, c.spec())
	}
	return specs
}
