package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tengen/internal/testkit"
	"tengen/storage/kv"
	"tengen/storage/storagetest"
)

// full says that the large dose of a test is wanted.
func full() bool { return os.Getenv("TENGEN_FULL") != "" }

// A damage changes a file of the given content.
type damage struct {
	name string
	do   func(b []byte) []byte
}

func damages(rng *rand.Rand, size int, before []byte, each int) (all []damage) {
	add := func(name string, do func(b []byte) []byte) { all = append(all, damage{name, do}) }
	add("empty", func([]byte) []byte { return nil })
	add("text", func([]byte) []byte { return []byte("this is not a database, whoever calls it one") })
	add("long text", func(b []byte) []byte { return []byte(strings.Repeat("not a database\n", len(b)/15)) })
	add("zeros", func(b []byte) []byte { return make([]byte, len(b)) })
	add("garbage", func(b []byte) []byte { return random(rng, len(b)) })
	for i := range 2 {
		add(fmt.Sprintf("meta %d zeroed", i), func(b []byte) []byte { clear(b[i*page : (i+1)*page]); return b })
		add(fmt.Sprintf("meta %d garbage", i), func(b []byte) []byte { copy(b[i*page:], random(rng, page)); return b })
		add(fmt.Sprintf("meta %d with a flipped bit", i), func(b []byte) []byte {
			b[i*page+16+rng.IntN(64)] ^= 1 << rng.IntN(8)
			return b
		})
		add(fmt.Sprintf("meta %d as it was before", i), func(b []byte) []byte {
			copy(b[i*page:(i+1)*page], before[i*page:])
			return b
		})
		add(fmt.Sprintf("meta %d twice", i), func(b []byte) []byte { copy(b[(1-i)*page:], b[i*page:(i+1)*page]); return b })
	}
	add("both metas zeroed", func(b []byte) []byte { clear(b[:2*page]); return b })
	for n := range 5 {
		add(fmt.Sprintf("cut to %d pages", n), func(b []byte) []byte { return b[:n*page] })
	}
	for range each {
		n := 1 + rng.IntN(size-1)
		add(fmt.Sprintf("cut to %d bytes", n), func(b []byte) []byte { return b[:n] })
		p := rng.IntN(size / page)
		add(fmt.Sprintf("page %d zeroed", p), func(b []byte) []byte { clear(b[p*page : (p+1)*page]); return b })
		q := rng.IntN(size / page)
		add(fmt.Sprintf("page %d garbage", q), func(b []byte) []byte { copy(b[q*page:], random(rng, page)); return b })
		x, y := rng.IntN(size/page), rng.IntN(size/page)
		add(fmt.Sprintf("page %d over page %d", x, y), func(b []byte) []byte {
			copy(b[y*page:(y+1)*page], b[x*page:(x+1)*page])
			return b
		})
		for range 3 {
			at := rng.IntN(size * 8)
			add(fmt.Sprintf("bit %d of byte %d flipped", at%8, at/8), func(b []byte) []byte {
				b[at/8] ^= 1 << (at % 8)
				return b
			})
		}
		all = append(all, vanishings(rng, size, before)...)
	}
	return all
}

