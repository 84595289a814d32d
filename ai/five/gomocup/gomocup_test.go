package gomocup

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"tengen/ai/engine"
	"tengen/ai/five"
	"tengen/game"
	"tengen/internal/testkit"
)

// talk sends lines to a session and gives what it answers, MESSAGE lines left out.
func talk(t *testing.T, lines ...string) []string {
	t.Helper()
	var out bytes.Buffer
	in := strings.NewReader("INFO max_node 500\n" + strings.Join(lines, "\n") + "\n")
	testkit.Must(t, Serve(context.Background(), in, &out, Options{}))
	var answers []string
	for _, l := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "MESSAGE") {
			answers = append(answers, l)
		}
	}
	return answers
}

func TestProtocol(t *testing.T) {
	const move = `\d+,\d+`
	for _, tt := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"about", []string{"ABOUT", "END"}, []string{`name="tengen".*`}},
		{"a game", []string{"START 15", "BEGIN", "TURN 8,8", "END"}, []string{"OK", "7,7", move}},
		{"sizes", []string{"START 20", "START 9", "BEGIN"}, []string{"ERROR.*", "OK", "4,4"}},
		{"rectangles", []string{"RECTSTART 15,15", "RECTSTART 15,20"}, []string{"OK", "ERROR.*"}},
		{"nothing for info", []string{"START 15", "INFO rule 4", "INFO nonsense 7", "INFO time_left 1000", "RESTART"}, []string{"OK", "OK"}},
		{"unknown", []string{"FOO"}, []string{"UNKNOWN.*"}},
		{"a board", []string{"START 15", "BOARD", "7,7,1", "8,8,2", "7,8,1", "8,9,2", "7,9,1", "8,10,2", "7,10,1", "0,0,2", "DONE"}, []string{"OK", "7,(6|11)"}},
		{"a bad board", []string{"START 15", "BOARD", "7,7,1", "7,7,2", "DONE", "BOARD", "7,7,2", "DONE"}, []string{"OK", "ERROR.*", move}},
		{"taking back", []string{"START 15", "TURN 7,7", "TAKEBACK 7,7", "TAKEBACK 7,7"}, []string{"OK", move, "OK", "ERROR.*"}},
		{"a move on a stone", []string{"START 15", "TURN 7,7", "TURN 7,7"}, []string{"OK", move, "ERROR.*"}},
		{"before the start", []string{"TURN 7,7", "RESTART"}, []string{"ERROR.*", "ERROR.*"}},
		{"swap2, first", []string{"START 15", "SWAP2BOARD", "DONE"}, []string{"OK", move + " " + move + " " + move}},
		{"swap2, first of a seed", []string{"START 15", "INFO seed 4", "SWAP2BOARD", "DONE", "SWAP2BOARD", "DONE"}, []string{"OK", move + " " + move + " " + move, move + " " + move + " " + move}},
		{"swap2, second", []string{"START 15", "SWAP2BOARD", "7,7,2", "8,8,2", "9,5,2", "DONE"}, []string{"OK", "SWAP|" + move + "|" + move + " " + move}},
		{"swap2, black ahead", []string{"START 15", "SWAP2BOARD", "7,7,2", "0,0,2", "7,8,2", "DONE"}, []string{"OK", "SWAP"}},
		{"swap2, white ahead", []string{"START 15", "SWAP2BOARD", "0,0,2", "7,7,2", "14,14,2", "DONE"}, []string{"OK", move}},
		{"swap2, third", []string{"START 15", "SWAP2BOARD", "7,7,1", "0,0,1", "7,8,1", "14,14,2", "8,8,2", "DONE"}, []string{"OK", "SWAP"}},
		{"swap2, other numbers of stones", []string{"START 15", "SWAP2BOARD", "7,7,1", "DONE", "START 9", "SWAP2BOARD", "DONE"}, []string{"OK", "ERROR.*", "OK", "ERROR.*"}},
		{"renju, only block forbidden", []string{"START 15", "INFO rule 4", "BOARD", "7,7,1", "6,5,2", "5,5,1", "6,4,2", "5,6,1", "6,3,2", "7,6,1", "6,2,2", "6,1,1", "0,0,2", "DONE"}, []string{"OK", move}},
		{"showing the forbidden", []string{"START 15", "INFO rule 4", "YXBOARD", "7,7,1", "6,5,2", "5,5,1", "6,4,2", "5,6,1", "6,3,2", "7,6,1", "6,2,2", "6,1,1", "0,0,2", "DONE", "YXSHOWFORBID"}, []string{"OK", "FORBID 0606\\."}},
	} {
		got := talk(t, tt.lines...)
		if len(got) != len(tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
			continue
		}
		for i, want := range tt.want {
			if !regexp.MustCompile("^(" + want + ")$").MatchString(got[i]) {
				t.Errorf("%s: answer %d is %q, want %q", tt.name, i+1, got[i], want)
			}
		}
	}
}

