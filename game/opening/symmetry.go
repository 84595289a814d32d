package opening

import "tengen/game"

// isometry maps the grid without end onto itself: (x, y) to (xx*x+xy*y+x0, yx*x+yy*y+y0).
type isometry struct{ xx, xy, yx, yy, x0, y0 int }

func (g isometry) of(x, y int) (int, int) { return g.xx*x + g.xy*y + g.x0, g.yx*x + g.yy*y + g.y0 }

// turnings are the eight turns and mirrorings of a grid about its origin.
var turnings = [8]isometry{
	{xx: 1, yy: 1}, {xx: -1, yy: 1}, {xx: 1, yy: -1}, {xx: -1, yy: -1},
	{xy: 1, yx: 1}, {xy: -1, yx: 1}, {xy: 1, yx: -1}, {xy: -1, yx: -1},
}

// symmetries are all isometries that map the black stones of b onto the black ones and the
// white stones onto the white ones. The board's edge plays no part. An isometry keeps the
// sum of the points of all stones, which leaves each turning one shift.
func symmetries(b game.Position) []isometry {
	n, sx, sy := 0, 0, 0
	for p := range b.Stones[0].Or(b.Stones[1]).All() {
		n, sx, sy = n+1, sx+p.Col(), sy+p.Row()
	}
	if n == 0 {
		return nil
	}
	var kept []isometry
	for _, g := range turnings {
		tx, ty := g.of(sx, sy)
		g.x0, g.y0 = (sx-tx)/n, (sy-ty)/n // where it is no whole number, g keeps no stones
		if g.keeps(b.Stones[0]) && g.keeps(b.Stones[1]) {
			kept = append(kept, g)
		}
	}
	return kept
}

// at is where g maps p; ok is false off the board.
func (g isometry) at(p game.Point) (q game.Point, ok bool) {
	x, y := g.of(p.Col(), p.Row())
	if x < 0 || y < 0 || x >= Size || y >= Size {
		return game.NoPoint, false
	}
	return game.At(x, y), true
}

// keeps reports whether g maps the stones onto themselves.
func (g isometry) keeps(stones game.Set) bool {
	for p := range stones.All() {
		if q, ok := g.at(p); !ok || !stones.Has(q) {
			return false
		}
	}
	return true
}

// alike are the points offered already and those symmetric to one of them: neither may be
// offered.
func (s State) alike() game.Set {
	var all game.Set
	for _, g := range symmetries(s.Position) {
		for _, p := range s.Offered {
			if q, ok := g.at(p); ok {
				all = all.With(q)
			}
		}
	}
	return all
}

// partners are the offered points that p is symmetric to.
func (s State) partners(p game.Point) []game.Point {
	var found []game.Point
	for _, g := range symmetries(s.Position) {
		for _, q := range s.Offered {
			if r, ok := g.at(q); ok && r == p {
				found = append(found, q)
			}
		}
	}
	return found
}
