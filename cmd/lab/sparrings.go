package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"slices"

	"tengen/ai/engine"
	"tengen/ai/five"
	"tengen/game"
)

// sparringHead is the first line of a file.
type sparringHead struct {
	rules game.Rules
	seed  uint64
	nodes int64
}

const sparringLine = "tengen selfplay 2: %s seed %d nodes %d\n"

func (h sparringHead) String() string {
	return fmt.Sprintf(sparringLine, h.rules.Name(), h.seed, h.nodes)
}

func readHead(data []byte) (h sparringHead, ok bool) {
	var name string
	if _, err := fmt.Sscanf(string(data[:min(len(data), 100)]), sparringLine, &name, &h.seed, &h.nodes); err != nil {
		return h, false
	}
	h.rules, ok = game.RulesNamed(name)
	return h, ok && bytes.HasPrefix(data, []byte(h.String()))
}

// A frame is the length of a game in two bytes, the game, and the checksum of both:
//
//	index 4, engine 4, start 1, winner 1, moves without label 1, moves 1
//	moves, a byte each
//	labels, three bytes each: best move, value
const (
	frameGame  = 2 + 12 // bytes before the moves
	frameLeast = frameGame + 4
	frameMost  = frameLeast + 4*225
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func appendSparring(b []byte, l five.Sparring) []byte {
	from := len(b)
	b = append(b, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, l.Index)
	b = binary.LittleEndian.AppendUint32(b, l.Engine)
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

// cutSparring is the game that data begins with, and the bytes that it takes: 0 where there is none.
func cutSparring(data []byte, size int) (l five.Sparring, n int) {
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
	l.Index, l.Engine = binary.LittleEndian.Uint32(data[2:]), binary.LittleEndian.Uint32(data[6:])
	l.Start, l.Winner, l.Book = five.Start(data[10]), game.Color(data[11]), int(data[12])
	moves, rest := int(data[13]), data[frameGame:n-4]
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

// sparrings are the games of a file on a board of that size, and where each ends. Damaged bytes are
// skipped, torn games among them.
func sparrings(data []byte, size int) iter.Seq2[int, five.Sparring] {
	return func(yield func(int, five.Sparring) bool) {
		for at := bytes.IndexByte(data, '\n') + 1; at < len(data); {
			l, n := cutSparring(data[at:], size)
			if at += max(n, 1); n > 0 && !yield(at, l) {
				return
			}
		}
	}
}

// sparringFile is a file that sparrings are added to. Processes may share it: it only grows, by a whole
// game at a time.
type sparringFile struct {
	file   *os.File
	head   sparringHead
	engine uint32
	has    map[uint32]bool // by index
}

// openSparrings opens the file of that name, which holds such sparrings or is new.
func openSparrings(name string, head sparringHead) (*sparringFile, error) {
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	f := &sparringFile{file: file, head: head, has: map[uint32]bool{}}
	data, err := io.ReadAll(file)
	line := []byte(head.String())
	switch {
	case err != nil:
	case len(data) < len(line) && bytes.HasPrefix(line, data): // new, or torn before there was any game
		if err = file.Truncate(0); err == nil {
			_, err = file.Write(line)
		}
	case !bytes.HasPrefix(data, line):
		err = fmt.Errorf("%s holds other games than %q", name, line)
	}
	for _, l := range sparrings(data, head.rules.Size()) {
		f.has[l.Index] = true
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return f, nil
}

// add writes a sparring down.
func (f *sparringFile) add(l five.Sparring) error {
	l.Engine = f.engine
	f.has[l.Index] = true
	_, err := f.file.Write(appendSparring(nil, l))
	return err
}

// signature tells engines apart by what they find in a few openings.
func signature(ctx context.Context, e *five.Engine, r game.Rules) (uint32, error) {
	sum := crc32.New(castagnoli)
	for n := range uint64(4) {
		g, err := game.New(r).PlayAll(five.Balanced(r, n)...)
		if err != nil {
			return 0, err
		}
		e.Clear()
		rep, err := e.Search(ctx, g, engine.Limits{Nodes: 5000, Brief: true})
		if err != nil {
			return 0, err
		}
		fmt.Fprintln(sum, rep.Move, rep.Score, rep.Depth)
	}
	return sum.Sum32(), ctx.Err()
}

// seen knows positions, however the board is turned or mirrored.
type seen struct {
	keys  [2][256]uint64
	known map[uint64]bool
}

func newSeen() *seen {
	s, rnd := &seen{known: map[uint64]bool{}}, rand.New(rand.NewPCG(1, 1))
	for c := range s.keys {
		for p := range s.keys[c] {
			s.keys[c][p] = rnd.Uint64()
		}
	}
	return s
}

// fresh are the numbers of moves before which a position has a label and was not seen before.
func (s *seen) fresh(size int, l five.Sparring) (plies []int) {
	var ways [8]uint64
	for i, p := range l.Moves {
		if h := slices.Min(ways[:]); i >= l.Book && !s.known[h] {
			s.known[h] = true
			plies = append(plies, i)
		}
		for way := range ways {
			ways[way] ^= s.keys[i%2][p.Turned(size, uint64(way))]
		}
	}
	return plies
}
