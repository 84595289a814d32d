package guest

import (
	"context"
	"fmt"
	"time"

	"tengen/ai/engine"
	"tengen/game"
)

// Protocol is the way in which a program is spoken to.
type Protocol string

// The protocols.
const (
	Gomocup Protocol = "gomocup" // five in a row
	GTP     Protocol = "gtp"     // Reversi
	NBoard  Protocol = "nboard"  // Reversi
)

// Plays reports whether games under r can be played by the protocol.
func (p Protocol) Plays(r game.Rules) bool { return (r == game.Reversi) == (p != Gomocup) }

// Player is a program that plays one game at a time. Where a context ends, the program is killed.
type Player interface {
	// Begin makes the program ready for a new game.
	Begin(ctx context.Context, r game.Rules) error
	// Move is the program's move in g, unchecked, and the CPU time it took.
	Move(ctx context.Context, g game.Game) (game.Point, time.Duration, error)
	// Ended reports whether the program is gone.
	Ended() bool
	// Close ends the program and waits for its end.
	Close()
}

// Start starts a program. Of the limits it is told those that its protocol has words for.
func Start(by Protocol, c Command, l engine.Limits) (Player, error) {
	if by == NBoard && l.Depth == 0 {
		return nil, fmt.Errorf("an NBoard program wants depth=N")
	}
	if by != Gomocup && by != GTP && by != NBoard {
		return nil, fmt.Errorf("no protocol is called %q", by)
	}
	p, err := start(c)
	if err != nil {
		return nil, err
	}
	switch by {
	case GTP:
		return &gtp{process: p, limits: l}, nil
	case NBoard:
		return &nboard{process: p, limits: l}, nil
	}
	return &gomocup{process: p, limits: l}, nil
}
