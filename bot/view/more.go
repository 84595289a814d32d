package view

import (
	"tengen/bot/chat"
	"tengen/game"
)

// moreButton opens the menu of a match.
func moreButton(m game.Match) chat.Button { return chat.Button{ID: On(m, "more", ""), Label: "⋯"} }

// More is the menu of what a member can do in a match besides playing, for them alone.
func (t Tongue) More(m game.Match, by game.MemberID) chat.Message {
	msg := chat.Message{Private: true, Blocks: []chat.Block{{Text: t.Title(m, by)}}}
	if _, ok := m.SeatOf(by); ok && m.Phase == game.Playing {
		row := []chat.Button{
			{ID: On(m, "type", ""), Label: t.Say("button.type"), Style: chat.Primary},
			{ID: On(m, "undo", ""), Label: t.Say("button.undo")},
			{ID: On(m, "draw", ""), Label: t.Say("button.draw")},
			{ID: On(m, "resign", ""), Label: t.Say("button.resign"), Style: chat.Danger},
		}
		if m.Young() {
			row = append(row, chat.Button{ID: On(m, "abort", ""), Label: t.Say("button.abort")})
		}
		msg.Blocks = append(msg.Blocks, chat.Block{Row: row})
		second := []chat.Button{{ID: On(m, "numbers", ""), Label: t.Say("button.numbers")}}
		if m.Deciding() {
			second = append(second, chat.Button{ID: Do("lesson", OpeningName(m.Terms)+".0.more"), Label: t.Say("button.opening"), Style: chat.Primary})
		} else if m.AgainstEngine() {
			second = append(second, chat.Button{ID: On(m, "hint", ""), Label: t.Say("button.hint")})
		}
		msg.Blocks = append(msg.Blocks, chat.Block{Row: second})
	}
	if m.Phase == game.Over {
		row := []chat.Button{{ID: On(m, "new", ""), Label: t.Say("button.newGame")}}
		if !BetweenEngines(m) {
			row = append(row, chat.Button{ID: On(m, "challenge", ""), Label: t.Say("button.other")})
		}
		msg.Blocks = append(msg.Blocks, chat.Block{Row: row})
	}
	msg.Blocks = append(msg.Blocks, chat.Block{Row: []chat.Button{
		{ID: On(m, "history", "0.list"), Label: t.Say("button.history")},
		{ID: On(m, "export", "sgf"), Label: "SGF"},
		{ID: On(m, "export", "png"), Label: "PNG"},
		{ID: On(m, "export", "gif"), Label: "GIF"},
	}})
	return msg
}
