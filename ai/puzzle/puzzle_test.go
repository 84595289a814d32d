package puzzle

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/record"
	"tengen/internal/testkit"
)

// read is a puzzle from its parts.
func read(kind, line string, solution string) Puzzle {
	e := Entry{ID: "g00001", Kind: kind, Line: line, Rating: 1500}
	for _, m := range testkit.Got(game.ParseMoves(solution)) {
		e.Solution = append(e.Solution, EntryStep{Move: m.String()})
	}
	return testkit.Got(e.Puzzle())
}

// rows is a board of five in a row from its upper rows; the rest is empty.
func rows(upper string) string {
	lines := strings.Fields(upper)
	for i, l := range lines {
		lines[i] = l + strings.Repeat(".", 15-len(l))
	}
	for len(lines) < 15 {
		lines = append(lines, strings.Repeat(".", 15))
	}
	return strings.Join(lines, "/")
}

// The collection is within its bounds, no two puzzles are alike, and packing it again gives the
// same bytes.
func TestCollection(t *testing.T) {
	list := Collection()
	if len(packed) > 400_000 {
		t.Errorf("the collection has %d bytes", len(packed))
	}
	again, err := Encode(list)
	if err != nil || !bytes.Equal(again, packed) {
		t.Errorf("packed again it differs: %v", err)
	}
	seen, easy := map[Key]string{}, map[game.Rules]int{}
	for i, p := range list {
		if p.Rating < 900 {
			easy[p.Game.Rules()]++
		}
		if j := slices.IndexFunc(list[:i], p.Alike); j >= 0 {
			t.Errorf("%s is much like %s", p.ID(), list[j].ID())
		}
		if err := p.check(); err != nil {
			t.Errorf("%s: %v", p.ID(), err)
		}
		if other := seen[p.Key()]; other != "" {
			t.Errorf("%s is %s again", p.ID(), other)
		}
		seen[p.Key()] = p.ID()
		if len(p.Themes()) == 0 || p.Rating < 400 {
			t.Errorf("%s: themes %v, rating %d", p.ID(), p.Themes(), p.Rating)
		}
		back, err := p.Entry().Puzzle()
		if err != nil || !same(back, p) {
			t.Errorf("%s as an entry is %+v, %v", p.ID(), back, err)
		}
	}
	t.Logf("%d puzzles in %d bytes", len(list), len(packed))
	// A newcomer's streak begins with these, and none comes back within 60 days.
	if easy[game.Reversi] < 600 || easy[game.Gomoku15] < 300 {
		t.Errorf("easy puzzles by game: %v", easy)
	}
}

func same(a, b Puzzle) bool {
	return a.ID() == b.ID() && a.Kind == b.Kind && a.Game.Equal(b.Game) && slices.Equal(a.Line, b.Line) &&
		a.Rating == b.Rating && a.Moves == b.Moves && a.Fours == b.Fours
}

// A puzzle keeps its number when the collection is made again.
func TestNumbered(t *testing.T) {
	one := read("win", "gomoku "+rows("... ... .XXX.O .O.O")+" X", "e13")
	two := read("win", "gomoku "+rows("... ... ..XXX.O .O.O")+" X", "f13")
	list := Numbered([]Puzzle{one}, nil)
	list = Numbered([]Puzzle{two, one}, list)
	if list[0].ID() != "g00001" || list[0].Key() != one.Key() || list[1].ID() != "g00002" {
		t.Errorf("numbered %s %s", list[0].ID(), list[1].ID())
	}
}

// The eight turns of a board have one key, and other boards have others. In Renju colors differ.
func TestKey(t *testing.T) {
	g := testkit.Got(record.ParseLine("renju h8h9g7j10k3"))
	b := g.Position()
	want := Puzzle{Game: g}.Key()
	for n := range 8 {
		c := b
		for i := range c.Stones {
			c.Stones[i] = turned(b, b.Stones[i], n)
		}
		if (Puzzle{Game: testkit.Got(game.From(game.Renju, c, game.White))}).Key() != want {
			t.Errorf("turn %d has another key", n)
		}
	}
	other, err := g.Play(game.At(0, 0))
	if err != nil || (Puzzle{Game: other}).Key() == want {
		t.Error("another board has the same key")
	}
}

// Damaged bytes are an error and never a panic.
func FuzzDecode(f *testing.F) {
	f.Add(packed[:min(len(packed), 4000)])
	f.Add(testkit.Got(Encode(Collection()[:min(len(Collection()), 3)])))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := Decode(data)
		if err != nil {
			return
		}
		back, err := Decode(testkit.Got(Encode(list)))
		if err != nil || !slices.EqualFunc(back, list, same) {
			t.Fatalf("read %d, packed and read again %d: %v", len(list), len(back), err)
		}
	})
}

// A collection that was cut short is damaged, wherever the cut is.
func TestCut(t *testing.T) {
	small := testkit.Got(Encode(Collection()[:min(len(Collection()), 20)]))
	for n := range small {
		if _, err := Decode(small[:n]); err == nil {
			t.Fatalf("%d of %d bytes are taken for a collection", n, len(small))
		}
	}
}

// What a stone makes in the rows through it.
func TestShapes(t *testing.T) {
	for _, test := range []struct {
		name, rules, board, at string
		want                   string
	}{
		{"four and three", "gomoku", "... ... OXXX. ... ....X ....X", "e13", "four three"},
		{"straight four", "gomoku", "... ... ..XXX", "f13", "straight"},
		{"blocked four", "gomoku", "... ... .OXXX", "f13", "four"},
		{"five", "gomoku", "... ... ..XXXX", "g13", "five"},
		{"overline of black", "renju", "... ... ..XXXX.X", "g13", ""},
		{"open three", "gomoku", "... ... ...XX", "f13", "three"},
		{"blocked three", "gomoku", "... ... ..OXX", "f13", ""},
	} {
		g := testkit.Got(record.ParseLine(test.rules + " " + rows(test.board) + " X"))
		at := testkit.Got(game.ParsePoint(test.at, 15))
		var got []string
		for _, s := range shapes(g.Rules(), g.Position(), game.Black, at) {
			if s != nothing {
				got = append(got, [...]string{"", "three", "four", "straight", "five"}[s])
			}
		}
		slices.Sort(got)
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// Both ends of a three complete the same four; two different threes do not.
func TestSameFour(t *testing.T) {
	g := testkit.Got(record.ParseLine("gomoku " + rows("... ... ..XXX... ... ... ..XXX") + " X"))
	b := g.Position()
	at := func(s string) game.Point {
		return testkit.Got(game.ParsePoint(s, 15))
	}
	if !sameFour(b, game.Black, at("b13"), at("f13")) || sameFour(b, game.Black, at("b13"), at("f10")) {
		t.Error("which moves complete the same four")
	}
}

// Themes of Reversi by the facts of the board.
func TestReversiThemes(t *testing.T) {
	p := read("best", "reversi OOOOOOO./.OXXXOO./OOOXXXOX/OOOOOXOX/OOOOXOOX/.OOOOOOO/..OXXX../..O.XXX. X", "h7g7h8d8")
	testkit.Want(t, "themes", strings.Join(p.Themes(), " "), "endgame-12 parity pass")
}
