package storage

import (
	"time"

	"tengen/game"
	"tengen/storage/codec"
)

// AwayAfter is how long a member must not have changed a match to count as away.
const AwayAfter = 2 * time.Minute

// Call is how the member in a seat was told that a match waits for them: by a short message, or
// by the board itself. It is noted before anything is sent.
type Call struct {
	Seat    uint8  // 1 + the seat; 0: nobody is called any more
	Channel uint64 // of the short message
	Nonce   uint32 // of the short message; 0: there is none, or its id is known
	ByToken bool   // it goes by an interaction's token: its nonce does not keep it from coming twice
	Message uint64 // the short message; 0: there is none, or its id is not known yet
	Board   uint64 // the board that it links
}

// InDoubt reports whether there may be a short message whose id is not known.
func (c Call) InDoubt() bool { return c.Nonce != 0 }

// tracked reports whether the screen says anything of who acted or was called.
func (s Screen) tracked() bool {
	return s.Acted != [2]time.Time{} || !s.CallAt.IsZero() || s.Call != Call{} || s.Last != 0 || s.Outside ||
		s.Calls || s.findable()
}

// called walks who acted, and who was called.
func (s *Screen) called(f *codec.Fields, findable bool) {
	f.Time("", &s.Acted[0])
	f.Time("", &s.Acted[1])
	f.Time("", &s.CallAt)
	codec.Number(f, "", &s.Last, codec.Any64)
	f.Flag("", &s.Outside)
	f.Flag("", &s.Calls)
	codec.Small(f, "", &s.Call.Seat, 2)
	codec.Number(f, "", &s.Call.Channel, codec.Any64)
	codec.Number(f, "", &s.Call.Nonce, codec.Any32)
	codec.Number(f, "", &s.Call.Message, codec.Any64)
	codec.Number(f, "", &s.Call.Board, codec.Any64)
	if findable {
		f.Flag("", &s.Reads)
		f.Flag("", &s.Call.ByToken)
	}
}

// findable reports whether the screen says anything of calls that are looked for.
func (s Screen) findable() bool { return s.Reads || s.Call.ByToken }

// CallDue reports whether somebody is to be called by now.
func (s Screen) CallDue(now time.Time) bool { return !s.CallAt.IsZero() && !now.Before(s.CallAt) }

// Strays reports whether the short call links a board that is not the live one any more.
func (s Screen) Strays() bool {
	return s.Call.Message != 0 && s.Message != 0 && s.Call.Board != s.Message
}

// acted notes that a cause has made a match what it is now: who acted, who is to be called when,
// and that a call is over which nobody needs any more.
func (s Screen) acted(m game.Match, c Cause) Screen {
	if c.Interaction != 0 {
		s.Outside, s.Reads = c.Outside, c.Reads
	}
	if !m.BetweenMembers() {
		s.Acted, s.Outside, s.Reads = [2]time.Time{}, false, false
		return s.quiet().Plan(m)
	}
	if seat, ok := m.SeatOf(c.By); ok && !c.At.Before(s.Acted[seat]) { // else it was delivered again, or late
		s.Acted[seat] = c.At
		if s.Call.Seat == uint8(seat)+1 {
			s = s.quiet()
		}
	}
	for seat := range s.Acted { // a screen from before acts were noted
		if s.Acted[seat].IsZero() {
			s.Acted[seat] = lastMove(m, seat)
		}
	}
	if s.Call.Seat != 0 && !s.wants(m, int(s.Call.Seat)-1) {
		s = s.quiet()
	}
	return s.Plan(m)
}

// lastMove is when the member in a seat last moved, else when the match was made.
func lastMove(m game.Match, seat int) time.Time {
	at := m.Created
	for _, made := range m.Made()[len(m.Given):] {
		if made.Seat == seat {
			at = made.At
		}
	}
	return at
}

// quiet ends the call: its message is to be deleted, once its id is known.
func (s Screen) quiet() Screen {
	if s.Call.InDoubt() {
		s.Call.Seat = 0
		return s
	}
	s = s.Retire(MessageRef{s.Call.Channel, s.Call.Message})
	s.Call = Call{}
	return s
}

// Silence takes away the message that calls a member, who stays called.
func (s Screen) Silence() Screen {
	seat := s.Call.Seat
	if s = s.quiet(); !s.Call.InDoubt() {
		s.Call.Seat = seat
	}
	return s
}

// wants reports whether a match wants something of the member in a seat: to move, to answer an
// offer, or, until the first move, to hear that the game has begun.
func (s Screen) wants(m game.Match, seat int) bool {
	waited, ok := m.WaitsFor()
	return ok && (seat == waited || s.unaware(m, seat))
}

// unaware reports whether a game began without the member in a seat, and nobody has moved yet.
func (s Screen) unaware(m game.Match, seat int) bool {
	return m.Played() == 0 && s.Acted[seat].Before(m.Turned)
}

// Plan notes when somebody is to be called, as the match stands.
func (s Screen) Plan(m game.Match) Screen {
	s.CallAt = time.Time{}
	waited, ok := m.WaitsFor()
	if !ok || s.Outside || int(s.Call.Seat) == waited+1 {
		return s
	}
	s.CallAt = s.Acted[waited].Add(AwayAfter)
	if other := 1 - waited; int(s.Call.Seat) != other+1 && s.unaware(m, other) {
		if at := s.Acted[other].Add(AwayAfter); at.Before(s.CallAt) {
			s.CallAt = at
		}
	}
	return s
}

// Callee gives the seat whose member is the next to be called, and whether they are away. ok is
// false where nobody is to be called, now or later.
func (s Screen) Callee(m game.Match, now time.Time) (seat int, away, ok bool) {
	waited, ok := m.WaitsFor()
	if !ok || int(s.Call.Seat) == waited+1 || s.Call.InDoubt() {
		return 0, false, false
	}
	gone := func(seat int) bool { return !now.Before(s.Acted[seat].Add(AwayAfter)) }
	other := 1 - waited
	if !gone(waited) && gone(other) && s.unaware(m, other) {
		return other, true, int(s.Call.Seat) != other+1
	}
	return waited, gone(waited), true
}

// Calling notes that the member in a seat is called from now on: by a short message with a
// nonce, or by the board where nonce is zero. A former call is over. A challenger whom it told that
// the game began is not told again: that counts as if they had begun it.
func (s Screen) Calling(m game.Match, seat int, nonce uint32) Screen {
	if was := int(s.Call.Seat) - 1; was >= 0 && was != seat && s.unaware(m, was) {
		s.Acted[was] = m.Turned
	}
	s = s.quiet()
	s.Call = Call{Seat: uint8(seat) + 1, Nonce: nonce}
	if nonce != 0 {
		s.Call.Channel, s.Call.Board = s.Channel, s.Message
	}
	return s.Plan(m)
}

// Called notes the message of the short call that was sent with a nonce; zero: it was not sent. A
// call that is over meanwhile is to be deleted.
func (s Screen) Called(channel uint64, nonce uint32, message uint64) Screen {
	s.Last = max(s.Last, message)
	if s.Call.Nonce != nonce {
		return s.Retire(MessageRef{channel, message})
	}
	s.Call.Nonce, s.Call.ByToken, s.Call.Message = 0, false, message
	if s.Call.Seat == 0 {
		return s.quiet()
	}
	return s
}

// Uncall notes that the board which was to call a member was never sent.
func (s Screen) Uncall(m game.Match) Screen {
	if s.Call.Message == 0 && !s.Call.InDoubt() {
		s.Call = Call{}
	}
	return s.Plan(m)
}
