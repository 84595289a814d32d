package game

import "time"

// UndoRequest is an open request to take moves back. (A draw offer is kept apart, in
// Match.DrawBy, for it outlives a move.)
type UndoRequest struct {
	Open bool
	By   uint8 // seat
	To   int   // the length of the log that is asked for
}

// WaitsFor gives the seat for which a match between two members waits: who has to answer an
// offer, or a wish for a rematch, else who is to move. ok is false where it waits for nobody, and while they are on
// vacation.
func (m Match) WaitsFor() (seat int, ok bool) {
	switch {
	case m.Phase == Over && m.between(MemberSeat) && m.Next == 0 && m.Again[0] != m.Again[1]:
		if m.Again[0] {
			seat = 1
		}
		return seat, true
	case !m.runs() || !m.between(MemberSeat):
		return 0, false
	case m.Undoing.Open:
		seat = 1 - int(m.Undoing.By)
	case m.DrawBy != 0:
		seat = 2 - int(m.DrawBy)
	default:
		seat = m.ToMove()
	}
	return seat, m.Vacation[seat].IsZero()
}

// Accept begins an offered match. An open challenge seats whoever accepts first.
func (m Match) Accept(by MemberID, now time.Time) (Match, error) {
	switch {
	case m.Phase != Offered || m.lapsed(now):
		return refused(NotOffered)
	case m.Seats[0].Member == by:
		return refused(Yourself)
	case m.Seats[1].Kind == MemberSeat && m.Seats[1].Member != by:
		return refused(NotForYou)
	}
	m.Seats[1] = SeatFor(by)
	return m.changed(now).begin(now), nil
}

func (m Match) lapsed(now time.Time) bool { return !m.Expires.IsZero() && !now.Before(m.Expires) }

// Decline ends a challenge that was made to by.
func (m Match) Decline(by MemberID, now time.Time) (Match, error) {
	return m.lapse(1, by, Declined, now)
}

// Cancel takes back by's own challenge.
func (m Match) Cancel(by MemberID, now time.Time) (Match, error) {
	return m.lapse(0, by, Canceled, now)
}

// lapse ends a challenge by the word of who sits at a seat of it.
func (m Match) lapse(seat int, by MemberID, how Termination, now time.Time) (Match, error) {
	if err := m.offered(seat, by); err != nil {
		return Match{}, err
	}
	return m.over(Result{Termination: how}, now), nil
}

// offered refuses all but who sits at a seat of a challenge.
func (m Match) offered(seat int, by MemberID) error {
	switch {
	case m.Phase != Offered:
		return &Refusal{Code: NotOffered}
	case m.Seats[seat].Member != by || by == 0:
		return &Refusal{Code: NotForYou}
	}
	return nil
}

// Color gives by, who made the challenge, the color c at the beginning; Empty has the colors
// drawn by lot.
func (m Match) Color(by MemberID, c Color, now time.Time) (Match, error) {
	if err := m.offered(0, by); err != nil {
		return Match{}, err
	}
	m.First = c
	return m.changed(now), nil
}

// challenger is the seat of by in a challenge.
func (m Match) challenger(by MemberID) (seat int, err error) {
	if err = m.offered(0, by); err == nil {
		return 0, nil
	}
	if m.offered(1, by) == nil {
		return 1, nil
	}
	return 0, err
}

// Casual has a challenge change no ratings. Either of the two may say so.
func (m Match) Casual(by MemberID, now time.Time) (Match, error) {
	if _, err := m.challenger(by); err != nil {
		return Match{}, err
	}
	m.Rated, m.RatedBy = false, 0
	return m.changed(now), nil
}

// Rate has a challenge change ratings, to which both must agree: the first who says so asks the other. Whoever
// accepts an open challenge agrees by that. Some terms are never rated (MayRate).
func (m Match) Rate(by MemberID, now time.Time) (Match, error) {
	seat, err := m.challenger(by)
	switch {
	case err != nil:
		return Match{}, err
	case !m.MayRate():
		return refused(NoOffer)
	case m.Rated:
		return m, nil
	case m.Seats[1].Kind == MemberSeat && m.RatedBy != uint8(2-seat):
		m.RatedBy = uint8(seat) + 1
	default:
		m.Rated, m.RatedBy = true, 0
	}
	return m.changed(now), nil
}

// TakesBack are the moves and decisions that an undo by a seat would take back, first to
// last; none when there is none of its own to take back.
func (m Match) TakesBack(seat int) []Made {
	made := m.Made()
	for i := len(made) - 1; i >= len(m.Given); i-- {
		if made[i].Seat == seat && !m.onlyFifth(i) {
			return made[i:]
		}
	}
	return nil
}

// Undo takes back by's last move and all that followed: against the engine at once, also
// after the end; between members it asks the other side. A point that by offered for the fifth
// stone is taken back at once while more are asked for: the other side has not answered yet.
func (m Match) Undo(by MemberID, now time.Time) (Match, error) {
	seat, ok := m.SeatOf(by)
	switch back := m.TakesBack(seat); {
	case !ok:
		return refused(NotSeated)
	case m.Phase == Offered, m.Phase == Over && !m.reopens():
		return refused(NotPlaying)
	case len(back) == 0:
		return refused(NothingToUndo)
	case m.offering(seat, back):
		return m.withdraw(now)
	case m.AgainstEngine():
		return m.takeBack(len(back), now)
	case m.Undoing.Open:
		return refused(UndoPending)
	case int(m.Denied[seat]) == len(m.Log)-len(back)+1:
		return refused(UndoRefused)
	default:
		m = m.changed(now)
		m.Undoing = UndoRequest{Open: true, By: uint8(seat), To: len(m.Log) - len(back)}
		return m, nil
	}
}

