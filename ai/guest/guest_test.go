package guest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tengen/ai/engine"
	"tengen/game"
	"tengen/internal/testguest"
	"tengen/internal/testkit"
)

func TestMain(m *testing.M) {
	testguest.Main()
	host()
	testkit.Wide(4)
	os.Exit(m.Run())
}

// spec is a guest that is the test binary, and behaves as mode says.
func spec(protocol Protocol, mode string) Spec {
	s := Spec{Name: "Visitor", Protocol: protocol, Command: testguest.Command(string(protocol), mode), Wall: time.Minute,
		Games: []game.Rules{game.Reversi}, Limits: engine.Limits{Nodes: 10, Depth: 1}}
	if protocol == Gomocup {
		s.Games = []game.Rules{game.Gomoku15, game.Renju}
	}
	return s
}

// invite makes guests that end with the test.
func invite(t *testing.T, log io.Writer, specs ...Spec) *Guests {
	gs := Invite(specs, slog.New(slog.NewTextHandler(log, nil)))
	t.Cleanup(gs.Close)
	return gs
}

// A guest finds its moves in two games in turn, and in one that was taken back.
func TestGuestPlays(t *testing.T) {
	t.Parallel()
	for _, protocol := range []Protocol{Gomocup, GTP, NBoard} {
		s := spec(protocol, "good")
		gs := invite(t, io.Discard, s)
		games := [2]game.Game{game.New(s.Games[0]), game.New(s.Games[0])}
		for ply := range 24 {
			i := ply / 3 % 2
			p, err := gs.Move(t.Context(), "Visitor", games[i])
			if err != nil {
				t.Fatalf("%s, ply %d: %v", protocol, ply, err)
			}
			games[i] = testkit.Got(games[i].Play(p))
		}
		if _, err := gs.Move(t.Context(), "Visitor", games[0].Undo(3)); err != nil {
			t.Errorf("%s, taken back: %v", protocol, err)
		}
	}
}

// A guest that fails is told as what it is and its process ends; the next question starts another.
func TestGuestFails(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		protocol Protocol
		mode     string
		want     string
	}{
		{Gomocup, "death", "has ended: exit status 1"}, {Gomocup, "stall", "in time"}, {Gomocup, "illegal", "illegal"},
		{Gomocup, "outside", "99,99"}, {Gomocup, "flood", "too much"}, {Gomocup, "endless", "token too long"},
		{GTP, "death", "has ended: exit status 1"}, {GTP, "stall", "in time"}, {GTP, "illegal", "illegal"},
		{GTP, "refuse", "out of ideas"}, {GTP, "go", "takes a stone on D4"}, {GTP, "small", "unacceptable size"},
		{GTP, "resign", "it resigns"}, {GTP, "pass", "it passes"}, {GTP, "dead", "has ended: exit status 1"},
		{GTP, "babble", "refuses"}, {NBoard, "dead", "has ended: exit status 1"},
		{Gomocup, "dead", "has ended: exit status 1"}, {NBoard, "death", "has ended: exit status 1"},
		{NBoard, "stall", "in time"}, {NBoard, "illegal", "illegal"},
	} {
		t.Run(string(c.protocol)+"-"+c.mode, func(t *testing.T) {
			t.Parallel()
			s := spec(c.protocol, c.mode)
			if c.mode == "stall" {
				s.Wall = 2 * time.Second
			}
			gs := invite(t, io.Discard, s)
			g, _ := game.New(s.Games[0]).PlayAll(game.New(s.Games[0]).Legal().Points()[0])
			for range 2 {
				begun := time.Now()
				_, err := gs.Move(t.Context(), "Visitor", g)
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%v, want %s", err, c.want)
				}
				if gs.all[0].player != nil || gs.all[0].made != "" {
					t.Error("the process was kept")
				}
				if took := time.Since(begun); took > s.Wall+20*time.Second {
					t.Errorf("took %v", took)
				}
			}
		})
	}
}

// A GTP program may write long answers, tabs, control characters and lines between its answers,
// and may know no board sizes.
func TestGTPWords(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"long", "sizeless"} {
		gs := invite(t, io.Discard, spec(GTP, mode))
		g := game.New(game.Reversi)
		for range 3 {
			p, err := gs.Move(t.Context(), "Visitor", g)
			if err != nil {
				t.Fatalf("%s: %v", mode, err)
			}
			g, _ = g.Play(p)
			g, _ = g.Play(g.Legal().Points()[0])
		}
	}
}

// An NBoard program of version 1 has blanks between the parts of its answer.
func TestNBoardBlanks(t *testing.T) {
	t.Parallel()
	_, err := invite(t, io.Discard, spec(NBoard, "blanks")).Move(t.Context(), "Visitor",
		game.New(game.Reversi))
	testkit.Check(t, err)
}

// A GTP program that cannot be told the time is told as such where a time is wanted.
func TestGTPTime(t *testing.T) {
	t.Parallel()
	s := spec(GTP, "timeless")
	_, err := invite(t, io.Discard, s).Move(t.Context(), "Visitor", game.New(game.Reversi))
	testkit.Check(t, err)
	s.Limits.Time = time.Second
	_, err = invite(t, io.Discard, s).Move(t.Context(), "Visitor", game.New(game.Reversi))
	if err == nil || !strings.Contains(err.Error(), `time_settings 0 1 1: the program refuses: "unknown command"`) {
		t.Error(err)
	}
}

// What a guest says reaches an error escaped and cut short.
func TestGuestErrorIsShort(t *testing.T) {
	t.Parallel()
	_, err := invite(t, io.Discard, spec(GTP, "babble")).Move(t.Context(), "Visitor", game.New(game.Reversi))
	if err == nil || len(err.Error()) > 2*maxHeard || strings.Contains(err.Error(), "\u202e") {
		t.Errorf("%.500v", err)
	}
}

