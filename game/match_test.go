package game_test

import (
	"errors"
	"testing"
	"time"

	"tengen/game"
	"tengen/internal/testkit"
)

const (
	ann game.MemberID = 1
	bob game.MemberID = 2
	cyd game.MemberID = 3
)

var noon = testkit.At("2026-03-01 12:00")

// table is a match of ann (black) against bob, each step a second after the last.
type table struct {
	t   *testing.T
	m   game.Match
	now time.Time
}

func offered(t *testing.T, terms game.Terms, second game.Seat) *table {
	if terms.Rules == nil {
		terms.Rules = game.Gomoku15
	}
	if terms.First == game.Empty {
		terms.First = game.Black
	}
	m := testkit.Got(game.NewMatch(7, terms, ann, game.SeatFor(ann), second, noon, noon.Add(time.Hour)))
	return &table{t, m, noon}
}

func members(t *testing.T, terms game.Terms) *table {
	t.Helper()
	b := offered(t, terms, game.SeatFor(bob))
	b.ok(b.m.Accept(bob, noon))
	return b
}

func engine(t *testing.T) *table {
	t.Helper()
	return offered(t, game.Terms{}, game.SeatEngine(3))
}

func (b *table) tick() time.Time { b.now = b.now.Add(time.Second); return b.now }

// act is what a member does a second later: resign, take back, offer a draw.
func (b *table) act(by game.MemberID, f func(game.Match, game.MemberID, time.Time) (game.Match, error)) {
	b.t.Helper()
	b.ok(f(b.m, by, b.tick()))
}

// ok takes the new match.
func (b *table) ok(m game.Match, err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatalf("refused: %v", err)
	}
	if m.Version <= b.m.Version && m.ID == b.m.ID {
		b.t.Fatalf("version %d after %d", m.Version, b.m.Version)
	}
	b.m = m
}

// no wants the refusal and the match untouched.
func (b *table) no(want game.Code) func(game.Match, error) {
	return func(_ game.Match, err error) {
		b.t.Helper()
		if !errors.Is(err, want) {
			b.t.Fatalf("got %v, want %v", err, want)
		}
	}
}

// play makes moves in turn, by whoever is to move.
func (b *table) play(moves string) {
	b.t.Helper()
	for _, p := range testkit.Got(game.ParseMoves(moves)) {
		if s := b.m.Seats[b.m.ToMove()]; s.Kind == game.EngineSeat {
			b.ok(b.m.Reply(b.m.Stamp(), p, game.Note{Nodes: 10}, b.tick()))
		} else {
			b.ok(b.m.Play(s.Member, p, b.tick()))
		}
	}
}

func (b *table) moves(want string) {
	b.t.Helper()
	if got := game.MoveList(b.m.Game().Moves()); got != want {
		b.t.Fatalf("moves %s, want %s", got, want)
	}
}

func at(s string) game.Point {
	p, err := game.ParsePoint(s, 15)
	if err != nil {
		panic(err)
	}
	return p
}

func TestChallenge(t *testing.T) {
	_, err := game.NewMatch(1, game.Terms{Rules: game.Renju}, ann, game.SeatFor(ann), game.SeatFor(ann), noon, noon)
	if !errors.Is(err, game.Yourself) {
		t.Fatalf("against oneself: %v", err)
	}
	b := offered(t, game.Terms{}, game.SeatFor(bob))
	b.no(game.NotForYou)(b.m.Accept(cyd, b.now))
	b.no(game.Yourself)(b.m.Accept(ann, b.now))
	b.no(game.NotForYou)(b.m.Decline(ann, b.now))
	b.no(game.NotForYou)(b.m.Cancel(bob, b.now))
	b.no(game.NotPlaying)(b.m.Play(ann, at("h8"), b.now))
	b.no(game.NotOffered)(b.m.Accept(bob, noon.Add(time.Hour)))
	declined := *b
	declined.ok(b.m.Decline(bob, b.now))
	if r := declined.m.Result(); r.Termination != game.Declined || r.Draw() {
		t.Fatalf("%+v", r)
	}
	b.ok(b.m.Accept(bob, b.now))
	b.no(game.NotOffered)(b.m.Accept(bob, b.now))
	b.no(game.NotSeated)(b.m.Play(cyd, at("h8"), b.now))
	b.no(game.NotYourTurn)(b.m.Play(bob, at("h8"), b.now))
	b.play("h8i9")
	b.no(game.Occupied)(b.m.Play(ann, at("h8"), b.now))
}

