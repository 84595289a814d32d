package render

import (
	"math"

	"github.com/fogleman/gg"
)

// shade is the colour of a piece at u, v, where the piece is the circle of radius 1.
// ok is false off the piece.
type shade func(u, v float64) (c vec, ok bool)

// vec is a colour or a direction.
type vec struct{ x, y, z float64 }

func (a vec) dot(b vec) float64       { return a.x*b.x + a.y*b.y + a.z*b.z }
func (a vec) times(f float64) vec     { return vec{a.x * f, a.y * f, a.z * f} }
func (a vec) plus(b vec) vec          { return vec{a.x + b.x, a.y + b.y, a.z + b.z} }
func (a vec) unit() vec               { return a.times(1 / math.Sqrt(a.dot(a))) }
func (a vec) to(b vec, t float64) vec { return a.plus(b.plus(a.times(-1)).times(t)) }

func (c rgb) vec() vec { return vec{float64(c.r()), float64(c.g()), float64(c.b())} }

func (a vec) rgb() rgb {
	f := func(v float64) uint8 { return uint8(max(0, min(255, v+.5))) }
	return rgbOf(f(a.x), f(a.y), f(a.z))
}

func smooth(from, to, v float64) float64 {
	t := max(0, min(1, (v-from)/(to-from)))
	return t * t * (3 - 2*t)
}

// The light falls from above and the left; half is half-way to the eye.
var (
	light  = vec{-.42, -.58, .70}.unit()
	half   = light.plus(vec{0, 0, 1}).unit()
	bounce = vec{.5, .66, .35}.unit()
)

// lit is the colour of a coat where its surface faces n.
func (k coat) lit(n vec, u, v float64) vec {
	d := n.dot(light)
	c := k.dark.vec().to(k.light.vec(), smooth(.1, .9, d))
	if k.grain > 0 { // growth lines of the shell, bent a little
		w := u*.94 + v*.34 + .16*(u*.34-v*.94)*(u*.34-v*.94)
		line := math.Pow(.5+.5*math.Sin(w*26), 2)
		c = c.times(1 - k.grain*line*smooth(1, .6, u*u+v*v))
	}
	if k.gloss > 0 {
		shine := k.gloss*math.Pow(max(0, n.dot(half)), 34) + .16*k.gloss*math.Pow(max(0, n.dot(bounce)), 9)
		c = c.plus(vec{shine, shine, shine * 1.03})
	}
	return c
}

// lens is a stone that bulges like a lens.
func (k coat) lens(u, v float64) (vec, bool) {
	const bulge = .86
	r2 := u*u + v*v
	if r2 > 1 {
		return vec{}, false
	}
	n := vec{bulge * u, bulge * v, math.Sqrt(1 - bulge*bulge*r2)}
	c := k.lit(n, u, v)
	return c.to(k.rim.vec(), smooth(1-2*k.rimWidth, 1-.3*k.rimWidth, math.Sqrt(r2))), true
}

// disc is a flat disc with rounded edges that shows a rim of its other side below.
func (k coat) disc(under coat) shade {
	return func(u, v float64) (vec, bool) {
		const r, dx, dy = .972, .018, .04
		x, y := (u+dx)/r, (v+dy)/r
		d := math.Sqrt(x*x + y*y)
		if d > 1 {
			x, y = (u-dx*.6)/r, (v-dy*.6)/r
			if x*x+y*y > 1 {
				return vec{}, false
			}
			return under.dark.vec().to(under.light.vec(), .2), true
		}
		slope := .8 * smooth(.7, 1.02, d)
		n := vec{.16*x + slope*x, .16*y + slope*y, 1}.unit()
		c := k.lit(n, 0, 0)
		if k.gloss > 0 { // a polished flat throws its light elsewhere
			c = c.to(k.dark.vec(), .35)
		}
		return c.to(k.rim.vec(), .55*smooth(1-2*k.rimWidth, 1, d)), true
	}
}