// The engine's own openings, put before it, get every answer there is, and two more stones get
// a color.
func TestSwap2(t *testing.T) {
	kinds := map[string]int{}
	for seed := range 12 {
		ask := func(stones []string) []string {
			lines := []string{"START 15", "INFO max_node 6000", fmt.Sprint("INFO seed ", seed), "SWAP2BOARD"}
			for _, p := range stones {
				lines = append(lines, p+",2")
			}
			got := talk(t, append(lines, "DONE")...)
			return strings.Fields(got[1])
		}
		stones := ask(nil)
		answer := ask(stones)
		switch {
		case answer[0] == "SWAP":
			kinds["black"]++
		case len(answer) == 1:
			kinds["white"]++
		default:
			kinds["two"]++
			if last := ask(append(stones, answer...)); len(last) != 1 {
				t.Errorf("five stones: %q", last)
			}
		}
	}
	if len(kinds) != 3 {
		t.Errorf("answers to three stones: %v", kinds)
	}
}

// END in the middle of a search ends it.
func TestEndWhileThinking(t *testing.T) {
	in, to := io.Pipe()
	done := make(chan error)
	go func() { done <- Serve(context.Background(), in, io.Discard, Options{}) }()
	for _, l := range []string{"START 15", "INFO timeout_turn 600000", "TURN 7,7", "END"} {
		io.WriteString(to, l+"\n")
	}
	select {
	case err := <-done:
		testkit.Check(t, err)
	case <-time.After(time.Minute):
		t.Error("still thinking")
	}
}

// Where Black has nothing but a forbidden point left, the engine says by whose rules that is
// a draw, and moves there.
func TestNoLawfulMove(t *testing.T) {
	in := "START 15\nINFO rule 4\nBOARD\n"
	for y := range 15 {
		row := []string{"OOXXOOXXOOXXOOX", "XXOOXXOOXXOOXXO"}[y%2]
		if y == 7 {
			row = "XXX.XXXOOXXOOOO" // D8 makes seven
		}
		for x, stone := range row {
			if stone != '.' {
				in += fmt.Sprintf("%d,%d,%d\n", x, y, 1+strings.IndexRune("XO", stone))
			}
		}
	}
	var out bytes.Buffer
	testkit.Must(t, Serve(t.Context(), strings.NewReader(in+"DONE\n"), &out, Options{}))
	if s := out.String(); !strings.Contains(s, "MESSAGE Black has no lawful move: a draw by the rules of this engine") ||
		!strings.HasSuffix(s, "\r\n3,7\r\n") {
		t.Errorf("%s", s)
	}
}

// A limit of CPU time bounds the process, with all that it does beside the search: here a
// thread that computes as long as the search does.
func TestProcessTime(t *testing.T) {
	if testing.Short() {
		t.Skip("computes")
	}
	const turn = 400 * time.Millisecond
	s := &session{ctx: t.Context(), out: io.Discard, engine: five.New(), options: Options{CPU: true}, turn: turn,
		memory: 350 << 20}
	s.start("15")
	s.stones = []stone{{game.At(7, 7), false}}
	from := engine.ProcessTime()
	ctx, stop := context.WithCancel(t.Context())
	var beside sync.WaitGroup
	beside.Go(func() {
		for ctx.Err() == nil {
		}
	})
	s.reply()
	used := engine.ProcessTime() - from
	stop()
	beside.Wait()
	if used > turn+turn/4 {
		t.Errorf("used %v of %v", used, turn)
	}
}
