package command

import (
	"tengen/bot/chat"
	"tengen/bot/host"
	"tengen/bot/texts"
	"tengen/game"
)

// Options that several commands have.

// Which names one of the member's games.
func Which() chat.OptionSpec {
	return chat.OptionSpec{Name: "game", Of: "which", Type: chat.TextOption,
		Complete: true, Max: 40}
}

// Clock is the time for each move, or for the game.
func Clock() chat.OptionSpec {
	return chat.OptionSpec{Name: "clock", Type: chat.TextOption, Complete: true, Max: 20}
}

// Odds is the clock of the other side, where it is another one.
func Odds() chat.OptionSpec {
	return chat.OptionSpec{Name: "odds", Type: chat.TextOption, Complete: true, Max: 20}
}

// Color is the color of who asks.
func Color() chat.OptionSpec {
	return chat.OptionSpec{Name: "color", Type: chat.TextOption,
		Choices: Named("color", "random", "black", "white")}
}

// Opening is how the first stones come about.
func Opening() chat.OptionSpec {
	return chat.OptionSpec{Name: "opening", Type: chat.TextOption,
		Complete: true, Max: 30}
}

// UsualOpening is the opening where none is named.
func UsualOpening() chat.OptionSpec {
	return chat.OptionSpec{Name: "opening", Of: "usual", Type: chat.TextOption,
		Choices: OpeningChoices()}
}

// OpeningChoices are all openings.
func OpeningChoices() []chat.Choice { return Named("opening", host.AllOpenings()...) }

// Thread asks for a thread of its own.
func Thread() chat.OptionSpec {
	return chat.OptionSpec{Name: "thread", Type: chat.YesOption}
}

// Note is a line to the opponent.
func Note() chat.OptionSpec {
	return chat.OptionSpec{Name: "note", Type: chat.TextOption, Max: 100}
}

// Rated lets the result change ratings.
func Rated() chat.OptionSpec {
	return chat.OptionSpec{Name: "rated", Type: chat.YesOption}
}

// Kind is the option that chooses what to play.
func Kind() chat.OptionSpec {
	return chat.OptionSpec{Name: "game", Type: chat.TextOption, Choices: GameChoices()}
}

// Numbers is the option that chooses which stones bear numbers.
func Numbers() chat.OptionSpec {
	return chat.OptionSpec{Name: "numbers", Type: chat.TextOption,
		Choices: Named("numbers", "none", "last", "few", "all")}
}

// Page is the option that leads to a page of a list.
func Page() chat.OptionSpec {
	return chat.OptionSpec{Name: "page", Type: chat.NumberOption, Min: 1, Max: 25}
}

// Level is the option for the strength of the bot.
func Level() chat.OptionSpec {
	return chat.OptionSpec{Name: "level", Type: chat.NumberOption,
		Choices: LevelChoices()}
}

// Guest is the option that has another program play in place of the bot.
func Guest() chat.OptionSpec {
	return chat.OptionSpec{Name: host.GuestOption,
		Type: chat.TextOption, Complete: true, Max: 32}
}

// Theme is the option for how boards look.
func Theme() chat.OptionSpec {
	return chat.OptionSpec{Name: "theme", Type: chat.TextOption, Complete: true, Max: 30}
}

// Language is the option for the language in which the bot speaks.
func Language() chat.OptionSpec {
	return chat.OptionSpec{Name: "language", Type: chat.TextOption,
		Choices: LanguageChoices()}
}

// GameChoices are the kinds of game.
func GameChoices() []chat.Choice {
	var cs []chat.Choice
	for _, r := range []game.Rules{game.Gomoku15, game.Gomoku9, game.Standard15, game.Renju, game.Reversi} {
		cs = append(cs, chat.Choice{Value: r.Name()})
	}
	return labeled("rules", cs)
}

// Named are choices whose labels are in the catalogue under "choice.GROUP.VALUE".
func Named(group string, values ...string) []chat.Choice {
	var cs []chat.Choice
	for _, v := range values {
		cs = append(cs, chat.Choice{Value: v})
	}
	return labeled("choice."+group, cs)
}

// labeled fills in the English labels, and their keys in the catalogue, by which registration finds
// the other languages.
func labeled(prefix string, cs []chat.Choice) []chat.Choice {
	for i := range cs {
		cs[i].Label = english(prefix + "." + cs[i].Value)
		cs[i].Detail = prefix + "." + cs[i].Value
	}
	return cs
}

// PlainChoices are choices that are the same in all languages.
func PlainChoices(values ...string) []chat.Choice {
	var cs []chat.Choice
	for _, v := range values {
		cs = append(cs, chat.Choice{Label: v, Value: v})
	}
	return cs
}

// ClockChoices are the times for each move.
func ClockChoices() []chat.Choice {
	var cs []chat.Choice
	for _, c := range host.Clocks {
		cs = append(cs, chat.Choice{Value: c.Name})
	}
	return labeled("choice.clock", cs)
}

// LevelChoices are the strengths of the bot.
func LevelChoices() []chat.Choice {
	var cs []chat.Choice
	for i := range 8 {
		cs = append(cs, chat.Choice{Value: string(rune('1' + i))})
	}
	return labeled("choice.level", cs)
}

// LanguageChoices are the languages of the bot.
func LanguageChoices() []chat.Choice {
	var cs []chat.Choice
	for _, l := range texts.Languages {
		cs = append(cs, chat.Choice{Label: l.Name, Value: l.Tag})
	}
	return cs
}

// english is a text of the catalogue in English.
func english(key string) string { return texts.In("en").Say(key) }
