package render

import (
	"image"
	"maps"
	"math"
	"sync"
	"sync/atomic"

	"github.com/fogleman/gg"
)

// kit is all that pictures of one theme, board and size have in common: the empty board,
// the sprites, the palette and how inks blend over it. It never changes once it is built.
type kit struct {
	theme *theme
	lay   layout

	shadow          sprite
	piece, numbered [2]sprite
	last, rim       sprite // the last move; round its number
	flipped         sprite
	winRing         [2]sprite // casing, ink
	cross           [2]sprite
	ring            [2]sprite
	hint            [2]sprite
	badge           [3]sprite   // casing, disc, inside of a hollow one
	ghost           [2]sprite   // a piece that is not played yet, black and white
	ghostRing       [2]sprite   // round it
	fonts           [4]*letters // from large to small

	colours [inks]rgb
	pal     []rgb
	plte    []byte // pal as PNG has it
	inks    [inks]blend
	board   []uint8 // with the filter byte before each row, as raster has it
}

// inkNo numbers the colours that blend with what they are laid over.
type inkNo uint8

const (
	inkShadow    inkNo = iota
	inkBlackFace       // pieces meet the board in the colours from here to the rims
	inkWhiteFace
	inkEdge           // six between the faces and the rims, black's and white's by turns
	inkBlackRim inkNo = iota + edges - 1
	inkWhiteRim
	inkNumberBlack // the number on a black piece
	inkNumberWhite
	inkLastBlack
	inkLastWhite
	inkWin
	inkWinCase
	inkForbid
	inkForbidCase
	inkHint
	inkHintCase
	inkLegalBlack
	inkLegalBlackCase
	inkLegalWhite
	inkLegalWhiteCase
	inkFrame
	inkFrameCase
	inks
)

// edges is the number of inks that inkEdge begins.
const edges = 6

func (t *theme) inks() [inks]rgb {
	c := [inks]rgb{
		inkShadow:    0x170A02,
		inkBlackFace: t.black.light, inkWhiteFace: t.white.light,
		inkBlackRim: t.black.rim, inkWhiteRim: t.white.rim,
		inkNumberBlack: t.number[0], inkNumberWhite: t.number[1],
		inkLastBlack: t.last[0], inkLastWhite: t.last[1],
		inkWin: t.win.ink, inkWinCase: t.win.casing,
		inkForbid: t.forbid.ink, inkForbidCase: t.forbid.casing,
		inkHint: t.hint.ink, inkHintCase: t.hint.casing,
		inkLegalBlack: t.legal[0].ink, inkLegalBlackCase: t.legal[0].casing,
		inkLegalWhite: t.legal[1].ink, inkLegalWhiteCase: t.legal[1].casing,
		inkFrame: t.frame.ink, inkFrameCase: t.frame.casing,
	}
	for i := range inkNo(edges) {
		side := []coat{t.black, t.white}[i%2]
		c[inkEdge+i] = side.rim.over(side.light, .25*float64(1+i/2))
	}
	return c
}

func newKit(key kitKey) *kit {
	t, l := key.theme, key.lay
	k := &kit{theme: t, lay: l, colours: t.inks()}
	k.piece, k.numbered = pieces(t, l)
	k.ghost = ghosts(k.piece)
	k.shadow = shadowSprite(t, l, &k.piece[0])
	k.drawMarks()
	r := l.radius()
	for i, px := range []float64{1.04 * r, .84 * r, .74 * r, .62 * r} {
		k.fonts[i] = newLetters(px)
	}

	field := drawBoard(t, l)
	k.pal = palette(k.colours[:], k.samples(field))
	k.plte = bytesOf(k.pal)
	m := newMatcher(k.pal)
	for i, c := range k.colours {
		k.inks[i] = m.blend(c)
	}
	for i := range 2 {
		k.cut(m, &k.piece[i])
		k.cut(m, &k.numbered[i])
	}
	k.board = make([]uint8, (l.size+1)*l.size)
	for y := range l.size {
		row := k.board[y*(l.size+1)+1:]
		for x := range l.size {
			p := field.Pix[field.PixOffset(x, y):]
			row[x] = m.index(rgbAt(p))
		}
	}
	return k
}

// drawMarks draws the masks of all marks, round the origin, in units of a cell on
// crossings; in cells, where pieces are smaller, marks are so too.
func (k *kit) drawMarks() {
	l := k.lay
	r := l.radius()
	u := r / .47
	ring := func(radius, width float64) sprite {
		return drawMask(l, 2*radius+width+2, func(dc *gg.Context) {
			dc.SetLineWidth(width)
			dc.DrawCircle(0, 0, radius)
			dc.Stroke()
		})
	}
	disc := func(radius float64) sprite {
		return drawMask(l, 2*radius+2, func(dc *gg.Context) {
			dc.DrawCircle(0, 0, radius)
			dc.Fill()
		})
	}
	ringAndDot := func(radius, width, dot float64) sprite {
		return drawMask(l, 2*radius+width+2, func(dc *gg.Context) {
			dc.SetLineWidth(width)
			dc.DrawCircle(0, 0, radius)
			dc.Stroke()
			dc.DrawCircle(0, 0, dot)
			dc.Fill()
		})
	}
	cross := func(arm, width float64) sprite {
		return drawMask(l, 2*arm+2*width, func(dc *gg.Context) {
			dc.SetLineWidth(width)
			dc.SetLineCapRound()
			dc.DrawLine(-arm, -arm, arm, arm)
			dc.DrawLine(-arm, arm, arm, -arm)
			dc.Stroke()
		})
	}
	k.last = ringAndDot(.5*r, .15*r, .16*r)
	k.rim = ring(.87*r, .09*r)
	k.flipped = disc(.2 * r)
	k.winRing = [2]sprite{ring(.95*r, .26*r), ring(.95*r, .14*r)}
	k.cross = [2]sprite{cross(.2*u, .19*u), cross(.2*u, .095*u)}
	k.ring = [2]sprite{ring(.19*u, .12*u), ring(.19*u, .06*u)}
	k.hint = [2]sprite{disc(.39 * u), ringAndDot(.295*u, .11*u, .115*u)}
	k.ghostRing = [2]sprite{ring(.95*r, .2*r), ring(.95*r, .1*r)}
	k.badge = [3]sprite{disc(.47 * u), disc(.435 * u), disc(.395 * u)}
	if k.theme.piece == nought { // rings and crosses are taken
		k.last = boxMask(l, .99*u, .075*u)
		k.rim = k.last
		k.cross = [2]sprite{banMask(l, .23*u, .2*u), banMask(l, .23*u, .1*u)}
		k.ring = [2]sprite{boxMask(l, .35*u, .14*u), boxMask(l, .35*u, .07*u)}
		k.flipped = boxMask(l, .93*u, .03*u)
	}
}

