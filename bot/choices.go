package bot

import (
	"tengen/bot/chat"
	"tengen/bot/host"
	"tengen/bot/texts"
	"tengen/game"
)

// Options that several commands have.

func whichOption() chat.OptionSpec {
	return chat.OptionSpec{Name: "game", About: "Which of your games, when there are several", Type: chat.TextOption, Complete: true, Max: 40}
}

func clockOption() chat.OptionSpec {
	return chat.OptionSpec{Name: "clock", About: "Time for each move", Type: chat.TextOption, Choices: clockChoices()}
}

func colorOption() chat.OptionSpec {
	return chat.OptionSpec{Name: "color", About: "Your color", Type: chat.TextOption, Choices: named("color", "random", "black", "white")}
}

func openingOption() chat.OptionSpec {
	return chat.OptionSpec{Name: "opening", About: "How the first stones come about", Type: chat.TextOption, Complete: true, Max: 30}
}

func usualOpeningOption() chat.OptionSpec {
	return chat.OptionSpec{Name: "opening", About: "The opening where none is named", Type: chat.TextOption, Choices: openingChoices()}
}

func openingChoices() []chat.Choice { return named("opening", host.AllOpenings()...) }

func threadOption() chat.OptionSpec {
	return chat.OptionSpec{Name: "thread", About: "Play in a thread of its own", Type: chat.YesOption}
}

func noteOption() chat.OptionSpec {
	return chat.OptionSpec{Name: "note", About: "A line to your opponent", Type: chat.TextOption, Max: 100}
}

func ratedOption() chat.OptionSpec {
	return chat.OptionSpec{Name: "rated", About: "Let the result change both ratings", Type: chat.YesOption}
}

func kindOption() chat.OptionSpec {
	return chat.OptionSpec{Name: "game", About: "What to play", Type: chat.TextOption, Choices: gameChoices()}
}

func numbersOption() chat.OptionSpec {
	return chat.OptionSpec{Name: "numbers", About: "Numbers on the stones", Type: chat.TextOption, Choices: named("numbers", "none", "last", "few", "all")}
}

func pageOption() chat.OptionSpec {
	return chat.OptionSpec{Name: "page", About: "Which page", Type: chat.NumberOption, Min: 1, Max: 25}
}

func levelOption() chat.OptionSpec {
	return chat.OptionSpec{Name: "level", About: "How strong the bot plays", Type: chat.NumberOption, Choices: levelChoices()}
}

func guestOption() chat.OptionSpec {
	return chat.OptionSpec{Name: host.GuestOption, About: "Another program that plays instead of me", Type: chat.TextOption, Complete: true, Max: 32}
}

func themeOption() chat.OptionSpec {
	return chat.OptionSpec{Name: "theme", About: "How the board looks", Type: chat.TextOption, Complete: true, Max: 30}
}

func languageOption() chat.OptionSpec {
	return chat.OptionSpec{Name: "language", About: "The language of the bot", Type: chat.TextOption, Choices: languageChoices()}
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

// labeled fills in the English labels, and their keys in the catalogue, by which registration finds
// the other languages.
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
	for _, c := range host.Clocks {
		cs = append(cs, chat.Choice{Value: c.Name})
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

// english is a text of the catalogue in English.
func english(key string) string { return texts.In("en").Say(key) }