func TestChallengeColors(t *testing.T) {
	b := offered(t, game.Terms{}, game.SeatFor(bob))
	b.no(game.NotForYou)(b.m.Color(bob, game.White, b.now))
	b.no(game.NotForYou)(b.m.Color(0, game.White, b.now))
	before := b.m.Version
	b.ok(b.m.Color(ann, game.White, b.now))
	if b.m.First != game.White || b.m.Version == before {
		t.Fatalf("ann has %v in version %d", b.m.First, b.m.Version)
	}
	b.ok(b.m.Accept(bob, b.now))
	if c := b.m.ColorOf(0); c != game.White {
		t.Fatalf("ann plays %v", c)
	}
	b.no(game.NotOffered)(b.m.Color(ann, game.Black, b.now))
}

func TestOpenChallenge(t *testing.T) {
	b := offered(t, game.Terms{}, game.Seat{})
	b.no(game.Yourself)(b.m.Accept(ann, b.now))
	b.no(game.NotForYou)(b.m.Decline(bob, b.now))
	b.ok(b.m.Accept(cyd, b.now))
	if seat, ok := b.m.SeatOf(cyd); !ok || seat != 1 {
		t.Fatal("cyd has no seat")
	}
	b = offered(t, game.Terms{}, game.Seat{})
	b.no(game.NoOffer)(second(b.m.Tick(noon.Add(time.Hour - 1))))
	b.ok(second(b.m.Tick(noon.Add(time.Hour))))
	if b.m.Result().Termination != game.Expired {
		t.Fatal(b.m.Result())
	}
}

func second(m game.Match, _ game.Event, err error) (game.Match, error) { return m, err }

func TestUndoAgainstEngine(t *testing.T) {
	b := engine(t)
	b.no(game.NothingToUndo)(b.m.Undo(ann, b.now))
	b.play("h8i9h9")
	if !b.m.EngineToMove() {
		t.Fatal("the engine is not asked")
	}
	late := b.m.Stamp()
	b.act(ann, game.Match.Undo) // while it thinks: one ply
	b.moves("h8i9")
	b.play("g8")
	b.no(game.Moved)(b.m.Reply(late, at("h10"), game.Note{}, b.now)) // same length, other position
	b.play("g9")
	b.act(ann, game.Match.Undo) // after the reply: two
	b.moves("h8i9")
	b.play("h9i8h10i10h7i11h6")
	if r := b.m.Result(); b.m.Phase != game.Over || r.Winner != game.Black || r.Termination != game.ByRow {
		t.Fatalf("%+v", r)
	}
	b.act(ann, game.Match.Undo) // after the end
	b.moves("h8i9h9i8h10i10h7i11")
}

func TestUndoBetweenMembers(t *testing.T) {
	b := members(t, game.Terms{Rated: true})
	b.play("h8i9h9i8")
	b.act(ann, game.Match.Undo)
	if got := b.m.TakesBack(0); len(got) != 2 || got[0].Decision() != game.Decision(at("h9")) {
		t.Fatalf("%v", got)
	}
	b.no(game.UndoPending)(b.m.Undo(bob, b.now))
	b.no(game.OwnOffer)(b.m.AnswerUndo(ann, true, b.now))
	b.ok(b.m.AnswerUndo(bob, false, b.tick()))
	b.no(game.UndoRefused)(b.m.Undo(ann, b.now))
	b.no(game.NoOffer)(b.m.AnswerUndo(bob, true, b.now))
	b.play("g8")
	b.act(ann, game.Match.Undo)
	b.play("g9") // a move closes the request
	b.no(game.NoOffer)(b.m.AnswerUndo(bob, true, b.now))
	b.act(bob, game.Match.Undo)
	b.ok(b.m.AnswerUndo(ann, true, b.tick()))
	b.moves("h8i9h9i8g8")
	if !b.m.Rated || !b.m.Spoiled {
		t.Fatal("an undo makes the match unrated")
	}
}

func TestUndoAcrossReversiPass(t *testing.T) {
	b := members(t, game.Terms{Rules: game.Reversi})
	ps, _ := game.ParseMoves("D3C5E6D2C6D6B5F5E7F6F4F3G4D7G3G5H6H5H4E8C7H3C3H7E3B6G6F7D8C2D1C4B4A5F8F2E2A4A3B3F1G7B7C8" +
		"A6A7C1B2A8B8A2E1H8G8H2G1H1G2A1B1")
	b.play(game.MoveList(ps[:59]))
	plies := b.m.Game().Plies()
	if last := plies[58]; !last.Passed || last.Color != game.White {
		t.Fatalf("no pass before %+v", last)
	}
	b.act(bob, game.Match.Undo)
	b.ok(b.m.AnswerUndo(ann, true, b.tick()))
	if b.m.Game().Len() != 58 || b.m.Game().Turn() != game.White {
		t.Fatalf("%d moves, %v to move", b.m.Game().Len(), b.m.Game().Turn())
	}
	b.play("a1b1")
	if r := b.m.Result(); r.Termination != game.ByCount || !r.Draw() {
		t.Fatalf("%+v", r)
	}
}

