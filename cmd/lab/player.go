package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"tengen/ai"
	"tengen/ai/engine"
	"tengen/ai/five"
	"tengen/ai/guest"
	"tengen/ai/reversi"
	"tengen/game"
)

// player is one side of a game in the arena. It is used for one game at a time.
type player interface {
	// Begin makes the player ready for a new game.
	Begin(ctx context.Context, r game.Rules) error
	// Move is the player's move in g, and the CPU time it took.
	Move(ctx context.Context, g game.Game) (game.Point, time.Duration, error)
	// Close ends the player.
	Close()
}

// newPlayer makes a player from its description: "greedy", "random", "tengen" with
// "level=5", "nodes=20000", "cpu=250ms", "time=1s", "fresh", for Reversi also "game=500ms"
// (CPU time for a whole game), or "gomocup:", "gtp:" and "nboard:" before a command line,
// with "cpu=...", "nodes=...", "depth=..." in front of it.
func newPlayer(text string, seed uint64) (player, error) {
	kind, rest, _ := strings.Cut(text, ":")
	words := strings.Split(kind, ",")
	var l engine.Limits
	fresh := false
	var whole time.Duration
	for _, w := range words[1:] {
		key, value, _ := strings.Cut(w, "=")
		n, err := strconv.ParseInt(value, 10, 64)
		d, derr := time.ParseDuration(value)
		switch key {
		case "level":
			l.Level = int(n)
		case "nodes":
			l.Nodes = n
		case "depth":
			l.Depth = int(n)
		case "cpu":
			l.CPU, err = d, derr
		case "time":
			l.Time, err = d, derr
		case "game":
			whole, err = d, derr
		case "fresh":
			fresh, err = true, nil
		default:
			err = fmt.Errorf("unknown")
		}
		if err != nil {
			return nil, fmt.Errorf("player %q: %q: %w", text, w, err)
		}
	}
	l.Seed = seed
	l.Spend = l.CPU > 0 || l.Time > 0
	switch words[0] {
	case "random":
		return &random{seed: seed}, nil
	case "greedy":
		return greedy{}, nil
	case "tengen":
		return &own{limits: l, fresh: fresh, whole: whole}, nil
	case "gomocup", "gtp", "nboard":
		return newVisitor(guest.Protocol(words[0]), rest, l)
	}
	return nil, fmt.Errorf("player %q: want random, greedy, tengen, gomocup, gtp or nboard", text)
}

// visitor is the program of another maker.
type visitor struct {
	guest.Player
	patience time.Duration // with the answer to a move
}

// newVisitor starts a program by its command line, in which settings of its environment may stand
// first. It runs where it lies, since programs look for their files there.
func newVisitor(by guest.Protocol, command string, l engine.Limits) (player, error) {
	words := strings.Fields(command)
	at := slices.IndexFunc(words, func(w string) bool { return !strings.Contains(w, "=") })
	if at < 0 {
		return nil, errors.New("no command line")
	}
	path, err := exec.LookPath(words[at])
	if err != nil {
		return nil, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	p, err := guest.Start(by, guest.Command{Args: append([]string{path}, words[at+1:]...),
		Env: append(os.Environ(), words[:at]...), Dir: filepath.Dir(path)}, l)
	return &visitor{p, time.Minute}, err
}

func (v *visitor) Begin(ctx context.Context, r game.Rules) error {
	ctx, cancel := context.WithTimeoutCause(ctx, v.patience, guest.ErrLate)
	defer cancel()
	return v.Player.Begin(ctx, r)
}

func (v *visitor) Move(ctx context.Context, g game.Game) (game.Point, time.Duration, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, v.patience, guest.ErrLate)
	defer cancel()
	return v.Player.Move(ctx, g)
}

// own is our engine within this process.
type own struct {
	limits engine.Limits
	fresh  bool // no memory from move to move, as the bot plays
	five   *five.Engine
	games  uint64

	reversi *reversi.Engine
	whole   time.Duration // CPU time for a whole game of Reversi, 0 for none
	left    time.Duration
}

