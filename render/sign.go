package render

import (
	"image"
	"image/draw"
	"math"

	"github.com/fogleman/gg"
)

// Sign is a small picture that stands on a button in place of a character.
type Sign struct {
	Name string // of letters
	PNG  []byte // with a clear ground
}

// SignSize is the width and height of a sign, in pixels. Discord shows signs about 22 pixels wide, so
// that a line has to be some 8 pixels thick here.
const SignSize = 128

// signEdge is the line round a sign that keeps it apart from a button of any color.
const signEdge = 8

// shape draws on a picture.
type shape func(*gg.Context)

// signs are the drawings, each round the middle of the picture.
var signs = []struct {
	name string
	draw shape
}{
	{"black", signStone(slateStone, shellStone.light)},
	{"white", signStone(shellStone, shellStone.rim)},
	{"left", signShapes(180, arrowhead(0, 46))},
	{"right", signShapes(0, arrowhead(0, 46))},
	{"up", signShapes(270, arrowhead(0, 46))},
	{"down", signShapes(90, arrowhead(0, 46))},
	{"rightdown", signShapes(90, corner)},
	{"leftdown", signShapes(180, corner)},
	{"leftup", signShapes(270, corner)},
	{"rightup", signShapes(0, corner)},
	{"parts", signShapes(0, square(-1, -1), square(0, -1), square(1, -1), square(-1, 0), square(0, 0), square(1, 0),
		square(-1, 1), square(0, 1), square(1, 1))},
	{"first", signShapes(180, arrowhead(-14, 38), bar(42, 42))},
	{"last", signShapes(0, arrowhead(-14, 38), bar(42, 42))},
	{"more", signShapes(0, dot(-41), dot(0), dot(41))},
}

// Signs draws the signs: the stones, the arrows, and the marks of the buttons under a board.
// They look like the theme wood.
func Signs() []Sign {
	var drawn []Sign
	for _, s := range signs {
		im := image.NewRGBA(image.Rect(0, 0, SignSize, SignSize))
		dc := gg.NewContextForRGBA(im)
		dc.Translate(SignSize/2, SignSize/2)
		s.draw(dc)
		drawn = append(drawn, Sign{s.name, alphaPNG(im)})
	}
	return drawn
}

// signStone is a stone as it lies on the board, in a ring.
func signStone(k coat, ring rgb) shape {
	const r = 60
	return func(dc *gg.Context) {
		dc.SetColor(ring.rgba())
		dc.DrawCircle(0, 0, r)
		dc.Fill()
		s := shadeSprite(layout{}, r-signEdge, k.lens)
		at := image.Pt((SignSize-s.w)/2, (SignSize-s.h)/2) // by image/draw: gg would bring a library that can turn and scale
		draw.Draw(dc.Image().(draw.Image), image.Rect(0, 0, s.w, s.h).Add(at), s.image(), image.Point{}, draw.Over)
	}
}

// image is a sprite with colors as a picture.
func (s sprite) image() image.Image {
	im := image.NewNRGBA(image.Rect(0, 0, s.w, s.h))
	for i, c := range s.art {
		copy(im.Pix[4*i:], []uint8{c.r(), c.g(), c.b(), uint8(int(s.cover[i]) * 255 / (levels - 1))})
	}
	return im
}

// signShapes are shapes in the color of the board, each in a line of the grid's, turned by an angle.
func signShapes(degrees float64, shapes ...shape) shape {
	wood := themes[0]
	return func(dc *gg.Context) {
		dc.Rotate(gg.Radians(degrees))
		dc.SetLineJoinRound()
		for _, shape := range shapes {
			shape(dc)
			dc.SetColor(wood.line.rgba())
			dc.SetLineWidth(2 * signEdge)
			dc.Stroke()
		}
		for _, shape := range shapes {
			shape(dc)
			dc.SetColor(wood.ground.high.rgba())
			dc.Fill()
		}
	}
}

// arrowhead is a triangle that points to the right, round the middle x, with half its height.
func arrowhead(x, half float64) shape {
	depth := half * math.Sqrt(3) / 2
	return func(dc *gg.Context) {
		dc.MoveTo(x+depth, 0)
		dc.LineTo(x-depth*.8, -half)
		dc.LineTo(x-depth*.8, half)
		dc.ClosePath()
	}
}

// corner is a triangle that fills the upper right corner. Turned by 45 degrees, an arrowhead would
// seem to point three ways.
func corner(dc *gg.Context) {
	const side = 44
	dc.MoveTo(side, -side)
	dc.LineTo(side, side)
	dc.LineTo(-side, -side)
	dc.ClosePath()
}

// bar is an upright bar at x, with half its height.
func bar(x, half float64) shape {
	return func(dc *gg.Context) { dc.DrawRectangle(x-7, -half, 14, 2*half) }
}

// dot is a dot at x.
func dot(x float64) shape {
	return func(dc *gg.Context) { dc.DrawCircle(x, 0, 14) }
}

// square is one of nine squares, at a column and a row from -1 to 1.
func square(col, row float64) shape {
	const side, apart = 22, 40
	return func(dc *gg.Context) { dc.DrawRectangle(col*apart-side/2, row*apart-side/2, side, side) }
}
