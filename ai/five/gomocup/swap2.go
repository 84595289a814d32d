package gomocup

import (
	"fmt"
	"strings"

	"tengen/ai/five"
	"tengen/game"
)

// swap2 answers the three questions of the opening protocol Swap2: put three stones;
// choose a colour or put two more; choose a colour.
func (s *session) swap2() {
	switch len(s.stones) {
	case 0:
		r, _ := s.rules()
		opening := five.Balanced(r, s.seed)
		if len(opening) < 3 {
			c := s.size / 2
			opening = []game.Point{game.At(c, c), game.At(c-1, c+2), game.At(c+3, c-2)}
		}
		var text []string
		for _, p := range opening[:3] {
			text = append(text, fmt.Sprintf("%d,%d", p.Col(), p.Row()))
		}
		s.say("%s", strings.Join(text, " "))
	case 3, 5:
		g, err := s.asPlaced()
		if err != nil {
			s.say("ERROR %v", err)
			return
		}
		r, err := s.think(g)
		if err != nil {
			s.say("ERROR %v", err)
			return
		}
		// White is to move after three stones and after five: the engine takes white
		// unless black, who then needs not move, stands better.
		if r.Score < 0 {
			s.say("SWAP")
			return
		}
		s.say("%d,%d", r.Move.Col(), r.Move.Row())
	default:
		s.say("ERROR swap2 asks with 0, 3 or 5 stones")
	}
}

// asPlaced is the opening with its stones in turn, black first, whoever put them.
func (s *session) asPlaced() (game.Game, error) {
	r, ok := s.rules()
	if !ok {
		return game.Game{}, fmt.Errorf("renju is played on 15x15")
	}
	pos := game.Position{Size: s.size}
	for i, st := range s.stones {
		pos = pos.Put(st.p, []game.Color{game.Black, game.White}[i%2])
	}
	return game.From(r, pos, game.White)
}
