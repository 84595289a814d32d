package main

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"tengen/ai/five"
	"tengen/game"
	"tengen/internal/testkit"
)

func TestGameLines(t *testing.T) {
	moves, _ := game.ParseMoves("h8i9h9i8")
	want := five.Played{Rules: game.Gomoku9, Moves: moves[:0:0], Result: 0.5}
	want.Moves, _ = game.ParseMoves("e5e6d5d6")
	want.Book, want.Scores, want.Proven = 2, []float64{-1, -1, 0.512, 1}, []bool{true, true, false, true}
	line := writeGame(want)
	testkit.Want(t, "written as", line, "gomoku9 e5e6d5d6 2 0.5 512 1000!")
	if got, ok, err := readGame(line); err != nil || !ok || !reflect.DeepEqual(got, want) {
		t.Errorf("read as %+v, %v, %v", got, ok, err)
	}
	for _, line := range []string{"", "gomoku9", "gomoku9 e5e6d5d6 2 0.5 512", "chess e5e6d5d6 2 0.5 512 1000!"} {
		if _, ok, err := readGame(line); ok || err != nil {
			t.Errorf("%q: %v, %v; want it left out", line, ok, err)
		}
	}
	for _, line := range []string{"gomoku9 z9 2 0.5 512 1000!", "gomoku9 e5e6d5d6 x 0.5 512 1000!",
		"gomoku9 e5e6d5d6 2 x 512 1000!", "gomoku9 e5e6d5d6 2 0.5 512 x"} {
		if _, ok, err := readGame(line); ok || err == nil {
			t.Errorf("%q is taken for a game", line)
		}
	}
}

func TestReadGames(t *testing.T) {
	file := filepath.Join(t.TempDir(), "games")
	text := "gomoku h8i9 1 1 500\ngomoku9 e5e6 1 0 500\nstandard h8i9 1 1 500\nrenju h8i9 1 1 500\nrenju h8i9 1"
	testkit.Write(t, file, []byte(text))
	for r, want := range map[game.Rules]int{game.Gomoku15: 2, game.Standard15: 3, game.Renju: 1} {
		if games, err := readGames(file, r); err != nil || len(games) != want {
			t.Errorf("%d games teach %s, want %d: %v", len(games), r.Name(), want, err)
		}
	}
}

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	for _, text := range []string{"one", "two"} {
		testkit.Must(t, replace(name, []byte(text)))
		if got, err := os.ReadFile(name); err != nil || string(got) != text {
			t.Errorf("%q, %v; want %q", got, err, text)
		}
	}
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("left behind: %v", list)
	}
}
