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
	"tengen/storage/pg"
	"tengen/storage/pg/pgtest"
	"tengen/storage/storagetest"
)

// TestCopyStore copies a store to PostgreSQL and back: the exports are the same, byte by byte.
// TENGEN_COPY is the number of games; unset, 30.
func TestCopyStore(t *testing.T) {
	t.Parallel()
	games, _ := strconv.Atoi(os.Getenv("TENGEN_COPY"))
	if games == 0 {
		games = 30
	}
	address := pgtest.Address(pgtest.Start(t))
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first.db"), filepath.Join(dir, "second.db")
	testkit.Must(t, makeStore(t.Context(), first, games))
	there := pgPrefix + address + "#one"
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
	playOnPostgres(t, address, games)
	for _, bad := range []string{"bolt:", "etcd:http://127.0.0.1:1/one", "file", "pg:"} {
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

// playOnPostgres goes on playing in the copy.
func playOnPostgres(t *testing.T, address string, games int) {
	t.Helper()
	db := testkit.Got(pg.Open(t.Context(), pg.Options{Address: address, Schema: "one", Patience: 5 * time.Minute}))
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
