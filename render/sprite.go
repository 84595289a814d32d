package render

import (
	"image"

	"github.com/fogleman/gg"
)

// levels is how many steps of coverage a sprite knows: 0 is clear, levels-1 covers.
const levels = 32

// sprite is a small picture that is put on the board again and again. Where it covers
// fully it has colours of its own; where it covers partly an ink shines through. A mask
// has no colours and is filled with whatever ink it is put down with.
type sprite struct {
	w, h  int
	cover []uint8 // level of each pixel
	art   []rgb   // its true colours; nil for a mask
	pix   []uint8 // once cut: palette index where covered, number of the ink elsewhere
	rows  []span
}

// span is which pixels of a row are not clear, and which in their middle need no
// blending: those of a sprite with colours because they cover fully, those of a mask
// because they are clear after all.
type span struct{ from, to, solidFrom, solidTo int }

func newMask(w, h int, alpha func(x, y int) uint8) sprite {
	s := sprite{w: w, h: h, cover: make([]uint8, w*h)}
	for y := range h {
		for x := range w {
			s.cover[y*w+x] = level(float64(alpha(x, y)) / 255)
		}
	}
	s.span()
	return s
}

func level(a float64) uint8 { return uint8(a*(levels-1) + .5) }

// span finds the rows' spans.
func (s *sprite) span() {
	plain := uint8(0)
	if s.art != nil {
		plain = levels - 1
	}
	s.rows = make([]span, s.h)
	for y := range s.h {
		row := s.cover[y*s.w : (y+1)*s.w]
		r := span{from: s.w}
		for x, c := range row {
			if c > 0 {
				r.from, r.to = min(r.from, x), x+1
			}
		}
		if r.to == 0 {
			continue
		}
		r.solidFrom, r.solidTo = r.to, r.to
		for x := r.from; x < r.to; x++ {
			end := x
			for end < r.to && row[end] == plain {
				end++
			}
			if end-x > r.solidTo-r.solidFrom {
				r.solidFrom, r.solidTo = x, end
			}
			x = max(x, end-1)
		}
		s.rows[y] = r
	}
}

// drawMask is a mask of at least d pixels across, drawn by f round its middle.
func drawMask(l layout, d float64, f func(dc *gg.Context)) sprite {
	im := drawCentred(l, d, func(dc *gg.Context) {
		dc.SetRGB(1, 1, 1)
		f(dc)
	})
	return newMask(im.Rect.Dx(), im.Rect.Dy(), func(x, y int) uint8 { return im.Pix[im.PixOffset(x, y)+3] })
}

// drawArt is a sprite in colours.
func drawArt(l layout, d float64, f func(dc *gg.Context)) sprite {
	im := drawCentred(l, d, f)
	w, h := im.Rect.Dx(), im.Rect.Dy()
	s := newMask(w, h, func(x, y int) uint8 { return im.Pix[im.PixOffset(x, y)+3] })
	s.art = make([]rgb, w*h)
	s.span()
	for i := range s.art {
		if p := im.Pix[4*i : 4*i+4]; p[3] > 0 {
			un := func(c uint8) uint8 { return uint8(min(255, (int(c)*255+int(p[3])/2)/int(p[3]))) }
			s.art[i] = rgbOf(un(p[0]), un(p[1]), un(p[2]))
		}
	}
	return s
}

func drawCentred(l layout, d float64, f func(dc *gg.Context)) *image.RGBA {
	w := l.box(d)
	im := image.NewRGBA(image.Rect(0, 0, w, w))
	dc := gg.NewContextForRGBA(im)
	dc.Translate(float64(w)/2, float64(w)/2)
	f(dc)
	return im
}
