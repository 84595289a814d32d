package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/etcd"
	"tengen/storage/etcd/etcdtest"
	"tengen/storage/storagetest"
)

// TestCopyStore copies a store to etcd and back: the exports are the same, byte by byte.
// TENGEN_COPY is the number of games; unset, 30.
func TestCopyStore(t *testing.T) {
	t.Parallel()
	games, _ := strconv.Atoi(os.Getenv("TENGEN_COPY"))
	if games == 0 {
		games = 30
	}
	c := etcdtest.Start(t, 1)
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first.db"), filepath.Join(dir, "second.db")
	testkit.Must(t, makeStore(t.Context(), first, games))
	there := "etcd:" + strings.Join(c.Endpoints, ",") + "/bots/one"
	start := time.Now()
	for _, pair := range [][2]string{{"bolt:" + first, there}, {there, "bolt:" + second}} {
		code, out, errs := tengen(t, "store", "copy", "--from", pair[0], "--to", pair[1])
		if code != 0 || !strings.Contains(out, "compared") {
			t.Fatalf("%s, %s", out, errs)
		}
		t.Logf("%v %s", time.Since(start).Round(time.Millisecond), out)
	}
	if code, out, errs := tengen(t, "store", "copy", "--from", "bolt:"+first, "--to", there); code == 0 {
		t.Errorf("a store was copied over another: %s%s", out, errs)
	}
	code, one, errs := tengen(t, "store", "export", "--data", first)
	code2, two, errs2 := tengen(t, "store", "export", "--data", second)
	if code != 0 || code2 != 0 || one != two || strings.Count(one, `"kind":"match"`) != games {
		t.Errorf("the exports differ: %d and %d bytes, %s%s", len(one), len(two), errs, errs2)
	} else {
		t.Logf("the exports are the same %d bytes", len(one))
	}
	if code, out, errs := tengen(t, "store", "check", "--data", second); code != 0 {
		t.Errorf("%s, %s", out, errs)
	}
	db := testkit.Got(etcd.Open(t.Context(), etcd.Options{Endpoints: c.Endpoints}))
	m := db.CheckHealth(t.Context()).Members[0]
	db.Close()
	t.Logf("the server's file has %d bytes, %d in use", m.Size, m.InUse)
	playOnEtcd(t, c.Endpoints, games)

	// With the finished games in files beside etcd, and back.
	third, beside, files := filepath.Join(dir, "third.db"), "etcd:"+strings.Join(c.Endpoints, ",")+"/bots/two",
		filepath.Join(dir, "archive")
	testkit.Must(t, putAway(t.Context(), first))
	for _, pair := range [][2]string{{"bolt:" + first, beside}, {beside, "bolt:" + third}} {
		if code, out, errs := tengen(t, "store", "copy", "--archive", files, "--from", pair[0], "--to", pair[1]); code != 0 {
			t.Fatalf("%s, %s", out, errs)
		}
	}
	code, one, _ = tengen(t, "store", "export", "--data", first)
	code2, two, _ = tengen(t, "store", "export", "--data", third)
	if code != 0 || code2 != 0 || one != two {
		t.Errorf("with an archive the exports differ: %d and %d bytes", len(one), len(two))
	}
	if months, _ := filepath.Glob(filepath.Join(files, "*.games")); len(months) == 0 {
		t.Error("nothing went to the archive")
	}
	for _, bad := range []string{"bolt:", "etcd:", "file", "etcd:127.0.0.1:1/\x01"} {
		if code, out, errs := tengen(t, "store", "copy", "--from", bad, "--to", there); code == 0 {
			t.Errorf("%q: %s%s", bad, out, errs)
		}
	}
}

// putAway lets the ended games of a store be filed.
func putAway(ctx context.Context, path string) error {
	db, s, err := openFile(ctx, path)
	if err != nil {
		return err
	}
	return errors.Join(s.Sweep(ctx, time.Now()), db.Close())
}

// playOnEtcd goes on playing in the copy. A quarter of the operations that etcd takes in a
// transaction must be enough for each step.
func playOnEtcd(t *testing.T, endpoints []string, games int) {
	t.Helper()
	db := testkit.Got(etcd.Open(t.Context(), etcd.Options{Endpoints: endpoints, Prefix: "bots/one", MaxOps: 32,
		Patience: 5 * time.Minute}))
	defer db.Close()
	s := storagetest.Store(t, db)
	for i := range 6 {
		testkit.Check(t, playOne(t.Context(), s, games+i))
	}
	if games > 10_000 {
		return // each row takes a request or more
	}
	_, err := storage.Verify(t.Context(), db)
	testkit.Check(t, err)
}
