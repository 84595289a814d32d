package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.etcd.io/bbolt"

	"tengen/internal/testkit"
	"tengen/storage/kv"
	"tengen/storage/storagetest"
)

func lastIs(t *testing.T, path string, want Last) {
	t.Helper()
	got, err := readLast(path)
	if err != nil || got.Epoch != want.Epoch || got.Changes != want.Changes {
		t.Errorf("%s: %v, %v, want change %d of history %d", filepath.Base(path), got, err, want.Changes, want.Epoch)
	}
}

// Each commit is counted, a copy carries the count of what it holds, and a restore and a
// recovery begin a history of their own.
func TestLast(t *testing.T) {
	path := newPath(t)
	db := open(t, path, here)
	lastIs(t, path, Last{Epoch: 1})
	if err := db.Update(t.Context(), func(kv.Tx) error { return nil }); err != nil { // changes nothing
		t.Fatal(err)
	}
	lastIs(t, path, Last{Epoch: 1})
	before := time.Now().Truncate(time.Millisecond)
	for i := range 3 {
		storagetest.Put(t, db, storagetest.B("a%d", i), "")
	}
	lastIs(t, path, Last{Epoch: 1, Changes: 3})
	if l, err := db.last(); err != nil || l.At.Before(before) || l.At.After(time.Now()) {
		t.Errorf("the last change was at %v, %v", l.At, err)
	}
	backup := backedUp(t, db, time.Now())
	storagetest.Put(t, db, "b", "")
	lastIs(t, path, Last{Epoch: 1, Changes: 4})
	lastIs(t, backup.Path, Last{Epoch: 1, Changes: 3})
	testkit.Must(t, db.Close())
	_, _, err := Compact(t.Context(), path, here, nil)
	testkit.Must(t, err)
	lastIs(t, path, Last{Epoch: 1, Changes: 4})
	testkit.Got(Restore(t.Context(), path, backup.Path, here))
	lastIs(t, path, Last{Epoch: 2, Changes: 3})
	lastIs(t, backup.Path, Last{Epoch: 1, Changes: 3})
	db = open(t, path, here)
	storagetest.Put(t, db, "c", "")
	db.Close()
	lastIs(t, path, Last{Epoch: 2, Changes: 4})

	// The file is damaged, all but the page with its record: no backup knows of history 2.
	whole := testkit.Read(t, path)
	at := bytes.Index(whole, lastMagic) / 4096 * 4096
	torn := make([]byte, len(whole))
	copy(torn[at:], whole[at:at+4096])
	testkit.Must(t, os.WriteFile(path, torn, fileMode))
	db = open(t, path, here)
	lastIs(t, path, Last{Epoch: 3, Changes: 3})

	// Only a backup knows of history 3, and then only the one that is restored knows of 4.
	third := backedUp(t, db, time.Now().Add(time.Second))
	db.Close()
	for i, from := range []string{backup.Path, filepath.Join(filepath.Dir(path), "elsewhere.db")} {
		ruin(t, path)
		testkit.Got(Restore(t.Context(), path, from, here))
		lastIs(t, path, Last{Epoch: 4 + uint64(i), Changes: 3})
		if i == 0 {
			testkit.Must(t, errors.Join(os.Remove(third.Path),
				os.Rename(path, filepath.Join(filepath.Dir(path), "elsewhere.db"))))
		}
	}
}

// A record is found wherever it stands, and what looks like one and is none is not taken.
func TestScanEpoch(t *testing.T) {
	t.Parallel()
	path := filepath.Join(scratch(t), "any")
	for _, at := range []int{0, 1, 1<<20 - lastSize - 1, 1<<20 - lastSize, 1<<20 - 5, 1 << 20, 3<<20 - 7,
		4<<20 - lastSize} {
		b := bytes.Repeat(append(make([]byte, 4000), lastMagic...), 4<<20/4000)[:4<<20]
		copy(b[at:], Last{Epoch: 77, Changes: 5}.bytes())
		testkit.Must(t, os.WriteFile(path, b, fileMode))
		if got := scanEpoch(path); got != 77 {
			t.Errorf("at %d: %d", at, got)
		}
	}
	forged := Last{Epoch: 99}.bytes()
	forged[20]++
	testkit.Must(t, os.WriteFile(path, forged, fileMode))
	testkit.Want(t, "a forged record gives", scanEpoch(path), 0)
}

// A backup that is made while writes go on says of itself what it holds.
func TestLastOfHotBackup(t *testing.T) {
	path := newPath(t)
	db := open(t, path, here)
	defer db.Close()
	ctx, stop := context.WithCancel(t.Context())
	began := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		for i := 1; ctx.Err() == nil; i++ {
			storagetest.Put(t, db, "n", strconv.Itoa(i))
			if i == 10 {
				close(began)
			}
		}
	})
	<-began
	for i := range 5 {
		backup, err := db.Backup(t.Context(), time.Now().Add(time.Duration(i)*time.Second))
		if err != nil {
			t.Error(err)
			break
		}
		copied := open(t, backup.Path, here)
		for _, row := range storagetest.All(t, copied) {
			if want := fmt.Sprintf("n=%d", backup.Last.Changes); row != want {
				t.Errorf("change %d with %s", backup.Last.Changes, row)
			}
		}
		copied.Close()
	}
	stop()
	wait.Wait()
}

