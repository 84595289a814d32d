// Package seek brings members together who look for an opponent of their strength: who fits whom, and how that widens
// while they wait. It is pure: how seeks are stored, and who is told what, is not in here. Start from New and
// Seek.Fitting.
package seek

import (
	"cmp"
	"math"
	"slices"
	"time"

	"tengen/game"
	"tengen/game/venue"
)

// Seek is a member's wish for an opponent of their strength, and whom they have met by such wishes of late. It is a
// value: each operation gives a new one.
type Seek struct {
	Member game.MemberID
	ID     uint64      // the interaction that began it, or the last wish
	Place  venue.Place // where the member asked
	Game   game.Terms  // Rules, Opening, Protocol, Clock and Rated of the match
	Rating float64
	New    bool // the rating is not settled
	Since  time.Time
	Until  time.Time // the wish lapses; zero: the member looks for nobody
	Next   time.Time // when to look again
	Met    []Meeting // within the last Apart
}

// Meeting is a match that a seek has led to.
type Meeting struct {
	With   game.MemberID
	Rules  game.Rules
	At     time.Time
	Waited time.Duration
}

const (
	// Apart is how long two who met do not meet again by seeks. If both want to, they have the rematch.
	Apart = 24 * time.Hour
	// MostMet is how many a member may meet within Apart.
	MostMet = 200

	quickLife = 30 * time.Minute // of a wish for a game at which both sit
	slowLife  = 24 * time.Hour   // of a wish for a game that may take days
	slowMove  = time.Hour        // from this time for a move on nobody has to sit there

	// Often is within how long whoever waits is looked after again.
	Often = 10 * time.Minute
)

// steps are how far away an opponent's rating may be once one has waited so long.
var steps = []struct {
	waited time.Duration
	reach  float64
}{{0, 100}, {15 * time.Second, 200}, {45 * time.Second, 350}, {2 * time.Minute, 600}, {5 * time.Minute, math.Inf(1)}}

// Wide is how long one waits until every rating fits.
var Wide = steps[len(steps)-1].waited

// New is a wish that begins now.
func New(member game.MemberID, id uint64, place venue.Place, terms game.Terms, now time.Time) Seek {
	now = now.UTC().Truncate(time.Millisecond) // as it can be stored
	life := quickLife
	if c := terms.Clock; c == (game.Clock{}) || c.Each >= slowMove {
		life = slowLife
	}
	terms = game.Terms{Rules: terms.Rules, Opening: terms.Opening, Protocol: terms.Protocol, Clock: terms.Clock,
		Rated: terms.Rated}
	return Seek{Member: member, ID: id, Place: place, Game: terms, Since: now, Until: now.Add(life), Next: now}
}

// Looks reports whether the member looks for an opponent now.
func (s Seek) Looks(now time.Time) bool { return now.Before(s.Until) }

// Like reports whether two wishes are for the same game in the same server.
func (s Seek) Like(o Seek) bool {
	a, b := s.Game, o.Game
	return a.Rules == b.Rules && a.Opening == b.Opening && a.Protocol == b.Protocol && a.Clock == b.Clock &&
		a.Rated == b.Rated && s.Place.Server == o.Place.Server
}

// reach is how far away an opponent's rating may be.
func (s Seek) reach(now time.Time) (reach float64) {
	for _, step := range steps {
		if now.Sub(s.Since) >= step.waited {
			reach = step.reach
		}
	}
	return reach
}

// apart is how far two ratings are from one another. One that is not settled says less, and counts half.
func (s Seek) apart(o Seek) float64 {
	d := math.Abs(s.Rating - o.Rating)
	if s.New || o.New {
		d /= 2
	}
	return d
}

// fits reports whether two who look may play: both wait long enough for how far apart they are.
func (s Seek) fits(o Seek, now time.Time) bool {
	met := func(m Meeting) bool { return m.With == o.Member && now.Sub(m.At) < Apart }
	return s.Member != o.Member && s.Looks(now) && o.Looks(now) && s.Like(o) &&
		s.apart(o) <= min(s.reach(now), o.reach(now)) && !slices.ContainsFunc(s.Met, met) &&
		max(len(s.Met), len(o.Met)) < MostMet
}

