package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tengen/ai/puzzle"
	"tengen/game"
	"tengen/game/record"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage"
)

// The puzzle of a finished game is found in the store, and the other commands read it.
func TestPuzzleMake(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, out := filepath.Join(dir, "tengen.db"), filepath.Join(dir, "own.jsonl")
	storeGame(t, data, testkit.Got(record.ParseLine("gomoku i5h3g12h5g6i3h6i6j4f3k3g7l2")))
	code, stdout, stderr := tengen(t, "puzzle", "make", "--data", data, "-o", out)
	if code != 0 || stdout != "1 puzzle from 1 game\n" {
		t.Fatalf("code %d, %s%s", code, stdout, stderr)
	}
	code, stdout, _ = tengen(t, "puzzle", "try", "--from", out, "g00001", "k3", "g7")
	if code != 0 || stdout != "solved\n" {
		t.Errorf("code %d, %s", code, stdout)
	}
}

// storeGame puts a game into a new store, resigned at its end.
func storeGame(t *testing.T, path string, g game.Game) {
	t.Helper()
	ctx, at := t.Context(), march
	db, s, err := openFile(ctx, path)
	testkit.Must(t, err)
	defer db.Close()
	cause := storage.Cause{At: at}
	rec, err := s.Create(ctx, cause, venue.Place{Server: 1, Channel: 2}, func(id game.MatchID) (game.Match, error) {
		return game.NewMatch(id, game.Terms{Rules: g.Rules(), First: game.Black}, 5, game.SeatFor(5), game.SeatFor(6),
			at, at.Add(time.Hour))
	})
	testkit.Must(t, err)
	testkit.Got(s.Update(ctx, rec.ID, cause, func(m game.Match) (game.Match, error) {
		m, err := m.Accept(6, at)
		for _, p := range g.Moves() {
			if at = at.Add(4 * time.Second); err == nil {
				m, err = m.Play(m.Seats[m.ToMove()].Member, p, at)
			}
		}
		if err != nil || m.Game().Turn() == game.Empty {
			return m, err
		}
		return m.Resign(5, at)
	}))
}

// A theme that there is not is wrong usage, and the answer names those that there are. A theme
// with a number in it may be asked for with the number or without.
func TestPuzzleListThemes(t *testing.T) {
	t.Parallel()
	for _, theme := range []string{"nonsense", "vcf-", "vcf-x", "four-three-2", "own"} {
		code, stdout, stderr := tengen(t, "puzzle", "list", "--theme", theme)
		if code != 2 || stdout != "" || !strings.Contains(stderr, theme) ||
			!strings.Contains(stderr, strings.Join(puzzle.ThemeNames, ", ")) {
			t.Errorf("%s: code %d, %q, %q", theme, code, stdout, stderr)
		}
	}
	lines := func(theme string) int {
		code, stdout, stderr := tengen(t, "puzzle", "list", "--theme", theme)
		if code != 0 {
			t.Errorf("%s: code %d, %s", theme, code, stderr)
		}
		return strings.Count(stdout, "\n")
	}
	if three, all, none := lines("vcf-3"), lines("vcf"), lines("vcf-99"); three == 0 || all <= three || none != 0 {
		t.Errorf("vcf-3 has %d puzzles, vcf %d, vcf-99 %d", three, all, none)
	}
}
