package gtp

import (
	"math/rand/v2"
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/testkit"
)

// talk is a conversation: lines sent, and what is answered to each, without blank lines.
func talk(t *testing.T, o Options, lines ...string) []string {
	t.Helper()
	var out strings.Builder
	testkit.Must(t, Serve(t.Context(), strings.NewReader(strings.Join(lines, "\n")+"\n"), &out, o))
	var answers []string
	for _, a := range strings.Split(out.String(), "\n\n") {
		if a != "" {
			answers = append(answers, a)
		}
	}
	return answers
}

func TestConversation(t *testing.T) {
	o := Options{Name: "tengen", Version: "1", Level: 1}
	for _, c := range []struct{ name, say, want string }{
		{"words about itself", "name|version|protocol_version|1 known_command play|2 known_command sing", "= tengen|= 1|= 2|=1 true|=2 false"},
		{"sizes", "boardsize 8|boardsize 19|boardsize", "=|? unacceptable size|? syntax error"},
		{"moves", "play b f5|play w f6|play black e6|play w a1|play b f4|PLAY W F4", "=|=|=|? illegal move|? illegal move|="},
		{"comments and blanks", "# nothing||name # who|\tversion", "= tengen|= 1"},
		{"a pass that is not forced", "play b pass", "? illegal move: a side that can move must"},
		{"undo", "play b f5|undo|undo|play b d3", "=|=|? cannot undo|="},
		{"not its turn", "genmove w", "? it is the other side's turn"},
		{"unknown", "sing|7|quit|name", "? unknown command|?7 unknown command|="},
		{"times", "time_settings 300 0 0|time_left b 120 0|time_left b x 0|time_settings 1", "=|=|? syntax error|? syntax error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := strings.Join(talk(t, o, strings.Split(c.say, "|")...), "|")
			if got != c.want {
				t.Errorf("said %q\n got %q\nwant %q", c.say, got, c.want)
			}
		})
	}
}

// TestPasses plays a game with forced passes twice: once they are said, once left out.
func TestPasses(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for passes := 0; passes < 10; {
		g := game.New(game.Reversi)
		var said, omitted []string
		for turn := game.Black; g.Turn() != game.Empty; turn = turn.Other() {
			if g.Turn() != turn {
				said = append(said, "play "+turn.String()+" pass")
				passes++
				continue
			}
			p := g.Legal().Points()[rng.IntN(g.Legal().Len())]
			line := "play " + turn.String() + " " + p.String()
			said, omitted = append(said, line), append(omitted, line)
			g, _ = g.Play(p)
		}
		for _, say := range [][]string{said, omitted} {
			for i, a := range talk(t, Options{}, say...) {
				if a != "=" {
					t.Fatalf("%s: %q", say[i], a)
				}
			}
		}
		for range said {
			said = append(said, "undo")
		}
		answers := talk(t, Options{}, append(said, "play b f5", "undo", "undo")...)
		if got := strings.Join(answers[len(answers)-3:], "|"); got != "=|=|? cannot undo" {
			t.Fatalf("after taking all back: %q", got)
		}
	}
}

// TestWholeGame lets the engine play both sides and asks for passes, as controllers do
// that alternate strictly.
func TestWholeGame(t *testing.T) {
	var say []string
	for i := range 70 {
		say = append(say, "genmove "+[]string{"b", "w"}[i%2])
	}
	say = append(say, "showboard")
	answers := talk(t, Options{Level: 1}, say...)
	for i, a := range answers[:70] {
		if !strings.HasPrefix(a, "= ") {
			t.Fatalf("move %d: %q", i+1, a)
		}
	}
	testkit.Want(t, "after the end", answers[69], "= pass")
}
