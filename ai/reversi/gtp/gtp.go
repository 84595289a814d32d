// Package gtp speaks the Go Text Protocol, as programs for Othello use it, with the
// engine of package reversi. Start from Serve.
package gtp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"tengen/ai/engine"
	"tengen/ai/reversi"
	"tengen/game"
)

// Options bound what the engine thinks. Time settings from the other side override Time;
// a level overrides both.
type Options struct {
	Name    string
	Version string
	Level   int
	Time    time.Duration // a move; 0 is one second
	CPU     bool          // read all times as CPU time of the searching thread
	Threads int
	Seed    uint64
}

// Serve answers the commands of in on out until quit, the end of in or the end of ctx.
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	reversi.Prepare()
	s := &session{options: o, game: game.New(game.Reversi)}
	lines := make(chan string)
	failed := make(chan error, 1)
	go func() { // ends with in, or with the process
		defer close(lines)
		sc := bufio.NewScanner(in)
		for sc.Scan() {
			select {
			case lines <- sc.Text():
			case <-ctx.Done():
				return
			}
		}
		failed <- sc.Err()
	}()
	for {
		select {
		case <-ctx.Done():
			return nil
		case line, ok := <-lines:
			if !ok {
				select {
				case err := <-failed:
					return err
				default:
					return nil
				}
			}
			answer := s.line(ctx, line)
			if _, err := io.WriteString(out, answer); err != nil {
				return fmt.Errorf("gtp: %w", err)
			}
			if s.done {
				return nil
			}
		}
	}
}

// session is one conversation.
type session struct {
	options Options
	engine  reversi.Engine
	game    game.Game
	played  []bool // what undo takes back: true a move, false a pass that the other side sent
	main    time.Duration
	byo     time.Duration
	stones  int
	left    [3]time.Duration // by color; what time_left said or what we counted
	timed   bool
	done    bool
}

// line answers one line; the answer is empty if the line is no command.
func (s *session) line(ctx context.Context, line string) string {
	if i := strings.IndexByte(line, '#'); i >= 0 {
		line = line[:i]
	}
	words := strings.Fields(strings.Map(printable, line))
	if len(words) == 0 {
		return ""
	}
	id := ""
	if _, err := strconv.ParseUint(words[0], 10, 32); err == nil {
		id, words = words[0], words[1:]
	}
	if len(words) == 0 {
		return "?" + id + " unknown command\n\n"
	}
	text, err := s.command(ctx, strings.ToLower(words[0]), words[1:])
	if err != nil {
		return "?" + id + " " + err.Error() + "\n\n"
	}
	return strings.TrimRight("="+id+" "+text, " ") + "\n\n"
}

// printable turns tabs into blanks and drops the other control characters.
func printable(r rune) rune {
	switch {
	case r == '\t':
		return ' '
	case r < ' ' || r == 127:
		return -1
	}
	return r
}

var errSyntax = errors.New("syntax error")

var commands = []string{
	"boardsize", "clear_board", "genmove", "known_command", "komi", "list_commands", "name", "play",
	"protocol_version", "quit", "showboard", "time_left", "time_settings", "undo", "version",
}

func (s *session) command(ctx context.Context, name string, args []string) (string, error) {
	switch name {
	case "protocol_version":
		return "2", nil
	case "name":
		return s.options.Name, nil
	case "version":
		return s.options.Version, nil
	case "known_command":
		if len(args) != 1 {
			return "", errSyntax
		}
		return strconv.FormatBool(slices.Contains(commands, strings.ToLower(args[0]))), nil
	case "list_commands":
		return strings.Join(commands, "\n"), nil
	case "quit":
		s.done = true
		return "", nil
	case "boardsize":
		if len(args) != 1 {
			return "", errSyntax
		}
		if args[0] != "8" {
			return "", errors.New("unacceptable size")
		}
		return "", nil
	case "clear_board":
		s.game, s.played = game.New(game.Reversi), nil
		s.engine = reversi.Engine{}
		s.left = [3]time.Duration{game.Black: s.main, game.White: s.main}
		return "", nil
	case "komi":
		return "", nil // sent by controllers made for Go; there is none
	case "showboard":
		return "\n" + diagram(s.game.Position()), nil
	case "play":
		return "", s.play(args)
	case "genmove":
		return s.genmove(ctx, args)
	case "undo":
		return "", s.undo()
	case "time_settings":
		return "", s.timeSettings(args)
	case "time_left":
		return "", s.timeLeft(args)
	}
	return "", errors.New("unknown command")
}

// diagram is the board with row 1 on top.
func diagram(b game.Position) string {
	var s strings.Builder
	s.WriteString("  A B C D E F G H")
	for row := range 8 {
		fmt.Fprintf(&s, "\n%d", row+1)
		for col := range 8 {
			s.WriteString([]string{" .", " X", " O"}[b.At(game.At(col, row))])
		}
	}
	return s.String()
}

