package storage

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"tengen/game"
	"tengen/storage/kv"
)

// Crowd is a channel that plays together against the engine: whoever is there votes for a point, and
// the point with the most votes is played when the time is over. A crowd is a value: each operation
// gives a new one or a *game.Refusal.
type Crowd struct {
	Gathering
	Drawn    int // moves on the board that the message shows
	Owner    game.MemberID
	Rules    game.Rules
	Level    uint8         // of the engine
	Color    game.Color    // of the crowd
	Every    time.Duration // from the first vote for a move until it is played
	Seed     uint64        // for the engine's variety
	Theme    string
	Language string
	Moves    []game.Point
	Updated  time.Time
	Deadline time.Time // of the vote; zero: nobody has voted
	Votes    []Vote    // for the next move, the oldest first
	Stopped  bool
}

// Vote is a member's wish for the next move of a crowd.
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

// The bounds of crowds.
const (
	MaxVotes   = 1000
	voteEdits  = 10 * time.Second // a message is edited at most so often where only the votes have changed
	mostPoints = 225
)

// Errors of crowds.
var (
	ErrCrowded   = errors.New("the channel plays together already")
	ErrVotesFull = errors.New("there are as many votes as can be counted")
)

// Game is the game as it stands.
func (c Crowd) Game() (game.Game, error) { return game.New(c.Rules).PlayAll(c.Moves...) }

// Over reports whether the game of a crowd is over.
func (c Crowd) Over() bool { return c.Stopped || c.turn() == game.Empty }

// EngineToMove reports whether the engine owes a move.
func (c Crowd) EngineToMove() bool { return !c.Over() && c.turn() == c.Color.Other() }

func (c Crowd) turn() game.Color {
	g, err := c.Game()
	if err != nil {
		return game.Empty
	}
	return g.Turn()
}

