package review

import (
	"errors"
	"fmt"
	"time"

	"tengen/ai/engine"
	"tengen/game"
)

// packVersion is the first byte of a packed review.
const packVersion = 1

// What a packed review may take: 600 bytes, and ten for each ply beyond the sixtieth. Lines
// are cut to fit.
const (
	packBytes   = 600
	packPlies   = 60
	packEach    = 10
	maxPackLine = 1<<lineBits - 1
)

// The widths of the fields, in bits.
const (
	countBits   = 12 // plies
	meansBits   = 48 // nodes, or milliseconds
	classBits   = 3
	noteBits    = 3
	thousandths = 10
	pointBits   = 8
	proofBits   = 3
	inBits      = 8
	discBits    = 8
	lineBits    = 7
)

// maxMillis is a bound on means that keeps them within a time.Duration.
const maxMillis = 1<<40 - 1

// errPacked is the answer to bytes that Pack cannot have written for the game.
var errPacked = errors.New("not a review of this game")

// Pack is a review in few bytes, for storage: at most 600 for a game of 60 plies. What
// follows from the game is left out, and so are the ends of lines that do not fit.
func Pack(r Review) []byte {
	limit := packBytes + packEach*max(0, len(r.Plies)-packPlies)
	lines := keptLines(r)
	data := pack(r, lines)
	for len(data) > limit {
		longest := &lines[0]
		for i := range lines {
			if len(lines[i]) > len(*longest) {
				longest = &lines[i]
			}
		}
		if len(*longest) == 0 {
			break
		}
		*longest = (*longest)[:len(*longest)-1]
		data = pack(r, lines)
	}
	return data
}

// keptLines are the two lines of each fault that is worth trying again.
func keptLines(r Review) [][]game.Point {
	var lines [][]game.Point
	for _, n := range r.Faults {
		for _, l := range [][]game.Point{r.Plies[n-1].Line, r.Plies[n-1].Answer} {
			lines = append(lines, l[:min(len(l), maxPackLine)])
		}
	}
	return lines
}

func pack(r Review, lines [][]game.Point) []byte {
	w := &bitWriter{}
	w.put(packVersion, 8)
	w.flag(r.Means.Nodes > 0)
	if r.Means.Nodes > 0 {
		w.put(uint64(r.Means.Nodes), meansBits)
	} else {
		w.put(uint64(r.Means.CPU/time.Millisecond), meansBits)
	}
	w.put(uint64(len(r.Plies)), countBits)
	for _, p := range r.Plies {
		w.ply(p)
	}
	for _, l := range lines {
		w.put(uint64(len(l)), lineBits)
		for _, q := range l {
			w.put(uint64(q), pointBits)
		}
	}
	return w.data
}

func (w *bitWriter) ply(p Ply) {
	w.put(uint64(p.Class), classBits)
	w.put(uint64(p.Note), noteBits)
	w.put(uint64(p.After), thousandths)
	if w.flag(p.Before != p.After) {
		w.put(uint64(p.Before), thousandths)
	}
	if w.flag(p.Best != p.Move) {
		w.put(uint64(p.Best), pointBits)
	}
	for _, o := range []Outcome{p.Had, p.Gave} {
		w.put(uint64(o.Proof), proofBits)
		if decided(o) {
			w.put(uint64(o.In), inBits)
		}
	}
	if w.flag(p.Discs != 0) {
		w.put(uint64(p.Discs), discBits)
	}
}

// decided reports whether an outcome has a distance.
func decided(o Outcome) bool { return o.Proof == engine.Win || o.Proof == engine.Loss }

