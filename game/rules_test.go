package game

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"tengen/internal/shared"
	"tengen/internal/testkit"
)

// What wins, drawn: the line of the result is marked by the caller's words.
func TestRows(t *testing.T) {
	for _, c := range []struct {
		name, rows string
		rules      Rules
		winner     Color
		line       string
		ends       string
	}{
		{"five in a row", "XXXXX", Gomoku9, Black, "A9 B9 C9 D9 E9", "A9-E9"},
		{"five in a column", "O\nO\nO\nO\nO", Gomoku9, White, "A5 A6 A7 A8 A9", "A5-A9"},
		{"a rising diagonal", "....X\n...X\n..X\n.X\nX", Gomoku9, Black, "A5 B6 C7 D8 E9", "A5-E9"},
		{"a falling diagonal", "X\n.X\n..X\n...X\n....X", Gomoku9, Black, "E5 D6 C7 B8 A9", "E5-A9"},
		{"four", "XXXX", Gomoku9, Empty, "", ""},
		{"five with a gap", "XXX.XX", Gomoku9, Empty, "", ""},
		{"five round the edge", "......XXX\nXX", Gomoku9, Empty, "", ""},
		{"six win freestyle", "XXXXXX", Gomoku9, Black, "A9 B9 C9 D9 E9 F9", "A9-F9"},
		{"nine win freestyle", "OOOOOOOOO", Gomoku9, White, "A9 B9 C9 D9 E9 F9 G9 H9 I9", "A9-I9"},
		{"six do not win standard", "XXXXXX", Standard9, Empty, "", ""},
		{"six do not win standard for white", "OOOOOO", Standard9, Empty, "", ""},
		{"six and five win standard", "XXXXXX\nX\nX\nX\nX", Standard9, Black, "A5 A6 A7 A8 A9", "A5-A9"},
		{"two rows", "XXXXX\nX\nX\nX\nX", Gomoku9, Black, "A5 A6 A7 A8 A9 B9 C9 D9 E9", "A9-E9 A5-A9"},
		{"six do not win renju for black", "XXXXXX", Renju, Empty, "", ""},
		{"six win renju for white", "OOOOOO", Renju, White, "A15 B15 C15 D15 E15 F15", "A15-F15"},
		{"five win renju for black", "XXXXX", Renju, Black, "A15 B15 C15 D15 E15", "A15-E15"},
		{"the last corner", strings.Repeat("\n", 14) + "..........OOOOO", Gomoku15, White, "K1 L1 M1 N1 O1", "K1-O1"},
	} {
		d := diagram{name: c.name, corner: At(0, c.rules.Size()-1).String()}
		for line := range strings.SplitSeq(c.rows, "\n") {
			if line == "" {
				line = "."
			}
			d.rows += line + "\n"
		}
		b, _, err := d.read(c.rules, Black)
		testkit.Must(t, err)
		g, err := From(c.rules, b, Black)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		res := g.Result()
		if res.Winner != c.winner || names(res.Line) != c.line || (c.winner != Empty) != (res.Termination == ByRow) {
			t.Errorf("%s: %+v (%s), want %v %s", c.name, res, names(res.Line), c.winner, c.line)
		}
		var ends []string
		for _, r := range g.Rows() {
			ends = append(ends, r.String())
		}
		if got := strings.Join(ends, " "); got != c.ends {
			t.Errorf("%s: rows %s, want %s", c.name, got, c.ends)
		}
		if (g.Turn() == Empty) != res.Over() || res.Over() && !g.Legal().Empty() {
			t.Errorf("%s: %v to move, %d legal points", c.name, g.Turn(), g.Legal().Len())
		}
	}
}

// draw9 is a full board without five in a row.
const draw9 = `
X X O O X X O O X
O O X X O O X X O
X X O O X X O O X
O O X X O O X X O
X X O O X X O O X
O O X X O O X X O
X X O O X X O O X
O O X X O O X X O
X X O O X X O O X`