func TestDraw(t *testing.T) {
	b := members(t, game.Terms{})
	b.play("h8i9")
	b.act(ann, game.Match.Draw)
	b.no(game.DrawTooSoon)(b.m.Draw(ann, b.now))
	b.no(game.OwnOffer)(b.m.AnswerDraw(ann, true, b.now))
	b.play("h9") // the one who offers may move on
	if b.m.DrawBy == 0 {
		t.Fatal("the offer is gone")
	}
	b.play("i8") // the other's move closes it
	b.no(game.NoOffer)(b.m.AnswerDraw(bob, true, b.now))
	b.play("g8g9")
	b.no(game.DrawTooSoon)(b.m.Draw(ann, b.now))
	b.act(bob, game.Match.Draw)
	b.act(ann, game.Match.Draw) // both offering is a draw, even so soon
	if r := b.m.Result(); !r.Draw() || r.Termination != game.ByAgreement {
		t.Fatalf("%+v", r)
	}
}

// A draw offer of a move that was taken back keeps nobody from the next one for longer.
func TestDrawTakenBack(t *testing.T) {
	b := members(t, game.Terms{})
	b.play("h8i9")
	b.act(ann, game.Match.Draw)
	b.act(ann, game.Match.Undo)
	b.ok(b.m.AnswerUndo(bob, true, b.tick()))
	b.ok(b.m.AnswerDraw(bob, false, b.tick()))
	b.play("h8i9h9i8g8g9f8f9e1e2")
	b.act(ann, game.Match.Draw)
}

// An undo request and a draw offer stand beside one another: the answer to one leaves the other.
func TestDrawBesideUndo(t *testing.T) {
	both := func(offers game.MemberID) *table {
		b := members(t, game.Terms{})
		b.play("h8i9")
		b.act(ann, game.Match.Undo)
		b.act(offers, game.Match.Draw)
		return b
	}
	for by, other := range map[game.MemberID]game.MemberID{ann: bob, bob: ann} {
		refused := both(by)
		refused.ok(refused.m.AnswerUndo(bob, false, refused.tick()))
		refused.ok(refused.m.AnswerDraw(other, true, refused.tick()))
		granted := both(by)
		granted.ok(granted.m.AnswerUndo(bob, true, granted.tick()))
		granted.moves("")
		granted.ok(granted.m.AnswerDraw(other, true, granted.tick()))
		if r := granted.m.Result(); r.Termination != game.ByAgreement {
			t.Errorf("%+v", r)
		}
		played := both(by)
		if played.play("j10"); played.m.Undoing.Open || (played.m.DrawBy != 0) != (by == ann) {
			t.Errorf("after a move of ann: %+v, a draw by %d", played.m.Undoing, played.m.DrawBy)
		}
		drawn := both(by)
		drawn.ok(drawn.m.AnswerDraw(other, false, drawn.tick()))
		drawn.ok(drawn.m.AnswerUndo(bob, true, drawn.tick()))
		drawn.moves("")
	}
}

func TestAbortAndResign(t *testing.T) {
	b := members(t, game.Terms{})
	b.play("h8")
	aborted := *b
	aborted.ok(b.m.Abort(bob, b.now))
	b.play("i9")
	b.no(game.TooLateAbort)(b.m.Abort(bob, b.now))
	b.act(ann, game.Match.Resign)
	if r := b.m.Result(); r.Winner != game.White || r.Termination != game.ByResignation {
		t.Fatalf("%+v", r)
	}
	b.no(game.NotPlaying)(b.m.Undo(ann, b.now))
	b = engine(t)
	b.play("h8i9")
	b.act(ann, game.Match.Undo)
	b.no(game.TooLateAbort)(b.m.Abort(ann, b.now)) // not after an undo
}

