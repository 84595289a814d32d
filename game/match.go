package game

import (
	"cmp"
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
	EngineSeat                 // our engine at the seat's level, or a guest
	FormerSeat                 // a member whose data was deleted
)

// Seat is one of the two places at the board.
type Seat struct {
	Kind   SeatKind
	Member MemberID
	Level  uint8  // of the engine, 1-8; 0 where a guest sits
	Guest  string // the name of the guest: the program of another maker; empty: our engine
}

// SeatFor is the seat of a member.
func SeatFor(id MemberID) Seat { return Seat{Kind: MemberSeat, Member: id} }

// SeatEngine is the seat of the engine at a level.
func SeatEngine(level int) Seat { return Seat{Kind: EngineSeat, Level: uint8(level)} }

// SeatGuest is the seat of a guest.
func SeatGuest(name string) Seat { return Seat{Kind: EngineSeat, Guest: name} }

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
	XOTOpening                     // Reversi: eight given moves of an even line, drawn by lot
	ProtocolOpening                // the decisions of Terms.Protocol, taken in turn
)

// Terms are what the two sides agreed on before the first move.
type Terms struct {
	Rules   Rules
	Start   Position // zero: the rules' own start
	Given   []Point  // moves that stand on the board when the match begins; nobody can take them back
	Opening Opening
	// Protocol is the opening protocol, nil for none. A match with one begins with an empty
	// board, and who has black opens.
	Protocol Protocol
	First    Color         // the color of the first seat at the beginning; Empty: drawn by Seed when the match begins
	Clock    Clock         // of each member; zero: no clock
	Odds     Clock         // of the second seat, where its clock is another; zero: it is Clock too
	Begin    time.Duration // in an event: time for the first move of each side; zero: as for any other
	Rated    bool          // as agreed
	Note     string        // a line from the member who offers
	Seed     uint64        // for the colors, and for the engine's variety
}

// Entry is one line of a match's log: what was decided, when, and beside an engine's
// move what it reported.
type Entry struct {
	Code uint16 // a Decision: 0-255 a point, above it a decision of an opening protocol
	At   time.Time
	Note Note
}

// Decision is what was decided.
func (e Entry) Decision() Decision { return Decision(e.Code) }

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

// Match is a game with two seats, offers, a clock and a log. It is a value: each
// operation gives a new Match or a *Refusal and leaves the old one as it was. Time comes
// in with each operation. Build one with NewMatch; a stored one comes back by Replay.
type Match struct {
	ID      MatchID
	Version uint32 // one more with every change
	Phase   Phase
	Terms
	Seats   [2]Seat  // the side that offers sits first
	Owner   MemberID // the member who brought the match about
	Log     []Entry  // the given moves included
	Undos   uint16   // how often moves were taken back
	Created time.Time
	Updated time.Time
	Expires time.Time // of the challenge; zero: never
	Turned  time.Time // since when the side to move is to move

	Deadline time.Time        // of the side to move; zero: none
	Left     [2]time.Duration // by seat: what was left of its clock's Bank when the turn began
	Reminded bool             // the side to move was reminded
	Rested   time.Time        // since when the clock stands because the match has lost its place; zero: the clock runs
	Vacation [2]time.Time     // by seat: until when its time stands still for a vacation; zero: its member is not away

	Undoing UndoRequest
	Denied  [2]uint16 // by seat: 1 + the length of the log that a refused undo asked for
	DrawBy  uint8     // 1 + the seat whose draw offer stands; zero: none
	DrawAt  [2]uint16 // by seat: 1 + the length of the log at its last draw offer
	There   [2]bool   // by seat: said that they are there while the other was to move
	RatedBy uint8     // of a casual challenge: 1 + the seat that asks for a rated game; zero: none
	Hints   uint16    // hints given
	Spoiled bool      // something happened that makes a rated match unrated

	End   Result  // what ended the match, if not the board
	Again [2]bool // by seat: wants a rematch
	Next  MatchID // the rematch

	AgainBalanced bool // the rematch that is wanted begins from a balanced opening

	game   Game
	asks   Question // what the opening protocol asks next
	opened []uint8  // who took the decisions of the opening: its persons
}