func TestFullBoard(t *testing.T) {
	b, _, err := diagram{rows: draw9, corner: "A9"}.read(Gomoku9, Black)
	testkit.Must(t, err)
	last := At(4, 4)
	b = b.Put(last, Empty)
	g := testkit.Got(From(Gomoku9, b, Black))
	if g.Result().Over() || g.Legal().Len() != 1 {
		t.Fatalf("%+v, %d legal points", g.Result(), g.Legal().Len())
	}
	g = testkit.Got(g.Play(last))
	if r := g.Result(); r.Termination != ByFullBoard || !r.Draw() || g.Turn() != Empty {
		t.Errorf("%+v, %v to move", r, g.Turn())
	}
	// The last stone may win: the row is tested before the full board.
	for _, p := range []string{"A5", "B5", "C5", "D5"} {
		b = b.Put(mustPoint(p), Black)
	}
	g = testkit.Got(From(Gomoku9, b, Black))
	g = testkit.Got(g.Play(last))
	if r := g.Result(); r.Winner != Black || r.Termination != ByRow {
		t.Errorf("%+v", r)
	}
}

// Black with nothing but forbidden points left has drawn.
func TestNoMove(t *testing.T) {
	// White everywhere in fours at most, black in two rows of five points with one between.
	var rows []string
	for i := range 15 {
		rows = append(rows, []string{"OOXXOOXXOOXXOOX", "XXOOXXOOXXOOXXO"}[i%2])
	}
	rows[7] = "XXX.XXXOOXXOOXX" // D8 makes seven
	b, _, err := rowsOf(rows).read(Renju, Black)
	testkit.Must(t, err)
	d8 := mustPoint("D8")
	for _, d := range directions[1:] {
		if run := d.run(b.Put(d8, Black), d8); run.Len() >= 5 {
			t.Fatalf("the drawing makes %v", run)
		}
	}
	g := testkit.Got(From(Renju, b, Black))
	if r := g.Result(); r.Termination != ByNoMove || !r.Draw() || g.Turn() != Empty {
		t.Errorf("%+v, %v to move", r, g.Turn())
	}
	// White may take it, and then the board is full.
	g, err = From(Renju, b, White)
	testkit.Must(t, err)
	if g.Turn() != White {
		t.Fatalf("%v to move", g.Turn())
	}
	if g, err = g.Play(d8); err != nil || g.Result().Termination != ByFullBoard {
		t.Errorf("%+v %v", g.Result(), err)
	}
}

func TestReversi(t *testing.T) {
	g := New(Reversi)
	testkit.Want(t, "black may begin with", names(g.Legal()), "D3 C4 F5 E6")
	for _, c := range []struct {
		rows  string
		side  Color
		move  string
		turns string
		next  Color
		how   Termination
	}{
		// Eight directions at once.
		{"X..X..X\n.O.O.O\n..OOO\nXOO.OOX\n..OOO\n.O.O.O\nX..X..X", Black, "D4",
			"B2 D2 F2 C3 D3 E3 B4 C4 E4 F4 C5 D5 E5 B6 D6 F6", Empty, ByCount},
		// Nothing at the edge, nothing without an end, nothing over a gap.
		{"XOOO", Black, "E1", "B1 C1 D1", Empty, ByCount},
		// White cannot move: the turn stays with black.
		{"XO......\n........\nXO", Black, "C1", "B1", Black, NotOver},
	} {
		b, _, err := diagram{rows: c.rows}.read(Reversi, c.side)
		testkit.Must(t, err)
		g := testkit.Got(From(Reversi, b, c.side))
		g, err = g.Play(mustPoint(c.move))
		if err != nil {
			t.Errorf("%s: %v", c.move, err)
			continue
		}
		if got := names(g.Plies()[0].Turned); got != c.turns {
			t.Errorf("%s turned %s, want %s", c.move, got, c.turns)
		}
		if g.Turn() != c.next || g.Result().Termination != c.how {
			t.Errorf("%s: %v to move, %+v", c.move, g.Turn(), g.Result())
		}
	}
}

func TestScore(t *testing.T) {
	for _, c := range []struct {
		rows         string
		black, white int
		winner       Color
	}{
		{"XXX\n", 64, 0, Black},             // empties go to the winner
		{"OOO\n", 0, 64, White},             //
		{"XX......\n......OO", 2, 2, Empty}, // and to nobody in a draw
	} {
		b, _, err := diagram{rows: c.rows}.read(Reversi, Black)
		testkit.Must(t, err)
		g := testkit.Got(From(Reversi, b, Black))
		black, white := Score(g.Position())
		if black != c.black || white != c.white || g.Result() != (Result{Termination: ByCount, Winner: c.winner}) {
			t.Errorf("%q: %d-%d %+v", c.rows, black, white, g.Result())
		}
	}
}