// Unpack reads what Pack wrote of g. Of other bytes it says that they are no review of g.
func Unpack(data []byte, g game.Game) (Review, error) {
	b := &bitReader{data: data}
	if v := b.take(8); v != packVersion {
		return Review{}, fmt.Errorf("review of version %d; this program reads version %d", v, packVersion)
	}
	r := Review{Rules: g.Rules(), Plies: []Ply{}}
	if b.flag() {
		r.Means.Nodes = int64(b.take(meansBits))
		b.bad = r.Means.Nodes == 0
	} else {
		ms := b.take(meansBits)
		b.bad = ms > maxMillis
		r.Means.CPU = time.Duration(ms%(maxMillis+1)) * time.Millisecond
	}
	if n := int(b.take(countBits)); n != g.Len() || b.bad {
		return Review{}, errPacked
	}
	at := g.Until(0)
	for i, m := range g.Moves() {
		p, ok := b.ply(at, i, m)
		if !ok {
			return Review{}, errPacked
		}
		r.Plies = append(r.Plies, p)
		at, _ = at.Play(m)
	}
	r = finish(r)
	for _, n := range r.Faults {
		p := &r.Plies[n-1]
		before := g.Until(n - 1)
		after := g.Until(n)
		if p.Line = b.line(before); p.Line != nil && p.Line[0] != p.Best {
			return Review{}, errPacked
		}
		p.Answer = b.line(after)
	}
	// The bits that fill the last byte are zero, so one review has one form.
	if b.short || b.bad || len(data) != (b.at+7)/8 || b.take(8*len(data)-b.at) != 0 {
		return Review{}, errPacked
	}
	return r, nil
}

// ply reads ply i of a game, which played m in g.
func (b *bitReader) ply(g game.Game, i int, m game.Point) (p Ply, ok bool) {
	p = Ply{N: i + 1, By: g.Turn(), Move: m, Best: m}
	p.Class, p.Note = Class(b.take(classBits)), Note(b.take(noteBits))
	p.After = Expectation(b.take(thousandths))
	p.Before = p.After
	if b.flag() {
		p.Before = Expectation(b.take(thousandths))
		b.bad = b.bad || p.Before <= p.After
	}
	if b.flag() {
		p.Best = game.Point(b.take(pointBits))
		b.bad = b.bad || p.Best == m || !p.Best.On(g.Rules().Size()) || g.Check(p.Best) != nil
	}
	for _, o := range []*Outcome{&p.Had, &p.Gave} {
		o.Proof = engine.Proof(b.take(proofBits))
		if decided(*o) {
			o.In = int(b.take(inBits))
		}
	}
	if b.flag() {
		p.Discs = int(b.take(discBits))
		b.bad = b.bad || p.Discs == 0 || p.Discs > 128
	}
	b.bad = b.bad || p.Class > Blunder || p.Note > Turn || p.Before > 1000 ||
		p.Had.Proof > engine.Exact || p.Gave.Proof > engine.Exact
	return p, !b.bad && !b.short
}

// line reads a line that can be played in g.
func (b *bitReader) line(g game.Game) (list []game.Point) {
	for range b.take(lineBits) {
		q := game.Point(b.take(pointBits))
		if b.short || !q.On(g.Rules().Size()) {
			b.bad = true
			return nil
		}
		next, err := g.Play(q)
		if err != nil {
			b.bad = true
			return nil
		}
		g = next
		list = append(list, q)
	}
	return list
}

// bitWriter puts numbers of some bits one after the other.
type bitWriter struct {
	data []byte
	at   int // bits written
}

func (w *bitWriter) put(v uint64, bits int) {
	for i := bits - 1; i >= 0; i-- {
		if w.at%8 == 0 {
			w.data = append(w.data, 0)
		}
		w.data[w.at/8] |= byte(v>>i&1) << (7 - w.at%8)
		w.at++
	}
}

// flag puts one bit and gives it back.
func (w *bitWriter) flag(v bool) bool {
	bit := uint64(0)
	if v {
		bit = 1
	}
	w.put(bit, 1)
	return v
}

// bitReader takes them out again. Where the data is too short, it gives zeros and says so.
type bitReader struct {
	data       []byte
	at         int
	short, bad bool
}

func (b *bitReader) take(bits int) (v uint64) {
	for range bits {
		if b.at/8 >= len(b.data) {
			b.short = true
			return 0
		}
		v = v<<1 | uint64(b.data[b.at/8]>>(7-b.at%8)&1)
		b.at++
	}
	return v
}

func (b *bitReader) flag() bool { return b.take(1) == 1 }
