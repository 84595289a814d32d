// Package guest lets the programs of other people play: they run as processes of their own and
// are asked for moves by the protocols of Gomocup, GTP and NBoard. A guest is not trusted: it has
// a directory of its own and an empty environment, a bound on what it says and on how long it
// may take, and each of its moves is checked. Memory and files are the operator's to limit. Start
// from Invite and Guests.Move; a match between programs begins with Start.
package guest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"tengen/ai/engine"
	"tengen/game"
)

// Spec is a guest as an operator describes it.
type Spec struct {
	Name     string // as members see it
	Protocol Protocol
	Command  []string      // the program and its arguments
	Dir      string        // in which it runs; empty: a new and empty one for each process
	Games    []game.Rules  // that it is asked to play
	Limits   engine.Limits // that it is told: time, nodes, depth and memory
	Wall     time.Duration // for a move, the start of the process included; then it is killed
}

// Path is where the guest's program is, or why there is none.
func (s Spec) Path() (string, error) {
	path, err := exec.LookPath(s.Command[0])
	if err != nil {
		return "", fmt.Errorf("guest %s: %w", s.Name, err)
	}
	return filepath.Abs(path)
}

// Errors of Guests.Move, beside those of a protocol.
var (
	ErrUnknown = errors.New("no guest of this name is here")
	ErrLate    = errors.New("no answer in time")
	ErrIllegal = errors.New("an illegal move")
)

// Guests are the guests of one bot. Any number of goroutines may call its methods; each guest
// has one process and finds one move at a time.
type Guests struct {
	all []*guest
}

// Invite makes guests ready to be asked. A guest whose program is missing is left out, which the
// log says. No process starts before its first move.
func Invite(specs []Spec, log *slog.Logger) *Guests {
	gs := &Guests{}
	for _, s := range specs {
		path, err := s.Path()
		if err != nil {
			log.Error("a guest is missing and left out", "err", err)
			continue
		}
		s.Command = append([]string{path}, s.Command[1:]...)
		gs.all = append(gs.all, &guest{Spec: s, log: log.With("guest", s.Name)})
	}
	return gs
}

// Names are the guests that play r, in the order of the configuration; nil asks for all.
func (gs *Guests) Names(r game.Rules) (names []string) {
	for _, g := range gs.all {
		if r == nil || slices.Contains(g.Games, r) {
			names = append(names, g.Name)
		}
	}
	return names
}

// Move asks a guest for its move in m, and has checked it. After any error the process of the
// guest has ended, and the next question starts another.
func (gs *Guests) Move(ctx context.Context, name string, m game.Game) (game.Point, error) {
	i := slices.IndexFunc(gs.all, func(g *guest) bool { return g.Name == name })
	if i < 0 {
		return game.NoPoint, fmt.Errorf("%q: %w", name, ErrUnknown)
	}
	return gs.all[i].move(ctx, m)
}

// Close ends all processes.
func (gs *Guests) Close() {
	for _, g := range gs.all {
		g.mu.Lock()
		g.leave()
		g.mu.Unlock()
	}
}

// idleAfter is how long the process of a guest waits for the next question before it is ended.
const idleAfter = 10 * time.Minute

// guest is one program and its process, if it has one now.
type guest struct {
	Spec
	log *slog.Logger

	mu     sync.Mutex // held while the guest is asked
	player Player     // nil: no process runs
	told   game.Game  // the game that the process has in mind, its own move included
	made   string     // the directory that was made for the process, if any
	idle   *time.Timer
}

func (g *guest) move(ctx context.Context, m game.Game) (p game.Point, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	ctx, cancel := context.WithTimeoutCause(ctx, g.Wall, ErrLate)
	defer cancel()
	p, err = g.ask(ctx, m)
	if err == nil {
		if wrong := m.Check(p); wrong != nil {
			err = fmt.Errorf("%w: %v: %w", ErrIllegal, p, wrong)
		}
	}
	if err != nil {
		g.leave()
		return game.NoPoint, fmt.Errorf("guest %s: %w", g.Name, err)
	}
	g.told, _ = m.Play(p)
	g.idle.Reset(idleAfter)
	return p, nil
}

// ask starts a process where none runs, tells it of the game where it has another in mind, and
// asks it for a move.
func (g *guest) ask(ctx context.Context, m game.Game) (game.Point, error) {
	if again, err := game.New(m.Rules()).PlayAll(m.Moves()...); err != nil || again.Position() != m.Position() {
		return game.NoPoint, errors.New("the protocols have no word for a game that began elsewhere")
	}
	if g.player != nil && g.player.Ended() { // while nobody asked, so it has failed no question
		g.log.Warn("guest ended between questions")
		g.leave()
	}
	fresh := g.player == nil
	if fresh {
		if err := g.enter(); err != nil {
			return game.NoPoint, err
		}
	}
	if fresh || !follows(m, g.told) {
		if err := g.player.Begin(ctx, m.Rules()); err != nil {
			return game.NoPoint, err
		}
	}
	p, _, err := g.player.Move(ctx, m)
	return p, err
}

// follows reports whether m goes on from before by one move or more.
func follows(m, before game.Game) bool {
	moves, known := m.Moves(), before.Moves()
	return m.Rules() == before.Rules() && len(moves) > len(known) && slices.Equal(moves[:len(known)], known)
}

// enter starts the process.
func (g *guest) enter() (err error) {
	dir := g.Dir
	if dir == "" {
		if dir, err = os.MkdirTemp("", "tengen-guest-"); err != nil {
			return err
		}
		g.made = dir
	}
	heard := func(line string) { g.log.Info("guest says", "text", line) }
	if g.player, err = Start(g.Protocol, Command{Args: g.Command, Dir: dir, Heard: heard}, g.Limits); err != nil {
		g.leave()
		return err
	}
	g.idle = time.AfterFunc(idleAfter, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.leave()
	})
	return nil
}

// leave ends the process, if one runs, and removes the directory that was made for it.
func (g *guest) leave() {
	if g.player != nil {
		g.player.Close()
		g.player = nil
	}
	if g.idle != nil {
		g.idle.Stop()
	}
	if g.made != "" {
		os.RemoveAll(g.made)
		g.made = ""
	}
}