// perft counts the lines of n plies from g; a pass counts as a ply, a finished game as one leaf.
func perft(r Rules, b Position, due Color, n int) int {
	if n == 0 || b.Turn == Empty {
		return 1
	}
	if b.Turn != due {
		return perft(r, b, b.Turn, n-1) // the pass
	}
	leaves := 0
	for _, p := range b.Points() {
		if r.Check(b, p) == nil {
			leaves += perft(r, r.Play(b, p), b.Turn.Other(), n-1)
		}
	}
	return leaves
}

// The counts are known from other programs as well.
func TestPerft(t *testing.T) {
	counts := []int{4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288, 24571284, 212258800}
	depth := 8
	if testing.Short() {
		depth = 6
	}
	if more := os.Getenv("TENGEN_PERFT"); more != "" {
		var err error
		depth, err = strconv.Atoi(more)
		testkit.Must(t, err)
	}
	for i, want := range counts[:min(depth, len(counts))] {
		if got := perft(Reversi, Reversi.Start(), Black, i+1); got != want {
			t.Errorf("perft %d: %d, want %d", i+1, got, want)
		}
	}
}

// The same counts as a file of them has, where it lies beside the checkout.
func TestPerftFile(t *testing.T) {
	file := testkit.Got(os.Open(filepath.Join(shared.Dir(t), "data", "reversi", "perft8x8.txt")))
	defer file.Close()
	seen := 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var n, want int
		if _, err := fmt.Sscan(lines.Text(), &n, &want); err != nil || n > 6 {
			continue
		}
		seen++
		if got := perft(Reversi, Reversi.Start(), Black, n); got != want {
			t.Errorf("perft %d: %d, want %d", n, got, want)
		}
	}
	testkit.Want(t, "depths checked", seen, 6)
}

func TestFrom(t *testing.T) {
	five := func(b Position, c Color, row int) Position {
		for col := range 5 {
			b = b.Put(At(col, row), c)
		}
		return b
	}
	b := Position{Size: 15}
	for _, c := range []struct {
		name  string
		rules Rules
		b     Position
		side  Color
		ok    bool
		turn  Color
	}{
		{"empty", Gomoku15, b, Black, true, Black},
		{"white begins", Gomoku15, b, White, true, White},
		{"no side", Gomoku15, b, Empty, false, 0},
		{"no such side", Gomoku15, b, 7, false, 0},
		{"off the board", Gomoku9, b.Put(At(9, 0), Black), Black, false, 0},
		{"in the sixteenth column", Gomoku15, b.Put(At(15, 3), White), Black, false, 0},
		{"a winning row", Gomoku15, five(b, Black, 0), White, true, Empty},
		{"two winning rows of one side", Gomoku15, five(five(b, Black, 0), Black, 2), White, true, Empty},
		{"winning rows of both", Gomoku15, five(five(b, Black, 0), White, 2), White, false, 0},
		{"two on one point", Gomoku15, Position{Stones: [2]Set{Set{}.With(0), Set{}.With(0)}}, Black, false, 0},
		{"an empty board of Reversi is over", Reversi, Position{Size: 8}, Black, true, Empty},
	} {
		g, err := From(c.rules, c.b, c.side)
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		} else if c.ok && g.Turn() != c.turn {
			t.Errorf("%s: %v to move, want %v", c.name, g.Turn(), c.turn)
		}
	}
}

func TestDead(t *testing.T) {
	b, _, err := diagram{rows: draw9, corner: "A9"}.read(Gomoku9, Black)
	testkit.Must(t, err)
	if !testkit.Got(From(Gomoku9, b.Put(0, Empty), Black)).Dead() {
		t.Error("a board with one empty point and no row in reach is dead")
	}
	if New(Gomoku9).Dead() || New(Reversi).Dead() {
		t.Error("the start is not dead")
	}
}

func BenchmarkForbidden(b *testing.B) {
	g := testkit.Got(New(Renju).PlayAll(mustMoves("h8h9j9j8f8i7g7i9h6e9f6k7l6i10i6f9g9g11h10i11")...))
	for b.Loop() {
		g.Forbidden()
	}
}

func mustMoves(s string) []Point {
	return testkit.Got(ParseMoves(s))
}
