package main

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/event"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage"
)

// A round of 300 entrants is a line far longer than a position; one beyond the bound is
// refused, and the lines behind it are answered.
func TestLongEventLines(t *testing.T) {
	var long strings.Builder
	long.WriteString(`{"round":2,"rounds":9,"initial":"w","players":[`)
	for id := 1; id <= 300; id++ {
		opp, color, result := id+150, "w", "1"
		if id > 150 {
			opp, color, result = id-150, "b", "0"
		}
		fmt.Fprintf(&long, `{"id":%d,"rating":%d,"name":"%s","games":[{"opp":%d,"color":"%s","result":"%s"}]},`,
			id, 3000-id, strings.Repeat("x", 200), opp, color, result)
	}
	line := strings.TrimSuffix(long.String(), ",") + "]}"
	if len(line) < maxLine {
		t.Fatalf("the line has only %d bytes", len(line))
	}
	in := line + "\n" + strings.Repeat(" ", 5) + `{"x":"` + strings.Repeat("y", maxEventLine) + "\"}\n" + line
	var out, errors bytes.Buffer
	if code := run(t.Context(), []string{"event", "pair"}, streams{strings.NewReader(in), &out, &errors}); code != 1 {
		t.Errorf("exit code %d: %s", code, errors.String())
	}
	got := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(got) != 3 || strings.Count(got[0], ",") != 299 || got[2] != got[0] {
		t.Fatalf("%d lines: %.300s", len(got), out.String())
	}
	if want := `{"error":"line 2: longer than 16777216 bytes"}`; got[1] != want {
		t.Errorf("%s, want %s", got[1], want)
	}
}

// standings -o draws the table with the players' names; other kinds have no picture.
func TestEventPicture(t *testing.T) {
	line := `{"rounds":1,"players":[{"id":1,"rating":9,"name":"Ann","games":[{"opp":2,"color":"w","result":"1"}]},` +
		`{"id":2,"rating":8,"games":[{"opp":1,"color":"b","result":"0"}]},{"id":3,"rating":7,"games":[{"opp":0,"color":"-","result":"bye1"}]}]}`
	path := filepath.Join(t.TempDir(), "table.png")
	var out, errors bytes.Buffer
	event := func(args ...string) int {
		out.Reset()
		errors.Reset()
		return run(t.Context(), append([]string{"event"}, args...), streams{strings.NewReader(line), &out, &errors})
	}
	if code := event("standings", "-o", path, "--theme", "night", "--size", "350"); code != 0 {
		t.Fatal(errors.String(), out.String())
	}
	file := testkit.Got(os.Open(path))
	defer file.Close()
	if c, err := png.DecodeConfig(file); err != nil || c.Width != 350 || !strings.Contains(out.String(), `"rank":1`) {
		t.Errorf("%v, %+v: %s", err, c, out.String())
	}
	for want, args := range map[string][]string{
		"draws standings alone": {"pair", "-o", path},
		"must end in .png":      {"standings", "-o", "table.gif"},
		`no theme "plaid"`:      {"standings", "-o", path, "--theme", "plaid"},
	} {
		if code := event(args...); code != 2 || !strings.Contains(errors.String(), want) {
			t.Errorf("%v: code %d, %s", args, code, errors.String())
		}
	}
	if code := event("standings", "-o", path, "--page", "2"); code != 1 ||
		!strings.Contains(out.String(), "no page 2 of 1") {
		t.Errorf("code %d: %s", code, out.String())
	}
}

// An operator's commands know events: check, stats, event, export, and all of them on a backup.
func TestStoreEvents(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "tengen.db")
	knockout := testkit.Got(makeEvent(t.Context(), path))
	backup := filepath.Join(dir, "copy.db")
	if code, _, stderr := tengen(t, "store", "backup", "--data", path, backup); code != 0 {
		t.Fatal(stderr)
	}
	for _, data := range []string{path, backup} {
		for _, c := range []struct{ want, args string }{
			{"rows", "check"},
			{"1, 1 not over; 1 ladder", "stats"},
			{`4 entrants, 1 round  "Cup"`, "event"},
			{"member 8", "event " + knockout},
			{`"system":"knockout"`, "export"},
		} {
			args := append(append([]string{"store"}, strings.Fields(c.args)...), "--data", data)
			if code, stdout, stderr := tengen(t, args...); code != 0 || !strings.Contains(stdout, c.want) {
				t.Errorf("%v: code %d, %s%s", args, code, stdout, stderr)
			}
		}
	}
	picture := filepath.Join(dir, "cup.png")
	if code, _, stderr := tengen(t, "store", "event", knockout, "--data", path, "-o", picture, "--size",
		"350"); code != 0 {
		t.Error(stderr)
	}
	if data, err := os.ReadFile(picture); err != nil || !bytes.HasPrefix(data, []byte("\x89PNG")) {
		t.Errorf("no picture: %v", err)
	}
	if code, _, stderr := tengen(t, "store", "event", "7", "--data", path); code != 1 ||
		!strings.Contains(stderr, "event 7") {
		t.Errorf("an event that is not there: code %d, %s", code, stderr)
	}
}

// makeEvent makes a store with a knockout in its first round, and a ladder.
func makeEvent(ctx context.Context, path string) (id string, err error) {
	db, s, err := openFile(ctx, path)
	if err != nil {
		return "", err
	}
	defer db.Close()
	e, err := s.CreateEvent(ctx, storage.Cause{At: march}, venue.Place{Server: 1, Channel: 2},
		func() (storage.Event, error) {
			e := storage.Event{Setup: storage.Setup{Name: "Cup", Game: game.Terms{Rules: game.Renju}}}
			e.Kind = event.KindKnockout
			for m := range 4 {
				var err error
				if e, err = e.Join(5, game.SeatFor(game.MemberID(5+m)), 1500, march); err != nil {
					return e, err
				}
			}
			return e.Begin(5, nil, march)
		})
	if err != nil {
		return "", err
	}
	terms := func(e storage.Event, _, _ int) (game.Terms, venue.Place) { return e.Game, e.Place }
	if e, _, err = s.SettleEvent(ctx, e.ID, march, 99, terms); err != nil {
		return "", err
	}
	_, err = s.UpdateLadder(ctx, 1, game.Renju, march, func(l storage.Ladder) (_ storage.Ladder, err error) {
		l.Ladder, err = l.Join(5, 1500)
		return l, err
	})
	return fmt.Sprint(e.ID), err
}
