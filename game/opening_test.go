package game_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/opening"
)

// decide takes the decisions of a line in turn, each by whoever is asked.
func (b *table) decide(line string) {
	b.t.Helper()
	for _, word := range strings.Fields(line) {
		d, ok := game.ParseDecision(word)
		if !ok {
			b.t.Fatalf("%q is no decision", word)
		}
		if p, ok := d.Stone(); ok {
			d = b.m.Question().At(p)
		}
		if s := b.m.Seats[b.m.ToMove()]; s.Kind == game.EngineSeat {
			b.ok(b.m.ReplyDecision(b.m.Stamp(), d, game.Note{Nodes: 10}, b.tick()))
		} else {
			b.ok(b.m.Decide(s.Member, d, b.tick()))
		}
	}
}

// decided wants these decisions in the log, and who is asked next for what.
func (b *table) decided(want string, next game.MemberID, asked game.Asked) {
	b.t.Helper()
	var words []string
	for _, e := range b.m.Log {
		words = append(words, strings.ToLower(e.Decision().String()))
	}
	if got := strings.Join(words, " "); got != want {
		b.t.Fatalf("decided %q, want %q", got, want)
	}
	if got := b.m.Seats[b.m.ToMove()].Member; got != next || b.m.Question().Kind != asked {
		b.t.Fatalf("after %q: member %d is asked for %d, want member %d for %d", want, got, b.m.Question().Kind, next, asked)
	}
}

// has wants by to have c now.
func (b *table) has(by game.MemberID, c game.Color) {
	b.t.Helper()
	seat, _ := b.m.SeatOf(by)
	if b.m.ColorOf(seat) != c || b.m.SeatOfColor(c) != seat || b.m.ColorOf(1-seat) != c.Other() {
		b.t.Fatalf("member %d has %v, want %v", by, b.m.ColorOf(seat), c)
	}
}

func TestSwap2Match(t *testing.T) {
	b := members(t, game.Terms{Protocol: opening.Swap2, Clock: game.PerMove(time.Minute), Rated: true})
	if b.m.Opening != game.ProtocolOpening || !b.m.Deciding() {
		t.Fatalf("opening %d, deciding %v", b.m.Opening, b.m.Deciding())
	}
	b.no(game.NotYourTurn)(b.m.Play(bob, at("h8"), b.now))
	b.no(game.NotAsked)(b.m.Decide(ann, game.Swap, b.now))
	b.play("h8h9i8")
	b.decided("h8 h9 i8", bob, game.AskChoose)
	b.no(game.NotYourTurn)(b.m.Decide(ann, game.TakeBlack, b.now))
	b.no(game.NotAsked)(b.m.Play(bob, at("g7"), b.now))
	if !b.m.Deadline.Equal(b.now.Add(time.Minute)) {
		t.Fatalf("the deadline of the question is %v, asked at %v", b.m.Deadline, b.now)
	}
	b.no(game.TooLate)(b.m.Decide(bob, game.TakeBlack, b.m.Deadline))
	b.decide("two g9 j7 white")
	b.decided("h8 h9 i8 two g9 j7 white", ann, game.AskNothing)
	b.has(ann, game.White)
	b.has(bob, game.Black)
	b.no(game.OpeningOver)(b.m.Decide(ann, game.Stay, b.now))
	b.moves("h8h9i8g9j7")
	b.play("i7i9")
	b.decided("h8 h9 i8 two g9 j7 white i7 i9", ann, game.AskNothing)
	var seats []int
	for _, e := range b.m.Made() {
		seats = append(seats, e.Seat)
	}
	if want := []int{0, 0, 0, 1, 1, 1, 0, 0, 1}; !slices.Equal(seats, want) {
		t.Fatalf("seats %v, want %v", seats, want)
	}
	resigned := *b
	resigned.ok(b.m.Resign(ann, b.tick()))
	if r := resigned.m.Result(); r.Winner != game.Black || resigned.m.SeatOfColor(r.Winner) != 1 {
		t.Fatalf("ann resigned: %+v", r)
	}
	// The rematch has the same opening, and bob opens.
	resigned.ok(resigned.m.Rematch(ann, 8, b.tick()))
	resigned.ok(resigned.m.Rematch(bob, 8, b.tick()))
	next, err := resigned.m.Successor(nil, 1, b.tick())
	if err != nil || next.Protocol != opening.Swap2 || next.Seats[next.ToMove()].Member != bob ||
		next.Question().Kind != game.AskPlace {
		t.Fatalf("rematch: %v, asks %+v", err, next.Question())
	}
}

