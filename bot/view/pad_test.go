package view

import (
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/opening"
	"tengen/storage"
)

func matchOf(t *testing.T, r game.Rules, points ...game.Point) game.Match {
	t.Helper()
	m, err := game.NewMatch(1, game.Terms{Rules: r, Given: points, First: game.Black}, 1, game.SeatFor(1), game.SeatFor(2), time.Now(), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if m, err = m.Accept(2, time.Now()); err != nil {
		t.Fatal(err)
	}
	return m
}

func (pad Pad) String() string { return pad.from().String() + "-" + pad.to().String() }

// The pad covers the last two moves where both fit, and looks where the stones are.
func TestPadLooksAtTheLastMoves(t *testing.T) {
	for moves, want := range map[string]string{
		"":           "F6-J10",
		"h8":         "F6-J10",
		"h8h9":       "F7-J11", // the last move in the middle
		"h8l12":      "H8-L12",
		"h8m13":      "K11-O15", // too far apart: the last move alone
		"h8a1":       "A1-E5",
		"h8h9h10a10": "A8-E12",
		"h8h9g8h10":  "F7-J11",
	} {
		points, err := game.ParseMoves(moves)
		if err != nil {
			t.Fatal(err)
		}
		if got := PadFor(matchOf(t, game.Gomoku15, points...)).String(); got != want {
			t.Errorf("%s: %s, want %s", moves, got, want)
		}
	}
}

// The pad gives no hint: it is the same whatever is allowed or good, and so for both sides.
func TestPadIsNeutral(t *testing.T) {
	moves, err := game.ParseMoves("h8a1i8a2h9a4i10a15") // Black may not play H10, I9: forbidden in Renju alone
	if err != nil {
		t.Fatal(err)
	}
	renju, gomoku := matchOf(t, game.Renju, moves...).Game(), matchOf(t, game.Gomoku15, moves...).Game()
	if len(renju.Forbidden()) == 0 {
		t.Fatal("nothing is forbidden here")
	}
	if eyeOn(renju) != eyeOn(gomoku) {
		t.Error("the eye sees what is forbidden")
	}
}

// The buttons reach each empty point of a board by at most three presses, and by as many as Presses says.
func TestPadReachesAllPoints(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		rules := []game.Rules{game.Gomoku15, game.Renju, game.Gomoku9, game.Reversi}[rng.IntN(4)]
		g := game.New(rules)
		for range rng.IntN(60) {
			legal := g.Legal().Points()
			next, err := g.Play(legal[rng.IntN(len(legal))])
			if err != nil || next.Turn() == game.Empty {
				break
			}
			g = next
		}
		m := matchOf(t, rules, g.Moves()...)
		last := PadFor(m)
		if n := g.Len(); rules != game.Reversi && (n > 0 && !last.covers(g.Last()) || n > 1 && FitPad(g.Last(), g.Moves()[n-2]) && !last.covers(g.Moves()[n-2])) {
			t.Fatalf("%v does not cover the last moves of %v", last, g.Moves())
		}
		presses := map[game.Point]int{}
		pads := []Pad{last}
		for press := 1; press <= 3; press++ {
			var next []Pad
			for _, pad := range pads {
				next = append(next, pressAll(t, m, pad, press, presses)...)
			}
			pads = next
		}
		for p := range g.Legal().All() {
			if presses[p] == 0 || presses[p] != Presses(g, p) {
				t.Fatalf("%v after %v: %d presses, and Presses says %d", p, g.Moves(), presses[p], Presses(g, p))
			}
		}
	}
}

// pressAll notes the points among the buttons of a pad, and gives the pads to which the others lead.
func pressAll(t *testing.T, m game.Match, pad Pad, press int, presses map[game.Point]int) (next []Pad) {
	t.Helper()
	msg := Painter{Log: slog.Default()}.viewPlay(In("en"), storage.Record{Match: m}, pad, Card{})
	components, seen := 1, map[string]bool{} // the container
	for _, block := range msg.Blocks {
		components += 1 + len(block.Row)
		for _, b := range block.Row {
			p, err := ParsePress(b.ID)
			if err != nil || seen[b.ID] {
				t.Fatalf("%q: %v, seen %v", b.ID, err, seen[b.ID])
			}
			seen[b.ID] = true
			switch {
			case p.Verb == "pad":
				to, err := ParsePad(p.Arg, m.Rules.Size())
				if err != nil {
					t.Fatal(err)
				}
				next = append(next, to)
			case p.Verb == "play" && !b.Disabled:
				point, err := game.ParsePoint(p.Arg, m.Rules.Size())
				if err != nil {
					t.Fatal(err)
				}
				if presses[point] == 0 {
					presses[point] = press
				}
			}
		}
	}
	if components > 40 {
		t.Fatalf("%d components", components)
	}
	return next
}

// A member is asked about a point on a pad that covers it.
func TestPadAsks(t *testing.T) {
	moves, err := game.ParseMoves("h8h9")
	if err != nil {
		t.Fatal(err)
	}
	m := matchOf(t, game.Gomoku15, moves...)
	for _, p := range []game.Point{game.At(7, 6), game.At(0, 0), game.At(14, 3)} {
		if pad := PadAsking(m, p); !pad.covers(p) || pad.Sure != p || len(pad.marks(m)) != 1 {
			t.Errorf("%v: %v", p, pad)
		}
	}
	if pad := PadFor(m); len(pad.marks(m)) != 0 {
		t.Error("a stone is drawn that nobody has asked about")
	}
}

// The buttons of boards that were made by earlier versions are understood.
func TestPadOfEarlierVersions(t *testing.T) {
	for arg, want := range map[string]string{"10.11.0.▲": "K11-O15", "0.0.0.◀": "A1-E5", "5.4.0": "F5-J9", "-4.90.0.▶": "A11-E15"} {
		if pad, err := ParsePad(arg, 15); err != nil || pad.String() != want || pad.parts {
			t.Errorf("%s: %v %v, want %s", arg, pad, err, want)
		}
	}
	for _, arg := range []string{"", "1.2", "a.b.c", strings.Repeat("9", 40) + ".1.1"} {
		if pad, err := ParsePad(arg, 15); err == nil {
			t.Errorf("%q: %v", arg, pad)
		}
	}
}

// Where a square is shut to a stone, the pad lies beside it as far as there is room.
func TestPadOutside(t *testing.T) {
	for protocol, most := range map[opening.Protocol]int{opening.Pro: 0, opening.LongPro: padCols} {
		m, err := game.NewMatch(1, game.Terms{Rules: game.Gomoku15, Protocol: protocol, First: game.Black}, 1, game.SeatFor(1), game.SeatFor(2), time.Now(), time.Time{})
		if err == nil {
			m, err = m.Accept(2, time.Now())
		}
		for i, p := range []game.Point{game.At(7, 7), game.At(8, 8)} {
			if err == nil {
				m, err = m.Play(game.MemberID(1+i), p, time.Now())
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		square, outside, ok := marked(m)
		if pad := PadFor(m); !ok || !outside || pad.overlap(square) > most {
			t.Errorf("%s: %v covers %d points of %v", protocol.Name(), pad, pad.overlap(square), square)
		}
	}
}