func TestClock(t *testing.T) {
	b := members(t, game.Terms{Clock: game.PerMove(time.Minute)})
	b.play("h8")
	event, due := b.m.Due()
	if want := b.m.Turned.Add(45 * time.Second); event != game.RemindEvent || !due.Equal(want) {
		t.Fatalf("%v at %v", event, due)
	}
	b.ok(second(b.m.Tick(due)))
	deadline := b.m.Deadline
	b.no(game.TooLate)(b.m.Play(bob, at("i9"), deadline))
	b.no(game.NoOffer)(second(b.m.Tick(deadline)))
	late, stopped := *b, *b
	late.ok(second(b.m.Tick(deadline.Add(game.Grace))))
	if r := late.m.Result(); r.Termination != game.Aborted || !late.m.RanOut() {
		t.Fatalf("before both have moved: %+v, ran out: %v", r, late.m.RanOut())
	}
	stopped.ok(b.m.Close(game.Aborted, deadline.Add(-1)))
	if stopped.m.RanOut() {
		t.Fatal("stopped in time, and it ran out")
	}
	b.ok(b.m.Play(bob, at("i9"), deadline.Add(-1)))
	b.no(game.NoOffer)(second(b.m.Tick(b.m.Deadline))) // too late for a reminder
	b.ok(second(b.m.Tick(b.m.Deadline.Add(game.Grace))))
	if r := b.m.Result(); r.Termination != game.ByTimeout || r.Winner != game.White {
		t.Fatalf("%+v", r)
	}
	slow := members(t, game.Terms{})
	slow.play("h8")
	if _, event, _ := slow.m.Tick(slow.m.Turned.Add(game.AbandonAfter)); event != game.AbandonEvent {
		t.Fatalf("after a week without a sweep: %v", event)
	}
}

// Where an event gives the first moves a shorter time, it runs for each side's first move; where it gives them a
// longer one, the match has no deadline until both have moved.
func TestBegin(t *testing.T) {
	b := members(t, game.Terms{Clock: game.PerMove(8 * time.Minute), Begin: 5 * time.Minute})
	for i, move := range []string{"h8", "i9", "h9"} {
		want := 5 * time.Minute
		if i == 2 {
			want = 8 * time.Minute
		}
		if got := b.m.Deadline.Sub(b.m.Turned); got != want {
			t.Errorf("move %d: %v, want %v", i+1, got, want)
		}
		if event, at := b.m.Due(); event != game.RemindEvent || !at.Equal(b.m.Turned.Add(want*3/4)) {
			t.Errorf("move %d: event %v at %v", i+1, event, at.Sub(b.m.Turned))
		}
		b.play(move)
	}
	b = members(t, game.Terms{Clock: game.PerMove(time.Hour), Begin: 36 * time.Hour})
	for _, move := range []string{"h8", "i9"} {
		if !b.m.Deadline.IsZero() {
			t.Errorf("a first move has until %v", b.m.Deadline)
		}
		b.play(move)
	}
	testkit.Want(t, "the third move has", b.m.Deadline.Sub(b.m.Turned), time.Hour)
}

// Who waits can say that they are there; who is to move shows it by a move.
func TestHere(t *testing.T) {
	b := members(t, game.Terms{})
	b.no(game.YourTurn)(b.m.Here(ann, b.tick()))
	b.no(game.NotSeated)(b.m.Here(cyd, b.now))
	if b.m.Present(0) || b.m.Present(1) {
		t.Error("somebody has come before the first move")
	}
	before := b.m
	b.act(bob, game.Match.Here)
	if !b.m.Present(1) || b.m.Acted(1) || b.m.Stamp() != before.Stamp() || b.m.Version == before.Version ||
		before.Present(1) {
		t.Errorf("after bob said so: %+v", b.m)
	}
	before = b.m
	if again, err := b.m.Here(bob, b.tick()); err != nil || again.Version != before.Version {
		t.Errorf("the second time: version %d, %v", again.Version, err)
	}
	b.play("h8")
	if !b.m.Acted(0) || b.m.Acted(1) {
		t.Error("ann has moved, and bob has not")
	}
	b.act(ann, game.Match.Undo)
	b.ok(b.m.AnswerUndo(bob, true, b.tick()))
	if !b.m.Acted(0) || !b.m.Acted(1) {
		t.Error("both have taken a move back")
	}
	if e := engine(t); !e.m.Present(1) {
		t.Error("the engine is away")
	}
}

func TestRestAndPostpone(t *testing.T) {
	b := members(t, game.Terms{Clock: game.PerMove(time.Minute)})
	left := b.m.Deadline.Sub(noon)
	b.ok(b.m.Rest(noon.Add(10 * time.Second)))
	b.ok(b.m.Wake(noon.Add(24 * time.Hour)))
	if got := b.m.Deadline.Sub(noon.Add(24 * time.Hour)); got != left-10*time.Second {
		t.Fatalf("%v left of %v", got, left)
	}
	back := noon.Add(25 * time.Hour)
	b.ok(b.m.Postpone(time.Hour, back.Add(10*time.Minute), back))
	if !b.m.Deadline.Equal(back.Add(10 * time.Minute)) {
		t.Fatalf("deadline %v", b.m.Deadline)
	}
}

