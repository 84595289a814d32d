package view

import (
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"tengen/bot/pad"
	"tengen/game"
	"tengen/internal/testkit"
	"tengen/storage"
)

func matchOf(t *testing.T, r game.Rules, points ...game.Point) game.Match {
	t.Helper()
	m, err := game.NewMatch(1, game.Terms{Rules: r, Given: points, First: game.Black}, 1, game.SeatFor(1), game.SeatFor(2),
		time.Now(), time.Time{})
	testkit.Must(t, err)
	m = testkit.Got(m.Accept(2, time.Now()))
	return m
}

// The buttons reach each empty point of a board, and no message is larger than Discord takes.
func TestPadReachesAllPoints(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range testkit.Dose("TENGEN_PADS", 15) {
		rules := []game.Rules{game.Gomoku15, game.Renju, game.Gomoku9, game.Reversi}[rng.IntN(4)]
		most := 6 // three arrows one way where the first of them leads less than a pad on, and two the other
		if rules.Size() < game.Gomoku15.Size() {
			most = 2
		}
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
		last := pad.For(m)
		if rules != game.Reversi && g.Len() > 0 && !last.Covers(g.Last()) {
			t.Fatalf("%v does not cover the last move of %v", last, g.Moves())
		}
		presses, pads, shown := map[game.Point]int{}, []pad.Pad{last}, map[pad.Pad]bool{}
		for press := 1; press <= most; press++ {
			var next []pad.Pad
			for _, at := range pads {
				if !shown[at] {
					next = append(next, pressAll(t, m, at, press, presses)...)
				}
				shown[at] = true
			}
			pads = next
		}
		for p := range g.Legal().All() {
			if presses[p] == 0 {
				t.Fatalf("%v after %v takes more than %d presses", p, g.Moves(), most)
			}
		}
	}
}

// pressAll notes the points among the buttons of a pad, and gives the pads to which the others lead.
func pressAll(t *testing.T, m game.Match, at pad.Pad, press int, presses map[game.Point]int) (next []pad.Pad) {
	t.Helper()
	msg := Painter{Log: slog.Default()}.viewPlay(In("en"), storage.Record{Match: m}, at, Card{})
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
			case p.Verb == "pad" && !b.Disabled:
				next = append(next, testkit.Got(pad.Parse(p.Arg, m.Rules.Size())))
			case p.Verb == "play" && !b.Disabled:
				point := testkit.Got(game.ParsePoint(p.Arg, m.Rules.Size()))
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

// A point that a member is asked about is drawn, and no other.
func TestAskedPointIsDrawn(t *testing.T) {
	m := matchOf(t, game.Gomoku15, game.At(7, 7))
	testkit.Want(t, "marks for the point", len(marksOf(pad.Asking(m, game.At(0, 0)), m)), 1)
	if n := len(marksOf(pad.For(m), m)); n != 0 {
		t.Error("a stone is drawn that nobody has asked about")
	}
}
