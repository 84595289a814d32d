package storage

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"tengen/game"
	"tengen/storage/kv"
)

// Crowd is a channel that plays together against the engine: whoever is there votes for a point, and
// the point with the most votes is played when the time is over. A channel has one crowd, which
// stays after its end until the next begins. A crowd is a value: each operation gives a new one or a
// *game.Refusal.
type Crowd struct {
	Place
	ID      uint64 // the interaction that began it
	Version uint32 // one more with every change of what is shown
	Notice
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

// Counts are the points with votes, the most first; of equals the one first that was voted for first.
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
	due := c.Wants()
	sooner := func(t time.Time) {
		if !t.IsZero() && (due.IsZero() || t.Before(due)) {
			due = t
		}
	}
	if c.EngineToMove() {
		sooner(c.Updated)
	}
	sooner(c.Deadline)
	return due
}

func (c Crowd) rows() []row {
	rows := []row{{key(tCrowd, c.Server, c.Channel), c.encode()}}
	if due := c.due(); !due.IsZero() {
		rows = append(rows, row{key(tCrowdDue, millisOf(due), c.Server, c.Channel), none})
	}
	return rows
}

func (c Crowd) encode() []byte {
	w := &writer{}
	w.byte(1)
	w.fixed(c.ID)
	w.uint(uint64(c.Version))
	w.notice(c.Notice)
	w.uint(uint64(c.Drawn))
	w.fixed(uint64(c.Owner))
	rules, _ := rulesCode(c.Rules)
	w.uint(rules)
	w.byte(c.Level)
	w.byte(byte(c.Color))
	w.uint(uint64(c.Every.Milliseconds()))
	w.fixed(c.Seed)
	w.text(c.Theme)
	w.text(c.Language)
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

func decodeCrowd(k, value []byte) (Crowd, error) {
	d := open(value, 1)
	c := Crowd{Place: Place{part(k, 0), part(k, 1)}, ID: d.fixed(), Version: uint32(d.upTo(1<<32 - 1)), Notice: d.notice(),
		Drawn: int(d.upTo(mostPoints)), Owner: game.MemberID(d.fixed())}
	if code := d.upTo(uint64(len(rulesCodes) - 1)); d.err == nil {
		c.Rules = rulesCodes[code]
	}
	c.Level, c.Color = d.byte(), game.Color(d.byte())
	c.Every, c.Seed = time.Duration(d.upTo(maxTime))*time.Millisecond, d.fixed()
	c.Theme, c.Language = d.text(), d.text()
	for range d.bounded(1, mostPoints) {
		c.Moves = append(c.Moves, game.Point(d.byte()))
	}
	c.Updated, c.Deadline = d.time(), d.time()
	for range d.bounded(10, MaxVotes) {
		c.Votes = append(c.Votes, Vote{game.MemberID(d.fixed()), game.Point(d.byte()), d.time()})
	}
	c.Stopped = d.bool()
	if err := d.end(); err != nil {
		return Crowd{}, err
	}
	if _, err := c.Game(); err != nil || c.Color != game.Black && c.Color != game.White {
		return Crowd{}, firstOf(err, errContent)
	}
	return c, nil
}

func readCrowd(r kv.Reader, p Place) (Crowd, error) {
	k := key(tCrowd, p.Server, p.Channel)
	value, err := r.Get(k)
	if err != nil {
		return Crowd{}, err
	}
	if value == nil {
		return Crowd{}, ErrNotFound
	}
	return decodeCrowd(k, value)
}

// saveCrowd writes next in the place of old, with the row by which it is found when something is due.
func (t *txn) saveCrowd(old, next Crowd) (Crowd, error) {
	if string(next.encode()) == string(old.encode()) {
		return old, nil
	}
	content := func(c Crowd) string { c.Notice, c.Drawn = Notice{}, 0; return string(c.encode()) }
	if next.ID != old.ID || content(next) != content(old) {
		next.Version = old.Version + 1
	}
	var was []row
	if old.ID != 0 {
		was = old.rows()
	}
	return next, t.replace(was, next.rows())
}

// BeginCrowd stores a crowd in a place that has none, or one that is over. It is ErrCrowded where the
// channel plays already. The interaction that begins it names it: again it changes nothing.
func (s *Store) BeginCrowd(ctx context.Context, next Crowd) (c Crowd, err error) {
	if err := s.room(); err != nil {
		return Crowd{}, err
	}
	if _, err := rulesCode(next.Rules); err != nil {
		return Crowd{}, err
	}
	next.Updated = millis(next.Updated.UnixMilli())
	err = s.change(ctx, Cause{At: next.Updated}, func(t *txn) error {
		old, err := readCrowd(t, next.Place)
		switch {
		case err != nil && !errors.Is(err, ErrNotFound):
			return err
		case old.ID == next.ID:
			c = old
			return nil
		case old.ID != 0 && !old.Over():
			c = old
			return ErrCrowded
		}
		next.Version = old.Version
		c, err = t.saveCrowd(old, next)
		return err
	})
	return c, err
}

// UpdateCrowd changes the crowd of a place by f, which is quick and pure. ErrNotFound says that there
// is none.
func (s *Store) UpdateCrowd(ctx context.Context, p Place, now time.Time, f func(Crowd) (Crowd, error)) (c Crowd, err error) {
	err = s.change(ctx, Cause{At: now}, func(t *txn) error {
		old, err := readCrowd(t, p)
		if err != nil {
			return err
		}
		next, err := f(old)
		if err != nil {
			return err
		}
		c, err = t.saveCrowd(old, next)
		return err
	})
	return c, err
}

// Crowd gives the crowd of a place; ErrNotFound where there is none.
func (s *Store) Crowd(ctx context.Context, p Place) (c Crowd, err error) {
	err = s.kv.View(ctx, func(r kv.Reader) error {
		c, err = readCrowd(r, p)
		return err
	})
	return c, err
}

// CrowdsDue gives at most n crowds in which something is due by now, of the places that want names. The
// others keep nobody waiting.
func (s *Store) CrowdsDue(ctx context.Context, now time.Time, n int, want func(Place) bool) (due []Crowd, err error) {
	err = s.kv.View(ctx, func(r kv.Reader) error {
		due = nil
		var places []Place
		err := r.Scan([]byte{tCrowdDue}, key(tCrowdDue, millisOf(now)+1), func(k, _ []byte) bool {
			if p := (Place{part(k, 1), part(k, 2)}); len(places) < n && want(p) {
				places = append(places, p)
			}
			return len(places) < n
		})
		for _, p := range places {
			if err != nil {
				break
			}
			var c Crowd
			c, err = readCrowd(r, p)
			due = append(due, c)
		}
		return err
	})
	return due, err
}

// crowds gives all crowds.
func crowds(r kv.Reader) (all []Crowd, err error) {
	var bad error
	err = r.Scan([]byte{tCrowd}, []byte{tCrowd + 1}, func(k, v []byte) bool {
		var c Crowd
		c, bad = decodeCrowd(k, v)
		all = append(all, c)
		return bad == nil
	})
	return all, firstOf(bad, err)
}

// forgetCrowds takes a member's votes back, and the name out of the crowds that the member began.
func (s *Store) forgetCrowds(ctx context.Context, member game.MemberID, now time.Time) error {
	var all []Crowd
	err := s.kv.View(ctx, func(r kv.Reader) (err error) {
		all, err = crowds(r)
		return err
	})
	for _, c := range all {
		if err != nil {
			break
		}
		if string(c.without(member).encode()) == string(c.encode()) {
			continue
		}
		_, err = s.UpdateCrowd(ctx, c.Place, now, func(c Crowd) (Crowd, error) { return c.without(member), nil })
		if errors.Is(err, ErrNotFound) { // deleted meanwhile
			err = nil
		}
	}
	return err
}

// deleteCrowds deletes the crowds of a server.
func (s *Store) deleteCrowds(ctx context.Context, server uint64, may func(kv.Reader) error) error {
	var all []Crowd
	err := s.kv.View(ctx, func(r kv.Reader) (err error) {
		all, err = crowds(r)
		return err
	})
	for _, c := range all {
		if err != nil {
			break
		}
		if c.Server != server {
			continue
		}
		err = s.change(ctx, Cause{}, func(t *txn) error {
			now, err := readCrowd(t, c.Place)
			if errors.Is(err, ErrNotFound) {
				return nil
			}
			if err = firstOf(may(t), err); err != nil {
				return err
			}
			return t.replace(now.rows(), nil)
		})
	}
	return err
}

// verifyCrowd looks for the rows that follow from a crowd.
func verifyCrowd(r kv.Reader, k []byte) error {
	p := Place{part(k, 0), part(k, 1)}
	if k[0] == tCrowdDue {
		p = Place{part(k, 1), part(k, 2)}
	}
	c, err := readCrowd(r, p)
	if err != nil {
		return err
	}
	if !hasRow(c.rows(), k) {
		return fmt.Errorf("the crowd of channel %d knows nothing of it", p.Channel)
	}
	for _, row := range c.rows()[1:] {
		if value, err := r.Get(row.key); err != nil || value == nil {
			return firstOf(err, fmt.Errorf("the crowd of channel %d lacks its row %x", p.Channel, row.key))
		}
	}
	return nil
}

type crowdJSON struct {
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

// MarshalJSON gives the crowd as an export shows it.
func (c Crowd) MarshalJSON() ([]byte, error) {
	j := crowdJSON{"crowd", idText(c.Server), idText(c.Channel), idText(uint64(c.Owner)), c.Rules.Name(), c.Level, c.Color.String(), c.Every.String(),
		[]string{}, []voteJSON{}, c.Stopped}
	for _, p := range c.Moves {
		j.Moves = append(j.Moves, p.String())
	}
	for _, v := range c.Votes {
		j.Votes = append(j.Votes, voteJSON{idText(uint64(v.Member)), v.Point.String(), v.At})
	}
	return json.Marshal(j)
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
	all, err := crowds(r)
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
