package storage

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage/bolt"
	"tengen/storage/kv"
)

// author makes matches that look like those of members: sixty moves with five seconds to
// a minute between them, on a thousand servers, of members who play forty games each.
type author struct {
	rng    *rand.Rand
	models []game.Match // between members, finished
	engine []game.Match // against the engine, finished
	now    time.Time

	members int
}

func newAuthor(t testing.TB, games int) *author {
	a := &author{rng: rand.New(rand.NewPCG(3, 1)), now: noon, members: games/20 + 1}
	for range 50 {
		a.models = append(a.models, a.model(t, game.SeatFor(bob)))
		a.engine = append(a.engine, a.model(t, game.SeatEngine(6)))
	}
	return a
}

func (a *author) model(t testing.TB, second game.Seat) game.Match {
	for {
		m, err := game.NewMatch(1, game.Terms{Rules: game.Gomoku15, First: game.Black, Rated: true, Seed: a.rng.Uint64()},
			ann, game.SeatFor(ann), second, noon, time.Time{})
		if err == nil && m.Phase == game.Offered {
			m, err = m.Accept(bob, noon)
		}
		for err == nil && m.Phase == game.Playing && len(m.Log) < 60 {
			p := game.At(a.rng.IntN(15), a.rng.IntN(15))
			switch {
			case m.Game().Check(p) != nil:
			case m.EngineToMove():
				m, err = m.Reply(m.Stamp(), p, game.Note{Depth: uint16(8 + a.rng.IntN(5)),
					Nodes: uint64(40000 + a.rng.IntN(20000)), Millis: uint32(300 + a.rng.IntN(700)),
					Score: int32(a.rng.IntN(600) - 300), Win: uint16(300 + a.rng.IntN(400))}, noon)
			default:
				m, err = m.Play(m.Seats[m.ToMove()].Member, p, noon)
			}
		}
		testkit.Must(t, err)
		if m.Phase == game.Playing {
			m = first(m.Resign(ann, noon))
			return m
		}
	}
}

func (a *author) member() game.MemberID {
	return game.MemberID(1<<59 + uint64(a.rng.IntN(a.members))*1e9)
}

// finished is a match that began at a moment and was played with pauses for thought.
func (a *author) finished(models []game.Match, id game.MatchID) Record {
	m := models[a.rng.IntN(len(models))]
	m.ID, m.Created = id, venue.TimeOf(uint64(id))
	m.Seed = a.rng.Uint64()
	m.Seats[0].Member = a.member()
	m.Owner = m.Seats[0].Member
	if m.Seats[1].Kind == game.MemberSeat {
		m.Seats[1].Member = a.member()
	}
	at := m.Created
	log := make([]game.Entry, len(m.Log))
	for i, e := range m.Log {
		at = at.Add(time.Duration(5000+a.rng.IntN(55000)) * time.Millisecond)
		e.At = at
		log[i] = e
	}
	m.Log, m.Turned, m.Updated = log, at, at.Add(3*time.Second)
	r := Record{Match: m, Place: venue.Place{Server: 1<<60 + uint64(a.rng.IntN(1000)),
		Channel: 1<<61 + uint64(a.rng.IntN(9000))}, Ended: m.Updated}
	if m.Seats[1].Kind == game.MemberSeat {
		r.Changes = [2]Change{{1500, 1490}, {1500, 1511}}
	}
	return r.settled()
}

// fill stores n finished matches as they come in time: some two thousand are under way
// at any moment, and any of them may be the next to end. Sweeps put them away.
func (a *author) fill(t testing.TB, s *Store, models []game.Match, n int) {
	var under []Record
	swept := a.now
	for ended := 0; ended < n; {
		testkit.Must(t, s.kv.Update(context.Background(), func(tx kv.Tx) error {
			for range 200 {
				for len(under) < 2000 && ended+len(under) < n {
					a.now = a.now.Add(time.Duration(1+a.rng.IntN(2000)) * time.Millisecond)
					under = append(under, a.finished(models, s.ids.next(a.now)))
				}
				if len(under) == 0 {
					return nil
				}
				i := a.rng.IntN(len(under))
				r := under[i]
				under[i] = under[len(under)-1]
				under = under[:len(under)-1]
				ended++
				x := &txn{Tx: tx, s: s, cause: Cause{At: r.Ended}}
				if err := x.derive(nil, &r); err != nil {
					return err
				}
			}
			return nil
		}))
		if a.now.Sub(swept) > time.Hour || ended == n {
			if ended == n {
				a.now = a.now.Add(3 * 24 * time.Hour)
			}
			swept = a.now
			testkit.Must(t, s.putAway(t.Context(), a.now))
		}
	}
}

// fileStore is quick to fill where path is in memory.
func fileStore(t testing.TB, path string) (*bolt.DB, *Store) {
	db, err := bolt.Open(t.Context(), path, bolt.Options{Grows: Grows, Omit: Omit, Log: slog.New(slog.DiscardHandler)})
	testkit.Must(t, err)
	return db, first(Open(t.Context(), db, Options{}))
}

func archiveSize(t *testing.T, name string, models func(*author) []game.Match, n int) (each float64) {
	path := filepath.Join(testkit.Scratch(t), "tengen.db")
	db, s := fileStore(t, path)
	a := newAuthor(t, n)
	a.fill(t, s, models(a), n)
	testkit.Must(t, db.Close())
	report, err := bolt.Inspect(t.Context(), path, bolt.Options{})
	if err != nil || !report.Good() {
		t.Fatal(report, err)
	}
	used := float64(report.Used) / float64(n)
	each = float64(report.Size) / float64(n)
	began := time.Now()
	_, after, err := bolt.Compact(t.Context(), path, bolt.Options{Log: slog.New(slog.DiscardHandler)}, nil)
	testkit.Must(t, err)
	compacting := time.Since(began)
	clean, unclean := openings(t, path)
	t.Logf("%d archived games of 60 moves %s: %.0f bytes of the file each, with the history of the players; "+
		"%.0f in use; %.0f after compaction (%v); %s, %s",
		n, name, each, used, float64(after)/float64(n), compacting.Round(time.Millisecond), clean, unclean)
	if n < 200_000 { // the file grows by megabytes, which few games do not fill
		return used
	}
	return each
}

// An archived game costs no more than 300 bytes. TENGEN_BENCH=1000000 measures so many.
func TestArchiveSize(t *testing.T) {
	if testing.Short() {
		t.Skip("it stores many games")
	}
	bench := os.Getenv("TENGEN_BENCH")
	n := 5000
	if bench != "" && bench != "1" {
		var err error
		n, err = strconv.Atoi(bench)
		testkit.Must(t, err)
	}
	if each := archiveSize(t, "between members", func(a *author) []game.Match { return a.models }, n); each > 300 {
		t.Errorf("an archived game costs %.0f bytes", each)
	}
	if bench != "" { // a figure for docs/storage.md
		archiveSize(t, "against the engine", func(a *author) []game.Match { return a.engine }, min(n, 100_000))
	}
}