// flat is a counter of one colour with a rim.
func (k coat) flat(u, v float64) (vec, bool) {
	r := math.Sqrt(u*u + v*v)
	if r > 1 {
		return vec{}, false
	}
	if r > 1-k.rimWidth {
		return k.rim.vec(), true
	}
	return k.light.vec(), true
}

// shadeSprite is a piece of radius r, sampled 8x8 in each pixel near its edge and 2x2
// within.
func shadeSprite(l layout, r float64, f shade) sprite {
	w := l.box(2*r + 1)
	s := sprite{w: w, h: w, cover: make([]uint8, w*w), art: make([]rgb, w*w)}
	middle := float64(w) / 2
	for i := range s.art {
		x, y := float64(i%w), float64(i/w)
		sub := 8
		if math.Hypot(x+.5-middle, y+.5-middle) < .86*r-1 {
			sub = 2
		}
		var sum vec
		in := 0.
		for j := range sub * sub {
			u := (x + (float64(j%sub)+.5)/float64(sub) - middle) / r
			v := (y + (float64(j/sub)+.5)/float64(sub) - middle) / r
			if c, ok := f(u, v); ok {
				sum, in = sum.plus(c), in+1
			}
		}
		if in > 0 {
			s.cover[i] = level(in / float64(sub*sub))
			s.art[i] = sum.times(1 / in).rgb()
		}
	}
	s.span()
	return s
}

// pieces are the black and the white piece, each as it stands and as it stands under
// a number.
func pieces(t *theme, l layout) (plain, numbered [2]sprite) {
	r := l.radius()
	for i, k := range []coat{t.black, t.white} {
		other := []coat{t.white, t.black}[i]
		switch {
		case t.piece == nought:
			plain[i] = pen(l, i == 0, k.light)
			numbered[i] = pen(l, i == 0, k.rim)
			continue
		case t.piece == stone && l.n == 8:
			plain[i] = shadeSprite(l, r, k.disc(other))
		case t.piece == stone:
			plain[i] = shadeSprite(l, r, k.lens)
		default:
			plain[i] = shadeSprite(l, r, k.flat)
		}
		numbered[i] = plain[i]
	}
	return plain, numbered
}

// ghosts are masks of the black and the white piece that let the board shine through.
func ghosts(piece [2]sprite) (masks [2]sprite) {
	const dense = 140
	for i, s := range piece {
		masks[i] = newMask(s.w, s.h, func(x, y int) uint8 { return s.cover[y*s.w+x] * (dense / (levels - 1)) })
	}
	return masks
}

// pen writes an X or an O.
func pen(l layout, x bool, c rgb) sprite {
	u := float64(l.cell)
	return drawArt(l, u, func(dc *gg.Context) {
		dc.SetColor(c.rgba())
		dc.SetLineWidth(.125 * u)
		dc.SetLineCapRound()
		if x {
			a := .27 * u
			dc.DrawLine(-a, -a, a, a)
			dc.DrawLine(-a, a, a, -a)
		} else {
			dc.DrawCircle(0, 0, .29*u)
		}
		dc.Stroke()
	})
}

// shadowSprite is the shadow that a piece throws, without what the piece itself hides.
func shadowSprite(t *theme, l layout, piece *sprite) sprite {
	r := l.radius()
	dx, dy := .07*r, .14*r
	w := l.box(2 * (1.18*r + dy))
	cut := (w - piece.w) / 2
	return newMask(w, w, func(x, y int) uint8 {
		if x, y := x-cut, y-cut; x >= 0 && y >= 0 && x < piece.w && y < piece.h && piece.cover[y*piece.w+x] == levels-1 {
			return 0
		}
		u, v := float64(x)+.5-float64(w)/2-dx, float64(y)+.5-float64(w)/2-dy
		return uint8(255 * t.shadow * smooth(1.18, .84, math.Hypot(u, v)/r))
	})
}