// An undo goes back to the last decision of the member who asks, whatever it was, and the
// colors go back with it.
func TestUndoInOpening(t *testing.T) {
	b := members(t, game.Terms{Rules: game.Renju, Protocol: opening.Taraguchi10})
	undo := func(by, other game.MemberID) {
		t.Helper()
		b.act(by, game.Match.Undo)
		b.ok(b.m.AnswerUndo(other, true, b.tick()))
	}
	b.no(game.NothingToUndo)(b.m.Undo(bob, b.now))
	b.decide("h8 swap h9")
	b.has(bob, game.Black)
	b.decided("h8 swap h9", bob, game.AskSwap)
	undo(bob, ann) // bob swapped before ann's second stone
	b.decided("h8", bob, game.AskSwap)
	b.has(bob, game.White)
	b.decide("swap h9 swap h7 stay g7 ten a1 a2")
	b.has(ann, game.Black)
	b.decided("h8 swap h9 swap h7 stay g7 ten a1 a2", ann, game.AskOffer)
	b.act(ann, game.Match.Undo) // the last offer alone, and at once
	b.decided("h8 swap h9 swap h7 stay g7 ten a1", ann, game.AskOffer)
	undo(bob, ann) // bob's stone, and with it what ann chose and offered
	b.decided("h8 swap h9 swap h7 stay", bob, game.AskPlace)
	undo(ann, bob) // ann's own black stone
	b.decided("h8 swap h9 swap", ann, game.AskPlace)
	b.has(ann, game.Black)
	undo(bob, ann)
	b.decided("h8 swap h9", bob, game.AskSwap)
	b.has(ann, game.White)
	b.moves("h8h9")
}

// An offered point is taken back without a question while more are asked for. That costs neither
// the rating nor gains time, and ends somewhere; with the last offer it is over.
func TestOfferTakenBack(t *testing.T) {
	b := members(t, game.Terms{Rules: game.Renju, Protocol: opening.RIF, Clock: game.PerMove(time.Minute), Rated: true})
	b.decide("h8 h9 h10 stay h11 a1")
	b.no(game.OfferedBefore)(b.m.Play(ann, at("a1"), b.now))
	before := b.m
	b.act(ann, game.Match.Undo)
	b.decided("h8 h9 h10 stay h11", ann, game.AskOffer)
	if b.m.Spoiled || !b.m.Deadline.Equal(before.Deadline) || b.m.Stamp() == before.Stamp() {
		t.Fatalf("spoiled %v, deadline %v after %v, stamp %x after %x", b.m.Spoiled, b.m.Deadline, before.Deadline,
			b.m.Stamp(), before.Stamp())
	}
	b.decide("a1 a2")
	b.act(ann, game.Match.Undo) // bob is asked already
	if b.decided("h8 h9 h10 stay h11 a1 a2", bob, game.AskSelect); !b.m.Undoing.Open {
		t.Fatal("bob is not asked whether ann may take the offer back")
	}
	b.ok(b.m.AnswerUndo(bob, true, b.tick()))
	if !b.m.Spoiled {
		t.Fatal("a decision that bob had seen is taken back, and the match is rated")
	}
	for range 100 {
		next, err := b.m.Undo(ann, b.tick())
		if err != nil || next.Undoing.Open {
			return
		}
		b.ok(next, err)
		b.decide("a1")
	}
	t.Fatal("offers are taken back without end")
}

// A single fifth stone is placed: who would select among one point is not asked. An undo of theirs goes back to
// what they decided themselves.
func TestOnlyFifth(t *testing.T) {
	b := members(t, game.Terms{Rules: game.Renju, Protocol: opening.Yamaguchi, Rated: true,
		Clock: game.PerMove(time.Minute)})
	b.decide("h8 h9 h10 declare=1 stay h11")
	before := b.m
	b.decide("a1")
	b.decided("h8 h9 h10 declare=1 stay h11 a1 a1", bob, game.AskNothing)
	b.moves("h8h9h10h11a1")
	if b.m.Version != before.Version+1 || !b.m.Deadline.Equal(b.now.Add(time.Minute)) {
		t.Errorf("version %d after %d, deadline %v", b.m.Version, before.Version, b.m.Deadline)
	}
	if _, err := b.m.Replay(); err != nil {
		t.Error(err)
	}
	b.act(bob, game.Match.Undo)
	b.ok(b.m.AnswerUndo(ann, true, b.tick()))
	b.decided("h8 h9 h10 declare=1 stay", bob, game.AskPlace)
	b.decide("h11 a2")
	b.act(ann, game.Match.Undo)
	b.ok(b.m.AnswerUndo(bob, true, b.tick()))
	b.decided("h8 h9 h10 declare=1 stay h11", ann, game.AskOffer)

	b = members(t, game.Terms{Rules: game.Renju, Protocol: opening.Yamaguchi})
	b.decide("h8 h9 h10 declare=2 stay h11 a1 a2")
	b.decided("h8 h9 h10 declare=2 stay h11 a1 a2", bob, game.AskSelect)
}

