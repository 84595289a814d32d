package game

import (
	"fmt"
	"slices"
	"time"
)

// MatchID names a match. It is unique over processes and grows with time.
type MatchID uint64

// MemberID names a member, opaquely; zero is nobody.
type MemberID uint64

// SeatKind says who sits at a seat.
type SeatKind uint8

// The kinds of seats. The numbers are stored: add at the end only.
const (
	OpenSeat   SeatKind = iota // nobody yet: the challenge is open to all
	MemberSeat                 // the member with the seat's id
	EngineSeat                 // our engine at the seat's level
	FormerSeat                 // a member whose data was deleted
)

// Seat is one of the two places at the board.
type Seat struct {
	Kind   SeatKind
	Member MemberID
	Level  uint8 // of the engine, 1-8
}

// SeatFor is the seat of a member.
func SeatFor(id MemberID) Seat { return Seat{Kind: MemberSeat, Member: id} }

// SeatEngine is the seat of the engine at a level.
func SeatEngine(level int) Seat { return Seat{Kind: EngineSeat, Level: uint8(level)} }

// Phase is how far a match has come.
type Phase uint8

// The phases. A challenge is a match in the phase Offered.
const (
	Offered Phase = iota
	Playing
	Over
)

// Opening says where the first stones of a match come from.
type Opening uint8

// The openings. The numbers are stored: add at the end only.
const (
	FreeOpening     Opening = iota // the rules' own start
	BalancedOpening                // near-equal stones given by the engine
	ImportedOpening                // a record or a position that a member brought
)

// Terms are what the two sides agreed on before the first move.
type Terms struct {
	Rules   Rules
	Start   Position // zero: the rules' own start
	Given   []Point  // moves that stand on the board when the match begins; nobody can take them back
	Opening Opening
	First   Color         // the color of the first seat; Empty: drawn by Seed when the match begins
	PerMove time.Duration // time for each move of a member; zero: no clock
	Rated   bool          // as agreed
	Note    string        // a line from who offers
	Seed    uint64        // for the colors, and for the engine's variety
}

// Entry is one line of a match's log: what was decided, when, and beside an engine's
// move what it reported.
type Entry struct {
	Code uint16 // 0-255 a point; above: decisions of opening protocols, none yet
	At   time.Time
	Note Note
}

// Point is the point that was played.
func (e Entry) Point() Point { return Point(e.Code) }

// Note is what the engine reported of its move, small enough to be kept beside it.
// The zero Note stands beside a member's move.
type Note struct {
	Level  uint8
	Depth  uint16
	Nodes  uint64
	Millis uint32
	Score  int32
	Win    uint16 // expected result in thousandths
	Proof  uint8  // as in ai: none, win, loss, draw, exact
	In     uint16
	Cut    bool
}

// UndoRequest is an open request to take moves back. (A draw offer is kept apart, in
// Match.DrawBy, for it outlives a move.)
type UndoRequest struct {
	Open bool
	By   uint8 // seat
	To   int   // the length of the log that is asked for
}

// Look is how a match is shown.
type Look struct {
	Theme    string // empty: the default of the rules
	Numbers  uint8  // on the stones: 0 none, 1 on the last few, 2 on all, 3 on the last
	Language string // empty: English
}

// Match is a game with two seats, offers, a clock and a log. It is a value: each
// operation gives a new Match or a *Refusal and leaves the old one as it was. Time comes
// in with each operation. Build one with NewMatch; a stored one comes back by Replay.
type Match struct {
	ID      MatchID
	Version uint32 // one more with every change
	Phase   Phase
	Terms
	Seats   [2]Seat  // who offers sits first
	Owner   MemberID // who brought the match about
	Log     []Entry  // the given moves included
	Undos   uint16   // how often moves were taken back
	Created time.Time
	Updated time.Time
	Expires time.Time // of the challenge; zero: never
	Turned  time.Time // since when the side to move is to move

	Deadline time.Time // of the side to move; zero: none
	Reminded bool      // the side to move was reminded
	Rested   time.Time // since when the clock stands because the match has lost its place; zero: it runs

	Undoing UndoRequest
	Denied  [2]uint16 // by seat: 1 + the length of the log that a refused undo asked for
	DrawBy  uint8     // 1 + the seat whose draw offer stands; zero: none
	DrawAt  [2]uint16 // by seat: 1 + the length of the log at its last draw offer
	Hints   uint16    // hints given
	Spoiled bool      // something happened that makes a rated match unrated

	End   Result  // what ended the match, where the board did not
	Again [2]bool // by seat: wants a rematch
	Next  MatchID // the rematch
	Look  Look

	game Game
}

