package view

import (
	"tengen/bot/chat"
)

// helpParts are what one may want of the bot, in the order of a newcomer, and the commands that buttons of
// /help run for it.
var helpParts = []struct{ name, opens string }{
	{"play", "play"}, {"solve", "puzzle"}, {"learn", "learn"}, {"events", "event"}, {"best", "top"}, {"games", "games"},
	{"set", "settings"},
}

// Help is what the bot can do, a button each. Where alone is set it leaves out what is only in servers.
func (t Tongue) Help(alone bool) chat.Message {
	msg := chat.Private("### tengen\n" + t.Say("help.intro"))
	for _, p := range helpParts {
		if alone && (p.name == "events" || p.name == "best") {
			continue
		}
		b := chat.Button{ID: Do("open", p.opens), Label: t.Say("button.help." + p.name)}
		if p.name == "play" {
			b.Style = chat.Success
		}
		msg.Blocks = append(msg.Blocks,
			chat.Block{Section: &chat.Section{Texts: []string{t.Say("help." + p.name)}, Button: b}})
	}
	msg.Blocks = append(msg.Blocks, chat.Block{Text: "-# " + t.Say("help.menus")})
	return msg
}