// mostWithdrawn is how many moves and offers may have been taken back before an offered point stays:
// each new offer has its full time, and a clock must end.
const mostWithdrawn = 50

// offering reports whether the seat is still asked for offers, and back is the last one that it made.
func (m Match) offering(seat int, back []Made) bool {
	_, offer := back[0].Decision().Offered()
	return offer && m.Phase == Playing && m.asks.Kind == AskOffer && m.ToMove() == seat && m.Undos < mostWithdrawn
}

// withdraw takes back the last offered point. It leaves the clock alone, and the match rated.
func (m Match) withdraw(now time.Time) (Match, error) {
	next, err := m.takeBack(1, now)
	next.Turned, next.Deadline, next.Reminded, next.Left = m.Turned, m.Deadline, m.Reminded, m.Left
	next.Spoiled, next.DrawBy = m.Spoiled, m.DrawBy
	return next, err
}

// reopens reports whether an ended match may be taken up again by an undo.
func (m Match) reopens() bool {
	return m.AgainstEngine() && m.Result().Termination < Aborted && m.Next == 0
}

// takeBack takes n entries back. The banks of the clocks stay as they are, with what moves that are gone took from
// them and gave them; those of a game that is taken up again after its end are full.
func (m Match) takeBack(n int, now time.Time) (Match, error) {
	if m.Phase == Over {
		m = m.wound()
	} else {
		m = m.spent(now)
	}
	m = m.changed(now)
	m.Log = m.Log[: len(m.Log)-n : len(m.Log)-n]
	m, err := m.Replay()
	if err != nil {
		return Match{}, err
	}
	m.Undos++
	m.Undoing, m.End, m.Again, m.AgainBalanced = UndoRequest{}, Result{}, [2]bool{}, false
	for seat, denied := range m.Denied {
		if int(denied) > len(m.Log) {
			m.Denied[seat] = 0 // the move that it was about is gone
		}
		m.DrawAt[seat] = min(m.DrawAt[seat], uint16(len(m.Log))+1)
	}
	m.Rested = time.Time{}
	m.Spoiled = true
	m.Phase = Playing
	return m.turnOver(now), nil
}

// AnswerUndo grants or refuses the open undo request of the other side.
func (m Match) AnswerUndo(by MemberID, yes bool, now time.Time) (Match, error) {
	seat, err := m.playing(by)
	switch {
	case err != nil:
		return Match{}, err
	case !m.Undoing.Open:
		return refused(NoOffer)
	case int(m.Undoing.By) == seat:
		return refused(OwnOffer)
	case yes:
		return m.takeBack(len(m.Log)-m.Undoing.To, now)
	}
	m = m.changed(now)
	m.Denied[m.Undoing.By] = uint16(m.Undoing.To) + 1
	m.Undoing = UndoRequest{}
	return m, nil
}

// Draw offers a draw, or agrees to the one that the other side offered.
func (m Match) Draw(by MemberID, now time.Time) (Match, error) {
	seat, err := m.playing(by)
	if err != nil {
		return Match{}, err
	}
	return m.draw(seat, now)
}

func (m Match) draw(seat int, now time.Time) (Match, error) {
	if m.DrawBy == uint8(2-seat) {
		return m.over(Result{Termination: ByAgreement}, now), nil
	}
	if last := int(m.DrawAt[seat]); last > 0 && len(m.Log)+1 < last+10 {
		return Match{}, &Refusal{Code: DrawTooSoon, Number: last + 10 - len(m.Log) - 1}
	}
	m = m.changed(now)
	m.DrawBy = uint8(seat) + 1
	m.DrawAt[seat] = uint16(len(m.Log)) + 1
	return m, nil
}

// AnswerDraw agrees to the other side's draw offer or refuses it.
func (m Match) AnswerDraw(by MemberID, yes bool, now time.Time) (Match, error) {
	seat, err := m.playing(by)
	if err != nil {
		return Match{}, err
	}
	return m.answerDraw(seat, yes, now)
}

// EngineDraw is AnswerDraw for the engine.
func (m Match) EngineDraw(yes bool, now time.Time) (Match, error) {
	if m.Phase != Playing || !m.AgainstEngine() {
		return refused(NotPlaying)
	}
	seat := 0
	if m.Seats[1].Kind == EngineSeat {
		seat = 1
	}
	return m.answerDraw(seat, yes, now)
}

func (m Match) answerDraw(seat int, yes bool, now time.Time) (Match, error) {
	switch m.DrawBy {
	case 0:
		return refused(NoOffer)
	case uint8(seat) + 1:
		return refused(OwnOffer)
	}
	if yes {
		return m.over(Result{Termination: ByAgreement}, now), nil
	}
	m = m.changed(now)
	m.DrawBy = 0
	return m, nil
}
