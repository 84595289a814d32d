package storage

import (
	"fmt"

	"tengen/game"
	"tengen/storage/kv"
)

// Limits are how much one member may have at a time; zero: no limit.
type Limits struct {
	Open    int // challenges of his own that are not answered
	Pair    int // open challenges between the same two, whoever asks
	Running int // matches in play
	Engine  int // of these, against the engine
}

// DefaultLimits are the limits unless an operator sets others.
var DefaultLimits = Limits{Open: 3, Pair: 1, Running: 10, Engine: 3}

// LimitKind says which limit was met.
type LimitKind uint8

// The kinds, in the order of Limits.
const (
	// OpenLimit is Limits.Open.
	OpenLimit LimitKind = iota + 1
	// PairLimit is Limits.Pair.
	PairLimit
	// RunningLimit is Limits.Running.
	RunningLimit
	// EngineLimit is Limits.Engine.
	EngineLimit
)

// Limit is the refusal of a match because a member has as many as he may.
type Limit struct {
	Kind   LimitKind
	Member game.MemberID // whose limit it is
	Max    int
}

// Error is the English text for logs.
func (l *Limit) Error() string {
	what := [...]string{"", "open challenges", "open challenges to the same member", "running games", "running games against the engine"}
	return fmt.Sprintf("a member may have %d %s at a time", l.Max, what[l.Kind])
}

// role is what a live match is to one of its members; it stands in the member's
// index row, so that limits are counted from rows alone.
type role struct {
	what  byte
	other game.MemberID
}

const (
	isOffering = 'o' // the member's own challenge
	isInvited  = 'i'
	isPlaying  = 'p'
	isAgainst  = 'e' // plays the engine
	isOwning   = 'w' // watches engines that play at his wish
)

func (r Record) role(m game.MemberID) role {
	seat, ok := r.SeatOf(m)
	s := role{what: isPlaying, other: r.Seats[1-seat].Member}
	switch {
	case !ok:
		s = role{what: isOwning}
	case r.Phase == game.Offered && seat == 0:
		s.what = isOffering
	case r.Phase == game.Offered:
		s.what = isInvited
	case r.AgainstEngine():
		s.what = isAgainst
	}
	return s
}

func (s role) encode() []byte {
	w := &writer{}
	w.byte(1)
	w.byte(s.what)
	w.fixed(uint64(s.other))
	return w.b
}

func decodeRole(value []byte) (role, error) {
	d := open(value, 1)
	return role{d.byte(), game.MemberID(d.fixed())}, d.end()
}

// admit refuses next when it gives a member more than he may have. old is nil for a new
// match; a role that a member had already does not count.
func (l Limits) admit(r kv.Reader, old *Record, next Record) error {
	if next.Phase == game.Over {
		return nil
	}
	for _, member := range next.members() {
		now := next.role(member)
		if old != nil && old.Phase != game.Over && has(old.members(), member) && old.role(member) == now {
			continue
		}
		if err := l.count(r, member, now, next.ID); err != nil {
			return err
		}
	}
	return nil
}

func (l Limits) count(r kv.Reader, member game.MemberID, now role, id game.MatchID) error {
	var offering, pair, running, engine int
	var bad error
	prefix := key(tSeat, uint64(member))
	err := r.Scan(prefix, kv.After(prefix), func(k, v []byte) bool {
		s, err := decodeRole(v)
		if bad = err; err != nil || part(k, 1) == uint64(id) {
			return err == nil
		}
		switch s.what {
		case isOffering:
			offering++
			if s.other == now.other && s.other != 0 {
				pair++
			}
		case isInvited: // the other way round it is the same pair
			if s.other == now.other && s.other != 0 {
				pair++
			}
		case isAgainst:
			running++
			engine++
		case isPlaying:
			running++
		case isOwning:
			engine++ // it takes the engine's time twice over
		}
		return true
	})
	if err != nil || bad != nil {
		return firstOf(err, bad)
	}
	over := func(kind LimitKind, have, max int) error {
		if max > 0 && have >= max {
			return &Limit{kind, member, max}
		}
		return nil
	}
	switch now.what {
	case isOffering:
		return firstOf(over(PairLimit, pair, l.Pair), over(OpenLimit, offering, l.Open))
	case isAgainst:
		return firstOf(over(EngineLimit, engine, l.Engine), over(RunningLimit, running, l.Running))
	case isPlaying:
		return over(RunningLimit, running, l.Running)
	case isOwning:
		return over(EngineLimit, engine, l.Engine)
	}
	return nil
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
