package render

import (
	"math"
	"strconv"

	"tengen/game"
)

// brush puts things on a board: a raster for pictures, a canvas for the true colours with
// which tests compare them.
type brush interface {
	// draw puts st down with its top left corner at x, y; a mask takes the ink.
	draw(st *sprite, k inkNo, x, y int)
	// dot puts down one pixel of an ink.
	dot(k inkNo, x, y int, cover uint8)
}

// paint puts everything on the empty board, from below to above.
func paint(b brush, k *kit, g game.Game, o Options) { paintAfter(b, k, before(g), g, o) }

// before is g before its last move; only Reversi needs it, for the discs that the move
// turned, and it costs a replay.
func before(g game.Game) game.Position {
	if g.Rules() != game.Reversi {
		return game.Position{}
	}
	return g.Undo(1).Position()
}

// paintAfter is paint for a caller that knows the board before the last move.
func paintAfter(b brush, k *kit, before game.Position, g game.Game, o Options) {
	p := painter{b, k}
	now := g.Position()
	for _, f := range o.Frames {
		p.corners(f)
	}
	rows := g.Rows()
	p.shadows(now)
	if o.Numbers != 0 {
		for _, r := range rows {
			p.join(r) // below the pieces, so that numbers stay clear
		}
	}
	p.pieces(g, now, turned(before, now), o.Numbers)
	if o.Numbers == 0 && g.Len() > 0 && !g.Result().Line.Has(g.Last()) {
		p.last(now, g.Last())
	}
	if o.Forbidden {
		for _, r := range g.Forbidden() {
			p.mark(&k.cross, inkForbid, r.Point)
		}
	}
	if o.Legal && now.Size == 8 {
		ink := inkLegalBlack + 2*inkNo(now.Turn-game.Black)
		for at := range g.Legal().All() {
			p.mark(&k.ring, ink, at)
		}
	}
	for _, r := range rows {
		for _, at := range r.Points() {
			p.mark(&k.winRing, inkWin, at)
		}
		if o.Numbers == 0 {
			p.join(r)
		}
	}
	for _, m := range o.Marks {
		if m.Ghost {
			p.ghostly(g.Turn(), m)
		} else {
			p.candidate(m)
		}
	}
}

type painter struct {
	brush
	*kit
}

// put centres a sprite on a point.
func (p painter) put(st *sprite, k inkNo, at game.Point) {
	x, y := p.lay.xy(at)
	p.draw(st, k, (x-st.w)>>1, (y-st.h)>>1)
}

// mark puts down a casing and the mark inside it. The casing's ink follows the mark's.
func (p painter) mark(s *[2]sprite, k inkNo, at game.Point) {
	if p.colours[k] != p.colours[k+1] {
		p.put(&s[0], k+1, at)
	}
	p.put(&s[1], k, at)
}

// shadows are put down before all pieces, so that none falls on a piece.
func (p painter) shadows(now game.Position) {
	if p.theme.shadow == 0 {
		return
	}
	for at := range now.Stones[0].Or(now.Stones[1]).All() {
		p.put(&p.shadow, inkShadow, at)
	}
}

// turned are the discs that changed sides.
func turned(before, now game.Position) game.Set {
	var s game.Set
	for at := range now.Stones[0].Or(now.Stones[1]).All() {
		if was := before.At(at); was != game.Empty && was != now.At(at) {
			s = s.With(at)
		}
	}
	return s
}

// pieces puts down all pieces, then the last n numbers. A disc that the last move turned
// has a dot, or its number in the colour of the last move.
func (p painter) pieces(g game.Game, now game.Position, turned game.Set, n int) {
	all := now.Stones[0].Or(now.Stones[1])
	var numbered game.Set
	var moves []game.Point
	if n > 0 {
		moves = g.Moves()
		for _, at := range moves[max(0, len(moves)-n):] {
			numbered = numbered.With(at)
		}
	}
	for at := range all.All() {
		side := now.At(at) - game.Black
		if numbered.Has(at) {
			p.put(&p.numbered[side], 0, at)
		} else {
			p.put(&p.piece[side], 0, at)
			if turned.Has(at) {
				p.put(&p.flipped, inkLastBlack+inkNo(side), at)
			}
		}
	}
	for i := max(0, len(moves)-n); i < len(moves); i++ {
		side := inkNo(now.At(moves[i]) - game.Black)
		ink := inkNumberBlack + side
		if turned.Has(moves[i]) {
			ink = inkLastBlack + side
		}
		if i == len(moves)-1 {
			ink = inkLastBlack + side
			p.put(&p.rim, ink, moves[i])
		}
		var digits [4]byte
		p.text(strconv.AppendInt(digits[:0], int64(i+1), 10), ink, moves[i], p.room(1.6))
	}
}

func (p painter) last(now game.Position, at game.Point) {
	p.put(&p.kit.last, inkLastBlack+inkNo(now.At(at)-game.Black), at)
}

// join draws a line along a winning row.
func (p painter) join(r game.Row) {
	u := float64(p.lay.cell)
	x0, y0 := p.lay.xy(r.From)
	x1, y1 := p.lay.xy(r.To)
	p.line(x0, y0, x1, y1, .105*u, inkWinCase)
	p.line(x0, y0, x1, y1, .06*u, inkWin)
}

// ghostly puts down a piece that is not played yet. Nothing is drawn after the end, when nobody is to
// move.
func (p painter) ghostly(turn game.Color, m Mark) {
	if turn == game.Empty {
		return
	}
	side := inkNo(turn - game.Black)
	p.put(&p.ghost[side], inkBlackFace+side, m.At)
	p.mark(&p.ghostRing, inkFrame, m.At)
	p.text([]byte(m.Text), inkNumberBlack+side, m.At, p.room(1.56))
}

