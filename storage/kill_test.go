package storage

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage/bolt"
)

func TestMain(m *testing.M) {
	bolt.Child()
	for name, child := range map[string]func(path string) error{"TENGEN_STORE_KILL_CHILD": players,
		"TENGEN_EVENT_KILL_CHILD": eventHosts} {
		if path := os.Getenv(name); path != "" {
			if err := child(path); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			return
		}
	}
	os.Exit(m.Run())
}

// Eight members play the engine, each in a channel of his own, one command after the
// other. Each command raises the version of one match by one, so the versions of a channel
// add up to the number of commands that were applied in it.
const playing = 8

func channelOf(player int) venue.Place { return venue.Place{Server: 1, Channel: uint64(player) + 1} }

// applied is the number of commands that each player's matches show, and the match that he
// is in; 0: none.
func applied(s *Store) (n [playing]int, in [playing]game.MatchID, err error) {
	count := func(r Record) bool {
		player := int(r.Place.Channel) - 1
		n[player] += int(r.Version)
		if r.Phase == game.Playing {
			in[player] = r.ID
		}
		return true
	}
	err = firstOf(s.each(context.Background(), tLive, count), s.each(context.Background(), tArchive, count))
	return n, in, err
}

// A command carries out command n of a writer.
type command func(n int) (repeated bool, err error)

// untilKilled is the process that is killed: so many writers work on the store of a file. writer gives the number
// of the last command that was applied, and what carries out others. The last one comes again first: nobody knows
// who heard of it. The process says "A i n" when command n of writer i was acknowledged, and "D i n" when one that
// came again was applied again.
func untilKilled(path string, many int, writer func(context.Context, *Store, int) (int, command, error)) error {
	ctx := context.Background()
	db, err := bolt.Open(ctx, path, bolt.Options{Grows: Grows, Omit: Omit, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	s, err := Open(ctx, db, Options{})
	if err != nil {
		return err
	}
	fmt.Println("open")
	var wg sync.WaitGroup
	for i := range many {
		wg.Go(func() {
			done, do, err := writer(ctx, s, i)
			for n := max(done, 1); err == nil; n++ {
				var repeated bool
				if repeated, err = do(n); err != nil {
					break
				}
				if n == done && !repeated {
					fmt.Printf("D %d %d\n", i, n)
				}
				fmt.Printf("A %d %d\n", i, n)
			}
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		})
	}
	wg.Wait()
	return nil
}

func players(path string) error {
	return untilKilled(path, playing, func(ctx context.Context, s *Store, p int) (int, command, error) {
		done, in, err := applied(s)
		match := in[p]
		return done[p], func(n int) (bool, error) {
			rec, err := playOn(ctx, s, p, n, match)
			if match = rec.ID; rec.Phase == game.Over {
				match = 0
			}
			return rec.Repeated, err
		}, err
	})
}

// playOn is command number n of a player.
func playOn(ctx context.Context, s *Store, p, n int, match game.MatchID) (Record, error) {
	now := noon.Add(time.Duration(n) * time.Second)
	cause := Cause{Interaction: uint64(p+1)<<32 + uint64(n), At: now}
	member := game.MemberID(p + 1)
	if match == 0 {
		return s.Create(ctx, cause, channelOf(p), func(id game.MatchID) (game.Match, error) {
			return game.NewMatch(id, game.Terms{Rules: game.AllRules[n%len(game.AllRules)], First: game.Black, Seed: uint64(n)},
				member, game.SeatFor(member), game.SeatEngine(3), now, time.Time{})
		})
	}
	return s.Update(ctx, match, cause, func(m game.Match) (game.Match, error) {
		points := m.Game().Legal().Points()
		switch {
		case m.Played() > 20 || len(points) == 0:
			return m.Resign(member, now)
		case m.EngineToMove():
			return m.Reply(m.Stamp(), points[n*7%len(points)], game.Note{Depth: 1, Nodes: 10}, now)
		}
		return m.Play(member, points[n*5%len(points)], now)
	})
}

// writers work side by side in a process that is killed, each of them one command
// after the other.
type writers struct {
	child string // the variable of the environment that starts the process
	many  int
	// applied gives the number of commands of each writer that the store shows. last: no kill comes after it.
	applied func(t *testing.T, s *Store, last bool) []int
}

// outlive kills the process again and again and counts what is wrong: commands that were
// acknowledged and are not there, or that were applied twice.
func (w writers) outlive(t *testing.T, rounds int) (acked, lost, doubled int) {
	path := filepath.Join(t.TempDir(), "tengen.db")
	rng := rand.New(rand.NewPCG(9, uint64(rounds)))
	heard := make([]int, w.many)
	for round := range rounds {
		doubled += w.workAndDie(t, path, time.Duration(rng.IntN(200))*time.Millisecond, heard)
		db, err := bolt.Open(t.Context(), path, bolt.Options{Grows: Grows, Omit: Omit, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if db.Recovery().Happened() {
			t.Errorf("round %d: %v", round, db.Recovery())
		}
		if _, err := Verify(t.Context(), db); err != nil {
			t.Errorf("round %d: the store is not sound: %v", round, err)
		}
		for i, n := range w.applied(t, first(Open(t.Context(), db, Options{})), round == rounds-1) {
			switch { // one command at a time: at most one was applied and not heard of
			case n < heard[i]:
				lost += heard[i] - n
			case n > heard[i]+1:
				doubled += n - heard[i] - 1
			}
		}
		testkit.Must(t, db.Close())
		if lost+doubled > 0 {
			break
		}
	}
	for _, n := range heard {
		acked += n
	}
	return acked, lost, doubled
}

// workAndDie lets the process work for a while. It notes in heard which command of each writer was
// acknowledged last, and gives how many were applied twice.
func (w writers) workAndDie(t *testing.T, path string, after time.Duration, heard []int) (twice int) {
	t.Helper()
	for _, line := range testkit.KilledAfter(t, after, w.child+"="+path) {
		var what string
		var i, n int
		if _, err := fmt.Sscanf(line, "%s %d %d", &what, &i, &n); err != nil {
			t.Errorf("the process said %q, %v", line, err)
			break
		}
		if what == "D" {
			twice++
			continue
		}
		heard[i] = max(heard[i], n)
	}
	return twice
}

// holds checks that every acknowledged command is there after a kill, once.
func (w writers) holds(t *testing.T) {
	rounds := testkit.Dose("TENGEN_KILLS", 4)
	acked, lost, doubled := w.outlive(t, rounds)
	t.Logf("%d kills, %d commands acknowledged: lost %d, doubled %d", rounds, acked, lost, doubled)
	if acked == 0 || lost+doubled > 0 {
		t.Error("the store did not hold")
	}
}

var killedPlayers = writers{"TENGEN_STORE_KILL_CHILD", playing, func(t *testing.T, s *Store, _ bool) []int {
	n, _, err := applied(s)
	testkit.Must(t, err)
	return n[:]
}}

// Every acknowledged command is there after a kill -9, once, with all that follows from it.
func TestKillPlayers(t *testing.T) { killedPlayers.holds(t) }
