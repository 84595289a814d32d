package archive_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/archive"
	"tengen/storage/bolt"
	"tengen/storage/etcd"
	"tengen/storage/etcd/etcdtest"
	"tengen/storage/kv"
	"tengen/storage/lease"
	"tengen/storage/storagetest"
)

func TestMain(m *testing.M) {
	bolt.Child()
	testkit.Wide(2)
	os.Exit(m.Run())
}

func quiet() bolt.Options {
	return bolt.Options{Log: slog.New(slog.DiscardHandler), Grows: storage.Grows}
}

// key is a key of the archive's table, of a match that began in one of twelve months.
func key(n int) []byte {
	at := time.Date(2025, time.Month(1+n%12), 3, 0, 0, 0, 0, time.UTC)
	return binary.BigEndian.AppendUint64([]byte{storage.Finished}, uint64(at.UnixMilli()-1420070400000)<<22|uint64(n))
}

type pair struct{ key, value string }

func rows(t *testing.T, e kv.Engine, from, to []byte, most int) (all []pair) {
	t.Helper()
	testkit.Must(t, e.View(t.Context(), func(r kv.Reader) error {
		all = nil
		return r.Scan(from, to, func(k, v []byte) bool {
			all = append(all, pair{string(k), string(v)})
			return len(all) < most
		})
	}))
	return all
}

// TestEngine does the same to an engine with an archive under it and to one without, with
// flushes in between and the files closed and opened again: both show the same always.
func TestEngine(t *testing.T) {
	dir := t.TempDir()
	under, plain := kv.NewMemory(), kv.NewMemory()
	files, err := archive.OpenFiles(dir, quiet())
	testkit.Must(t, err)
	engine := archive.NewEngine(under, storage.Finished, files)
	engine.Delay = 0
	dice := rand.New(rand.NewPCG(1, 2))
	some := func() []byte {
		if dice.IntN(3) == 0 {
			return []byte{"Zbyz"[dice.IntN(4)], byte(dice.IntN(5))}
		}
		return key(dice.IntN(40))
	}
	flushed := 0
	for step := range 600 {
		switch k := some(); dice.IntN(8) {
		case 0, 1, 2:
			value := fmt.Appendf([]byte{1}, "%d", step)
			for _, e := range []kv.Engine{engine, plain} {
				storagetest.Put(t, e, k, value)
			}
		case 3, 4:
			for _, e := range []kv.Engine{engine, plain} {
				testkit.Must(t, e.Update(t.Context(), func(tx kv.Tx) error { return tx.Delete(k) }))
			}
		case 5:
			n, err := engine.Flush(t.Context())
			if flushed += n; err != nil {
				t.Fatal(err)
			}
		case 6:
			if step%40 == 0 {
				files.Close()
				files, err = archive.OpenFiles(dir, quiet())
				testkit.Must(t, err)
				*engine = *archive.NewEngine(under, storage.Finished, files)
				engine.Delay = 0
			}
		}
		from, to := some(), some()
		if dice.IntN(4) == 0 {
			to = nil
		}
		most := 1 + dice.IntN(60)
		if got, want := rows(t, engine, from, to, most), rows(t, plain, from, to, most); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("step %d, %x to %x: got %d rows, want %d\n%q\n%q", step, from, to, len(got), len(want), got, want)
		}
		var got, want []byte
		engine.View(t.Context(), func(r kv.Reader) error { got, err = r.Get(from); return err })
		plain.View(t.Context(), func(r kv.Reader) error { want, err = r.Get(from); return err })
		if !bytes.Equal(got, want) {
			t.Fatalf("step %d: %q, want %q", step, got, want)
		}
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "*.games")); flushed < 50 || len(found) != 12 {
		t.Errorf("%d rows flushed into %d files", flushed, len(found))
	}
	files.Close()
}

// counted counts the rows that are read of an engine.
type counted struct {
	kv.Engine
	rows int
}

