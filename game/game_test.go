package game

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tengen/internal/testkit"
)

// A refused move says why, with its point, its side and its lines.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		rules Rules
		moves string
		at    string
		code  Code
		text  string
	}{
		{Gomoku9, "e5", "E5", Occupied, "E5 is already taken"},
		{Gomoku9, "", "J1", OffBoard, "that point is not on the board"},
		{Gomoku9, "a1a9b1b9c1c9d1d9e1", "I9", GameOver, "the game is over"},
		{Reversi, "", "A1", NoFlip, "A1 turns no disc"},
		{Reversi, "", "D4", Occupied, "D4 is already taken"},
		{Renju, "h9a1h7a3g8a5i8a7", "H8", DoubleThree, "H8 is forbidden for Black: it makes two open threes (G8-I8 and H7-H9)"},
		{Renju, "h9a1h10a3h11a5i8a7j8a9k8a11", "H8", DoubleFour, "H8 is forbidden for Black: it makes two fours (H8-K8 and H8-H11)"},
		{Renju, "e8a1f8a3g8a5i8a7j8a9k8a11", "H8", Overline, "H8 is forbidden for Black: it makes more than five in a row (E8-K8)"},
	} {
		g, err := New(c.rules).PlayAll(mustMoves(c.moves)...)
		if err != nil {
			t.Errorf("%s %s: %v", c.rules.Name(), c.moves, err)
			continue
		}
		before := g
		_, err = g.Play(mustPoint(c.at))
		var r *Refusal
		if !errors.As(err, &r) || r.Code != c.code || !errors.Is(err, c.code) || err.Error() != c.text {
			t.Errorf("%s at %s: %v, want %s", c.moves, c.at, err, c.text)
			continue
		}
		if errors.Is(err, Forbidden) != (c.code.Why() != "") {
			t.Errorf("%v is forbidden: %t", err, errors.Is(err, Forbidden))
		}
		if !g.Equal(before) || g.Position() != before.Position() {
			t.Errorf("%s: the refused %s changed the game", c.moves, c.at)
		}
	}
}

// Two futures of one game do not share their moves.
func TestFutures(t *testing.T) {
	g := testkit.Got(New(Gomoku15).PlayAll(mustMoves("h8i9h10")...))
	a, _ := g.Play(mustPoint("A1"))
	b, _ := g.Play(mustPoint("B2"))
	back := g.Undo(1)
	c, _ := back.Play(mustPoint("C3"))
	for want, got := range map[string]Game{"h8i9h10a1": a, "h8i9h10b2": b, "h8i9c3": c, "h8i9h10": g, "h8i9": back} {
		if MoveList(got.Moves()) != want {
			t.Errorf("%s, want %s", MoveList(got.Moves()), want)
		}
	}
	mine := g.Moves()
	mine[0] = 0
	if g.Moves()[0] == 0 {
		t.Error("the caller's slice is the game's")
	}
}

func TestUntil(t *testing.T) {
	g := testkit.Got(New(Reversi).PlayAll(mustMoves("d3c5e6d2c6d6b5f5")...))
	for n := -1; n <= g.Len()+1; n++ {
		past := g.Until(n)
		want, err := New(Reversi).PlayAll(g.Moves()[:min(max(n, 0), g.Len())]...)
		if err != nil || !past.Equal(want) || past.Position() != want.Position() {
			t.Errorf("until %d: %v", n, MoveList(past.Moves()))
		}
	}
}

