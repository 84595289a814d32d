package storage

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/event"
	"tengen/internal/testkit"
	"tengen/storage/kv"
)

// climb puts members on the ladder of the server, in order.
func (b *bench) climb(members ...game.MemberID) {
	first(b.UpdateLadder(b.t.Context(), here.Server, game.Gomoku15, b.now, func(l Ladder) (Ladder, error) {
		for _, m := range members {
			var err error
			if l.Ladder, err = l.Join(m, 1500); err != nil {
				return l, err
			}
		}
		return l, nil
	}))
}

// leave takes a member off the ladder of the server.
func (b *bench) leave(member game.MemberID) {
	first(b.UpdateLadder(b.t.Context(), here.Server, game.Gomoku15, b.now, func(l Ladder) (Ladder, error) {
		l.Ladder = l.Leave(member)
		return l, nil
	}))
}

func (b *bench) order() (members []game.MemberID) {
	for _, r := range first(b.Ladder(b.t.Context(), here.Server, game.Gomoku15)).Rungs {
		members = append(members, r.ID)
	}
	return members
}

func (b *bench) challenge(from, to game.MemberID) (Record, error) {
	c := b.cause()
	return b.ChallengeOnLadder(b.t.Context(), c, here, func(id game.MatchID) (game.Match, error) {
		t := game.Terms{Rules: game.Gomoku15, First: game.Black, Rated: true, Clock: game.PerMove(time.Hour)}
		return game.NewMatch(id, t, from, game.SeatFor(from), game.SeatFor(to), c.At, c.At.Add(7*24*time.Hour))
	})
}

// Places change with the ends of matches, in their transaction.
func TestLadder(t *testing.T) {
	b := newBench(t, Options{Limits: Limits{Open: 1, Pair: 1, Running: 1}})
	if _, err := b.challenge(ann, bob); !errors.Is(err, event.ErrOutOfReach) {
		t.Errorf("a challenge without a ladder: %v", err)
	}
	b.climb(bob, cat, ann, dan)
	b.climb(bob) // once is enough
	b.want("order", b.order(), []game.MemberID{bob, cat, ann, dan})
	if _, err := b.challenge(bob, ann); !errors.Is(err, event.ErrOutOfReach) {
		t.Errorf("a challenge downwards: %v", err)
	}
	b.begin(game.Gomoku15, ann, bob) // the match that the limits leave them
	rec := b.must(b.challenge(ann, bob))
	if _, err := b.challenge(ann, bob); !errors.Is(err, event.ErrOutOfReach) {
		t.Errorf("the same challenge twice: %v", err)
	}
	rec = b.act(rec, bob, game.Match.Accept)
	rec = b.play(rec, blackWins...)
	b.want("after a win", b.order(), []game.MemberID{ann, bob, cat, dan})
	l := first(b.Ladder(t.Context(), here.Server, game.Gomoku15))
	if l.Rungs[0].Rating != rec.Changes[0].After || len(l.Active) != 0 || len(l.Met) != 1 {
		t.Errorf("the ladder is %+v", l)
	}
	if _, err := b.challenge(bob, ann); !errors.Is(err, event.ErrOutOfReach) {
		t.Errorf("the same two within seven days: %v", err)
	}
	b.sound()

	// Who lets the time run out falls off; a week later the same two may meet.
	b.later(7 * 24 * time.Hour)
	rec = b.must(b.challenge(bob, ann))
	rec = b.act(rec, ann, game.Match.Accept)
	rec = b.play(rec, "H8", "A1", "H9")
	b.later(2 * time.Hour)
	b.tick(rec)
	b.want("time over", b.order(), []game.MemberID{bob, cat, dan})

	// Who gives a match up before a move has lost it. One that is replayed is the same challenge, and changes nothing.
	b.climb(ann)
	rec = b.must(b.challenge(ann, dan))
	rec = b.act(rec, dan, game.Match.Accept)
	rec = b.play(rec, "H8")
	old, fresh, err := b.Replay(t.Context(), rec.ID, b.cause(), 7)
	if err != nil || old.Phase != game.Over || old.Next != fresh.ID || fresh.Phase != game.Playing ||
		fresh.Played() != 0 ||
		fresh.Seats != rec.Seats || fresh.First != rec.First || fresh.Clock.Each != rec.Clock.Each || !fresh.Rated ||
		fresh.Link != rec.Link {
		t.Fatalf("replayed as %+v: %v", fresh, err)
	}
	b.want("replayed", b.order(), []game.MemberID{bob, cat, dan, ann})
	b.want("under way", first(b.Ladder(t.Context(), here.Server, game.Gomoku15)).Active,
		[]event.Challenge{{Match: fresh.ID, By: ann, Whom: dan}})
	b.sound()
	b.act(fresh, dan, game.Match.Resign)
	b.want("given up", b.order(), []game.MemberID{bob, cat, ann, dan})

	// Without a move the match has no result, but who was to move still falls off.
	rec = b.must(b.challenge(ann, cat))
	rec = b.act(rec, cat, game.Match.Accept)
	b.later(2 * time.Hour)
	b.tick(rec)
	b.want("not a move", b.order(), []game.MemberID{bob, cat, dan})

	b.leave(cat)
	b.want("left", b.order(), []game.MemberID{bob, dan})
	b.sound()
}