// Grace is how long after a deadline a match is still left alone: what a member sent in
// time has arrived by then.
const Grace = 5 * time.Second

// What happens to forgotten matches.
const (
	RemindAfter  = 3 * 24 * time.Hour
	AbandonAfter = 7 * 24 * time.Hour
)

// NewMatch brings two seats together. With two seats taken by engines, or by a member
// and an engine, play begins at once; else it is a challenge that expires (zero: never).
func NewMatch(id MatchID, t Terms, owner MemberID, first, second Seat, now, expires time.Time) (Match, error) {
	if first.Kind == MemberSeat && second.Kind == MemberSeat && first.Member == second.Member {
		return Match{}, &Refusal{Code: Yourself}
	}
	now = stamp(now)
	m := Match{ID: id, Version: 1, Terms: t, Owner: owner, Seats: [2]Seat{first, second},
		Created: now, Updated: now, Turned: now}
	if !expires.IsZero() {
		m.Expires = stamp(expires)
	}
	for _, p := range t.Given {
		m.Log = append(m.Log, Entry{Code: uint16(p), At: now})
	}
	m, err := m.Replay()
	if err != nil {
		return Match{}, err
	}
	if m.game.Turn() == Empty {
		return Match{}, &Refusal{Code: GameOver}
	}
	if first.Kind == EngineSeat || second.Kind == EngineSeat || t.Opening == ImportedOpening {
		m.Rated = false
	}
	if second.Kind == EngineSeat {
		return m.begin(now), nil
	}
	return m, nil
}

// stamp keeps times comparable and as exact as they are stored.
func stamp(t time.Time) time.Time { return time.UnixMilli(t.UnixMilli()).UTC() }

// Replay makes a match whole whose fields were filled from a store: it plays the log
// through. A log that does not play is an error.
func (m Match) Replay() (Match, error) {
	if m.Rules == nil {
		return Match{}, fmt.Errorf("match %d has no rules", m.ID)
	}
	g := New(m.Rules)
	if m.Start.Size != 0 {
		var err error
		if g, err = From(m.Rules, m.Start, m.Start.Turn); err != nil {
			return Match{}, fmt.Errorf("match %d: start: %w", m.ID, err)
		}
	}
	if len(m.Log) < len(m.Given) {
		return Match{}, fmt.Errorf("match %d: log shorter than its opening", m.ID)
	}
	for i, e := range m.Log {
		if e.Code > 255 {
			return Match{}, fmt.Errorf("match %d: entry %d: unknown code %d", m.ID, i+1, e.Code)
		}
		next, err := g.Play(e.Point())
		if err != nil {
			return Match{}, fmt.Errorf("match %d: move %d: %w", m.ID, i+1, err)
		}
		g = next
	}
	m.game = g
	return m, nil
}

func (m Match) begin(now time.Time) Match {
	m.Phase = Playing
	if m.First == Empty {
		m.First = Black + Color(m.Seed>>63)
	}
	return m.turnOver(now)
}

// changed is m one version on.
func (m Match) changed(now time.Time) Match {
	m.Version++
	m.Updated = stamp(now)
	return m
}

// turnOver starts the time of the side that is to move now.
func (m Match) turnOver(now time.Time) Match {
	m.Turned = stamp(now)
	m.Reminded = false
	m.Deadline = time.Time{}
	if m.Phase == Playing && m.PerMove > 0 && m.Seats[m.ToMove()].Kind == MemberSeat {
		m.Deadline = m.Turned.Add(m.PerMove)
	}
	return m
}

// Game is the game as it stands.
func (m Match) Game() Game { return m.game }

// Stamp names the position within the match: no other position of the match, however
// often moves are taken back, has the same. Buttons and searches carry it.
func (m Match) Stamp() uint32 { return uint32(m.Undos)<<16 | uint32(len(m.Log)) }

// SeatOf is the seat of a member.
func (m Match) SeatOf(by MemberID) (seat int, ok bool) {
	for i, s := range m.Seats {
		if s.Kind == MemberSeat && s.Member == by && by != 0 {
			return i, true
		}
	}
	return 0, false
}

