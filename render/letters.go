package render

import (
	"image"
	"math"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// alphabet is what marks may be lettered with.
const alphabet = "0123456789+-.%ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// face is Go Bold at one size. A face is not safe for concurrent use; each builder of
// assets makes its own, and nothing that runs per move has one.
type face struct {
	font.Face
	height float64 // of a capital letter
}

func newFace(px float64) face {
	parsed, err := opentype.Parse(gobold.TTF)
	if err != nil {
		panic(err) // the font is compiled in
	}
	f, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: px, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		panic(err)
	}
	b, _, _ := f.GlyphBounds('H')
	return face{f, float64(-b.Min.Y) / 64}
}

// draw writes s with its middle at x, y: by its ink across, by a capital's height down.
func (f face) draw(im *image.RGBA, c rgb, s string, x, y float64) {
	bounds, _ := font.BoundString(f, s)
	left := x - float64(bounds.Min.X+bounds.Max.X)/128
	d := font.Drawer{Dst: im, Src: image.NewUniform(c.rgba()), Face: f}
	d.Dot = fixed.Point26_6{X: fixed.Int26_6(math.Round(left * 64)), Y: fixed.Int26_6(math.Round(y+f.height/2) * 64)}
	d.DrawString(s)
}

// letters are the alphabet at one size as masks.
type letters struct {
	glyphs [len(alphabet)]glyph
	height int // of a digit
}

type glyph struct {
	sprite  sprite
	x, y    int // where the mask lies from the pen on the baseline
	advance int
}

func newLetters(px float64) *letters {
	f, small := newFace(px), newFace(.62*px)
	set := &letters{height: int(math.Round(f.height))}
	for i, r := range alphabet {
		f := f
		switch r {
		case '-':
			r = '−' // the minus sign is as wide as the plus
		case '%':
			f = small // it leaves the room to the digits
		}
		at, mask, from, advance, ok := f.Glyph(fixed.Point26_6{}, r)
		if !ok {
			panic("no glyph for " + string(r))
		}
		g := glyph{x: at.Min.X, y: at.Min.Y, advance: int(math.Round(float64(advance) / 64))}
		g.sprite = newMask(at.Dx(), at.Dy(), func(x, y int) uint8 {
			_, _, _, a := mask.At(from.X+x, from.Y+y).RGBA()
			return uint8(a >> 8)
		})
		set.glyphs[i] = g
	}
	return set
}

// of finds a letter of the alphabet; others, which nothing lets through, are a dot.
func (l *letters) of(c byte) *glyph {
	if '0' <= c && c <= '9' {
		return &l.glyphs[c-'0']
	}
	return &l.glyphs[max(strings.IndexByte(alphabet, c), 0)]
}

func (l *letters) width(s []byte) int {
	w := 0
	for _, c := range s {
		w += l.of(c).advance
	}
	return w
}
