package event

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tengen/internal/shared"
	"tengen/internal/testkit"
)

// vectors calls f with each line of a file of cases: those of testdata, and all published ones where
// the folder with them lies beside the checkout.
func vectors(t *testing.T, file string, f func(name string, line []byte)) {
	t.Helper()
	lines(t, filepath.Join("testdata", file), f)
	name := strings.Replace(file, ".jsonl", "_dev.jsonl", 1)
	lines(t, filepath.Join(shared.Dir(t), "data", "vectors", name), f)
}

func lines(t *testing.T, file string, f func(name string, line []byte)) {
	t.Helper()
	in := testkit.Got(os.Open(file))
	defer in.Close()
	n := 0
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c struct{ Case string }
		decode(t, lines.Bytes(), &c)
		f(c.Case, lines.Bytes())
		n++
	}
	if err := lines.Err(); err != nil || n == 0 {
		t.Fatalf("%s: %d lines, %v", file, n, err)
	}
	t.Logf("%s: %d lines", file, n)
}

func decode(t testing.TB, line []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(line, into); err != nil {
		t.Fatalf("%v in %.200s", err, line)
	}
}

func TestSwissVectors(t *testing.T) {
	vectors(t, "swiss.jsonl", func(name string, line []byte) {
		var c struct {
			swiss
			Want [][2]int
		}
		decode(t, line, &c)
		got, err := c.pairNext()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !slices.Equal(got, c.Want) || (got == nil) != (c.Want == nil) {
			t.Errorf("%s: %v, want %v", name, got, c.Want)
		}
	})
}

func TestStandingsVectors(t *testing.T) {
	vectors(t, "standings.jsonl", func(name string, line []byte) {
		var c struct {
			Rounds  int
			Players []Player
			Want    []Standing
		}
		decode(t, line, &c)
		got, err := Standings(c.Players, c.Rounds)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !slices.Equal(got, c.Want) {
			t.Errorf("%s: %v, want %v", name, got, c.Want)
		}
	})
}

func TestGlickoVectors(t *testing.T) {
	vectors(t, "glicko2.jsonl", func(name string, line []byte) {
		var c struct {
			Player, Raw, Want Rating
			Periods, Tau      float64
			Games             []struct {
				Rating
				Score float64
			}
		}
		decode(t, line, &c)
		var games []Outcome
		for _, g := range c.Games {
			games = append(games, Outcome{g.Rating, g.Score})
		}
		raw := c.Player.After(games, c.Periods, c.Tau)
		for _, x := range []struct{ got, want Rating }{{raw, c.Raw}, {raw.Bounded(c.Player), c.Want}} {
			near(t, name+" R", x.got.R, x.want.R, 1e-6)
			near(t, name+" RD", x.got.RD, x.want.RD, 1e-6)
			near(t, name+" Vol", x.got.Vol, x.want.Vol, 1e-6)
		}
	})
}

func TestArenaVectors(t *testing.T) {
	vectors(t, "arena.jsonl", func(name string, line []byte) {
		var c struct {
			sheet
			Want score
		}
		decode(t, line, &c)
		got, err := c.score()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !slices.Equal(got.Points, c.Want.Points) || got.Total != c.Want.Total || got.Fire != c.Want.Fire ||
			(got.Perf == nil) != (c.Want.Perf == nil) {
			t.Errorf("%s: %v, want %v", name, got, c.Want)
		}
		if got.Perf != nil && c.Want.Perf != nil {
			near(t, name+" perf", *got.Perf, *c.Want.Perf, 1e-6)
		}
	})
}

func TestLadderVectors(t *testing.T) {
	vectors(t, "ladder.jsonl", func(name string, line []byte) {
		var c, got struct{ Want, IDs []int }
		decode(t, line, &c)
		a, err := Answer(t.Context(), "ladder", line)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		text, err := json.Marshal(a)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		decode(t, text, &got)
		if got.IDs == nil || !slices.Equal(got.IDs, c.Want) {
			t.Errorf("%s: %s, want %v", name, text, c.Want)
		}
	})
}

func TestHistoryVectors(t *testing.T) {
	vectors(t, "whr.jsonl", func(name string, line []byte) {
		var c struct {
			prior
			Games []ratedGame
			Want  []history
		}
		decode(t, line, &c)
		got, err := histories(t.Context(), c.Games, c.prior)
		if err != nil || len(got) != len(c.Want) {
			t.Fatalf("%s: %d, %v, want %d", name, len(got), err, len(c.Want))
		}
		for i, want := range c.Want {
			if got[i].ID != want.ID || !slices.Equal(got[i].Days, want.Days) || len(got[i].Elo) != len(want.Elo) ||
				len(got[i].SD) != len(want.SD) {
				t.Fatalf("%s: %v, want %v", name, got[i], want)
			}
			for d := range want.Elo {
				near(t, name+" elo", got[i].Elo[d], want.Elo[d], 1e-3)
				near(t, name+" sd", got[i].SD[d], want.SD[d], 1e-3)
			}
		}
	})
}
