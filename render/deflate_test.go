package render

import (
	"bytes"
	stdzlib "compress/zlib"
	"io"
	"math/rand/v2"
	"testing"

	"tengen/game"
)

func inflate(t testing.TB, data []byte) []byte {
	t.Helper()
	r, err := stdzlib.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(r) // checks the checksum too
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func roundTrip(t testing.TB, z *deflater, pix []byte, stride int) {
	t.Helper()
	padded := append(bytes.Clone(pix), make([]byte, 8)...)
	for i := 0; i < len(pix); i += stride {
		pix[i], padded[i] = 0, 0
	}
	got := inflate(t, z.zlib(nil, padded[:len(pix)], stride))
	for i := 0; i < len(got); i += stride {
		if got[i] == 2 && i > 0 { // as above
			for j := range stride {
				got[i+j] += got[i+j-stride]
			}
			got[i] = 0
		}
	}
	if !bytes.Equal(got, pix) {
		t.Fatalf("%d bytes in rows of %d came back as %d others", len(pix), stride, len(got))
	}
}

func TestDeflate(t *testing.T) {
	var z deflater
	r := rand.New(rand.NewPCG(1, 2))
	for _, stride := range []int{5, 6, 201, 258, 259, 260, 516, 517, 1051, 2101} {
		for _, kinds := range []int{1, 2, 3, 127, 256} {
			pix := make([]byte, stride*40)
			for i := range pix {
				pix[i] = byte(r.IntN(kinds))
				if i >= stride && r.IntN(3) > 0 {
					pix[i] = pix[i-stride]
				}
				if i >= 9 && r.IntN(4) == 0 {
					pix[i] = pix[i-r.IntN(9)-1]
				}
			}
			copy(pix[stride*20:], pix[stride*19:stride*20]) // rows that are the same
			roundTrip(t, &z, pix, stride)
		}
	}
	// Counts that grow like Fibonacci's numbers want codes longer than deflate allows.
	var pix []byte
	for a, b, c := 1, 1, byte(0); len(pix) < 60_000; a, b, c = b, a+b, c+1 {
		for range a {
			pix = append(pix, c)
		}
	}
	r.Shuffle(len(pix), func(i, j int) { pix[i], pix[j] = pix[j], pix[i] })
	roundTrip(t, &z, pix[:len(pix)/100*100], 100)
}

func FuzzDeflate(f *testing.F) {
	f.Add([]byte("aaaaaaaaaaaaaaaabbbbaaaabbbb"), uint16(7))
	k := must(kitFor(game.New(game.Gomoku9), Options{Size: 200}, 200))
	f.Add(k.board, uint16(201))
	f.Fuzz(func(t *testing.T, pix []byte, stride uint16) {
		n := int(stride)%2101 + 5
		if len(pix) < n {
			return
		}
		roundTrip(t, new(deflater), pix[:len(pix)/n*n], n)
	})
}

func BenchmarkDeflate(b *testing.B) {
	g := line(b, game.Gomoku15, sample)
	k := must(kitFor(g, Options{}, DefaultSize))
	s := new(sheet)
	s.clear(k)
	paint(s, k, g, Options{})
	z, out := new(deflater), []byte(nil)
	for b.Loop() {
		out = z.zlib(out[:0], s.pix, s.w+1)
	}
	b.ReportMetric(float64(len(out)), "bytes")
}