// ColorOf is the color of a seat; Empty while it is not drawn yet.
func (m Match) ColorOf(seat int) Color {
	if seat == 0 {
		return m.First
	}
	return m.First.Other()
}

// SeatOfColor is the seat that plays c.
func (m Match) SeatOfColor(c Color) int {
	if m.First == c {
		return 0
	}
	return 1
}

// ToMove is the seat whose turn it is; only while the match is played.
func (m Match) ToMove() int { return m.SeatOfColor(m.game.Turn()) }

// EngineToMove reports whether the match waits for the engine.
func (m Match) EngineToMove() bool {
	return m.Phase == Playing && m.Rested.IsZero() && m.Seats[m.ToMove()].Kind == EngineSeat
}

// AgainstEngine reports whether a member plays the engine.
func (m Match) AgainstEngine() bool {
	return (m.Seats[0].Kind == EngineSeat) != (m.Seats[1].Kind == EngineSeat)
}

// Result is how the match stands: what ended it, or what the board says.
func (m Match) Result() Result {
	if m.End.Cause != NoCause {
		return m.End
	}
	return m.game.Result()
}

// Played is the number of moves made in the match itself.
func (m Match) Played() int { return len(m.Log) - len(m.Given) }

// playedBy is the number of moves that a seat made in the match itself.
func (m Match) playedBy(seat int) int {
	n := 0
	for _, ply := range m.game.Plies()[len(m.Given):] {
		if ply.Color == m.ColorOf(seat) {
			n++
		}
	}
	return n
}

// CountsForRating reports whether the ended match changes ratings.
func (m Match) CountsForRating() bool {
	r := m.Result()
	return m.Phase == Over && m.Rated && !m.Spoiled && r.Cause != NoCause && r.Cause < Aborted &&
		m.Seats[0].Kind == MemberSeat && m.Seats[1].Kind == MemberSeat &&
		m.playedBy(0) >= 5 && m.playedBy(1) >= 5
}

// seat finds the seat of by, who must sit here while the match is played.
func (m Match) playing(by MemberID) (int, error) {
	seat, ok := m.SeatOf(by)
	switch {
	case !ok:
		return 0, &Refusal{Code: NotSeated}
	case m.Phase != Playing:
		return 0, &Refusal{Code: NotPlaying}
	}
	return seat, nil
}

// Accept begins an offered match. An open challenge seats whoever accepts first.
func (m Match) Accept(by MemberID, now time.Time) (Match, error) {
	switch {
	case m.Phase != Offered || m.lapsed(now):
		return Match{}, &Refusal{Code: NotOffered}
	case m.Seats[0].Member == by:
		return Match{}, &Refusal{Code: Yourself}
	case m.Seats[1].Kind == MemberSeat && m.Seats[1].Member != by:
		return Match{}, &Refusal{Code: NotForYou}
	}
	m.Seats[1] = SeatFor(by)
	return m.changed(now).begin(now), nil
}

func (m Match) lapsed(now time.Time) bool { return !m.Expires.IsZero() && !now.Before(m.Expires) }

// Decline ends a challenge that was made to by.
func (m Match) Decline(by MemberID, now time.Time) (Match, error) {
	switch {
	case m.Phase != Offered:
		return Match{}, &Refusal{Code: NotOffered}
	case m.Seats[1].Member != by || by == 0:
		return Match{}, &Refusal{Code: NotForYou}
	}
	return m.over(Result{Cause: Declined}, now), nil
}

// Cancel takes back by's own challenge.
func (m Match) Cancel(by MemberID, now time.Time) (Match, error) {
	switch {
	case m.Phase != Offered:
		return Match{}, &Refusal{Code: NotOffered}
	case m.Seats[0].Member != by || by == 0:
		return Match{}, &Refusal{Code: NotForYou}
	}
	return m.over(Result{Cause: Canceled}, now), nil
}

// over ends the match.
func (m Match) over(r Result, now time.Time) Match {
	m = m.changed(now)
	m.Phase = Over
	m.End = r
	m.Undoing, m.DrawBy, m.Deadline, m.Rested = UndoRequest{}, 0, time.Time{}, time.Time{}
	return m
}

