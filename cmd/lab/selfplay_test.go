package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tengen/ai/five"
	"tengen/game"
	"tengen/internal/testkit"
)

var anyLesson = rapid.Custom(func(t *rapid.T) five.Lesson {
	points := rapid.SliceOfNDistinct(rapid.IntRange(0, 224), 0, 225, rapid.ID).Draw(t, "points")
	l := five.Lesson{
		Index:  rapid.Uint32().Draw(t, "index"),
		Start:  five.Start(rapid.IntRange(0, 3).Draw(t, "start")),
		Winner: game.Color(rapid.IntRange(0, 2).Draw(t, "winner")),
		Book:   rapid.IntRange(0, len(points)).Draw(t, "book"),
	}
	for i, p := range points {
		l.Moves = append(l.Moves, game.At(p%15, p/15))
		if i >= l.Book {
			l.Labels = append(l.Labels, five.Label{Best: l.Moves[i], Value: rapid.Int16().Draw(t, "value")})
		}
	}
	return l
})

// fileOf is a file of lessons, and where each ends.
func fileOf(ls []five.Lesson) (data []byte, ends []int) {
	data = []byte(lessonHead{game.Gomoku15, 1, 1}.String())
	for _, l := range ls {
		data = appendLesson(data, l)
		ends = append(ends, len(data))
	}
	return data, ends
}

func readAll(data []byte) (ls []five.Lesson, ends []int) {
	for at, l := range lessons(data, 15) {
		ls, ends = append(ls, l), append(ends, at)
	}
	return ls, ends
}

func TestLessonsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(anyLesson, 0, 3).Draw(t, "lessons")
		data, ends := fileOf(want)
		got, at := readAll(data)
		if !slices.Equal(at, ends) || len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("%v at %d, want %v at %d", got, at, want, ends)
		}
		if h, ok := readHead(data); !ok || h != (lessonHead{game.Gomoku15, 1, 1}) {
			t.Fatalf("head %+v, %v", h, ok)
		}
	})
}

// A file that was cut anywhere, and one with a changed byte, gives every game that is whole.
func TestLessonsDamaged(t *testing.T) {
	var want []five.Lesson
	for i := range 9 {
		want = append(want, anyLesson.Example(i))
	}
	data, ends := fileOf(want)
	head := bytes.IndexByte(data, '\n') + 1
	if len(data) < head+200 {
		t.Fatalf("only %d bytes", len(data))
	}
	for n := head; n <= len(data); n++ {
		whole := 0
		for whole < len(ends) && ends[whole] <= n {
			whole++
		}
		if got, _ := readAll(data[:n]); len(got) != whole || whole > 0 && !reflect.DeepEqual(got, want[:whole]) {
			t.Fatalf("%d games of the first %d bytes, want %d", len(got), n, whole)
		}
	}
	for at := head; at < len(data); at++ {
		bad := bytes.Clone(data)
		bad[at] ^= 1 << (at % 8)
		hit := 0
		for ends[hit] <= at {
			hit++
		}
		if got, _ := readAll(bad); !reflect.DeepEqual(got, slices.Delete(slices.Clone(want), hit, hit+1)) {
			t.Fatalf("byte %d changed: %d games, want all but %d", at, len(got), hit)
		}
	}
	if got, _ := readAll(append(data[:head:head], make([]byte, 100)...)); len(got) > 0 {
		t.Errorf("%d games of zeros", len(got))
	}
}

func FuzzLessons(f *testing.F) {
	for i := range 3 {
		data, _ := fileOf([]five.Lesson{anyLesson.Example(i), anyLesson.Example(i + 9)})
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for at, l := range lessons(data, 15) {
			if b := appendLesson(nil, l); !bytes.HasSuffix(data[:at], b) {
				t.Errorf("%x is read as %x", data[:at], b)
			}
		}
	})
}

