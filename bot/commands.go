package bot

import (
	"sync"

	"tengen/game"
)

// Commands is the table of all that members can type or choose from a context menu. It is
// registered, dispatched and documented from here.
func Commands() []Command {
	game := OptionSpec{Name: "game", About: "Which of your games, when there are several", Type: TextOption, Complete: true, Max: 40}
	clock := OptionSpec{Name: "clock", About: "Time for each move", Type: TextOption, Choices: clockChoices()}
	color := OptionSpec{Name: "color", About: "Your color", Type: TextOption, Choices: named("color", "random", "black", "white")}
	opening := OptionSpec{Name: "opening", About: "An empty board, or near-equal stones to start from", Type: TextOption, Choices: named("opening", "free", "balanced")}
	thread := OptionSpec{Name: "thread", About: "Play in a thread of its own", Type: YesOption}
	note := OptionSpec{Name: "note", About: "A line to your opponent", Type: TextOption, Max: 100}
	rated := OptionSpec{Name: "rated", About: "Let the result change both ratings", Type: YesOption}
	kind := OptionSpec{Name: "game", About: "What to play", Type: TextOption, Choices: gameChoices()}
	numbers := OptionSpec{Name: "numbers", About: "Numbers on the stones", Type: TextOption, Choices: named("numbers", "none", "last", "few", "all")}
	turned := OptionSpec{Name: "turned", About: "Turn the board round", Type: YesOption}
	page := OptionSpec{Name: "page", About: "Which page", Type: NumberOption, Min: 1, Max: 20}
	level := OptionSpec{Name: "level", About: "How strong the bot plays", Type: NumberOption, Choices: levelChoices()}
	asMember := OptionSpec{Name: "member", About: "Whose", Type: MemberOption}
	format := OptionSpec{Name: "format", About: "File format", Type: TextOption, Required: true, Choices: plainChoices(exportFormats...)}
	scope := OptionSpec{Name: "scope", About: "This server or everywhere", Type: TextOption, Choices: named("scope", "server", "overall")}
	theme := OptionSpec{Name: "theme", About: "How the board looks", Type: TextOption, Complete: true, Max: 30}
	language := OptionSpec{Name: "language", About: "The language of the bot", Type: TextOption, Choices: languageChoices()}

	return []Command{
		{Name: "play", About: "Begin a game", Alone: true, Subs: []Command{
			{Name: "bot", About: "Play against the bot", Options: []OptionSpec{kind, level, color, opening, clock, thread}},
			{Name: "member", About: "Challenge another member", Options: []OptionSpec{
				{Name: "opponent", About: "Whom to challenge", Type: MemberOption, Required: true},
				kind, color, opening, clock, rated, thread, note}},
			{Name: "open", About: "Offer a game to whoever wants to play", Options: []OptionSpec{kind, color, opening, clock, rated, thread, note}},
		}},
		{Name: "move", About: "Make a move", Alone: true, Options: []OptionSpec{
			{Name: "at", About: "The point, such as H8", Type: TextOption, Required: true, Complete: true, Max: 20}, game}},
		{Name: "undo", About: "Take your last move back", Alone: true, Options: []OptionSpec{game}},
		{Name: "resign", About: "Give a game up", Alone: true, Options: []OptionSpec{game}},
		{Name: "draw", About: "Offer a draw, or agree to one", Alone: true, Options: []OptionSpec{game}},
		{Name: "abort", About: "End a game that has hardly begun", Alone: true, Options: []OptionSpec{game}},
		{Name: "board", About: "Bring the board down here, or look at it", Alone: true, Options: []OptionSpec{game, numbers, turned,
			{Name: "private", About: "Show it to you alone", Type: YesOption},
			{Name: "text", About: "As text", Type: YesOption}}},
		{Name: "history", About: "The moves of a game", Alone: true, Options: []OptionSpec{game, page,
			{Name: "as", About: "A list, or the numbered board", Type: TextOption, Choices: named("history", "list", "board")}}},
		{Name: "games", About: "Your games and this channel's", Alone: true, Options: []OptionSpec{
			{Name: "which", About: "Which games", Type: TextOption, Choices: named("which", "mine", "channel", "finished")}}},
		{Name: "replay", About: "Step through a game", Alone: true, Options: []OptionSpec{game,
			{Name: "gif", About: "As an animation", Type: YesOption}}},
		{Name: "export", About: "Get a game as a file", Alone: true, Options: []OptionSpec{format, game}},
		{Name: "import", About: "Play on from a record or a position", Alone: true, Options: []OptionSpec{
			{Name: "file", About: "A game record", Type: FileOption},
			{Name: "text", About: "Moves, a position line or a record as text", Type: TextOption, Max: 2000},
			{Name: "rules", About: "The rules, where the record does not say", Type: TextOption, Choices: gameChoices()},
			{Name: "moves", About: "Play on after so many moves", Type: NumberOption, Min: 0, Max: 225},
			{Name: "opponent", About: "Whom to challenge; the bot when left out", Type: MemberOption},
			level, color}},
		{Name: "watch", About: "Let the bot play itself", Options: []OptionSpec{kind,
			{Name: "black", About: "Black's level", Type: NumberOption, Choices: levelChoices()},
			{Name: "white", About: "White's level", Type: NumberOption, Choices: levelChoices()}}},
		{Name: "hint", About: "What the bot would play, in a game against it", Alone: true, Options: []OptionSpec{game}},
		{Name: "stats", About: "Wins, losses and ratings", Alone: true, Options: []OptionSpec{asMember}},
		{Name: "top", About: "The best players", Options: []OptionSpec{kind, scope, page}},
		{Name: "rules", About: "How the games are played", Alone: true, Options: []OptionSpec{kind}},
		{Name: "settings", About: "How the bot looks and behaves", Alone: true, Subs: []Command{
			{Name: "me", About: "Your own settings", Options: []OptionSpec{theme, numbers, language,
				{Name: "confirm", About: "Ask before a pressed point is played", Type: YesOption},
				{Name: "challenges", About: "Who may challenge you", Type: TextOption, Choices: named("challenges", "all", "nobody")},
				{Name: "block", About: "Never be challenged by this member", Type: MemberOption},
				{Name: "unblock", About: "Let this member challenge you again", Type: MemberOption},
				{Name: "listed", About: "Appear in /top", Type: YesOption},
				kind}},
			{Name: "server", About: "This server's settings (for its managers)", Options: []OptionSpec{theme, language, kind,
				{Name: "channel", About: "Allow games in a channel; with the first one, only there", Type: ChannelOption},
				{Name: "everywhere", About: "Allow games in all channels again", Type: YesOption}}},
		}},
		{Name: "help", About: "What the bot can do", Alone: true},
		{Name: "privacy", About: "Your data", Alone: true, Subs: []Command{
			{Name: "export", About: "Get all that is stored about you"},
			{Name: "delete", About: "Have it deleted"},
		}},
		{Name: "ping", About: "Is the bot well?", Alone: true},
		{Name: "Challenge to a game", Menu: UserMenu},
		{Name: "Load this record", Menu: MessageMenu, Alone: true},
	}
}