// Play makes by's move. It counts when now, the time at which by sent it, lies before
// the deadline.
func (m Match) Play(by MemberID, p Point, now time.Time) (Match, error) {
	seat, err := m.playing(by)
	if err != nil {
		return Match{}, err
	}
	if seat != m.ToMove() {
		return Match{}, &Refusal{Code: NotYourTurn, Point: p}
	}
	if !m.Deadline.IsZero() && m.Rested.IsZero() && !now.Before(m.Deadline) {
		return Match{}, &Refusal{Code: TooLate, Point: p}
	}
	return m.play(seat, p, Note{}, now)
}

// Reply makes the engine's move, found for the position that at names.
func (m Match) Reply(at uint32, p Point, note Note, now time.Time) (Match, error) {
	if !m.EngineToMove() || at != m.Stamp() {
		return Match{}, &Refusal{Code: Moved, Point: p}
	}
	note.Level = m.Seats[m.ToMove()].Level
	return m.play(m.ToMove(), p, note, now)
}

func (m Match) play(seat int, p Point, note Note, now time.Time) (Match, error) {
	g, err := m.game.Play(p)
	if err != nil {
		return Match{}, err
	}
	m = m.changed(now)
	m.game = g
	m.Log = append(slices.Clip(m.Log), Entry{Code: uint16(p), At: stamp(now), Note: note})
	m.Undoing = UndoRequest{}
	m.Rested = time.Time{}
	if m.DrawBy != 0 && m.DrawBy != uint8(seat)+1 {
		m.DrawBy = 0
	}
	if g.Turn() == Empty {
		m.Phase = Over
		m.DrawBy, m.Deadline = 0, time.Time{}
		return m, nil
	}
	return m.turnOver(now), nil
}

// TakesBack are the moves that an undo by a seat would take back, first to last; none
// when there is no move of its own to take back.
func (m Match) TakesBack(seat int) []Ply {
	plies := m.game.Plies()
	for i := len(plies) - 1; i >= len(m.Given); i-- {
		if plies[i].Color == m.ColorOf(seat) {
			return plies[i:]
		}
	}
	return nil
}

// Undo takes back by's last move and all that followed: against the engine at once, also
// after the end; between members it asks the other side.
func (m Match) Undo(by MemberID, now time.Time) (Match, error) {
	seat, ok := m.SeatOf(by)
	switch back := m.TakesBack(seat); {
	case !ok:
		return Match{}, &Refusal{Code: NotSeated}
	case m.Phase == Offered, m.Phase == Over && !m.reopens():
		return Match{}, &Refusal{Code: NotPlaying}
	case len(back) == 0:
		return Match{}, &Refusal{Code: NothingToUndo}
	case m.AgainstEngine():
		return m.takeBack(len(back), now), nil
	case m.Undoing.Open:
		return Match{}, &Refusal{Code: UndoPending}
	case int(m.Denied[seat]) == len(m.Log)-len(back)+1:
		return Match{}, &Refusal{Code: UndoRefused}
	default:
		m = m.changed(now)
		m.Undoing = UndoRequest{Open: true, By: uint8(seat), To: len(m.Log) - len(back)}
		return m, nil
	}
}

// reopens reports whether an ended match may be taken up again by an undo.
func (m Match) reopens() bool { return m.AgainstEngine() && m.Result().Cause < Aborted && m.Next == 0 }

func (m Match) takeBack(n int, now time.Time) Match {
	m = m.changed(now)
	m.game = m.game.Undo(n)
	m.Log = m.Log[: len(m.Log)-n : len(m.Log)-n]
	m.Undos++
	m.Undoing, m.DrawBy, m.End, m.Again = UndoRequest{}, 0, Result{}, [2]bool{}
	for seat, denied := range m.Denied {
		if int(denied) > len(m.Log) {
			m.Denied[seat] = 0 // the move that it was about is gone
		}
	}
	m.DrawAt[0] = min(m.DrawAt[0], uint16(len(m.Log))+1)
	m.DrawAt[1] = min(m.DrawAt[1], uint16(len(m.Log))+1)
	m.Rested = time.Time{}
	m.Spoiled = true
	m.Phase = Playing
	return m.turnOver(now)
}

