package archive

import (
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/bolt"
	"tengen/storage/kv"
	"tengen/storage/storagetest"
)

// place is a store with its archive in a folder.
type place struct {
	*testing.T
	*Engine
	store *storage.Store
	files *Files
	n     uint64
}

func newPlace(t *testing.T) *place {
	t.Helper()
	p := &place{T: t, files: folder(t, t.TempDir())}
	p.Engine = NewEngine(kv.NewMemory(), storage.Finished, p.files)
	p.Delay = 0
	var err error
	p.store, err = storage.Open(t.Context(), p.Engine, storage.Options{})
	testkit.Must(t, err)
	return p
}

// folder opens the files in a folder.
func folder(t *testing.T, dir string) *Files {
	f := testkit.Got(OpenFiles(dir, bolt.Options{Log: slog.New(slog.DiscardHandler), Grows: storage.Grows}))
	t.Cleanup(func() { f.Close() })
	return f
}

// copied is an open copy of the files as they are now.
func (p *place) copied() *Files {
	p.Helper()
	dir := filepath.Join(p.TempDir(), "copy")
	testkit.Must(p, os.CopyFS(dir, os.DirFS(p.files.dir)))
	return folder(p.T, dir)
}

// finish puts another finished game into the engine, and gives its key.
func (p *place) finish() []byte {
	p.Helper()
	p.n++
	at := testkit.At("2025-03-01")
	key := binary.BigEndian.AppendUint64([]byte{storage.Finished}, venue.IDAt(at)+p.n)
	storagetest.Put(p, p.Engine, key, []byte{1})
	return key
}

// flushes flushes twice into files: what is seen twice goes.
func (p *place) flushes(files *Files) error {
	p.Helper()
	if _, err := p.flush(p.Context(), files); err != nil {
		return err
	}
	_, err := p.flush(p.Context(), files)
	return err
}

// id is the id of the archive, as the store has it.
func (p *place) id() string {
	return testkit.Got(idOf(p.Context(), p.Engine))
}

// takes reports whether files are taken for the archive of the store, in all three ways.
func (p *place) takes(files *Files) bool {
	p.Helper()
	claimed := files.claim(p.Context(), p.store.ArchiveID)
	belongs := files.Belongs(p.Context(), p.Engine)
	ids := testkit.Got(files.ids())
	_, _, next := files.nextID(p.Context(), p.Engine)
	if err := files.setIDs(ids...); err != nil { // as they were
		p.Fatal(err)
	}
	for _, err := range []error{claimed, belongs, next} {
		if (err == nil) != (claimed == nil) || err != nil && !errors.Is(err, errOther) {
			p.Errorf("to begin with the files: %v, to copy them: %v, to give them an id: %v", claimed, belongs, next)
		}
	}
	return claimed == nil
}

// A store takes the files that bear its id, and no others: neither another store's, nor an older copy,
// nor new ones. Each batch changes the id of both.
func TestID(t *testing.T) {
	p, other := newPlace(t), newPlace(t)
	for _, p := range []*place{p, other} {
		if err := p.files.Belongs(t.Context(), p.Engine); err != nil {
			t.Errorf("new files for a store without an archive: %v", err)
		}
		if has, err := p.store.HasArchive(t.Context()); has || err != nil {
			t.Errorf("a new store has an archive: %v", err)
		}
		if !p.takes(p.files) {
			t.Error("a store does not take its first files")
		}
	}
	older := p.copied()
	p.finish()
	testkit.Must(t, p.flushes(p.files))
	first := p.id()
	oneBefore := p.copied()
	key := p.finish()
	testkit.Must(t, p.flushes(p.files))
	if value, err := p.files.Get(t.Context(), key); value == nil || err != nil || p.id() == first {
		t.Fatalf("the files have %v, %v; the id is %s and was %s", value, err, p.id(), first)
	}
	if !p.takes(p.files) || !other.takes(other.files) {
		t.Error("a store does not take its own files")
	}
	for what, files := range map[string]*Files{"another store's": other.files, "older": older,
		"of one batch before": oneBefore} {
		if p.takes(files) {
			t.Errorf("files that are %s are taken", what)
		}
	}
	empty := folder(t, t.TempDir())
	if err := empty.Belongs(t.Context(), p.Engine); !errors.Is(err, errOther) {
		t.Errorf("new files for a store with an archive: %v", err)
	}
	if p.takes(empty) {
		t.Error("new files are taken for a store with an archive")
	}
}