func (c *counted) View(ctx context.Context, fn func(kv.Reader) error) error {
	return c.Engine.View(ctx, func(r kv.Reader) error { return fn(countedReader{r, c}) })
}

type countedReader struct {
	kv.Reader
	c *counted
}

func (r countedReader) Scan(from, to []byte, fn func(key, value []byte) bool) error {
	return r.Reader.Scan(from, to, func(k, v []byte) bool { r.c.rows++; return fn(k, v) })
}

// TestScanStops: a scan that wants a few of many rows reads only a few, in the engine and in
// the files.
func TestScanStops(t *testing.T) {
	files := testkit.Got(archive.OpenFiles(t.TempDir(), quiet()))
	defer files.Close()
	const n = 2000
	under := &counted{Engine: kv.NewMemory()}
	engine, plain := archive.NewEngine(under, storage.Finished, files), kv.NewMemory()
	var far []archive.Row
	for i := range n {
		for _, e := range []kv.Engine{engine, plain} {
			if i%3 == 0 && e == kv.Engine(engine) {
				far = append(far, archive.Row{Key: key(i), Value: []byte{2}})
				continue
			}
			storagetest.Put(t, e, key(i), []byte{2})
		}
	}
	testkit.Must(t, files.Write(t.Context(), far))
	from, to := []byte{storage.Finished}, []byte{storage.Finished + 1}
	for _, most := range []int{1, 10, 300, n, 2 * n} {
		under.rows = 0
		got, want := rows(t, engine, from, to, most), rows(t, plain, from, to, most)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("the first %d: %d rows, want %d", most, len(got), len(want))
		}
		if under.rows > most+300 {
			t.Errorf("%d rows read for %d", under.rows, most)
		}
	}
}

// house is a process on the cluster.
type house struct {
	db    *etcd.DB
	store *storage.Store
	log   testkit.Log
	end   func()
}

// logged reports whether a process has logged something.
func (h *house) logged(what string) func() bool {
	return func() bool { return strings.Contains(h.log.String(), what) }
}

func process(t *testing.T, c *etcdtest.Cluster, dir string) *house {
	t.Helper()
	return processWith(t, c, dir, func(l lease.Leases) lease.Leases { return l })
}

func processWith(t *testing.T, c *etcdtest.Cluster, dir string, leases func(lease.Leases) lease.Leases) *house {
	t.Helper()
	db, err := etcd.Open(t.Context(), etcd.Options{Endpoints: c.Endpoints, Lease: 2 * time.Second, Absent: storage.Once})
	testkit.Must(t, err)
	other, now := &archive.Remote{Asker: db}, &archive.Swappable{}
	now.Set(other)
	engine := archive.NewEngine(db, storage.Finished, now)
	engine.Delay = 0
	h := &house{db: db}
	h.store = testkit.Got(storage.Open(t.Context(), engine, storage.Options{Chunk: 50}))
	other.Exists = h.store.HasArchive
	holder := archive.Holder{Dir: dir, Engine: engine, Archive: now, Remote: other, Answerer: db, Leases: leases(db),
		Options: quiet(), Log: slog.New(slog.NewTextHandler(&h.log, nil)), Known: h.store.ArchiveID,
		Every: 50 * time.Millisecond}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		holder.Run(ctx)
	}()
	ended := false
	h.end = func() {
		if !ended {
			ended = true
			cancel()
			<-done
			db.Close()
		}
	}
	t.Cleanup(h.end)
	return h
}

const ann, bob = game.MemberID(5), game.MemberID(6)

var place = venue.Place{Server: 1, Channel: 2}

