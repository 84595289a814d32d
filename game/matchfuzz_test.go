package game_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/opening"
	"tengen/internal/testkit"
)

// FuzzMatch brings a match about and lets everybody do everything, in any order. Each pair
// of bytes is an operation and its argument.
func FuzzMatch(f *testing.F) {
	f.Add(uint8(0), []byte{0, 1, 2, 0x77, 2, 0x68, 5, 0, 6, 1, 2, 0x78})
	f.Add(uint8(1), []byte{2, 0x77, 3, 0x68, 5, 0, 2, 0x77, 8, 0, 10, 0, 5, 0})
	f.Add(uint8(0x45), []byte{0, 1, 2, 0x35, 2, 0x53, 7, 0, 7, 1, 17, 0, 17, 1})
	f.Add(uint8(0x1a), []byte{0, 2, 2, 0x44, 16, 255, 16, 255, 16, 255})
	f.Add(uint8(0x84), []byte{0, 1, 14, 0, 16, 20, 15, 0, 11, 0, 12, 0, 13, 1})
	f.Add(uint8(0x63), []byte{4, 0, 1, 1, 9, 0})
	// Openings: an answer drawn by the argument, undo asked and granted, all decisions at random.
	f.Add(uint8(0x07), []byte{0, 1, 18, 0, 18, 1, 18, 2, 18, 3, 18, 7, 5, 1, 6, 0, 6, 4, 18, 5, 18, 6, 18, 9, 18, 9})
	f.Add(uint8(0xbf), []byte{18, 5, 18, 9, 18, 2, 18, 3, 18, 4, 18, 1, 5, 0, 18, 0, 18, 1, 5, 0, 18, 77, 18, 33})
	f.Add(uint8(0x1f), []byte{0, 1, 18, 0, 18, 0, 18, 1, 18, 0, 18, 2, 18, 1, 18, 4, 18, 1, 18, 9, 18, 19, 18, 29, 18,
		39, 18, 49, 18, 59, 18, 69, 18, 79, 18, 89, 18, 99, 18, 1, 18, 2})
	f.Add(uint8(0x2e), []byte{0, 1, 18, 0, 19, 1, 19, 3, 18, 0, 19, 0, 18, 0, 16, 255, 16, 255})
	f.Fuzz(func(t *testing.T, kind uint8, ops []byte) {
		m := someMatch(kind)
		now := noon
		seen := map[uint32]string{}
		for i := 0; i+1 < len(ops) && i < 300; i += 2 {
			now = now.Add(time.Duration(ops[i+1]) * time.Second)
			// A match goes by value; what two of them can share is the slices.
			log, given, played := slices.Clone(m.Log), slices.Clone(m.Given), m.Game().Moves()
			next, err := operate(m, ops[i], ops[i+1], &now)
			if !slices.Equal(m.Log, log) || !slices.Equal(m.Given, given) || !slices.Equal(m.Game().Moves(), played) {
				t.Fatalf("operation %d changed the match it was called on", ops[i]%20)
			}
			if err != nil {
				var r *game.Refusal
				if !errors.As(err, &r) || r.Code == game.NoRefusal {
					t.Fatalf("operation %d: %v is no refusal", ops[i]%20, err)
				}
				continue
			}
			if next.Version != m.Version+1 {
				t.Fatalf("operation %d: version %d after %d", ops[i]%20, next.Version, m.Version)
			}
			if next.Undos > m.Undos {
				undone(t, m, next, now)
			}
			m = next
			sound(t, m)
			moves := decisionsOf(m)
			if was, ok := seen[m.Stamp()]; ok && was != moves {
				t.Fatalf("stamp %x names %s and %s", m.Stamp(), was, moves)
			}
			seen[m.Stamp()] = moves
		}
	})
}

// decisionsOf are the log's decisions in words.
func decisionsOf(m game.Match) string {
	var words []string
	for _, e := range m.Log {
		words = append(words, fmt.Sprint(e.Code))
	}
	return strings.Join(words, " ")
}

// someMatch is a match of many kinds. The low four bits choose the rules or a protocol.
func someMatch(kind uint8) game.Match {
	terms := game.Terms{Rules: game.AllRules[int(kind&0x0f)%len(game.AllRules)], Seed: uint64(kind) << 56,
		Rated: kind&0x20 != 0}
	if kind&0x10 != 0 {
		terms.Clock = []game.Clock{game.PerMove(time.Minute), {Bank: time.Minute, Gain: 2 * time.Second},
			{Each: 24 * time.Hour, Bank: 72 * time.Hour}}[kind%3]
	}
	second := []game.Seat{game.SeatFor(bob), {}, game.SeatEngine(3), game.SeatFor(bob)}[kind>>6]
	if n := int(kind&0x0f) - len(game.AllRules); n >= 0 && n < len(opening.All) {
		terms.Rules, terms.Protocol = []game.Rules{game.Renju, game.Gomoku15, game.Standard15}[n%3], opening.All[n]
	}
	if kind>>6 == 3 && terms.Rules != game.Reversi && terms.Protocol == nil {
		terms.Given, terms.Opening = []game.Point{at("E5"), at("E6"), at("F6")}, game.BalancedOpening
		terms.First = game.White
	}
	m := testkit.Got(game.NewMatch(9, terms, ann, game.SeatFor(ann), second, noon, noon.Add(time.Hour)))
	return m
}

