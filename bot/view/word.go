package view

import (
	"strings"

	"tengen/bot/chat"
	"tengen/bot/texts"
	"tengen/game"
	"tengen/storage"
)

// words are those that a member can type to the bot in place of a press.
var words = []string{"undo", "resign", "hint", "help"}

// TypedWord is the word that a member has typed, in whichever case, and its language. It is empty where what they
// typed is none.
func TypedWord(said string) (word, lang string) {
	for _, lang := range texts.Tags() {
		for _, word := range words {
			for typed := range strings.SplitSeq(In(lang).Say("typed."+word), ",") {
				if strings.EqualFold(said, strings.TrimSpace(typed)) {
					return word, lang
				}
			}
		}
	}
	return "", ""
}

// WordButton does what a member has typed. All but /help is for a match.
func (t Tongue) WordButton(word string, rec storage.Record, by game.MemberID) chat.Button {
	switch word {
	case "undo":
		return chat.Button{ID: On(rec.Match, "undo", ""), Label: t.Say("button.undo")}
	case "resign":
		return t.EndButton(rec, by)
	case "hint":
		return chat.Button{ID: On(rec.Match, "hint", ""), Label: t.Say("button.hint")}
	}
	return chat.Button{ID: Do("help", "0"), Label: t.Say("button.help")}
}