// A season ends with its month, once; what is left of a deleted member is a place without a name.
func TestSeasons(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	b.climb(ann, bob, cat)
	for range 2 {
		testkit.Must(t, b.Sweep(ctx, noon.AddDate(0, 1, 0)))
	}
	b.leave(ann)
	testkit.Must(t, b.Sweep(ctx, noon.AddDate(0, 4, 0)))
	over := func(m event.Month, members ...game.MemberID) Season {
		return Season{here.Server, game.Gomoku15, m, members}
	}
	march, april := event.MonthOf(noon), event.MonthOf(noon)+1
	b.want("seasons", fmt.Sprint(first(b.Seasons(ctx, here.Server, game.Gomoku15))),
		fmt.Sprint([]Season{over(april, bob, cat), over(march, ann, bob, cat)}))
	own := string(first(json.Marshal(first(b.Everything(ctx, ann)))))
	if !strings.Contains(own, `"seasons":{"2026-03":1}`) {
		t.Errorf("ann's file: %s", own)
	}
	var out strings.Builder
	if err := b.Export(ctx, &out, nil); err != nil || !strings.Contains(out.String(), `"kind":"season"`) ||
		!strings.Contains(out.String(), `"kind":"ladder"`) {
		t.Errorf("%v in %s", err, out.String())
	}
	rec := b.must(b.challenge(cat, bob))
	testkit.Must(t, errors.Join(b.Forget(ctx, ann, b.now), b.Forget(ctx, cat, b.now)))
	b.want("seasons without ann and cat", fmt.Sprint(first(b.Seasons(ctx, here.Server, game.Gomoku15))),
		fmt.Sprint([]Season{over(april, bob, 0), over(march, 0, bob, 0)}))
	b.want("order", b.order(), []game.MemberID{bob})
	going := func(c event.Challenge) bool { return c.Match == rec.ID }
	if l := first(b.Ladder(ctx, here.Server, game.Gomoku15)); slices.ContainsFunc(l.Active, going) {
		t.Error("the challenge of a deleted member is still there")
	}
	b.want("rows of rungs", b.rows(tRung), 1)
	b.want("stats", first(b.Stats(ctx)).Ladders, 1)
	b.sound()
	testkit.Must(t, errors.Join(b.ServerLeft(ctx, here.Server, b.now), b.Sweep(ctx, b.now.Add(keepLeft))))
	testkit.Want(t, "rows of ladders are left", b.rows(tLadder)+b.rows(tSeason)+b.rows(tRung), 0)
}

// A deleted member's id is nowhere in a ladder: neither on a rung, nor in a challenge, nor among the
// games of the last days, nor in a season.
func TestLadderForgets(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	b.climb(bob, cat, ann)
	won := b.must(b.challenge(ann, cat))
	b.play(b.act(won, cat, game.Match.Accept), blackWins...)
	b.now = noon.AddDate(0, 1, 0)
	testkit.Must(t, b.Sweep(ctx, b.now))
	going := b.must(b.challenge(ann, bob))
	b.play(b.act(going, bob, game.Match.Accept), "H8")
	named := func() (tables string) {
		id := binary.BigEndian.AppendUint64(nil, uint64(ann))
		testkit.Must(t, b.engine.View(ctx, func(r kv.Reader) error {
			return r.Scan(nil, nil, func(k, v []byte) bool {
				if strings.IndexByte("LRS", k[0]) >= 0 && (bytes.Contains(k, id) || bytes.Contains(v, id)) {
					tables += string(k[0])
				}
				return true
			})
		}))
		return tables
	}
	b.want("rows that name ann", named(), "LRS")
	testkit.Must(t, b.Forget(ctx, ann, b.now))
	b.want("rows that name the deleted ann", named(), "")
	b.sound()
}

// Without the row that says who is on a ladder, Verify speaks.
func TestVerifyLadder(t *testing.T) {
	b := newBench(t)
	b.climb(ann)
	testkit.Must(t, b.change(t.Context(), Cause{}, func(x *txn) error {
		return x.Delete(key(tRung, uint64(ann), here.Server, 0))
	}))
	if _, err := Verify(t.Context(), b.engine); err == nil {
		t.Error("a row is missing and nobody sees it")
	}
}

func everyLadder(uint64, game.Rules) bool { return true }

