package storage

import (
	"slices"
	"time"

	"tengen/game"
	"tengen/game/together"
	"tengen/storage/codec"
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

func (c Together) begun() (Together, error) {
	c.Updated = millis(c.Updated.UnixMilli())
	_, err := codec.RulesCode(c.Rules)
	return c, err
}

func (c Together) without(member game.MemberID, _ time.Time) Together {
	c.Game = c.Without(member)
	return c
}

func (c Together) left(time.Time) Together { return c }

func (c Together) takenBack(now time.Time) Together {
	c.Updated, c.Notice = happened(c.Updated, now), c.Notice.takenBack(now)
	c.Votes = slices.Clone(c.Votes)
	for i := range c.Votes {
		c.Votes[i].At = happened(c.Votes[i].At, now)
	}
	if c.Deadline.Sub(now) > c.Every+game.ClockError {
		c.Deadline = millis(now.Add(c.Every).UnixMilli())
	}
	return c
}

func (c Together) own(member game.MemberID) any {
	own := struct {
		Server  string `json:"server"`
		Channel string `json:"channel"`
		Owner   bool   `json:"owner,omitempty"` // the member began it
		Vote    string `json:"vote,omitempty"`  // for the next move
	}{Server: codec.IDText(c.Server), Channel: codec.IDText(c.Channel), Owner: c.Owner == member}
	i := c.Find(member)
	if i >= 0 {
		own.Vote = c.Votes[i].Point.String()
	}
	if i < 0 && !own.Owner {
		return nil
	}
	return own
}
