package ifthen

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/opening"
	"tengen/game/study"
	"tengen/internal/testkit"
)

const ann, bob, cyd game.MemberID = 1, 2, 3

var (
	noon = testkit.At("2026-03-01 12:00")
	days = game.Clock{Each: 24 * time.Hour, Bank: 5 * 24 * time.Hour}
)

// playing is a match of ann, who has black, and bob, by terms.
func playing(t game.Terms) game.Match {
	t.First = game.Black
	m := testkit.Got(game.NewMatch(7, t, ann, game.SeatFor(ann), game.SeatFor(bob), noon, noon.Add(time.Hour)))
	return testkit.Got(m.Accept(bob, noon))
}

// begun is a game of days with some moves.
func begun(random *rand.Rand) game.Match {
	m := playing(game.Terms{Rules: game.AllRules[random.IntN(len(game.AllRules))], Clock: days})
	for range random.IntN(12) {
		m = testkit.Got(m.Play(m.Seats[m.ToMove()].Member, legal(random, m.Game()), m.Updated.Add(time.Minute)))
	}
	return m
}

func legal(random *rand.Rand, g game.Game) game.Point {
	points := g.Legal().Points()
	return points[random.IntN(min(len(points), 6))] // few, so that members meet what others have laid down
}

// grown is a tree that a member lays down by chance: moves, steps and cuts.
func grown(t *testing.T, random *rand.Rand, m game.Match, seat int) study.Study {
	own := m.ColorOf(seat)
	tree := study.From(m.Game())
	for range random.IntN(60) {
		switch g := tree.Game(); {
		case random.IntN(4) == 0:
			tree = tree.Go(random.IntN(tree.Len()))
		case random.IntN(20) == 0:
			tree = tree.Prune()
		case g.Turn() != game.Empty:
			next, err := Lay(tree, own, legal(random, g))
			if err != nil {
				t.Fatal(err)
			}
			tree = next
		default:
			tree = tree.First()
		}
	}
	for n := range tree.Len() {
		if next := tree.Next(n); tree.GameAt(n).Turn() == own && len(next) > 1 {
			t.Fatalf("%d replies to one move", len(next))
		}
	}
	return tree
}

// says is what lines say after moves since they were laid down; ok is false where they say nothing.
func (l Lines) says(since []game.Point) (p game.Point, ok bool) {
	for _, line := range l {
		if len(line) > len(since) && slices.Equal(line[:len(since)], since) {
			return line[len(since)], true
		}
	}
	return game.NoPoint, false
}

// What is played is what the trees say, move for move, and nothing after the first move that no line has: 500 random
// matches in which one or both have laid down a random tree. Some lines hold a reply that the rules refuse: it ends
// the lines, and is named.
func TestRandomTrees(t *testing.T) {
	replies, refusals, deviations := 0, 0, 0
	for seed := range uint64(500) {
		random := rand.New(rand.NewPCG(seed, 7))
		m := begun(random)
		if m.Phase != game.Playing {
			continue
		}
		base := len(m.Log)
		var laid [2]Lines // as they were laid down
		var plans [2]Plan
		for seat := range plans {
			if seat == m.ToMove() && random.IntN(3) > 0 {
				continue
			}
			tree := grown(t, random, m, seat)
			laid[seat] = Of(tree)
			if back := laid[seat].Tree(m.Game()); !back.Equal(tree) {
				t.Fatalf("seed %d: a tree comes back another one", seed)
			}
			if n := len(laid[seat]); n > 0 && random.IntN(5) == 0 { // as no board lays it down
				line := slices.Clone(laid[seat][random.IntN(n)])
				line = append(line[:random.IntN(len(line))], append(m.Game().Moves(), game.At(14, 14))[0])
				laid[seat] = Lines{line}
			}
			plans[seat].Lines = laid[seat]
		}
		over := [2]bool{} // a reply was refused
		for m.Phase == game.Playing && len(m.Log) < base+40 {
			mover := m.ToMove()
			now := m.Updated.Add(time.Minute)
			was := m
			if random.IntN(12) == 0 {
				if offered, err := m.Draw(m.Seats[mover].Member, now); err == nil {
					var kept [2]Plan
					if m, kept = follow(t, m, offered, plans); len(m.Log) != len(was.Log) || m.Version != offered.Version {
						t.Fatalf("seed %d: an offer was answered", seed)
					}
					plans = kept
				}
			}
			if m.Phase != game.Playing { // agreed
				break
			}
			since := stones(m)[base:]
			p, ok := laid[1-mover].says(since)
			if _, no := m.Game().Play(p); !ok || no != nil || random.IntN(6) == 0 {
				p = legal(random, m.Game())
			}
			played := testkit.Got(m.Play(m.Seats[mover].Member, p, now))
			want, refused := expected(played, laid, base, over)
			is, next := follow(t, m, played, plans)
			if !slices.Equal(is.Game().Moves(), want) {
				t.Fatalf("seed %d: after %v played is %v, the trees say %v", seed, p, is.Game().Moves(), want)
			}
			for seat := range next {
				if next[seat].Refused != (refused == seat+1 && is.Phase == game.Playing) {
					t.Fatalf("seed %d: seat %d is told of a refusal: %v, want %d", seed, seat, next[seat].Refused, refused)
				}
				if refused == seat+1 {
					over[seat], refusals = true, refusals+1
				}
				if _, ok := laid[seat].says(stones(is)[base:]); is.Phase == game.Playing &&
					(ok && !over[seat]) != (len(next[seat].Lines) > 0) {
					t.Fatalf("seed %d: %d lines are left, a line goes on: %v", seed, len(next[seat].Lines), ok)
				}
			}
			if n := len(is.Log) - len(m.Log) - 1; n > 0 {
				replies += n
			} else {
				deviations++
			}
			for _, e := range is.Log[len(m.Log):] {
				if !e.At.Equal(is.Updated) {
					t.Fatalf("seed %d: a reply took time", seed)
				}
			}
			m, plans = is, next
		}
	}
	if replies < 500 || refusals < 10 || deviations < 500 {
		t.Errorf("%d replies, %d refusals, %d moves without a reply: too few to tell", replies, refusals, deviations)
	}
	t.Logf("%d replies, %d refusals, %d moves without a reply", replies, refusals, deviations)
}

