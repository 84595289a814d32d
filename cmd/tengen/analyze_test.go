package main

import (
	"encoding/json"
	"strings"
	"testing"

	"tengen/ai"
	"tengen/ai/engine"
	"tengen/game"
	"tengen/internal/testkit"
)

// analyzed are the answers to position lines of one call.
func analyzed(t *testing.T, lines []string, args ...string) (list []analysis) {
	t.Helper()
	var out, errs strings.Builder
	s := streams{in: strings.NewReader(strings.Join(lines, "\n")), out: &out, err: &errs}
	if code := run(t.Context(), append([]string{"analyze", "--json"}, args...), s); code != 0 {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	for text := range strings.Lines(out.String()) {
		var a analysis
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		list = append(list, a)
	}
	return list
}

// Positions in which a long win is there.
const (
	oneReply = "gomoku .............../.............../...........X.../..........OO.../......O..XXO.../.........X.O.../" +
		".........XOO.../........XOOX.X./........X....../.............../.............../.............../" +
		".............../.............../............... X j12"
	longWin = "gomoku .............../.............../.............../.............../.............../.........X...../" +
		"......X......../......X......../...OXO........./....O.X......../...O.........../..X............/" +
		".O............./.............../............... O g7"
	longer = "gomoku .............../.............../.............../.......O......./......X......../.....X........./" +
		"....X........../...X.XO......../..O..OXX......./.............../....O.O......../.............../" +
		".............../.............../............... O d10"
)

// Where a single reply is left, the search goes on with it for as long as it may: the win that
// the reply does not stop is found.
func TestAnalyzeSingleReply(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--nodes", "400000"}, {"--time", "5m"}} {
		if a := analyzed(t, []string{oneReply}, args...)[0]; a.Proof != "win" || len(a.Candidates) > 1 {
			t.Errorf("%v: %+v", args, a)
		}
	}
}

// What is proven stays proven along its line, and the count falls with each move.
func TestAnalyzeAlongALine(t *testing.T) {
	t.Parallel()
	for _, line := range []string{longWin, longer} {
		first := analyzed(t, []string{line}, "--nodes", "100000")[0]
		if first.Proof != "win" || first.In < 20 {
			t.Fatalf("%s: %+v", line, first)
		}
		lines := []string{line}
		for _, m := range first.PV[:first.In-1] {
			lines = append(lines, lines[len(lines)-1]+strings.ToLower(m))
		}
		for n, a := range analyzed(t, lines, "--nodes", "100000") {
			want, score := "win", first.Score+n
			if n%2 == 1 {
				want, score = "loss", -first.Score-n
			}
			if a.Proof != want || a.In != first.In-n || a.Score != score || a.Move != first.PV[n] || len(a.PV) != a.In ||
				len(a.Candidates) == 0 {
				t.Errorf("%s after %d moves: %+v", line, n, a)
			}
		}
	}
}

// However many lines are proven, what is remembered of them has a bound.
func TestAnalystForgets(t *testing.T) {
	a := analyst{proven: map[onLine]ai.Report{}}
	for n := range mostProven + 1 {
		a.proven[onLine{rules: "x", b: game.Position{Size: n}}] = ai.Report{}
	}
	g := game.New(game.Gomoku15)
	a.remember(g, ai.Report{In: 2, Line: []game.Point{game.At(7, 7), game.At(8, 8)}, Proof: engine.Loss})
	testkit.Want(t, "positions are remembered", len(a.proven), 1)
}