// AnswerUndo grants or refuses the open undo request of the other side.
func (m Match) AnswerUndo(by MemberID, yes bool, now time.Time) (Match, error) {
	seat, err := m.playing(by)
	switch {
	case err != nil:
		return Match{}, err
	case !m.Undoing.Open:
		return Match{}, &Refusal{Code: NoOffer}
	case int(m.Undoing.By) == seat:
		return Match{}, &Refusal{Code: OwnOffer}
	case yes:
		return m.takeBack(len(m.Log)-m.Undoing.To, now), nil
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
		return m.over(Result{Cause: ByAgreement}, now), nil
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
		return Match{}, &Refusal{Code: NotPlaying}
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
		return Match{}, &Refusal{Code: NoOffer}
	case uint8(seat) + 1:
		return Match{}, &Refusal{Code: OwnOffer}
	}
	if yes {
		return m.over(Result{Cause: ByAgreement}, now), nil
	}
	m = m.changed(now)
	m.DrawBy = 0
	return m, nil
}

// Resign gives the match to the other side, at any time.
func (m Match) Resign(by MemberID, now time.Time) (Match, error) {
	seat, err := m.playing(by)
	if err != nil {
		return Match{}, err
	}
	return m.over(Result{Cause: ByResignation, Winner: m.ColorOf(1 - seat)}, now), nil
}

// Abort ends without a result a match that has hardly begun: fewer than two moves
// played and none taken back. The owner of a match between engines may end it at any time.
func (m Match) Abort(by MemberID, now time.Time) (Match, error) {
	if m.Seats[0].Kind == EngineSeat && m.Seats[1].Kind == EngineSeat && m.Owner == by && m.Phase == Playing {
		return m.over(Result{Cause: Aborted}, now), nil
	}
	if _, err := m.playing(by); err != nil {
		return Match{}, err
	}
	if m.Played() >= 2 || m.Undos > 0 {
		return Match{}, &Refusal{Code: TooLateAbort}
	}
	return m.over(Result{Cause: Aborted}, now), nil
}

// Close ends a match without a result from outside: a moderator's word (Aborted) or a
// place that is gone (Abandoned).
func (m Match) Close(cause Cause, now time.Time) (Match, error) {
	if m.Phase == Over {
		return Match{}, &Refusal{Code: NotPlaying}
	}
	return m.over(Result{Cause: cause}, now), nil
}

// Forget removes a member from the match: a running one is resigned, a challenge taken
// back, and the seat keeps no id.
func (m Match) Forget(by MemberID, now time.Time) (Match, error) {
	seat, ok := m.SeatOf(by)
	if !ok && m.Owner != by {
		return Match{}, &Refusal{Code: NotSeated}
	}
	switch {
	case m.Phase == Offered:
		m = m.over(Result{Cause: Canceled}, now)
	case m.Phase == Playing && ok:
		m = m.over(Result{Cause: ByResignation, Winner: m.ColorOf(1 - seat)}, now)
	case m.Phase == Playing:
		m = m.over(Result{Cause: Aborted}, now)
	default:
		m = m.changed(now)
	}
	if ok {
		m.Seats[seat] = Seat{Kind: FormerSeat}
	}
	if m.Owner == by {
		m.Owner = 0
	}
	m.Note = ""
	return m, nil
}

// Hinted notes that by was given a hint, which is for games against the engine.
func (m Match) Hinted(by MemberID, now time.Time) (Match, error) {
	if _, err := m.playing(by); err != nil {
		return Match{}, err
	}
	m = m.changed(now)
	m.Hints++
	m.Spoiled = true
	return m, nil
}

// WithLook is m shown otherwise.
func (m Match) WithLook(look Look, now time.Time) Match {
	m = m.changed(now)
	m.Look = look
	return m
}

// Rest stops the clock of a match whose place is gone, or pauses one between engines;
// Wake starts it again.
func (m Match) Rest(now time.Time) (Match, error) {
	if m.Phase != Playing || !m.Rested.IsZero() {
		return Match{}, &Refusal{Code: NotPlaying}
	}
	m = m.changed(now)
	m.Rested = stamp(now)
	return m, nil
}

// Wake takes a resting match up again with the time that was left.
func (m Match) Wake(now time.Time) (Match, error) {
	if m.Phase != Playing || m.Rested.IsZero() {
		return Match{}, &Refusal{Code: NotPlaying}
	}
	rested := max(0, stamp(now).Sub(m.Rested))
	m = m.changed(now)
	m.Rested = time.Time{}
	m.Turned = m.Turned.Add(rested)
	if !m.Deadline.IsZero() {
		m.Deadline = m.Deadline.Add(rested)
	}
	return m, nil
}