func stones(m game.Match) []game.Point { return m.Game().Moves() }

// expected are the moves of a match after those of a change are answered as lines say that begin after so many
// moves, and 1 + the seat whose reply the rules refuse; 0: none.
func expected(m game.Match, laid [2]Lines, base int, over [2]bool) (moves []game.Point, refused int) {
	for m.Phase == game.Playing {
		seat := m.ToMove()
		p, ok := laid[seat].says(stones(m)[base:])
		if !ok || over[seat] || m.DrawBy == uint8(2-seat) {
			break
		}
		next, err := m.Play(m.Seats[seat].Member, p, m.Updated)
		if err != nil {
			return stones(m), seat + 1
		}
		m = next
	}
	return stones(m), 0
}

// follow is Follow, which leaves what it is given as it was.
func follow(t *testing.T, was, is game.Match, plans [2]Plan) (game.Match, [2]Plan) {
	t.Helper()
	before := fmt.Sprint(plans)
	next, rest, err := Follow(was, is, plans)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(plans) != before {
		t.Fatal("plans have changed")
	}
	return next, rest
}

// point reads a point.
func point(s string) game.Point { return testkit.Got(game.ParsePoint(s, 15)) }

// line reads a line of points.
func line(names ...string) (l []game.Point) {
	for _, s := range names {
		l = append(l, point(s))
	}
	return l
}

// What else happens in a match keeps or drops what is laid down, as it is said.
func TestFollow(t *testing.T) {
	m := playing(game.Terms{Rules: game.Gomoku15, Clock: days})
	for i, p := range line("H8", "I9", "H9", "I8", "H10") {
		m = testkit.Got(m.Play([]game.MemberID{ann, bob}[i%2], p, noon.Add(time.Duration(i)*time.Minute)))
	}
	later := noon.Add(time.Hour)
	plans := [2]Plan{{Lines: Lines{line("H11", "H7"), line("H7", "H11")}}, {Lines: Lines{line("A1", "B1", "C1")}}}
	asked := testkit.Got(m.Undo(ann, later))
	undone := testkit.Got(asked.AnswerUndo(bob, true, later))
	offered := testkit.Got(m.Draw(bob, later))
	played := testkit.Got(offered.Play(bob, point("H11"), later))
	resting := testkit.Got(m.Rest(later))
	for _, c := range []struct {
		what    string
		was, is game.Match
		left    [2]int // lines of ann and of bob
		moves   int
	}{
		{"nothing", m, m, [2]int{2, 1}, 5},
		{"ann asks to take a move back", m, asked, [2]int{0, 1}, 5},
		{"bob allows it", asked, undone, [2]int{}, 4},
		{"bob refuses it", asked, testkit.Got(asked.AnswerUndo(bob, false, later)), [2]int{2, 1}, 5},
		{"bob offers a draw", m, offered, [2]int{2, 1}, 5},
		{"bob moves, and his offer stands", offered, played, [2]int{1, 0}, 6},
		{"ann declines", played, testkit.Got(played.AnswerDraw(ann, false, later)), [2]int{2, 1}, 6},
		{"the match rests", m, resting, [2]int{2, 1}, 5},
		{"it goes on", resting, testkit.Got(resting.Wake(later)), [2]int{2, 1}, 5},
		{"bob moves in a match that rests", resting, testkit.Got(resting.Play(bob, point("H11"), later)), [2]int{}, 7},
		{"bob resigns", m, testkit.Got(m.Resign(bob, later)), [2]int{}, 5},
		{"bob moves", m, testkit.Got(m.Play(bob, point("H7"), later)), [2]int{}, 7},
	} {
		is, rest := follow(t, c.was, c.is, plans)
		if len(is.Log) != c.moves || len(rest[0].Lines) != c.left[0] || len(rest[1].Lines) != c.left[1] {
			t.Errorf("%s: %d moves, %v left, want %d and %v", c.what, len(is.Log), rest, c.moves, c.left)
		}
	}
}

