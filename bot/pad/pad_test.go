package pad

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/opening"
	"tengen/internal/testkit"
)

func matchOf(t *testing.T, r game.Rules, points ...game.Point) game.Match {
	t.Helper()
	m, err := game.NewMatch(1, game.Terms{Rules: r, Given: points, First: game.Black}, 1, game.SeatFor(1), game.SeatFor(2),
		time.Now(), time.Time{})
	testkit.Must(t, err)
	m = testkit.Got(m.Accept(2, time.Now()))
	return m
}

func (pad Pad) String() string { return pad.From().String() + "-" + pad.to().String() }

// The pad covers the last move, and looks where the stones are.
func TestPadLooksAtTheLastMoves(t *testing.T) {
	for moves, want := range map[string]string{
		"":           "F6-J10",
		"h8":         "F6-J10",
		"h8h9":       "F7-J11", // the last move in the middle
		"h8l12":      "J10-N14",
		"h8m13":      "K11-O15", // too far from the others
		"h8a1":       "A1-E5",
		"h8h9h10a10": "A8-E12",
		"h8h9g8h10":  "F7-J11",
	} {
		if got := For(matchOf(t, game.Gomoku15, testkit.Got(game.ParseMoves(moves))...)).String(); got != want {
			t.Errorf("%s: %s, want %s", moves, got, want)
		}
	}
}

// from is a game that begins with stones, and with no moves: what a puzzle is.
func from(t *testing.T, moves string) game.Game {
	t.Helper()
	points := testkit.Got(game.ParseMoves(moves))
	g, err := game.New(game.Gomoku15).PlayAll(points...)
	if err == nil {
		g, err = game.From(g.Rules(), g.Position(), g.Turn())
	}
	testkit.Must(t, err)
	return g
}

// Before the first move of a position the pad lies where the stones are. It is the same with the
// colors exchanged, and the stones of the position draw less than the moves after it.
func TestPadLooksAtTheStonesOfAPosition(t *testing.T) {
	for moves, want := range map[string]string{
		"c3d4c4d3":             "B2-F6",
		"c4c3d3d4":             "B2-F6",
		"c3d4c4d3c5d5m12n13":   "B2-F6",
		"m12m13n13n12l12l13a1": "K10-O14",
	} {
		if got := Last(from(t, moves)).String(); got != want {
			t.Errorf("%s: %s, want %s", moves, got, want)
		}
	}
	if got := Last(testkit.Got(from(t, "c3d4c4d3").Play(game.At(12, 12)))); !got.Covers(game.At(12, 12)) {
		t.Errorf("the pad does not cover the last move: %s", got)
	}
}

// The pad gives no hint: it is the same whatever is allowed or good, and so for both sides.
func TestPadIsNeutral(t *testing.T) {
	moves, err := game.ParseMoves("h8a1i8a2h9a4i10a15") // Black may not play H10, I9: forbidden in Renju alone
	testkit.Must(t, err)
	renju, gomoku := matchOf(t, game.Renju, moves...).Game(), matchOf(t, game.Gomoku15, moves...).Game()
	if len(renju.Forbidden()) == 0 {
		t.Fatal("nothing is forbidden here")
	}
	if eyeOn(renju) != eyeOn(gomoku) {
		t.Error("the eye sees what is forbidden")
	}
}

// A member is asked about a point on a pad that covers it.
func TestPadAsks(t *testing.T) {
	m := matchOf(t, game.Gomoku15, testkit.Got(game.ParseMoves("h8h9"))...)
	for _, p := range []game.Point{game.At(7, 6), game.At(0, 0), game.At(14, 3)} {
		if pad := Asking(m, p); !pad.Covers(p) || pad.Sure != p {
			t.Errorf("%v: %v", p, pad)
		}
	}
}

