package storage

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/ifthen"
	"tengen/internal/testkit"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

// slow begins a game of days, ann with black, and plays points in it.
func (b *bench) slow(points ...string) Record {
	b.t.Helper()
	c := b.cause()
	rec := b.made(c, game.Terms{Rules: game.Gomoku15, First: game.Black, Rated: true, Seed: 7,
		Clock: game.Clock{Each: 24 * time.Hour, Bank: 5 * 24 * time.Hour}}, ann, game.SeatFor(bob), c.At.Add(time.Hour))
	return b.play(b.act(rec, bob, game.Match.Accept), points...)
}

// lays lays down lines for a member, each as points with spaces between.
func (b *bench) lays(rec Record, member game.MemberID, lines ...string) IfThen {
	b.t.Helper()
	v, _, err := b.UpdateIfThen(b.t.Context(), member, rec.ID, func(v IfThen, _ Record) (IfThen, error) {
		v.Lines = nil
		for _, names := range lines {
			var line []game.Point
			for _, name := range strings.Fields(names) {
				line = append(line, point(b.t, name))
			}
			v.Lines = append(v.Lines, line)
		}
		return v, nil
	})
	testkit.Must(b.t, err)
	b.sound()
	return v
}

// laid is what a member has laid down, in words.
func (b *bench) laid(rec Record, member game.MemberID) string {
	b.t.Helper()
	v, _, err := b.IfThen(b.t.Context(), member, rec.ID)
	testkit.Must(b.t, err)
	text := []string{}
	for _, line := range v.Lines {
		text = append(text, game.MoveList(line))
	}
	if v.Refused {
		text = append(text, "refused "+v.Reply.String())
	}
	return strings.Join(text, "; ")
}

// A reply is played in the transaction of the move that it answers, by both sides in turn, once, also when the
// interaction comes again; after a restart too. What does not fit is dropped.
func TestIfThen(t *testing.T) {
	b := newBench(t)
	rec := b.slow("H8", "I9", "H9")
	b.lays(rec, ann, "I8 H10 I10 H11", "I8 H10 A1 H7", "I7 H7")
	b.lays(rec, bob, "G8 G9")
	b.want("laid by ann", b.laid(rec, ann), "i8h10i10h11; i8h10a1h7; i7h7")
	b.open(Options{})
	cause := b.cause()
	play := func(m game.Match) (game.Match, error) { return m.Play(bob, point(t, "I8"), b.now) }
	rec = b.must(b.Update(t.Context(), rec.ID, cause, play))
	b.want("moves", game.MoveList(rec.Game().Moves()), "h8i9h9i8h10")
	b.want("time", rec.Log[4].At, rec.Log[3].At)
	b.want("left to ann", b.laid(rec, ann), "i10h11; a1h7")
	b.want("left to bob, who went another way", b.laid(rec, bob), "")
	again := b.must(b.Update(t.Context(), rec.ID, cause, play))
	b.want("moves after it came again", len(again.Log), 5)
	b.want("it came again", again.Repeated, true)
	b.sound()
	b.lays(rec, bob, "A1 H7 I7")
	rec = b.play(rec, "A1")
	b.want("moves of both", game.MoveList(rec.Game().Moves()), "h8i9h9i8h10a1h7i7")
	rec = b.play(rec, "O15", "O14")
	b.want("moves without a reply", len(rec.Log), 10)
	b.want("rows", b.rows(tIfThen), 0)
	b.sound()
}

// Nobody is told that something is laid down, and the match is of the same version.
func TestIfThenIsUntold(t *testing.T) {
	b := newBench(t)
	rec := b.slow("H8", "I9", "H9")
	told := 0
	b.Tell(func(Record) { told++ })
	before := b.engineRows(tIfThen)
	b.lays(rec, ann, "I8 H10")
	b.want("told", told, 0)
	b.want("version", b.match(rec.ID).Version, rec.Version)
	b.want("rows of other kinds", b.engineRows(tIfThen), before)
}

// engineRows are all rows but those of a table.
func (b *bench) engineRows(but byte) string {
	var all strings.Builder
	testkit.Must(b.t, b.engine.View(b.t.Context(), func(r kv.Reader) error {
		return r.Scan(nil, nil, func(k, v []byte) bool {
			if k[0] != but && !bytes.Equal(k, kindsRow) {
				all.Write(k)
				all.Write(v)
			}
			return true
		})
	}))
	return all.String()
}

// A reply that the rules refuse when its turn comes is dropped, and named until the next move. It takes nothing of the
// other side's move.
func TestIfThenRefused(t *testing.T) {
	b := newBench(t)
	rec := b.slow("H8", "I9", "H9")
	b.lays(rec, ann, "I8 H9 A1 A2", "I7 H7")
	rec = b.play(rec, "I8")
	b.want("moves", len(rec.Log), 4)
	b.want("ann is told", b.laid(rec, ann), "refused H9")
	b.sound()
	rec = b.play(rec, "H10")
	b.want("after her own move", b.laid(rec, ann), "")
	b.want("rows", b.rows(tIfThen), 0)
}

