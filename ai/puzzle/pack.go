package puzzle

import (
	"bytes"
	_ "embed" // the collection
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"tengen/game"
)

//go:embed collection.bin
var packed []byte

// Collection is the puzzles that the program carries, by game and number. The caller leaves
// them as they are.
var Collection = sync.OnceValue(func() []Puzzle {
	list, err := Decode(packed)
	if err != nil {
		panic(fmt.Sprintf("the collection of puzzles: %v", err)) // a test reads it
	}
	return list
})

// Named finds a puzzle of list by its id.
func Named(list []Puzzle, id string) (Puzzle, bool) {
	n := 0
	if len(id) > 1 {
		n, _ = strconv.Atoi(id[1:])
	}
	i := slices.IndexFunc(list, func(p Puzzle) bool { return p.Number == n && p.ID() == id })
	if i < 0 {
		return Puzzle{}, false
	}
	return list[i], true
}

// Numbered gives every puzzle of list the number that it has among known, and the others the
// numbers that follow those of their game. It sorts them by game and number.
func Numbered(list, known []Puzzle) []Puzzle {
	numbers, last := map[Key]int{}, map[string]int{}
	for _, p := range known {
		numbers[p.Key()] = p.Number
		name := p.Game.Rules().Name()
		last[name] = max(last[name], p.Number)
	}
	list = slices.Clone(list)
	for i, p := range list {
		n, ok := numbers[p.Key()]
		if !ok {
			name := p.Game.Rules().Name()
			last[name]++
			n = last[name]
		}
		list[i].Number = n
	}
	slices.SortStableFunc(list, func(a, b Puzzle) int { return bytes.Compare([]byte(a.ID()), []byte(b.ID())) })
	return list
}

// The file: a magic word, then for each game of letters the number of its puzzles and the
// puzzles. A puzzle is the step from the number before, a byte of flags, the rating in steps
// of five, the length of the win, the box of the stones, the points in it five a byte, and the
// line. Numbers are unsigned varints but for single bytes.
const magic = "tengen puzzles 1\n"

const (
	flagKind  = 3 // two bits
	flagWhite = 4 // white is to move
	flagFours = 8
)

// mostPuzzles bounds what is read of one game.
const mostPuzzles = 100_000

// Encode packs puzzles, which are sorted as Numbered leaves them.
func Encode(list []Puzzle) ([]byte, error) {
	out := []byte(magic)
	for _, l := range letters {
		var of []Puzzle
		for _, p := range list {
			if p.Game.Rules() == l.rules {
				of = append(of, p)
			}
		}
		out = binary.AppendUvarint(out, uint64(len(of)))
		last := 0
		for _, p := range of {
			if err := p.check(); err != nil {
				return nil, fmt.Errorf("%s: %w", p.ID(), err)
			}
			if p.Number <= last {
				return nil, fmt.Errorf("%s: the numbers do not ascend", p.ID())
			}
			out = binary.AppendUvarint(out, uint64(p.Number-last))
			out = p.append(out)
			last = p.Number
		}
	}
	return out, nil
}

func (p Puzzle) append(out []byte) []byte {
	flags := byte(p.Kind)
	if p.Turn() == game.White {
		flags |= flagWhite
	}
	if p.Fours {
		flags |= flagFours
	}
	out = append(out, flags)
	out = binary.AppendUvarint(out, uint64(p.Rating/5))
	out = append(out, byte(p.Moves))
	b := p.Game.Position()
	low, high := box(b)
	out = append(out, byte(low), byte(high))
	out = append(out, trits(b, low, high)...)
	out = append(out, byte(len(p.Line)))
	for _, at := range p.Line {
		out = append(out, byte(at))
	}
	return out
}

