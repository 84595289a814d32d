package game

// reversi is Reversi (Othello) on 8x8. A side that cannot move passes by itself: the
// turn simply stays with the other.
type reversi struct{}

func (reversi) Name() string  { return "reversi" }
func (reversi) Size() int     { return 8 }
func (reversi) TopDown() bool { return true }

func (reversi) Start() Position {
	b := Position{Size: 8, Turn: Black}
	b = b.Put(At(3, 3), White).Put(At(4, 4), White) // d4 e5
	return b.Put(At(4, 3), Black).Put(At(3, 4), Black)
}

func (reversi) Check(b Position, p Point) error {
	if err := checkEmpty(b, p); err != nil {
		return err
	}
	if turned(b, p, b.Turn).Empty() {
		return &Refusal{Code: NoFlip, Point: p, Color: b.Turn}
	}
	return nil
}

func (r reversi) Play(b Position, p Point) Position {
	side := b.Turn
	b.turn(turned(b, p, side).With(p), side)
	return r.Settle(b, side.Other())
}

// turn gives the points of s to side.
func (b *Position) turn(s Set, side Color) {
	mine, theirs := &b.Stones[side-Black], &b.Stones[side.Other()-Black]
	for i, w := range s {
		mine[i] |= w
		theirs[i] &^= w
	}
}

func (reversi) Settle(b Position, side Color) Position {
	switch {
	case canTurn(b, side):
		b.Turn = side
	case canTurn(b, side.Other()):
		b.Turn = side.Other()
	default:
		b.Turn = Empty
	}
	return b
}

func (reversi) Result(b Position) Result {
	if canTurn(b, Black) || canTurn(b, White) {
		return Result{}
	}
	r := Result{Termination: ByCount}
	switch black, white := b.Count(Black), b.Count(White); {
	case black > white:
		r.Winner = Black
	case white > black:
		r.Winner = White
	}
	return r
}

func canTurn(b Position, side Color) bool {
	for _, p := range b.Points() {
		if b.At(p) == Empty && !turned(b, p, side).Empty() {
			return true
		}
	}
	return false
}

// turned are the discs that side turns by playing p.
func turned(b Position, p Point, side Color) Set {
	var all Set
	for dc := -1; dc <= 1; dc++ {
		for dr := -1; dr <= 1; dr++ {
			if dc == 0 && dr == 0 {
				continue
			}
			var run Set
			col, row := p.Col()+dc, p.Row()+dr
			for inside(col, row) && b.At(At(col, row)) == side.Other() {
				run = run.With(At(col, row))
				col, row = col+dc, row+dr
			}
			if inside(col, row) && b.At(At(col, row)) == side {
				all = all.Or(run)
			}
		}
	}
	return all
}

func inside(col, row int) bool { return col >= 0 && row >= 0 && col < 8 && row < 8 }

// Score is the count of discs at the end: empties go to the winner.
func Score(b Position) (black, white int) {
	black, white = b.Count(Black), b.Count(White)
	if b.Turn == Empty {
		empty := b.Size*b.Size - black - white
		switch {
		case black > white:
			black += empty
		case white > black:
			white += empty
		}
	}
	return black, white
}