// FuzzReplay plays bytes as moves under every rule, from the rules' own start or another.
// A refused move changes nothing, undo takes back what was played, the old game stays as it
// was, replay gives the same, and a game is over exactly when nobody is to move.
func FuzzReplay(f *testing.F) {
	f.Add(uint8(0), []byte{}, []byte{0x77, 0x68, 0x77})
	f.Add(uint8(4), []byte{}, []byte{0x77, 0x00, 0x78, 0x02, 0x87, 0x04, 0x88, 0x06, 0x66})
	f.Add(uint8(5), []byte{}, []byte{0x35, 0x53, 0x22, 0x11, 0x33})
	f.Add(uint8(5), []byte{0x00, 0x01, 0x02}, []byte{0x03})
	f.Add(uint8(132), []byte{0x11, 0x22, 0x33}, []byte{0x77})
	f.Add(uint8(2), []byte{0x00, 0x10, 0x01, 0x11, 0x02, 0x12, 0x03, 0x13, 0x05, 0x15}, []byte{0x04, 0x24})
	f.Fuzz(func(t *testing.T, kind uint8, stones, moves []byte) {
		rules := AllRules[int(kind&0x7f)%len(AllRules)]
		g := New(rules)
		if len(stones) > 0 {
			b := Position{Size: rules.Size()}
			for i, p := range stones {
				b = b.Put(Point(p), Black+Color(i%2))
			}
			var err error
			if g, err = From(rules, b, Black+Color(kind>>7)); err != nil {
				return
			}
		}
		check(t, g)
		for _, m := range moves[:min(len(moves), 150)] {
			p := Point(m)
			before, told := g, g.Moves()
			legal := g.Legal().Has(p)
			next, err := g.Play(p)
			if !slices.Equal(before.Moves(), told) {
				t.Fatalf("playing %v changed the game", p)
			}
			if legal != (err == nil) {
				t.Fatalf("%v legal %t, but %v", p, legal, err)
			}
			if err != nil {
				var r *Refusal
				if !errors.As(err, &r) || r.Code == NoRefusal || r.Error() == "" || strings.HasPrefix(r.Error(), "refused (") {
					t.Fatalf("%v: %v is no refusal", p, err)
				}
				continue
			}
			back := next.Undo(1)
			if !back.Equal(before) || back.Position() != before.Position() {
				t.Fatalf("undo of %v: %v, was %v", p, back, before)
			}
			g = next
			check(t, g)
		}
		again := Game{rules: rules, start: g.Start(), now: g.Start()}
		again, err := again.PlayAll(g.Moves()...)
		if err != nil || !again.Equal(g) || again.Position() != g.Position() {
			t.Fatalf("replay: %v, %v, want %v", again, err, g)
		}
		plies := g.Plies()
		for i, m := range plies {
			if m.Number != i+1 || m.Color != Black && m.Color != White || (m.Turned != Set{}) != (rules == Reversi) {
				t.Fatalf("ply %+v", m)
			}
			if m.Passed && rules != Reversi {
				t.Fatalf("a pass in %s", rules.Name())
			}
		}
	})
}

// check holds what is true of every game.
func check(t *testing.T, g Game) {
	t.Helper()
	b, r := g.Position(), g.Result()
	over := g.Turn() == Empty
	switch {
	case r.Over() != over:
		t.Fatalf("result %+v, %v to move: %v", r, g.Turn(), b.Rows(false))
	case over && !g.Legal().Empty():
		t.Fatalf("over, and %s is legal", names(g.Legal()))
	case !over && g.Legal().Empty():
		t.Fatalf("%v is to move and has no move: %v", g.Turn(), b.Rows(false))
	case (r.Termination == ByRow) != (r.Line != Set{}), (r.Termination == ByRow) != (len(g.Rows()) > 0):
		t.Fatalf("%+v with rows %v", r, g.Rows())
	case b.Stones[0].and(b.Stones[1]) != Set{}:
		t.Fatal("two stones on one point")
	}
	var line Set
	for _, row := range g.Rows() {
		for _, p := range row.Points() {
			line = line.With(p)
			if b.At(p) != r.Winner {
				t.Fatalf("%v of %v is not %v's", p, row, r.Winner)
			}
		}
	}
	if line != r.Line {
		t.Fatalf("rows %v, line %s", g.Rows(), names(r.Line))
	}
	if rules := g.Rules(); rules != Reversi {
		exact := rules == Standard15 || rules == Standard9
		black, white := walk(b, Black, exact || rules == Renju), walk(b, White, exact)
		if black != (Set{}) && r.Line != black || black == (Set{}) && r.Line != white {
			t.Fatalf("line %s, by walking %s and %s", names(r.Line), names(black), names(white))
		}
	}
	for _, c := range []Color{Black, White} {
		for p := range b.Of(c).All() {
			if !p.On(b.Size) {
				t.Fatalf("%v off the board", p)
			}
		}
	}
}

// walk finds the winning rows of c the plain way: from every stone along every line.
func walk(b Position, c Color, exact bool) Set {
	var all Set
	at := func(col, row int) bool {
		return col >= 0 && row >= 0 && col < b.Size && row < b.Size && b.At(At(col, row)) == c
	}
	for _, p := range b.Points() {
		for _, d := range directions {
			if !at(p.Col(), p.Row()) || at(p.Col()-d.dc, p.Row()-d.dr) {
				continue
			}
			var run Set
			n := 0
			for at(p.Col()+n*d.dc, p.Row()+n*d.dr) {
				run = run.With(At(p.Col()+n*d.dc, p.Row()+n*d.dr))
				n++
			}
			if n == 5 || n > 5 && !exact {
				all = all.Or(run)
			}
		}
	}
	return all
}

func Example() {
	g := New(Renju)
	for _, p := range []string{"h8", "i9", "h7"} {
		at, err := ParsePoint(p, g.Rules().Size())
		if err != nil {
			fmt.Println(err)
			return
		}
		if g, err = g.Play(at); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(g.Last(), g.Turn(), g.Len())
	_, err := g.Play(g.Last())
	fmt.Println(err)
	// Output:
	// H7 white 3
	// H7 is already taken
}
