package storage

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"tengen/game"
	"tengen/game/together"
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

func (c Together) encode() []byte {
	w := &writer{}
	w.byte(1)
	w.gathering(c.Gathering)
	w.uint(uint64(c.Drawn))
	w.fixed(uint64(c.Owner))
	rules, _ := rulesCode(c.Rules)
	w.uint(rules)
	w.byte(c.Level)
	w.byte(byte(c.Color))
	w.uint(uint64(c.Every.Milliseconds()))
	w.fixed(c.Seed)
	w.text(c.Look.Theme)
	w.text(c.Look.Language)
	w.uint(uint64(len(c.Moves)))
	for _, p := range c.Moves {
		w.byte(byte(p))
	}
	w.time(c.Updated)
	w.time(c.Deadline)
	w.uint(uint64(len(c.Votes)))
	for _, v := range c.Votes {
		w.fixed(uint64(v.Member))
		w.byte(byte(v.Point))
		w.time(v.At)
	}
	w.bool(c.Stopped)
	return w.b
}

// shown leaves out where the message stands and how many moves it shows.
func (c Together) shown() []byte {
	c.Notice, c.Drawn = Notice{}, 0
	return c.encode()
}

func decodeTogether(k, value []byte) (Together, error) {
	d := open(value, 1)
	c := Together{Gathering: d.gathering(k), Drawn: int(d.upTo(mostPoints))}
	c.Owner, c.Rules = game.MemberID(d.fixed()), d.rules(d.uint())
	c.Level, c.Color = d.byte(), game.Color(d.byte())
	c.Every, c.Seed = time.Duration(d.upTo(maxTime))*time.Millisecond, d.fixed()
	c.Look.Theme, c.Look.Language = d.text(), d.text()
	for range d.bounded(1, mostPoints) {
		c.Moves = append(c.Moves, game.Point(d.byte()))
	}
	c.Updated, c.Deadline = d.time(), d.time()
	for range d.bounded(10, together.MaxVotes) {
		c.Votes = append(c.Votes, together.Vote{Member: game.MemberID(d.fixed()), Point: game.Point(d.byte()), At: d.time()})
	}
	c.Stopped = d.bool()
	if err := d.end(); err != nil {
		return Together{}, err
	}
	if _, err := c.Replay(); err != nil || c.Color != game.Black && c.Color != game.White {
		return Together{}, firstOf(err, errContent)
	}
	return c, nil
}

// BeginTogether stores a game in a place that has none, or one that is over. It is ErrTogetherHere, with
// the game, where one goes on. The interaction that begins it names it: again it changes nothing.
func (s *Store) BeginTogether(ctx context.Context, next Together) (Together, error) {
	if _, err := rulesCode(next.Rules); err != nil {
		return Together{}, err
	}
	next.Updated = millis(next.Updated.UnixMilli())
	return togethers.begin(ctx, s, next.Updated, next)
}

// UpdateTogether changes the game of a place by f, which is quick and pure. ErrNotFound says that there
// is none.
func (s *Store) UpdateTogether(ctx context.Context, p Place, now time.Time, f func(Together) (Together, error)) (Together, error) {
	return togethers.update(ctx, s, p, Cause{At: now}, f)
}

// Together gives the game of a place; ErrNotFound where there is none.
func (s *Store) Together(ctx context.Context, p Place) (Together, error) {
	return togethers.one(ctx, s, p)
}

// TogetherDue gives at most n places, of those that want names, with a game in which something is due by now.
func (s *Store) TogetherDue(ctx context.Context, now time.Time, n int, want func(Place) bool) ([]Place, error) {
	return togethers.due(ctx, s, now, n, want)
}

// forgetTogether takes a member's votes back, and the name out of the games that the member began.
func (s *Store) forgetTogether(ctx context.Context, member game.MemberID, now time.Time) error {
	return togethers.change(ctx, s, now, func(c Together) Together { c.Game = c.Without(member); return c })
}

type togetherJSON struct {
	Kind    string     `json:"kind"` // crowd
	Server  string     `json:"server"`
	Channel string     `json:"channel"`
	Owner   string     `json:"owner,omitempty"`
	Rules   string     `json:"rules"`
	Level   uint8      `json:"level"`
	Color   string     `json:"color"`
	Every   string     `json:"every"`
	Moves   []string   `json:"moves"`
	Votes   []voteJSON `json:"votes"`
	Stopped bool       `json:"stopped,omitempty"`
}

type voteJSON struct {
	Member string    `json:"member"`
	Point  string    `json:"point"`
	At     time.Time `json:"at"`
}

// MarshalJSON gives the game as an export shows it.
func (c Together) MarshalJSON() ([]byte, error) {
	j := togetherJSON{"crowd", idText(c.Server), idText(c.Channel), idText(uint64(c.Owner)), c.Rules.Name(), c.Level, c.Color.String(), c.Every.String(),
		[]string{}, []voteJSON{}, c.Stopped}
	for _, p := range c.Moves {
		j.Moves = append(j.Moves, p.String())
	}
	for _, v := range c.Votes {
		j.Votes = append(j.Votes, voteJSON{idText(uint64(v.Member)), v.Point.String(), v.At})
	}
	return json.Marshal(j)
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
		own := OwnTogether{Server: idText(c.Server), Channel: idText(c.Channel), Owner: c.Owner == member}
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
