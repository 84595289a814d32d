package guest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"tengen/ai/engine"
	"tengen/game"
)

// nboard is a program for Reversi that speaks the NBoard protocol, version 2. Its depth
// is that of the limits.
type nboard struct {
	*process
	limits engine.Limits
	pings  int
}

// sync waits until the engine has read what was said.
func (e *nboard) sync(ctx context.Context) error {
	e.pings++
	e.say("ping %d", e.pings)
	want := fmt.Sprintf("pong %d", e.pings)
	_, err := e.answer(ctx, func(s string) bool { return s == want })
	return err
}

func (e *nboard) Begin(ctx context.Context, r game.Rules) error {
	defer e.under(ctx)()
	if r != game.Reversi {
		return errors.New("NBoard programs play Reversi")
	}
	if e.pings == 0 {
		e.say("nboard 2")
	}
	// A new depth makes a new player, so that nothing is left of the last game.
	e.say("set depth %d", e.limits.Depth)
	return e.sync(ctx)
}

// Move sends the game and asks for a move.
func (e *nboard) Move(ctx context.Context, g game.Game) (game.Point, time.Duration, error) {
	defer e.under(ctx)()
	from := e.cpu()
	e.say("set game %s", ggf(g))
	if err := e.sync(ctx); err != nil {
		return game.NoPoint, 0, err
	}
	e.say("go")
	line, err := e.answer(ctx, func(s string) bool { return strings.HasPrefix(s, "===") })
	cpu := e.cpu() - from
	if err != nil {
		return game.NoPoint, cpu, err
	}
	text, _, _ := strings.Cut(strings.TrimSpace(line[3:]), "/")
	text, _, _ = strings.Cut(text, " ") // so in version 1, which Edax speaks
	p, err := game.ParsePoint(text, 8)
	return p, cpu, err
}

// ggf is the game as NBoard wants it: forced passes stand as moves of their own.
func ggf(g game.Game) string {
	var s strings.Builder
	s.WriteString("(;GM[Othello]PC[tengen]DT[2000]PB[b]PW[w]RE[?]TI[5:00]TY[8]BO[8 " +
		"---------------------------O*------*O--------------------------- *]")
	turn := game.Black
	for _, p := range g.Plies() {
		if p.Color != turn {
			fmt.Fprintf(&s, "%c[PA]", "?BW"[turn])
		}
		fmt.Fprintf(&s, "%c[%v]", "?BW"[p.Color], p.Point)
		turn = p.Color.Other()
	}
	if g.Turn() != game.Empty && g.Turn() != turn {
		fmt.Fprintf(&s, "%c[PA]", "?BW"[turn])
	}
	s.WriteString(";)")
	return s.String()
}