// NewMatch brings two seats together. With two seats taken by engines, or by a member
// and an engine, play begins at once; else it is a challenge that expires (zero: never).
func NewMatch(id MatchID, t Terms, owner MemberID, first, second Seat, now, expires time.Time) (Match, error) {
	if first.Kind == MemberSeat && second.Kind == MemberSeat && first.Member == second.Member {
		return refused(Yourself)
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
	if t.Protocol != nil {
		m.Opening = ProtocolOpening
	}
	m, err := m.Replay()
	if err != nil {
		return Match{}, err
	}
	if m.game.Turn() == Empty {
		return refused(GameOver)
	}
	if first.Kind == EngineSeat || second.Kind == EngineSeat || !t.MayRate() {
		m.Rated = false
	}
	if second.Kind == EngineSeat {
		return m.begin(now), nil
	}
	return m, nil
}

// Replay completes a match whose fields were read from a store: it plays the log. A log
// that does not play is an error.
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
	m.game = g
	if err := m.open(m.Log); err != nil {
		return Match{}, fmt.Errorf("match %d: %w", m.ID, err)
	}
	for i, e := range m.Log {
		if err := m.enter(i, e.Decision()); err != nil {
			return Match{}, fmt.Errorf("match %d: entry %d: %w", m.ID, i+1, err)
		}
	}
	return m, nil
}

func (m Match) begin(now time.Time) Match {
	m.Phase, m.RatedBy = Playing, 0
	if m.First == Empty {
		m.First = Black + Color(m.Seed>>63)
	}
	return m.wound().turnOver(now)
}

// changed is m one version on.
func (m Match) changed(now time.Time) Match {
	m.Version++
	m.Updated = stamp(now)
	return m
}

// Game is the game as it stands.
func (m Match) Game() Game { return m.game }

// Stamp names the position within the match: no other position of the match, however
// often moves are taken back, has the same. Buttons and searches carry it.
func (m Match) Stamp() uint32 { return uint32(m.Undos)<<16 | uint32(len(m.Log)) }

// SeatOf is the number of a member's seat; false where the member has none.
func (m Match) SeatOf(by MemberID) (seat int, ok bool) {
	for i, s := range m.Seats {
		if s.Kind == MemberSeat && s.Member == by && by != 0 {
			return i, true
		}
	}
	return 0, false
}

// ColorOf is the color that a seat has now; Empty while it is not drawn yet. Colors change
// hands in an opening protocol.
func (m Match) ColorOf(seat int) Color {
	c := m.BeganAs(seat)
	if m.asks.Black != 0 {
		c = c.Other()
	}
	return c
}

// BeganAs is the color that a seat had at the beginning; Empty while it is not drawn yet.
func (m Match) BeganAs(seat int) Color {
	if seat != 0 {
		return m.First.Other()
	}
	return m.First
}

// SeatOfColor is the seat that has c now.
func (m Match) SeatOfColor(c Color) int {
	if m.ColorOf(0) == c {
		return 0
	}
	return 1
}

// ToMove is the seat whose turn it is to move or to decide; only while the match is played.
func (m Match) ToMove() int {
	if m.Deciding() {
		return m.seatOf(m.asks.Who)
	}
	return m.SeatOfColor(m.game.Turn())
}

// EngineToMove reports whether the match waits for the engine.
func (m Match) EngineToMove() bool {
	return m.runs() && m.Seats[m.ToMove()].Kind == EngineSeat
}

// runs reports whether the match is played, and does not rest.
func (m Match) runs() bool { return m.Phase == Playing && m.Rested.IsZero() }

// between reports whether both seats are of a kind.
func (m Match) between(k SeatKind) bool { return m.Seats[0].Kind == k && m.Seats[1].Kind == k }

// BetweenMembers reports whether members play each other, or will when a challenge is accepted.
func (m Match) BetweenMembers() bool {
	human := func(s Seat) bool { return s.Kind == MemberSeat || s.Kind == OpenSeat }
	return human(m.Seats[0]) && human(m.Seats[1])
}

// Guest is the guest that plays in the match; empty where none does.
func (m Match) Guest() string { return cmp.Or(m.Seats[0].Guest, m.Seats[1].Guest) }

// Replaced reports whether an entry of the log is a move that our engine made for a guest.
func (e Made) Replaced(m Match) bool { return m.Seats[e.Seat].Guest != "" && e.Note.Level != 0 }

// AgainstEngine reports whether a member plays the engine, or a guest.
func (m Match) AgainstEngine() bool {
	return (m.Seats[0].Kind == EngineSeat) != (m.Seats[1].Kind == EngineSeat)
}

// Result is how the match stands: what ended it, or what the board says.
func (m Match) Result() Result {
	if m.End.Termination != NotOver {
		return m.End
	}
	return m.game.Result()
}

// Played is the number of moves made in the match itself, and of decisions of its opening.
func (m Match) Played() int { return len(m.Log) - len(m.Given) }

