package reversi

import (
	"math/rand/v2"
	"testing"
)

// TestCoder holds that what is written is read again, whatever was expected of it, and that
// a file cut short is noticed.
func TestCoder(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 0))
	list := []int{0, 1, -1, 1<<15 - 1, -(1<<15 - 1), 2, -2}
	for range 3000 {
		v := int(rng.NormFloat64() * 3)
		if rng.IntN(50) == 0 {
			v = rng.IntN(60000) - 30000
		}
		list = append(list, v)
	}
	code := func(c *coder, f func(i, v int)) {
		var some, negative chance
		var s sizes
		for i, v := range list {
			if c.reading {
				v = 0
			}
			f(i, c.number(v, &some, &negative, &s))
			if got := c.plain(uint32(list[i]), 5); got != uint32(list[i])&31 {
				t.Fatalf("number %d: plain bits %x of %x", i, got, list[i])
			}
		}
	}
	w := &coder{hi: ^uint32(0)}
	code(w, func(i, v int) {
		if v != list[i] {
			t.Fatalf("writing %d gave %d", list[i], v)
		}
	})
	file := w.finish()
	r := readCoder(file)
	code(r, func(i, v int) {
		if v != list[i] {
			t.Fatalf("number %d: read %d, want %d", i, v, list[i])
		}
	})
	if r.short || len(r.data) != 0 {
		t.Errorf("short %v, %d bytes left", r.short, len(r.data))
	}
	r = readCoder(file[:len(file)/2])
	for range list {
		r.plain(0, 30)
	}
	if !r.short {
		t.Error("half a file was enough")
	}
}