// Vote is c with a member's vote for the move after ply moves, in place of the member's earlier one. A
// vote that came earlier than the one that stands changes nothing.
func (c Crowd) Vote(by game.MemberID, ply int, p game.Point, at time.Time) (Crowd, error) {
	switch {
	case c.Over():
		return c, &game.Refusal{Code: game.NotPlaying}
	case ply != len(c.Moves):
		return c, &game.Refusal{Code: game.Moved}
	case c.EngineToMove():
		return c, &game.Refusal{Code: game.NotYourTurn}
	}
	g, err := c.Game()
	if err == nil {
		err = g.Check(p)
	}
	if err != nil {
		return c, err
	}
	at = millis(at.UnixMilli())
	i := slices.IndexFunc(c.Votes, func(v Vote) bool { return v.Member == by })
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
func (c Crowd) Counts() (counts []Count) {
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
func (c Crowd) Tick(now time.Time) Crowd {
	if c.Over() || len(c.Votes) == 0 || now.Before(c.Deadline) {
		return c
	}
	return c.moved(c.Counts()[0].Point, now)
}

// Answer is c with the engine's move after ply moves; unchanged where that is not asked for any more.
func (c Crowd) Answer(ply int, p game.Point, now time.Time) Crowd {
	if g, err := c.Game(); err != nil || ply != len(c.Moves) || !c.EngineToMove() || g.Check(p) != nil {
		return c
	}
	return c.moved(p, now)
}

func (c Crowd) moved(p game.Point, now time.Time) Crowd {
	c.Moves = append(slices.Clip(c.Moves), p)
	c.Votes, c.Deadline, c.Updated = nil, time.Time{}, millis(now.UnixMilli())
	return c
}

// Stop ends the game without a result.
func (c Crowd) Stop(now time.Time) Crowd {
	if !c.Over() {
		c.Stopped, c.Votes, c.Deadline, c.Updated = true, nil, time.Time{}, millis(now.UnixMilli())
	}
	return c
}

// without is c after a member has deleted their data.
func (c Crowd) without(member game.MemberID) Crowd {
	if c.Owner == member {
		c.Owner = 0
	}
	c.Votes = slices.DeleteFunc(slices.Clone(c.Votes), func(v Vote) bool { return v.Member == member })
	if len(c.Votes) == 0 {
		c.Votes, c.Deadline = nil, time.Time{}
	}
	return c
}

// Wants is when the message is to be brought up to date; zero: it need not be.
func (c Crowd) Wants() time.Time {
	switch {
	case !c.Notice.behind(c.Version):
		return time.Time{}
	case c.Drawn != len(c.Moves) || c.Over() || c.Message == 0:
		return c.Updated
	}
	return c.At.Add(voteEdits)
}

// due is when something is to be done; zero: nothing is.
func (c Crowd) due() time.Time {
	due := sooner(c.Wants(), c.Deadline)
	if c.EngineToMove() {
		due = sooner(due, c.Updated)
	}
	return due
}

func (c *Crowd) fields(f *fields) {
	f.format(1, 1)
	f.say("kind", "crowd")
	c.Gathering.fields(f)
	number(f, "", &c.Drawn, mostPoints)
	id(f, "owner?", &c.Owner)
	f.rules("rules", &c.Rules)
	small(f, "level", &c.Level, 255)
	small(f, "color", &c.Color, game.White)
	f.span("every", &c.Every)
	id(f, "", &c.Seed)
	f.text("", &c.Theme, anyLength)
	f.text("", &c.Language, anyLength)
	f.points("moves", &c.Moves, mostPoints)
	f.time("", &c.Updated)
	f.time("", &c.Deadline)
	many(f, "votes", &c.Votes, 10, MaxVotes, func(f *fields, v *Vote) {
		id(f, "member", &v.Member)
		f.point("point", &v.Point)
		f.time("at", &v.At)
	})
	if f.flag("stopped?", &c.Stopped); f.way == reading {
		_, err := c.Game()
		f.must(err == nil && c.Color != game.Empty)
	}
}

// MarshalJSON gives the crowd as an export shows it.
func (c Crowd) MarshalJSON() ([]byte, error) { return export(c) }

// shown leaves out where the message stands and how many moves it shows.
func (c Crowd) shown() []byte {
	c.Notice, c.Drawn = Notice{}, 0
	return encode(c)
}

// BeginCrowd stores a crowd in a place that has none, or one that is over. It is ErrCrowded where the
// channel plays already. The interaction that begins it names it: again it changes nothing.
func (s *Store) BeginCrowd(ctx context.Context, next Crowd) (Crowd, error) {
	if _, err := rulesCode(next.Rules); err != nil {
		return Crowd{}, err
	}
	next.Updated = millis(next.Updated.UnixMilli())
	return crowds.begin(ctx, s, next.Updated, next)
}

// UpdateCrowd changes the crowd of a place by f, which is quick and pure. ErrNotFound says that there
// is none.
func (s *Store) UpdateCrowd(ctx context.Context, p Place, now time.Time, f func(Crowd) (Crowd, error)) (Crowd, error) {
	return crowds.update(ctx, s, p, Cause{At: now}, f)
}

// Crowd gives the crowd of a place; ErrNotFound where there is none.
func (s *Store) Crowd(ctx context.Context, p Place) (Crowd, error) { return crowds.one(ctx, s, p) }

// CrowdsDue gives at most n places with a crowd in which something is due by now. It leaves
// out those for which want is false: they keep no other waiting, nor does a crowd that cannot
// be read.
func (s *Store) CrowdsDue(ctx context.Context, now time.Time, n int, want func(Place) bool) ([]Place, error) {
	return crowds.due(ctx, s, now, n, want)
}

// forgetCrowds takes a member's votes back, and the name out of the crowds that the member began.
func (s *Store) forgetCrowds(ctx context.Context, member game.MemberID, now time.Time) error {
	return crowds.change(ctx, s, now, func(c Crowd) Crowd { return c.without(member) })
}

// OwnCrowd is what a crowd knows of a member.
type OwnCrowd struct {
	Server  string `json:"server"`
	Channel string `json:"channel"`
	Owner   bool   `json:"owner,omitempty"` // the member began it
	Vote    string `json:"vote,omitempty"`  // for the next move
}

// crowdsOf gives what the crowds know of a member.
func crowdsOf(r kv.Reader, member game.MemberID) (of []OwnCrowd, err error) {
	all, err := crowds.all(r)
	for _, c := range all {
		own := OwnCrowd{Server: idText(c.Server), Channel: idText(c.Channel), Owner: c.Owner == member}
		i := slices.IndexFunc(c.Votes, func(v Vote) bool { return v.Member == member })
		if i >= 0 {
			own.Vote = c.Votes[i].Point.String()
		}
		if i >= 0 || own.Owner {
			of = append(of, own)
		}
	}
	return of, err
}
