package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"tengen/ai/five"
	"tengen/game"
	"tengen/internal/testkit"
)

var anySparring = rapid.Custom(func(t *rapid.T) five.Sparring {
	points := rapid.SliceOfNDistinct(rapid.IntRange(0, 224), 0, 225, rapid.ID).Draw(t, "points")
	l := five.Sparring{
		Index:  rapid.Uint32().Draw(t, "index"),
		Engine: rapid.Uint32().Draw(t, "engine"),
		Start:  five.Start(rapid.IntRange(0, int(five.Starts)-1).Draw(t, "start")),
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

// fileOf is a file of sparrings, and where each ends.
func fileOf(ls []five.Sparring) (data []byte, ends []int) {
	data = []byte(sparringHead{game.Gomoku15, 1, 1}.String())
	for _, l := range ls {
		data = appendSparring(data, l)
		ends = append(ends, len(data))
	}
	return data, ends
}

func readAll(data []byte) (ls []five.Sparring, ends []int) {
	for at, l := range sparrings(data, 15) {
		ls, ends = append(ls, l), append(ends, at)
	}
	return ls, ends
}

func TestSparringsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(anySparring, 0, 3).Draw(t, "sparrings")
		data, ends := fileOf(want)
		got, at := readAll(data)
		if !slices.Equal(at, ends) || len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("%v at %d, want %v at %d", got, at, want, ends)
		}
		if h, ok := readHead(data); !ok || h != (sparringHead{game.Gomoku15, 1, 1}) {
			t.Fatalf("head %+v, %v", h, ok)
		}
	})
}