// boxMask is the outline of a box with round corners.
func boxMask(l layout, d, width float64) sprite {
	return drawMask(l, d+width+2, func(dc *gg.Context) {
		dc.SetLineWidth(width)
		dc.DrawRoundedRectangle(-d/2, -d/2, d, d, .18*d)
		dc.Stroke()
	})
}

// banMask is a ring with a bar across.
func banMask(l layout, r, width float64) sprite {
	return drawMask(l, 2*r+width+2, func(dc *gg.Context) {
		dc.SetLineWidth(width)
		dc.DrawCircle(0, 0, r)
		dc.DrawLine(-.7*r, -.7*r, .7*r, .7*r)
		dc.Stroke()
	})
}

// blend works out an ink over every colour of the palette.
func (m *matcher) blend(c rgb) blend {
	var b blend
	for lev := range b {
		a := float64(lev) / (levels - 1)
		for i := range b[lev] {
			b[lev][i] = uint8(min(i, colors-1))
			if lev > 0 && i < len(m.pal) {
				b[lev][i] = m.index(c.over(m.pal[i], a))
			}
		}
	}
	return b
}

// cut turns the colours of a sprite into indices, and into the nearest ink where the
// sprite does not cover.
func (k *kit) cut(m *matcher, s *sprite) {
	s.pix = make([]uint8, len(s.cover))
	for i, c := range s.cover {
		switch c {
		case 0:
		case levels - 1:
			s.pix[i] = m.index(s.art[i])
		default:
			best := math.Inf(1)
			for no := inkBlackFace; no <= inkWhiteRim; no++ {
				if d := distance(k.colours[no].vec(), s.art[i].vec()); d < best {
					best, s.pix[i] = d, uint8(no)
				}
			}
		}
	}
}

// canvas is a picture in true colours that takes the same sprites as a raster. The
// palette is chosen from it, and tests compare a raster with it.
type canvas struct {
	*image.RGBA
	inks [inks]rgb
}

func (c canvas) draw(st *sprite, k inkNo, x, y int) {
	for i, cover := range st.cover {
		at := image.Pt(x+i%st.w, y+i/st.w)
		if cover == 0 || !at.In(c.Rect) {
			continue
		}
		col := c.inks[k]
		if st.art != nil {
			col = st.art[i]
		}
		c.put(at, col, cover)
	}
}

func (c canvas) dot(k inkNo, x, y int, cover uint8) {
	if at := image.Pt(x, y); at.In(c.Rect) {
		c.put(at, c.inks[k], cover)
	}
}

func (c canvas) put(at image.Point, col rgb, cover uint8) {
	p := c.Pix[c.PixOffset(at.X, at.Y):]
	m := col.over(rgbAt(p), float64(cover)/(levels-1))
	p[0], p[1], p[2] = m.r(), m.g(), m.b()
}

// samples counts the colours of the empty board and of one that carries everything.
func (k *kit) samples(field *image.RGBA) tally {
	t := newTally()
	t.add(field.Pix)
	full := canvas{image.NewRGBA(field.Rect), k.colours}
	copy(full.Pix, field.Pix)
	k.paintSample(full)
	t.add(full.Pix)
	return t
}

// kitKey is what kits differ by.
type kitKey struct {
	theme *theme
	lay   layout
}

// maxKits bounds the memory that kits take: about 1.5 MB each at 1050 pixels. It is more
// than all themes and boards at one size.
const maxKits = 96

// shelf keeps kits once they are built. Readers take no lock.
type shelf struct {
	built atomic.Pointer[map[kitKey]func() *kit]
	mu    sync.Mutex // held by those who add
}

// kits is a table that fills itself as it is used.
var kits shelf

func (s *shelf) get(key kitKey, build func(kitKey) *kit) *kit {
	if m := s.built.Load(); m != nil {
		if k, ok := (*m)[key]; ok {
			return k()
		}
	}
	return s.add(key, build)()
}

func (s *shelf) add(key kitKey, build func(kitKey) *kit) func() *kit {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := map[kitKey]func() *kit{}
	if m := s.built.Load(); m != nil {
		if k, ok := (*m)[key]; ok {
			return k
		}
		if len(*m) < maxKits {
			maps.Copy(next, *m)
		}
	}
	k := sync.OnceValue(func() *kit { return build(key) })
	next[key] = k
	s.built.Store(&next)
	return k
}