func TestForgotten(t *testing.T) {
	b := members(t, game.Terms{})
	b.play("h8i9")
	b.ok(second(b.m.Tick(b.now.Add(game.RemindAfter))))
	b.ok(second(b.m.Tick(b.now.Add(game.AbandonAfter))))
	if r := b.m.Result(); r.Termination != game.Abandoned || r.Winner != game.Empty || r.Draw() {
		t.Fatalf("%+v", r)
	}
}

// A rematch from a balanced opening needs that both want this one: who wants the other kind asks
// anew.
func TestRematchBalanced(t *testing.T) {
	b := members(t, game.Terms{})
	b.play("h8i9h9i8h10i10h7i11h6")
	b.ok(b.m.RematchBalanced(ann, 8, b.tick()))
	b.ok(b.m.Rematch(bob, 9, b.tick()))
	if b.m.Next != 0 || b.m.Again != [2]bool{false, true} || b.m.AgainBalanced {
		t.Fatalf("a wish for the one kind was taken for the other: %v %v", b.m.Again, b.m.AgainBalanced)
	}
	b.ok(b.m.RematchBalanced(ann, 10, b.tick()))
	b.ok(b.m.RematchBalanced(bob, 11, b.tick()))
	given := []game.Point{game.At(7, 7), game.At(8, 8)}
	next, err := b.m.Successor(given, 1, b.tick())
	if err != nil || next.ID != 11 || next.Opening != game.BalancedOpening || len(next.Given) != 2 {
		t.Fatalf("%v %+v", err, next)
	}
	// Reversi has no such openings, and one that began with a protocol keeps it.
	c := members(t, game.Terms{Rules: game.Reversi})
	c.ok(c.m.Resign(ann, c.tick()))
	if m, err := c.m.RematchBalanced(bob, 8, c.tick()); err != nil || m.AgainBalanced {
		t.Errorf("%v %v", m.AgainBalanced, err)
	}
}

func TestRematch(t *testing.T) {
	b := members(t, game.Terms{Rated: true, Clock: game.PerMove(time.Hour), Begin: time.Minute})
	b.no(game.RematchTooSoon)(b.m.Rematch(ann, 8, b.now))
	b.play("h8i9h9i8h10i10h7i11h6")
	b.ok(b.m.Rematch(ann, 8, b.tick()))
	if b.m.Next != 0 {
		t.Fatal("one wish made a rematch")
	}
	b.ok(b.m.Rematch(bob, 9, b.tick()))
	b.no(game.RematchMade)(b.m.Rematch(ann, 10, b.now))
	next, err := b.m.Successor(nil, 1, b.tick())
	if err != nil || next.ID != 9 || next.Phase != game.Playing || next.ColorOf(0) != game.White ||
		!next.Rated || next.Begin != 0 {
		t.Fatalf("%v %+v", err, next)
	}
}

func TestRated(t *testing.T) {
	b := members(t, game.Terms{Rated: true})
	b.play("h8a1h9a3h10a5h7a7")
	for _, moves := range []string{"", "j1"} {
		short := *b
		short.play(moves)
		if short.ok(short.m.Resign(bob, short.tick())); short.m.CountsForRating() {
			t.Error("a game of four moves of a side that was resigned is rated")
		}
	}
	quick := *b
	if quick.play("h6"); quick.m.Phase != game.Over || !quick.m.CountsForRating() {
		t.Error("a five after nine moves is not rated")
	}
	b.play("j1a9j3a11")
	b.act(bob, game.Match.Resign)
	if !b.m.CountsForRating() {
		t.Fatal("a rated match does not count")
	}
	e := offered(t, game.Terms{Rated: true}, game.SeatEngine(1))
	if e.m.Rated {
		t.Fatal("a match against the engine is rated")
	}
}