// The last line of standard error reaches the log, although the program ends without ending it.
func TestGuestLastWords(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := writer(func(b []byte) { out.Write(b) })
	gs := invite(t, log, spec(GTP, "death"))
	if _, err := gs.Move(t.Context(), "Visitor", game.New(game.Reversi)); err == nil {
		t.Fatal("it lives")
	}
	if !strings.Contains(out.String(), "my last words") {
		t.Errorf("log %q", out.String())
	}
}

// A guest that dies once is asked again and answers.
func TestGuestComesBack(t *testing.T) {
	t.Parallel()
	s := spec(Gomocup, "once")
	s.Dir = t.TempDir()
	gs := invite(t, io.Discard, s)
	g := game.New(game.Gomoku15)
	if _, err := gs.Move(t.Context(), "Visitor", g); err == nil {
		t.Fatal("it did not die")
	}
	_, err := gs.Move(t.Context(), "Visitor", g)
	testkit.Check(t, err)
}

// A guest that has died between two questions is started again, and answers the first of them.
func TestGuestDiesBetweenQuestions(t *testing.T) {
	t.Parallel()
	for _, protocol := range []Protocol{Gomocup, GTP, NBoard} {
		s := spec(protocol, "good")
		gs := invite(t, io.Discard, s)
		g := game.New(s.Games[0])
		for range 3 {
			p, err := gs.Move(t.Context(), "Visitor", g)
			if err != nil {
				t.Fatalf("%s: %v", protocol, err)
			}
			g, _ = g.Play(p)
			gs.all[0].player.Close() // we forget nothing of it, as when it dies by itself
		}
	}
}

// A guest has nothing of our environment, and a directory of its own that goes with it.
func TestGuestIsAlone(t *testing.T) {
	t.Parallel()
	var said sync.Map
	log := writer(func(b []byte) { said.Store(string(b), true) })
	gs := invite(t, log, spec(Gomocup, "look"))
	testkit.Got(gs.Move(t.Context(), "Visitor", game.New(game.Gomoku15)))
	made := gs.all[0].made
	found := false
	for range 500 {
		said.Range(func(line, _ any) bool { found = found || strings.Contains(line.(string), "0 "+made); return !found })
		if found {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if !found {
		t.Error("it does not see an empty environment in", made)
	}
	gs.Close()
	if _, err := os.Stat(made); !errors.Is(err, os.ErrNotExist) {
		t.Error("the directory is left:", err)
	}
}

// writer is a function that is written to.
type writer func([]byte)

func (w writer) Write(b []byte) (int, error) { w(b); return len(b), nil }

// Standard error reaches the log escaped, a few lines for each question, each of them short.
func TestGuestNoise(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var out bytes.Buffer
	log := writer(func(b []byte) { mu.Lock(); out.Write(b); mu.Unlock() })
	gs := invite(t, log, spec(Gomocup, "noise"))
	testkit.Got(gs.Move(t.Context(), "Visitor", game.New(game.Gomoku15)))
	gs.Close()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) < 10 || len(lines) > 2*heardEach { // Begin and Move are two questions
		t.Errorf("%d lines", len(lines))
	}
	for _, line := range lines {
		if len(line) > 2*maxHeard || strings.Contains(line, "\x1b") {
			t.Errorf("line %.80q of %d bytes", line, len(line))
		}
	}
}

// A question that is not wanted any more ends the guest at once.
func TestGuestIsCanceled(t *testing.T) {
	t.Parallel()
	gs := invite(t, io.Discard, spec(Gomocup, "stall"))
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	if _, err := gs.Move(ctx, "Visitor", game.New(game.Gomoku15)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A guest whose program is missing is left out with a line in the log. One of another name is
// unknown.
func TestGuestIsMissing(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	absent := spec(Gomocup, "good")
	absent.Name, absent.Command = "Absent", []string{filepath.Join(t.TempDir(), "absent")}
	gs := invite(t, &log, absent, spec(GTP, "good"))
	if got := gs.Names(nil); len(got) != 1 || got[0] != "Visitor" {
		t.Errorf("names %q", got)
	}
	if got := gs.Names(game.Renju); len(got) != 0 {
		t.Errorf("a Reversi program offers Renju: %q", got)
	}
	if !strings.Contains(log.String(), "Absent") {
		t.Errorf("log %q", log.String())
	}
	if _, err := gs.Move(t.Context(), "Absent", game.New(game.Renju)); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
}

// A game that began from a position has no moves from the start to tell.
func TestGuestNeedsMoves(t *testing.T) {
	t.Parallel()
	gs := invite(t, io.Discard, spec(Gomocup, "good"))
	at := game.Position{Size: 15, Turn: game.Black}.Put(game.At(7, 7), game.White)
	g := testkit.Got(game.From(game.Gomoku15, at, game.Black))
	if _, err := gs.Move(t.Context(), "Visitor", g); err == nil {
		t.Error("was asked")
	}
}

// What a program may say is bounded: a line, and all lines before the answer.
func TestSaidBounded(t *testing.T) {
	p := &process{lines: make(chan string, 64), killed: make(chan struct{})}
	if p.read(strings.NewReader(strings.Repeat("x", maxLine+1))); !errors.Is(p.broken, bufio.ErrTooLong) {
		t.Errorf("a long line: %v", p.broken)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	p.lines = make(chan string, 64)
	go func() {
		for ctx.Err() == nil {
			select {
			case p.lines <- strings.Repeat("x", maxLine):
			case <-ctx.Done():
			}
		}
	}()
	_, err := p.answer(ctx, func(string) bool { return false })
	if err == nil || !strings.Contains(err.Error(), "too much") {
		t.Errorf("many lines: %v", err)
	}
}