// Placed is how many of the first plies were given, or placed by the opening.
func (m Match) Placed() (plies int) {
	for i, e := range m.Log {
		if _, stone := e.Decision().Stone(); stone && i < max(len(m.Given), len(m.opened)) {
			plies++
		}
	}
	return plies
}

// Made is an entry of the log with what replay tells of it.
type Made struct {
	Entry
	Seat int // who made it
	Ply  int // the number of the ply whose stone it put on the board; 0: none
}

// Made are the entries of the log, each with its seat. Read seats here and not from the
// colors of the plies: in an opening protocol one seat may place stones of both.
func (m Match) Made() []Made {
	all := make([]Made, len(m.Log))
	plies := m.game.Plies()
	stones := 0
	for i, e := range m.Log {
		all[i].Entry = e
		if _, ok := e.Decision().Stone(); ok {
			stones++
			all[i].Ply = stones
		}
		if i < len(m.opened) {
			all[i].Seat = m.seatOf(int(m.opened[i]))
		} else {
			all[i].Seat = m.SeatOfColor(plies[stones-1].Color)
		}
	}
	return all
}

// Stones are the entries that put a stone or a disc on the board, one for each ply.
func (m Match) Stones() []Entry {
	if m.Protocol == nil {
		return m.Log
	}
	var stones []Entry
	for _, e := range m.Log {
		if _, ok := e.Decision().Stone(); ok {
			stones = append(stones, e)
		}
	}
	return stones
}

// playedBy is the number of moves that a seat made in the match itself.
func (m Match) playedBy(seat int) int {
	n := 0
	for _, e := range m.Made()[len(m.Given):] {
		if e.Seat == seat && e.Ply > 0 {
			n++
		}
	}
	return n
}

// Acted reports whether a seat has moved or decided in the match. Moves that were taken back count: an
// undo needs both sides.
func (m Match) Acted(seat int) bool {
	return m.Undos > 0 || slices.ContainsFunc(m.Made()[len(m.Given):], func(e Made) bool { return e.Seat == seat })
}

// Present reports whether a seat has come to the match: by an act, or by Here. The engine is there.
func (m Match) Present(seat int) bool {
	return m.Seats[seat].Kind == EngineSeat || m.There[seat] || m.Acted(seat)
}

// Here notes that by is there while the other side is to move. Who is to move shows it by a move.
func (m Match) Here(by MemberID, now time.Time) (Match, error) {
	seat, err := m.playing(by)
	switch {
	case err != nil:
		return Match{}, err
	case seat == m.ToMove():
		return refused(YourTurn)
	case m.Present(seat):
		return m, nil
	}
	m = m.changed(now)
	m.There[seat] = true
	return m, nil
}

