package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tengen/bot/standin"
	"tengen/internal/testkit"
	"tengen/storage/pg/pgtest"
)

// TestDrill restores a database by deploy/drill.sh to a time between two moves: the games are as they were then.
func TestDrill(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("restores a database")
	}
	for _, what := range []string{"/usr/lib/postgresql/15/bin/pg_basebackup", "/usr/bin/setpriv"} {
		if _, err := os.Stat(what); err != nil {
			t.Skipf("no %s here", what)
		}
	}
	archive, dir := pgtest.Dir(t), t.TempDir()
	server := pgtest.Start(t, "archive_mode=on",
		fmt.Sprintf("archive_command=test ! -f %[1]s/%%f && cp %%p %[1]s/%%f", archive))
	s := tcpStandin(t, standin.Options{})
	r := start(t, s, fmt.Sprintf("token: %s\nstore:\n  engine: postgres\n  postgres:\n    address: %s\n",
		s.Token(), pgtest.Address(server)))
	s.Ready(1)
	ann := firstMove(s)
	base := filepath.Join(dir, "base")
	if out, err := exec.Command("/usr/lib/postgresql/15/bin/pg_basebackup", "-D", base, "-h", server.Dir, "-U", "bot",
		"-c", "fast", "-X", "none", "--no-sync").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	ann.Slash("#gomoku", "/move at:A15")
	ann.Waits("#gomoku", "move 5 ")
	testkit.Eventually(t, "the board is shown", func() bool { // nothing more is to be written to the game
		return server.Do(t, "SELECT count(*) FROM tengen.rows WHERE get_byte(key, 0) = ascii('w')") == "0"
	})
	code, want, errs := tengen(t, "store", "export", "--data", "pg:"+pgtest.Address(server)+"#tengen")
	if code != 0 {
		t.Fatal(errs)
	}
	moment := server.Do(t, "SELECT clock_timestamp()")
	ann.Slash("#gomoku", "/move at:O1")
	ann.Waits("#gomoku", "move 7 ")
	if code := r.end(); code != 0 {
		t.Fatalf("ended with %d: %s", code, r.log)
	}
	last := server.Do(t, "SELECT pg_walfile_name(pg_switch_wal())")
	testkit.Eventually(t, "the log is in the archive", func() bool {
		return server.Do(t, "SELECT last_archived_wal >= '"+last+"' FROM pg_stat_archiver") == "t"
	})

	restored := pgtest.Dir(t)
	program, err := exec.LookPath("tengen") // TestMain's
	testkit.Must(t, err)
	drill := exec.Command("../../deploy/drill.sh", base, archive, moment, restored)
	drill.Env = append(os.Environ(), "TENGEN="+program, "DATABASE=postgres")
	out, err := drill.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "is good: ") {
		t.Fatalf("%v: %s", err, out)
	}
	if got := string(testkit.Read(t, filepath.Join(restored, "games.jsonl"))); got != want {
		t.Errorf("the games at %s:\n%s\nwant:\n%s", moment, got, want)
	}
	if !strings.Contains(want, `"a15"`) && !strings.Contains(want, "A15") {
		t.Errorf("the export lacks the move: %s", want)
	}
}