// Nothing goes into files that are not the store's, and nothing leaves the store for files whose id
// changes while the batch is written.
func TestIDOfABatch(t *testing.T) {
	p := newPlace(t)
	if !p.takes(p.files) {
		t.Fatal("a store does not take its first files")
	}
	older := p.copied()
	p.finish()
	testkit.Must(t, p.flushes(p.files))
	key := p.finish()
	left := func() bool {
		t.Helper()
		var value []byte
		testkit.Must(t, p.Engine.Engine.View(t.Context(), func(r kv.Reader) (err error) {
			value, err = r.Get(key)
			return err
		}))
		return value != nil
	}
	p.archive = older
	if err := p.flushes(older); !errors.Is(err, errOther) || !left() {
		t.Errorf("a game goes into an older copy: %v", err)
	}
	if value, err := older.Get(t.Context(), key); value != nil || err != nil {
		t.Errorf("the older copy has %v, %v", value, err)
	}

	was := p.id()
	p.archive = &elsewhere{p.files, func() { // another process takes the archive over
		testkit.Check(t, p.Engine.Engine.Update(t.Context(), func(tx kv.Tx) error {
			return tx.Put(storage.ArchiveRow(), []byte("ELSEWHERE"))
		}))
	}}
	if err := p.flushes(p.files); !errors.Is(err, errOther) || !left() || p.id() != "ELSEWHERE" {
		t.Errorf("a game leaves a store whose id has changed: %v; the id is %s", err, p.id())
	}

	// A process that dies between the two writes of a batch leaves files that go on with either word.
	if ids, err := p.files.ids(); err != nil || len(ids) != 2 || !slices.Contains(ids, was) {
		t.Errorf("the words of a batch that was cut off: %v, %v; the store's was %s", ids, err, was)
	}
	storagetest.Put(t, p.Engine.Engine, storage.ArchiveRow(), []byte(was))
	p.archive = p.files
	if err := p.flushes(p.files); err != nil || left() || !p.takes(p.files) {
		t.Errorf("after a batch that was cut off: %v", err)
	}
}

// elsewhere does something else after rows are written.
type elsewhere struct {
	Archive
	then func()
}

func (e *elsewhere) Write(ctx context.Context, rows []Row) error {
	err := e.Archive.Write(ctx, rows)
	e.then()
	return err
}

// A copy of a store leaves the id where it is: neither does the copy bear it, nor does it lose its own.
func TestIDStays(t *testing.T) {
	from, to := newPlace(t), newPlace(t)
	for _, p := range []*place{from, to} {
		if !p.takes(p.files) {
			t.Fatal("a store does not take its first files")
		}
	}
	was := to.id()
	source, target := NewCopyEngine(from.Engine.Engine, storage.Finished, from.files),
		NewCopyEngine(to.Engine.Engine, storage.Finished, to.files)
	testkit.Must(t, source.View(t.Context(), func(r kv.Reader) error {
		if value, err := r.Get(storage.ArchiveRow()); value != nil || err != nil {
			t.Errorf("the id is read: %q, %v", value, err)
		}
		return r.Scan(nil, nil, func(k, _ []byte) bool {
			if isID(k) {
				t.Error("the id is listed")
			}
			return true
		})
	}))
	storagetest.Put(t, target, storage.ArchiveRow(), "COPIED")
	if to.id() != was {
		t.Errorf("the id of the copy is %s and was %s", to.id(), was)
	}
}

// asked is the process that has the archive's files, asked without a cluster.
type asked struct{ Archive }

func (a asked) Ask(ctx context.Context, _ string, question []byte) ([]byte, error) {
	return serve(ctx, a.Archive, question), nil
}

// Another process's archive gives all rows in as many answers as it takes, and its trouble is no lack of rows.
func TestRemote(t *testing.T) {
	ctx := t.Context()
	files := testkit.Got(OpenFiles(t.TempDir(), bolt.Options{Log: slog.New(slog.DiscardHandler)}))
	defer files.Close()
	const many = 500 // more than one answer holds
	var rows []Row
	for n := range uint64(many) {
		key := binary.BigEndian.AppendUint64([]byte{storage.Finished}, n+1)
		rows = append(rows, Row{Key: key, Value: []byte("v")})
	}
	testkit.Must(t, files.Write(ctx, rows))
	there := func(context.Context) (bool, error) { return true, nil }
	remote := &Remote{Asker: asked{files}, Exists: there}
	n := 0
	if err := remote.Scan(ctx, nil, nil, func(_, _ []byte) bool { n++; return true }); err != nil || n != many {
		t.Errorf("%d rows, %v", n, err)
	}
	remote = &Remote{Asker: asked{Unreachable{}}, Exists: there}
	if _, err := remote.Get(ctx, rows[1].Key); err == nil {
		t.Error("a game of an archive in trouble is none")
	}
	if err := remote.Scan(ctx, nil, nil, func(_, _ []byte) bool { return true }); err == nil {
		t.Error("an archive in trouble is empty")
	}
}
