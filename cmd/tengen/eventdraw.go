package main

import (
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"

	"tengen/game/event"
	"tengen/render"
)

// tableFlags say how the picture of an event is drawn.
type tableFlags struct {
	Out   string `short:"o" placeholder:"FILE.png" help:"Draw the table, or the bracket of a knockout, into this file."`
	Theme string `placeholder:"T" help:"Theme of the picture: one of render --list-themes."`
	Size  int    `placeholder:"PX" help:"Width of the picture in pixels, 200 to 2100; 0 is 1050."`
	Page  int    `default:"1" placeholder:"N" help:"Which page to draw: a page has 16 rows, or a part of the bracket."`
}

// check says what is impossible about the picture that was asked for.
func (f tableFlags) check() error {
	return checkPNG("-o FILE.png", f.Out, "", render.Options{Theme: f.Theme, Size: f.Size})
}

// checkPNG says what is impossible about a picture, in the words of a command.
func checkPNG(flag, out, command string, o render.Options) error {
	if out != "" && strings.ToLower(filepath.Ext(out)) != ".png" {
		return exit{2, command + flag + " must end in .png"}
	}
	if err := o.Check(); err != nil {
		return exit{2, command + err.Error()}
	}
	return nil
}

func (f tableFlags) options() render.EventOptions {
	return render.EventOptions{Theme: f.Theme, Width: f.Size, Page: f.Page - 1}
}

// drawLine draws the standings that a line of tengen event asks for, which event.Answer has taken.
func (f tableFlags) drawLine(line string) error {
	var in struct {
		Rounds  int
		Players []struct {
			event.Player
			Name string
		}
	}
	if err := json.Unmarshal([]byte(line), &in); err != nil {
		return err
	}
	players := make([]event.Player, len(in.Players))
	for i, p := range in.Players {
		players[i] = p.Player
	}
	standings, err := event.Standings(players, in.Rounds)
	if err != nil {
		return err
	}
	event.KindSwiss.Place(standings)
	var t render.Table
	for round := range in.Rounds {
		t.Heads = append(t.Heads, strconv.Itoa(round+1))
	}
	for _, s := range standings {
		r := render.Row{Place: s.Place, Number: s.ID, Name: in.Players[s.ID-1].Name, Points: render.Points(s.Points)}
		for _, g := range players[s.ID-1].Games {
			r.Cells = append(r.Cells, render.CellOf(g.Result, g.Opp))
		}
		t.Rows = append(t.Rows, r)
	}
	picture, err := t.PNG(f.options())
	if err != nil {
		return err
	}
	return writeFile(f.Out, picture)
}
