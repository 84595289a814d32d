package guest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"tengen/ai/engine"
	"tengen/game"
)

// gomocup is a program that speaks the Gomocup protocol.
type gomocup struct {
	*process
	limits engine.Limits
	told   int       // moves of the game that the program has been told of, -1 for none
	ready  time.Time // when it may be spoken to again
}

// breath is a pause after an answer: some programs answer a little before they are ready to listen.
const breath = 20 * time.Millisecond

// defaultMemory is what a program may use for its tables, in bytes, where its limits do not say:
// the figure of Gomocup's tournaments.
const defaultMemory = 350 << 20

func (e *gomocup) Begin(ctx context.Context, r game.Rules) error {
	defer e.under(ctx)()
	time.Sleep(time.Until(e.ready))
	e.say("START %d", r.Size())
	if _, err := e.answer(ctx, func(s string) bool { return s == "OK" }); err != nil {
		return fmt.Errorf("START: %w", err)
	}
	rule := 0
	switch r {
	case game.Renju:
		rule = 4
	case game.Standard15, game.Standard9:
		rule = 1
	}
	ms := max(e.limits.CPU, e.limits.Time).Milliseconds()
	if ms == 0 {
		ms = 100_000_000 // bound by nodes
	}
	e.say("INFO rule %d", rule)
	e.say("INFO timeout_turn %d", ms)
	e.say("INFO timeout_match 0")
	e.say("INFO max_memory %d", cmp.Or(e.limits.Memory, defaultMemory))
	e.say("INFO thread_num 1")
	if e.limits.Nodes > 0 {
		e.say("INFO max_node %d", e.limits.Nodes)
	}
	e.told = -1
	return nil
}

func (e *gomocup) Move(ctx context.Context, g game.Game) (game.Point, time.Duration, error) {
	defer e.under(ctx)()
	time.Sleep(time.Until(e.ready))
	from := e.cpu()
	e.say("INFO time_left 2147483647")
	moves := g.Moves()
	switch {
	case len(moves) == 0:
		e.say("BEGIN")
	case e.told == len(moves)-1:
		p := moves[len(moves)-1]
		e.say("TURN %d,%d", p.Col(), p.Row())
	default:
		e.say("BOARD")
		for i, p := range moves {
			who := 1
			if (len(moves)-i)%2 == 1 {
				who = 2
			}
			e.say("%d,%d,%d", p.Col(), p.Row(), who)
		}
		e.say("DONE")
	}
	var x, y int
	var failed string
	_, err := e.answer(ctx, func(s string) bool {
		if strings.HasPrefix(s, "ERROR") || strings.HasPrefix(s, "UNKNOWN") {
			failed = s
			return true
		}
		n, _ := fmt.Sscanf(s, "%d,%d", &x, &y)
		return n == 2
	})
	size := g.Rules().Size()
	switch {
	case err != nil:
	case failed != "":
		err = errors.New(quote(failed))
	case x < 0 || y < 0 || x >= size || y >= size: // a Point would wrap round
		err = fmt.Errorf("%d,%d is not on the board", x, y)
	}
	e.told = len(moves) + 1
	e.ready = time.Now().Add(breath)
	return game.At(x, y), e.cpu() - from, err
}
