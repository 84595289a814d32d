package guest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

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

// refusal is what a program says instead of doing what it was told.
type refusal string

func (r refusal) Error() string { return "the program refuses: " + quote(string(r)) }

// unknown reports whether the program does not know the command at all.
func (r refusal) unknown() bool {
	return strings.HasPrefix(strings.ToLower(string(r)), "unknown command")
}

// ask sends a command and gives the text of its answer: from a line that begins with = or ? to an
// empty one. All else that is said is passed over, as are control characters.
func (e *gtp) ask(ctx context.Context, format string, args ...any) (string, error) {
	e.say(format, args...)
	var text []string
	_, err := e.answer(ctx, func(line string) bool {
		line = strings.TrimSpace(strings.Map(plain, line))
		if line == "" {
			return text != nil
		}
		if text != nil || line[0] == '=' || line[0] == '?' {
			text = append(text, line)
		}
		return false
	})
	if err != nil {
		return "", fmt.Errorf(format+": %w", append(args, err)...)
	}
	all := strings.Join(text, "\n")
	said := strings.TrimSpace(all[1:])
	if all[0] == '?' {
		return "", fmt.Errorf(format+": %w", append(args, refusal(said))...)
	}
	return said, nil
}

// plain drops the control characters, which have no meaning in GTP. Tabs are blanks.
func plain(r rune) rune {
	if r != '\t' && unicode.IsControl(r) {
		return -1
	}
	return r
}

// Begin also makes sure that the program plays Reversi: others speak GTP, too, above all for Go.
func (e *gtp) Begin(ctx context.Context, r game.Rules) error {
	defer e.under(ctx)()
	if r != game.Reversi {
		return errors.New("GTP programs play Reversi here")
	}
	e.told = game.New(r)
	var no refusal
	if _, err := e.ask(ctx, "boardsize 8"); err != nil && !(errors.As(err, &no) && no.unknown()) {
		return err
	}
	if _, err := e.ask(ctx, "clear_board"); err != nil {
		return err
	}
	switch _, err := e.ask(ctx, "play black D4"); {
	case err == nil:
		return errors.New("it plays another game: it takes a stone on D4, where Reversi begins with one")
	case !errors.As(err, &no):
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
	switch strings.ToLower(text) {
	case "resign":
		return game.NoPoint, cpu, errors.New("it resigns")
	case "pass":
		return game.NoPoint, cpu, errors.New("it passes, although it can move")
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
