package simul

import (
	"fmt"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/live"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/simul"
	"tengen/storage"
)

// do is the press of a button of a simul.
func do(x storage.Simul, what string) string {
	return live.Press(x.Gathering, 0, "simul", what)
}

// mark tells the message of a simul apart from other messages in its channel.
const mark = 200

// page is the message of a simul: who has joined, then the boards and their results.
func page(t view.Tongue, x storage.Simul, links map[game.MatchID]string) chat.Message {
	giver := game.Seat{Kind: game.FormerSeat}
	if x.Giver != 0 {
		giver = game.SeatFor(x.Giver)
	}
	title := "### " + t.Line(t.Say("simul.title"), t.Rules(x.Game.Rules))
	terms := t.Terms(game.Match{Terms: x.Game, Seats: [2]game.Seat{giver}})
	lines := joined(t, x)
	if !x.Started.IsZero() {
		lines = boards(t, x, links)
	}
	blocks := []chat.Block{{Text: strings.Join([]string{title, t.Say("simul.giver", "Giver", t.Seat(giver)), terms},
		"\n")}, {Text: strings.Join(lines, "\n")}}
	if row := buttons(t, x); len(row) > 0 {
		blocks = append(blocks, chat.Block{Row: row})
	}
	return chat.Message{Silent: true, Mark: mark, Blocks: blocks}
}

// joined says who has joined a simul that has not started.
func joined(t view.Tongue, x storage.Simul) []string {
	if x.Stopped {
		return []string{t.Say("simul.canceled")}
	}
	lines := []string{t.Say("simul.gathers", "When", view.Relative(x.Until))}
	if len(x.Opponents) == 0 {
		return append(lines, t.Say("simul.joined.none"))
	}
	lines = append(lines, t.Say("simul.joined", "Count", len(x.Opponents), "Most", simul.MaxOpponents))
	for i, o := range x.Opponents {
		lines = append(lines, fmt.Sprintf("%d\\. %s", i+1, view.Mention(o.Member)))
	}
	return lines
}

// boards say how each game stands, and who has won how many.
func boards(t view.Tongue, x storage.Simul, links map[game.MatchID]string) []string {
	var count [simul.None + 1]int
	var lines []string
	for i, o := range x.Opponents {
		count[o.Result]++
		link := ""
		if o.Match != 0 {
			link = view.Linked(t.Say("event.toBoard"), links[o.Match])
		}
		lines = append(lines, t.Line(fmt.Sprintf("%d\\. %s", i+1, opponent(t, o)),
			t.Say("simul.result."+o.Result.String()), link))
	}
	score := t.Say("simul.score", "Won", count[simul.Won], "Drawn", count[simul.Drawn], "Lost", count[simul.Lost])
	stands := t.Say("simul.over")
	switch {
	case count[simul.Open] > 0:
		stands = t.Say("simul.open", "Count", count[simul.Open])
	case x.Stopped:
		stands = t.Say("simul.stopped")
	}
	return append([]string{"**" + t.Line(score, stands) + "**"}, lines...)
}

func opponent(t view.Tongue, o simul.Opponent) string {
	if o.Member == 0 {
		return t.Say("seat.former")
	}
	return view.Mention(o.Member)
}

// buttons are what can be done with a simul now.
func buttons(t view.Tongue, x storage.Simul) (row []chat.Button) {
	if x.Over() || x.Stopped {
		return nil
	}
	button := func(what, label string, style chat.ButtonStyle) {
		row = append(row, chat.Button{ID: do(x, what), Label: t.Say(label), Style: style})
	}
	if x.Started.IsZero() {
		button("join", "button.enter", chat.Primary)
		button("leave", "button.leave", chat.Secondary)
		button("start", "button.start", chat.Success)
	} else {
		button("next", "button.simul.next", chat.Primary)
	}
	return append(row, chat.Button{ID: do(x, "stop"), Label: t.Say("button.stop")})
}
