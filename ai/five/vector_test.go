package five

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"tengen/game"
)

// FuzzLayers holds the vector instructions to the plain loop, number by number. The sums may be
// anything that stays within 32 bits.
func FuzzLayers(f *testing.F) {
	if !vectors {
		f.Skip("no vector instructions here")
	}
	f.Add(uint64(1), []byte{})
	f.Add(uint64(2), []byte{255, 255, 255, 255, 0, 0, 0, 128})
	f.Add(uint64(3), []byte("\x01\x00\x00\x00\xff\xff\xff\xff\xf0\xff\xff\xff\x0f\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, seed uint64, data []byte) {
		rnd := rand.New(rand.NewPCG(seed, 18))
		n := randomLayers(rnd).network()
		var now, before [2]sums
		for i := range 8 {
			for _, to := range []*[2]sums{&now, &before} {
				low, high := int32(rnd.IntN(1<<18)-1<<17), int32(rnd.IntN(1<<18)-1<<17)
				if len(data) >= 8 {
					low, high = int32(binary.LittleEndian.Uint32(data))>>12, int32(binary.LittleEndian.Uint32(data[4:]))>>12
					data = data[8:]
				}
				to[i&1][i>>1&1*2], to[i&1][i>>1&1*2+1] = low, high
			}
		}
		m := rnd.IntN(1 << threatBits)
		for me := range 2 {
			var want, got [hidden2]int32
			n.layersPlain(&n.bias[m], &now, &before, me, &want)
			layersVector(&n.lanes, &n.bias[m], &now, &before, me, &got)
			if got != want {
				t.Fatalf("side %d: %v, want %v", me, got, want)
			}
		}
	})
}

// randomLayers are weights of the size of fitted ones.
func randomLayers(rnd *rand.Rand) *layers {
	l := new(layers)
	fill := func(w []int16) {
		for i := range w {
			w[i] = int16(rnd.IntN(401) - 200)
		}
	}
	for k := range l.First {
		fill(l.First[k][:])
	}
	for k := range l.Bias {
		fill(l.Bias[k][:])
	}
	for k := range l.Second {
		fill(l.Second[k][:])
	}
	fill(l.After[:])
	fill(l.Last[:])
	return l
}

func BenchmarkLayers(b *testing.B) {
	var p board
	p.reset(shapeOf(freestyle, 15))
	p.follow(randomGame(rand.New(rand.NewPCG(1, 1)), game.Gomoku15, 40))
	n, m := p.net[p.turn], p.threats()
	var out [hidden2]int32
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			n.layersPlain(&n.bias[m], &p.sum, &p.old[p.ply-1].sum, p.turn, &out)
		}
	})
	if !vectors {
		return
	}
	b.Run("vector", func(b *testing.B) {
		for b.Loop() {
			layersVector(&n.lanes, &n.bias[m], &p.sum, &p.old[p.ply-1].sum, p.turn, &out)
		}
	})
}

// FuzzTop holds the vector instructions to the plain loop where scores are equal or extreme, too.
// What lies behind the moves does not count.
func FuzzTop(f *testing.F) {
	if !vectors {
		f.Skip("no vector instructions here")
	}
	f.Add(uint64(1), []byte{1, 2, 3, 3})
	f.Add(uint64(2), []byte{0, 0, 0, 0, 0, 0, 255})
	f.Add(uint64(3), []byte("a longer list of moves, in which some are as good as others"))
	f.Fuzz(func(t *testing.T, seed uint64, data []byte) {
		rnd := rand.New(rand.NewPCG(seed, 19))
		var moves [256]scored
		for i := range moves {
			moves[i] = scored{uint8(rnd.Uint32()), uint8(rnd.Uint32()), 1 << 30}
		}
		n := min(len(data), len(moves))
		for i, x := range data[:n] {
			moves[i].score = int32(int8(x)) << (seed % 25)
		}
		if n < fewest {
			return
		}
		if got, want := topVector(&moves[0], n), topPlain(moves[:n]); got != want {
			t.Fatalf("%d, want %d of %v", got, want, moves[:n])
		}
	})
}

func BenchmarkTop(b *testing.B) {
	var moves [60]scored
	rnd := rand.New(rand.NewPCG(1, 1))
	for i := range moves {
		moves[i].score = int32(rnd.IntN(2000))
	}
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			topPlain(moves[:])
		}
	})
	if !vectors {
		return
	}
	b.Run("vector", func(b *testing.B) {
		for b.Loop() {
			topVector(&moves[0], len(moves))
		}
	})
}