// What was laid down for another position, as beside a program that does not know if-then moves, is never played.
func TestIfThenOfAnotherPosition(t *testing.T) {
	b := newBench(t)
	rec := b.slow("H8", "I9", "H9")
	v := b.lays(rec, ann, "I8 H10")
	v.Stamp--
	testkit.Must(t, b.engine.Update(t.Context(), func(tx kv.Tx) error { return tx.Put(v.key(), codec.Encode(v)) }))
	b.want("shown", b.laid(rec, ann), "")
	rec = b.play(rec, "I8")
	b.want("moves", len(rec.Log), 4)
	b.want("rows", b.rows(tIfThen), 0)
}

// A game that is over holds nothing, and nothing is laid down in one, or in a game of others.
func TestIfThenEnds(t *testing.T) {
	for what, end := range map[string]func(b *bench, rec Record){
		"resigned": func(b *bench, rec Record) { b.act(rec, bob, game.Match.Resign) },
		"removed":  func(b *bench, rec Record) { testkit.Must(b.t, b.delete(b.t.Context(), []game.MatchID{rec.ID}, nil)) },
		"left":     func(b *bench, rec Record) { testkit.Must(b.t, b.ServerLeft(b.t.Context(), here.Server, b.now)) },
		"forgotten": func(b *bench, rec Record) {
			first(0, b.Forget(b.t.Context(), bob, b.now))
		},
	} {
		b := newBench(t)
		rec := b.slow("H8", "I9", "H9")
		b.lays(rec, ann, "I8 H10")
		b.lays(rec, bob, "I8 H10 I7")
		end(b, rec)
		b.sound()
		b.want(what, b.rows(tIfThen), 0)
		if what == "resigned" {
			for _, member := range []game.MemberID{ann, cat} {
				_, _, err := b.UpdateIfThen(t.Context(), member, rec.ID, func(v IfThen, _ Record) (IfThen, error) {
					v.Lines = ifthen.Lines{{1}}
					return v, nil
				})
				b.want("refused", errors.Is(err, game.NotPlaying), true)
			}
		}
	}
}

// What a member has laid down stands in their own file and in no other's, and goes with their data.
func TestIfThenForgotten(t *testing.T) {
	b := newBench(t, Options{Chunk: 2})
	ctx := t.Context()
	rec := b.slow("H8", "I9", "H9")
	b.lays(rec, ann, "I8 H10")
	b.lays(rec, bob, "I8 H10 O15")
	own, err := json.Marshal(first(b.Everything(ctx, ann)).Others)
	if err != nil || !strings.Contains(string(own), `"lines":[{"moves":["I8","H10"]}]`) ||
		strings.Contains(string(own), "O15") {
		t.Errorf("ann's own file: %v\n%s", err, own)
	}
	stray := IfThen{Member: ann, Match: rec.ID + 1, Version: 1} // of a game that knows nothing of it
	testkit.Must(t, b.engine.Update(ctx, func(tx kv.Tx) error { return tx.Put(stray.key(), codec.Encode(stray)) }))
	first(0, b.Forget(ctx, ann, b.now))
	b.sound()
	b.want("rows", b.rows(tIfThen), 0)
}

// Two processes on one store, in which both sides act at once: each move is answered once.
func TestIfThenOfTwoProcesses(t *testing.T) {
	for range 20 {
		b := newBench(t)
		other := first(Open(t.Context(), b.engine, Options{Node: 1}))
		rec := b.slow("H8", "I9", "H9")
		b.lays(rec, ann, "I8 H10", "I7 H7", "A1 B1")
		var both sync.WaitGroup
		for i, s := range []*Store{b.Store, other, b.Store, other} {
			both.Go(func() {
				p := point(t, []string{"I8", "I7", "A1", "C5"}[i])
				_, err := s.Update(t.Context(), rec.ID, Cause{Interaction: uint64(1000 + i), At: b.now},
					func(m game.Match) (game.Match, error) {
						if m.Stamp() != rec.Stamp() { // as a press is for its position
							return m, &game.Refusal{Code: game.Moved}
						}
						return m.Play(bob, p, b.now)
					})
				if err != nil && !errors.As(err, new(*game.Refusal)) {
					t.Error(err)
				}
			})
			both.Go(func() {
				s.UpdateIfThen(t.Context(), ann, rec.ID, func(v IfThen, now Record) (IfThen, error) {
					v.Cursor++ // as who looks at it meanwhile
					return v, nil
				})
			})
		}
		both.Wait()
		rec = b.match(rec.ID)
		moves := game.MoveList(rec.Game().Moves()[3:])
		if !strings.Contains("i8h10,i7h7,a1b1,c5", moves) {
			t.Fatalf("played were %s", moves)
		}
		b.sound()
	}
}