// Fitting are those of all who fit, the nearest first, and of those that are as near the one who waits longest.
func (s Seek) Fitting(all []Seek, now time.Time) []Seek {
	var fit []Seek
	for _, o := range all {
		if s.fits(o, now) {
			fit = append(fit, o)
		}
	}
	slices.SortFunc(fit, func(a, b Seek) int { return cmp.Or(cmp.Compare(s.apart(a), s.apart(b)), a.compare(b)) })
	return fit
}

// compare says which of two waits longer.
func (s Seek) compare(o Seek) int { return cmp.Or(s.Since.Compare(o.Since), cmp.Compare(s.ID, o.ID)) }

// Before reports whether s has waited longer than o.
func (s Seek) Before(o Seek) bool { return s.compare(o) < 0 }

// Waits is s after a look that found nobody.
func (s Seek) Waits(now time.Time) Seek {
	s.Next = now.Add(Often)
	for i := len(steps) - 1; i >= 0; i-- {
		if at := s.Since.Add(steps[i].waited); at.After(now) {
			s.Next = at
		}
	}
	if s.Until.Before(s.Next) {
		s.Next = s.Until
	}
	s.Next = s.Next.UTC().Truncate(time.Millisecond)
	return s
}

// Stop is s without the wish.
func (s Seek) Stop() Seek { return Seek{Member: s.Member, ID: s.ID, Place: s.Place, Met: s.Met} }

// Meets is s after a match with o.
func (s Seek) Meets(o Seek, now time.Time) Seek {
	now = now.UTC().Truncate(time.Millisecond)
	met := Meeting{With: o.Member, Rules: s.Game.Rules, At: now, Waited: max(now.Sub(s.Since), 0)}
	s = s.Stop()
	s.Met = append(slices.Clip(s.Met), met)
	return s
}

// Tick is s without what is over: the wish, and meetings.
func (s Seek) Tick(now time.Time) Seek {
	if !s.Looks(now) {
		s = s.Stop()
	}
	return s.without(func(m Meeting) bool { return now.Sub(m.At) >= Apart })
}

// Without is s without the meetings with a member.
func (s Seek) Without(member game.MemberID) Seek {
	return s.without(func(m Meeting) bool { return m.With == member })
}

func (s Seek) without(gone func(Meeting) bool) Seek {
	if s.Met = slices.DeleteFunc(slices.Clone(s.Met), gone); len(s.Met) == 0 {
		s.Met = nil
	}
	return s
}

// TakenBack is s without what a clock that was ahead has left: what has not been yet.
func (s Seek) TakenBack(now time.Time) Seek {
	ahead := func(at time.Time) bool { return at.Sub(now) > game.ClockError }
	if ahead(s.Since) {
		s = s.Stop()
	}
	return s.without(func(m Meeting) bool { return ahead(m.At) })
}

// Empty reports whether there is nothing to know of the member.
func (s Seek) Empty() bool { return s.Until.IsZero() && len(s.Met) == 0 }

// Due is when something is to be done: to look again, or to forget a meeting; zero: never.
func (s Seek) Due() (at time.Time) {
	if !s.Until.IsZero() {
		return s.Next
	}
	for _, m := range s.Met {
		if over := m.At.Add(Apart); at.IsZero() || over.Before(at) {
			at = over
		}
	}
	return at
}

// Match is the match of two. It is the challenge that the one who waited longer made when they began to look, and the
// other takes it now. Beside what both asked for, terms have what is drawn by lot.
func Match(id game.MatchID, first, second Seek, terms game.Terms, now time.Time) (game.Match, error) {
	m, err := game.NewMatch(id, terms, first.Member, game.SeatFor(first.Member), game.Seat{}, first.Since, time.Time{})
	if err != nil {
		return m, err
	}
	return m.Accept(second.Member, now)
}

// fewWaits is how many waits must be known to say how long one waits.
const fewWaits = 3

// Wait is how long those waited of late who had to wait for a game of the same rules: half of them less. It is false
// where too few are known.
func (s Seek) Wait(all []Seek, now time.Time) (time.Duration, bool) {
	var waits []time.Duration
	for _, o := range all {
		for _, m := range o.Met {
			if m.Rules == s.Game.Rules && m.Waited > 0 && now.Sub(m.At) < Apart {
				waits = append(waits, m.Waited)
			}
		}
	}
	if len(waits) < fewWaits {
		return 0, false
	}
	slices.Sort(waits)
	return waits[len(waits)/2], true
}
