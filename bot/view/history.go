package view

import (
	"fmt"
	"strings"
	"time"

	"tengen/bot/chat"
	"tengen/game"
	"tengen/storage"
)

// perPage is how many moves a page of the history lists: as many as a phone shows.
const perPage = 10

// History is a page of the moves of a match, or the board with all numbers. A running match,
// where there is one, is a press away.
func (p Painter) History(t Tongue, rec storage.Record, end Ruling, page int, board bool,
	running game.Match) chat.Message {
	m := rec.Match
	pages := max(1, (len(m.Log)+perPage-1)/perPage)
	page = min(max(page, 0), pages-1)
	turn := func(name, label string, to int) chat.Button {
		return chat.Button{ID: On(m, "history", fmt.Sprintf("%d.list.%s", to, name)), Label: label,
			Disabled: to == page || to < 0 || to >= pages}
	}
	body, rows := chat.Block{Text: t.moves(rec, page)}, []chat.Block{}
	other := chat.Button{ID: On(m, "history", "0.board"), Label: t.Say("button.numbered")}
	if board {
		body, other = p.Board(t, rec, Options{Numbers: "all", Ruling: end}),
			chat.Button{ID: On(m, "history", "0.list"), Label: t.Say("button.list")}
	} else if pages > 1 {
		rows = append(rows, chat.Block{Row: []chat.Button{
			turn("first", "⏮", 0), turn("back", "◀", page-1),
			{ID: On(m, "history", fmt.Sprintf("%d.here", page)), Label: fmt.Sprintf("%d/%d", page+1, pages), Disabled: true},
			turn("on", "▶", page+1), turn("last", "⏭", pages-1),
		}})
	}
	row := []chat.Button{other, {ID: On(m, "replay", fmt.Sprint(m.Game().Len())), Label: t.Say("button.replay")}}
	if m.Phase == game.Over && m.Game().Len() > 0 {
		row = append(row, t.ReviewButton(m, "history"))
	}
	rows = append(rows, chat.Block{Row: append(row, otherGames(t, m, running, "history", "0.list.running")...)})
	heading := t.Heading(rec, end)
	if clocks := t.clocks(m); len(clocks) > 0 {
		heading += "\n-# " + t.Line(clocks...)
	}
	return chat.Private(heading, append([]chat.Block{body}, rows...)...)
}

// moves lists a page of the moves of a match, and of the decisions of its opening.
func (t Tongue) moves(rec storage.Record, page int) string {
	m, plies, made := rec.Match, rec.Game().Plies(), rec.Made()
	if len(made) == 0 {
		return t.Say("history.none")
	}
	var lines []string
	for i := page * perPage; i < min((page+1)*perPage, len(made)); i++ {
		e := made[i]
		if e.Ply == 0 {
			lines = append(lines, t.Line("`  · ` "+t.decided(m, e), clock(e.At)))
			continue
		}
		ply := plies[e.Ply-1]
		line := []string{fmt.Sprintf("`%3d.` %s **%v**", ply.Number, Disc(ply.Color), ply.Point), clock(e.At)}
		if i < len(m.Given) {
			line[1] = t.Say("history.given")
		}
		if ply.Passed {
			line = append(line, t.Say("passed."+ply.Color.Other().String()))
		}
		if e.Replaced(m) {
			line = append(line, t.Say("history.stoodIn"))
		}
		if n := e.Note; n.Level != 0 && (rec.Look.Engine || BetweenEngines(m)) {
			line = append(line, t.Say("history.engine", "Level", n.Level, "Depth", n.Depth))
		}
		lines = append(lines, t.Line(line...))
	}
	return strings.Join(lines, "\n")
}

// clock is a moment as Discord shows it to each member: the time of day, in their own zone.
func clock(at time.Time) string { return fmt.Sprintf("<t:%d:t>", at.Unix()) }

// otherGames are the buttons that lead from a game to the list of those that stand alike, running
// or finished, and to a running match, by a verb and its argument, where there is one.
func otherGames(t Tongue, m, running game.Match, verb, arg string) []chat.Button {
	list := "0.mine"
	if m.Phase == game.Over {
		list = "0.finished"
	}
	row := []chat.Button{{ID: Do("games", list), Label: t.Say("button.games.all")}}
	if running.ID != 0 {
		row = append(row, chat.Button{ID: On(running, verb, arg), Label: t.Say("button.running")})
	}
	return row
}
