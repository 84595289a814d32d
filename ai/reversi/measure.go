package reversi

import (
	"cmp"
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

// measureCuts finds the curves on which the cuts of Multi-ProbCut rest: how far searches
// of two depths lie apart without any cut, and how far a search lies from the exact score.
func (t Training) measureCuts(ctx context.Context, w *weights) curves {
	rng := rand.New(rand.NewPCG(t.Seed, 1000))
	t.Positions = t.Cuts * stageWidth
	pools := t.play(ctx, w, rng)
	s := newSearcher(w, newTable(64<<20))
	s.noCuts = true
	type key struct{ n, shallow, deep int }
	sums := map[key][3]float64{}
	add := func(k key, e float64) {
		v := sums[k]
		sums[k] = [3]float64{v[0] + 1, v[1] + e, v[2] + float64(e*e)}
	}
	const deepest = 10
	for st := 2; st < stages-1; st++ {
		for _, p := range pools[st] {
			b := p.board
			n := b.empties()
			if b.moves() == 0 || ctx.Err() != nil {
				continue
			}
			f := featuresOf(b)
			var score [deepest + 1]float64
			top := min(deepest, n-2)
			s.tt.age++
			for d := 0; d <= top; d++ {
				score[d] = float64(s.mid(b, &f, d, -20000, 20000, n, 0)) / 100
			}
			if math.Abs(score[top]) > 40 {
				continue // lopsided games follow other laws, and nobody searches them long
			}
			for d := 0; d <= top; d++ {
				for e := d + 1; e <= top; e++ {
					add(key{n, d, e}, score[e]-score[d])
				}
			}
			if n <= 20 {
				v := float64(s.solveFrom(b, int(score[top]/2)*2))
				for d := 0; d <= top; d++ {
					add(key{n, d, n}, v-score[d])
				}
			}
		}
	}
	var mid, end [][]float64 // a row of terms, the logarithm of sigma, the weight
	keys := slices.SortedFunc(maps.Keys(sums), func(a, b key) int {
		return cmp.Or(a.n-b.n, a.shallow-b.shallow, a.deep-b.deep)
	})
	for _, k := range keys { // in one order, so that sums come out the same
		v := sums[k]
		mean := v[1] / v[0]
		sigma := math.Sqrt(max(v[2]/v[0]-mean*mean/2, 0.01)) // half the bias counts as spread
		x := float64(k.n - 10)
		near := math.Log(float64(k.shallow + 1))
		switch {
		case v[0] < 4 || k.shallow == 0:
		case k.deep == k.n:
			end = append(end, []float64{1, near, x, math.Log(sigma), v[0]})
		case (k.deep-k.shallow)%2 == 0:
			mid = append(mid, []float64{1, math.Log(float64(k.deep - k.shallow)), near, x, x * x, math.Log(sigma), v[0]})
		}
	}
	c := noCurves
	copy(c.mid[:], leastSquares(mid))
	copy(c.end[:], leastSquares(end))
	for _, v := range append(c.mid[:], c.end[:]...) {
		if math.IsNaN(v) || math.Abs(v) > 100 {
			return noCurves // too few positions
		}
	}
	return c
}

// leastSquares solves for the factors of the leading terms of each row, whose last two
// numbers are the value and its weight, by elimination on the normal equations.
func leastSquares(rows [][]float64) []float64 {
	if len(rows) == 0 {
		return nil
	}
	n := len(rows[0]) - 2
	a := make([][]float64, n)
	for i := range a {
		a[i] = make([]float64, n+1)
		for _, row := range rows {
			for j := range n {
				a[i][j] += float64(row[n+1] * row[i] * row[j])
			}
			a[i][n] += float64(row[n+1] * row[i] * row[n])
		}
	}
	for i := range a {
		for k := range a {
			if k != i {
				factor := a[k][i] / a[i][i]
				for j := i; j <= n; j++ {
					a[k][j] -= float64(factor * a[i][j])
				}
			}
		}
	}
	c := make([]float64, n)
	for i := range c {
		c[i] = a[i][n] / a[i][i]
	}
	return c
}
