package game

import "slices"

// Past is what a member has played: finished matches, newest first.
type Past []Match

// Suggestion is the engine's level that the last games of a member suggest, and why.
type Suggestion struct {
	Level int
	Why   Reason
}

// Reason is why a level is suggested.
type Reason uint8

// The reasons.
const (
	AsBefore Reason = iota // it is the level of the last game
	NoGames                // the member has not played the engine yet
	TwoWon                 // the last two games were won at the level below
	TwoLost                // the last two games were lost at the level above
)

// The levels, and the one that suits somebody of whom nothing is known.
const (
	Levels     = 8
	firstLevel = 2
)

// Suggest is the level for the next game of by against the engine, under the rules r. Two
// wins in a row at a level lead to the level above, two losses to the level below. A win
// with help (a move taken back, a hint) moves nothing.
func (p Past) Suggest(by MemberID, r Rules) Suggestion {
	var last []Match
	for _, m := range p {
		if m.Rules == r && m.tests(by) && len(last) < 2 {
			last = append(last, m)
		}
	}
	if len(last) == 0 {
		return Suggestion{firstLevel, NoGames}
	}
	level := last[0].engineLevel()
	if len(last) < 2 || last[1].engineLevel() != level {
		return Suggestion{level, AsBefore}
	}
	switch {
	case last[0].wonAlone(by) && last[1].wonAlone(by) && level < Levels:
		return Suggestion{level + 1, TwoWon}
	case last[0].lostBy(by) && last[1].lostBy(by) && level > 1:
		return Suggestion{level - 1, TwoLost}
	}
	return Suggestion{level, AsBefore}
}

// Streak is how many games in a row by has won with m, which ended last, under the same
// rules: against the engine at m's level or a higher one, or against members. Games that a
// member won with help, and wins at lower levels, neither count nor end a streak.
func (p Past) Streak(by MemberID, m Match) int {
	if !m.wonAlone(by) {
		return 0
	}
	n := 1
	for _, before := range p {
		switch {
		case before.Rules != m.Rules || before.AgainstEngine() != m.AgainstEngine() || before.Guest() != m.Guest() ||
			!before.counts(by):
		case !before.wonBy(by):
			return n
		case before.wonAlone(by) && before.engineLevel() >= m.engineLevel():
			n++
		}
	}
	return n
}

// Longest is the most games in a row that by has won, against members or against the engine. Games that were won with
// help neither count nor end a streak.
func (p Past) Longest(by MemberID, engine bool) (most int) {
	n := 0
	for _, m := range p {
		switch {
		case !m.counts(by) || m.AgainstEngine() != engine:
		case m.wonAlone(by):
			n++
			most = max(most, n)
		case !m.wonBy(by):
			n = 0
		}
	}
	return most
}

// First reports whether by has played m to a result, and none of the others.
func (p Past) First(by MemberID, m Match) bool {
	return m.counts(by) && !slices.ContainsFunc(p, func(o Match) bool { return o.ID != m.ID && o.counts(by) })
}

// quick is the most stones of a game that Black won quickly.
const quick = 30

// Lopsided reports whether Black has won m and the game of the same two before it quickly, each
// from an empty board of five in a row: a balanced opening would be fairer.
func (p Past) Lopsided(m Match) bool {
	if !m.quickForBlack() {
		return false
	}
	for _, before := range p {
		if before.Rules == m.Rules && before.members() == m.members() {
			return before.quickForBlack()
		}
	}
	return false
}

func (m Match) quickForBlack() bool {
	r := m.Result()
	return m.Rules != Reversi && m.Phase == Over && m.Opening == FreeOpening && !m.Spoiled &&
		r.Termination == ByRow && r.Winner == Black && m.game.Len() <= quick
}

// members are those of a match, the smaller id first; the engine is 0.
func (m Match) members() [2]MemberID {
	a, b := m.Seats[0].Member, m.Seats[1].Member
	return [2]MemberID{min(a, b), max(a, b)}
}

// counts reports whether by has played m to a result, from the start. A game of a single move
// says nothing.
func (m Match) counts(by MemberID) bool {
	_, ok := m.SeatOf(by)
	return ok && m.Phase == Over && m.Result().Termination < Aborted && m.Opening != ImportedOpening && m.Played() >= 2
}

// tests reports whether m says how by fares against the levels of our engine.
func (m Match) tests(by MemberID) bool { return m.AgainstEngine() && m.Guest() == "" && m.counts(by) }

func (m Match) wonBy(by MemberID) bool {
	seat, ok := m.SeatOf(by)
	return ok && m.Result().Winner != Empty && m.Result().Winner == m.ColorOf(seat)
}

func (m Match) wonAlone(by MemberID) bool { return m.counts(by) && m.wonBy(by) && !m.Spoiled }

func (m Match) lostBy(by MemberID) bool { return m.Result().Winner != Empty && !m.wonBy(by) }

// engineLevel is the level of the engine in m; 0 where members play.
func (m Match) engineLevel() int { return int(max(m.Seats[0].Level, m.Seats[1].Level)) }
