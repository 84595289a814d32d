package view

import (
	"testing"

	"tengen/game"
	"tengen/game/record"
)

// Every lesson shows what its text says.
func TestLessons(t *testing.T) {
	at := func(s string) game.Point {
		p, err := game.ParsePoint(s, 15)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	forbidden := map[string]map[game.Point]game.Code{
		"renju.2": {at("h8"): game.DoubleThree},
		"renju.3": {at("f4"): game.Overline, at("j10"): game.DoubleFour},
		"renju.4": {},
	}
	for name, pages := range lessons {
		for _, l := range pages {
			g, err := record.ParseLine(l.line)
			if err != nil {
				t.Errorf("%s: %v", l.name, err)
				continue
			}
			if name != "standard" && g.Rules().Name() != name && l.name != "gomoku.4" {
				t.Errorf("%s is about %s", l.name, g.Rules().Name())
			}
			if !In("en").Has("lesson." + l.name) {
				t.Errorf("%s has no text", l.name)
			}
			for p, code := range forbidden[l.name] {
				var found bool
				for _, r := range g.Forbidden() {
					found = found || r.Point == p && r.Code == code
				}
				if !found {
					t.Errorf("%s: %v is not forbidden as told: %v", l.name, p, g.Forbidden())
				}
			}
			switch l.name {
			case "gomoku.1", "reversi.4":
				if g.Turn() != game.Empty {
					t.Errorf("%s is not over", l.name)
				}
			case "renju.4":
				if g, err = g.Play(at("i8")); err != nil || g.Result().Winner != game.Black {
					t.Errorf("%s: I8 does not win: %v", l.name, err)
				}
			case "standard.1":
				if g, err = g.Play(at("h7")); err != nil || g.Result().Over() {
					t.Errorf("%s: H7 ends the game: %v", l.name, err)
				}
			}
		}
	}
}
