package main

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"tengen/game"
	"tengen/internal/testguest"
	"tengen/internal/testkit"
)

// engineOf starts the scripted engine that TestMain holds.
func engineOf(t *testing.T, protocol, mode string, patience time.Duration) player {
	options := map[string]string{"gomocup": "gomocup,nodes=10", "gtp": "gtp", "nboard": "nboard,depth=1"}[protocol]
	p := testkit.Got(newPlayer(options+":A=1 "+strings.Join(testguest.Command(protocol, mode), " "), 1))
	t.Cleanup(p.Close)
	p.(*visitor).patience = patience
	return p
}

func rulesOf(protocol string) game.Rules {
	if protocol == "gomocup" {
		return game.Gomoku15
	}
	return game.Reversi
}

// An engine that keeps to its protocol plays whole games, from an opening and with passes.
func TestProtocols(t *testing.T) {
	for _, protocol := range []string{"gomocup", "gtp", "nboard"} {
		r := rulesOf(protocol)
		e := engineOf(t, protocol, "good", time.Minute)
		c := &arenaCmd{Max: 225}
		for n := range 2 { // both colours
			opening, _ := game.ParseMoves(map[bool]string{true: "h8i9", false: "f5d6"}[protocol == "gomocup"])
			o := c.play(t.Context(), r, opening, n, [2]player{e, greedy{}})
			if o.fault >= 0 || o.game.Turn() != game.Empty {
				t.Errorf("%s: fault of %d: %v after %v", protocol, o.fault, o.why, o.game)
			}
		}
	}
}

// A fault of an engine is told as what it is, loses the game, and does not hang the arena.
func TestFaults(t *testing.T) {
	for _, test := range []struct{ protocol, mode, want string }{
		{"gomocup", "illegal", ""}, {"gomocup", "outside", "99,99"}, {"gomocup", "death", "has ended"},
		{"gomocup", "stall", "no answer"}, {"gtp", "illegal", ""}, {"gtp", "refuse", "out of ideas"},
		{"gtp", "death", "has ended"}, {"gtp", "stall", "no answer"}, {"nboard", "illegal", ""},
		{"nboard", "death", "has ended"}, {"nboard", "stall", "no answer"},
	} {
		t.Run(test.protocol+"-"+test.mode, func(t *testing.T) {
			t.Parallel()
			e := engineOf(t, test.protocol, test.mode, time.Minute)
			opening, _ := game.ParseMoves("d4e4d5")
			if test.protocol != "gomocup" {
				opening = nil
			}
			if test.mode == "stall" {
				testkit.Must(t, e.Begin(context.Background(), rulesOf(test.protocol)))
				e = impatient(e)
			}
			o := (&arenaCmd{Max: 225}).play(t.Context(), rulesOf(test.protocol), opening, 1, [2]player{greedy{}, e})
			if o.fault != 1 || o.points != 1 || o.why == nil || !strings.Contains(o.why.Error(), test.want) {
				t.Errorf("fault of %d for %v points: %v; want one of the second: %s", o.fault, o.points, o.why, test.want)
			}
		})
	}
}

// begun is a player that has begun: a short patience must not be for its start.
type begun struct{ player }

func (begun) Begin(context.Context, game.Rules) error { return nil }

func impatient(p player) player {
	p.(*visitor).patience = 50 * time.Millisecond
	return begun{p}
}

func TestPlayerWords(t *testing.T) {
	for text, want := range map[string]string{
		"chess":            "want random",
		"tengen,level=x":   "level=x",
		"tengen,cpu=5":     "cpu=5",
		"tengen,speed=1":   "unknown",
		"gtp:":             "no command line",
		"gtp:A=1":          "no command line",
		"nboard:/bin/true": "depth=N",
	} {
		if _, err := newPlayer(text, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// In Reversi the greedy player takes a corner, and else turns the most discs.
func TestGreedyReversi(t *testing.T) {
	for _, line := range []string{"f5", "f5d6c3d3c4f4f6f3"} {
		moves := testkit.Got(game.ParseMoves(line))
		g := testkit.Got(game.New(game.Reversi).PlayAll(moves...))
		p, _, err := greedy{}.Move(t.Context(), g)
		if err != nil || g.Check(p) != nil {
			t.Fatalf("%s: %v %v", line, p, err)
		}
		for q := range g.Legal().All() {
			if discsTurned(g, q) > discsTurned(g, p) {
				t.Errorf("%s: %v, but %v turns more", line, p, q)
			}
		}
	}
	g := game.New(game.Reversi)
	for corner := false; g.Turn() != game.Empty && !corner; {
		for q := range g.Legal().All() {
			if q == game.At(0, 0) || q == game.At(7, 7) || q == game.At(0, 7) || q == game.At(7, 0) {
				corner = true
			}
		}
		p, _, _ := greedy{}.Move(t.Context(), g)
		if corner && discsTurned(g, p) != 100 {
			t.Errorf("%v where a corner is free", p)
		}
		g, _ = g.Play(p)
	}
}

// The random player's games differ from one another, and come again with the same seed.
func TestRandomPlayer(t *testing.T) {
	play := func(games int) (moves []string) {
		p := testkit.Got(newPlayer("random", 5))
		for range games {
			p.Begin(t.Context(), game.Reversi)
			g := game.New(game.Reversi)
			for range 20 {
				m, _, err := p.Move(t.Context(), g)
				testkit.Must(t, err)
				g = testkit.Got(g.Play(m))
			}
			moves = append(moves, fmt.Sprint(g.Moves()))
		}
		return moves
	}
	one, two := play(2), play(2)
	if one[0] == one[1] || one[0] != two[0] || one[1] != two[1] {
		t.Errorf("%v, then %v", one, two)
	}
}
