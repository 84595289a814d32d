package game

// gomoku is five in a row: a row of five or more wins, or, exact, a row of just five.
type gomoku struct {
	size  int
	exact bool
}

// Name implements Rules.
func (r gomoku) Name() string {
	name := "gomoku"
	if r.exact {
		name = "standard"
	}
	if r.size == 9 {
		name += "9"
	}
	return name
}

// Size implements Rules.
func (r gomoku) Size() int { return r.size }

// TopDown implements Rules.
func (r gomoku) TopDown() bool { return false }

// Start implements Rules.
func (r gomoku) Start() Position { return Position{Size: r.size, Turn: Black} }

// Check implements Rules.
func (r gomoku) Check(b Position, p Point) error { return checkEmpty(b, p) }

// Play implements Rules.
func (r gomoku) Play(b Position, p Point) Position { return r.Settle(b.Put(p, b.Turn), b.Turn.Other()) }

// Settle implements Rules.
func (r gomoku) Settle(b Position, side Color) Position {
	b.Turn = side
	if r.Result(b).Over() {
		b.Turn = Empty
	}
	return b
}

// Result implements Rules.
func (r gomoku) Result(b Position) Result { return rowResult(b, r.exact, r.exact) }

// checkEmpty is what all games ask of a move: the game runs, the point is there and empty.
func checkEmpty(b Position, p Point) error {
	switch {
	case b.Turn == Empty:
		return &Refusal{Code: GameOver, Point: p}
	case !p.On(b.Size):
		return &Refusal{Code: OffBoard, Point: p, Number: int(b.Size)}
	case b.At(p) != Empty:
		return &Refusal{Code: Occupied, Point: p, Color: b.At(p)}
	}
	return nil
}

// rowResult judges rows first and the full board after them.
func rowResult(b Position, blackExact, whiteExact bool) Result {
	if line := lineSet(winningRows(b.Stones[0], blackExact)); !line.Empty() {
		return Result{Termination: ByRow, Winner: Black, Line: line}
	}
	if line := lineSet(winningRows(b.Stones[1], whiteExact)); !line.Empty() {
		return Result{Termination: ByRow, Winner: White, Line: line}
	}
	if b.full() {
		return Result{Termination: ByFullBoard}
	}
	return Result{}
}

// steps are the four directions of a row as differences of points. The sixteenth
// column is always empty, so that no run goes round the edge.
var steps = [4]int{1, 16, 17, 15}

// shift moves every point of s by n towards 0.
func (s Set) shift(n int) Set {
	word, bit := n/64, uint(n%64)
	var t Set
	for i := range s {
		if i+word < 4 {
			t[i] = s[i+word] >> bit
		}
		if bit > 0 && i+word+1 < 4 {
			t[i] |= s[i+word+1] << (64 - bit)
		}
	}
	return t
}

func (s Set) and(t Set) Set {
	for i := range s {
		s[i] &= t[i]
	}
	return s
}

// winningRows are the maximal runs in s of five stones, or of five or more.
func winningRows(s Set, exact bool) []Row {
	var rows []Row
	for _, d := range steps {
		pairs := s.and(s.shift(d))
		fours := pairs.and(pairs.shift(2 * d))
		if fours.Empty() { // as nearly always: the replay of a game judges each of its positions
			continue
		}
		for p := range fours.and(s.shift(4 * d)).All() {
			if before := int(p) - d; before >= 0 && s.Has(Point(before)) {
				continue // not the first stone of its run
			}
			last := p + Point(4*d)
			for next := int(last) + d; next < 256 && s.Has(Point(next)); next += d {
				last = Point(next)
			}
			if r := (Row{p, last}); !exact || r.Len() == 5 {
				rows = append(rows, r)
			}
		}
	}
	return rows
}

// Len is the number of points from one end of the row to the other.
func (r Row) Len() int {
	return 1 + max(abs(r.To.Col()-r.From.Col()), abs(r.To.Row()-r.From.Row()))
}

// Points are the points of the row from one end to the other.
func (r Row) Points() []Point {
	n := r.Len()
	ps := make([]Point, n)
	for i := range ps {
		ps[i] = At(r.From.Col()+i*sign(r.To.Col()-r.From.Col()), r.From.Row()+i*sign(r.To.Row()-r.From.Row()))
	}
	return ps
}

func lineSet(rows []Row) Set {
	var s Set
	for _, r := range rows {
		for _, p := range r.Points() {
			s = s.With(p)
		}
	}
	return s
}

func abs(n int) int { return max(n, -n) }

func sign(n int) int { return min(1, max(-1, n)) }
