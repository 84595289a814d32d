package bolt

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

func damages(rng *rand.Rand, size int, each int) (all []damage) {
	const page = 4096
	add := func(name string, do func(b []byte) []byte) { all = append(all, damage{name, do}) }
	add("empty", func([]byte) []byte { return nil })
	add("text", func([]byte) []byte { return []byte("this is not a database, whoever calls it one") })
	add("long text", func(b []byte) []byte { return []byte(strings.Repeat("not a database\n", len(b)/15)) })
	add("zeros", func(b []byte) []byte { return make([]byte, len(b)) })
	add("garbage", func(b []byte) []byte { return random(rng, len(b)) })
	for i := range 2 {
		add(fmt.Sprintf("meta %d zeroed", i), func(b []byte) []byte { clear(b[i*page : (i+1)*page]); return b })
		add(fmt.Sprintf("meta %d garbage", i), func(b []byte) []byte { copy(b[i*page:], random(rng, page)); return b })
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
			add(fmt.Sprintf("bit %d of byte %d flipped", at%8, at/8), func(b []byte) []byte { b[at/8] ^= 1 << (at % 8); return b })
		}
	}
	return all
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
		err := db.Update(t.Context(), func(tx kv.Tx) error {
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
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// After any damage a start ends in the good backup or in a clear error: no crash, no
// empty store, no wrong value.
func TestDamage(t *testing.T) {
	each := 4
	switch {
	case full():
		each = 60
	case testing.Short():
		each = 1
	}
	dir := scratch(t)
	path := filepath.Join(dir, "store.db")
	db := open(t, path, Options{})
	fill(t, db, "old")
	old := storagetest.All(t, db)
	if _, err := db.Backup(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	fill(t, db, "new")
	now := storagetest.All(t, db)
	var used int // what lies behind it means nothing
	if err := db.bolt.View(func(tx *bboltTx) error { used = int(tx.Size()); return nil }); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	mark, err := os.ReadFile(cleanPath(path))
	if err != nil {
		t.Fatal(err)
	}
	backup, err := Backups(path, path+".backups")
	if err != nil || len(backup) != 1 {
		t.Fatalf("%d backups, %v", len(backup), err)
	}
	saved, err := os.ReadFile(backup[0].Path)
	if err != nil {
		t.Fatal(err)
	}

	rng := rand.New(rand.NewPCG(4, 2))
	outcomes := map[string]int{}
	n := 0
	for _, d := range damages(rng, used, each) {
		damaged := d.do(append([]byte(nil), content...))
		for _, c := range []struct{ clean, backup bool }{{true, true}, {false, true}, {false, false}} {
			n++
			name := fmt.Sprintf("%s (clean mark %v, backup %v)", d.name, c.clean, c.backup)
			outcome := probe(t, name, damaged, mark, saved, c.clean, c.backup, old, now)
			outcomes[outcome]++
			if outcome == "old" && !c.backup {
				t.Errorf("%s: an old state comes from nowhere", name)
			}
		}
	}
	t.Logf("a file of %d kB with %d kB in use", len(content)>>10, used>>10)
	t.Logf("%d damaged files: %v", n, outcomes)
}

// probe opens a store with the given content and says what came of it.
func probe(t *testing.T, name string, content, mark, saved []byte, clean, backup bool, old, now []string) string {
	dir := scratch(t)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "store.db")
	write := func(path string, b []byte) {
		if err := os.WriteFile(path, b, fileMode); err != nil {
			t.Fatal(err)
		}
	}
	write(path, content)
	if clean {
		write(cleanPath(path), mark)
	}
	if backup {
		if err := os.Mkdir(path+".backups", dirMode); err != nil {
			t.Fatal(err)
		}
		write(filepath.Join(path+".backups", backupName(path, time.Now())), saved)
	}
	db, err := Open(t.Context(), path, Options{Log: quiet})
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
	got := storagetest.All(t, db)
	equal := func(want []string) bool {
		if len(got) != len(want) {
			return false
		}
		for i := range got {
			if got[i] != want[i] {
				return false
			}
		}
		return true
	}
	// It must be usable, too.
	storagetest.Put(t, db, []byte("x"), []byte("y"))
	switch {
	case equal(now) && !db.Recovery().Happened():
		return "whole"
	case equal(old) && db.Recovery().Happened() && backup:
		if aside, err := os.ReadFile(db.Recovery().Aside); err != nil || string(aside) != string(content) {
			t.Errorf("%s: the damaged file was not kept: %v", name, err)
		}
		return "old"
	}
	t.Errorf("%s: opened with %d rows of neither state; recovery: %v", name, len(got), db.Recovery())
	return "wrong"
}

// A page that is damaged while the store is open gives errors, not crashes or wrong values.
func TestDamageUnderWay(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 15))
	rounds := 12
	if full() {
		rounds = 200
	}
	outcomes := map[string]int{}
	for range rounds {
		dir := scratch(t)
		path := filepath.Join(dir, "store.db")
		db := open(t, path, Options{})
		fill(t, db, "now")
		want := map[string]string{}
		for _, row := range storagetest.All(t, db) {
			k, v, _ := strings.Cut(row, "=")
			want[k] = v
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		info, _ := f.Stat()
		for range 1 + rng.IntN(8) {
			if _, err := f.WriteAt(random(rng, 1+rng.IntN(200)), 8192+rng.Int64N(min(info.Size(), 1<<20)-8192-200)); err != nil {
				t.Fatal(err)
			}
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
	path := filepath.Join(scratch(t), "store.db")
	db := open(t, path, Options{})
	fill(t, db, "one")
	one := storagetest.All(t, db)
	at := time.Now()
	if _, err := db.Backup(t.Context(), at); err != nil {
		t.Fatal(err)
	}
	fill(t, db, "two")
	second, err := db.Backup(t.Context(), at.Add(time.Second))
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	cut := func(path string) {
		if err := os.Truncate(path, 9000); err != nil {
			t.Fatal(err)
		}
	}
	cut(path)
	cut(second.Path)
	db = open(t, path, Options{})
	if got := storagetest.All(t, db); len(got) != len(one) || got[0] != one[0] {
		t.Errorf("the older backup was not taken: %v", db.Recovery())
	}
	status, err := db.Status()
	if err != nil || !status.Recovery.Happened() {
		t.Errorf("the status says nothing of it: %+v, %v", status, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	cut(path)
	cut(status.Recovery.From)
	_, err = Open(t.Context(), path, Options{Log: quiet})
	var damaged *Damaged
	if !errors.As(err, &damaged) || damaged.Tried != 2 || !errors.Is(err, kv.ErrDamaged) {
		t.Errorf("with no good backup: %v", err)
	}
	// A file that is gone while its backups are there is not a new store.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err = Open(t.Context(), path, Options{Log: quiet}); !errors.As(err, &damaged) {
		t.Errorf("with the file gone: %v", err)
	}
}

func TestForeignFile(t *testing.T) {
	path := filepath.Join(scratch(t), "store.db")
	db := open(t, path, Options{})
	if _, err := db.Backup(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := db.bolt.Update(func(tx *bboltTx) error { return tx.DeleteBucket(ownBucket) }); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	os.Remove(cleanPath(path))
	before, _ := os.ReadFile(path)
	if _, err := Open(t.Context(), path, Options{Log: quiet}); !errors.Is(err, errForeign) {
		t.Errorf("a database of something else: %v", err)
	}
	if after, _ := os.ReadFile(path); string(after) != string(before) {
		t.Error("it was changed")
	}
}

func TestNewerLayout(t *testing.T) {
	path := filepath.Join(scratch(t), "store.db")
	db := open(t, path, Options{})
	if _, err := db.Backup(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := db.bolt.Update(func(tx *bboltTx) error { return tx.Bucket(ownBucket).Put(ownKey, []byte("3")) }); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
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
	path := filepath.Join(scratch(t), "store.db")
	db := open(t, path, Options{})
	fill(t, db, "one")
	want := storagetest.All(t, db)
	if _, err := db.Backup(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path, path+".damaged-before"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".part", []byte("half a copy"), fileMode); err != nil {
		t.Fatal(err)
	}
	db = open(t, path, Options{})
	defer db.Close()
	if got := storagetest.All(t, db); len(got) != len(want) || !db.Recovery().Happened() {
		t.Errorf("there are %d rows, want %d; recovery: %v", len(got), len(want), db.Recovery())
	}
}
