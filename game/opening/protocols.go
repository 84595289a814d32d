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

// The kinds of steps, by short names.
const (
	place   = game.AskPlace
	swap    = game.AskSwap
	choose  = game.AskChoose
	declare = game.AskDeclare
	offer   = game.AskOffer
	pick    = game.AskSelect
)

// The beginnings that several protocols share. The colors of the stones always take turns,
// black first.
var (
	threeAnywhere = []step{{asks: place, by: opener}, {asks: place, by: opener}, {asks: place, by: opener}}
	// threeInside are the 26 openings of Renju.
	threeInside = []step{{asks: place, by: opener, area: 1}, {asks: place, by: opener, area: 3},
		{asks: place, by: opener, area: 5}}
	threeSwapped = []step{
		{asks: place, by: black, area: 1}, {asks: swap, by: white},
		{asks: place, by: white, area: 3}, {asks: swap, by: black},
		{asks: place, by: black, area: 5}, {asks: swap, by: white},
	}
)

// eitherColor are the ways that end an opening by taking a color.
var eitherColor = []way{{word: game.TakeWhite}, {word: game.TakeBlack}}

// definition is a protocol: its name, how it begins, and how it goes on.
type definition struct {
	name        string
	first, then []step
}

// protocols are the definitions by number, the first protocol being 1.
var protocols = [...]definition{
	{"swap", threeAnywhere, []step{{asks: swap, by: second}}},
	{"swap2", threeAnywhere, []step{{asks: choose, by: second, ways: []way{
		{word: game.TakeWhite},
		{word: game.TakeBlack},
		{word: game.PlaceTwo, then: []step{
			{asks: place, by: second}, {asks: place, by: second}, {asks: choose, by: opener, ways: eitherColor},
		}},
	}}}},
	{"pro", nil, []step{{asks: place, by: black, area: 1}, {asks: place, by: white}, {asks: place, by: black, area: -5}}},
	{"longpro", nil, []step{{asks: place, by: black, area: 1}, {asks: place, by: white}, {asks: place, by: black, area: -7}}},
	{"rif", threeInside, []step{
		{asks: swap, by: second}, {asks: place, by: white},
		{asks: offer, by: black, number: 2}, {asks: pick, by: white},
	}},
	{"yamaguchi", threeInside, []step{
		{asks: declare, by: opener, number: 12}, {asks: swap, by: second}, {asks: place, by: white},
		{asks: offer, by: black}, {asks: pick, by: white},
	}},
	{"soosyrv8", threeInside, []step{
		{asks: swap, by: second}, {asks: place, by: white},
		{asks: declare, by: white, number: 8}, {asks: swap, by: black},
		{asks: offer, by: black}, {asks: pick, by: white},
	}},
	{"tarannikov", threeSwapped, []step{
		{asks: place, by: white, area: 7}, {asks: swap, by: black},
		{asks: place, by: black, area: 9}, {asks: swap, by: white},
	}},
	{"taraguchi10", threeSwapped, []step{
		{asks: place, by: white, area: 7}, {asks: choose, by: black, ways: []way{
			{word: game.OneFifth, then: []step{
				{asks: swap, by: black}, {asks: place, by: black, area: 9}, {asks: swap, by: white},
			}},
			{word: game.TenFifths, then: []step{{asks: offer, by: black, number: 10}, {asks: pick, by: white}}},
		}},
	}},
}