// A file of the layout without a record opens as before, counts as the oldest, and has one
// from its next change on. From then on a program that would not keep it refuses the file.
func TestLayoutOne(t *testing.T) {
	now := time.Now()
	db, path, made := changed(t, now, here)
	one := func(db *bbolt.DB) {
		testkit.Must(t, db.Update(func(tx *bbolt.Tx) error {
			own := tx.Bucket(metaBucket)
			return errors.Join(own.Delete(lastKey), own.Delete(sumsKey), own.Put(layoutKey, sumlessLayout))
		}))
	}
	one(db.bolt)
	testkit.Must(t, db.Close())
	for i, name := range made {
		b := testkit.Got(bbolt.Open(name, fileMode, nil))
		one(b)
		b.Close()
		if i == 1 {
			rename(t, path, name, now.Add(30*24*time.Hour))
		}
	}
	backups, err := Backups(path, path+".backups")
	if err != nil || len(backups) != 5 || backups[0].Path != made[4] || !backups[4].Ahead {
		t.Errorf("of layout 1: %v, %v", backups, err)
	}
	read := testkit.Got(Read(t.Context(), path, here))
	old, err := read.Backup(t.Context(), now)
	if err != nil || old.Last.compare(Last{Epoch: 1}) != 0 {
		t.Errorf("a backup of a file of layout 1 says %v, %v", old.Last, err)
	}
	read.Close()
	db = open(t, path, here)
	want := storagetest.All(t, db)
	db.Close()
	lastIs(t, path, Last{Epoch: 1})
	db = open(t, path, here)
	if got := storagetest.All(t, db); len(got) != len(want) || len(got) != 5 {
		t.Errorf("there are %d rows", len(got))
	}
	storagetest.Put(t, db, "new", "")
	made5, err := db.Backup(t.Context(), now.Add(-30*24*time.Hour)) // by a wrong clock
	testkit.Must(t, err)
	lastIs(t, path, Last{Epoch: 1, Changes: 1})
	if backups, err := Backups(path, path+".backups"); err != nil || backups[0].Path != made5.Path {
		t.Errorf("the newest is %v, %v", backups[0], err)
	}
	testkit.Must(t, db.bolt.View(func(tx *bbolt.Tx) error {
		if layout := tx.Bucket(metaBucket).Get(layoutKey); !bytes.Equal(layout, currentLayout) {
			t.Errorf("after a change the layout is %s", layout)
		}
		return nil
	}))
	db.Close()
}

// A record that does not agree with its sum is damage like that of any row.
func TestLastDamaged(t *testing.T) {
	db, path, made := changed(t, time.Now(), here)
	testkit.Must(t, db.Close())
	for _, name := range []string{path, made[4]} {
		b := testkit.Got(bbolt.Open(name, fileMode, nil))
		err := b.Update(func(tx *bbolt.Tx) error {
			own := tx.Bucket(metaBucket)
			record := bytes.Clone(own.Get(lastKey))
			record[len(lastMagic)+7] ^= 1
			return own.Put(lastKey, record)
		})
		testkit.Must(t, errors.Join(err, b.Close()))
	}
	backups, err := Backups(path, path+".backups")
	if err != nil || backups[0].Path != made[3] || backups[4].Path != made[4] {
		t.Errorf("listed: %v, %v", backups, err)
	}
	db = open(t, path, here)
	defer db.Close()
	if r := db.Recovery(); r.From != made[3] {
		t.Errorf("recovery: %v, from %s", r, r.From)
	}
}

// Our own way to the record finds what bbolt finds, whatever else is in the file.
func TestReadLast(t *testing.T) {
	for _, page := range []int{1 << 10, 4 << 10, 64 << 10} {
		for _, c := range []struct{ tables, own int }{{0, 0}, {3, 0}, {250, 0}, {3000, 0}, {250, 3000}, {3, 20_000}} {
			path := newPath(t)
			db := testkit.Got(bbolt.Open(path, fileMode, &bbolt.Options{PageSize: page, NoSync: true}))
			want := Last{Epoch: 3, Changes: uint64(c.tables), At: time.UnixMilli(1783500000123).UTC()}
			err := db.Update(func(tx *bbolt.Tx) error {
				for i := range c.tables {
					b, err := tx.CreateBucket(binary.BigEndian.AppendUint16(nil, uint16(i*37)))
					if err != nil {
						return err
					}
					if err := b.Put([]byte("k"), make([]byte, i%300)); err != nil {
						return err
					}
				}
				if err := errors.Join(writeOwn(tx), putLast(tx, want)); err != nil {
					return err
				}
				for i := range c.own / 100 {
					if err := tx.Bucket(metaBucket).Put(storagetest.B("k%d", i), make([]byte, 100)); err != nil {
						return err
					}
				}
				return nil
			})
			testkit.Must(t, errors.Join(err, db.Close()))
			if got, err := readLast(path); err != nil || got != want {
				t.Errorf("pages of %d, %v: %v, %v", page, c, got, err)
			}
		}
	}
}