// Against the engine an undo takes effect at once, and reaches back into the opening.
func TestUndoIntoOpening(t *testing.T) {
	b := offered(t, game.Terms{Protocol: opening.Swap}, game.SeatEngine(3))
	b.decide("h8 h9 i8")
	if !b.m.EngineToMove() {
		t.Fatal("the engine is not asked")
	}
	b.no(game.Moved)(b.m.ReplyDecision(b.m.Stamp()+1, game.Swap, game.Note{}, b.now))
	b.decide("swap")
	b.has(ann, game.White)
	b.play("g7g8")
	b.act(ann, game.Match.Undo)
	b.decided("h8 h9 i8 swap", ann, game.AskNothing)
	b.act(ann, game.Match.Undo)
	b.decided("h8 h9", ann, game.AskPlace)
	b.has(ann, game.Black)
}

// Who runs out of time on a question loses by the color that they hold then.
func TestTimeInOpening(t *testing.T) {
	b := members(t, game.Terms{Protocol: opening.Tarannikov, Clock: game.PerMove(time.Minute)})
	b.decide("h8 swap h9 stay") // bob is Black
	_, at := b.m.Due()
	early := *b
	early.ok(take(b.m.Tick(at)))
	early.ok(take(early.m.Tick(early.m.Deadline.Add(game.Grace))))
	if r := early.m.Result(); r.Termination != game.Aborted {
		t.Fatalf("bob has not moved: %+v", r)
	}
	b.decide("h10")
	b.decided("h8 swap h9 stay h10", ann, game.AskSwap)
	_, at = b.m.Due()
	b.ok(take(b.m.Tick(at)))
	b.ok(take(b.m.Tick(b.m.Deadline.Add(game.Grace))))
	if r := b.m.Result(); r.Termination != game.ByTimeout || r.Winner != game.Black || b.m.SeatOfColor(r.Winner) != 1 {
		t.Fatalf("ann ran out of time: %+v", r)
	}
}

// The color that is due need not be the color of who decides.
func TestTimeOutOfTurn(t *testing.T) {
	b := members(t, game.Terms{Protocol: opening.Swap2, Clock: game.PerMove(time.Minute)})
	b.decide("h8 h9 i8 two g9 j7")
	b.decided("h8 h9 i8 two g9 j7", ann, game.AskChoose)
	b.has(ann, game.Black)
	_, at := b.m.Due()
	b.ok(take(b.m.Tick(at)))
	b.ok(take(b.m.Tick(b.m.Deadline.Add(game.Grace))))
	if r := b.m.Result(); r.Termination != game.ByTimeout || r.Winner != game.White || b.m.SeatOfColor(r.Winner) != 1 {
		t.Fatalf("ann ran out of time: %+v", r)
	}
}

func take(m game.Match, _ game.Event, err error) (game.Match, error) { return m, err }

// A match may be aborted until both sides have moved, and stones count for a rating by who
// placed them.
func TestAbortInOpening(t *testing.T) {
	b := members(t, game.Terms{Protocol: opening.RIF, Rated: true})
	b.decide("h8 h9 h10 swap")
	b.has(bob, game.Black)
	if !b.m.Young() {
		t.Fatal("bob has not moved, and it is too late to abort")
	}
	b.decide("g8 k8 l9 k8") // ann is White, bob offers, ann selects
	b.decided("h8 h9 h10 swap g8 k8 l9 k8", ann, game.AskNothing)
	if !b.m.Young() { // bob has decided, but no stone is his
		t.Fatal("bob has not moved, and it is too late to abort")
	}
	b.play("a1a2")
	b.no(game.TooLateAbort)(b.m.Abort(ann, b.now))
	b.play("b1b2c1c2d1")
	b.act(ann, game.Match.Resign)
	if b.m.CountsForRating() {
		t.Fatal("a game in which bob placed three stones counts for ratings")
	}
}

