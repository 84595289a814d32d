package view

import (
	"fmt"

	"tengen/bot/chat"
	"tengen/bot/pad"
	"tengen/game"
	"tengen/render"
	"tengen/storage"
)

// TrialBoard is a board on which one member tries moves, for them alone. It keeps nothing: what a
// press means stands in the custom ids of its buttons.
type TrialBoard struct {
	Game    game.Game
	Look    storage.Look
	Text    string // above the board
	Alt     string // what the picture shows beside the position, in words
	Marks   []render.Mark
	Numbers int // so many of the last moves are numbered

	// With Play there is a pad: Play is the custom id of a point, and Move that of a button
	// which moves the pad, by the argument that pad.Parse reads.
	Play func(p game.Point) string
	Move func(arg string) string
	Pad  pad.Pad

	Row  []chat.Button // below the board; under a pad at most four
	More []chat.Block  // below the row; under a pad none
}

// TrialBoard is a trial board as a message.
func (p Painter) TrialBoard(t Tongue, s TrialBoard) (chat.Message, error) {
	o := render.Options{Theme: s.Look.Theme, Marks: s.Marks, Numbers: s.Numbers, Forbidden: s.Play != nil,
		Legal: s.Play != nil}
	if s.Play != nil {
		o.Frames = s.Pad.Frames(s.ground(t))
	}
	png, err := p.picture(s.Game, o)
	if err != nil {
		return chat.Message{}, fmt.Errorf("drawing: %w", err)
	}
	alt := t.AltMoves(s.Game)
	if s.Game.Len() == 0 { // a position that was set up
		alt = t.Say("alt.rules", "Rules", t.Rules(s.Game.Rules()))
	}
	alt = Clip(t.Sentences(alt, s.Alt), 1000)
	msg := chat.Private(s.Text,
		chat.Block{Picture: &chat.Picture{Name: "board.png", Data: png, Alt: alt, Text: PlainBoard(s.Game)}})
	row := s.Row
	if s.Play != nil {
		for _, line := range s.Pad.Rows(s.ground(t)) {
			msg = msg.WithRow(line...)
		}
		moves := s.Pad.Moves(s.ground(t))
		if len(moves)+len(row) > pad.Cols {
			msg = msg.WithRow(moves...)
			moves = nil
		}
		row = append(moves, row...)
	}
	msg = msg.WithRow(row...)
	msg.Blocks = append(msg.Blocks, s.More...)
	return msg, nil
}

// mostBeside is how many buttons of its own a trial board may have beside all that move the pad, which then may
// stand in a row of theirs: the message has 40 components, as many as Discord takes.
const mostBeside = 2

// ground is what the pad of a trial board lies on.
func (s TrialBoard) ground(t Tongue) pad.Ground {
	room := pad.Cols
	if len(s.Row) > mostBeside {
		room -= len(s.Row)
	}
	return pad.On(s.Game, pad.Buttons{Play: s.Play, Move: s.Move, Stone: Disc, Back: t.Say("button.back")}, room)
}
