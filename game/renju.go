package game

import "math/bits"

// renju is five in a row on 15x15 in which black wins with just five and may make
// neither an overline, nor two fours, nor two open threes, unless the same move makes a
// five. White wins with five or more and may play anywhere.
type renju struct{}

func (renju) Name() string    { return "renju" }
func (renju) Size() int       { return 15 }
func (renju) TopDown() bool   { return false }
func (renju) Start() Position { return Position{Size: 15, Turn: Black} }

func (renju) Check(b Position, p Point) error {
	if err := checkEmpty(b, p); err != nil || b.Turn != Black {
		return err
	}
	if r := forbidden(b, p); r != nil {
		return r
	}
	return nil
}

func (r renju) Play(b Position, p Point) Position {
	return r.Settle(b.Put(p, b.Turn), b.Turn.Other())
}

func (r renju) Settle(b Position, side Color) Position {
	b.Turn = side
	if r.Result(b).Over() {
		b.Turn = Empty
	}
	return b
}

func (renju) Result(b Position) Result {
	r := rowResult(b, true, false)
	if r.Over() {
		return r
	}
	// Without a row and with room on the board, nobody is to move only when black has
	// nothing but forbidden points left.
	if b.Turn == Empty || b.Turn == Black && !blackCanMove(b) {
		return Result{Termination: ByNoMove}
	}
	return Result{}
}

func blackCanMove(b Position) bool {
	for _, p := range b.Points() {
		if b.At(p) == Empty && forbidden(b, p) == nil {
			return true
		}
	}
	return false
}

// forbidden says why black may not play the empty point p; nil when it may.
func forbidden(b Position, p Point) *Refusal {
	r, _ := judge(b, p)
	return r
}

// judge says why black may not play the empty point p, and whether p makes a five, which
// beats everything.
func judge(b Position, p Point) (r *Refusal, five bool) {
	b = b.Put(p, Black)
	var lines [4]line
	over := false
	for i, d := range directions {
		lines[i] = d.through(b, p)
		switch n := lines[i].run(); {
		case n == 5:
			return nil, true
		case n > 5:
			over = true
		}
	}
	if over {
		r := &Refusal{Code: Overline, Point: p, Color: Black}
		for _, d := range directions {
			if run := d.run(b, p); run.Len() > 5 {
				r.Rows = append(r.Rows, run)
			}
		}
		return r, false
	}
	var fours, threes []Row
	for _, l := range lines {
		fours = append(fours, l.fours()...)
		if row, ok := l.three(func(Point) bool { return true }); ok {
			threes = append(threes, row)
		}
	}
	if len(fours) > 1 {
		return &Refusal{Code: DoubleFour, Point: p, Color: Black, Rows: fours}, false
	}
	if len(threes) < 2 {
		return nil, false
	}
	// A three counts only if a lawful move makes it a straight four and no five in any
	// line at the same time. That is the costly question, so it is asked last.
	threes = threes[:0]
	for _, l := range lines {
		if row, ok := l.three(lawfulIn(b)); ok {
			threes = append(threes, row)
		}
	}
	if len(threes) < 2 {
		return nil, false
	}
	return &Refusal{Code: DoubleThree, Point: p, Color: Black, Rows: threes}, false
}

// BlackRows are the rows that a black stone on the empty point p makes by the rules of Renju: those of
// five and more, the fours, and the open threes that count.
func BlackRows(b Position, p Point) (long, fours, threes []Row) {
	b = b.Put(p, Black)
	for _, d := range directions {
		if run := d.run(b, p); run.Len() >= 5 {
			long = append(long, run)
		}
		l := d.through(b, p)
		fours = append(fours, l.fours()...)
		if row, ok := l.three(lawfulIn(b)); ok {
			threes = append(threes, row)
		}
	}
	return long, fours, threes
}