// The buttons of boards that were made by earlier versions are understood.
func TestPadOfEarlierVersions(t *testing.T) {
	for arg, want := range map[string]string{"10.11.0.▲": "K11-O15", "0.0.0.◀": "A1-E5", "5.4.0": "F5-J9",
		"-4.90.0.▶": "A11-E15"} {
		if pad, err := Parse(arg, 15); err != nil || pad.String() != want || pad.parts {
			t.Errorf("%s: %v %v, want %s", arg, pad, err, want)
		}
	}
	for _, arg := range []string{"", "1.2", "a.b.c", strings.Repeat("9", 40) + ".1.1"} {
		if pad, err := Parse(arg, 15); err == nil {
			t.Errorf("%q: %v", arg, pad)
		}
	}
}

// Where a square is shut to a stone, the pad lies beside it as far as there is room.
func TestPadOutside(t *testing.T) {
	for protocol, most := range map[opening.Protocol]int{opening.Pro: 0, opening.LongPro: Cols} {
		m, err := game.NewMatch(1, game.Terms{Rules: game.Gomoku15, Protocol: protocol, First: game.Black}, 1,
			game.SeatFor(1), game.SeatFor(2), time.Now(), time.Time{})
		if err == nil {
			m, err = m.Accept(2, time.Now())
		}
		for i, p := range []game.Point{game.At(7, 7), game.At(8, 8)} {
			if err == nil {
				m, err = m.Play(game.MemberID(1+i), p, time.Now())
			}
		}
		testkit.Must(t, err)
		square, outside, ok := Marked(m)
		if pad := For(m); !ok || !outside || pad.overlap(square) > most {
			t.Errorf("%s: %v covers %d points of %v", protocol.Name(), pad, pad.overlap(square), square)
		}
	}
}

// A pad that a made-up button asks for lies on the board. What may not be played is no button.
func TestForgedPad(t *testing.T) {
	g := from(t, "h8")
	pads := 0
	for _, arg := range []string{"-9.-9.0.x", "99.99.9.x", "0.-9.-1.x", "5.5.0.x"} {
		pad := testkit.Got(Parse(arg, 15))
		on := On(g, Buttons{Play: game.Point.String, Stone: game.Color.String}, 5)
		on.open = func(p game.Point) bool { return p.Col()%2 == 0 }
		for _, row := range pad.Rows(on) {
			for _, b := range row {
				p, err := game.ParsePoint(b.ID, 15)
				if pads++; err != nil || !pad.Covers(p) || b.Disabled == (p.Col()%2 == 0 && p != game.At(7, 7)) {
					t.Errorf("%s: %q, disabled %v, %v", arg, b.ID, b.Disabled, err)
				}
			}
		}
	}
	testkit.Want(t, "buttons", pads, 4*size)
}

// Reaching covers every point, and moves a pad no further than it must.
func TestReaching(t *testing.T) {
	for _, r := range []game.Rules{game.Gomoku15, game.Gomoku9} {
		g := game.New(r)
		last := Last(g)
		for p := range g.Legal().All() {
			pad := Reaching(g, p)
			if !pad.Covers(p) || pad != pad.within(wholeBoard(r.Size())) {
				t.Errorf("%v: %v", p, pad)
			}
			if last.Covers(p) && pad != last {
				t.Errorf("%v: the pad moved from %v to %v", p, last, pad)
			}
		}
	}
}

// labels are the buttons that move a pad, those that are off in brackets.
func labels(at Pad, on Ground) string {
	var all []string
	for _, b := range at.Moves(on) {
		if b.Disabled {
			b.Label = "(" + b.Label + ")"
		}
		all = append(all, b.Label)
	}
	return strings.Join(all, " ")
}

var args = Buttons{Play: game.Point.String, Move: func(arg string) string { return arg }}

