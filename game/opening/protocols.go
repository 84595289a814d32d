package opening

import "tengen/game"

// step is one question of a protocol.
type step struct {
	asks   game.Asked
	by     role
	area   area  // of a stone
	number int   // the most that may be declared, or how many points are offered; 0: as many as declared
	ways   []way // of a choice
}

// way is one answer to a choice and the steps that follow it.
type way struct {
	word game.Decision
	then []step
}

// role is who answers: one of the two persons, or whoever holds a color at that moment.
type role uint8

const (
	opener role = iota // who opens
	second             // the other
	black              // who holds black
	white              // who holds white
)

// person is who has the role now.
func (s State) person(r role) int {
	switch r {
	case opener, second:
		return int(r)
	case black:
		return s.Black
	}
	return 1 - s.Black
}

// area is where a stone may go: within a square of so many points round the centre, outside
// the square of minus so many, or, zero, anywhere.
type area int

const anywhere area = 0

func (a area) has(p game.Point) bool {
	const centre = Size / 2
	away := max(abs(p.Col()-centre), abs(p.Row()-centre))
	switch {
	case a == anywhere:
		return true
	case a < 0:
		return away > int(-a)/2
	}
	return away <= int(a)/2
}

// points are the points of the area on the board.
func (a area) points() game.Set {
	var s game.Set
	for row := range Size {
		for col := range Size {
			if p := game.At(col, row); a.has(p) {
				s = s.With(p)
			}
		}
	}
	return s
}

func abs(n int) int { return max(n, -n) }

func place(by role, in area) []step { return []step{{asks: game.AskPlace, by: by, area: in}} }
func swap(by role) []step           { return []step{{asks: game.AskSwap, by: by}} }
func choose(by role, ways ...way) []step {
	return []step{{asks: game.AskChoose, by: by, ways: ways}}
}
func declare(by role, most int) []step {
	return []step{{asks: game.AskDeclare, by: by, number: most}}
}

// fifths are so many offers by Black, or, zero, as many as were declared, and White's selection.
func fifths(number int) []step {
	return []step{{asks: game.AskOffer, by: black, number: number}, {asks: game.AskSelect, by: white}}
}

func steps(parts ...[]step) []step {
	var all []step
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// The beginnings that several protocols share. The colors of the stones always take turns,
// black first.
var (
	threeAnywhere = steps(place(opener, anywhere), place(opener, anywhere), place(opener, anywhere))
	threeInside   = steps(place(opener, 1), place(opener, 3), place(opener, 5)) // the 26 openings
	threeSwapped  = steps(place(black, 1), swap(white), place(white, 3), swap(black), place(black, 5), swap(white))
)

// definition is a protocol: its name and its steps.
type definition struct {
	name  string
	steps []step
}

// protocols are the definitions by number, the first protocol being 1.
var protocols = [...]definition{
	{"swap", steps(threeAnywhere, swap(second))},
	{"swap2", steps(threeAnywhere, choose(second,
		way{game.TakeWhite, nil},
		way{game.TakeBlack, nil},
		way{game.PlaceTwo, steps(place(second, anywhere), place(second, anywhere),
			choose(opener, way{game.TakeWhite, nil}, way{game.TakeBlack, nil}))}))},
	{"pro", steps(place(black, 1), place(white, anywhere), place(black, -5))},
	{"longpro", steps(place(black, 1), place(white, anywhere), place(black, -7))},
	{"rif", steps(threeInside, swap(second), place(white, anywhere), fifths(2))},
	{"yamaguchi", steps(threeInside, declare(opener, 12), swap(second), place(white, anywhere), fifths(0))},
	{"soosyrv8", steps(threeInside, swap(second), place(white, anywhere), declare(white, 8), swap(black), fifths(0))},
	{"tarannikov", steps(threeSwapped, place(white, 7), swap(black), place(black, 9), swap(white))},
	{"taraguchi10", steps(threeSwapped, place(white, 7), choose(black,
		way{game.OneFifth, steps(swap(black), place(black, 9), swap(white))},
		way{game.TenFifths, fifths(10)}))},
}
