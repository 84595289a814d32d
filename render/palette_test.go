package render

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The finder finds what a look at every colour finds, the first of those that are equally near.
func TestNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for range 200 {
		random := func() vec {
			return vec{float64(rng.IntN(12)), float64(rng.IntN(12)), float64(rng.IntN(12))}
		}
		pal := make([]vec, 1+rng.IntN(colors))
		for i := range pal {
			pal[i] = random()
		}
		f := newFinder(pal)
		for range 50 {
			c := random()
			best, want := math.Inf(1), 0
			for i, p := range pal {
				if d := distance(p, c); d < best {
					best, want = d, i
				}
			}
			if got := f.nearest(c); got != want {
				t.Fatalf("nearest to %v is %v, not %v, at %d and %d", c, pal[want], pal[got], want, got)
			}
		}
	}
}