// played is a game that ended long ago.
func played(t *testing.T, s *storage.Store, at time.Time, second game.Seat) game.MatchID {
	t.Helper()
	rec, err := s.Create(t.Context(), storage.Cause{At: at}, place, func(id game.MatchID) (game.Match, error) {
		m, err := game.NewMatch(id, game.Terms{Rules: game.Gomoku15, First: game.Black}, ann, game.SeatFor(ann), second,
			at, at.Add(time.Hour))
		if err == nil && second.Kind == game.MemberSeat {
			m, err = m.Accept(bob, at)
		}
		for n := 0; n < 6 && err == nil; n++ {
			at = at.Add(4 * time.Second)
			if p := m.Game().Legal().Points()[0]; m.EngineToMove() {
				m, err = m.Reply(m.Stamp(), p, game.Note{}, at)
			} else {
				m, err = m.Play(m.Seats[m.ToMove()].Member, p, at)
			}
		}
		if err != nil {
			return m, err
		}
		return m.Resign(ann, at)
	})
	testkit.Must(t, err)
	return rec.ID
}

func inEtcd(t *testing.T, db *etcd.DB) int {
	return len(rows(t, db, []byte{storage.Finished}, []byte{storage.Finished + 1}, 1000))
}

func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(what)
		}
	}
}

// refusing lets nobody join at first.
type refusing struct {
	lease.Leases
	left int
}

func (r *refusing) Join(ctx context.Context, g lease.Group) (lease.Share, error) {
	if r.left--; r.left >= 0 {
		return nil, errors.New("not now")
	}
	return r.Leases.Join(ctx, g)
}

// TestJoinsLater: a process that could not share in the archive at first does so later.
func TestJoinsLater(t *testing.T) {
	t.Parallel()
	c := etcdtest.Start(t, 1)
	h := processWith(t, c, t.TempDir(), func(l lease.Leases) lease.Leases { return &refusing{l, 2} })
	await(t, "nobody has the archive", h.logged("the archive is here"))
}

// TestOldCopy: an older copy of the folder is refused, whatever it holds; a folder whose
// last batch a crash cut off is taken.
func TestOldCopy(t *testing.T) {
	t.Parallel()
	c := etcdtest.Start(t, 1)
	dir, old := t.TempDir(), filepath.Join(t.TempDir(), "old")
	march := testkit.At("2026-03-01 12:00")
	file := func(h *house) game.MatchID {
		t.Helper()
		id := played(t, h.store, march, game.SeatFor(bob))
		testkit.Must(t, h.store.Sweep(t.Context(), time.Now()))
		await(t, "a finished game stays in etcd", func() bool { return inEtcd(t, h.db) == 0 })
		return id
	}
	one := process(t, c, dir)
	file(one)
	one.end()
	testkit.Must(t, os.CopyFS(old, os.DirFS(dir)))
	one = process(t, c, dir)
	id := file(one)
	one.end()
	one = process(t, c, old)
	await(t, "an old copy is taken for the archive", one.logged("older copy"))
	if _, err := one.store.Match(t.Context(), id); !errors.Is(err, kv.ErrUnreachable) {
		t.Errorf("a game that is in the files elsewhere: %v", err)
	}
	one.end()

	// A process that died after it had given the files a new id, before the store was.
	path := filepath.Join(dir, "archive.id")
	text := testkit.Read(t, path)
	testkit.Must(t, os.WriteFile(path, append([]byte("NEXT "), bytes.Fields(text)[0]...), 0o600))
	one = process(t, c, dir)
	file(one)
	await(t, "a game that was in the files before is not", func() bool {
		_, err := one.store.Match(t.Context(), id)
		return err == nil
	})
}

// TestFlushWaits: a row that Flush has just seen stays, however often Flush is called: a
// transaction that read the archive before may still be under way.
func TestFlushWaits(t *testing.T) {
	files := testkit.Got(archive.OpenFiles(t.TempDir(), quiet()))
	defer files.Close()
	engine := archive.NewEngine(kv.NewMemory(), storage.Finished, files)
	storagetest.Put(t, engine, key(1), []byte{1})
	for range 3 {
		if rows, err := engine.Flush(t.Context()); rows != 0 || err != nil {
			t.Errorf("%d rows, %v", rows, err)
		}
	}
	engine.Delay = 0
	if rows, err := engine.Flush(t.Context()); rows != 1 || err != nil {
		t.Errorf("%d rows, %v", rows, err)
	}
}

