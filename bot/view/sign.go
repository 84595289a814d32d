package view

import (
	"tengen/bot/chat"
	"tengen/bot/pad"
	"tengen/render"
)

// signs are the characters on buttons, by the pictures that may stand in their place. A screen reader says the
// name of the emoji that such a picture becomes, so it is named as members would call it. A picture that is drawn
// anew needs a new name, such as black_stone_2: Discord keeps showing what it has under the old one.
var signs = map[string]struct{ char, heard string }{
	"black": {"⚫", "black_stone"}, "white": {"⚪", "white_stone"},
	"left": {"◀", "left"}, "right": {"▶", "right"}, "up": {"▲", "up"}, "down": {"▼", "down"},
	"leftup": {"◤", "upper_left"}, "rightup": {"◥", "upper_right"},
	"leftdown": {"◣", "lower_left"}, "rightdown": {"◢", "lower_right"},
	"parts": {pad.Elsewhere, "parts_of_the_board"},
	"first": {"⏮", "first"}, "last": {"⏭", "last"}, "more": {"⋯", "more"},
}

// Signs are pictures for the characters on buttons.
func Signs() []chat.Sign {
	var all []chat.Sign
	for _, s := range render.Signs() {
		all = append(all, chat.Sign{Char: signs[s.Name].char, Name: signs[s.Name].heard, PNG: s.PNG})
	}
	return all
}
