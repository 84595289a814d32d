package bot

import (
	"tengen/bot/chat"
	"tengen/bot/texts"
	"tengen/game"
)

// Commands is the table of all that members can type or choose from a context menu. It is
// registered, dispatched and documented from here.
func Commands() []chat.Command {
	game := chat.OptionSpec{Name: "game", About: "Which of your games, when there are several", Type: chat.TextOption, Complete: true, Max: 40}
	clock := chat.OptionSpec{Name: "clock", About: "Time for each move", Type: chat.TextOption, Choices: clockChoices()}
	color := chat.OptionSpec{Name: "color", About: "Your color", Type: chat.TextOption, Choices: named("color", "random", "black", "white")}
	opening := chat.OptionSpec{Name: "opening", About: "An empty board, or near-equal stones to start from", Type: chat.TextOption, Choices: named("opening", "free", "balanced")}
	thread := chat.OptionSpec{Name: "thread", About: "Play in a thread of its own", Type: chat.YesOption}
	note := chat.OptionSpec{Name: "note", About: "A line to your opponent", Type: chat.TextOption, Max: 100}
	rated := chat.OptionSpec{Name: "rated", About: "Let the result change both ratings", Type: chat.YesOption}
	kind := chat.OptionSpec{Name: "game", About: "What to play", Type: chat.TextOption, Choices: gameChoices()}
	numbers := chat.OptionSpec{Name: "numbers", About: "Numbers on the stones", Type: chat.TextOption, Choices: named("numbers", "none", "last", "few", "all")}
	turned := chat.OptionSpec{Name: "turned", About: "Turn the board round", Type: chat.YesOption}
	page := chat.OptionSpec{Name: "page", About: "Which page", Type: chat.NumberOption, Min: 1, Max: 20}
	level := chat.OptionSpec{Name: "level", About: "How strong the bot plays", Type: chat.NumberOption, Choices: levelChoices()}
	asMember := chat.OptionSpec{Name: "member", About: "Whose", Type: chat.MemberOption}
	format := chat.OptionSpec{Name: "format", About: "File format", Type: chat.TextOption, Required: true, Choices: plainChoices(exportFormats...)}
	scope := chat.OptionSpec{Name: "scope", About: "This server or everywhere", Type: chat.TextOption, Choices: named("scope", "server", "overall")}
	theme := chat.OptionSpec{Name: "theme", About: "How the board looks", Type: chat.TextOption, Complete: true, Max: 30}
	language := chat.OptionSpec{Name: "language", About: "The language of the bot", Type: chat.TextOption, Choices: languageChoices()}

	return []chat.Command{
		{Name: "play", About: "Begin a game", Alone: true, Subs: []chat.Command{
			{Name: "bot", About: "Play against the bot", Options: []chat.OptionSpec{kind, level, color, opening, clock, thread}},
			{Name: "member", About: "Challenge another member", Options: []chat.OptionSpec{
				{Name: "opponent", About: "Whom to challenge", Type: chat.MemberOption, Required: true},
				kind, color, opening, clock, rated, thread, note}},
			{Name: "open", About: "Offer a game to whoever wants to play", Options: []chat.OptionSpec{kind, color, opening, clock, rated, thread, note}},
		}},
		{Name: "move", About: "Make a move", Alone: true, Options: []chat.OptionSpec{
			{Name: "at", About: "The point, such as H8", Type: chat.TextOption, Required: true, Complete: true, Max: 20}, game}},
		{Name: "undo", About: "Take your last move back", Alone: true, Options: []chat.OptionSpec{game}},
		{Name: "resign", About: "Give a game up", Alone: true, Options: []chat.OptionSpec{game}},
		{Name: "draw", About: "Offer a draw, or agree to one", Alone: true, Options: []chat.OptionSpec{game}},
		{Name: "abort", About: "End a game that has hardly begun", Alone: true, Options: []chat.OptionSpec{game}},
		{Name: "board", About: "Bring the board down here, or look at it", Alone: true, Options: []chat.OptionSpec{game, numbers, turned,
			{Name: "private", About: "Show it to you alone", Type: chat.YesOption},
			{Name: "text", About: "As text", Type: chat.YesOption}}},
		{Name: "history", About: "The moves of a game", Alone: true, Options: []chat.OptionSpec{game, page,
			{Name: "as", About: "A list, or the numbered board", Type: chat.TextOption, Choices: named("history", "list", "board")}}},
		{Name: "games", About: "Your games and this channel's", Alone: true, Options: []chat.OptionSpec{
			{Name: "which", About: "Which games", Type: chat.TextOption, Choices: named("which", "mine", "channel", "finished")}}},
		{Name: "replay", About: "Step through a game", Alone: true, Options: []chat.OptionSpec{game,
			{Name: "gif", About: "As an animation", Type: chat.YesOption}}},
		{Name: "export", About: "Get a game as a file", Alone: true, Options: []chat.OptionSpec{format, game}},
		{Name: "import", About: "Play on from a record or a position", Alone: true, Options: []chat.OptionSpec{
			{Name: "file", About: "A game record", Type: chat.FileOption},
			{Name: "text", About: "Moves, a position line or a record as text", Type: chat.TextOption, Max: 2000},
			{Name: "rules", About: "The rules, where the record does not say", Type: chat.TextOption, Choices: gameChoices()},
			{Name: "moves", About: "Play on after so many moves", Type: chat.NumberOption, Min: 0, Max: 225},
			{Name: "opponent", About: "Whom to challenge; the bot when left out", Type: chat.MemberOption},
			level, color}},
		{Name: "watch", About: "Let the bot play itself", Options: []chat.OptionSpec{kind,
			{Name: "black", About: "Black's level", Type: chat.NumberOption, Choices: levelChoices()},
			{Name: "white", About: "White's level", Type: chat.NumberOption, Choices: levelChoices()}}},
		{Name: "hint", About: "What the bot would play, in a game against it", Alone: true, Options: []chat.OptionSpec{game}},
		{Name: "stats", About: "Wins, losses and ratings", Alone: true, Options: []chat.OptionSpec{asMember}},
		{Name: "top", About: "The best players", Options: []chat.OptionSpec{kind, scope, page}},
		{Name: "rules", About: "How the games are played", Alone: true, Options: []chat.OptionSpec{kind}},
		{Name: "settings", About: "How the bot looks and behaves", Alone: true, Subs: []chat.Command{
			{Name: "me", About: "Your own settings", Options: []chat.OptionSpec{theme, numbers, language,
				{Name: "confirm", About: "Ask before a pressed point is played", Type: chat.YesOption},
				{Name: "challenges", About: "Who may challenge you", Type: chat.TextOption, Choices: named("challenges", "all", "nobody")},
				{Name: "block", About: "Never be challenged by this member", Type: chat.MemberOption},
				{Name: "unblock", About: "Let this member challenge you again", Type: chat.MemberOption},
				{Name: "listed", About: "Appear in /top", Type: chat.YesOption},
				kind}},
			{Name: "server", About: "This server's settings (for its managers)", Options: []chat.OptionSpec{theme, language, kind,
				{Name: "channel", About: "Allow games in a channel; with the first one, only there", Type: chat.ChannelOption},
				{Name: "everywhere", About: "Allow games in all channels again", Type: chat.YesOption}}},
		}},
		{Name: "help", About: "What the bot can do", Alone: true},
		{Name: "privacy", About: "Your data", Alone: true, Subs: []chat.Command{
			{Name: "export", About: "Get all that is stored about you"},
			{Name: "delete", About: "Have it deleted"},
		}},
		{Name: "ping", About: "Is the bot well?", Alone: true},
		{Name: "Challenge to a game", Menu: chat.UserMenu},
		{Name: "Load this record", Menu: chat.MessageMenu, Alone: true},
	}
}

