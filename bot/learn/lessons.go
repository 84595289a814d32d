// Package learn teaches the games: rules, which are pages with pictures, and courses of steps. A step is a few
// pages and then exercises on a board of the member's own. All that a press means stands in its custom id; the
// store keeps only which exercises are solved. Start from New and Lessons.Commands.
package learn

import (
	"tengen/bot/command"
	"tengen/bot/room"
)

// Lessons teach. Any number of goroutines may call its methods.
type Lessons struct{ room.Base }

// New makes lessons.
func New(b room.Base) *Lessons { return &Lessons{b} }

// Commands are those of the lessons. Nobody may run them on nil Lessons, which is good for
// registration alone.
func (s *Lessons) Commands() []command.Command {
	return []command.Command{s.learnCommand()}
}
