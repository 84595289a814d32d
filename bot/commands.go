package bot

import "tengen/bot/chat"

// rows are all commands, in the order of /help. What is registered, dispatched, completed,
// asked for and documented comes from here; each row stands in its command's own file.
func rows() []command {
	return []command{
		playRow(), moveRow(), undoRow(), resignRow(), drawRow(), abortRow(),
		boardRow(), historyRow(), gamesRow(), replayRow(), exportRow(), importRow(),
		watchRow(), hintRow(),
		statsRow(), topRow(), rulesRow(),
		settingsRow(), helpRow(), privacyRow(), pingRow(),
		challengeRow(), loadRow(),
	}
}

// Commands is the table as it is registered.
func Commands() []chat.Command {
	var specs []chat.Command
	for _, c := range rows() {
		specs = append(specs, c.spec())
	}
	return specs
}
