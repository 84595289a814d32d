package render

import (
	"fmt"
	"strings"

	"tengen/game"
)

// Text draws the board with plain characters for a fixed-width font: X is black, O is
// white, brackets hold the last move. Of the options it heeds Turned, Forbidden (!),
// Legal (*) and Marks (?), which zero leaves out.
func Text(g game.Game, o Options) string {
	now := g.Position()
	n := now.Size
	signs := signsOf(g, o)
	cols, rows := order(n, false), order(n, !g.Rules().TopDown())
	if o.Turned {
		cols, rows = order(n, true), order(n, g.Rules().TopDown())
	}
	var s strings.Builder
	letters := "  "
	for _, col := range cols {
		letters += " " + string(rune('A'+col))
	}
	s.WriteString(letters + "\n")
	for _, row := range rows {
		fmt.Fprintf(&s, "%2d", row+1)
		open := byte(' ')
		for _, col := range cols {
			p := game.At(col, row)
			if p == g.Last() {
				open = '('
			}
			s.WriteByte(open)
			open = ' '
			if p == g.Last() {
				open = ')'
			}
			c := ".XO"[now.At(p)]
			if sign, ok := signs[p]; ok {
				c = sign
			}
			s.WriteByte(c)
		}
		fmt.Fprintf(&s, "%c%d\n", open, row+1)
	}
	s.WriteString(letters + "\n")
	return s.String()
}

// order is 0 to n-1, or backwards.
func order(n int, backwards bool) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
		if backwards {
			s[i] = n - 1 - i
		}
	}
	return s
}

// signsOf are the signs of the empty points that o marks.
func signsOf(g game.Game, o Options) map[game.Point]byte {
	signs := map[game.Point]byte{}
	if o.Forbidden {
		for _, r := range g.Forbidden() {
			signs[r.Point] = '!'
		}
	}
	if o.Legal && g.Rules() == game.Reversi {
		for p := range g.Legal().All() {
			signs[p] = '*'
		}
	}
	for _, m := range o.Marks {
		if g.Position().At(m.At) == game.Empty {
			signs[m.At] = '?'
		}
	}
	return signs
}