// busy does something else while rows are written to it.
type busy struct {
	archive.Archive
	meanwhile func()
}

func (b *busy) Write(ctx context.Context, rows []archive.Row) error {
	err := b.Archive.Write(ctx, rows)
	if b.meanwhile != nil {
		b.meanwhile()
	}
	return err
}

// TestChangedMeanwhile: a row that changes between two flushes stays, and a deletion that
// comes while the row is moved is not lost.
func TestChangedMeanwhile(t *testing.T) {
	files := testkit.Got(archive.OpenFiles(t.TempDir(), quiet()))
	defer files.Close()
	under, shelf := kv.NewMemory(), &busy{Archive: files}
	engine := archive.NewEngine(under, storage.Finished, shelf)
	engine.Delay = 0
	update := func(f func(kv.Tx) error) {
		t.Helper()
		testkit.Must(t, engine.Update(t.Context(), f))
	}
	put := func(n int, value string) {
		update(func(tx kv.Tx) error { return tx.Put(key(n), []byte(value)) })
	}
	flush := func(want int) {
		t.Helper()
		if rows, err := engine.Flush(t.Context()); rows != want || err != nil {
			t.Fatalf("%d rows went, want %d; %v", rows, want, err)
		}
	}
	put(1, "old")
	put(2, "two")
	flush(0)
	put(1, "new")
	flush(1)
	all := []byte{storage.Finished, 0xFF}
	if left := rows(t, under, nil, all, 9); len(left) != 1 || left[0].value != "new" {
		t.Errorf("in the engine: %q", left)
	}
	shelf.meanwhile = func() {
		shelf.meanwhile = nil
		update(func(tx kv.Tx) error { return tx.Delete(key(1)) })
	}
	flush(1)
	want := []pair{{string(key(2)), "two"}}
	if got := rows(t, engine, nil, all, 9); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("what was deleted while it went: %q", got)
	}
	flush(0)
	flush(1)
	if got, err := files.Get(t.Context(), key(1)); got != nil || err != nil {
		t.Errorf("in the archive: %q, %v", got, err)
	}
	if left := rows(t, under, nil, nil, 9); len(left) != 0 {
		t.Errorf("in the engine: %q", left)
	}
}

// reserve is an engine that has no more room than what it keeps for running matches.
type reserve struct{ kv.Engine }

func (reserve) Room() error { return kv.ErrFull }

// TestRoom: an archive under an engine hides from nobody that the engine is nearly full.
func TestRoom(t *testing.T) {
	engine := archive.NewEngine(reserve{kv.NewMemory()}, storage.Finished, archive.Unreachable{})
	if err := engine.Room(); !errors.Is(err, kv.ErrFull) {
		t.Error(err)
	}
}

// TestArchiveBroken: what the archive does not take stays in the engine.
func TestArchiveBroken(t *testing.T) {
	under := kv.NewMemory()
	engine := archive.NewEngine(under, storage.Finished, archive.Unreachable{})
	engine.Delay = 0
	testkit.Must(t, engine.Update(t.Context(), func(tx kv.Tx) error { return tx.Put(key(1), []byte{1}) }))
	_, _ = engine.Flush(t.Context())
	if _, err := engine.Flush(t.Context()); !errors.Is(err, kv.ErrUnreachable) || len(rows(t, under, nil, nil, 9)) != 1 {
		t.Errorf("%v, %d rows", err, len(rows(t, under, nil, nil, 9)))
	}
}