// Each arrow has its place, wherever the pad lies; one that leads nowhere is off.
func TestArrowsHavePlaces(t *testing.T) {
	large, small := game.New(game.Gomoku15), game.New(game.Gomoku9)
	for _, c := range []struct {
		g    game.Game
		at   string
		room int
		want string
	}{
		{large, "5.5.0", 5, "◀ ▲ ▼ ▶"},
		{large, "0.0.0", 4, "(◀) ▲ (▼) ▶"},
		{large, "10.3.0", 4, "◀ ▲ ▼ (▶)"},
		{large, "5.5.0", 3, Elsewhere},
		{large, "5.5.0.parts", 3, ""},
		{small, "2.2.0", 5, "◤ ◥ ◣ ◢"},
		{small, "0.4.0", 4, "(◤) ◥ ◣ ◢"},
		{small, "4.0.0", 4, "◤ ◥ ◣ (◢)"},
		{small, "2.2.0", 3, Elsewhere},
	} {
		if got := labels(testkit.Got(Parse(c.at, c.g.Rules().Size())), On(c.g, args, c.room)); got != c.want {
			t.Errorf("%s with room for %d: %s, want %s", c.at, c.room, got, c.want)
		}
	}
}

// An arrow leads to where stones lie its way, a little aside if need be; from the pad that it has brought it goes a
// whole pad on.
func TestArrowsLead(t *testing.T) {
	g := from(t, "h8h9g8g9a15b14b15l11m11")
	g = testkit.Got(g.Play(game.At(7, 9)))
	leads := func(from string) (all []string) {
		for _, b := range testkit.Got(Parse(from, 15)).Moves(On(g, args, 4)) {
			all = append(all, testkit.Got(Parse(b.ID, 15)).String())
		}
		return all
	}
	first := Last(g)
	testkit.Want(t, "the first pad", first.String(), "F7-J11")
	for from, want := range map[string]string{
		"5.6.0":  "[A9-E13 G11-K15 F2-J6 K9-O13]",
		"10.6.0": "[F7-J11 K11-O15 K2-O6 K7-O11]",
		"0.0.0":  "[A1-E5 A6-E10 A1-E5 F1-J5]",
	} {
		if got := fmt.Sprint(leads(from)); got != want {
			t.Errorf("from %s: %s, want %s", from, got, want)
		}
	}
}

// Whoever presses the arrow that points to a point comes to it, wherever the pad lies.
func TestArrowsComeToAllPoints(t *testing.T) {
	g := from(t, "c3d4c4d3m12n13m13n12h8g7b13c14b12c13c12b14")
	on := On(g, args, 4)
	for p := range wholeSet(15).All() {
		for col := range 11 {
			for row := range 11 {
				at := Pad{col: col, row: row, Sure: game.NoPoint}
				presses := 0
				for ; !at.Covers(p) && presses < 7; presses++ {
					cols, rows := at.off(p)
					i := 1 + max(0, -sign(rows)) // up or down
					if abs(cols) > abs(rows) {
						i = max(0, 3*sign(cols))
					}
					at, _ = Parse(at.Moves(on)[i].ID, 15)
				}
				if presses > 6 {
					t.Fatalf("%v from column %d and row %d", p, col, row)
				}
			}
		}
	}
}

func sign(n int) int { return max(min(n, 1), -1) }

func wholeSet(size int) (s game.Set) {
	for col := range size {
		for row := range size {
			s = s.With(game.At(col, row))
		}
	}
	return s
}

// The button of a point says when the pad was moved under it. Those of earlier versions, and of a pad that
// was not moved, say nothing of it.
func TestPointOfAMovedPad(t *testing.T) {
	now := time.UnixMilli(1790000000123)
	h8 := game.At(7, 7)
	for _, c := range []struct {
		pad   Pad
		moved time.Time
	}{{Pad{}, time.Time{}}, {Pad{Moved: now}, now}} {
		p, moved, err := ParsePoint(c.pad.Point(h8), 15)
		if err != nil || p != h8 || !moved.Equal(c.moved) {
			t.Errorf("%s: %v %v %v", c.pad.Point(h8), p, moved, err)
		}
	}
	for _, s := range []string{"", "Q99", "H8.", "H8.!", "H8.1.2", "." + strings.Repeat("z", 40)} {
		if p, moved, err := ParsePoint(s, 15); err == nil {
			t.Errorf("%q: %v %v", s, p, moved)
		}
	}
}