func gameChoices() []chat.Choice {
	var cs []chat.Choice
	for _, r := range []game.Rules{game.Gomoku15, game.Gomoku9, game.Standard15, game.Renju, game.Reversi} {
		cs = append(cs, chat.Choice{Value: r.Name()})
	}
	return labeled("rules", cs)
}

// named are choices whose labels are in the catalogue under "choice.GROUP.VALUE".
func named(group string, values ...string) []chat.Choice {
	var cs []chat.Choice
	for _, v := range values {
		cs = append(cs, chat.Choice{Value: v})
	}
	return labeled("choice."+group, cs)
}

// labeled fills the labels in by their keys; the English ones are put in at once, the
// others when the table is registered.
func labeled(prefix string, cs []chat.Choice) []chat.Choice {
	for i := range cs {
		cs[i].Label = english(prefix + "." + cs[i].Value)
		cs[i].Detail = prefix + "." + cs[i].Value
	}
	return cs
}

// plainChoices are choices that are the same in all languages.
func plainChoices(values ...string) []chat.Choice {
	var cs []chat.Choice
	for _, v := range values {
		cs = append(cs, chat.Choice{Label: v, Value: v})
	}
	return cs
}

func clockChoices() []chat.Choice {
	var cs []chat.Choice
	for _, c := range clocks {
		cs = append(cs, chat.Choice{Value: c.name})
	}
	return labeled("choice.clock", cs)
}

func levelChoices() []chat.Choice {
	var cs []chat.Choice
	for i := range 8 {
		cs = append(cs, chat.Choice{Value: string(rune('1' + i))})
	}
	return labeled("choice.level", cs)
}

func languageChoices() []chat.Choice {
	return []chat.Choice{{Label: "English", Value: "en"}, {Label: "简体中文", Value: "zh-CN"}}
}

// english is a text of the catalogue in English, for the table.
func english(key string) string { return texts.In("en").Say(key) }
