package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tengen/bot/standin"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/etcd"
	"tengen/storage/etcd/etcdtest"
	"tengen/storage/kv"
)

// TestStoreOnEtcd looks at a store on etcd whose finished games are in files. While the bot
// runs, the commands ask it for them; after that they read the files. Then the store moves
// back into a file.
func TestStoreOnEtcd(t *testing.T) {
	t.Parallel() // most of it waits for etcd
	const games = 40
	c := etcdtest.Start(t, 1)
	s := tcpStandin(t, standin.Options{})
	dir := t.TempDir()
	first, files := filepath.Join(dir, "first.db"), filepath.Join(dir, "archive")
	testkit.Must(t, makeStore(t.Context(), first, games))
	testkit.Must(t, putAway(t.Context(), first))
	cluster := "etcd:" + strings.Join(c.Endpoints, ",")
	good := func(args ...string) string {
		t.Helper()
		code, out, errs := tengen(t, append([]string{"store"}, args...)...)
		for end := time.Now().Add(time.Minute); code != 0 && strings.Contains(errs, "at the moment") &&
			time.Now().Before(end); {
			code, out, errs = tengen(t, append([]string{"store"}, args...)...) // a busy machine's bot answers late
		}
		if code != 0 {
			t.Fatalf("%v: %d %s %s", args, code, out, errs)
		}
		return out
	}
	refused := func(why string, args ...string) {
		t.Helper()
		if code, out, errs := tengen(t, append([]string{"store"}, args...)...); code != 1 || !strings.Contains(errs, why) {
			t.Errorf("%v: %d %s %s", args, code, out, errs)
		}
	}
	matches := func(export string) (lines []string) {
		for _, line := range strings.Split(export, "\n") {
			if strings.Contains(line, `"kind":"match"`) {
				lines = append(lines, line)
			}
		}
		return lines
	}
	want := matches(good("export", "--data", first))
	if len(want) != games {
		t.Fatalf("%d games", len(want))
	}
	same := func(args ...string) {
		t.Helper()
		if got := matches(good(append([]string{"export"}, args...)...)); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%v: %d games, want %d, or others", args, len(got), games)
		}
	}
	look := func(args ...string) {
		t.Helper()
		same(args...)
		if out := good(append([]string{"check"}, args...)...); !strings.Contains(out, "is good: ") {
			t.Error(out)
		}
		if out := good(append([]string{"stats"}, args...)...); !strings.Contains(out, "finished games   40,") ||
			!strings.Contains(out, "etcd  ") {
			t.Error(out)
		}
		if out := good(append([]string{"stats", "--json"}, args...)...); !strings.Contains(out, `"Archived":40`) {
			t.Error(out)
		}
		if out := good(append([]string{"export", "--format", "sgf"}, args...)...); strings.Count(out, "(;") != games {
			t.Errorf("%d games in SGF", strings.Count(out, "(;"))
		}
	}

	// The bot runs.
	there := cluster + "/bots/one"
	good("copy", "--archive", files, "--from", "bolt:"+first, "--to", there)
	config := strings.Replace(onCluster(s, c.Endpoints), "    lease:", "    archive: "+files+"\n    lease:", 1)
	r := start(t, s, config)
	r.log.awaits(t, `"msg":"the archive is here"`)
	s.Ready(1)
	look("--data", there)
	r.end()

	// It does not.
	refused("cannot be reached", "export", "--data", there)
	refused("cannot be reached", "check", "--data", there)
	look("--data", there, "--archive", files)
	refused("has another archive", "check", "--data", there, "--archive", t.TempDir())

	// Back to a file, and from there to a cluster again.
	second := filepath.Join(dir, "second.db")
	refused("--archive", "copy", "--from", there, "--to", "bolt:"+second)
	refused("has another archive", "copy", "--archive", t.TempDir(), "--from", there, "--to", "bolt:"+second)
	refused("both are on etcd", "copy", "--archive", files, "--from", there, "--to", cluster+"/bots/two")
	good("copy", "--archive", files, "--from", there, "--to", "bolt:"+second)
	same("--data", second)
	refused("has another archive", "copy", "--archive", files, "--from", "bolt:"+second, "--to", cluster+"/bots/two")
	others := filepath.Join(dir, "others")
	good("copy", "--archive", others, "--from", "bolt:"+second, "--to", cluster+"/bots/two")
	config = strings.NewReplacer(files, others, "bots/one", "bots/two").Replace(config)
	r = start(t, s, config)
	r.log.awaits(t, `"msg":"the archive is here"`)
	look("--data", cluster+"/bots/two")
	r.end()

	// What is damaged is found.
	db := testkit.Got(etcd.Open(t.Context(), etcd.Options{Endpoints: c.Endpoints, Prefix: "bots/two"}))
	testkit.Check(t, db.Update(t.Context(), func(tx kv.Tx) error {
		return tx.Put([]byte{storage.Finished, 1}, []byte{1})
	}))
	db.Close()
	if code, out, errs := tengen(t, "store", "check", "--json", "--data", cluster+"/bots/two", "--archive",
		others); code != 1 || !strings.Contains(out, `"good":false`) {
		t.Errorf("%d %s %s", code, out, errs)
	}
	refused("nothing in it yet", "stats", "--data", cluster+"/bots/three")
}