// operate does one of all that can be done to a match.
func operate(m game.Match, op, arg byte, now *time.Time) (game.Match, error) {
	by := []game.MemberID{ann, bob, cyd, 0}[arg%4]
	switch op % 20 {
	case 18: // a decision that is asked for, whoever decides
		if d := decisionAsked(m, arg); m.EngineToMove() {
			return m.ReplyDecision(m.Stamp(), d, game.Note{}, *now)
		} else if m.Phase == game.Playing {
			return m.Decide(m.Seats[m.ToMove()].Member, d, *now)
		}
		return m.Decide(ann, game.Swap, *now)
	case 19:
		return m.Decide(by, game.Decision(arg>>2)*41, *now)
	case 0:
		if by == 0 {
			by = cyd
		}
		return m.Accept(by, *now)
	case 1:
		return m.Play(by, game.Point(arg), *now)
	case 2: // a move of the side to move, whoever that is
		if m.EngineToMove() {
			return m.Reply(m.Stamp(), game.Point(arg), game.Note{Nodes: uint64(arg)}, *now)
		}
		if m.Phase != game.Playing {
			return m.Play(ann, game.Point(arg), *now)
		}
		return m.Play(m.Seats[m.ToMove()].Member, game.Point(arg), *now)
	case 3:
		return m.Reply(m.Stamp(), game.Point(arg), game.Note{}, *now)
	case 4:
		return m.Reply(uint32(arg), game.Point(arg), game.Note{}, *now)
	case 5:
		return m.Undo(by, *now)
	case 6:
		return m.AnswerUndo(by, arg&4 != 0, *now)
	case 7:
		return m.Draw(by, *now)
	case 8:
		return m.AnswerDraw(by, arg&4 != 0, *now)
	case 9:
		if arg&8 != 0 {
			return m.Decline(by, *now)
		}
		return m.Cancel(by, *now)
	case 10:
		return m.Resign(by, *now)
	case 11:
		return m.Abort(by, *now)
	case 12:
		return m.Rematch(by, 10, *now)
	case 13:
		return m.Forget(by, *now)
	case 14:
		return m.Rest(*now)
	case 15:
		return m.Wake(*now)
	case 16:
		if arg&1 != 0 {
			*now = now.Add(time.Duration(arg) * time.Hour)
		}
		next, _, err := m.Tick(*now)
		return next, err
	}
	switch arg & 3 {
	case 0:
		return m.Hinted(by, *now)
	case 1:
		return m.Anew(*now), nil
	case 2:
		return m.Postpone(time.Duration(arg)*time.Minute, now.Add(10*time.Minute), *now)
	}
	return m.EngineDraw(arg&4 != 0, *now)
}

// decisionAsked is one of the decisions that the opening asks for, else a point.
func decisionAsked(m game.Match, arg byte) game.Decision {
	q := m.Question()
	if n := len(q.Options); n > 0 {
		return q.Options[int(arg)%n]
	}
	if points := q.Points.Points(); len(points) > 0 {
		return q.At(points[int(arg)%len(points)])
	}
	return game.Decision(arg)
}

// sound holds what is true of every match.
func sound(t *testing.T, m game.Match) {
	t.Helper()
	g := m.Game()
	again, err := m.Replay()
	if err != nil || !again.Game().Equal(g) || again.Game().Position() != g.Position() {
		t.Fatalf("replay: %v, %v, want %v", err, again.Game(), g)
	}
	coherent(t, m)
	for seat := range 2 {
		back := m.TakesBack(seat)
		if len(back) > 0 && back[0].Seat != seat {
			t.Fatalf("seat %d would take back %+v", seat, back)
		}
		for i, e := range back {
			p, stone := e.Decision().Stone()
			onlyFifth := stone && i > 0 && back[i-1].Decision() == game.Offer(p) // nobody chose it
			if i > 0 && e.Seat == seat && !onlyFifth {
				t.Fatalf("seat %d would take back %+v, with two of its own", seat, back)
			}
		}
		if m.SeatOfColor(m.ColorOf(seat)) != seat && m.First != game.Empty {
			t.Fatalf("seat %d has %v, which has seat %d", seat, m.ColorOf(seat), m.SeatOfColor(m.ColorOf(seat)))
		}
	}
	if m.Result().Termination == game.ByRow && g.Result() != m.Result() {
		t.Fatalf("%+v, and the board says %+v", m.Result(), g.Result())
	}
}