func gameChoices() []Choice {
	var cs []Choice
	for _, r := range []game.Rules{game.Gomoku15, game.Gomoku9, game.Standard15, game.Renju, game.Reversi} {
		cs = append(cs, Choice{Value: r.Name()})
	}
	return labeled("rules", cs)
}

// named are choices whose labels are in the catalogue under "choice.GROUP.VALUE".
func named(group string, values ...string) []Choice {
	var cs []Choice
	for _, v := range values {
		cs = append(cs, Choice{Value: v})
	}
	return labeled("choice."+group, cs)
}

// labeled fills the labels in by their keys; the English ones are put in at once, the
// others when the table is registered.
func labeled(prefix string, cs []Choice) []Choice {
	for i := range cs {
		cs[i].Label = english(prefix + "." + cs[i].Value)
		cs[i].Detail = prefix + "." + cs[i].Value
	}
	return cs
}

// plainChoices are choices that are the same in all languages.
func plainChoices(values ...string) []Choice {
	var cs []Choice
	for _, v := range values {
		cs = append(cs, Choice{Label: v, Value: v})
	}
	return cs
}

func clockChoices() []Choice {
	var cs []Choice
	for _, c := range clocks {
		cs = append(cs, Choice{Value: c.name})
	}
	return labeled("choice.clock", cs)
}

func levelChoices() []Choice {
	var cs []Choice
	for i := range 8 {
		cs = append(cs, Choice{Value: string(rune('1' + i))})
	}
	return labeled("choice.level", cs)
}

func languageChoices() []Choice {
	return []Choice{{Label: "English", Value: "en"}, {Label: "简体中文", Value: "zh-CN"}}
}

// english is a text of the catalogue in English, for the table.
func english(key string) string { return catalogue().in("en").say(key) }

// catalogue is read once: the table needs its English on every call.
var catalogue = sync.OnceValue(func() words {
	w, err := newWords()
	if err != nil {
		panic(err) // embedded files, held by a test
	}
	return w
})
