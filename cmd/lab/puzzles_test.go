package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tengen/ai/puzzle"
	"tengen/game"
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

// A search leaves out what it has enough of, and also what will hardly get a rating that is
// still wanted.
func TestPuzzlesWanted(t *testing.T) {
	t.Parallel()
	short := puzzle.Puzzle{Kind: puzzle.Win, Moves: 3}
	rated := func(p puzzle.Puzzle, r int) puzzle.Puzzle { p.Rating = r; return p }
	h := &hunt{target: 100, cells: map[cell]int{}, kinds: map[puzzle.Kind]int{}}
	add := func(p puzzle.Puzzle, n int) {
		for range n {
			h.count(p)
		}
	}
	if !h.wants(short) || !h.wants(rated(short, 700)) {
		t.Error("nothing is wanted")
	}
	add(rated(short, 700), 50)
	if !h.wants(short) || h.wants(rated(short, 700)) || !h.wants(rated(short, 900)) {
		t.Error("half a band of one length")
	}
	add(rated(short, 900), 50)
	if h.wants(short) {
		t.Error("short ones are wanted, which get no other rating")
	}
	long := puzzle.Puzzle{Kind: puzzle.Win, Moves: 9}
	add(rated(long, 700), 50)
	if h.wants(rated(puzzle.Puzzle{Kind: puzzle.Win, Moves: 15}, 700)) {
		t.Error("a full band")
	}
	if h.wants(puzzle.Puzzle{Kind: puzzle.Defend}) == false {
		t.Error("no defence")
	}
	add(puzzle.Puzzle{Kind: puzzle.Defend, Rating: 1000}, 17)
	if h.wants(puzzle.Puzzle{Kind: puzzle.Defend}) {
		t.Error("more than one defence for nine wins")
	}
}

// What was found with another seed counts, and its games are not taken for this seed's.
func TestPuzzlesOfOtherSeeds(t *testing.T) {
	t.Parallel()
	f, err := os.Create(filepath.Join(t.TempDir(), "found"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := puzzle.Collection()[0]
	text, err := json.Marshal(foundIn{Game: 3, Rules: "gomoku", Seed: 8, Puzzles: []puzzle.Entry{p.Entry()}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(append(text, '\n')); err != nil {
		t.Fatal(err)
	}
	for seed, done := range map[uint64]bool{8: true, 9: false} {
		h := newHunt(f, game.Gomoku15, seed, 40)
		if err := h.catchUp(); err != nil || h.done[3] != done || !h.seen[p.Key()] || h.kinds[p.Kind] != 1 {
			t.Errorf("seed %d: %v, %+v", seed, err, h)
		}
	}
}