// The second game turns two positions of the first, and the third has one of the second by other
// moves. Games that are read back
// leave the same positions known.
func TestSeen(t *testing.T) {
	first, again := newSeen(1<<10), newSeen(1<<10)
	for i, test := range []struct {
		moves string
		book  int
		want  []bool
	}{
		{"h8h9j9j8", 2, []bool{false, false}},
		{"h8g8g10a1a3", 2, []bool{true, true, false}},
		{"g10a1h8g8a3a5", 4, []bool{true, false}},
	} {
		moves, _ := game.ParseMoves(test.moves)
		l := five.Lesson{Moves: moves, Book: test.book, Labels: make([]five.Label, len(test.want))}
		for _, s := range []*seen{first, again} {
			s.mark(game.Gomoku15, &l)
			for k, x := range l.Labels {
				if x.Copied() != test.want[k] {
					t.Errorf("game %d, position %d: copied %v", i, k, x.Copied())
				}
			}
		}
	}
	if !slices.Equal(first.marks, again.marks) {
		t.Error("other positions are known after the games were read")
	}
}

// A run that was killed at any time, and then goes on, writes what one run writes.
func TestSelfplayResumes(t *testing.T) {
	dir := t.TempDir()
	run := func(ctx context.Context, name string, games int) []byte {
		c := selfplayCmd{File: filepath.Join(dir, name), Rules: "renju", Games: games, Nodes: 100, Seed: 3}
		if err := c.Run(ctx); !errors.Is(err, ctx.Err()) {
			t.Fatal(err)
		}
		data := testkit.Read(t, c.File)
		return data
	}
	want := run(t.Context(), "whole", 6)
	_, ends := readAll(want)
	if len(ends) != 6 {
		t.Fatalf("%d games", len(ends))
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if data := run(stopped, "new", 6); !bytes.HasPrefix(want, data) {
		t.Errorf("%q after an early end", data)
	}
	for _, cut := range []int{0, 5, ends[0] + 1, ends[2], (ends[4] + ends[5]) / 2, ends[5] - 1} {
		testkit.Write(t, filepath.Join(dir, "torn"), want[:cut])
		if got := run(t.Context(), "torn", 6); !bytes.Equal(got, want) {
			t.Errorf("after %d of %d bytes the games are others", cut, len(want))
		}
	}
	other := selfplayCmd{File: filepath.Join(dir, "whole"), Rules: "gomoku", Games: 7, Nodes: 100, Seed: 3}
	if err := other.Run(t.Context()); err == nil {
		t.Error("games of another kind are added")
	}
	if got, err := os.ReadFile(other.File); err != nil || !bytes.Equal(got, want) {
		t.Error("the games are lost", err)
	}
}

func TestLessonTally(t *testing.T) {
	r, data := game.Gomoku15, []byte(lessonHead{game.Gomoku15, 1, 200}.String())
	e, labels := five.New(), 0
	for i := range uint32(12) {
		l := testkit.Got(e.Lesson(t.Context(), r, 1, i, 200))
		data, labels = appendLesson(data, l), labels+len(l.Labels)
		for i, x := range l.Labels { // the end of a game is its proof
			if left := len(l.Labels) - i; l.Winner != game.Empty && left < 3 && max(x.Proof(), -x.Proof()) != left {
				t.Errorf("%d plies before the end: proof %d", left, x.Proof())
			}
		}
	}
	tally, err := tallyLessons(data)
	testkit.Must(t, err)
	n := tally.kinds[five.Starts]
	if n.games != 12 || n.labels != labels || n.astray > 0 || n.proven == 0 || tally.damaged != 0 {
		t.Errorf("%+v; want %d labels", n, labels)
	}
	tally.print(t.Output())
	data[len(data)-20] ^= 1
	if tally, err = tallyLessons(data); err != nil || tally.kinds[five.Starts].games != 11 || tally.damaged == 0 {
		t.Errorf("%+v, %v", tally, err)
	}
	won, _ := game.ParseMoves("h8a1h9a3h10a5h11a7h12")
	for name, l := range map[string]five.Lesson{
		"a row of nobody":       {Moves: won, Winner: game.Empty},
		"a row of the other":    {Moves: won, Winner: game.White},
		"no row yet":            {Moves: won[:8], Winner: game.Black},
		"no end":                {Moves: won[:8]},
		"two stones on a point": {Moves: slices.Repeat(won[:1], 2)},
	} {
		if checkLesson(r, l) == nil {
			t.Errorf("%s: taken for a game", name)
		}
	}
	testkit.Check(t, checkLesson(r, five.Lesson{Moves: won, Winner: game.Black}))
	if _, err := tallyLessons([]byte("gomoku h8i9 1 1 500\n")); err == nil {
		t.Error("another file is taken for games")
	}
}
