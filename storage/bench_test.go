package storage

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage/bolt"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

// TestHundredThousand measures a store with 100,000 games under way. TENGEN_BENCH=1 lets
// it run.
func TestHundredThousand(t *testing.T) {
	if os.Getenv("TENGEN_BENCH") == "" {
		t.Skip("TENGEN_BENCH=1 measures")
	}
	const n = 100_000
	path := filepath.Join(testkit.Scratch(t), "tengen.db")
	db, s := fileStore(t, path)
	a := newAuthor(t, n)
	for i := 0; i < n; i += 500 {
		testkit.Must(t, s.kv.Update(t.Context(), func(tx kv.Tx) error {
			for j := range 500 {
				r := a.finished(a.models, game.MatchID(venue.IDAt(noon))+game.MatchID(i+j)<<22)
				m := r.Match
				m.Phase, m.End, m.Log = game.Playing, game.Result{}, m.Log[:20+j%30]
				m, err := m.Replay()
				if err != nil {
					return err
				}
				x := &txn{Tx: tx, s: s, cause: Cause{Interaction: uint64(r.ID) + 1, At: noon}}
				if _, err := x.save(nil, Record{Match: m, Place: r.Place}); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	testkit.Must(t, db.Close())
	clean, unclean := openings(t, path)
	db, err := bolt.Open(t.Context(), path, bolt.Options{Grows: Grows, Omit: Omit, Log: slog.New(slog.DiscardHandler)})
	testkit.Must(t, err)
	defer db.Close()
	s = first(Open(t.Context(), db, Options{}))
	// A backup while members play on.
	var moves atomic.Int64
	done := make(chan struct{})
	var wg sync.WaitGroup
	for w := range 16 {
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				id := game.MatchID(venue.IDAt(noon)) + game.MatchID(w*5000+i)<<22
				if _, err := s.Restyle(t.Context(), id, Cause{Interaction: uint64(id) + 7, At: noon}, func(Record) (Look, error) {
					return Look{Numbers: 1}, nil
				}); err != nil {
					t.Error(err)
					return
				}
				moves.Add(1)
			}
		})
	}
	began := time.Now()
	backup, err := db.Backup(t.Context(), began)
	took := time.Since(began)
	close(done)
	wg.Wait()
	testkit.Must(t, err)
	status := first(db.Status())
	t.Logf("100,000 running games: a file of %d MiB, %s, %s; a verified backup of %d MiB in %v while %d changes were made",
		status.Size>>20, clean, unclean, backup.Size>>20, took.Round(time.Millisecond), moves.Load())
}

// openings says how long a closed store takes to open after a clean close and after
// another, the fastest of three, and whether its rows were read.
func openings(t *testing.T, path string) (clean, unclean string) {
	for _, o := range []struct {
		how  string
		says *string
	}{{"a clean close", &clean}, {"another", &unclean}} {
		var log bytes.Buffer
		best := time.Hour
		for range 3 {
			if o.says == &unclean {
				testkit.Must(t, os.Remove(path+".clean"))
			}
			began := time.Now()
			db := first(bolt.Open(t.Context(), path,
				bolt.Options{Grows: Grows, Omit: Omit, Log: slog.New(slog.NewTextHandler(&log, nil))}))
			best = min(best, time.Since(began))
			first(Open(t.Context(), db, Options{}))
			testkit.Must(t, db.Close())
		}
		rows := "all rows read"
		if strings.Contains(log.String(), "not read") {
			rows = "rows not read"
		}
		*o.says = fmt.Sprintf("opened in %v after %s (%s)", best.Round(time.Millisecond), o.how, rows)
	}
	return clean, unclean
}

// BenchmarkRow reads and writes the rows that a move changes: the match, which is replayed, and its screen.
func BenchmarkRow(b *testing.B) {
	rows := map[string]func(value []byte) error{
		"record-playing": func(value []byte) error {
			r, err := decodeRecord(7, value)
			if err == nil {
				_, err = r.encode()
			}
			return err
		},
		"screen-called": func(value []byte) error {
			sc, err := codec.Decode[Screen](key(tScreen, 7), value)
			codec.Encode(sc)
			return err
		},
	}
	for _, s := range samples(b) {
		back := rows[s.name]
		if back == nil {
			continue
		}
		b.Run(s.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				testkit.Must(b, back(s.value))
			}
		})
	}
}