// coherent holds the fields of a match against one another.
func coherent(t *testing.T, m game.Match) {
	t.Helper()
	g := m.Game()
	playing := m.Phase == game.Playing
	clock := playing && m.Clock != (game.Clock{}) && m.Seats[m.ToMove()].Kind == game.MemberSeat
	event, due := m.Due()
	switch {
	case m.Protocol == nil && len(m.Log) != g.Len():
		t.Fatalf("%d entries and %d moves", len(m.Log), g.Len())
	case m.Protocol == nil && (m.Deciding() || m.ColorOf(0) != m.First):
		t.Fatalf("no protocol, asks %+v, first seat plays %v", m.Question(), m.ColorOf(0))
	case m.Deciding() && (g.Len() > 5 || m.Phase == game.Over && !m.Result().Over()):
		t.Fatalf("an opening with %d stones", g.Len())
	case m.Played() < 0:
		t.Fatal("given moves were taken back")
	case (m.Phase == game.Over) != m.Result().Over():
		t.Fatalf("phase %d, result %+v", m.Phase, m.Result())
	case playing && g.Turn() == game.Empty:
		t.Fatal("the match is played and nobody is to move")
	case !playing && (m.Undoing.Open || m.DrawBy != 0 || !m.Rested.IsZero() || !m.Deadline.IsZero()):
		t.Fatalf("phase %d with %+v", m.Phase, m)
	case min(m.Left[0], m.Left[1]) < 0:
		t.Fatalf("%v are left", m.Left)
	case clock != !m.Deadline.IsZero():
		t.Fatalf("clock %t, deadline %v", clock, m.Deadline)
	case m.Undoing.Open && (m.AgainstEngine() || m.Undoing.To >= len(m.Log) || m.Undoing.To < len(m.Given)):
		t.Fatalf("undo request %+v of %d moves", m.Undoing, len(m.Log))
	case (event == game.NoEvent) != (m.Phase == game.Over) && !(m.Phase == game.Offered && m.Expires.IsZero()):
		t.Fatalf("phase %d and event %d at %v", m.Phase, event, due)
	case m.Phase != game.Offered && m.First == game.Empty && m.Played() > 0:
		t.Fatal("played without colors")
	case m.Next != 0 && m.Phase != game.Over:
		t.Fatal("a rematch of a match that is not over")
	}
}

// undone holds what is true after moves were taken back: played again, they give the same
// game.
func undone(t *testing.T, before, m game.Match, now time.Time) {
	t.Helper()
	moves := before.Game().Moves()
	n := m.Game().Len()
	if len(m.Log) >= len(before.Log) || n > len(moves) || !slices.Equal(moves[:n], m.Game().Moves()) ||
		m.Phase != game.Playing {
		t.Fatalf("undo of %v gave %v", before.Game(), m.Game())
	}
	for _, e := range before.Log[len(m.Log):] {
		var err error
		if m.EngineToMove() {
			m, err = m.ReplyDecision(m.Stamp(), e.Decision(), game.Note{}, now)
		} else {
			m, err = m.Decide(m.Seats[m.ToMove()].Member, e.Decision(), now)
		}
		if err != nil {
			t.Fatalf("deciding %v again: %v", e.Decision(), err)
		}
	}
	if m.ColorOf(0) != before.ColorOf(0) || !reflect.DeepEqual(m.Question(), before.Question()) {
		t.Fatalf("decided again: %+v, was %+v", m.Question(), before.Question())
	}
	if !m.Game().Equal(before.Game()) || m.Game().Position() != before.Game().Position() {
		t.Fatalf("played again: %v, was %v", m.Game(), before.Game())
	}
}

// A refused undo stays refused for its move while that stands on the board.
func TestUndoRefusedStays(t *testing.T) {
	b := members(t, game.Terms{})
	b.play("h8i9h9i8")
	b.act(ann, game.Match.Undo)
	b.ok(b.m.AnswerUndo(bob, false, b.tick()))
	b.act(bob, game.Match.Undo)
	b.ok(b.m.AnswerUndo(ann, true, b.tick()))
	b.moves("h8i9h9")
	b.no(game.UndoRefused)(b.m.Undo(ann, b.now))
	b.play("g8g9")
	b.act(ann, game.Match.Undo) // another move
}

// The time that a match rests is given back once, though the host was down meanwhile.
func TestRestWhileDown(t *testing.T) {
	b := members(t, game.Terms{Clock: game.PerMove(time.Minute)})
	left := b.m.Deadline.Sub(noon)
	b.ok(b.m.Rest(noon))
	b.no(game.NotPlaying)(b.m.Postpone(time.Hour, noon.Add(2*time.Hour), noon.Add(time.Hour)))
	b.ok(b.m.Wake(noon.Add(3 * time.Hour)))
	if got := b.m.Deadline.Sub(noon.Add(3 * time.Hour)); got != left {
		t.Fatalf("%v left of %v", got, left)
	}
}