func (o *own) Begin(_ context.Context, r game.Rules) error {
	o.games++
	o.left = o.whole
	o.reversi = nil
	if r == game.Reversi && !o.fresh && o.limits.Level == 0 {
		o.reversi = new(reversi.Engine)
	}
	if r == game.Reversi || o.fresh || o.limits.Level > 0 {
		return nil
	}
	if o.five == nil {
		o.five = five.New()
	}
	o.five.Clear()
	return nil
}

func (o *own) Move(ctx context.Context, g game.Game) (game.Point, time.Duration, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	from := engine.CPUTime()
	l := o.limits
	l.Seed += o.games << 20
	l.Brief = true
	var r engine.Report
	var err error
	switch {
	case o.reversi != nil && o.whole > 0:
		r, err = o.reversi.Play(ctx, g, max(o.left, time.Millisecond), true)
	case o.reversi != nil:
		r, err = o.reversi.Search(ctx, g, l)
	case o.five != nil:
		r, err = o.five.Search(ctx, g, l)
	default:
		r, err = ai.Search(ctx, g, l)
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	used := engine.CPUTime() - from
	o.left -= used
	return r.Move, used, err
}

func (o *own) Close() {}

// random plays any legal move.
type random struct {
	rng         *rand.Rand
	seed, games uint64
}

func (r *random) Begin(context.Context, game.Rules) error {
	r.games++
	r.rng = rand.New(rand.NewPCG(r.seed, r.games))
	return nil
}

func (r *random) Move(_ context.Context, g game.Game) (game.Point, time.Duration, error) {
	legal := slices.Collect(g.Legal().All())
	return legal[r.rng.IntN(len(legal))], 0, nil
}

func (r *random) Close() {}

// greedy is how a beginner plays: one ply ahead and no further. In five in a row it takes a
// five, blocks one, and else takes the point whose rows are worth most to either side. In
// Reversi it takes a corner, and else turns the most discs.
type greedy struct{}

func (greedy) Begin(context.Context, game.Rules) error { return nil }
func (greedy) Close()                                  {}

func (greedy) Move(_ context.Context, g game.Game) (game.Point, time.Duration, error) {
	b := g.Position()
	best, score := game.NoPoint, -1
	for p := range g.Legal().All() {
		if g.Rules() == game.Reversi {
			if v := discsTurned(g, p); v > score {
				best, score = p, v
			}
			continue
		}
		v := 2*rowsWorth(b, p, b.Turn, greed) + rowsWorth(b, p, b.Turn.Other(), greed)
		c := b.Size / 2
		v = v*32 + 16 - max(abs(p.Col()-c), abs(p.Row()-c))
		if v > score {
			best, score = p, v
		}
	}
	return best, 0, nil
}

// discsTurned is what a move of Reversi is worth to a beginner.
func discsTurned(g game.Game, p game.Point) int {
	if edge := g.Position().Size - 1; p.Col()%edge == 0 && p.Row()%edge == 0 {
		return 100
	}
	after, err := g.Play(p)
	if err != nil {
		return 0
	}
	return after.Position().Count(g.Position().Turn)
}

// greed is what a five is worth to a beginner, by the stones that it holds.
var greed = [5]int{1, 12, 150, 2000, 100_000}

// rowsWorth adds up all fives through p that c can still make, by the stones they hold.
func rowsWorth(b game.Position, p game.Point, c game.Color, worth [5]int) int {
	sum := 0
	for _, d := range [4][2]int{{1, 0}, {0, 1}, {1, 1}, {1, -1}} {
		for from := -4; from <= 0; from++ {
			own := 0
			for i := from; i < from+5 && own >= 0; i++ {
				col, row := p.Col()+i*d[0], p.Row()+i*d[1]
				switch {
				case col < 0 || row < 0 || col >= b.Size || row >= b.Size:
					own = -1
				case i == 0:
				case b.At(game.At(col, row)) == c:
					own++
				case b.At(game.At(col, row)) != game.Empty:
					own = -1
				}
			}
			if own >= 0 {
				sum += worth[own]
			}
		}
	}
	return sum
}

func abs(n int) int { return max(n, -n) }
