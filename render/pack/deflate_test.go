package pack

import (
	"bytes"
	stdzlib "compress/zlib"
	"io"
	"math/rand/v2"
	"testing"

	"tengen/internal/testkit"
)

func inflate(t testing.TB, data []byte) []byte {
	t.Helper()
	out, err := io.ReadAll(testkit.Got(stdzlib.NewReader(bytes.NewReader(data)))) // checks the checksum too
	testkit.Must(t, err)
	return out
}

func roundTrip(t testing.TB, z *Deflater, pix []byte, stride int) {
	t.Helper()
	padded := append(bytes.Clone(pix), make([]byte, Spare)...)
	for i := 0; i < len(pix); i += stride {
		pix[i], padded[i] = 0, 0
	}
	got := inflate(t, z.Zlib(nil, padded[:len(pix)], stride))
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
	var z Deflater
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
	board := make([]byte, 201*200) // a grid
	for i := range board {
		if x, y := i%201, i/201; x%21 == 10 || y%21 == 10 {
			board[i] = byte(1 + x/50)
		}
	}
	f.Add(board, uint16(196))
	f.Fuzz(func(t *testing.T, pix []byte, stride uint16) {
		n := int(stride)%2101 + 5
		if len(pix) < n {
			return
		}
		roundTrip(t, new(Deflater), pix[:len(pix)/n*n], n)
	})
}
