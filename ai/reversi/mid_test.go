package reversi

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

// middles are positions of quick games with n empty squares, the same in every run.
func middles(count, n int) (list []board) {
	s := newSearcher(plainWeights(), newTable(1<<16))
	rng := rand.New(rand.NewPCG(12, uint64(n)))
	for len(list) < count {
		b := startBoard
		for b.empties() > n {
			m := b.moves()
			if m == 0 {
				if b = b.swap(); b.moves() == 0 {
					break
				}
				continue
			}
			if b.empties() > 52 {
				b = b.play(nth(m, rng.IntN(bits.OnesCount64(m))))
			} else {
				b = b.play(s.quick(b, m, rng))
			}
		}
		if b.empties() == n && b.moves() != 0 {
			list = append(list, b)
		}
	}
	return list
}

// BenchmarkMid searches twenty positions of the middle game to depth 12.
func BenchmarkMid(b *testing.B) {
	list := append(middles(10, 36), middles(10, 28)...)
	for b.Loop() {
		nodes, from := int64(0), cpuNow()
		for _, p := range list {
			s := testSearcher()
			f := featuresOf(p)
			for d := 1; d <= 12; d++ {
				s.mid(p, &f, d, -20000, 20000, p.empties(), 0)
			}
			nodes += s.nodes
		}
		d := (cpuNow() - from).Seconds()
		b.ReportMetric(float64(nodes)/1e6, "Mn")
		b.ReportMetric(float64(nodes)/1e6/d, "Mn/s")
		b.ReportMetric(d, "cpu-s")
	}
}