// A reply that black may not play is dropped, and named.
func TestForbiddenReply(t *testing.T) {
	m := playing(game.Terms{Rules: game.Renju, Clock: days})
	for i, p := range line("H8", "A1", "H9", "A3", "I10", "A5", "J10", "A7", "O1") {
		m = testkit.Got(m.Play([]game.MemberID{ann, bob}[i%2], p, noon.Add(time.Duration(i)*time.Minute)))
	}
	laid := [2]Plan{{Lines: Lines{line("O15", "H10", "A9")}}}
	played := testkit.Got(m.Play(bob, point("O15"), noon.Add(time.Hour)))
	is, rest := follow(t, m, played, laid)
	want := Plan{Refused: true, Reply: point("H10")}
	if len(is.Log) != len(played.Log) || fmt.Sprint(rest[0]) != fmt.Sprint(want) {
		t.Errorf("%d moves, %v", len(is.Log), rest)
	}
	is, rest = follow(t, is, testkit.Got(is.Play(ann, point("H11"), noon.Add(2*time.Hour))), rest)
	if len(is.Log) != len(played.Log)+1 || rest[0].Refused {
		t.Errorf("after ann's own move %v", rest)
	}
}

// If-then moves are for two members with days each, outside of an opening that asks.
func TestMay(t *testing.T) {
	renju := game.Terms{Rules: game.Renju, Protocol: opening.Swap2, Clock: days}
	hour := game.Terms{Rules: game.Gomoku15, Clock: game.PerMove(time.Hour)}
	odds := game.Terms{Rules: game.Gomoku15, Clock: days, Odds: game.PerMove(time.Hour)}
	slow := playing(game.Terms{Rules: game.Gomoku15, Clock: game.PerMove(24 * time.Hour)})
	for _, c := range []struct {
		what string
		m    game.Match
		by   game.MemberID
		may  bool
	}{
		{"a day a move", slow, bob, true},
		{"a stranger", slow, cyd, false},
		{"a game that is over", testkit.Got(slow.Resign(ann, noon)), bob, false},
		{"no clock", playing(game.Terms{Rules: game.Gomoku15}), bob, false},
		{"an hour a move", playing(hour), bob, false},
		{"odds", playing(odds), bob, false},
		{"an opening that asks", playing(renju), bob, false},
		{"against the bot", testkit.Got(game.NewMatch(7, game.Terms{Rules: game.Gomoku15, Clock: days, First: game.Black},
			ann, game.SeatFor(ann), game.SeatEngine(1), noon, time.Time{})), ann, false},
	} {
		if May(c.m, c.by) != c.may {
			t.Errorf("%s: %v", c.what, !c.may)
		}
	}
}

// A tree is bounded, and one reply takes the place of another with all that followed it.
func TestLay(t *testing.T) {
	m := playing(game.Terms{Rules: game.Gomoku15, Clock: days})
	m = testkit.Got(m.Play(ann, point("H8"), noon))
	lay := func(tree study.Study, names ...string) study.Study {
		for _, p := range line(names...) {
			tree = testkit.Got(Lay(tree, game.Black, p))
		}
		return tree
	}
	tree := lay(study.From(m.Game()), "I9", "H9", "I8", "H10")
	tree = lay(tree.First(), "J9", "J10")
	tree = lay(tree.First(), "I9", "H7")
	testkit.Want(t, "lines", fmt.Sprint(Of(tree)), fmt.Sprint(Lines{line("I9", "H7"), line("J9", "J10")}))
	if again := lay(tree.First(), "I9", "H7"); !again.Equal(tree) {
		t.Error("the same moves again change something")
	}
	if _, err := Lay(tree.First(), game.Black, point("H8")); !errors.As(err, new(*game.Refusal)) {
		t.Errorf("a taken point: %v", err)
	}
	var err error
	full := study.From(m.Game())
	for i, p := range m.Game().Legal().Points() {
		if full, err = Lay(full.First(), game.Black, p); err != nil {
			testkit.Want(t, "moves that fit", i, MostMoves)
			break
		}
	}
	if !errors.Is(err, study.ErrFull) {
		t.Errorf("too many: %v", err)
	}
}