// The colors are drawn before the opening, and who draws black opens.
func TestOpeningDrawn(t *testing.T) {
	for seed, opens := range map[uint64]game.MemberID{0: ann, 1 << 63: bob} {
		b := offered(t, game.Terms{Protocol: opening.Pro}, game.SeatFor(bob))
		b.m.First, b.m.Seed = game.Empty, seed
		b.ok(b.m.Accept(bob, noon))
		if got := b.m.Seats[b.m.ToMove()].Member; got != opens {
			t.Fatalf("seed %x: member %d opens, want %d", seed, got, opens)
		}
		b.has(opens, game.Black)
		b.decide("h8 a1")
		b.no(game.OutsideArea)(b.m.Play(opens, at("i9"), b.now))
		b.decide("k8 a2")
		b.moves("h8a1k8a2")
	}
}

// A protocol is for an empty board of 15x15 on which five in a row wins.
func TestOpeningBoard(t *testing.T) {
	stones := game.Position{Size: 15, Turn: game.White}.Put(at("h8"), game.Black)
	for name, terms := range map[string]game.Terms{
		"Reversi":  {Rules: game.Reversi},
		"9x9":      {Rules: game.Gomoku9},
		"position": {Rules: game.Renju, Start: stones},
		"given":    {Rules: game.Renju, Given: []game.Point{at("h8")}},
	} {
		terms.Protocol = opening.Swap2
		if _, err := game.NewMatch(1, terms, ann, game.SeatFor(ann), game.SeatFor(bob), noon, noon); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// A log that a protocol does not allow is an error, and so is a decision without a protocol.
func TestReplayOpening(t *testing.T) {
	b := members(t, game.Terms{Protocol: opening.Yamaguchi})
	b.decide("h8 i9 j10 declare=2 stay a1 a2 a3 a2 b2")
	for i, code := range []game.Decision{game.Decision(at("h7")), game.Swap, game.Swap, game.Declare(13), game.PlaceTwo,
		game.Offer(at("a1")), game.Decision(at("a2")), game.Offer(at("a2")), game.Decision(at("a9")), game.Stay} {
		m := b.m
		m.Log = append([]game.Entry(nil), b.m.Log...)
		m.Log[i].Code = uint16(code)
		if _, err := m.Replay(); err == nil {
			t.Errorf("entry %d as %v: replays", i+1, code)
		}
	}
	free := members(t, game.Terms{})
	free.play("h8")
	free.no(game.OpeningOver)(free.m.Decide(bob, game.Swap, free.now))
	m := free.m
	m.Log = append([]game.Entry{{Code: uint16(game.Stay)}}, m.Log...)
	if _, err := m.Replay(); err == nil {
		t.Error("a decision without a protocol replays")
	}
}

// A decision is read as it is written.
func TestParseDecision(t *testing.T) {
	for code := range game.Decision(1 << 12) {
		s := code.String()
		back, ok := game.ParseDecision(s)
		p, stone := code.Stone()
		offered, offer := code.Offered()
		n, declares := code.Declared()
		switch {
		case stone && p.On(15), code >= game.Swap && code <= game.TenFifths, declares && n <= 999:
			if !ok || back != code {
				t.Fatalf("%d is written %q and read as %d", code, s, back)
			}
		case offer && offered.On(15):
			if stone, isStone := back.Stone(); !ok || !isStone || stone != offered || game.Offer(stone) != code {
				t.Fatalf("%d is written %q and read as %d", code, s, back)
			}
		case ok:
			t.Fatalf("%d is no decision, and is written %q", code, s)
		}
	}
}

// The given moves of an XOT opening are where a match starts: an undo stops there, and the
// rematch has the same ones, so that both sides play both colors.
func TestXOTMatch(t *testing.T) {
	given := opening.XOT(4)
	b := members(t, game.Terms{Rules: game.Reversi, Given: given, Opening: game.XOTOpening})
	b.no(game.NothingToUndo)(b.m.Undo(ann, b.now))
	first := b.m.Game().Legal().Points()[0]
	b.ok(b.m.Play(ann, first, b.tick()))
	b.act(ann, game.Match.Undo)
	b.ok(b.m.AnswerUndo(bob, true, b.tick()))
	b.moves(game.MoveList(given))
	b.no(game.NothingToUndo)(b.m.Undo(ann, b.now))
	b.act(ann, game.Match.Resign)
	b.ok(b.m.Rematch(ann, 8, b.tick()))
	b.ok(b.m.Rematch(bob, 8, b.tick()))
	next, err := b.m.Successor(opening.XOT(5), 1, b.tick())
	if err != nil || game.MoveList(next.Given) != game.MoveList(given) || next.ColorOf(0) != game.White ||
		next.Opening != game.XOTOpening {
		t.Fatalf("the rematch: %v, %s, first seat plays %v", err, game.MoveList(next.Given), next.ColorOf(0))
	}
}
