// Package learn teaches the games: /rules, which are pages with pictures, and /learn, which
// are courses of steps. A step is a few pages and then exercises on a board of the member's
// own. All that a press means stands in its custom id; the store keeps only which exercises
// are solved. Start from New and Lessons.Commands.
package learn

import (
	"context"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/room"
	"tengen/storage"
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

// Offer is the first step of the first course, offered to a member who has never played: once,
// and only under an answer that the member alone sees. Else it is empty.
func (s *Lessons) Offer(ctx context.Context, r chat.Request) ([]chat.Block, error) {
	p, err := s.Store.Progress(ctx, r.By)
	if err != nil || p.Offered || len(p.Solved) > 0 {
		return nil, err
	}
	live, err := s.Store.Of(ctx, r.By)
	if err != nil || len(live) > 0 {
		return nil, err
	}
	played, err := s.Store.History(ctx, r.By, 0, 1)
	if err != nil || len(played) > 0 {
		return nil, err
	}
	if _, err := s.Store.SetProgress(ctx, r.By, func(p storage.Progress) storage.Progress {
		p.Offered = true
		return p
	}); err != nil {
		return nil, err
	}
	t := s.House.Tongue(r)
	return []chat.Block{{Section: &chat.Section{Texts: []string{t.Say("learn.offer")},
		Button: chat.Button{ID: place{courses[0], 0}.page(0, "offer"), Label: t.Say("button.firstStep")}}}}, nil
}