func TestForget(t *testing.T) {
	b := members(t, game.Terms{Note: "hi"})
	b.play("h8i9")
	b.act(ann, game.Match.Forget)
	if r := b.m.Result(); r.Winner != game.White || b.m.Seats[0].Kind != game.FormerSeat || b.m.Note != "" ||
		b.m.Owner != 0 {
		t.Fatalf("%+v", b.m)
	}
	b.no(game.NotSeated)(b.m.Rematch(bob, 9, b.now))

	// Who brought two others together goes: they play on. Engines, whom nobody else watches, stop.
	for want, seats := range map[game.Phase][2]game.Seat{game.Playing: {game.SeatFor(ann), game.SeatFor(bob)},
		game.Over: {game.SeatEngine(1), game.SeatEngine(2)}} {
		m, err := game.NewMatch(7, game.Terms{Rules: game.Gomoku15, First: game.Black}, cyd, seats[0], seats[1],
			noon, time.Time{})
		if err == nil && m.Phase == game.Offered {
			m, err = m.Accept(bob, noon)
		}
		if err == nil {
			m, err = m.Forget(cyd, noon.Add(time.Second))
		}
		if err != nil || m.Phase != want || m.Owner != 0 {
			t.Errorf("phase %v, want %v, owner %d (%v)", m.Phase, want, m.Owner, err)
		}
	}
}

func TestReplay(t *testing.T) {
	b := members(t, game.Terms{Given: []game.Point{at("h8"), at("h9")}, Opening: game.BalancedOpening})
	b.no(game.NothingToUndo)(b.m.Undo(bob, b.now))
	b.play("i9")
	stored := b.m
	again, err := stored.Replay()
	if err != nil || !again.Game().Equal(b.m.Game()) {
		t.Fatal(err)
	}
	stored.Log = append(stored.Log[:0:0], stored.Log...)
	stored.Log[2].Code = uint16(at("h8"))
	if _, err := stored.Replay(); !errors.Is(err, game.Occupied) {
		t.Fatalf("%v", err)
	}
}

// What makes a match unrated, at its start or on the way.
func TestUnrated(t *testing.T) {
	moves := "h8a1h9a3h10a5h7a7j1a9j3a11"
	resigned := func(b *table) *table {
		t.Helper()
		b.play(moves)
		b.act(bob, game.Match.Resign)
		return b
	}
	if b := resigned(members(t, game.Terms{Rated: true})); !b.m.CountsForRating() {
		t.Fatal("a rated match does not count")
	}
	if b := resigned(members(t, game.Terms{})); b.m.CountsForRating() {
		t.Error("a match that was not to be rated counts")
	}
	if b := members(t, game.Terms{Rated: true, Opening: game.ImportedOpening}); b.m.Rated {
		t.Error("a match from an imported position is rated")
	}
	b := members(t, game.Terms{Rated: true})
	b.play(moves)
	b.act(ann, game.Match.Undo)
	b.ok(b.m.AnswerUndo(bob, true, b.tick()))
	b.play("j4a12")
	b.act(bob, game.Match.Resign)
	if b.m.CountsForRating() {
		t.Error("a match with an undo counts")
	}
	b = members(t, game.Terms{Rated: true})
	b.play(moves)
	b.act(ann, game.Match.Hinted)
	b.act(bob, game.Match.Resign)
	if b.m.CountsForRating() {
		t.Error("a match with a hint counts")
	}
	b = members(t, game.Terms{Rated: true})
	b.play(moves)
	b.ok(b.m.Close(game.Abandoned, b.tick()))
	if b.m.CountsForRating() {
		t.Error("a match that was closed counts")
	}
	b = members(t, game.Terms{Rated: true})
	b.play(moves)
	b.act(bob, game.Match.Forget)
	if b.m.CountsForRating() {
		t.Error("a match of a former member counts")
	}
}

// An ended match stays as it ended, except for an undo against the engine that nothing has
// followed yet.
func TestOverStays(t *testing.T) {
	b := members(t, game.Terms{})
	b.play("h8i9")
	b.act(ann, game.Match.Resign)
	b.no(game.NotPlaying)(b.m.Close(game.Aborted, b.now))
	b.no(game.NotPlaying)(b.m.Rest(b.now))
	b.no(game.NotPlaying)(b.m.Resign(bob, b.now))

	b = engine(t)
	b.play("h8i9")
	b.act(ann, game.Match.Resign)
	again := *b
	b.ok(b.m.Rematch(ann, 8, b.tick()))
	b.no(game.NotPlaying)(b.m.Undo(ann, b.now)) // the rematch is under way
	again.ok(again.m.Undo(ann, again.tick()))
	if r := again.m.Result(); again.m.Phase != game.Playing || r.Over() {
		t.Errorf("after the undo: %+v", r)
	}
	closed := engine(t)
	closed.play("h8i9")
	closed.ok(closed.m.Close(game.Aborted, closed.tick()))
	closed.no(game.NotPlaying)(closed.m.Undo(ann, closed.now))

	b = offered(t, game.Terms{First: game.Empty}, game.SeatFor(bob))
	b.m.First = game.Empty // drawn when the match begins
	b.act(bob, game.Match.Decline)
	b.no(game.RematchTooSoon)(b.m.Rematch(ann, 8, b.now))
}

