// Package together is a channel that plays together against the engine: whoever is there votes for a
// point, and the point with the most votes is played when the time is over. Where that is shown, and how
// it is stored, is not in here. Start from Game.
package together

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"tengen/game"
)

// Game is a game of a channel. It is a value: each operation gives a new one or a *game.Refusal.
type Game struct {
	Owner    game.MemberID
	Rules    game.Rules
	Level    uint8         // of the engine
	Color    game.Color    // of the channel
	Every    time.Duration // from the first vote for a move until it is played
	Seed     uint64        // for the engine's variety
	Moves    []game.Point
	Updated  time.Time
	Deadline time.Time // of the vote; zero: nobody has voted
	Votes    []Vote    // for the next move, the oldest first
	Stopped  bool
}

// Vote is a member's wish for the next move.
type Vote struct {
	Member game.MemberID
	Point  game.Point
	At     time.Time
}

// Count is how many votes a point has.
type Count struct {
	Point game.Point
	Votes int
}

// MaxVotes is how many votes a move can have.
const MaxVotes = 1000

// ErrVotesFull refuses a vote.
var ErrVotesFull = errors.New("there are as many votes as can be counted")

// Replay is the game on the board as it stands.
func (c Game) Replay() (game.Game, error) { return game.New(c.Rules).PlayAll(c.Moves...) }

// Over reports whether nothing more is played.
func (c Game) Over() bool { return c.Stopped || c.turn() == game.Empty }

// EngineToMove reports whether the engine owes a move.
func (c Game) EngineToMove() bool { return !c.Over() && c.turn() == c.Color.Other() }

func (c Game) turn() game.Color {
	g, err := c.Replay()
	if err != nil {
		return game.Empty
	}
	return g.Turn()
}

// Find is the place of a member's vote; -1: none.
func (c Game) Find(member game.MemberID) int {
	return slices.IndexFunc(c.Votes, func(v Vote) bool { return v.Member == member })
}

// Vote is c with a member's vote for the move after ply moves, in place of the member's earlier one. A
// vote that came earlier than the one that stands changes nothing.
func (c Game) Vote(by game.MemberID, ply int, p game.Point, at time.Time) (Game, error) {
	switch {
	case c.Over():
		return c, &game.Refusal{Code: game.NotPlaying}
	case ply != len(c.Moves):
		return c, &game.Refusal{Code: game.Moved}
	case c.EngineToMove():
		return c, &game.Refusal{Code: game.NotYourTurn}
	}
	g, err := c.Replay()
	if err == nil {
		err = g.Check(p)
	}
	if err != nil {
		return c, err
	}
	at = at.UTC().Truncate(time.Millisecond) // as it can be stored
	i := c.Find(by)
	switch {
	case i >= 0 && (c.Votes[i].Point == p || c.Votes[i].At.After(at)):
		return c, nil
	case i >= 0:
		c.Votes = slices.Delete(slices.Clone(c.Votes), i, i+1)
	case len(c.Votes) >= MaxVotes:
		return c, ErrVotesFull
	}
	if c.Deadline.IsZero() {
		c.Deadline = at.Add(c.Every)
	}
	c.Votes = append(slices.Clip(c.Votes), Vote{by, p, at})
	c.Updated = at
	return c, nil
}

// Counts are the points with votes. The point with the most votes comes first; of points with
// as many, the one that was voted for first.
func (c Game) Counts() (counts []Count) {
	for _, v := range c.Votes {
		i := slices.IndexFunc(counts, func(n Count) bool { return n.Point == v.Point })
		if i < 0 {
			i, counts = len(counts), append(counts, Count{Point: v.Point})
		}
		counts[i].Votes++
	}
	slices.SortStableFunc(counts, func(a, b Count) int { return cmp.Compare(b.Votes, a.Votes) })
	return counts
}

// Tick plays the point with the most votes where the time is over, and forgets the votes.
func (c Game) Tick(now time.Time) Game {
	if c.Over() || len(c.Votes) == 0 || now.Before(c.Deadline) {
		return c
	}
	return c.moved(c.Counts()[0].Point, now)
}

// Answer is c with the engine's move after ply moves; unchanged where that is not asked for any more.
func (c Game) Answer(ply int, p game.Point, now time.Time) Game {
	if g, err := c.Replay(); err != nil || ply != len(c.Moves) || !c.EngineToMove() || g.Check(p) != nil {
		return c
	}
	return c.moved(p, now)
}

func (c Game) moved(p game.Point, now time.Time) Game {
	c.Moves = append(slices.Clip(c.Moves), p)
	c.Votes, c.Deadline, c.Updated = nil, time.Time{}, now.UTC().Truncate(time.Millisecond)
	return c
}

// Stop ends the game without a result.
func (c Game) Stop(now time.Time) Game {
	if !c.Over() {
		c.Stopped, c.Votes, c.Deadline, c.Updated = true, nil, time.Time{}, now.UTC().Truncate(time.Millisecond)
	}
	return c
}

// Without is c after a member has deleted their data.
func (c Game) Without(member game.MemberID) Game {
	if c.Owner == member {
		c.Owner = 0
	}
	c.Votes = slices.DeleteFunc(slices.Clone(c.Votes), func(v Vote) bool { return v.Member == member })
	if len(c.Votes) == 0 {
		c.Votes, c.Deadline = nil, time.Time{}
	}
	return c
}

// Due is when the next move is to be played; zero: not before somebody votes.
func (c Game) Due() time.Time {
	if c.EngineToMove() {
		return c.Updated
	}
	return c.Deadline
}