// box is the smallest that holds all stones.
func box(b game.Position) (low, high game.Point) {
	c0, r0, c1, r1 := b.Size-1, b.Size-1, 0, 0
	for p := range b.Stones[0].Or(b.Stones[1]).All() {
		c0, r0 = min(c0, p.Col()), min(r0, p.Row())
		c1, r1 = max(c1, p.Col()), max(r1, p.Row())
	}
	return game.At(min(c0, c1), min(r0, r1)), game.At(c1, r1)
}

// inBox are the points of a box by row, then column.
func inBox(low, high game.Point) (list []game.Point) {
	for row := low.Row(); row <= high.Row(); row++ {
		for col := low.Col(); col <= high.Col(); col++ {
			list = append(list, game.At(col, row))
		}
	}
	return list
}

// trits are the points of a box as digits of base 3, five a byte.
func trits(b game.Position, low, high game.Point) (out []byte) {
	for five := range slices.Chunk(inBox(low, high), 5) {
		v := 0
		for _, p := range slices.Backward(five) {
			v = v*3 + int(b.At(p))
		}
		out = append(out, byte(v))
	}
	return out
}

var errDamaged = errors.New("damaged")

// Decode unpacks puzzles. What is damaged is an error, whatever it is.
func Decode(data []byte) (list []Puzzle, err error) {
	data, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok {
		return nil, errors.New("no collection of puzzles")
	}
	u := &unpacker{data: data}
	for _, l := range letters {
		n := u.number(mostPuzzles)
		last := 0
		for i := 0; i < n && !u.bad; i++ {
			p := u.puzzle(l.rules)
			p.Number += last
			last = p.Number
			if u.bad {
				break
			}
			if err := p.check(); err != nil {
				return nil, fmt.Errorf("%s: %w", p.ID(), err)
			}
			list = append(list, p)
		}
	}
	if u.bad || len(u.data) > 0 {
		return nil, errDamaged
	}
	return list, nil
}

// unpacker reads from data. After anything that cannot be, bad is set and all is zero.
type unpacker struct {
	data []byte
	bad  bool
}

func (u *unpacker) number(most int) int {
	v, n := binary.Uvarint(u.data)
	if n <= 0 || v > uint64(most) {
		u.bad = true
		return 0
	}
	u.data = u.data[n:]
	return int(v)
}

func (u *unpacker) bytes(n int) []byte {
	if n > len(u.data) {
		u.bad = true
		return make([]byte, n)
	}
	b := u.data[:n]
	u.data = u.data[n:]
	return b
}

func (u *unpacker) puzzle(r game.Rules) (p Puzzle) {
	p.Number = u.number(1 << 20)
	flags := u.bytes(1)[0]
	p.Kind, p.Fours = Kind(flags&flagKind), flags&flagFours != 0
	p.Rating = 5 * u.number(800)
	p.Moves = int(u.bytes(1)[0])
	corners := u.bytes(2)
	b, ok := u.position(r, game.Point(corners[0]), game.Point(corners[1]))
	for _, at := range u.bytes(int(u.bytes(1)[0])) {
		p.Line = append(p.Line, game.Point(at))
	}
	side := game.Black
	if flags&flagWhite != 0 {
		side = game.White
	}
	if u.bad || !ok || p.Number == 0 || flags > 15 || p.Kind > Best {
		u.bad = true
		return p
	}
	g, err := game.From(r, b, side)
	if err != nil || g.Turn() != side {
		u.bad = true
		return p
	}
	for _, at := range p.Line {
		u.bad = u.bad || !at.On(r.Size())
	}
	p.Game = g
	return p
}

func (u *unpacker) position(r game.Rules, low, high game.Point) (b game.Position, ok bool) {
	b.Size = r.Size()
	if !low.On(b.Size) || !high.On(b.Size) || low.Col() > high.Col() || low.Row() > high.Row() {
		u.bad = true
		return b, false
	}
	points := inBox(low, high)
	digits := u.bytes((len(points) + 4) / 5)
	for i, p := range points {
		v := digits[i/5]
		for range i % 5 {
			v /= 3
		}
		b = b.Put(p, game.Color(v%3))
	}
	return b, true
}
