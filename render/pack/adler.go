package pack

import "encoding/binary"

// adler is Adler-32 as zlib ends with.
type adler struct{ a, b uint32 }

const adlerBase = 65521

// adlerOf is what a row adds to a sum: its bytes, and its bytes weighed by their
// distance from its end. Eight bytes at a time: the multiplications add the even and the
// odd ones, weighed and not, into the highest sixteen bits.
func adlerOf(row []byte) adler {
	var a, b uint64
	const even = 0x00FF00FF00FF00FF
	for ; len(row) >= 8; row = row[8:] {
		x := binary.LittleEndian.Uint64(row)
		e, o := x&even, x>>8&even
		b += 8*a + (e*0x0008000600040002+o*0x0007000500030001)>>48
		a += (e + o) * 0x0001000100010001 >> 48
	}
	for _, c := range row {
		a += uint64(c)
		b += a
	}
	return adler{uint32(a % adlerBase), uint32(b % adlerBase)}
}

// then is s after a row of n bytes.
func (s adler) then(row adler, n int) adler {
	return adler{(s.a + row.a) % adlerBase, uint32((uint64(s.b) + uint64(n)*uint64(s.a) + uint64(row.b)) % adlerBase)}
}