// vanishings are damages that look like a good file of fewer or of older rows, one of each.
// before is an earlier state of the file.
func vanishings(rng *rand.Rand, size int, before []byte) (all []damage) {
	add := func(name string, do func(b []byte) []byte) { all = append(all, damage{name, do}) }
	any := func() int { return 2 + rng.IntN(size/page-2) }
	for _, by := range []int{1, 1 + rng.IntN(10)} {
		p := any()
		add(fmt.Sprintf("count of page %d lowered by %d", p, by), func(b []byte) []byte {
			setCount(b[p*page:], max(0, countOf(b[p*page:])-by))
			return b
		})
	}
	p, bit := any(), rng.IntN(7)
	add(fmt.Sprintf("bit %d of the count of page %d flipped", bit, p), func(b []byte) []byte {
		setCount(b[p*page:], countOf(b[p*page:])^1<<bit)
		return b
	})
	i := rng.IntN(100)
	add(fmt.Sprintf("count of small table %d lowered", i), func(b []byte) []byte {
		if small := inlines(b[:size]); len(small) > 0 {
			in := b[small[i%len(small)]:]
			setCount(in, max(0, countOf(in)-1))
		}
		return b
	})
	p, i = any(), rng.IntN(100)
	add(fmt.Sprintf("entry %d of page %d taken out", i, p), func(b []byte) []byte {
		takeOut(b[p*page:(p+1)*page], i)
		return b
	})
	x, y := any(), any()
	add(fmt.Sprintf("pages %d and %d swapped", x, y), func(b []byte) []byte {
		was := bytes.Clone(b[x*page : (x+1)*page])
		copy(b[x*page+8:(x+1)*page], b[y*page+8:]) // the first eight bytes are the page's number
		copy(b[y*page+8:(y+1)*page], was[8:])
		return b
	})
	p = any()
	add(fmt.Sprintf("page %d as it was before", p), func(b []byte) []byte {
		if binary.NativeEndian.Uint64(before[p*page:]) == uint64(p) {
			copy(b[p*page:(p+1)*page], before[p*page:])
		}
		return b
	})
	return all
}

// What a page of bbolt begins with: its number (8 bytes), flags (2), the count of its
// entries (2), how many pages follow that belong to it (4). A leaf's entries are heads of
// flags, position from the head on, length of the key, length of the value (4 each).
const page = 4096

func countOf(p []byte) int           { return int(binary.NativeEndian.Uint16(p[10:])) }
func setCount(p []byte, n int)       { binary.NativeEndian.PutUint16(p[10:], uint16(n)) }
func isLeaf(p []byte) bool           { return binary.NativeEndian.Uint16(p[8:]) == leafPage }
func field(p []byte, at int) int     { return int(binary.NativeEndian.Uint32(p[at:])) }
func setField(p []byte, at, to int)  { binary.NativeEndian.PutUint32(p[at:], uint32(to)) }
func ownNumber(p []byte, n int) bool { return binary.NativeEndian.Uint64(p) == uint64(n) }

// takeOut takes an entry out of a leaf as if it had never been there.
func takeOut(p []byte, i int) {
	n := countOf(p)
	if !isLeaf(p) || n == 0 || pageHead+n*elementSize > len(p) {
		return
	}
	i %= n
	copy(p[pageHead+i*elementSize:pageHead+(n-1)*elementSize], p[pageHead+(i+1)*elementSize:])
	for at := pageHead + i*elementSize; at < pageHead+(n-1)*elementSize; at += elementSize {
		setField(p, at+4, field(p, at+4)+elementSize)
	}
	setCount(p, n-1)
}

// inlines are the places of the tables that are so small that they stand in the page that
// names them.
func inlines(b []byte) (places []int) {
	for n := 2; n < len(b)/page; n++ {
		p := b[n*page:]
		if !isLeaf(p) || !ownNumber(p, n) {
			continue
		}
		for i := range min(countOf(p), page/elementSize-1) {
			at := pageHead + i*elementSize
			value := at + field(p, at+4) + field(p, at+8)
			if field(p, at) == 1 && value+32 < len(p) && binary.NativeEndian.Uint64(p[value:]) == 0 {
				places = append(places, n*page+value+16) // behind the head of the bucket
			}
		}
	}
	return places
}

