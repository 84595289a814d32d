package game

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestParsePoint(t *testing.T) {
	for _, c := range []struct {
		text string
		size int
		want string // empty: not a point; "off": off the board
	}{
		{"h8", 15, "H8"}, {"H8", 15, "H8"}, {"8h", 15, "H8"}, {"H-8", 15, "H8"}, {"h 8", 15, "H8"},
		{" h8 ", 15, "H8"}, {"Ｈ８", 15, "H8"}, {"ｈ１０", 15, "H10"}, {"h　8", 15, "H8"}, {"(h8)", 15, "H8"},
		{"8,8", 15, "H8"}, {"8 8", 15, "H8"}, {"1,15", 15, "A15"}, {"15,1", 15, "O1"}, {"8-8", 15, "H8"},
		{"a1", 8, "A1"}, {"h8", 8, "H8"}, {"d3", 8, "D3"}, {"15o", 15, "O15"}, {"o15", 15, "O15"}, {"h08", 15, "H8"},
		{"i9", 8, "off"}, {"h9", 8, "off"}, {"j1", 9, "off"}, {"p1", 15, "off"}, {"z99", 15, "off"}, {"16,1", 15, "off"},
		{"1,16", 15, "off"}, {"", 15, ""}, {"h", 15, ""}, {"8", 15, ""}, {"88", 15, ""}, {"hh8", 15, ""}, {"h8h8", 15, ""},
		{"h0", 15, ""}, {"0,1", 15, ""}, {"1,0", 15, ""}, {"h8!", 15, ""}, {"h1000", 15, ""}, {"hello", 15, ""},
		{"h 8 8", 15, ""}, {"天元", 15, ""}, {"-", 15, ""}, {strings.Repeat(" ", 40) + "h8", 15, ""}, {"h\x008", 15, ""},
		{"h\xff8", 15, ""}, {"é8", 15, ""},
	} {
		p, err := ParsePoint(c.text, c.size)
		switch c.want {
		case "":
			if err == nil || errors.Is(err, OffBoard) {
				t.Errorf("%q: %v, %v", c.text, p, err)
			}
		case "off":
			if !errors.Is(err, OffBoard) {
				t.Errorf("%q on %d: %v, %v", c.text, c.size, p, err)
			}
		default:
			if err != nil || p.String() != c.want {
				t.Errorf("%q: %v, %v, want %s", c.text, p, err, c.want)
			}
		}
	}
}

func TestParseMoves(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""}, {"h8i9h10", "h8i9h10"}, {"H8 I9,h10", "h8i9h10"}, {"h8,\t i9\n", "h8i9"}, {"a1a11a1", "a1a11a1"},
		{"o15", "o15"}, {"h8p1", "!"}, {"h16", "!"}, {"h0", "!"}, {"h", "!"}, {"h 8", "!"}, {"8h", "!"},
		{"h8;i9", "!"}, {"h810", "!"}, {strings.Repeat("a1", 225), strings.Repeat("a1", 225)},
		{strings.Repeat("a1", 226), "!"},
	} {
		moves, err := ParseMoves(c.text)
		if c.want == "!" {
			if err == nil {
				t.Errorf("%q: %s", c.text, MoveList(moves))
			}
		} else if err != nil || MoveList(moves) != c.want {
			t.Errorf("%q: %s, %v, want %s", c.text, MoveList(moves), err, c.want)
		}
	}
}

// Every point of every board is read as it is written.
func FuzzPoint(f *testing.F) {
	for _, s := range []string{"h8", "8,8", "Ｈ８", "15o", "h 8", "(a1)", "x"} {
		f.Add(s)
	}
	for _, p := range (Position{Size: 15}).Points() {
		f.Add(p.String())
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, size := range []int{8, 9, 15} {
			p, err := ParsePoint(s, size)
			if err != nil {
				continue
			}
			if !p.On(size) {
				t.Fatalf("%q is %d, off the board of %d", s, p, size)
			}
			for _, again := range []string{p.String(), strings.ToLower(p.String()), p.String()[1:] + p.String()[:1]} {
				if q, err := ParsePoint(again, size); err != nil || q != p {
					t.Fatalf("%q is %v, and %q is %v (%v)", s, p, again, q, err)
				}
			}
		}
	})
}

func FuzzMoveList(f *testing.F) {
	f.Add("h8i9h10")
	f.Add("A1, o15 b11b1")
	f.Fuzz(func(t *testing.T, s string) {
		moves, err := ParseMoves(s)
		if err != nil {
			return
		}
		again, err := ParseMoves(MoveList(moves))
		if err != nil || !slices.Equal(again, moves) {
			t.Fatalf("%q is %v, written %q, read %v (%v)", s, moves, MoveList(moves), again, err)
		}
	})
}
