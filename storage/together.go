package storage

import (
	"context"
	"errors"
	"time"

	"tengen/game"
	"tengen/game/together"
	"tengen/game/venue"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

// Together is the game that a channel plays together. Rows and exports call it a crowd.
type Together struct {
	Gathering
	Drawn int // moves on the board that the message shows
	together.Game
}

const (
	voteEdits  = 10 * time.Second // a message is edited at most so often where only the votes have changed
	mostPoints = 225
)

// ErrTogetherHere refuses a second game in a channel.
var ErrTogetherHere = errors.New("the channel plays together already")

// Wants is when the message is to be brought up to date; zero: it need not be.
func (c Together) Wants() time.Time {
	switch {
	case !c.Notice.behind(c.Version):
		return time.Time{}
	case c.Drawn != len(c.Moves) || c.Over() || c.Message == 0:
		return c.Updated
	}
	return c.At.Add(voteEdits)
}

// due is when something is to be done; zero: nothing is.
func (c Together) due() time.Time { return sooner(c.Wants(), c.Due()) }

func (c *Together) Fields(f *codec.Fields) {
	f.Format(1, 1)
	f.Say("kind", "crowd")
	c.Gathering.Fields(f)
	codec.Number(f, "", &c.Drawn, mostPoints)
	codec.ID(f, "owner?", &c.Owner)
	f.Rules("rules", &c.Rules)
	codec.Small(f, "level", &c.Level, 255)
	codec.Small(f, "color", &c.Color, game.White)
	f.Span("every", &c.Every)
	codec.ID(f, "", &c.Seed)
	f.Text("", &c.Look.Theme, codec.AnyLength)
	f.Text("", &c.Look.Language, codec.AnyLength)
	f.Points("moves", &c.Moves, mostPoints)
	f.Time("", &c.Updated)
	f.Time("", &c.Deadline)
	codec.Many(f, "votes", &c.Votes, 10, together.MaxVotes, func(f *codec.Fields, v *together.Vote) {
		codec.ID(f, "member", &v.Member)
		f.Point("point", &v.Point)
		f.Time("at", &v.At)
	})
	if f.Flag("stopped?", &c.Stopped); f.Sound() {
		_, err := c.Replay()
		f.Must(err == nil && c.Color != game.Empty)
	}
}

func (c Together) MarshalJSON() ([]byte, error) { return codec.Export(c) }

// shown leaves out where the message stands and how many moves it shows.
func (c Together) shown() []byte {
	c.Notice, c.Drawn = Notice{}, 0
	return codec.Encode(c)
}

// BeginTogether stores a game in a place that has none, or one that is over. It is ErrTogetherHere, with
// the game, where one goes on. The interaction that begins it names it: again it changes nothing.
func (s *Store) BeginTogether(ctx context.Context, next Together) (Together, error) {
	if _, err := codec.RulesCode(next.Rules); err != nil {
		return Together{}, err
	}
	next.Updated = millis(next.Updated.UnixMilli())
	return togethers.begin(ctx, s, next.Updated, next)
}

// UpdateTogether changes the game of a place by f, which is quick and pure. ErrNotFound says that there
// is none.
func (s *Store) UpdateTogether(ctx context.Context, p venue.Place, now time.Time,
	f func(Together) (Together, error)) (Together, error) {
	return togethers.update(ctx, s, p, Cause{At: now}, f)
}

// Together gives the game of a place; ErrNotFound where there is none.
func (s *Store) Together(ctx context.Context, p venue.Place) (Together, error) {
	return togethers.one(ctx, s, p)
}

// TogetherDue gives at most n places, of those that want names, with a game in which something is due by now.
func (s *Store) TogetherDue(ctx context.Context, now time.Time, n int,
	want func(venue.Place) bool) ([]venue.Place, error) {
	return togethers.due(ctx, s, now, n, want)
}

// forgetTogether takes a member's votes back, and the name out of the games that the member began.
func (s *Store) forgetTogether(ctx context.Context, member game.MemberID, now time.Time) error {
	return togethers.change(ctx, s, now, func(c Together) Together { c.Game = c.Without(member); return c })
}

// OwnTogether is what a game that is played together knows of a member.
type OwnTogether struct {
	Server  string `json:"server"`
	Channel string `json:"channel"`
	Owner   bool   `json:"owner,omitempty"` // the member began it
	Vote    string `json:"vote,omitempty"`  // for the next move
}

// togetherOf gives what the games that are played together know of a member.
func togetherOf(r kv.Reader, member game.MemberID) (of []OwnTogether, err error) {
	all, err := togethers.all(r)
	for _, c := range all {
		own := OwnTogether{Server: codec.IDText(c.Server), Channel: codec.IDText(c.Channel), Owner: c.Owner == member}
		i := c.Find(member)
		if i >= 0 {
			own.Vote = c.Votes[i].Point.String()
		}
		if i >= 0 || own.Owner {
			of = append(of, own)
		}
	}
	return of, err
}