// Nobody, whose id is zero, is neither challenger nor challenged, and sits nowhere.
func TestNobody(t *testing.T) {
	b := offered(t, game.Terms{}, game.Seat{})
	b.no(game.NotForYou)(b.m.Decline(0, b.now))
	b = engine(t)
	b.no(game.NotSeated)(b.m.Resign(0, b.now))
	b.no(game.NotSeated)(b.m.Forget(0, b.now))
	m := testkit.Got(game.NewMatch(7, game.Terms{Rules: game.Gomoku15, First: game.Black}, ann, game.SeatEngine(1),
		game.SeatEngine(2), noon, noon))
	b = &table{t, m, noon}
	b.play("h8i9h9")
	b.no(game.NotSeated)(b.m.Abort(bob, b.now))
	b.no(game.NotPlaying)(b.m.EngineDraw(true, b.now)) // two engines offer one another nothing
	b.act(ann, game.Match.Abort)
}

// Who sits at neither side can do nothing to a match, whatever its state: their seat is no seat, and
// not the first one.
func TestStranger(t *testing.T) {
	played := members(t, game.Terms{Rated: true})
	played.play("h8i9h9i8")
	asked, drawn := *played, *played
	asked.ok(asked.m.Undo(ann, asked.tick()))
	drawn.ok(drawn.m.Draw(ann, drawn.tick()))
	against := engine(t)
	against.play("h8i9h9")
	won := engine(t)
	won.play("h8h1i8i1j8j1k8k1l8")
	for name, b := range map[string]*table{"two members": played, "an undo asked for": &asked, "a draw offered": &drawn,
		"the engine": against, "the engine, over": won} {
		for _, by := range []game.MemberID{cyd, 0} {
			for act, try := range map[string]func() (game.Match, error){
				"play":        func() (game.Match, error) { return b.m.Play(by, at("a1"), b.now) },
				"undo":        func() (game.Match, error) { return b.m.Undo(by, b.now) },
				"answer undo": func() (game.Match, error) { return b.m.AnswerUndo(by, true, b.now) },
				"draw":        func() (game.Match, error) { return b.m.Draw(by, b.now) },
				"answer draw": func() (game.Match, error) { return b.m.AnswerDraw(by, true, b.now) },
				"resign":      func() (game.Match, error) { return b.m.Resign(by, b.now) },
				"abort":       func() (game.Match, error) { return b.m.Abort(by, b.now) },
				"forget":      func() (game.Match, error) { return b.m.Forget(by, b.now) },
				"here":        func() (game.Match, error) { return b.m.Here(by, b.now) },
				"hinted":      func() (game.Match, error) { return b.m.Hinted(by, b.now) },
				"rematch":     func() (game.Match, error) { return b.m.Rematch(by, 9, b.now) },
			} {
				if _, err := try(); !errors.Is(err, game.NotSeated) {
					t.Errorf("%s: %s by %d: %v", name, act, by, err)
				}
			}
		}
	}
}

// A match that rests loses no time, whatever its clock, and a host whose clock went back
// takes no time away.
func TestRestLosesNothing(t *testing.T) {
	b := members(t, game.Terms{Clock: game.PerMove(time.Minute)})
	deadline, turned := b.m.Deadline, b.m.Turned
	b.ok(b.m.Rest(noon.Add(10 * time.Second)))
	b.no(game.NotPlaying)(b.m.Rest(noon.Add(20 * time.Second)))
	if event, due := b.m.Due(); event != game.AbandonEvent || !due.Equal(noon.Add(10*time.Second+game.AbandonAfter)) {
		t.Errorf("at rest: %v at %v", event, due)
	}
	back := *b
	back.ok(b.m.Wake(noon.Add(5 * time.Second)))
	if !back.m.Deadline.Equal(deadline) || !back.m.Turned.Equal(turned) {
		t.Errorf("a clock that went back: %v, %v", back.m.Deadline, back.m.Turned)
	}
	woken := *b
	woken.ok(b.m.Wake(noon.Add(10*time.Second + time.Hour)))
	if !woken.m.Deadline.Equal(deadline.Add(time.Hour)) || !woken.m.Turned.Equal(turned.Add(time.Hour)) {
		t.Errorf("an hour at rest: %v, %v", woken.m.Deadline, woken.m.Turned)
	}
	b.ok(b.m.Play(ann, at("h8"), noon.Add(time.Hour))) // its clock stands
	if !b.m.Rested.IsZero() {
		t.Error("a move leaves it at rest")
	}
}

