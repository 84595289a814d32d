package view

import (
	"fmt"
	"strings"

	"tengen/bot/chat"
	"tengen/storage"
)

// perPage is how many moves a page of the history lists.
const perPage = 30

// History is a page of the moves of a match, or the board with all numbers.
func (p Painter) History(t Tongue, rec storage.Record, page int, board bool) chat.Message {
	m := rec.Match
	plies, entries := m.Game().Plies(), m.Stones()
	pages := max(1, (len(plies)+perPage-1)/perPage)
	page = min(max(page, 0), pages-1)
	turn := func(label, to string, dead bool) chat.Button {
		return chat.Button{ID: On(m, "history", to), Label: label, Disabled: dead}
	}
	if board {
		return chat.Message{Private: true, Blocks: []chat.Block{
			{Text: t.Header(m) + "\n" + t.Seats(m)},
			p.Board(t, m, Options{Numbers: "all"}),
			{Row: []chat.Button{turn(t.Say("button.list"), "0.list", false)}},
		}}
	}
	var lines []string
	for i := page * perPage; i < min((page+1)*perPage, len(plies)); i++ {
		ply := plies[i]
		line := fmt.Sprintf("`%3d.` %s **%v**", ply.Number, disc(ply.Color), ply.Point)
		if i < len(m.Given) {
			line += " · " + t.Say("history.given")
		} else {
			line += fmt.Sprintf(" · <t:%d:t>", entries[i].At.Unix())
		}
		if ply.Passed {
			line += " · " + t.Say("history.passed", "Color", t.color(ply.Color.Other()))
		}
		if n := entries[i].Note; n.Level != 0 {
			line += " · " + t.Say("history.engine", "Level", n.Level, "Depth", n.Depth)
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		lines = []string{t.Say("history.none")}
	}
	return chat.Message{Private: true, Blocks: []chat.Block{
		{Text: t.Header(m) + "\n" + t.Seats(m)},
		{Text: strings.Join(lines, "\n")},
		{Row: []chat.Button{
			turn("◀", fmt.Sprintf("%d.list", page-1), page == 0),
			{ID: On(m, "history", fmt.Sprintf("%d.here", page)), Label: fmt.Sprintf("%d/%d", page+1, pages), Disabled: true},
			turn("▶", fmt.Sprintf("%d.list", page+1), page == pages-1),
			turn(t.Say("button.numbered"), "0.board", false),
		}},
	}}
}
