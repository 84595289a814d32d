package storage

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/opening"
	"tengen/game/venue"
	"tengen/internal/testkit"
)

// Random openings are stored and read again as they are, at every step, and what was taken
// back and decided again gives the same match. TENGEN_OPENINGS counts them.
func TestOpeningsStored(t *testing.T) {
	for _, p := range opening.All {
		t.Run(p.Name(), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(8, uint64(p)))
			for range testkit.Dose("TENGEN_OPENINGS", 30) {
				storedOpening(t, p, rng)
			}
		})
	}
}

func storedOpening(t *testing.T, p opening.Protocol, rng *rand.Rand) {
	now := noon
	terms := game.Terms{Rules: game.Renju, Protocol: p, First: game.Black + game.Color(rng.IntN(2))}
	m, err := game.NewMatch(game.MatchID(venue.IDAt(now)), terms, ann, game.SeatFor(ann), game.SeatFor(bob),
		now, time.Time{})
	must := func(next game.Match, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s, after %v: %v", p.Name(), m.Log, err)
		}
		m = next
	}
	must(m, err)
	must(m.Accept(bob, now))
	for left := 3; left > 0; {
		d := game.Decision(game.At(rng.IntN(15), rng.IntN(15)))
		q := m.Question()
		switch points := q.Points.Points(); {
		case len(q.Options) > 0:
			d = q.Options[rng.IntN(len(q.Options))]
		case len(points) > 0:
			d = q.At(points[rng.IntN(len(points))])
		case m.Game().Check(game.Point(d)) != nil:
			continue
		default:
			left--
		}
		must(m.Decide(m.Seats[m.ToMove()].Member, d, now))
		stored(t, m)
		if rng.IntN(10) == 0 {
			must(redone(t, m, rng.IntN(2), now))
		}
	}
}

// stored is that m comes back from the store as it is.
func stored(t *testing.T, m game.Match) {
	t.Helper()
	value := first(Record{Match: m, Place: here}.encode())
	got := first(decodeRecord(m.ID, value))
	again, err := got.encode()
	if err != nil || !bytes.Equal(value, again) {
		t.Fatalf("%x is written again as %x: %v", value, again, err)
	}
	if !reflect.DeepEqual(got.Question(), m.Question()) || !slices.Equal(got.Log, m.Log) || got.ToMove() != m.ToMove() ||
		got.ColorOf(0) != m.ColorOf(0) {
		t.Fatalf("%v comes back as %v, asks %+v and %+v", m.Log, got.Log, m.Question(), got.Question())
	}
}

// redone takes back what a seat asks for and decides it again, and gives the match.
func redone(t *testing.T, m game.Match, seat int, now time.Time) (game.Match, error) {
	t.Helper()
	by, other := m.Seats[seat].Member, m.Seats[1-seat].Member
	back := m.TakesBack(seat)
	if len(back) == 0 {
		return m, nil
	}
	asked, err := m.Undo(by, now)
	testkit.Must(t, err)
	next := asked
	if asked.Undoing.Open { // else an offer, which is taken back at once
		next, err = asked.AnswerUndo(other, true, now)
		testkit.Must(t, err)
	}
	if next.ToMove() != seat || len(next.Log) != len(m.Log)-len(back) {
		t.Fatalf("seat %d takes back %v of %v", seat, back, m.Log)
	}
	stored(t, next)
	for i, e := range back {
		if len(next.Log) > len(m.Log)-len(back)+i { // a single fifth stone was placed with its offer
			continue
		}
		if next, err = next.Decide(next.Seats[next.ToMove()].Member, e.Decision(), now); err != nil {
			return next, err
		}
	}
	if !reflect.DeepEqual(next.Question(), m.Question()) || !next.Game().Equal(m.Game()) ||
		!reflect.DeepEqual(next.Made(), m.Made()) {
		t.Fatalf("decided again: %v, was %v", next.Made(), m.Made())
	}
	return next, nil
}

// A record with a protocol that this program does not know is an error, and so is one with
// a decision that its protocol does not allow.
func TestStrangeOpening(t *testing.T) {
	m := first(game.NewMatch(5, game.Terms{Rules: game.Renju, Protocol: opening.Taraguchi10}, ann, game.SeatFor(ann),
		game.SeatFor(bob), noon, time.Time{}))
	for _, p := range []opening.Protocol{0, opening.Taraguchi10 + 1, 255} {
		m.Protocol = p
		value := first(Record{Match: m, Place: here}.encode())
		if _, err := decodeRecord(m.ID, value); err == nil {
			t.Errorf("protocol %d is read", p)
		}
	}
	m.Protocol = opening.Swap
	m.Log = []game.Entry{{Code: uint16(game.Swap), At: noon}}
	if _, err := decodeRecord(m.ID, first(Record{Match: m, Place: here}.encode())); err == nil {
		t.Error("an opening that begins with a swap is read")
	}
}