// A file that was cut anywhere, one that went on after such a cut, and one with a changed byte give
// every game that is whole.
func TestSparringsDamaged(t *testing.T) {
	var want []five.Sparring
	for i := range 9 {
		want = append(want, anySparring.Example(i))
	}
	data, ends := fileOf(want)
	head := bytes.IndexByte(data, '\n') + 1
	if len(data) < head+200 {
		t.Fatalf("only %d bytes", len(data))
	}
	last := data[ends[7]:]
	for n := head; n <= len(data); n++ {
		whole := 0
		for whole < len(ends) && ends[whole] <= n {
			whole++
		}
		if got, _ := readAll(data[:n]); len(got) != whole || whole > 0 && !reflect.DeepEqual(got, want[:whole]) {
			t.Fatalf("%d games of the first %d bytes, want %d", len(got), n, whole)
		}
		on := append(slices.Clone(want[:whole]), want[8])
		if got, _ := readAll(append(data[:n:n], last...)); !reflect.DeepEqual(got, on) {
			t.Fatalf("%d games after one was added to the first %d bytes, want %d", len(got), n, len(on))
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

func FuzzSparrings(f *testing.F) {
	for i := range 3 {
		data, _ := fileOf([]five.Sparring{anySparring.Example(i), anySparring.Example(i + 9)})
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for at, l := range sparrings(data, 15) {
			if b := appendSparring(nil, l); !bytes.HasSuffix(data[:at], b) {
				t.Errorf("%x is read as %x", data[:at], b)
			}
		}
	})
}

// The second game turns two positions of the first, and the third has one of the second by other
// moves.
func TestSeen(t *testing.T) {
	s := newSeen()
	for i, test := range []struct {
		moves string
		book  int
		want  []int
	}{
		{"h8h9j9j8", 2, []int{2, 3}},
		{"h8g8g10a1a3", 2, []int{4}},
		{"g10a1h8g8a3a5", 4, []int{5}},
	} {
		moves, _ := game.ParseMoves(test.moves)
		if got := s.fresh(15, five.Sparring{Moves: moves, Book: test.book}); !slices.Equal(got, test.want) {
			t.Errorf("game %d: fresh before %v, want %v", i, got, test.want)
		}
	}
}

// quick plays games of few nodes in a folder.
func quick(folder string, games int) selfplayPlayCmd {
	return selfplayPlayCmd{Folder: folder, Rules: []string{"gomoku", "renju"}, Games: games, Nodes: 100, Seed: 3, Parts: 1}
}

// kept are the games of a folder in their order.
func kept(t *testing.T, folder string) (all [2][]five.Sparring) {
	t.Helper()
	for i, name := range quick(folder, 0).Rules {
		all[i], _ = readAll(testkit.Read(t, filepath.Join(folder, name+".games")))
		slices.SortFunc(all[i], func(a, b five.Sparring) int { return cmp.Compare(a.Index, b.Index) })
	}
	return all
}

// A run that was killed at any time, and then goes on, has the games of one run; so have several
// processes that share them.
func TestSelfplayResumes(t *testing.T) {
	whole, torn := t.TempDir(), t.TempDir()
	c := quick(whole, 4)
	testkit.Must(t, c.Run(t.Context()))
	want := kept(t, whole)
	if len(want[0]) != 4 || len(want[1]) != 4 || want[0][0].Engine == 0 || want[0][0].Engine == want[1][0].Engine {
		t.Fatalf("%d and %d games", len(want[0]), len(want[1]))
	}
	data := testkit.Read(t, filepath.Join(whole, "renju.games"))
	_, ends := readAll(data)
	again := quick(torn, 4)
	testkit.Write(t, filepath.Join(torn, "gomoku.games"), testkit.Read(t, filepath.Join(whole, "gomoku.games")))
	for _, cut := range []int{5, ends[1], (ends[2] + ends[3]) / 2, ends[3] - 1} {
		testkit.Write(t, filepath.Join(torn, "renju.games"), data[:cut])
		testkit.Must(t, again.Run(t.Context()))
		if got := kept(t, torn); !reflect.DeepEqual(got, want) {
			t.Errorf("after %d of %d bytes the games are others", cut, len(data))
		}
		if got := testkit.Read(t, filepath.Join(torn, "renju.games")); cut > ends[0] && !bytes.HasPrefix(got, data[:cut]) {
			t.Error("what was there is gone")
		}
	}
	shared := t.TempDir()
	for part := range 2 {
		c := quick(shared, 4)
		c.Part, c.Parts = part, 2
		testkit.Must(t, c.Run(t.Context()))
	}
	if got := kept(t, shared); !reflect.DeepEqual(got, want) {
		t.Error("two processes play other games")
	}
	other := quick(whole, 5)
	other.Seed = 4
	if err := other.Run(t.Context()); err == nil || !reflect.DeepEqual(kept(t, whole), want) {
		t.Errorf("games of another seed: %v", err)
	}
}

func TestSelfplayStops(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	c := quick(t.TempDir(), 6)
	if err := c.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v after it was told to stop", err)
	}
}

func TestSelfplayPauses(t *testing.T) {
	testkit.Bubble(t, "pause", func(t *testing.T) {
		c := quick(t.TempDir(), 1)
		c.Pause = filepath.Join(c.Folder, "pause")
		testkit.Write(t, c.Pause, nil)
		over := make(chan error, 1)
		go func() { over <- c.Run(t.Context()) }()
		time.Sleep(time.Hour)
		synctest.Wait()
		if got := kept(t, c.Folder); len(got[0]) > 0 {
			t.Error("it plays in the pause")
		}
		testkit.Must(t, os.Remove(c.Pause))
		testkit.Must(t, <-over)
		if got := kept(t, c.Folder); len(got[0]) != 1 || len(got[1]) != 1 {
			t.Error("it does not go on after the pause")
		}
	})
}

func TestSparringTally(t *testing.T) {
	folder := t.TempDir()
	c := quick(folder, 6)
	testkit.Must(t, c.Run(t.Context()))
	for i, name := range c.Rules {
		data, labels := testkit.Read(t, filepath.Join(folder, name+".games")), 0
		for _, l := range kept(t, folder)[i] {
			labels += len(l.Labels)
		}
		tally, err := tallySparrings(data)
		testkit.Must(t, err)
		n := tally.kinds[five.Starts]
		if n.games != 6 || n.labels+n.copies != labels || n.labels == 0 || n.open == 0 || n.open == n.labels ||
			n.astray > 0 || tally.damaged != 0 || len(tally.engines) != 1 {
			t.Errorf("%+v; want %d labels", n, labels)
		}
		tally.print(t.Output())
		if tally, err = tallySparrings(slices.Concat(data, data[len(tally.head.String()):])); err != nil ||
			tally.kinds[five.Starts].labels != n.labels {
			t.Errorf("the same games twice: %+v, %v", tally, err)
		}
		data[len(data)-20] ^= 1
		if tally, err = tallySparrings(data); err != nil || tally.kinds[five.Starts].games != 5 || tally.damaged == 0 {
			t.Errorf("%+v, %v", tally, err)
		}
	}
	if _, err := tallySparrings([]byte("gomoku h8i9 1 1 500\n")); err == nil {
		t.Error("another file is taken for games")
	}
}

func TestCheckSparring(t *testing.T) {
	won, _ := game.ParseMoves("h8a1h9a3h10a5h11a7h12")
	for name, l := range map[string]five.Sparring{
		"a row of nobody":       {Moves: won, Winner: game.Empty},
		"a row of the other":    {Moves: won, Winner: game.White},
		"no row yet":            {Moves: won[:8], Winner: game.Black},
		"no end":                {Moves: won[:8]},
		"two stones on a point": {Moves: slices.Repeat(won[:1], 2)},
		"a best move on a stone": {Moves: won, Winner: game.Black, Book: len(won) - 1,
			Labels: []five.Label{{Best: won[0]}}},
	} {
		l.Book = max(l.Book, len(l.Moves)-len(l.Labels))
		if checkSparring(game.Gomoku15, l) == nil {
			t.Errorf("%s: taken for a game", name)
		}
	}
	testkit.Check(t, checkSparring(game.Gomoku15, five.Sparring{Moves: won, Book: len(won), Winner: game.Black}))
}
