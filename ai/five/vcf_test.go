package five

import (
	"math/rand/v2"
	"testing"

	"tengen/game"
)

// A plain four of white snares black just where the point that answers it has a forbidden shape.
func TestSnares(t *testing.T) {
	rnd := rand.New(rand.NewPCG(25, 1))
	var b board
	seen := map[bool]int{}
	for range 5000 {
		b.reset(shapeOf(renju, 15))
		b.play(uint8(game.At(7, 7)))
		for n := 20 + rnd.IntN(60); b.ply < n || b.turn == black; {
			near := pointSet{}
			for i := range near {
				near[i] = b.near[i] & b.empty[i]
			}
			p := uint8(near.Points()[rnd.IntN(near.Len())])
			if b.turn == white || !b.forbidden(p) {
				b.play(p)
			}
		}
		if b.count[white][winFive] > 0 {
			continue
		}
		before, some := b.cells, false
		for p := range b.four[white].All() {
			if b.class(uint8(p), white) != fourMove {
				continue
			}
			got := b.snares(uint8(p))
			b.play(uint8(p))
			q := first(&b.five[white])
			b.back()
			want := before[q].code[black]>>12 == foul
			if got != want {
				t.Errorf("four on %s, answer on %s: %v", p, game.Point(q), got)
			}
			seen[want]++
			some = some || want
		}
		if b.snared(white) != some {
			t.Errorf("snared is %v", !some)
		}
	}
	if seen[true] < 50 || seen[false] < 500 {
		t.Errorf("too few fours: %v", seen)
	}
}