func colorOf(text string) (game.Color, error) {
	switch strings.ToLower(text) {
	case "b", "black":
		return game.Black, nil
	case "w", "white":
		return game.White, nil
	}
	return game.Empty, errSyntax
}

// play plays a move for a side. A forced pass may be said or left out: the board has
// passed by itself already. A pass that is not forced is illegal.
func (s *session) play(args []string) error {
	if len(args) != 2 {
		return errSyntax
	}
	c, err := colorOf(args[0])
	if err != nil {
		return err
	}
	if at := strings.ToLower(args[1]); at == "pass" || at == "pa" {
		if s.game.Turn() == c {
			return errors.New("illegal move: a side that can move must")
		}
		s.played = append(s.played, false)
		return nil
	}
	p, err := game.ParsePoint(args[1], 8)
	if err != nil || s.game.Turn() != c {
		return errors.New("illegal move")
	}
	next, err := s.game.Play(p)
	if err != nil {
		return errors.New("illegal move")
	}
	s.game, s.played = next, append(s.played, true)
	return nil
}

// genmove finds a move for a side and plays it. A side that cannot move passes.
func (s *session) genmove(ctx context.Context, args []string) (string, error) {
	if len(args) != 1 {
		return "", errSyntax
	}
	c, err := colorOf(args[0])
	if err != nil {
		return "", err
	}
	if s.game.Turn() != c {
		if s.game.Turn() != game.Empty && canMove(s.game.Position(), c) {
			return "", errors.New("it is the other side's turn")
		}
		s.played = append(s.played, false)
		return "pass", nil
	}
	r, err := s.search(ctx, c)
	if err != nil {
		return "", err
	}
	next, err := s.game.Play(r.Move)
	if err != nil {
		return "", err
	}
	s.game, s.played = next, append(s.played, true)
	return r.Move.String(), nil
}

func canMove(b game.Position, c game.Color) bool {
	return game.Reversi.Settle(b, c).Turn == c
}

// search thinks as long as the level, the clock or the options say.
func (s *session) search(ctx context.Context, c game.Color) (engine.Report, error) {
	o := s.options
	limits := engine.Limits{Threads: o.Threads, Level: o.Level, Seed: o.Seed + uint64(s.game.Len())}
	if o.Level > 0 {
		return s.engine.Search(ctx, s.game, limits)
	}
	move := o.Time
	switch {
	case s.timed && s.main > 0 && s.stones == 0:
		begin := time.Now()
		now := func() time.Duration { return time.Since(begin) }
		if o.CPU { // of this thread
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			now = engine.CPUTime
		}
		from := now()
		r, err := s.engine.Play(ctx, s.game, max(s.left[c], time.Millisecond), o.CPU)
		s.left[c] -= now() - from
		return r, err
	case s.timed && s.byo > 0:
		move = s.byo / time.Duration(max(s.stones, 1)) * 9 / 10
	case move == 0:
		move = time.Second
	}
	if o.CPU {
		limits.CPU = move
	} else {
		limits.Time = move
	}
	return s.engine.Search(ctx, s.game, limits)
}

func (s *session) undo() error {
	if len(s.played) == 0 {
		return errors.New("cannot undo")
	}
	last := len(s.played) - 1
	if s.played[last] {
		s.game = s.game.Undo(1)
	}
	s.played = s.played[:last]
	return nil
}

// timeSettings takes main time, byo-yomi time and stones, in seconds.
func (s *session) timeSettings(args []string) error {
	n, err := numbers(args, 3)
	if err != nil {
		return err
	}
	s.main, s.byo, s.stones = time.Duration(n[0])*time.Second, time.Duration(n[1])*time.Second, 0
	if s.main == 0 {
		s.stones = n[2]
	}
	s.timed = s.main > 0 || s.byo > 0 && n[2] > 0 // byo-yomi without stones means no limit
	s.left = [3]time.Duration{game.Black: s.main, game.White: s.main}
	return nil
}

// timeLeft takes the seconds left of a side, and the stones to be played in them, 0 for
// the rest of the game.
func (s *session) timeLeft(args []string) error {
	if len(args) != 3 {
		return errSyntax
	}
	c, err := colorOf(args[0])
	if err != nil {
		return err
	}
	n, err := numbers(args[1:], 2)
	if err != nil {
		return err
	}
	s.timed = true
	if n[1] > 0 {
		s.byo, s.stones = time.Duration(n[0])*time.Second, n[1]
		return nil
	}
	s.main, s.stones = max(s.main, time.Second), 0
	s.left[c] = time.Duration(n[0]) * time.Second
	return nil
}

func numbers(args []string, want int) ([]int, error) {
	if len(args) != want {
		return nil, errSyntax
	}
	list := make([]int, want)
	for i, a := range args {
		v, err := strconv.ParseFloat(a, 64)
		if err != nil || v < 0 || v > 1e9 {
			return nil, errSyntax
		}
		list[i] = int(v)
	}
	return list, nil
}