// TestTwoProcesses: finished games leave etcd for the files of the process that has them,
// and both processes read, export and change them as before.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	c := etcdtest.Start(t, 1)
	dir := t.TempDir()
	one, two := process(t, c, dir), process(t, c, "")
	var ids []game.MatchID
	march := testkit.At("2026-03-01 12:00")
	for i := range 30 {
		seat := game.SeatFor(bob)
		if i%3 == 2 {
			seat = game.SeatEngine(3)
		}
		ids = append(ids, played(t, two.store, march.AddDate(0, 0, 2*i), seat))
	}
	export := func(h *house) string {
		t.Helper()
		var b bytes.Buffer
		testkit.Must(t, h.store.Export(t.Context(), &b, nil))
		return b.String()
	}
	before := export(one)
	testkit.Must(t, two.store.Sweep(t.Context(), time.Now()))
	await(t, "finished games stay in etcd", func() bool { return inEtcd(t, one.db) == 0 })
	for name, h := range map[string]*house{"the holder": one, "the other": two} {
		if rec, err := h.store.Match(t.Context(), ids[3]); err != nil || rec.Match.Played() != 6 {
			t.Errorf("%s: %v, %d moves", name, err, rec.Match.Played())
		}
		if recs, err := h.store.History(t.Context(), ann, 0, 100); err != nil || len(recs) != len(ids) {
			t.Errorf("%s: history of %d, %v", name, len(recs), err)
		}
		if got := export(h); got != before {
			t.Errorf("%s: the export has %d bytes, before %d", name, len(got), len(before))
		}
		if st, err := h.store.Stats(t.Context()); err != nil || st.Archived != len(ids) {
			t.Errorf("%s: %+v, %v", name, st, err)
		}
		if _, err := h.store.Match(t.Context(), 77); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("%s: a game that never was: %v", name, err)
		}
	}
	// A game against the engine is taken up again, from the process without the files.
	again := ids[2]
	testkit.Got(two.store.Update(t.Context(), again, storage.Cause{At: time.Now()},
		func(m game.Match) (game.Match, error) {
			return m.Undo(ann, time.Now())
		}))
	if live, err := one.store.Of(t.Context(), ann); err != nil || len(live) != 1 || live[0].ID != again {
		t.Errorf("live: %v, %v", live, err)
	}
	// A member's data goes, in the archive too.
	testkit.Must(t, two.store.Forget(t.Context(), bob, time.Now()))
	await(t, "changes stay in etcd", func() bool { return inEtcd(t, one.db) == 0 })
	for _, id := range ids {
		rec, err := one.store.Match(t.Context(), id)
		if err != nil || rec.Seats[0].Member == bob || rec.Seats[1].Member == bob {
			t.Errorf("match %d: %v, %v", id, rec.Seats, err)
		}
	}
	if text := export(two); strings.Contains(text, `"member":"6"`) {
		t.Error("the export still names a member who had their data deleted")
	}

	// Without the process that has the archive live matches go on, and finished games give an error.
	one.end()
	if _, err := two.store.Match(t.Context(), ids[3]); !errors.Is(err, kv.ErrUnreachable) {
		t.Errorf("without the archive: %v", err)
	}
	if live, err := two.store.Of(t.Context(), ann); err != nil || len(live) != 1 {
		t.Errorf("live without the archive: %v, %v", live, err)
	}
	if id := played(t, two.store, time.Now(), game.SeatEngine(2)); id == 0 {
		t.Error("no new game")
	}
	// Another process takes over these files, and refuses other files.
	wrong := process(t, c, t.TempDir())
	await(t, "other files are taken for the archive", wrong.logged("older copy"))
	process(t, c, dir)
	await(t, "nobody takes the archive over", func() bool {
		rec, err := two.store.Match(t.Context(), ids[3])
		return err == nil && rec.Match.Played() == 6
	})

	// The data of a server that the bot has left goes, in the files too.
	long := time.Now().AddDate(0, 0, -31)
	testkit.Must(t, errors.Join(two.store.ServerLeft(t.Context(), place.Server, long),
		two.store.Sweep(t.Context(), time.Now())))
	await(t, "deletions stay in etcd", func() bool { return inEtcd(t, two.db) == 0 })
	if text := export(two); strings.Contains(text, `"kind":"match"`) {
		t.Errorf("games of a server that was left: %s", text)
	}
	_, err := storage.Verify(t.Context(), two.db)
	testkit.Check(t, err)
}
