package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"iter"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"tengen/ai/five"
	"tengen/game"
)

type selfplayCmd struct {
	File  string `arg:"" help:"File that the games are kept in; games in it already count."`
	Rules string `default:"gomoku" enum:"gomoku,standard,renju" help:"The game to play."`
	Games int    `default:"1000" help:"Games that the file is to have."`
	Nodes int64  `default:"20000" help:"Nodes a search."`
	Seed  uint64 `default:"1" help:"Seed of the games: with its number it tells all of a game."`
	Stats bool   `help:"Only check the games that are there and count."`
}

// Run adds games to the file until there are enough. A process that is killed leaves whole games and
// at most a torn one, which the next process cuts off and plays again.
func (c *selfplayCmd) Run(ctx context.Context) error {
	if c.Stats {
		return c.stats()
	}
	r, _ := game.RulesNamed(c.Rules)
	head := lessonHead{r, c.Seed, c.Nodes}.String()
	data, err := os.ReadFile(c.File)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(data) < len(head) && bytes.HasPrefix([]byte(head), data) {
		data = []byte(head)
		err = os.WriteFile(c.File, data, 0o666)
	} else if !bytes.HasPrefix(data, []byte(head)) {
		err = fmt.Errorf("%s holds other games than %q", c.File, head)
	} else {
		err = nil
	}
	if err != nil {
		return err
	}
	next, end, seen := uint32(0), len(head), newSeen(1<<24)
	for at, l := range lessons(data, r.Size()) {
		seen.mark(r, &l)
		next, end = l.Index+1, at
	}
	file, err := os.OpenFile(c.File, os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	if end < len(data) {
		fmt.Fprintf(os.Stderr, "%s: %d torn bytes cut off\n", c.File, len(data)-end)
		err = file.Truncate(int64(end))
	}
	e, labels, start := five.New(), 0, time.Now()
	for ; err == nil && int(next) < c.Games; next++ {
		var l five.Lesson
		if l, err = e.Lesson(ctx, r, c.Seed, next, c.Nodes); err != nil {
			break
		}
		seen.mark(r, &l)
		if _, err = file.Write(appendLesson(nil, l)); err != nil {
			break
		}
		if labels += len(l.Labels); next%100 == 99 {
			fmt.Fprintf(os.Stderr, "%s: %d games, %.1f positions a second\n",
				c.File, next+1, float64(labels)/time.Since(start).Seconds())
		}
	}
	return errors.Join(err, file.Close())
}

// lessonHead is the first line of a file.
type lessonHead struct {
	rules game.Rules
	seed  uint64
	nodes int64
}

const lessonLine = "tengen selfplay 1: %s seed %d nodes %d\n"

func (h lessonHead) String() string { return fmt.Sprintf(lessonLine, h.rules.Name(), h.seed, h.nodes) }

func readHead(data []byte) (h lessonHead, ok bool) {
	var name string
	if _, err := fmt.Sscanf(string(data[:min(len(data), 100)]), lessonLine, &name, &h.seed, &h.nodes); err != nil {
		return h, false
	}
	h.rules, ok = game.RulesNamed(name)
	return h, ok && bytes.HasPrefix(data, []byte(h.String()))
}

// A frame is the length of a game in two bytes, the game, and the checksum of both:
//
//	index 4, start 1, winner 1, moves without label 1, moves 1
//	moves, a byte each
//	labels, three bytes each: best move, value
const (
	frameLeast = 2 + 8 + 4
	frameMost  = frameLeast + 4*225
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func appendLesson(b []byte, l five.Lesson) []byte {
	from := len(b)
	b = append(b, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, l.Index)
	b = append(b, byte(l.Start), byte(l.Winner), byte(l.Book), byte(len(l.Moves)))
	for _, p := range l.Moves {
		b = append(b, byte(p))
	}
	for _, x := range l.Labels {
		b = binary.LittleEndian.AppendUint16(append(b, byte(x.Best)), uint16(x.Value))
	}
	binary.LittleEndian.PutUint16(b[from:], uint16(len(b)-from-2))
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[from:], castagnoli))
}

// cutLesson is the game that data begins with, and the bytes that it takes: 0 where there is none.
func cutLesson(data []byte, size int) (l five.Lesson, n int) {
	if len(data) < frameLeast {
		return l, 0
	}
	n = int(binary.LittleEndian.Uint16(data)) + 6
	if n < frameLeast || n > min(len(data), frameMost) {
		return l, 0
	}
	if crc32.Checksum(data[:n-4], castagnoli) != binary.LittleEndian.Uint32(data[n-4:]) {
		return l, 0
	}
	l.Index = binary.LittleEndian.Uint32(data[2:])
	l.Start, l.Winner, l.Book = five.Start(data[6]), game.Color(data[7]), int(data[8])
	moves, rest := int(data[9]), data[10:n-4]
	if l.Start >= five.Starts || l.Winner > game.White || l.Book > moves || len(rest) != moves+3*(moves-l.Book) {
		return l, 0
	}
	for _, p := range rest[:moves] {
		l.Moves = append(l.Moves, game.Point(p))
	}
	for rest = rest[moves:]; len(rest) > 0; rest = rest[3:] {
		l.Labels = append(l.Labels, five.Label{Best: game.Point(rest[0]), Value: int16(binary.LittleEndian.Uint16(rest[1:]))})
	}
	if slices.ContainsFunc(l.Moves, func(p game.Point) bool { return !p.On(size) }) {
		return l, 0
	}
	return l, n
}

// lessons are the games of a file on a board of that size, and where each ends. Damaged bytes are
// skipped. This is what a trainer reads.
func lessons(data []byte, size int) iter.Seq2[int, five.Lesson] {
	return func(yield func(int, five.Lesson) bool) {
		for at := bytes.IndexByte(data, '\n') + 1; at < len(data); {
			l, n := cutLesson(data[at:], size)
			if at += max(n, 1); n > 0 && !yield(at, l) {
				return
			}
		}
	}
}

// seen knows positions that have a label. It forgets a position when another one falls on its place.
type seen struct {
	keys  [2][256]uint64
	marks []uint32
}

func newSeen(places int) *seen {
	s, rnd := &seen{marks: make([]uint32, places)}, rand.New(rand.NewPCG(1, 1))
	for c := range s.keys {
		for p := range s.keys[c] {
			s.keys[c][p] = rnd.Uint64()
		}
	}
	return s
}

// mark turns labels of positions that were seen before, turned or mirrored, into copies.
func (s *seen) mark(r game.Rules, l *five.Lesson) {
	var ways [8]uint64
	for i, p := range l.Moves {
		if i >= l.Book {
			h := slices.Min(ways[:])
			place := &s.marks[h%uint64(len(s.marks))]
			if *place == uint32(h>>32) {
				l.Labels[i-l.Book] = l.Labels[i-l.Book].Copy()
			}
			*place = uint32(h >> 32)
		}
		for way := range ways {
			ways[way] ^= s.keys[i%2][p.Turned(r.Size(), uint64(way))]
		}
	}
}
