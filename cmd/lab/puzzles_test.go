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
	"tengen/game/record"
	"tengen/internal/testkit"
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
		testkit.Must(t, c.Run(t.Context()))
	}
	find(whole, 0, 1)
	data := testkit.Read(t, whole)
	cut := bytes.LastIndexByte(bytes.TrimSpace(data), '\n') + 30 // within the line of the last game
	testkit.Must(t, os.WriteFile(torn, data[:cut], 0o644))
	find(torn, 1, 2) // another process has other games to play, and all of them are there
	find(torn, 0, 2)
	got := testkit.Read(t, torn)
	if want := wholeLines(data); len(want) != 2 || !slices.Equal(wholeLines(got), want) {
		t.Errorf("resumed: %q, want %q", wholeLines(got), want)
	}
	pack := filepath.Join(dir, "pack")
	testkit.Must(t, (&puzzlesPackCmd{Files: []string{whole, torn}, Out: pack, Check: true}).Run(t.Context()))
}

// A search for easy puzzles brings such ones alone.
func TestPuzzlesBelow(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "easy")
	testkit.Must(t, (&puzzlesFindCmd{Rules: "reversi", Out: file, Seed: 26, Parts: 1, Games: 80, Target: 1000,
		Below: 900}).Run(t.Context()))
	found, err := readFound(file)
	if err != nil || len(found) == 0 {
		t.Fatalf("%d puzzles, %v", len(found), err)
	}
	for _, p := range found {
		if p.Rating >= 900 || empties(p) > plainEmpties {
			t.Errorf("rated %d, %d empty points", p.Rating, empties(p))
		}
	}
}

// What the collection has stays as it is and where it is, and what is new follows. What is too
// much like it is left out.
func TestPuzzlesPacked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	known := puzzle.Collection()
	old := known[3]
	again := old
	again.Rating += 100
	alike := old
	b := old.Game.Position()
	for p := range old.Game.Legal().All() { // one more stone of each side, somewhere
		if b = b.Put(p, b.Turn); b.Count(game.Black)+b.Count(game.White) == old.Game.Position().Count(game.Black)+
			old.Game.Position().Count(game.White)+2 {
			break
		}
		b.Turn = b.Turn.Other()
	}
	var err error
	alike.Game, err = game.From(old.Game.Rules(), b, old.Turn())
	testkit.Must(t, err)
	fresh := testkit.Got(record.ParseLine("gomoku h8a1i9a15j11o1b13o15"))
	fresh = testkit.Got(game.From(fresh.Rules(), fresh.Position(), fresh.Turn()))
	novel := puzzle.Puzzle{Kind: puzzle.Win, Game: fresh, Line: []game.Point{fresh.Legal().Points()[0]},
		Moves: 3, Rating: 700}
	text := testkit.Got(json.Marshal(foundIn{Rules: "gomoku",
		Puzzles: []puzzle.Entry{again.Entry(), alike.Entry(), novel.Entry()}}))
	found, pack := filepath.Join(dir, "found"), filepath.Join(dir, "pack")
	testkit.Write(t, found, append(text, '\n'))
	for check, want := range map[bool]int{false: len(known) + 1, true: len(known)} { // the new one is no puzzle
		testkit.Must(t, (&puzzlesPackCmd{Files: []string{found}, Out: pack, Check: check}).Run(t.Context()))
		data := testkit.Read(t, pack)
		list, err := puzzle.Decode(data)
		if err != nil || len(list) != want {
			t.Fatalf("%d puzzles, want %d, %v", len(list), want, err)
		}
		for _, p := range known {
			if q, ok := puzzle.Named(list, p.ID()); !ok || q.Key() != p.Key() || q.Rating != p.Rating ||
				!slices.Equal(q.Line, p.Line) {
				t.Errorf("%s is another puzzle now", p.ID())
			}
		}
	}
}

// A puzzle that is dropped leaves a gap: members have solved the others by their numbers.
func TestPuzzlesDropped(t *testing.T) {
	t.Parallel()
	known, pack := puzzle.Collection(), filepath.Join(t.TempDir(), "pack")
	gone := known[3]
	testkit.Must(t, (&puzzlesPackCmd{Drop: []string{gone.ID()}, Out: pack}).Run(t.Context()))
	data := testkit.Read(t, pack)
	list, err := puzzle.Decode(data)
	if err != nil || len(list) != len(known)-1 {
		t.Fatalf("%d puzzles, want %d, %v", len(list), len(known)-1, err)
	}
	for _, p := range known {
		q, ok := puzzle.Named(list, p.ID())
		if p.ID() == gone.ID() {
			if ok {
				t.Errorf("%s is still there", p.ID())
			}
		} else if !ok || q.Key() != p.Key() {
			t.Errorf("%s is another puzzle now", p.ID())
		}
	}
	if err := (&puzzlesPackCmd{Drop: []string{"g99999"}, Out: pack}).Run(t.Context()); err == nil {
		t.Error("a puzzle was dropped that does not exist")
	}
}

// A puzzle that is rated again stays what it was but for its rating, which goes by what stands in
// the collection.
func TestRerate(t *testing.T) {
	t.Parallel()
	var list []puzzle.Puzzle
	for _, id := range []string{"g00001", "o00001"} {
		p, ok := puzzle.Named(puzzle.Collection(), id)
		if !ok {
			t.Fatalf("no puzzle %s", id)
		}
		list = append(list, p)
	}
	want := slices.Clone(list)
	for i := range list {
		list[i].Rating = 2995
	}
	testkit.Must(t, rerate(t.Context(), list))
	for i, p := range list {
		if q := want[i]; p.ID() != q.ID() || p.Key() != q.Key() || p.Rating != q.Rating || !slices.Equal(p.Line, q.Line) {
			t.Errorf("%s, %d points, is %s, %d points", q.ID(), q.Rating, p.ID(), p.Rating)
		}
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
	h := &hunt{puzzlesFindCmd: puzzlesFindCmd{Target: 100}, cells: map[cell]int{}, kinds: map[puzzle.Kind]int{}}
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
	f := testkit.Got(os.Create(filepath.Join(t.TempDir(), "found")))
	defer f.Close()
	p := puzzle.Collection()[0]
	text := testkit.Got(json.Marshal(foundIn{Game: 3, Rules: "gomoku", Seed: 8, Puzzles: []puzzle.Entry{p.Entry()}}))
	testkit.Got(f.Write(append(text, '\n')))
	for seed, done := range map[uint64]bool{8: true, 9: false} {
		h := newHunt(f, game.Gomoku15, puzzlesFindCmd{Seed: seed, Target: 40})
		if err := h.catchUp(); err != nil || h.done[3] != done || !h.seen[p.Key()] || h.kinds[p.Kind] != 1 {
			t.Errorf("seed %d: %v, %+v", seed, err, h)
		}
	}
}

// There is one defence for nine wins, but where defences alone are looked for.
func TestHuntForOneKind(t *testing.T) {
	h := newHunt(nil, game.Gomoku15, puzzlesFindCmd{Seed: 1, Target: 300})
	h.kinds[puzzle.Defend] = 1
	win, defence := puzzle.Puzzle{Kind: puzzle.Win, Game: game.New(game.Gomoku15)},
		puzzle.Puzzle{Kind: puzzle.Defend, Game: game.New(game.Gomoku15)}
	if !h.wants(win) || h.wants(defence) {
		t.Error("a second defence is wanted before nine wins")
	}
	if h.Kind = "defend"; h.wants(win) || !h.wants(defence) {
		t.Error("other puzzles than defences are wanted")
	}
}
