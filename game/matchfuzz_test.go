package game_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"tengen/game"
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
	f.Fuzz(func(t *testing.T, kind uint8, ops []byte) {
		m := someMatch(t, kind)
		now := noon
		seen := map[uint32]string{}
		for i := 0; i+1 < len(ops) && i < 300; i += 2 {
			now = now.Add(time.Duration(ops[i+1]) * time.Second)
			// A match goes by value; what two of them can share is the slices.
			log, given, played := slices.Clone(m.Log), slices.Clone(m.Given), m.Game().Moves()
			next, err := operate(m, ops[i], ops[i+1], &now)
			if !slices.Equal(m.Log, log) || !slices.Equal(m.Given, given) || !slices.Equal(m.Game().Moves(), played) {
				t.Fatalf("operation %d changed the match it was called on", ops[i]%18)
			}
			if err != nil {
				var r *game.Refusal
				if !errors.As(err, &r) || r.Code == game.NoRefusal {
					t.Fatalf("operation %d: %v is no refusal", ops[i]%18, err)
				}
				continue
			}
			if next.Version != m.Version+1 {
				t.Fatalf("operation %d: version %d after %d", ops[i]%18, next.Version, m.Version)
			}
			if next.Undos > m.Undos {
				undone(t, m, next, now)
			}
			m = next
			sound(t, m)
			moves := game.MoveList(m.Game().Moves())
			if was, ok := seen[m.Stamp()]; ok && was != moves {
				t.Fatalf("stamp %x names %s and %s", m.Stamp(), was, moves)
			}
			seen[m.Stamp()] = moves
		}
	})
}

// someMatch is a match of many kinds.
func someMatch(t *testing.T, kind uint8) game.Match {
	terms := game.Terms{Rules: game.AllRules[int(kind&0x0f)%len(game.AllRules)], Seed: uint64(kind) << 56, Rated: kind&0x20 != 0}
	if kind&0x10 != 0 {
		terms.PerMove = time.Minute
	}
	second := []game.Seat{game.SeatFor(bob), {}, game.SeatEngine(3), game.SeatFor(bob)}[kind>>6]
	if kind>>6 == 3 && terms.Rules != game.Reversi {
		terms.Given, terms.Opening = []game.Point{at("E5"), at("E6"), at("F6")}, game.BalancedOpening
		terms.First = game.White
	}
	m, err := game.NewMatch(9, terms, ann, game.SeatFor(ann), second, noon, noon.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// operate does one of all that can be done to a match.
func operate(m game.Match, op, arg byte, now *time.Time) (game.Match, error) {
	by := []game.MemberID{ann, bob, cyd, 0}[arg%4]
	switch op % 18 {
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
		return m.WithLook(game.Look{Theme: "night"}, *now), nil
	case 2:
		return m.Postpone(time.Duration(arg)*time.Minute, now.Add(10*time.Minute), *now)
	}
	return m.EngineDraw(arg&4 != 0, *now)
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
		if len(back) > 0 && back[0].Color != m.ColorOf(seat) {
			t.Fatalf("seat %d would take back %+v", seat, back)
		}
	}
	if m.Result().Cause == game.ByRow && g.Result() != m.Result() {
		t.Fatalf("%+v, and the board says %+v", m.Result(), g.Result())
	}
}

// coherent holds the fields of a match against one another.
func coherent(t *testing.T, m game.Match) {
	t.Helper()
	g := m.Game()
	playing := m.Phase == game.Playing
	clock := playing && m.PerMove > 0 && m.Seats[m.ToMove()].Kind == game.MemberSeat
	event, due := m.Due()
	switch {
	case len(m.Log) != g.Len():
		t.Fatalf("%d entries and %d moves", len(m.Log), g.Len())
	case m.Played() < 0:
		t.Fatal("given moves were taken back")
	case (m.Phase == game.Over) != m.Result().Over():
		t.Fatalf("phase %d, result %+v", m.Phase, m.Result())
	case playing && g.Turn() == game.Empty:
		t.Fatal("the match is played and nobody is to move")
	case !playing && (m.Undoing.Open || m.DrawBy != 0 || !m.Rested.IsZero() || !m.Deadline.IsZero()):
		t.Fatalf("phase %d with %+v", m.Phase, m)
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
	if n >= len(moves) || !slices.Equal(moves[:n], m.Game().Moves()) || m.Phase != game.Playing {
		t.Fatalf("undo of %v gave %v", before.Game(), m.Game())
	}
	for _, p := range moves[n:] {
		var err error
		if m.EngineToMove() {
			m, err = m.Reply(m.Stamp(), p, game.Note{}, now)
		} else {
			m, err = m.Play(m.Seats[m.ToMove()].Member, p, now)
		}
		if err != nil {
			t.Fatalf("playing %v again: %v", p, err)
		}
	}
	if !m.Game().Equal(before.Game()) || m.Game().Position() != before.Game().Position() {
		t.Fatalf("played again: %v, was %v", m.Game(), before.Game())
	}
}

// A refused undo stays refused for its move while that stands on the board.
func TestUndoRefusedStays(t *testing.T) {
	b := members(t, game.Terms{})
	b.play("h8i9h9i8")
	b.ok(b.m.Undo(ann, b.tick()))
	b.ok(b.m.AnswerUndo(bob, false, b.tick()))
	b.ok(b.m.Undo(bob, b.tick()))
	b.ok(b.m.AnswerUndo(ann, true, b.tick()))
	b.moves("h8i9h9")
	b.no(game.UndoRefused)(b.m.Undo(ann, b.now))
	b.play("g8g9")
	b.ok(b.m.Undo(ann, b.tick())) // another move
}

// The time that a match rests is given back once, though the host was down meanwhile.
func TestRestWhileDown(t *testing.T) {
	b := members(t, game.Terms{PerMove: time.Minute})
	left := b.m.Deadline.Sub(noon)
	b.ok(b.m.Rest(noon))
	b.no(game.NotPlaying)(b.m.Postpone(time.Hour, noon.Add(2*time.Hour), noon.Add(time.Hour)))
	b.ok(b.m.Wake(noon.Add(3 * time.Hour)))
	if got := b.m.Deadline.Sub(noon.Add(3 * time.Hour)); got != left {
		t.Fatalf("%v left of %v", got, left)
	}
}
