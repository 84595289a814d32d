package render

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// colors is the most colours that a picture has. With one more, which is transparent in
// a GIF, they fit into seven bits.
const colors = 1<<gifBits - 1

// tally counts colours; colours that differ only in the last two bits of a channel count
// together.
type tally []tallied

// tallied is a sum of colours and how many they are.
type tallied struct{ n, r, g, b uint32 }

func newTally() tally { return make(tally, 1<<18) }

// add counts the pixels of a picture in bytes of red, green, blue and opacity.
func (t tally) add(pix []uint8) {
	for i := 0; i+3 < len(pix); i += 4 {
		r, g, b := uint32(pix[i]), uint32(pix[i+1]), uint32(pix[i+2])
		c := &t[r>>2<<12|g>>2<<6|b>>2]
		c.n, c.r, c.g, c.b = c.n+1, c.r+r, c.g+g, c.b+b
	}
}

// gathered is a colour of a picture and how much it counts in the choice of a palette.
type gathered struct {
	at     vec
	weight float64
}

// palette chooses colours for a picture: the fixed ones, and those round which the
// tallied ones gather.
func palette(fixed []rgb, t tally) []rgb {
	var points []gathered
	for _, c := range t {
		if c.n > 0 {
			at := vec{float64(c.r), float64(c.g), float64(c.b)}.times(1 / float64(c.n))
			points = append(points, gathered{at, math.Sqrt(float64(c.n))})
		}
	}
	pal := make([]vec, 0, colors)
	for _, c := range fixed {
		if !slices.Contains(pal, c.vec()) {
			pal = append(pal, c.vec())
		}
	}
	kept := len(pal)
	pal = serve(pal, points)
	drift(pal, kept, points)
	out := make([]rgb, len(pal))
	for i, c := range pal {
		out[i] = c.rgb()
	}
	return out
}

// bytesOf is a palette as files have it.
func bytesOf(pal []rgb) (plte []byte) {
	for _, c := range pal {
		plte = append(plte, c.r(), c.g(), c.b())
	}
	return plte
}

// serve adds to pal, one by one, the point that is worst served.
func serve(pal []vec, points []gathered) []vec {
	worst := make([]float64, len(points))
	for i := range worst {
		worst[i] = math.Inf(1)
	}
	served := func(c vec) {
		for i, p := range points {
			worst[i] = min(worst[i], distance(p.at, c))
		}
	}
	for _, c := range pal {
		served(c)
	}
	for len(pal) < colors {
		best, at := 2., -1
		for i, p := range points {
			if v := worst[i] * p.weight; v > best {
				best, at = v, i
			}
		}
		if at < 0 {
			break
		}
		pal = append(pal, points[at].at)
		served(points[at].at)
	}
	return pal
}

// drift lets the colours from kept on drift to the middle of what they serve.
func drift(pal []vec, kept int, points []gathered) {
	for range 8 {
		sums, weights := make([]vec, len(pal)), make([]float64, len(pal))
		f := newFinder(pal)
		for _, p := range points {
			i := f.nearest(p.at)
			sums[i] = sums[i].plus(p.at.times(p.weight))
			weights[i] += p.weight
		}
		for i := kept; i < len(pal); i++ {
			if weights[i] > 0 {
				pal[i] = sums[i].times(1 / weights[i])
			}
		}
	}
}

// distance is how different two colours look, roughly.
func distance(a, b vec) float64 {
	dr, dg, db := a.x-b.x, a.y-b.y, a.z-b.z
	return 2*dr*dr + 4*dg*dg + 3*db*db
}

// finder finds the colour of a palette that is nearest to another, the first of several.
type finder struct {
	pal   []vec
	green []int // the palette's indices, from little green to much
}

func newFinder(pal []vec) finder {
	f := finder{pal, make([]int, len(pal))}
	for i := range f.green {
		f.green[i] = i
	}
	slices.SortFunc(f.green, func(i, j int) int { return cmp.Compare(pal[i].y, pal[j].y) })
	return f
}

// nearest looks from the colour's green in both directions, as far as green alone does not rule a colour
// out.
func (f finder) nearest(c vec) int {
	best, at := math.Inf(1), len(f.pal)
	look := func(i int) (near bool) {
		p := f.pal[i]
		if dg := p.y - c.y; 4*dg*dg > best {
			return false
		}
		if d := distance(p, c); d < best || d == best && i < at {
			best, at = d, i
		}
		return true
	}
	more := sort.Search(len(f.green), func(i int) bool { return f.pal[f.green[i]].y >= c.y })
	for less := more - 1; ; {
		up := more < len(f.green) && look(f.green[more])
		down := less >= 0 && look(f.green[less])
		if !up && !down {
			return at
		}
		if up {
			more++
		} else {
			more = len(f.green)
		}
		if down {
			less--
		} else {
			less = -1
		}
	}
}

// matcher finds the palette index of a colour, remembering the last it found.
type matcher struct {
	pal  []rgb
	find finder
	seen [1 << 13]uint32 // a colour above its index and a bit that says it is there
}

func newMatcher(pal []rgb) *matcher {
	at := make([]vec, len(pal))
	for i, c := range pal {
		at[i] = c.vec()
	}
	return &matcher{pal: pal, find: newFinder(at)}
}

func (m *matcher) index(c rgb) uint8 {
	key := uint32(c)
	slot := &m.seen[key*0x9E3779B1>>19]
	if *slot>>8 != key || *slot&0x80 == 0 {
		*slot = key<<8 | 0x80 | uint32(m.find.nearest(c.vec()))
	}
	return uint8(*slot & colors)
}
