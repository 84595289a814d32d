package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"tengen/ai/engine"
	"tengen/ai/guest"
	"tengen/bot/demo"
	"tengen/bot/standin"
	"tengen/bot/view"
	"tengen/game"
	"tengen/internal/testguest"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/storagetest"
)

// The engines in the example's comments have all keys and are right.
func TestExampleEngines(t *testing.T) {
	text := testkit.Read(t, exampleFile)
	_, rest, _ := strings.Cut(string(text), "#   engines:\n")
	lines, _, _ := strings.Cut(rest, "\nengines: []\n")
	c, err := parseConfig([]byte("engines:\n" + strings.ReplaceAll(lines, "#     ", "  ")))
	if err != nil || len(c.Engines) != 2 {
		t.Fatalf("%d engines: %v", len(c.Engines), err)
	}
	typ := reflect.TypeFor[guestConfig]()
	for field := range typ.Fields() {
		if key := field.Tag.Get("yaml"); !regexp.MustCompile(`(?m)^# .* ` + key + `: .*#`).Match(text) {
			t.Errorf("no key %s with a comment", key)
		}
	}
}

func TestEnginesMatrix(t *testing.T) {
	const good = "engines:\n- {name: A, protocol: gomocup, command: [a], games: [renju]}\n"
	for _, c := range []struct{ name, text, want string }{
		{"good", good, ""},
		{"two of a name", good + "- {name: a, protocol: gomocup, command: [a], games: [renju]}\n", "3:10: engines[1].name: another engine has this name"},
		{"a name that pings", "engines:\n- {name: '@everyone', protocol: gtp, command: [a], games: [reversi]}\n", "2:10: engines[0].name: a name has"},
		{"no name", "engines:\n- {protocol: gtp, command: [a], games: [reversi]}\n", "engines[0].name: a name has"},
		{"no protocol", "engines:\n- {name: A, protocol: uci, command: [a], games: [reversi]}\n", "2:23: engines[0].protocol: gomocup, gtp or nboard"},
		{"no program", "engines:\n- {name: A, protocol: gtp, games: [reversi]}\n", "engines[0].command: a program is needed"},
		{"a command in one text", "engines:\n- {name: A, protocol: gtp, command: a b, games: [reversi]}\n", "2:37: "},
		{"no games", "engines:\n- {name: A, protocol: gtp, command: [a]}\n", "engines[0].games: a game is needed"},
		{"no such game", "engines:\n- {name: A, protocol: gtp, command: [a], games: [reversi, chess]}\n", "engines[0].games[1]: no game has this name"},
		{"another's game", "engines:\n- {name: A, protocol: gomocup, command: [a], games: [reversi]}\n", "engines[0].games[0]: gomocup is for five in a row"},
		{"no depth", "engines:\n- {name: A, protocol: nboard, command: [a], games: [reversi]}\n", "engines[0].depth: nboard needs a depth"},
		{"parts of a second", "engines:\n- {name: A, protocol: gtp, command: [a], games: [reversi], time: 1500ms}\n", "engines[0].time: gtp knows whole seconds only"},
		{"no time to answer", "engines:\n- {name: A, protocol: gtp, command: [a], games: [reversi], time: 3s, limit: 2s}\n", "engines[0].limit: the limit must be longer than the time"},
		{"unknown key", "engines:\n- {nme: A}\n", `there is no key "nme"`},
		{"a control character", "engines:\n- {name: A, protocol: gtp, command: [\"a\\nb\"], games: [reversi]}\n", "engines: a control character"},
		{"too many", "engines:\n" + strings.Repeat("- {}\n", 26), "engines: 26 engines are too many"},
	} {
		_, err := parseConfig([]byte(c.text))
		if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// --check tries the engines, and says of each how that went.
func TestCheckEngines(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "config.yaml")
	text := "token: MTAw.x.y\nstore:\n  file: " + dir + "/a.db\nengines:\n" +
		"- {name: Gone, protocol: gomocup, command: [" + dir +
		"/gone], games: [renju]}\n"
	entry := func(name, protocol, mode, games string) {
		command, _ := json.Marshal(testguest.Command(protocol, mode))
		text += fmt.Sprintf("- {name: %s, protocol: %s, command: %s, games: [%s], nodes: 1}\n", name,
			protocol, command, games)
	}
	entry("Five", "gomocup", "good", "gomoku, renju")
	entry("Eight", "gtp", "good", "reversi")
	entry("Go", "gtp", "go", "reversi")
	entry("Dead", "gtp", "dead", "reversi")
	testkit.Write(t, file, []byte(text))
	var out, errs output
	if code := run(t.Context(), []string{"run", "--check", "--config", file, "--stand-in", nobody},
		streams{nil, &out, &errs}); code != 0 {
		t.Fatalf("%d %s", code, &errs)
	}
	for _, want := range []string{
		"The engine Gone cannot play here and will be left out: ",
		"The engine Five plays gomoku: A1 after ", "The engine Five plays renju: A1 after ",
		"The engine Eight plays reversi: D3 after ", "The engine Go found no move in reversi, " +
			"so the bot would play for it: it plays another game: it takes a stone on D4",
		"The engine Dead found no move in reversi, so the bot would play for it: boardsize 8: the program has ended: " +
			"exit status 1.",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %s", want, &out)
		}
	}
	if !strings.Contains(errs.String(), "Cannot open data") {
		t.Errorf("its standard error is not in the log: %s", &errs)
	}
}