// Those that cannot be shown now keep nobody waiting, and no more are given than can be shown at once.
func TestManyLaddersBehind(t *testing.T) {
	b := newBench(t)
	for server := range uint64(6) {
		first(b.UpdateLadder(t.Context(), 100+server, game.Gomoku15, b.now, func(l Ladder) (Ladder, error) {
			l.Channel = 1
			return l, nil
		}))
	}
	late := func(server uint64, _ game.Rules) bool { return server >= 103 }
	var servers []uint64
	for _, l := range first(b.LaddersBehind(t.Context(), 2, late, func(l Ladder) bool { return l.Server != 104 })) {
		servers = append(servers, l.Server)
	}
	b.want("servers", servers, []uint64{103, 105})
}

// All ladders are read once an hour, and not by each sweep.
func TestSeasonsTurnByTheHour(t *testing.T) {
	b := newBench(t)
	b.climb(ann)
	sweep := func(at time.Time) event.Month {
		testkit.Must(t, b.Sweep(t.Context(), at))
		return first(b.Ladder(t.Context(), here.Server, game.Gomoku15)).Month
	}
	is := sweep(b.now)
	first(b.UpdateLadder(t.Context(), here.Server, game.Gomoku15, b.now,
		func(l Ladder) (Ladder, error) { l.Month--; return l, nil }))
	b.want("in the same hour", sweep(b.now.Truncate(time.Hour).Add(59*time.Minute)), is-1)
	b.want("in the next hour", sweep(b.now.Truncate(time.Hour).Add(time.Hour)), is)
}

// Two processes turn a season at the same time: it ends once, and the next one goes on.
func TestSeasonTurnsOnce(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	b.climb(ann, bob)
	other, m, next := b.Store, &meddling{Engine: b.engine}, noon.AddDate(0, 1, 0)
	b.engine = m
	b.open(Options{})
	m.first = func() {
		testkit.Check(t, other.turnSeasons(ctx, next))
	}
	testkit.Must(t, b.turnSeasons(ctx, next))
	want := []Season{{here.Server, game.Gomoku15, event.MonthOf(noon), []game.MemberID{ann, bob}}}
	b.want("seasons", fmt.Sprint(first(b.Seasons(ctx, here.Server, game.Gomoku15))), fmt.Sprint(want))
}

// Each row of those that come in pairs is missed: by the one a ladder's message is found, by the others
// the data of members and servers.
func TestVerifyTwins(t *testing.T) {
	for _, k := range [][]byte{key(tLadderBehind, here.Server, 0), key(tSolverIn, here.Server, uint64(ann)),
		takingKey(ann, here.Server)} {
		b := newBench(t)
		first(b.UpdateLadder(t.Context(), here.Server, game.Gomoku15, b.now, func(l Ladder) (Ladder, error) {
			l.Channel = here.Channel
			return l, nil
		}))
		first(b.UpdateSolver(t.Context(), ann, game.Renju, here.Server, func(s Solver) (Solver, error) { return s, nil }))
		b.sound()
		testkit.Must(t, b.change(t.Context(), Cause{}, func(x *txn) error { return x.Delete(k) }))
		if _, err := Verify(t.Context(), b.engine); err == nil {
			t.Errorf("the row %x is missing and nobody sees it", k)
		}
	}
}

// A ladder's message is behind after each change that it shows, until what was sent is stored.
// A ladder that is off takes no challenge.
func TestLadderBehind(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	change := func(f func(Ladder) Ladder) Ladder {
		t.Helper()
		return first(b.UpdateLadder(ctx, here.Server, game.Gomoku15, b.now,
			func(l Ladder) (Ladder, error) { return f(l), nil }))
	}
	behind := func() int {
		t.Helper()
		return len(first(b.LaddersBehind(ctx, 9, everyLadder, func(Ladder) bool { return true })))
	}
	b.climb(ann, bob)
	b.want("without a message", behind(), 0)
	l := change(func(l Ladder) Ladder { l.Channel = here.Channel; return l })
	b.want("with a channel", behind(), 1)
	sent := change(func(l Ladder) Ladder {
		l.Notice = Notice{Message: 9, Retired: 8, Shown: l.Version, At: b.now}
		return l
	})
	b.want("the version of what was sent", sent.Version, l.Version)
	b.want("with a message to be deleted", behind(), 1)
	change(func(l Ladder) Ladder { l.Retired = 0; return l })
	b.want("up to date", behind(), 0)
	b.sound()
	b.climb(cat)
	b.want("after a change", behind(), 1)
	b.want("ladders", len(first(b.LaddersIn(ctx, here.Server))), 1)
	b.want("ladders elsewhere", len(first(b.LaddersIn(ctx, here.Server+1))), 0)

	change(func(l Ladder) Ladder { l.Off = true; return l })
	if _, err := b.challenge(bob, ann); !errors.Is(err, event.ErrLadderOff) {
		t.Errorf("a challenge on a ladder that is off: %v", err)
	}
	b.sound()
	testkit.Must(t, errors.Join(b.ServerLeft(ctx, here.Server, b.now), b.Sweep(ctx, b.now.Add(keepLeft))))
	b.want("rows that are left", b.rows(tLadderBehind), 0)
}
