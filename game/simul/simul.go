// Package simul is one member, the giver, who plays everybody that joins: ordinary matches, unrated, at
// one time. Where that is shown, and how it is stored, is not in here. Start from New.
package simul

import (
	"errors"
	"slices"
	"time"

	"tengen/game"
)

// Simul is a simul. It is a value: each operation gives a new one or an error.
type Simul struct {
	Giver game.MemberID // who plays everybody; 0: has deleted their data
	// of each match: Rules, Opening, Protocol, First, the giver's color (Empty: by lot), Clock, the giver's, and Odds,
	// that of the opponents where it is another one
	Game      game.Terms
	Updated   time.Time
	Until     time.Time // the giver may start it
	Started   time.Time // zero: it gathers opponents
	Stopped   bool
	Opponents []Opponent // as they joined
}

// Opponent is a member who has joined a simul.
type Opponent struct {
	Member game.MemberID // 0: has deleted their data
	Match  game.MatchID  // 0: none yet
	Result Result
}

// Result is how a match of a simul ended.
type Result uint8

// The results. Their numbers are in the store.
const (
	Open Result = iota
	Won         // by the giver
	Drawn
	Lost
	None // ended without a result, or never made
)

var results = [...]string{"open", "won", "drawn", "lost", "none"}

func (r Result) String() string { return results[min(r, None)] }

// The bounds of simuls.
const (
	MaxOpponents = 20
	StartWithin  = 24 * time.Hour // so long a simul may wait for its start
)

// What simuls refuse.
var (
	ErrFull     = errors.New("the simul has as many opponents as it can hold")
	ErrStarted  = errors.New("the simul has begun")
	ErrOver     = errors.New("the simul is over")
	ErrAlone    = errors.New("nobody has joined the simul")
	ErrNotYours = errors.New("the giver alone may do this")
)

// New is a simul that gathers opponents from now on.
func New(giver game.MemberID, terms game.Terms, now time.Time) Simul {
	x := Simul{Giver: giver, Game: terms}.changed(now)
	x.Until = x.Updated.Add(StartWithin)
	return x
}

// Over reports whether nothing of a simul goes on.
func (x Simul) Over() bool {
	return (x.Stopped || !x.Started.IsZero()) && !slices.ContainsFunc(x.Opponents,
		func(o Opponent) bool { return o.Result == Open })
}

// Find is the place of a member among the opponents; -1: none.
func (x Simul) Find(member game.MemberID) int {
	return slices.IndexFunc(x.Opponents, func(o Opponent) bool { return o.Member == member && member != 0 })
}

// open is an error where nobody may join or leave any more.
func (x Simul) open() error {
	switch {
	case x.Stopped || x.Over():
		return ErrOver
	case !x.Started.IsZero():
		return ErrStarted
	}
	return nil
}

// Join is x with one more opponent; nothing changes for one who has joined.
func (x Simul) Join(member game.MemberID, now time.Time) (Simul, error) {
	switch {
	case x.Find(member) >= 0:
		return x, nil
	case x.open() != nil:
		return x, x.open()
	case member == x.Giver:
		return x, &game.Refusal{Code: game.Yourself}
	case len(x.Opponents) >= MaxOpponents:
		return x, ErrFull
	}
	x.Opponents = append(slices.Clip(x.Opponents), Opponent{Member: member})
	return x.changed(now), nil
}

// Leave is x without an opponent, before it starts.
func (x Simul) Leave(member game.MemberID, now time.Time) (Simul, error) {
	i := x.Find(member)
	if err := x.open(); err != nil || i < 0 {
		return x, err
	}
	x.Opponents = slices.Delete(slices.Clone(x.Opponents), i, i+1)
	return x.changed(now), nil
}

// Start has the matches made; the giver alone may.
func (x Simul) Start(by game.MemberID, now time.Time) (Simul, error) {
	switch {
	case by != x.Giver:
		return x, ErrNotYours
	case x.open() != nil:
		return x, x.open()
	case len(x.Opponents) == 0:
		return x, ErrAlone
	}
	x = x.changed(now)
	x.Started = x.Updated
	return x, nil
}

// Stop ends x. Matches that go on are to be ended without a result: see Owed.
func (x Simul) Stop(now time.Time) Simul {
	if x.Stopped || x.Over() {
		return x
	}
	x.Stopped = true
	return x.unmade().changed(now)
}

// Tick ends a simul whose giver has not started it in time.
func (x Simul) Tick(now time.Time) Simul {
	if x.open() == nil && !now.Before(x.Until) {
		return x.Stop(now)
	}
	return x
}

func (x Simul) changed(now time.Time) Simul {
	x.Updated = now.UTC().Truncate(time.Millisecond) // as it can be stored
	return x
}

// unmade is x where no more matches are made.
func (x Simul) unmade() Simul {
	x.Opponents = slices.Clone(x.Opponents)
	for i := range x.Opponents {
		if o := &x.Opponents[i]; o.Match == 0 && o.Result == Open {
			o.Result = None
		}
	}
	return x
}

// Without is x after a member has deleted their data.
func (x Simul) Without(member game.MemberID, now time.Time) Simul {
	if x.Giver == member {
		x.Giver = 0
		if x.open() == nil {
			return x.Stop(now)
		}
		return x.unmade()
	}
	i := x.Find(member)
	if i < 0 {
		return x
	}
	x.Opponents = slices.Clone(x.Opponents)
	if x.open() == nil {
		x.Opponents = slices.Delete(x.Opponents, i, i+1)
		return x
	}
	o := &x.Opponents[i]
	if o.Member = 0; o.Match == 0 && o.Result == Open {
		o.Result = None
	}
	return x
}

// Owed is the place of an opponent whose match is to be made, or to be ended; -1: none.
func (x Simul) Owed() int {
	if x.Started.IsZero() {
		return -1
	}
	return slices.IndexFunc(x.Opponents, func(o Opponent) bool { return o.Result == Open && (o.Match == 0) != x.Stopped })
}

// Begin makes the match of an opponent, on terms that follow from those of x. The giver sits first, and
// both sit already: who joined has accepted.
func (x Simul) Begin(i int, id game.MatchID, terms game.Terms, now time.Time) (Simul, game.Match, error) {
	opponent := x.Opponents[i].Member
	m, err := game.NewMatch(id, terms, x.Giver, game.SeatFor(x.Giver), game.SeatFor(opponent), now, time.Time{})
	if err == nil {
		m, err = m.Accept(opponent, now)
	}
	x.Opponents = slices.Clone(x.Opponents)
	x.Opponents[i].Match = id
	return x, m, err
}

// Ended is x after the end of a match. One of somebody else changes nothing.
func (x Simul) Ended(m game.Match) Simul {
	i := slices.IndexFunc(x.Opponents, func(o Opponent) bool { return o.Match == m.ID })
	if i < 0 {
		return x
	}
	x.Opponents = slices.Clone(x.Opponents)
	o := &x.Opponents[i]
	switch result := m.Result(); {
	case result.Termination >= game.Aborted:
		o.Result = None
	case result.Winner == game.Empty:
		o.Result = Drawn
	case result.Winner == m.ColorOf(0):
		o.Result = Won
	default:
		o.Result = Lost
	}
	return x.changed(m.Updated)
}

// Made counts the matches.
func (x Simul) Made() (n int) {
	for _, o := range x.Opponents {
		if o.Match != 0 {
			n++
		}
	}
	return n
}

// Due is when something is to be done; zero: nothing is.
func (x Simul) Due() time.Time {
	if x.open() == nil {
		return x.Until
	}
	if x.Owed() >= 0 {
		return x.Updated
	}
	return time.Time{}
}
