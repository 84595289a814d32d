package guest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tengen/ai/engine"
	"tengen/game"
)

// gtp is a program for Reversi that speaks GTP. Its strength is set by its command line;
// a time limit, if given, is sent as the time of a move.
type gtp struct {
	*process
	limits engine.Limits
	told   game.Game
}

// ask sends a command and gives the text of its answer.
func (e *gtp) ask(ctx context.Context, format string, args ...any) (string, error) {
	if err := e.say(format, args...); err != nil {
		return "", err
	}
	line, err := e.answer(ctx, func(s string) bool {
		return strings.HasPrefix(s, "=") || strings.HasPrefix(s, "?")
	})
	if err == nil && line[0] == '?' {
		err = errors.New(line)
	}
	if err != nil {
		return "", fmt.Errorf(format+": %w", append(args, err)...)
	}
	return strings.TrimSpace(line[1:]), nil
}

func (e *gtp) Begin(ctx context.Context, r game.Rules) error {
	defer e.under(ctx)()
	if r != game.Reversi {
		return errors.New("GTP programs play Reversi here")
	}
	e.told = game.New(r)
	if _, err := e.ask(ctx, "clear_board"); err != nil {
		return err
	}
	if d := max(e.limits.CPU, e.limits.Time); d > 0 {
		_, err := e.ask(ctx, "time_settings 0 %d 1", max(1, int(d.Seconds())))
		return err
	}
	return nil
}

// Move tells the engine the moves since its last and asks for one. Forced passes are not sent:
// the engines insert them.
func (e *gtp) Move(ctx context.Context, g game.Game) (game.Point, time.Duration, error) {
	defer e.under(ctx)()
	from := e.cpu()
	moves := g.Moves()
	if !slices.Equal(moves[:min(e.told.Len(), len(moves))], e.told.Moves()) {
		return game.NoPoint, 0, errors.New("the game was taken back")
	}
	for _, p := range moves[e.told.Len():] {
		if _, err := e.ask(ctx, "play %v %v", e.told.Turn(), p); err != nil {
			return game.NoPoint, 0, err
		}
		next, err := e.told.Play(p)
		if err != nil {
			return game.NoPoint, 0, err
		}
		e.told = next
	}
	text, err := e.ask(ctx, "genmove %v", g.Turn())
	cpu := e.cpu() - from
	if err != nil {
		return game.NoPoint, cpu, err
	}
	p, err := game.ParsePoint(text, 8)
	if err != nil {
		return game.NoPoint, cpu, err
	}
	if next, err := e.told.Play(p); err == nil {
		e.told = next
	}
	return p, cpu, nil
}
