package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A search that was killed while it wrote goes on where it stopped: in the end there is a line
// for each game, and the puzzles are those of a search that nothing disturbed.
func TestPuzzlesResumed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	whole, torn := filepath.Join(dir, "whole"), filepath.Join(dir, "torn")
	find := func(file string, part, parts int) {
		t.Helper()
		c := puzzlesFindCmd{Rules: "gomoku", Out: file, Seed: 1, Part: part, Parts: parts, Games: 2, Target: 40}
		if err := c.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	find(whole, 0, 1)
	data, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	cut := bytes.LastIndexByte(bytes.TrimSpace(data), '\n') + 30 // within the line of the last game
	if err := os.WriteFile(torn, data[:cut], 0o644); err != nil {
		t.Fatal(err)
	}
	find(torn, 1, 2) // another process has other games to play, and all of them are there
	find(torn, 0, 2)
	got, err := os.ReadFile(torn)
	if err != nil {
		t.Fatal(err)
	}
	if want := wholeLines(data); len(want) != 2 || !slices.Equal(wholeLines(got), want) {
		t.Errorf("resumed: %q, want %q", wholeLines(got), want)
	}
	pack := filepath.Join(dir, "pack")
	if err := (&puzzlesPackCmd{Files: []string{whole, torn}, Out: pack, Check: true}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// wholeLines are the lines that say something and were not cut short, sorted.
func wholeLines(data []byte) (list []string) {
	for line := range bytes.Lines(data) {
		if bytes.HasSuffix(line, []byte("}\n")) {
			list = append(list, string(line))
		}
	}
	slices.Sort(list)
	return list
}
