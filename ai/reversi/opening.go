package reversi

import (
	"strings"

	"tengen/game"
)

// openingNames are common names of openings, by their moves with f5 first.
var openingNames = []struct{ moves, name string }{
	{"f5f6", "Diagonal"},
	{"f5f4", "Parallel"},
	{"f5d6", "Perpendicular"},
	{"f5f6e6f4g6", "Snake"},
	{"f5f6e6f4g5", "Heath"},
	{"f5f6e6f4g5d6", "Heath, Chimney"},
	{"f5f6e6f4g5e7e3", "Heath, Bat"},
	{"f5f6e6f4g4", "Raccoon Dog"},
	{"f5f6e6f4g3", "Hamilton"},
	{"f5f6e6f4e3", "Cow"},
	{"f5f6e6f4e3d6", "Chimney"},
	{"f5f6e6f4e3c5g5", "Cow, Bat"},
	{"f5f6e6f4e3c5c4", "Rose v. Toth"},
	{"f5f6e6f4e3c5c4e7", "Tanida"},
	{"f5f6e6f4c3", "Buffalo"},
	{"f5f6d3f4", "Wing"},
	{"f5f6c4f4", "Semi-Wing"},
	{"f5d6c5f4e3d3", "Mimura"},
	{"f5d6c5f4e3c6f3", "Shaman"},
	{"f5d6c5f4e3c6e6", "Inoue"},
	{"f5d6c5f4e3c6e6f6", "Iago"},
	{"f5d6c5f4e3c6d7", "Bhagat"},
	{"f5d6c5f4e3c6d3f6e6d7", "Rose"},
	{"f5d6c5f4e3c6d3f6e6d7g4", "Rose, Flat"},
	{"f5d6c5f4e3c6d3f6e6d7e7", "Rose, Greenberg"},
	{"f5d6c5f4e3c6d3f3", "Ralle"},
	{"f5d6c5f4d3", "Horse"},
	{"f5d6c4g5", "No-Cat"},
	{"f5d6c4g5c6", "Swallow"},
	{"f5d6c4d3e6", "Italian"},
	{"f5d6c4d3c5", "Cat"},
	{"f5d6c3g5", "Bent Ganglion"},
	{"f5d6c3d3c4", "Tiger"},
	{"f5d6c3d3c4f4f6", "Stephenson"},
	{"f5d6c3d3c4f4f6g5", "No-Kung"},
	{"f5d6c3d3c4f4f6f3", "Comp'Oth"},
	{"f5d6c3d3c4f4f6b4", "Kung"},
	{"f5d6c3d3c4f4e6", "Leader's Tiger"},
	{"f5d6c3d3c4f4e3", "Brightwell"},
	{"f5d6c3d3c4f4c5b3c2", "Tiger, main line"},
	{"f5d6c3d3c4b3", "Aubrey"},
}

// OpeningName is the name of the opening that moves, from the start of a game, begin
// with: the one with the most moves that fit, "" for none. The board may be turned.
func OpeningName(moves []game.Point) string {
	best, name := 0, ""
	for _, sym := range startSymmetries {
		var line strings.Builder
		for _, p := range moves[:min(len(moves), 20)] {
			if p == game.NoPoint || !p.On(8) {
				break
			}
			line.WriteString(strings.ToLower(pointOf(turnSquare(squareOf(p), sym)).String()))
		}
		for _, o := range openingNames {
			if len(o.moves) > best && strings.HasPrefix(line.String(), o.moves) {
				best, name = len(o.moves), o.name
			}
		}
	}
	return name
}