// CountsForRating reports whether the ended match changes ratings. A row of five counts however
// soon it came; any other end takes five moves of each side.
func (m Match) CountsForRating() bool {
	r := m.Result()
	return m.Phase == Over && m.Rated && !m.Spoiled && r.Termination != NotOver && r.Termination < Aborted &&
		m.between(MemberSeat) && (r.Termination == ByRow || m.playedBy(0) >= 5 && m.playedBy(1) >= 5)
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

func (m Match) over(r Result, now time.Time) Match {
	if r.Termination < Aborted {
		m = m.spent(now)
	}
	m = m.changed(now)
	m.Phase = Over
	m.End = r
	m.Undoing, m.DrawBy, m.RatedBy, m.Deadline, m.Rested = UndoRequest{}, 0, 0, time.Time{}, time.Time{}
	m.Vacation = [2]time.Time{}
	return m
}

// Play makes by's move on p. It counts when now, the time at which by sent it, lies before
// the deadline. In an opening that asks for offers it offers p.
func (m Match) Play(by MemberID, p Point, now time.Time) (Match, error) {
	return m.Decide(by, m.asks.At(p), now)
}

// Decide is Play for every decision: it makes by's decision of the opening, or their move.
func (m Match) Decide(by MemberID, d Decision, now time.Time) (Match, error) {
	seat, err := m.playing(by)
	if err != nil {
		return Match{}, err
	}
	if seat != m.ToMove() {
		return Match{}, &Refusal{Code: NotYourTurn, Point: d.point()}
	}
	if !m.Deadline.IsZero() && m.Rested.IsZero() && !now.Before(m.Deadline) {
		return Match{}, &Refusal{Code: TooLate, Point: d.point()}
	}
	return m.play(seat, d, Note{}, now)
}

// Reply makes the engine's move, found for the position that at names. The level of the note
// follows from the seat. At a guest's seat it is given: that of our engine where it made the move
// for the guest, else 0.
func (m Match) Reply(at uint32, p Point, note Note, now time.Time) (Match, error) {
	return m.ReplyDecision(at, m.asks.At(p), note, now)
}

// ReplyDecision is Reply for every decision.
func (m Match) ReplyDecision(at uint32, d Decision, note Note, now time.Time) (Match, error) {
	if !m.EngineToMove() || at != m.Stamp() {
		return Match{}, &Refusal{Code: Moved, Point: d.point()}
	}
	if seat := m.Seats[m.ToMove()]; seat.Guest == "" {
		note.Level = seat.Level
	}
	return m.play(m.ToMove(), d, note, now)
}

func (m Match) play(seat int, d Decision, note Note, now time.Time) (Match, error) {
	was := m
	m, err := m.spent(now).entered(Entry{Code: uint16(d), At: stamp(now), Note: note})
	if err == nil && m.asks.Kind == AskSelect && len(m.asks.Offered) == 1 { // a choice of one is no choice
		m, err = m.entered(Entry{Code: uint16(m.asks.Offered[0]), At: stamp(now)})
	}
	if err != nil {
		return Match{}, err
	}
	m = m.changed(now)
	m.Undoing = UndoRequest{}
	m.Rested = time.Time{}
	if m.DrawBy != 0 && m.DrawBy != uint8(seat)+1 {
		m.DrawBy = 0
	}
	if m.game.Turn() == Empty {
		m.Phase = Over
		m.DrawBy, m.Deadline, m.Vacation = 0, time.Time{}, [2]time.Time{}
		return m, nil
	}
	if was.spends() && (!was.Deciding() || m.ToMove() != seat) {
		m.Left[seat] += m.ClockOf(seat).Gain
	}
	return m.turnOver(now), nil
}

// entered is m with one more entry of its log.
func (m Match) entered(e Entry) (Match, error) {
	log := append(slices.Clip(m.Log), e)
	if m.Deciding() {
		if err := m.open(log); err != nil {
			return Match{}, refusalOf(err)
		}
	}
	if err := m.enter(len(m.Log), e.Decision()); err != nil {
		return Match{}, err
	}
	m.Log = log
	return m, nil
}

// Resign gives the match to the other side, at any time.
func (m Match) Resign(by MemberID, now time.Time) (Match, error) {
	seat, err := m.playing(by)
	if err != nil {
		return Match{}, err
	}
	return m.over(Result{Termination: ByResignation, Winner: m.ColorOf(1 - seat)}, now), nil
}

// Abort ends without a result a match that is Young. The owner of a match between engines may
// end it at any time.
func (m Match) Abort(by MemberID, now time.Time) (Match, error) {
	if m.between(EngineSeat) && m.Owner == by && m.Phase == Playing {
		return m.over(Result{Termination: Aborted}, now), nil
	}
	if _, err := m.playing(by); err != nil {
		return Match{}, err
	}
	if !m.Young() {
		return refused(TooLateAbort)
	}
	return m.over(Result{Termination: Aborted}, now), nil
}

// Young reports whether the match may still be aborted: fewer than two moves were played
// and none taken back. In an opening protocol it is young until both sides have moved.
func (m Match) Young() bool {
	if m.Protocol != nil && (m.playedBy(0) == 0 || m.playedBy(1) == 0) {
		return m.Undos == 0
	}
	return m.Played() < 2 && m.Undos == 0
}

// Close ends a match without a result from outside: a moderator's word (Aborted) or a
// place that is gone (Abandoned).
func (m Match) Close(how Termination, now time.Time) (Match, error) {
	if m.Phase == Over {
		return refused(NotPlaying)
	}
	return m.over(Result{Termination: how}, now), nil
}

// Forget removes a member from the match: a running one is resigned, a challenge taken
// back, and the seat keeps no id.
func (m Match) Forget(by MemberID, now time.Time) (Match, error) {
	seat, ok := m.SeatOf(by)
	if !ok && m.Owner != by {
		return refused(NotSeated)
	}
	switch {
	case m.Phase == Offered:
		m = m.over(Result{Termination: Canceled}, now)
	case m.Phase == Playing && ok:
		m = m.over(Result{Termination: ByResignation, Winner: m.ColorOf(1 - seat)}, now)
	case m.Phase == Playing && m.between(EngineSeat):
		m = m.over(Result{Termination: Aborted}, now)
	default: // those who play go on, also where their host is the one to go
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

// Anew is m one version on, for it is to be shown in another way.
func (m Match) Anew(now time.Time) Match { return m.changed(now) }
