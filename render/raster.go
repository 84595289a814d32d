package render

import (
	"sync"

	"tengen/render/pack"
)

// raster is the working space of one picture: palette indices with PNG's filter byte
// before each row, and what encodes them. Rasters are used over and over.
type raster struct {
	pix  []uint8 // (w+1) * h, and a few bytes to spare behind them
	w, h int
	inks *[inks]blend
	out  []byte
	zip  pack.Deflater
}

var rasters = sync.Pool{New: func() any { return new(raster) }}

// blend is an ink at each level of coverage over each colour of the palette.
type blend [levels][colors + 1]uint8

// clear makes s the empty board of k.
func (s *raster) clear(k *kit) {
	s.resize(k.lay.size, k.lay.size)
	s.inks = &k.inks
	copy(s.pix, k.board)
}

func (s *raster) resize(w, h int) {
	s.w, s.h = w, h
	n := (w + 1) * h
	if cap(s.pix) < n+pack.Spare {
		s.pix = make([]uint8, n+pack.Spare)
	}
	s.pix = s.pix[:n]
}

// draw puts st down with its top left corner at x, y.
func (s *raster) draw(st *sprite, k inkNo, x, y int) {
	inside := x >= 0 && y >= 0 && x+st.w <= s.w && y+st.h <= s.h
	for i, r := range st.rows {
		if !inside {
			if y+i < 0 || y+i >= s.h {
				continue
			}
			r.from, r.to = max(r.from, -x), min(r.to, s.w-x)
			r.solidFrom, r.solidTo = max(r.solidFrom, r.from), min(r.solidTo, r.to)
			if r.solidFrom > r.solidTo {
				r.solidFrom, r.solidTo = r.to, r.to
			}
		}
		if r.from >= r.to {
			continue
		}
		dst := s.pix[(y+i)*(s.w+1)+1+x+r.from:][: r.to-r.from : r.to-r.from]
		cover := st.cover[i*st.w+r.from:][:len(dst)]
		a, b := r.solidFrom-r.from, r.solidTo-r.from
		if st.pix == nil {
			s.inks[k].fill(dst[:a], cover[:a])
			s.inks[k].fill(dst[b:], cover[b:])
			continue
		}
		pix := st.pix[i*st.w+r.from:][:len(dst)]
		s.mixed(dst[:a], pix[:a], cover[:a])
		copy(dst[a:b], pix[a:b])
		s.mixed(dst[b:], pix[b:], cover[b:])
	}
}

// fill blends the ink of b into pixels.
func (b *blend) fill(dst, cover []uint8) {
	cover = cover[:len(dst)]
	for j, d := range dst {
		dst[j] = b[cover[j]&(levels-1)][d&colors]
	}
}

// mixed puts down pixels of a sprite with colours, some of which cover only partly.
func (s *raster) mixed(dst, pix, cover []uint8) {
	for j, c := range cover {
		switch c {
		case 0:
		case levels - 1:
			dst[j] = pix[j]
		default:
			dst[j] = s.inks[pix[j]][c][dst[j]&colors]
		}
	}
}

// dot puts one pixel of an ink down.
func (s *raster) dot(k inkNo, x, y int, cover uint8) {
	if x >= 0 && y >= 0 && x < s.w && y < s.h {
		p := &s.pix[y*(s.w+1)+1+x]
		*p = s.inks[k][cover&(levels-1)][*p&colors]
	}
}

// row is a row of pixels without its filter byte.
func (s *raster) row(y int) []uint8 { return s.pix[y*(s.w+1)+1 : (y+1)*(s.w+1)] }
