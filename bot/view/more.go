package view

import (
	"tengen/bot/chat"
	"tengen/game"
	"tengen/storage"
)

// moreButton opens the menu of a match.
func moreButton(m game.Match) chat.Button { return chat.Button{ID: On(m, "more", ""), Label: "⋯"} }

// More is the menu of what the member of r can do in a match besides playing, for them alone. With paged there is the
// board as a page, which can be shared.
func (t Tongue) More(rec storage.Record, r chat.Request, paged bool) chat.Message {
	m, by := rec.Match, r.By
	msg := chat.Private(t.Title(m, by))
	if seat, ok := m.SeatOf(by); ok && m.Phase == game.Playing {
		row := []chat.Button{
			{ID: On(m, "type", ""), Label: t.Say("button.type"), Style: chat.Primary},
			{ID: On(m, "undo", ""), Label: t.Say("button.undo")},
			{ID: On(m, "draw", ""), Label: t.Say("button.draw")},
			{ID: On(m, "resign", ""), Label: t.resign(rec), Style: chat.Danger},
		}
		if m.Young() && !rec.Contest() {
			row = append(row, chat.Button{ID: On(m, "abort", ""), Label: t.Say("button.abort")})
		}
		msg = msg.WithRow(row...)
		second := []chat.Button{{ID: On(m, "numbers", ""), Label: t.Say("button.numbers")}}
		if rec.Link.Event != 0 && seat != m.ToMove() && !m.Present(seat) {
			second = append(second, chat.Button{ID: On(m, "here", ""), Label: t.Say("event.button.here"), Style: chat.Success})
		}
		if m.Deciding() {
			second = append(second, chat.Button{ID: Do("lesson", OpeningName(m.Terms)+".0.more"),
				Label: t.Say("button.opening"), Style: chat.Primary})
		} else if m.AgainstEngine() {
			second = append(second, chat.Button{ID: On(m, "hint", ""), Label: t.Say("button.hint")})
		}
		msg = msg.WithRow(append(second, t.ifThenButton(m, by)...)...)
	}
	if m.Phase == game.Over {
		row := []chat.Button{{ID: On(m, "new", ""), Label: t.Say("button.newGame")}}
		if m.Game().Len() > 0 {
			row = append(row, t.AnalyzeButton(m, m.Game().Len()))
		}
		if !BetweenEngines(m) {
			row = append(row, chat.Button{ID: On(m, "challenge", ""), Label: t.Say("button.other")})
		}
		msg = msg.WithRow(row...)
	}
	row := []chat.Button{
		{ID: On(m, "history", "0.list"), Label: t.Say("button.history")},
		{ID: On(m, "export", "sgf"), Label: "SGF"},
		{ID: On(m, "export", "png"), Label: "PNG"},
		{ID: On(m, "export", "gif"), Label: "GIF"},
	}
	if share := t.shareButton(rec, r); paged && share.ID != "" {
		row = append(row, share)
	}
	return msg.WithRow(row...)
}
