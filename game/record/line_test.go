package record

import (
	"errors"
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/testkit"
)

const (
	empty9 = "........./........./........./........./........./........./........./........./........."
	empty8 = "......../......../......../......../......../......../......../........"
)

// rows gives n rows joined as in a position line, empty but for those given from the top.
func rows(size int, first ...string) string {
	all := make([]string, size)
	for i := range all {
		all[i] = strings.Repeat(".", size)
		if i < len(first) {
			all[i] = first[i] + strings.Repeat(".", size-len(first[i]))
		}
	}
	return strings.Join(all, "/")
}

func TestParseLine(t *testing.T) {
	for _, c := range []struct {
		line  string
		again string // as FormatLine writes it
		turn  game.Color
	}{
		{"gomoku", "gomoku start", game.Black},
		{"gomoku start", "gomoku start", game.Black},
		{"  renju \t start ", "renju start", game.Black},
		{"gomoku h8i9h10", "gomoku h8i9h10", game.White},
		{"gomoku H8 i9,h10", "gomoku h8i9h10", game.White},
		{"gomoku h8, i9 ,h10,", "gomoku h8i9h10", game.White},
		{"gomoku o15a1", "gomoku o15a1", game.Black},
		{"standard9 e5", "standard9 e5", game.White},
		{"reversi f5d6c3", "reversi f5d6c3", game.White},
		{"gomoku9 " + empty9, "gomoku9 start", game.Black},
		{"gomoku9 " + empty9 + " O", "gomoku9 " + empty9 + " O start", game.White},
		{"gomoku9 " + empty9 + " O e5", "gomoku9 " + empty9 + " O e5", game.Black},
		{"gomoku9 " + empty9 + " O9", "", 0},                                                             // O9 is a move, and off the board
		{"gomoku9 " + rows(9, "X"), "gomoku9 " + rows(9, "X") + " O start", game.White},                  // one black stone more
		{"gomoku9 " + rows(9, "X--OOO") + " X a1", "gomoku9 " + rows(9, "X..OOO") + " X a1", game.White}, // any counts with a side
		{"gomoku9 " + rows(9, "XXXXX") + " O", "gomoku9 " + rows(9, "XXXXX") + " X start", game.Empty},
		{"reversi " + empty8, "reversi " + empty8 + " X start", game.Empty},
		{"reversi " + rows(8, "XO") + " X c1", "reversi " + rows(8, "XO") + " X c1", game.Empty},
		// White cannot move and black can: the turn passes.
		{"reversi " + rows(8, "XO") + " O", "reversi " + rows(8, "XO") + " X start", game.Black},
	} {
		g, err := ParseLine(c.line)
		if c.again == "" {
			if err == nil {
				t.Errorf("%q: no error", c.line)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.line, err)
			continue
		}
		if again := FormatLine(g); again != c.again {
			t.Errorf("%q: %q, want %q", c.line, again, c.again)
		}
		if g.Turn() != c.turn {
			t.Errorf("%q: turn %v, want %v", c.line, g.Turn(), c.turn)
		}
	}
}

func TestParseLineErrors(t *testing.T) {
	for _, c := range []struct {
		line, want string
		code       game.Code
	}{
		{"", "empty", 0},
		{"chess", "unknown rules", 0},
		{"Gomoku", "unknown rules", 0},
		{"gomoku h8h8", "move 2 (H8): H8 is already taken", game.Occupied},
		{"gomoku9 e5 j9", "move 2 (J9): that point is not on the board", game.OffBoard},
		{"gomoku h16", `move 1: "h16" is not a point`, 0},
		{"gomoku h0", `move 1: "h0" is not a point`, 0},
		{"gomoku h8 p1", `move 2: "p1" is not a point`, 0},
		{"gomoku a1b1a2b2a3b3a4b4a5b5", "move 10 (B5): the game is over", game.GameOver},
		{"renju h8a1j8a3h9a5j9", "", 0},
		{"reversi a1", "move 1 (A1): A1 turns no disc", game.NoFlip},
		{"gomoku " + empty9, "9 rows, want 15", 0},
		{"gomoku9 " + empty9[1:], "row 1 from the top has 8 points, want 9", 0},
		{"gomoku9 " + rows(9, "x"), `write X, O, . or -`, 0},
		{"gomoku9 " + rows(9, "XX"), "2 black and 0 white stones", 0},
		{"gomoku9 " + rows(9, "O"), "0 black and 1 white stones", 0},
		{"gomoku9 " + rows(9, "XXXXX", "OOOOO") + " X", "both sides", 0},
		{"gomoku9 " + rows(9, "XXXXX", "OOOO") + " O a1", "move 1 (A1): the game is over", game.GameOver},
		{"gomoku9 " + empty9 + " X X", "not a point", 0},
		{"gomoku9 start e5", "not a point", 0},
		{"gomoku " + strings.Repeat("h8", 3000), "at most", 0},
	} {
		_, err := ParseLine(c.line)
		switch {
		case c.want == "" && c.code == 0:
			if err != nil {
				t.Errorf("%q: %v", c.line, err)
			}
		case err == nil:
			t.Errorf("%q: no error", c.line)
		case !strings.Contains(err.Error(), c.want):
			t.Errorf("%q: %v, want %q", c.line, err, c.want)
		case c.code != 0 && !errors.Is(err, c.code):
			t.Errorf("%q: %v does not wrap the code %v", c.line, err, c.code)
		}
	}
}

// A black overline that stands on the rows already is not judged.
func TestParseLineOverline(t *testing.T) {
	g := testkit.Got(ParseLine("renju " + rows(15, "XXXXXX") + " O"))
	if g.Result().Over() || g.Turn() != game.White {
		t.Errorf("%v, %v to move", g.Result(), g.Turn())
	}
}

func FuzzParseLine(f *testing.F) {
	for _, s := range []string{
		"gomoku h8i9h10", "renju start", "reversi f5 d6,c3", "standard9 " + empty9 + " O e5",
		"reversi " + rows(8, "XO") + " O", "gomoku9 " + rows(9, "XXXXX") + " O", "gomoku",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		g, err := ParseLine(line)
		if err != nil {
			return
		}
		again, err := ParseLine(FormatLine(g))
		if err != nil {
			t.Fatalf("%q became %q: %v", line, FormatLine(g), err)
		}
		if !again.Equal(g) || again.Position() != g.Position() {
			t.Fatalf("%q became %q, another game", line, FormatLine(g))
		}
	})
}
