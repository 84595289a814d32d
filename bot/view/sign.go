package view

import (
	"tengen/bot/chat"
	"tengen/bot/pad"
	"tengen/render"
)

// signs are the characters on buttons, by the names of the pictures that may stand in their place.
var signs = map[string]string{
	"black": "⚫", "white": "⚪",
	"left": "◀", "right": "▶", "up": "▲", "down": "▼",
	"leftup": "◤", "rightup": "◥", "leftdown": "◣", "rightdown": "◢", "parts": pad.Elsewhere,
	"first": "⏮", "last": "⏭", "more": "⋯",
}

// Signs are pictures for the characters on buttons.
func Signs() []chat.Sign {
	var all []chat.Sign
	for _, s := range render.Signs() {
		all = append(all, chat.Sign{Char: signs[s.Name], Name: s.Name, PNG: s.PNG})
	}
	return all
}