// FuzzLast: a damaged file gives a record that was there, none, or an error, and no panic.
func FuzzLast(f *testing.F) {
	path := filepath.Join(f.TempDir(), "store.db")
	db, err := bbolt.Open(path, fileMode, &bbolt.Options{PageSize: 1 << 10, NoSync: true})
	testkit.Must(f, err)
	for i := range 40 {
		err = errors.Join(err, db.Update(func(tx *bbolt.Tx) error {
			if _, err := tx.CreateBucket([]byte{byte(i)}); err != nil {
				return err
			}
			return errors.Join(writeOwn(tx), putLast(tx, Last{Epoch: 1, Changes: uint64(i)}))
		}))
	}
	testkit.Must(f, errors.Join(err, db.Close()))
	whole := testkit.Read(f, path)
	for at := range uint32(len(whole)) {
		if at%97 == 0 {
			f.Add(at, []byte{0xff}, at)
			f.Add(at, []byte{1, 0, 0, 0, 0, 0, 0, 0}, uint32(len(whole)))
		}
	}
	f.Fuzz(func(t *testing.T, at uint32, b []byte, end uint32) {
		torn := bytes.Clone(whole)
		copy(torn[min(at, uint32(len(torn))):], b)
		l, err := lastIn(bytes.NewReader(torn[:min(end, uint32(len(torn)))]))
		if err == nil && l != (Last{}) && (l.Epoch != 1 || l.Changes >= 40) && len(b) < lastSize {
			t.Errorf("it gives %v", l)
		}
	})
}

// A backup that fails, and one that never ends, are errors in the log and figures.
func TestBackupsFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log testkit.Log
		var check atomic.Pointer[func(context.Context, string) (Report, error)]
		from := func(f func(context.Context, string) (Report, error)) { check.Store(&f) }
		from(CheckHere)
		o := Options{Log: slog.New(slog.NewTextHandler(&log, nil)),
			Check: func(ctx context.Context, path string) (Report, error) { return (*check.Load())(ctx, path) }}
		db := open(t, newPath(t), o)
		defer db.Close()
		ctx, cancel := context.WithCancel(t.Context())
		var wait sync.WaitGroup
		wait.Go(func() { db.KeepBackups(ctx, time.Hour) })
		status := func() Status {
			s, err := db.Status()
			testkit.Check(t, err)
			return s
		}
		time.Sleep(10*time.Hour + time.Second)
		if s := status(); s.BackupFailures != 0 || s.BackupOverdue != 0 || time.Since(s.Backup) > time.Hour ||
			strings.Contains(log.String(), "ERROR") {
			t.Errorf("while all is well: %+v, %s", s, log.String())
		}
		from(func(context.Context, string) (Report, error) { return Report{}, errors.New("the disk is away") })
		time.Sleep(90 * time.Minute)
		if s := status(); s.BackupFailures != 6 || s.BackupOverdue != 0 ||
			strings.Count(log.String(), "the disk is away") != 6 {
			t.Errorf("after 90 minutes: %+v, %s", s, log.String())
		}
		from(func(ctx context.Context, _ string) (Report, error) { <-ctx.Done(); return Report{}, ctx.Err() })
		time.Sleep(3 * time.Hour)
		if s := status(); s.BackupOverdue < 4*time.Hour ||
			!strings.Contains(log.String(), `level=ERROR msg="no backup of the store has come"`) {
			t.Errorf("after three hours: %+v, %s", s, log.String())
		}
		cancel()
		wait.Wait()
		if s := status(); s.BackupOverdue != 0 || s.BackupFailures != 6 {
			t.Errorf("when nobody asks for backups: %+v", s)
		}
	})
}

// The age that a process tells of its backup is the time that passed, whatever the clock
// was set to; of others' backups it believes no stamp that is yet to come.
func TestNewest(t *testing.T) {
	now := time.Now()
	ahead := func(d time.Duration, last time.Time) Backup {
		return Backup{Path: "ahead", At: now.Add(d), Ahead: true, Last: Last{At: last}}
	}
	mine := &Backup{Path: "mine", At: now.Add(-time.Minute)}
	for _, c := range []struct {
		name    string
		backups []Backup
		made    *Backup
		want    time.Time
	}{
		{"none", nil, nil, time.Time{}},
		{"mine is gone", nil, mine, time.Time{}},
		{"mine", []Backup{{Path: "other", At: now}, {Path: "mine", At: now.Add(time.Hour), Ahead: true}}, mine, mine.At},
		{"by its content", []Backup{ahead(time.Hour, now.Add(-2*time.Hour)), {At: now.Add(-3 * time.Hour)}}, nil, now.Add(-2 * time.Hour)},
		{"not even that", []Backup{ahead(time.Hour, now.Add(time.Hour)), {At: now.Add(-3 * time.Hour)}}, nil, now.Add(-3 * time.Hour)},
		{"nothing to believe", []Backup{ahead(time.Hour, time.Time{})}, nil, time.Time{}},
	} {
		if got := newest(c.backups, c.made, now); !got.Equal(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
