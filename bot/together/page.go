package together

import (
	"fmt"
	"strconv"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/live"
	"tengen/bot/pad"
	"tengen/bot/view"
	"tengen/game"
	"tengen/render"
	"tengen/storage"
)

// press is the press of a verb on a game as it stands.
func press(c storage.Together, verb, arg string) string {
	return live.Press(c.Gathering, len(c.Moves), verb, arg)
}

func voteFor(c storage.Together) func(game.Point) string {
	return func(p game.Point) string { return press(c, "vote", p.String()) }
}

// board is the message of a game: the board with the votes on it, and the buttons to vote.
func board(t view.Tongue, c storage.Together) (chat.Message, error) {
	g, err := c.Replay()
	if err != nil {
		return chat.Message{}, err
	}
	votes := !c.Over() && !c.EngineToMove()
	at := pad.Last(g)
	look := press(c, "crowd", "look")
	on := pad.On(g, pad.Buttons{Play: voteFor(c), Move: func(string) string { return look }, Stone: view.Disc}, 1)
	o := render.Options{Theme: c.Look.Theme, Marks: badges(c), Numbers: 1, Forbidden: votes, Legal: votes}
	if votes {
		o.Frames = at.Frames(on)
	}
	png, err := view.Draw(render.PNG, g, o)
	if err != nil {
		return chat.Message{}, fmt.Errorf("drawing: %w", err)
	}
	alt := t.AltMoves(g)
	if tally := tallied(t, c); tally != "" {
		alt = t.Sentences(alt, t.Say("together.alt", "Votes", tally))
	}
	msg := chat.Message{Silent: true, Mark: 100, Blocks: []chat.Block{{Text: strings.Join(heading(t, c, g), "\n")},
		{Picture: &chat.Picture{Name: "board.png", Data: png, Alt: view.Clip(alt, 1000), Text: view.PlainBoard(g)}}}}
	if votes {
		for _, row := range at.Rows(on) {
			msg.Blocks = append(msg.Blocks, chat.Block{Row: row})
		}
	}
	if !c.Over() {
		row := []chat.Button{{ID: press(c, "crowd", "stop"), Label: t.Say("button.stop")}}
		if votes && len(at.Moves(on)) > 0 { // else the pad has all points
			row = append([]chat.Button{{ID: look, Label: t.Say("button.together.elsewhere")}}, row...)
		}
		msg.Blocks = append(msg.Blocks, chat.Block{Row: row})
	}
	return msg, nil
}

// heading is what stands above the board.
func heading(t view.Tongue, c storage.Together, g game.Game) []string {
	bot, all := t.Seat(game.SeatEngine(int(c.Level))), t.Say("together.everybody")
	black, white := all, bot
	if c.Color == game.White {
		black, white = bot, all
	}
	lines := []string{"### " + t.Line(t.Say("together.title"), t.Rules(c.Rules), t.Say("title.move", "Number", g.Len()+1)),
		view.Disc(game.Black) + " " + black + "  " + view.Disc(game.White) + " " + white}
	if plies := g.Plies(); len(plies) > 0 {
		p := plies[len(plies)-1]
		lines = append(lines, t.Say("play.last", "Disc", view.Disc(p.Color), "Number", p.Number, "Point", p.Point.String()))
	}
	return append(lines, state(t, c, g)...)
}

// state says what is asked now, or how it ended.
func state(t view.Tongue, c storage.Together, g game.Game) []string {
	switch {
	case c.Stopped:
		return []string{t.Say("together.stopped")}
	case c.Over():
		return []string{"**" + ended(t, c, g.Result().Winner, g.Len()) + "**"}
	case c.EngineToMove():
		return []string{t.Say("play.thinking", "Level", c.Level)}
	case len(c.Votes) == 0:
		return []string{t.Say("together.vote", "Time", t.Say("choice.every."+everyNamed(c.Every)))}
	}
	return []string{t.Say("together.due", "When", view.Relative(c.Deadline)), tallied(t, c)}
}

// ended says how a game of so many moves ended.
func ended(t view.Tongue, c storage.Together, winner game.Color, moves int) string {
	switch winner {
	case c.Color:
		return t.Say("together.won", "Count", moves)
	case game.Empty:
		return t.Say("together.drawn")
	}
	return t.Say("together.lost")
}

// mostCounted points stand with their votes in words; all are drawn on the board.
const mostCounted = 10

// tallied are the points with the most votes.
func tallied(t view.Tongue, c storage.Together) string {
	var parts []string
	counts := c.Counts()
	for _, n := range counts[:min(len(counts), mostCounted)] {
		parts = append(parts, n.Point.String()+" "+strconv.Itoa(n.Votes))
	}
	return t.Line(parts...)
}

// badges show the votes on the board. The point that would be played now stands out.
func badges(c storage.Together) (marks []render.Mark) {
	for i, n := range c.Counts() {
		marks = append(marks, render.Mark{At: n.Point, Text: strconv.Itoa(n.Votes), Best: i == 0})
	}
	return marks
}

// elsewhere is the whole board for one member, who votes there for any point.
func elsewhere(p view.Painter, t view.Tongue, c storage.Together, at pad.Pad) (chat.Message, error) {
	g, err := c.Replay()
	if err != nil {
		return chat.Message{}, err
	}
	return p.TrialBoard(t, view.TrialBoard{Game: g, Look: c.Look, Text: t.Say("together.elsewhere"), Marks: badges(c),
		Numbers: 1, Pad: at, Play: voteFor(c), Move: func(arg string) string { return press(c, "crowd", "pad."+arg) }})
}
