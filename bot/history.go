package bot

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

func historyRow() command {
	return command{
		Command: chat.Command{Name: "history", About: "The moves of a game", Alone: true, Options: []chat.OptionSpec{
			whichOption(), pageOption(),
			{Name: "as", About: "A list, or the numbered board", Type: chat.TextOption, Choices: named("history", "list", "board")}}},
		run: (*Bot).history,
		presses: map[string]pressed{
			"history": (*Bot).pressHistory,
		},
		which: func(b *Bot, ctx context.Context, r chat.Request, id game.MatchID, _ string) error {
			return b.historyIn(ctx, r, id, 0, false)
		},
		offers: map[string]offer{"game": (*Bot).completeAnyGame},
	}
}

// perPage is how many moves a page of the history lists.
const perPage = 30

func (b *Bot) history(ctx context.Context, r chat.Request) error {
	page := max(0, r.Number("page", 1)-1)
	board := r.Text("as", "list") == "board"
	rec, found, err := b.find(ctx, r, "history", "", view.Playing)
	if isRefused(err, "refused.noGame") {
		// None runs: the last one that was played.
		past, e := b.store.History(ctx, r.By, 0, 1)
		if e != nil || len(past) == 0 {
			return err
		}
		rec, found, err = past[0], true, nil
	}
	if err != nil || !found {
		return err
	}
	return b.historyIn(ctx, r, rec.ID, page, board)
}

func (b *Bot) pressHistory(ctx context.Context, r chat.Request, p view.Press) error {
	n, kind, _ := strings.Cut(p.Arg, ".")
	page, err := strconv.Atoi(n)
	if err != nil {
		return no("unknown.button")
	}
	return b.historyIn(ctx, r, p.Match, page, kind == "board")
}

// historyIn shows one page of the moves, or the board with all numbers. From the menu of
// a board it comes as a new private message; its own buttons turn its pages.
func (b *Bot) historyIn(ctx context.Context, r chat.Request, id game.MatchID, page int, board bool) error {
	rec, err := b.readable(ctx, r, id)
	if err != nil {
		return err
	}
	t := b.tongue(r)
	answer := chat.Answer{Kind: chat.Say, Message: b.historyPage(t, rec, page, board)}
	if r.Kind.Component() && r.Private {
		answer.Kind = chat.Replace
	}
	_, err = b.chat.Answer(ctx, r.Ticket(), answer)
	return err
}

func (b *Bot) historyPage(t view.Tongue, rec storage.Record, page int, board bool) chat.Message {
	m := rec.Match
	pages := max(1, (len(m.Log)+perPage-1)/perPage)
	page = min(max(page, 0), pages-1)
	turn := func(label, to string, dead bool) chat.Button {
		return chat.Button{ID: view.On(m, "history", to), Label: label, Disabled: dead}
	}
	if board {
		return chat.Message{Private: true, Blocks: []chat.Block{
			{Text: t.Header(m) + "\n" + t.Seats(m)},
			b.paint.Board(t, m, view.Options{Numbers: "all"}),
			{Row: []chat.Button{turn(t.Say("button.list"), "0.list", false)}},
		}}
	}
	var lines []string
	plies := m.Game().Plies()
	for i := page * perPage; i < min((page+1)*perPage, len(plies)); i++ {
		p := plies[i]
		line := fmt.Sprintf("`%3d.` %s **%v**", p.Number, view.Disc(p.Color), p.Point)
		if i < len(m.Given) {
			line += " · " + t.Say("history.given")
		} else {
			line += fmt.Sprintf(" · <t:%d:t>", m.Log[i].At.Unix())
		}
		if p.Passed {
			line += " · " + t.Say("history.passed", "Color", t.Color(p.Color.Other()))
		}
		if n := m.Log[i].Note; n.Level != 0 {
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
			{ID: view.On(m, "history", fmt.Sprintf("%d.here", page)), Label: fmt.Sprintf("%d/%d", page+1, pages), Disabled: true},
			turn("▶", fmt.Sprintf("%d.list", page+1), page == pages-1),
			turn(t.Say("button.numbered"), "0.board", false),
		}},
	}}
}
