package view

import (
	"strings"
	"testing"

	"tengen/bot/texts"
	"tengen/game"
)

// Every refusal of the rules has a sentence of its own in every language, and none lacks an
// argument.
func TestEveryRefusalIsWorded(t *testing.T) {
	for _, lang := range texts.Tags() {
		said := map[string]game.Code{}
		for code := game.OffBoard; code <= game.YourTurn; code++ {
			r := &game.Refusal{Code: code, Point: game.At(7, 7), Moves: []game.Point{game.At(8, 8)}, Number: 9}
			s := In(lang).refusal(r)
			if !strings.ContainsAny(s, ".。") || strings.Contains(s, "<no value>") {
				t.Errorf("%s: %d: %q", lang, code, s)
			}
			if other, twice := said[s]; twice {
				t.Errorf("%s: %d and %d: %q", lang, code, other, s)
			}
			said[s] = code
		}
	}
	alike := In("en").refusal(&game.Refusal{Code: game.OfferedAlike, Point: game.At(7, 7),
		Moves: []game.Point{game.At(8, 8)}})
	if !strings.HasPrefix(alike, "H8 comes to the same as I9") {
		t.Error(alike)
	}
}

// A point that is not on the board: the refusal says which points are.
func TestOffBoardRange(t *testing.T) {
	for _, c := range []struct {
		rules game.Rules
		want  string
	}{
		{game.Gomoku15, "the columns A-O and the rows 1-15"},
		{game.Gomoku9, "the columns A-I and the rows 1-9"},
		{game.Reversi, "the columns A-H and the rows 1-8"},
	} {
		_, typed := game.ParsePoint("Q99", c.rules.Size())
		for _, err := range []error{typed, c.rules.Check(c.rules.Start(), game.NoPoint)} {
			r, ok := err.(*game.Refusal)
			if !ok || !strings.Contains(In("en").refusal(r), c.want) {
				t.Errorf("%s: %v", c.rules.Name(), err)
			}
		}
	}
}
