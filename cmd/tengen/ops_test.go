package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tengen/bot/chat"
	"tengen/bot/metrics"
	"tengen/game"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/bolt"
	"tengen/storage/kv"
	"tengen/storage/storagetest"
)

// A process is well while it can write, and ready while members are served: the answers' codes say so.
func TestReady(t *testing.T) {
	sick := errors.New("sick")
	for _, test := range []struct {
		well, ready error
		connected   bool
		codes       string // of /healthz and /readyz
	}{
		{nil, nil, true, "200 200"}, {nil, nil, false, "200 503"}, {nil, sick, true, "200 503"}, {sick, nil, true, "503 503"},
	} {
		h := &health{store: &openStore{well: func() error { return test.well }, ready: func() error { return test.ready }},
			discord: &fakeDiscord{test.connected}}
		var codes []string
		for _, check := range []func() error{h.well, h.ready} {
			w := httptest.NewRecorder()
			answerBy(check)(w, nil)
			codes = append(codes, fmt.Sprint(w.Code))
		}
		if got := strings.Join(codes, " "); got != test.codes {
			t.Errorf("%+v: %s", test, got)
		}
	}
}

// crammed is an engine without room.
type crammed struct{ kv.Engine }

func (crammed) Room() error { return kv.ErrFull }

// A store whose transactions are counted refuses what it refused before, and a refusal is not a failure.
func TestMetered(t *testing.T) {
	registry := prometheus.NewRegistry()
	m := metered{crammed{kv.NewMemory()}, metrics.New(registry)}
	if err := m.Room(); !errors.Is(err, kv.ErrFull) {
		t.Errorf("a full store: %v", err)
	}
	refused := errors.New("refused")
	if err := m.Update(t.Context(), func(kv.Tx) error { return refused }); !errors.Is(err, refused) {
		t.Error(err)
	}
	all := testkit.Got(registry.Gather())
	if text := fmt.Sprint(all); !strings.Contains(text, `value:"done"`) || strings.Contains(text, `value:"failed"`) {
		t.Error(text)
	}
}

// A bot that does not end in time after the signal is broken off.
func TestEndInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		stuck := make(chan struct{})
		time.AfterFunc(time.Hour, func() { close(stuck) })
		cancel()
		began := time.Now()
		err := withinLimit(ctx, func(context.Context) error { <-stuck; return nil })
		var e exit
		if took := time.Since(began); took != endLimit || !errors.As(err, &e) || e.code != 1 {
			t.Errorf("%v after %v", err, took)
		}
		<-stuck
	})
}

// What trying again cannot mend is tried once.
func TestHopeless(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &hosting{log: slog.New(slog.DiscardHandler)}
		for trouble, again := range map[*chat.Error]bool{{Trouble: chat.Locked}: false, {Trouble: chat.Failed}: true} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			tries := 0
			if h.untilDone(ctx, "a try", func() error { tries++; return trouble }); (tries > 1) != again {
				t.Errorf("%v: %d tries", trouble, tries)
			}
		}
	})
}

// The log names each file with a secret that others can read.
func TestSecretsOfOthers(t *testing.T) {
	dir := t.TempDir()
	for mode, warned := range map[os.FileMode]bool{0o600: false, 0o640: true, 0o604: true} {
		for _, what := range []string{"token", "own"} {
			file := filepath.Join(dir, what+fmt.Sprint(mode))
			testkit.Must(t, errors.Join(os.WriteFile(file, []byte("x"), mode), os.Chmod(file, mode)))
			c := config{Token: "x"}
			if what == "token" {
				c = config{TokenFile: file}
			}
			var log bytes.Buffer
			c.warn(slog.New(slog.NewTextHandler(&log, nil)), file)
			if strings.Contains(log.String(), file) != warned {
				t.Errorf("%s of mode %o: %s", what, mode, &log)
			}
		}
	}
}

// Before a store is brought up to date a copy of it is made, which the older program can take.
func TestCopyBeforeMigration(t *testing.T) {
	c := defaultConfig()
	c.Store.File = filepath.Join(t.TempDir(), "games.db")
	withStore(t, c.Store.File, func(db *bolt.DB) { storagetest.Put(t, db, storage.SchemaRow(), []byte{1, 1}) })
	k, _, err := hostStore(t.Context(), c, slog.New(slog.DiscardHandler), nil)
	testkit.Must(t, err)
	defer k.Close()
	row, err := bolt.Row(c.Store.File+".schema1", storage.SchemaRow())
	if err != nil || !bytes.Equal(row, []byte{1, 1}) {
		t.Errorf("the copy has schema %v, %v", row, err)
	}
}

// The backups of a running bot hold none of the tokens by which it answers.
func TestBackupsHoldNoTokens(t *testing.T) {
	c := defaultConfig()
	c.Store.File = filepath.Join(t.TempDir(), "games.db")
	testkit.Must(t, makeStore(t.Context(), c.Store.File, 1))
	k, _, err := hostStore(t.Context(), c, slog.New(slog.DiscardHandler), nil)
	testkit.Must(t, err)
	defer k.Close()
	backup := testkit.Got(k.Engine.(*bolt.DB).Backup(t.Context(), time.Now()))
	for file, tokens := range map[string]bool{c.Store.File: true, backup.Path: false} {
		if text, err := os.ReadFile(file); err != nil || bytes.Contains(text, []byte("secret-token")) != tokens {
			t.Errorf("%s: tokens are to be there: %v, %v", file, tokens, err)
		}
	}
}

// A file appears whole or not at all, for those alone whom it is for.
func TestWriteWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	broken := errors.New("broken")
	for _, step := range []struct {
		says string
		err  error
		want string
	}{{"one", nil, "one"}, {"two", broken, "one"}, {"three", nil, "three"}} {
		err := writeWhole(path, 0o600, func(w io.Writer) error {
			_, err := io.WriteString(w, step.says)
			return errors.Join(err, step.err)
		})
		text, _ := os.ReadFile(path)
		if !errors.Is(err, step.err) || string(text) != step.want {
			t.Errorf("%s: %q, %v", step.says, text, err)
		}
	}
	isPrivate(t, path)
	if all, _ := os.ReadDir(filepath.Dir(path)); len(all) != 1 {
		t.Errorf("left behind: %v", all)
	}
}

// isPrivate checks that nobody but its owner can read a file.
func isPrivate(t *testing.T, path string) {
	t.Helper()
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%s: %v, %v", path, info, err)
	}
}

// A clock that is far from Discord's is wrong, ahead or behind.
func TestCheckClock(t *testing.T) {
	discord := testkit.At("2026-03-01 12:00")
	const most = game.ClockError
	for off, right := range map[time.Duration]bool{0: true, most: true, 2 * most: false, -2 * most: false} {
		if err := checkClock(discord.Add(off), discord, time.Time{}); (err == nil) != right {
			t.Errorf("%v off: %v", off, err)
		}
	}
	if err := checkClock(discord, time.Time{}, time.Time{}); err != nil {
		t.Errorf("Discord does not say: %v", err)
	}
}
