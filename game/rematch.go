package game

import "time"

// Rematch notes that by wants another game. Against the engine, or once both want it,
// the new match takes the id next, which Successor then builds.
func (m Match) Rematch(by MemberID, next MatchID, now time.Time) (Match, error) {
	return m.rematch(by, next, false, now)
}

// RematchBalanced is Rematch for a game from a balanced opening. A wish for the one is no
// consent to the other: it takes the place of the wish that stood.
func (m Match) RematchBalanced(by MemberID, next MatchID, now time.Time) (Match, error) {
	return m.rematch(by, next, m.Opening == FreeOpening && m.Rules != Reversi, now)
}

func (m Match) rematch(by MemberID, next MatchID, balanced bool, now time.Time) (Match, error) {
	seat, ok := m.SeatOf(by)
	switch {
	case !ok:
		return refused(NotSeated)
	case m.Phase != Over || m.First == Empty:
		return refused(RematchTooSoon)
	case m.Next != 0:
		return refused(RematchMade)
	case m.Seats[1-seat].Kind != MemberSeat && m.Seats[1-seat].Kind != EngineSeat:
		return refused(NotSeated)
	}
	m = m.changed(now)
	if m.AgainBalanced != balanced {
		m.Again, m.AgainBalanced = [2]bool{}, balanced
	}
	m.Again[seat] = true
	if m.AgainstEngine() || m.Again[0] && m.Again[1] {
		m.Next = next
	}
	return m, nil
}

// Successor is the rematch of m: the same terms with the colors of the beginning swapped and,
// where the opening was a balanced one, with given as the new stones. An XOT opening keeps its
// stones, so that both sides play both colors of it, and an opening protocol begins anew.
func (m Match) Successor(given []Point, seed uint64, now time.Time) (Match, error) {
	t := m.Terms
	t.First = m.First.Other()
	t.Seed = seed
	t.Begin = 0 // it is of no event
	if m.AgainBalanced {
		t.Opening = BalancedOpening
	}
	if t.Opening == BalancedOpening {
		t.Given = given
	}
	next, err := NewMatch(m.Next, t, m.Owner, m.Seats[0], m.Seats[1], now, time.Time{})
	if err != nil {
		return Match{}, err
	}
	if next.Phase == Offered {
		next = next.begin(now)
	}
	return next, nil
}

// Stronger is m with its engine by so many levels stronger, as far as there are levels; a guest has none. It is
// for the Successor: the levels of a match that began do not change.
func (m Match) Stronger(by int) Match {
	for i, seat := range m.Seats {
		if seat.Kind == EngineSeat && seat.Guest == "" {
			m.Seats[i] = SeatEngine(min(max(int(seat.Level)+by, 1), Levels))
		}
	}
	return m
}