func random(rng *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// fill writes rows of a generation; rows differ in table, size and value.
func fill(t *testing.T, db *DB, generation string) {
	t.Helper()
	for part := range 8 {
		testkit.Must(t, db.Update(t.Context(), func(tx kv.Tx) error {
			for i := part * 100; i < (part+1)*100; i++ {
				value := strings.Repeat(fmt.Sprintf("%s-%d;", generation, i), 1+i%40)
				if i%97 == 0 {
					value = strings.Repeat(value, 30) // overflow pages
				}
				if err := tx.Put(storagetest.B("%c%06d", "abc"[i%3], i*7919%100003), []byte(value)); err != nil {
					return err
				}
			}
			return nil
		}))
	}
}

// A scene is a store, what its file held at times, and its backup.
type scene struct {
	old, now               []string // rows: those of the backup and those of the file
	before, content, saved []byte   // the file when the backup was made, the file, the backup
	mark                   []byte   // of the clean close
	used                   int      // what lies behind it means nothing
}

func newScene(t *testing.T) (s scene) {
	path := newPath(t)
	db := open(t, path)
	read := func(path string) []byte {
		b := testkit.Read(t, path)
		return b
	}
	fill(t, db, "old")
	storagetest.Put(t, db, "s1", "a small table")
	storagetest.Put(t, db, "s2", "of two rows")
	s.old = storagetest.All(t, db)
	backup := backedUp(t, db, time.Now())
	s.before = read(path)
	fill(t, db, "new")
	s.now = storagetest.All(t, db)
	testkit.Must(t, db.bolt.View(func(tx *bboltTx) error { s.used = int(tx.Size()); return nil }))
	testkit.Must(t, db.Close())
	s.content, s.mark, s.saved = read(path), read(cleanPath(path)), read(backup.Path)
	return s
}

// doses is how many files a test of damages makes.
func doses() int {
	if n := os.Getenv("TENGEN_DAMAGES"); n != "" {
		return testkit.Got(strconv.Atoi(n))
	}
	switch {
	case full():
		return 5000
	case testing.Short():
		return 0
	}
	return 180
}

// After any damage a start ends in the good backup or in a clear error: no crash, no
// empty store, no wrong value, no missing row.
func TestDamage(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	const modes = 3
	rng := rand.New(rand.NewPCG(4, 2))
	each := 1
	for len(damages(rand.New(rand.NewPCG(1, 1)), s.used, s.before, each))*modes < doses() {
		each++
	}
	outcomes := map[string]int{}
	n := 0
	worded := func(ctx context.Context, path string) (Report, error) {
		r, err := brief(ctx, path)
		for _, raw := range []string{"panic", "assertion", "runtime error", "goroutine"} {
			if strings.Contains(r.Problem, raw) {
				t.Errorf("an operator would read %q", r.Problem)
			}
		}
		return r, err
	}
	for _, d := range damages(rng, s.used, s.before, each) {
		damaged := d.do(bytes.Clone(s.content))
		for _, c := range []struct{ clean, backup bool }{{true, true}, {false, true}, {false, false}} {
			n++
			name := fmt.Sprintf("%s (clean mark %v, backup %v)", d.name, c.clean, c.backup)
			outcome := s.probe(t, name, damaged, c.clean, c.backup, worded)
			outcomes[outcome]++
			if outcome == "old" && !c.backup {
				t.Errorf("%s: an old state comes from nowhere", name)
			}
		}
	}
	t.Logf("a file of %d kB with %d kB in use", len(s.content)>>10, s.used>>10)
	t.Logf("%d damaged files: %v", n, outcomes)
}

// brief is the usual check with little time: the pages of a few damaged files make a circle, in which
// a check goes on for as long as it may.
func brief(ctx context.Context, path string) (Report, error) {
	return checkChildFor(ctx, path, 2*time.Second)
}

// A branch that is its own child has bbolt walk in a circle. That ends the check, and not the process
// that asked for it.
func TestCircle(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	for n := 2; n < s.used/page; n++ {
		p := s.content[n*page:]
		if binary.NativeEndian.Uint16(p[8:]) != branchPage || !ownNumber(p, n) {
			continue
		}
		circle := bytes.Clone(s.content)
		binary.NativeEndian.PutUint64(circle[n*page+pageHead+8:], uint64(n)) // its first child
		path := newPath(t)
		testkit.Must(t, os.WriteFile(path, circle, fileMode))
		if report, err := checkChildFor(t.Context(), path, time.Second); err != nil {
			t.Error(err)
		} else if report.Good() {
			continue // a page that was given up
		}
		return
	}
	t.Fatal("no branch is in use")
}

// probe opens a store with the given content and says what came of it.
func (s scene) probe(t *testing.T, name string, content []byte, clean, backup bool,
	check func(context.Context, string) (Report, error)) string {
	dir := scratch(t)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "store.db")
	write := func(path string, b []byte) {
		testkit.Must(t, os.WriteFile(path, b, fileMode))
	}
	write(path, content)
	if clean {
		write(cleanPath(path), s.mark)
	}
	if backup {
		testkit.Must(t, os.Mkdir(path+".backups", dirMode))
		write(filepath.Join(path+".backups", backupName(path, time.Now())), s.saved)
	}
	db, err := Open(t.Context(), path, Options{Log: quiet, Check: check, startTime: time.Minute})
	if err != nil {
		if s := err.Error(); strings.Contains(s, "goroutine") || strings.Contains(s, "\n") {
			t.Errorf("%s: the error is no clear one: %s", name, s)
		}
		if backup {
			t.Errorf("%s: a good backup was not taken: %v", name, err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != string(content) {
			t.Errorf("%s: the damaged file was not left as it was: %v", name, err)
		}
		return "refused"
	}
	defer db.Close()
	var got []string
	err = db.View(t.Context(), func(r kv.Reader) error {
		return r.Scan(nil, nil, func(k, v []byte) bool { got = append(got, string(k)+"="+string(v)); return true })
	})
	if err != nil {
		t.Errorf("%s: reading: %v", name, err)
		return "unreadable"
	}
	switch {
	case slices.Equal(got, s.now) && !db.Recovery().Happened():
		usable(t, name, db)
		return "whole"
	case slices.Equal(got, s.old) && db.Recovery().Happened() && backup:
		if aside, err := os.ReadFile(db.Recovery().Aside); err != nil || string(aside) != string(content) {
			t.Errorf("%s: the damaged file was not kept: %v", name, err)
		}
		usable(t, name, db)
		return "old"
	}
	t.Errorf("%s: opened with %d rows of neither state; recovery: %v", name, len(got), db.Recovery())
	return "wrong"
}

func usable(t *testing.T, name string, db *DB) {
	if err := db.Update(t.Context(), func(tx kv.Tx) error { return tx.Put([]byte("x"), []byte("y")) }); err != nil {
		t.Errorf("%s: it cannot be written: %v", name, err)
	}
}

// A page that is damaged while the store is open gives errors, not crashes or wrong values.
func TestDamageUnderWay(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(8, 15))
	rounds := 12
	if full() {
		rounds = 200
	}
	outcomes := map[string]int{}
	for range rounds {
		dir := scratch(t)
		path := filepath.Join(dir, "store.db")
		db := open(t, path)
		fill(t, db, "now")
		want := map[string]string{}
		for _, row := range storagetest.All(t, db) {
			k, v, _ := strings.Cut(row, "=")
			want[k] = v
		}
		f := testkit.Got(os.OpenFile(path, os.O_RDWR, 0))
		info, _ := f.Stat()
		for range 1 + rng.IntN(8) {
			testkit.Got(f.WriteAt(random(rng, 1+rng.IntN(200)), 8192+rng.Int64N(min(info.Size(), 1<<20)-8192-200)))
		}
		f.Close()
		scan := db.View(t.Context(), func(r kv.Reader) error {
			return r.Scan(nil, nil, func(k, v []byte) bool {
				if want[string(k)] != string(v) {
					t.Errorf("a damaged page gives a wrong value for %q", k)
				}
				return true
			})
		})
		update := db.Update(t.Context(), func(tx kv.Tx) error { return tx.Put([]byte("b000001"), []byte("later")) })
		for what, err := range map[string]error{"scan": scan, "update": update} {
			switch {
			case err == nil:
				outcomes[what+" ok"]++
			case errors.Is(err, kv.ErrDamaged) || errors.Is(err, kv.ErrBroken):
				outcomes[what+" refused"]++
			default:
				t.Errorf("%s: %v", what, err)
			}
		}
		closed := make(chan error, 1)
		go func() { closed <- db.Close() }()
		select {
		case <-closed:
		case <-time.After(time.Minute):
			t.Fatal("Close hangs after damage")
		}
	}
	t.Logf("%d rounds: %v", rounds, outcomes)
}

// The newest backup is damaged too: the one before it is taken. All are: a clear error.
func TestDamagedBackups(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	db := open(t, path)
	fill(t, db, "one")
	one := storagetest.All(t, db)
	at := time.Now()
	backedUp(t, db, at)
	fill(t, db, "two")
	second := backedUp(t, db, at.Add(time.Second))
	testkit.Must(t, db.Close())
	cut := func(path string) {
		testkit.Must(t, os.Truncate(path, 9000))
	}
	cut(path)
	cut(second.Path)
	db = open(t, path)
	if got := storagetest.All(t, db); len(got) != len(one) || got[0] != one[0] {
		t.Errorf("the older backup was not taken: %v", db.Recovery())
	}
	status, err := db.Status()
	if err != nil || !status.Recovery.Happened() {
		t.Errorf("the status says nothing of it: %+v, %v", status, err)
	}
	testkit.Must(t, db.Close())
	cut(path)
	cut(status.Recovery.From)
	_, err = Open(t.Context(), path, Options{Log: quiet})
	var damaged *damagedError
	if !errors.As(err, &damaged) || damaged.Tried != 2 || !errors.Is(err, kv.ErrDamaged) {
		t.Errorf("with no good backup: %v", err)
	}
	// A file that is gone while its backups are there is not a new store.
	testkit.Must(t, os.Remove(path))
	if _, err = Open(t.Context(), path, Options{Log: quiet}); !errors.As(err, &damaged) {
		t.Errorf("with the file gone: %v", err)
	}
}

// A database of something else is refused and left alone, unless something shows that it
// was ours: then it is damaged.
func TestForeignFile(t *testing.T) {
	path := newPath(t)
	raw(t, path, func(tx *bboltTx) error { _, err := tx.CreateBucket([]byte("theirs")); return err })
	before, _ := os.ReadFile(path)
	for range 2 {
		if _, err := Open(t.Context(), path, Options{Log: quiet}); !errors.Is(err, errForeign) {
			t.Errorf("a database of something else: %v", err)
		}
	}
	testkit.Must(t, markClean(path))
	if _, err := Open(t.Context(), path, Options{Log: quiet}); !errors.As(err, new(*damagedError)) {
		t.Errorf("a database of something else where a store was: %v", err)
	}
	if after, _ := os.ReadFile(path); string(after) != string(before) {
		t.Error("it was changed")
	}
}

func TestNewerLayout(t *testing.T) {
	path := newPath(t)
	db := open(t, path)
	backedUp(t, db, time.Now())
	testkit.Must(t, db.bolt.Update(func(tx *bboltTx) error {
		own := tx.Bucket(metaBucket)
		return errors.Join(own.Put(layoutKey, []byte("3")), own.Put(sumsKey, kv.AddChecksum(sumsKeyOf([]byte("3")), nil)))
	}))
	testkit.Must(t, db.Close())
	for range 2 { // with the mark of a clean close and without
		_, err := Open(t.Context(), path, Options{Log: quiet})
		if layout := newerLayout(""); !errors.As(err, &layout) {
			t.Errorf("a file of a newer tengen: %v", err)
		}
		os.Remove(cleanPath(path))
	}
}

// A start that was cut off between putting the damaged file aside and copying the backup
// is finished by the next one.
func TestRecoveryCutOff(t *testing.T) {
	path := newPath(t)
	db := open(t, path)
	fill(t, db, "one")
	want := storagetest.All(t, db)
	backedUp(t, db, time.Now())
	testkit.Must(t, db.Close())
	testkit.Must(t, os.Rename(path, path+".damaged-before"))
	testkit.Must(t, os.WriteFile(path+".part", []byte("half a copy"), fileMode))
	db = open(t, path)
	defer db.Close()
	if got := storagetest.All(t, db); len(got) != len(want) || !db.Recovery().Happened() {
		t.Errorf("there are %d rows, want %d; recovery: %v", len(got), len(want), db.Recovery())
	}
}