// Postpone adds the time that the host was down to the deadline, and leaves at least
// until soonest. A match without a deadline is refused, and so is one that rests, which
// loses no time.
func (m Match) Postpone(down time.Duration, soonest, now time.Time) (Match, error) {
	if m.Phase != Playing || m.Deadline.IsZero() || !m.Rested.IsZero() {
		return Match{}, &Refusal{Code: NotPlaying}
	}
	d := m.Deadline.Add(down)
	if soonest = stamp(soonest); d.Before(soonest) {
		d = soonest
	}
	m = m.changed(now)
	m.Deadline = d
	return m, nil
}

// Event is what time does to a match.
type Event uint8

// The events, in the order of Due.
const (
	NoEvent      Event = iota
	ExpireEvent        // the challenge lapses
	RemindEvent        // the side to move is reminded
	TimeoutEvent       // the side to move loses on time
	AbandonEvent       // nobody has moved for a week
)

// Due is the next event that time brings to the match and when it comes.
func (m Match) Due() (Event, time.Time) {
	switch {
	case m.Phase == Offered && !m.Expires.IsZero():
		return ExpireEvent, m.Expires
	case m.Phase != Playing:
		return NoEvent, time.Time{}
	case !m.Rested.IsZero():
		return AbandonEvent, m.Rested.Add(AbandonAfter)
	case !m.Deadline.IsZero() && !m.Reminded:
		return RemindEvent, m.Deadline.Add(-m.PerMove / 4)
	case !m.Deadline.IsZero():
		return TimeoutEvent, m.Deadline.Add(Grace)
	case !m.Reminded && m.Seats[m.ToMove()].Kind == MemberSeat:
		return RemindEvent, m.Turned.Add(RemindAfter)
	}
	return AbandonEvent, m.Turned.Add(AbandonAfter)
}

// Tick brings the event that is due at now. It is refused (NoOffer) when nothing is due.
func (m Match) Tick(now time.Time) (Match, Event, error) {
	event, at := m.Due()
	if event == NoEvent || now.Before(at) {
		return Match{}, NoEvent, &Refusal{Code: NoOffer}
	}
	switch event {
	case ExpireEvent:
		return m.over(Result{Cause: Expired}, now), event, nil
	case RemindEvent:
		m = m.changed(now)
		m.Reminded = true
		return m, event, nil
	case TimeoutEvent:
		if m.playedBy(0) == 0 || m.playedBy(1) == 0 {
			return m.over(Result{Cause: Aborted}, now), event, nil
		}
		return m.over(Result{Cause: ByTimeout, Winner: m.game.Turn().Other()}, now), event, nil
	}
	return m.over(Result{Cause: Abandoned}, now), event, nil
}

// Rematch notes that by wants another game. Against the engine, or once both want it,
// the new match takes the id next, which Successor then builds.
func (m Match) Rematch(by MemberID, next MatchID, now time.Time) (Match, error) {
	seat, ok := m.SeatOf(by)
	switch {
	case !ok:
		return Match{}, &Refusal{Code: NotSeated}
	case m.Phase != Over || m.First == Empty:
		return Match{}, &Refusal{Code: RematchTooSoon}
	case m.Next != 0:
		return Match{}, &Refusal{Code: RematchMade}
	case m.Seats[1-seat].Kind != MemberSeat && m.Seats[1-seat].Kind != EngineSeat:
		return Match{}, &Refusal{Code: NotSeated}
	}
	m = m.changed(now)
	m.Again[seat] = true
	if m.AgainstEngine() || m.Again[0] && m.Again[1] {
		m.Next = next
	}
	return m, nil
}

// Successor is the rematch of m: the same terms with the colors swapped and, where the
// opening was a balanced one, with given as the new stones.
func (m Match) Successor(given []Point, seed uint64, now time.Time) (Match, error) {
	t := m.Terms
	t.First = m.First.Other()
	t.Seed = seed
	if t.Opening == BalancedOpening {
		t.Given = given
	}
	next, err := NewMatch(m.Next, t, m.Owner, m.Seats[0], m.Seats[1], now, time.Time{})
	if err != nil {
		return Match{}, err
	}
	next.Look = m.Look
	if next.Phase == Offered {
		next = next.begin(now)
	}
	return next, nil
}