// visitor is a guest for five in a row on the small board.
func visitor(name string, wall time.Duration, command ...string) guest.Spec {
	return guest.Spec{Name: name, Protocol: guest.Gomocup, Command: command, Games: []game.Rules{game.Gomoku9},
		Limits: engine.Limits{Time: 300 * time.Millisecond, Nodes: 300}, Wall: wall}
}

// A demo with guests: our own program as a guest plays a game to its end, and one that dies in
// mid-thought is started again and plays. The games against guests that die each time, stall and
// play illegal moves go on by moves of the bot's own, which it says.
func TestDemoGuests(t *testing.T) {
	t.Parallel()
	ctx, log := t.Context(), slog.New(slog.DiscardHandler)
	faints := visitor("Faints", 30*time.Second, testguest.Command("gomocup", "once")...)
	faints.Dir = t.TempDir()
	guests := guest.Invite([]guest.Spec{
		visitor("Cousin", 30*time.Second, "tengen", "engine", "gomocup"),
		faints,
		visitor("Dies", 30*time.Second, testguest.Command("gomocup", "death")...),
		visitor("Stalls", 500*time.Millisecond, testguest.Command("gomocup", "stall")...),
		visitor("Cheats", 30*time.Second, testguest.Command("gomocup", "illegal")...),
	}, log)
	defer guests.Close()
	h := testkit.Got(openDemo(ctx, t.TempDir(), demo.Options{}, guests, log))
	defer h.close()
	store := storagetest.Store(t, h.file)
	stoodIn := map[string]bool{} // by the name of a guest: the bot made its moves
	for i, name := range []string{"Cousin", "Faints", "Dies", "Stalls", "Cheats"} {
		who := []string{"Ann", "Ben"}[i%2]
		slash(t, h, who, "/play with:bot game:gomoku9 color:black engine:"+name)
		rec := awaitMoves(t, store, storage.Record{}, name, 0)
		for rec.Phase == game.Playing && (rec.Game().Len() < 4 || name == "Cousin") {
			moves := rec.Game().Len()
			slash(t, h, who, "/move at:"+firstLegal(rec).String()+" game:"+view.Key(rec.ID))
			rec = awaitMoves(t, store, rec, name, moves+2)
		}
		stoodIn[name] = i >= 2
		for _, e := range rec.Made() {
			if e.Seat == 1 && e.Replaced(rec.Match) != stoodIn[name] {
				t.Errorf("%s: the bot made the move %v: %v", name, e.Decision(), !stoodIn[name])
			}
		}
	}
	says := func(name string) bool { return strings.Contains(boards(t, h), name+" found no move, so I played") }
	for name, stood := range stoodIn { // at first those of which the board must come to say so
		if stood {
			testkit.Eventually(t, name+": the board says that the bot moved", func() bool { return says(name) })
		}
	}
	for name, stood := range stoodIn {
		if !stood && says(name) {
			t.Errorf("%s: the board says that the bot moved", name)
		}
	}
}

// slash has a member of the demo use a command.
func slash(t *testing.T, h *demoHouse, who, line string) {
	t.Helper()
	if _, err := h.discord.Act(t.Context(), standin.Action{Do: "slash", As: who, At: "#gomoku", Name: line,
		For: time.Minute}); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
}

// boards is what the members see in the channel.
func boards(t *testing.T, h *demoHouse) string {
	r := testkit.Got(h.discord.Act(t.Context(), standin.Action{Do: "messages", As: "Ann", At: "#gomoku"}))
	return string(testkit.Got(json.Marshal(r.Messages)))
}

// awaitMoves waits until a match, or the new one against a guest, has so many moves, or is over.
func awaitMoves(t *testing.T, store *storage.Store, found storage.Record, name string, moves int) storage.Record {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if found.ID != 0 {
			found = testkit.Got(store.Match(t.Context(), found.ID))
		}
		testkit.Must(t, store.Live(t.Context(), func(rec storage.Record) bool {
			if rec.Guest() == name {
				found = rec
			}
			return true
		}))
		if found.ID != 0 && (found.Phase == game.Over || found.Game().Len() >= moves) {
			return found
		}
		if time.Now().After(end) {
			t.Fatalf("%s: %d moves, want %d", name, found.Game().Len(), moves)
		}
	}
}

func firstLegal(rec storage.Record) game.Point {
	for p := range rec.Game().Legal().All() {
		return p
	}
	return game.NoPoint
}
