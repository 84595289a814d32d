package view

import (
	"fmt"

	"tengen/bot/chat"
	"tengen/game"
	"tengen/render"
)

// Slate is a board on which one member tries moves, for them alone. It keeps nothing: what a
// press means stands in the custom ids of its buttons.
type Slate struct {
	Game    game.Game
	Look    game.Look
	Text    string // above the board
	Alt     string // what the picture shows beside the position, in words
	Marks   []render.Mark
	Numbers int // so many of the last moves are numbered

	// With Play there is a pad: Play is the custom id of a point, and Move that of a button
	// which moves the pad, by the argument that ParsePad reads.
	Play func(p game.Point) string
	Move func(arg string) string
	Pad  Pad

	Row  []chat.Button // below the board; under a pad at most four
	More []chat.Block  // below the row; under a pad one block at most
}

// Slate is a slate as a message.
func (p Painter) Slate(t Tongue, s Slate) (chat.Message, error) {
	o := render.Options{Theme: s.Look.Theme, Marks: s.Marks, Numbers: s.Numbers, Forbidden: s.Play != nil, Legal: s.Play != nil}
	if s.Play != nil {
		o.Frames = s.Pad.frames(s.ground())
	}
	png, err := Draw(render.PNG, s.Game, o)
	if err != nil {
		return chat.Message{}, fmt.Errorf("drawing: %w", err)
	}
	alt := t.Say("alt.game", "Rules", t.Rules(s.Game.Rules()), "Number", s.Game.Len())
	if last := s.Game.Last(); last != game.NoPoint {
		alt += " " + t.Say("alt.last", "Point", last.String())
	}
	msg := chat.Message{Private: true, Blocks: []chat.Block{{Text: s.Text},
		{Picture: &chat.Picture{Name: "board.png", Data: png, Alt: Clip(alt+" "+s.Alt, 1000), Text: PlainBoard(s.Game)}}}}
	row := s.Row
	if s.Play != nil {
		for _, line := range s.Pad.rows(s.ground()) {
			msg.Blocks = append(msg.Blocks, chat.Block{Row: line})
		}
		row = append(s.Pad.elsewhere(t, s.ground()), row...)
	}
	if len(row) > 0 {
		msg.Blocks = append(msg.Blocks, chat.Block{Row: row})
	}
	msg.Blocks = append(msg.Blocks, s.More...)
	return msg, nil
}

// ground is what the pad of a slate lies on.
func (s Slate) ground() ground {
	open := func(p game.Point) bool { return s.Game.Check(p) == nil }
	return ground{s.Game, eyeOn(s.Game), open, jumps, s.Play, s.Move}
}

// elsewhere is the one button by which the pad of a slate reaches every other part of the
// board. Jumps would leave no room for the slate's own buttons.
func (pad Pad) elsewhere(t Tongue, on ground) []chat.Button {
	if all := pad.moves(t, on); len(all) > 0 {
		return all[len(all)-1:]
	}
	return nil
}

// PadOver is a pad that covers a point, not in its middle: it tells little of which point it is.
func PadOver(g game.Game, p game.Point) Pad {
	pad := eyeOn(g).pad()
	if !pad.covers(p) {
		pad = Pad{col: p.Col() / padCols * padCols, row: p.Row() / padRows * padRows, Sure: game.NoPoint}.within(wholeBoard(g.Rules().Size()))
	}
	return pad
}

// PadOn is the pad for the last moves of a game.
func PadOn(g game.Game) Pad { return eyeOn(g).pad() }
