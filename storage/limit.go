package storage

import (
	"fmt"
	"slices"
	"time"

	"tengen/game"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

// Limits are how much one member may have at a time; zero: no limit.
type Limits struct {
	Open    int // challenges of his own that are not answered
	Pair    int // open challenges between the same two, whoever asks
	Running int // matches in play
	Engine  int // of these, against the engine; and as many between engines, which do not count as in play
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
	// WatchLimit is Limits.Engine of matches between engines.
	WatchLimit
)

// Limit is the refusal of a match because a member has as many as he may.
type Limit struct {
	Kind    LimitKind
	Member  game.MemberID // whose limit it is
	Max     int
	Matches []game.MatchID // those that count, oldest first
}

// Error is the English text for logs.
func (l *Limit) Error() string {
	what := [...]string{"", "open challenges", "open challenges to the same member", "running games",
		"running games against the engine", "running games between engines"}
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
	isEntered  = 'v' // plays for an event, a ladder or a simul, outside all limits
)

func (r Record) role(m game.MemberID) role {
	seat, ok := r.SeatOf(m)
	s := role{what: isPlaying, other: r.Seats[1-seat].Member}
	switch {
	case !ok:
		s = role{what: isOwning}
	case r.Link != Link{}:
		s.what = isEntered
	case r.Phase == game.Offered && seat == 0:
		s.what = isOffering
	case r.Phase == game.Offered:
		s.what = isInvited
	case r.AgainstEngine():
		s.what = isAgainst
	}
	return s
}

func (s *role) Fields(f *codec.Fields) {
	f.Format(1, 1)
	codec.Small(f, "", &s.what, 255)
	codec.ID(f, "", &s.other)
}

// admit refuses next when it gives a member more than he may have. old is nil for a new
// match; a role that a member had already does not count.
func (l Limits) admit(r kv.Reader, old *Record, next Record) error {
	if next.Phase == game.Over || next.Link != (Link{}) {
		return nil
	}
	for _, member := range next.members() {
		now := next.role(member)
		if old != nil && old.Phase != game.Over && slices.Contains(old.members(), member) && old.role(member) == now {
			continue
		}
		if err := l.count(r, member, now, next); err != nil {
			return err
		}
	}
	return nil
}

// count refuses next where member has as many matches as he may in the role now. A match that
// the member has forgotten does not count, and is not refused either when he takes it up again.
func (l Limits) count(r kv.Reader, member game.MemberID, now role, next Record) error {
	have := map[byte][]game.MatchID{}
	var pair []game.MatchID
	err := scan(r, under(tSeat, uint64(member)), func(k []byte, s role) bool {
		id := game.MatchID(part(k, 1))
		if id == next.ID {
			return true
		}
		have[s.what] = append(have[s.what], id)
		if (s.what == isOffering || s.what == isInvited) && s.other == now.other && s.other != 0 {
			pair = append(pair, id) // the other way round it is the same pair
		}
		return true
	})
	if err != nil {
		return err
	}
	over := func(kind LimitKind, max int, have []game.MatchID) error {
		if max > 0 && len(have) >= max {
			return &Limit{kind, member, max, have}
		}
		return nil
	}
	switch now.what {
	case isOffering:
		return firstOf(over(PairLimit, l.Pair, pair), over(OpenLimit, l.Open, have[isOffering]))
	case isOwning:
		return over(WatchLimit, l.Engine, have[isOwning])
	case isAgainst, isPlaying:
		against, err := remembered(r, have[isAgainst], next.Updated)
		running := slices.Sorted(slices.Values(append(have[isPlaying], against...)))
		if now.what == isAgainst {
			err = firstOf(err, over(EngineLimit, l.Engine, against))
		}
		return firstOf(err, over(RunningLimit, l.Running, running))
	}
	return nil
}

// remembered are those of the matches that are not forgotten at a time.
func remembered(r kv.Reader, ids []game.MatchID, at time.Time) ([]game.MatchID, error) {
	recs, err := readRecords(r, ids)
	var kept []game.MatchID
	for _, rec := range recs {
		if !rec.Forgotten(at) {
			kept = append(kept, rec.ID)
		}
	}
	return kept, err
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