func (p painter) candidate(m Mark) {
	switch {
	case m.Text == "":
		p.mark(&p.hint, inkHint, m.At)
		return
	case m.Best:
		p.put(&p.badge[0], inkHintCase, m.At)
		p.put(&p.badge[1], inkHint, m.At)
	default:
		p.put(&p.badge[0], inkHintCase, m.At)
		p.put(&p.badge[1], inkHint, m.At)
		p.put(&p.badge[2], inkHintCase, m.At)
	}
	ink := inkHint
	if m.Best {
		ink = inkHintCase
	}
	p.text([]byte(m.Text), ink, m.At, p.room(1.56))
}

// room is how wide text on a piece or a mark may be, in radii of a piece.
func (p painter) room(radii float64) int { return int(radii * p.lay.radius()) }

// text centres letters on a point, as large as the room across allows.
func (p painter) text(s []byte, k inkNo, at game.Point, room int) {
	font, w := p.fonts[0], p.fonts[0].width(s)
	for _, smaller := range p.fonts[1:] {
		if w <= room {
			break
		}
		font, w = smaller, smaller.width(s)
	}
	x, y := p.lay.xy(at)
	pen, base := (x-w)>>1, (y+font.height)>>1
	for _, c := range s {
		g := font.of(c)
		p.draw(&g.sprite, k, pen+g.x, base+g.y)
		pen += g.advance
	}
}

// corners frames a part of the board, by its corners or by a line all round.
func (p painter) corners(f Frame) {
	x0, y0 := p.lay.xy(f.From)
	x1, y1 := p.lay.xy(f.To)
	x0, x1 = min(x0, x1)-p.lay.cell, max(x0, x1)+p.lay.cell
	y0, y1 = min(y0, y1)-p.lay.cell, max(y0, y1)+p.lay.cell
	u := float64(p.lay.cell)
	across, up := 2*p.lay.cell/3, 2*p.lay.cell/3
	if f.Closed {
		across, up = (x1-x0+1)/2, (y1-y0+1)/2
	}
	for i, w := range []float64{.075 * u, .04 * u} {
		ink := inkFrameCase - inkNo(i)
		for _, c := range [4][4]int{{x0, y0, 1, 1}, {x1, y0, -1, 1}, {x0, y1, 1, -1}, {x1, y1, -1, -1}} {
			p.line(c[0], c[1], c[0]+c[2]*across, c[1], w, ink)
			p.line(c[0], c[1], c[0], c[1]+c[3]*up, w, ink)
		}
	}
}

// line draws a line with round ends, of half width r, between places in half pixels.
func (p painter) line(x0, y0, x1, y1 int, r float64, k inkNo) {
	ax, ay, bx, by := float64(x0)/2, float64(y0)/2, float64(x1)/2, float64(y1)/2
	dx, dy := bx-ax, by-ay
	square := dx*dx + dy*dy
	reach := (r + .5) * (r + .5)
	for y := int(min(ay, by) - r - 1); y <= int(max(ay, by)+r+1); y++ {
		v := float64(y) + .5 - ay
		from, to := min(ax, bx)-r-1, max(ax, bx)+r+1
		if dy != 0 { // no need to look farther than r and a little from the line
			middle, half := ax+v*dx/dy, (r+1)*math.Sqrt(square)/math.Abs(dy)
			from, to = max(from, middle-half), min(to, middle+half)
		}
		for x := int(from); x <= int(to); x++ {
			u := float64(x) + .5 - ax
			t := max(0, min(1, (u*dx+v*dy)/square))
			du, dv := u-t*dx, v-t*dy
			far := du*du + dv*dv
			if far >= reach {
				continue
			}
			if cover := level(min(1, r+.5-math.Sqrt(far))); cover > 0 {
				p.dot(k, x, y, cover)
			}
		}
	}
}

// paintSample puts on a board whatever may stand on one, so that the palette has the
// colours for it.
func (k *kit) paintSample(b brush) {
	p := painter{b, k}
	n := k.lay.n
	var now game.Position
	at := func(i int) game.Point { return game.At(i%n, i/n) }
	for i := range n * n / 2 {
		if i/n%2 == 0 || i%3 == 0 {
			now = now.Put(at(i), game.Black+game.Color(i%2))
		}
	}
	p.shadows(now)
	all := now.Stones[0].Or(now.Stones[1])
	i := 0
	for at := range all.All() {
		side := inkNo(now.At(at) - game.Black)
		switch p.put(&p.piece[side], 0, at); {
		case i%11 == 0:
			p.last(now, at)
		case i%11 == 1:
			p.mark(&p.winRing, inkWin, at)
		case i%3 == 0:
			p.put(&p.numbered[side], 0, at)
			p.text([]byte("28"), inkNumberBlack+side, at, p.lay.cell)
		}
		i++
	}
	for i := n * n / 2; i < n*n; i++ {
		switch i % 11 {
		case 0:
			p.mark(&p.cross, inkForbid, at(i))
		case 2:
			p.mark(&p.ring, inkLegalBlack, at(i))
		case 4:
			p.mark(&p.ring, inkLegalWhite, at(i))
		case 6:
			p.candidate(Mark{At: at(i), Text: "28", Best: i%2 == 0})
		case 8:
			p.candidate(Mark{At: at(i)})
		}
	}
}
