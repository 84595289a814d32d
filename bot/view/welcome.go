package view

import "tengen/bot/chat"

// firstSteps are the buttons of a welcome: what they do, and their labels in the catalogue. The last one is for
// servers.
var firstSteps = []struct{ id, label string }{
	{Do("open", "play"), "button.help.play"},
	{Do("open", "puzzle"), "button.help.solve"},
	{Do("open", "learn"), "button.help.learn"},
	{Do("open", "server"), "welcome.setUp"},
}

// Welcome is a text for somebody who is new to the bot, with what they can begin with.
func (t Tongue) Welcome(text string, server bool) chat.Message {
	some := firstSteps
	if !server {
		some = firstSteps[:len(firstSteps)-1]
	}
	var row []chat.Button
	for _, w := range some {
		row = append(row, chat.Button{ID: w.id, Label: t.Say(w.label)})
	}
	row[0].Style = chat.Primary
	return chat.Text(text).WithRow(row...)
}