// lawfulIn reports of a point whether Black may play there and makes no five.
func lawfulIn(b Position) func(Point) bool {
	return func(q Point) bool {
		r, five := judge(b, q)
		return r == nil && !five
	}
}

// direction is one of the four directions of a row.
type direction struct{ dc, dr int }

var directions = [4]direction{{1, 0}, {0, 1}, {1, 1}, {1, -1}}

// step is the point n steps from p; ok is false off the board.
func (d direction) step(p Point, n int) (q Point, ok bool) {
	col, row := p.Col()+n*d.dc, p.Row()+n*d.dr
	if col < 0 || row < 0 || col > 14 || row > 14 {
		return NoPoint, false
	}
	return At(col, row), true
}

// run is the unbroken run of black stones through p.
func (d direction) run(b Position, p Point) Row {
	r := Row{p, p}
	for _, end := range []struct {
		p *Point
		n int
	}{{&r.From, -1}, {&r.To, 1}} {
		for {
			q, ok := d.step(*end.p, end.n)
			if !ok || b.At(q) != Black {
				break
			}
			*end.p = q
		}
	}
	return r
}

// span is how far a line looks to each side: far enough to tell whether a five through its
// point would be six.
const span = 5

// line is what lies on one line through a black stone: bit span+n is n steps from it.
// What lies off the board is neither black nor empty.
type line struct {
	direction
	p            Point
	black, empty uint16
}

func (d direction) through(b Position, p Point) line {
	l := line{direction: d, p: p, black: 1 << span}
	for n := -span; n <= span; n++ {
		q, ok := d.step(p, n)
		if !ok || n == 0 {
			continue
		}
		switch b.At(q) {
		case Black:
			l.black |= 1 << (span + n)
		case Empty:
			l.empty |= 1 << (span + n)
		}
	}
	return l
}

// run is the length of the unbroken run through the stone; more than five may be more
// than it says.
func (l line) run() int {
	up := bits.TrailingZeros16(^(l.black >> span))
	down := bits.LeadingZeros16(^(l.black << (15 - span)))
	return up + down - 1
}

// fours are the fours through the stone: sets of four stones that one more stone makes
// exactly five. A straight four is one four with two such points; two different sets in one
// line are two fours.
func (l line) fours() []Row {
	var rows []Row
	var last uint16
	for lo := uint(1); lo <= span; lo++ {
		five := uint16(0x1F) << lo
		missing := five &^ l.black
		beside := uint16(1)<<(lo-1) | 1<<(lo+5)
		if bits.OnesCount16(missing) != 1 || missing&l.empty == 0 || l.black&beside != 0 {
			continue
		}
		if four := five &^ missing; four != last {
			rows, last = append(rows, l.row(four)), four
		}
	}
	return rows
}

// three looks for a three through the stone: three stones that one more, on a point that
// lawful accepts, makes a straight four, which is four unbroken stones that a stone at
// either end makes exactly five. A line that holds a four through the stone holds no
// three: the fourth stone would lie where the straight four wants its room.
func (l line) three(lawful func(Point) bool) (Row, bool) {
	for lo := uint(2); lo <= span; lo++ {
		four := uint16(0xF) << lo
		missing := four &^ l.black
		ends := uint16(1)<<(lo-1) | 1<<(lo+4)
		beyond := uint16(1)<<(lo-2) | 1<<(lo+5)
		if bits.OnesCount16(missing) != 1 || missing&l.empty == 0 || l.empty&ends != ends || l.black&beyond != 0 {
			continue
		}
		if q, _ := l.step(l.p, bits.TrailingZeros16(missing)-span); lawful(q) {
			return l.row(four &^ missing), true
		}
	}
	return Row{}, false
}

// row is the run from the first to the last of the stones.
func (l line) row(stones uint16) Row {
	from, _ := l.step(l.p, bits.TrailingZeros16(stones)-span)
	to, _ := l.step(l.p, bits.Len16(stones)-1-span)
	return Row{from, to}
}