// BenchmarkStore is what a move costs beside the disk: decoding, replay, the rules,
// encoding, and the rows that follow.
func BenchmarkStore(b *testing.B) {
	for _, rules := range game.AllRules {
		b.Run(rules.Name(), func(b *testing.B) {
			x := newBench(b, Options{Limits: DefaultLimits})
			rec := x.begin(rules, ann, bob)
			for range 40 { // well into the game
				points := rec.Game().Legal().Points()
				if rec.Game().Turn() == game.Empty {
					break
				}
				p := points[(len(rec.Log)*37)%len(points)]
				next := first(x.Update(b.Context(), rec.ID, x.cause(), func(m game.Match) (game.Match, error) {
					return m.Play(m.Seats[m.ToMove()].Member, p, x.now)
				}))
				if rec = next; rec.Phase == game.Over {
					break
				}
			}
			if rec.Phase == game.Over {
				rec = x.begin(rules, ann, bob)
			}
			i := 0
			for b.Loop() {
				i++
				first(x.Restyle(b.Context(), rec.ID, Cause{At: noon}, func(Record) (Look, error) {
					return Look{Theme: fmt.Sprint(i % 7)}, nil
				}))
			}
			b.ReportMetric(float64(len(rec.Log)), "moves")
		})
	}
}

// BenchmarkChannels is 64 channels that change their matches at the same time, on a file
// that is synced for every commit.
func BenchmarkChannels(b *testing.B) {
	db := first(bolt.Open(b.Context(), filepath.Join(b.TempDir(), "tengen.db"),
		bolt.Options{Grows: Grows, Omit: Omit, Log: slog.New(slog.DiscardHandler)}))
	defer db.Close()
	s := first(Open(b.Context(), db, Options{Limits: DefaultLimits}))
	const channels = 64
	var ids [channels]game.MatchID
	for i := range ids {
		rec := first(s.Create(b.Context(), Cause{At: noon}, venue.Place{Server: 1, Channel: uint64(i)},
			func(id game.MatchID) (game.Match, error) {
				return game.NewMatch(id, game.Terms{Rules: game.Gomoku15, First: game.Black}, game.MemberID(i+1),
					game.SeatFor(game.MemberID(i+1)), game.SeatFor(game.MemberID(i+1001)), noon, noon.Add(time.Hour))
			}))
		ids[i] = rec.ID
	}
	var cause atomic.Uint64
	var left atomic.Int64
	left.Store(int64(b.N))
	var wg sync.WaitGroup
	b.ResetTimer()
	for _, id := range ids {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				n := cause.Add(1)
				if _, err := s.Restyle(b.Context(), id, Cause{Interaction: n, At: noon}, func(Record) (Look, error) {
					return Look{Theme: fmt.Sprint(n)}, nil
				}); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "changes/s")
}

// BenchmarkHistory reads the newest 500 of a member's 10,000 games, half of them against the engine, as a profile does.
func BenchmarkHistory(b *testing.B) {
	const all, newest = 10_000, 500
	db, s := fileStore(b, filepath.Join(b.TempDir(), "tengen.db"))
	defer db.Close()
	a := newAuthor(b, all)
	for i := 0; i < all; i += 500 {
		testkit.Must(b, s.kv.Update(b.Context(), func(tx kv.Tx) error {
			for j := range 500 {
				models := [][]game.Match{a.models, a.engine}[j%2]
				r := a.finished(models, game.MatchID(venue.IDAt(noon))+game.MatchID(i+j)<<22)
				r.Seats[0].Member, r.Owner = ann, ann
				x := &txn{Tx: tx, s: s, cause: Cause{Interaction: uint64(r.ID) + 1, At: noon}}
				if _, err := x.save(nil, r); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		if recs := first(s.History(b.Context(), ann, 0, newest)); len(recs) != newest {
			b.Fatal(len(recs), "games")
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms-p99")
}
