package game

import (
	"testing"
	"time"

	"tengen/internal/testkit"
)

// againstGuest is a match of member 1 against a guest, over after a row of five of the member's.
func againstGuest(t *testing.T, id MatchID) Match {
	t.Helper()
	now := testkit.At("2026-07-01 12:00")
	m, err := NewMatch(id, Terms{Rules: Gomoku15, First: Black, Rated: true}, 1, SeatFor(1), SeatGuest("Visitor"),
		now, time.Time{})
	for i := 0; err == nil && m.Phase == Playing; i++ {
		if m.EngineToMove() {
			m, err = m.Reply(m.Stamp(), At(i/2*2, 12), Note{Level: uint8(i / 2 % 2 * 8)}, now)
		} else {
			m, err = m.Play(1, At(i/2, 0), now)
		}
	}
	testkit.Must(t, err)
	return m
}

// A match against a guest is never rated, and says nothing of the levels of our engine.
func TestGuestMatch(t *testing.T) {
	m := againstGuest(t, 5)
	if m.Rated || m.CountsForRating() || m.Guest() != "Visitor" || !m.AgainstEngine() {
		t.Errorf("rated %v, guest %q", m.Rated, m.Guest())
	}
	if s := (Past{m, againstGuest(t, 4)}).Suggest(1, Gomoku15); s.Why != NoGames {
		t.Errorf("two wins against a guest suggest %+v", s)
	}
	testkit.Want(t, "a streak of", (Past{againstGuest(t, 4)}).Streak(1, m), 2)
	var ours []bool
	for _, e := range m.Made() {
		if m.Seats[e.Seat].Kind == EngineSeat {
			ours = append(ours, e.Replaced(m))
		}
	}
	if want := []bool{false, true, false, true}; len(ours) != 4 || [4]bool(ours) != [4]bool(want) {
		t.Errorf("made for the guest: %v, want %v", ours, want)
	}
}

// A rematch is with the same guest, and no wish for a weaker engine changes it.
func TestGuestRematch(t *testing.T) {
	m := testkit.Got(againstGuest(t, 5).Rematch(1, 6, time.Time{}))
	next, err := m.Stronger(-1).Successor(nil, 1, time.Time{})
	if err != nil || next.Guest() != "Visitor" || next.Seats[1] != SeatGuest("Visitor") {
		t.Errorf("%v: %+v", err, next.Seats)
	}
}
