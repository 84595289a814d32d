package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"tengen/ai/engine"
	"tengen/game"
)

// process is an engine as a child process that is spoken to in lines.
type process struct {
	cmd      *exec.Cmd
	in       io.WriteCloser
	lines    chan string
	patience time.Duration // with an answer
}

func newProcess(command string) (*process, error) {
	words := strings.Fields(command)
	if len(words) == 0 {
		return nil, errors.New("no command line")
	}
	p := &process{lines: make(chan string, 64), patience: patience}
	for i, w := range words {
		if !strings.Contains(w, "=") {
			p.cmd = exec.Command(w, words[i+1:]...)
			p.cmd.Env = append(p.cmd.Environ(), words[:i]...)
			break
		}
	}
	if p.cmd == nil {
		return nil, errors.New("no command line")
	}
	if i := strings.LastIndexByte(p.cmd.Path, '/'); i > 0 {
		p.cmd.Dir = p.cmd.Path[:i] // where programs look for their files
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(p.lines)
		sc := bufio.NewScanner(out)
		for sc.Scan() {
			p.lines <- strings.TrimSpace(sc.Text())
		}
	}()
	return p, nil
}

func (p *process) say(format string, args ...any) error {
	_, err := fmt.Fprintf(p.in, format+"\n", args...)
	return err
}

// answer is the next line that want accepts.
func (p *process) answer(ctx context.Context, want func(string) bool) (string, error) {
	late := time.NewTimer(p.patience)
	defer late.Stop()
	for {
		select {
		case line, ok := <-p.lines:
			if !ok {
				return "", errors.New("the engine has ended")
			}
			if want(line) {
				return line, nil
			}
		case <-late.C:
			return "", errors.New("no answer in time")
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

func (p *process) close() {
	p.in.Close()
	p.cmd.Process.Kill()
	for range p.lines {
	}
	p.cmd.Wait()
}

// gomocup is an engine that speaks the Gomocup protocol.
type gomocup struct {
	p      *process
	limits engine.Limits
	told   int       // moves of the game that the engine has been told of, -1 for none
	ready  time.Time // when it may be spoken to again
}

func newGomocup(command string, l engine.Limits) (player, error) {
	p, err := newProcess(command)
	if err != nil {
		return nil, err
	}
	return &gomocup{p: p, limits: l}, nil
}

const (
	patience = 60 * time.Second
	// Some engines answer a little before they are ready to listen.
	breath = 20 * time.Millisecond
)

func (e *gomocup) Begin(ctx context.Context, r game.Rules) error {
	if d := time.Until(e.ready); d > 0 {
		time.Sleep(d)
	}
	if err := e.p.say("START %d", r.Size()); err != nil {
		return err
	}
	if _, err := e.p.answer(ctx, func(s string) bool { return s == "OK" }); err != nil {
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
	e.p.say("INFO rule %d", rule)
	e.p.say("INFO timeout_turn %d", ms)
	e.p.say("INFO timeout_match 0")
	e.p.say("INFO max_memory %d", 350<<20)
	e.p.say("INFO thread_num 1")
	if e.limits.Nodes > 0 {
		e.p.say("INFO max_node %d", e.limits.Nodes)
	}
	e.told = -1
	return nil
}

func (e *gomocup) Move(ctx context.Context, g game.Game) (game.Point, time.Duration, error) {
	if d := time.Until(e.ready); d > 0 {
		time.Sleep(d)
	}
	from := e.p.cpu()
	e.p.say("INFO time_left 2147483647")
	moves := g.Moves()
	switch {
	case len(moves) == 0:
		e.p.say("BEGIN")
	case e.told == len(moves)-1:
		p := moves[len(moves)-1]
		e.p.say("TURN %d,%d", p.Col(), p.Row())
	default:
		e.p.say("BOARD")
		for i, p := range moves {
			who := 1
			if (len(moves)-i)%2 == 1 {
				who = 2
			}
			e.p.say("%d,%d,%d", p.Col(), p.Row(), who)
		}
		e.p.say("DONE")
	}
	var x, y int
	var failed string
	_, err := e.p.answer(ctx, func(s string) bool {
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
		err = errors.New(failed)
	case x < 0 || y < 0 || x >= size || y >= size: // a Point would wrap round
		err = fmt.Errorf("%d,%d is not on the board", x, y)
	}
	e.told = len(moves) + 1
	e.ready = time.Now().Add(breath)
	return game.At(x, y), e.p.cpu() - from, err
}

func (e *gomocup) Close() { e.p.close() }