// The engine's turn rests with its match, and nobody reminds the engine.
func TestEngineRests(t *testing.T) {
	b := engine(t)
	b.play("h8")
	if event, due := b.m.Due(); event != game.AbandonEvent || !due.Equal(b.m.Turned.Add(game.AbandonAfter)) {
		t.Errorf("the engine's turn: %v at %v", event, due)
	}
	b.ok(b.m.Rest(b.tick()))
	if b.m.EngineToMove() {
		t.Error("the engine is asked in a match that rests")
	}
	b.no(game.Moved)(b.m.Reply(b.m.Stamp(), at("i9"), game.Note{}, b.now))
}

// A rematch from a given position has its own stones only where the engine gives new ones.
func TestSuccessorGiven(t *testing.T) {
	stones := []game.Point{at("h8"), at("h9")}
	for opening, want := range map[game.Opening]int{game.BalancedOpening: 1, game.ImportedOpening: 2} {
		b := members(t, game.Terms{Given: stones, Opening: opening})
		b.play("i9i8")
		b.act(ann, game.Match.Resign)
		b.ok(b.m.Rematch(ann, 8, b.tick()))
		b.ok(b.m.Rematch(bob, 8, b.tick()))
		next, err := b.m.Successor(stones[:1], 1, b.tick())
		if err != nil || len(next.Given) != want || next.Rated != b.m.Rated {
			t.Errorf("opening %d: %d stones, want %d; %v", opening, len(next.Given), want, err)
		}
	}
}

// Two moves from one match are two matches: neither writes into the other's log.
func TestTwoFutures(t *testing.T) {
	b := members(t, game.Terms{})
	for _, move := range []string{"h8", "i9", "h9", "i8", "h10"} {
		b.play(move)
		by := b.m.Seats[b.m.ToMove()].Member
		one := testkit.Got(b.m.Play(by, at("a1"), b.now))
		testkit.Got(b.m.Play(by, at("b2"), b.now))
		if last := one.Log[len(one.Log)-1].Decision(); last != game.Decision(at("a1")) {
			t.Fatalf("after %s, a1 became %v", move, last)
		}
	}
}

// A challenge is casual by one word, and rated again by two: one asks, and the other agrees.
func TestRate(t *testing.T) {
	for _, c := range []struct {
		name   string
		other  game.Seat
		terms  game.Terms
		says   string // who asks for a rated game, one after the other; 0: bob wants a casual one
		rated  bool
		asking uint8
	}{
		{"one alone", game.SeatFor(bob), game.Terms{}, "1", false, 1},
		{"one alone, twice", game.SeatFor(bob), game.Terms{}, "22", false, 2},
		{"both", game.SeatFor(bob), game.Terms{}, "12", true, 0},
		{"both, the other way round", game.SeatFor(bob), game.Terms{}, "21", true, 0},
		{"casual in between", game.SeatFor(bob), game.Terms{}, "102", false, 2},
		{"casual after all", game.SeatFor(bob), game.Terms{}, "120", false, 0},
		{"an old button", game.SeatFor(bob), game.Terms{}, "121", true, 0},
		{"open to all", game.Seat{}, game.Terms{}, "1", true, 0},
		{"a stranger", game.SeatFor(bob), game.Terms{}, "13", false, 1},
		{"a position that was brought", game.SeatFor(bob), game.Terms{Opening: game.ImportedOpening}, "12", false, 0},
	} {
		c.terms.Rules = game.Gomoku15
		m := testkit.Got(game.NewMatch(7, c.terms, ann, game.SeatFor(ann), c.other, noon, noon.Add(time.Hour)))
		for _, by := range c.says {
			next, err := m.Rate(game.MemberID(by-'0'), noon)
			if by == '0' {
				next, err = m.Casual(bob, noon)
			}
			if err == nil {
				m = next
			}
		}
		if m.Rated != c.rated || m.RatedBy != c.asking {
			t.Errorf("%s: rated is %v, %d asks", c.name, m.Rated, m.RatedBy)
		}
		m = testkit.Got(m.Accept(bob, noon))
		if m.RatedBy != 0 || m.Rated != c.rated {
			t.Errorf("%s, accepted: rated is %v, %d asks", c.name, m.Rated, m.RatedBy)
		}
		if _, err := m.Rate(ann, noon); err == nil {
			t.Errorf("%s: changed under way", c.name)
		}
	}
}
