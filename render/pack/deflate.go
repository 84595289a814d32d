// Package pack compresses the rows of a picture whose pixels are indices as zlib, for PNG.
// It knows nothing of boards; what makes it faster than a general compressor is that rows
// of a drawing are much alike. Start from Deflater.
package pack

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
)

// Deflater compresses the rows of a PNG with a palette into zlib's format. It knows three
// things that a general compressor must find out: most rows are like the one above; of any
// other row most pixels are like those just above; and the rest often repeats a piece
// nearby. docs/rendering.md has what that saves. The zero Deflater is ready.
type Deflater struct {
	out    []byte
	acc    uint64 // bits not yet written
	nbits  uint
	tokens []token
	lits   [286]uint32 // how often each symbol occurs in tokens
	dists  [30]uint32
	table  [1 << hashBits]int32 // the last place of a hash of five bytes, plus one
	huff   huffman
}

// Spare is how many bytes behind the pixels the compressor may read.
const Spare = 8

// token is a byte, or a match: its length less 3 above its distance less 1.
type token uint32

const (
	isMatch   token = 1 << 31
	maxTokens       = 1 << 14
	hashBits        = 13
	window          = 1 << 15
	maxMatch        = 258
)

// Zlib appends pix to out: rows of stride bytes, each with filter byte 0 before it. A row
// like the one above it goes out as PNG's filter 2, "as above", with nothing but zeros.
// A row has at least five bytes, and Spare bytes behind pix must be readable.
func (z *Deflater) Zlib(out, pix []byte, stride int) []byte {
	z.out, z.acc, z.nbits, z.tokens = append(out, 0x78, 0x5E), 0, 0, z.tokens[:0]
	clear(z.table[:])
	clear(z.lits[:])
	clear(z.dists[:])
	sum, plain := adler{a: 1}, 0 // plain is where the last row without filter lies
	for at := 0; at < len(pix); at += stride {
		line := pix[at : at+stride]
		if at > 0 && at+stride-plain <= window && bytes.Equal(line, pix[at-stride:at]) {
			z.literal(2)
			z.literal(0)
			z.repeat(stride-2, 1)
			sum = sum.then(adler{2, uint32(2 * stride % adlerBase)}, stride)
		} else {
			z.row(pix[:len(pix)+Spare], at, at+stride, at-plain)
			sum = sum.then(adlerOf(line), stride)
			plain = at
		}
		if len(z.tokens) > maxTokens-stride {
			z.block(false)
		}
	}
	z.block(true)
	z.flush()
	return binary.BigEndian.AppendUint32(z.out, sum.b<<16|sum.a)
}

// repeat takes n bytes from dist before.
func (z *Deflater) repeat(n, dist int) {
	for n > 0 {
		l := min(n, maxMatch)
		if rest := n - l; rest > 0 && rest < 3 {
			l -= 3 // no match is shorter
		}
		z.match(l, dist)
		n -= l
	}
}

// row finds the tokens of the row pix[i:end]. The row above it in the picture lies up
// bytes before; up is 0 in the first row.
func (z *Deflater) row(pix []byte, i, end, up int) {
	stride := end - i
	for start := i; i < end; {
		here := binary.LittleEndian.Uint64(pix[i:])
		best, dist := 0, up
		if up > 0 {
			if best = same(pix, i, i-up, end, here); best >= 8 {
				z.match(best, up)
				i += best
				continue
			}
		}
		slot := &z.table[hash(here)]
		c := int(*slot) - 1
		*slot = int32(i + 1)
		if c >= 0 && i-c <= window {
			// A distance that is not the usual one costs bits, so it has to earn them; and
			// the match may not run into the next row, which may have gone out as zeros.
			if n := same(pix, i, c, end, here); n > best+1 && n >= 4 {
				if n = min(n, stride-c%stride); n > best+1 && n >= 4 {
					best, dist = n, i-c
				}
			}
		}
		if i > start && best < 8 { // the same colour again is the cheapest match
			if n := same(pix, i, i-1, end, here); n >= 3 && n >= best {
				z.match(n, 1)
				i += n
				continue
			}
		}
		if best < 3 {
			z.literal(pix[i])
			i++
			continue
		}
		if best < 8 && i+1 < end && up > 0 { // would it be better to wait for the next byte?
			if n := same(pix, i+1, i+1-up, end, here>>8|uint64(pix[i+8])<<56); n > best+1 {
				z.literal(pix[i])
				z.match(n, up)
				i += n + 1
				continue
			}
		}
		z.match(best, dist)
		for j := i + 1; j < i+min(best, 12); j++ {
			z.table[hash(binary.LittleEndian.Uint64(pix[j:]))] = int32(j + 1)
		}
		i += best
	}
}

// hash is of the first five of eight bytes.
func hash(b uint64) uint32 { return uint32(b << 24 * 0x9E3779B185EBCA87 >> (64 - hashBits)) }

// same is how many bytes from i and from j on are the same, up to end and at most 258.
// here holds the first eight bytes from i on.
func same(pix []byte, i, j, end int, here uint64) int {
	most := min(end-i, maxMatch)
	if d := here ^ binary.LittleEndian.Uint64(pix[j:]); d != 0 {
		return min(bits.TrailingZeros64(d)>>3, most)
	}
	for n := 8; n < most; n += 8 {
		if d := binary.LittleEndian.Uint64(pix[i+n:]) ^ binary.LittleEndian.Uint64(pix[j+n:]); d != 0 {
			return min(n+bits.TrailingZeros64(d)>>3, most)
		}
	}
	return most
}

func (z *Deflater) literal(b byte) {
	z.tokens = append(z.tokens, token(b))
	z.lits[b]++
}

func (z *Deflater) match(length, dist int) {
	z.tokens = append(z.tokens, isMatch|token(length-3)<<16|token(dist-1))
	z.lits[257+int(lengthSymbol[length-3])]++
	z.dists[distSymbol(dist-1)]++
}

// The symbols of lengths and distances, and how many bits follow them (RFC 1951, 3.2.5).
var (
	lengthBase = [29]uint16{0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128,
		160, 192, 224, 255}
	lengthExtra = [29]uint8{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}
)

// lengthSymbol is the symbol of each length less 3.
var lengthSymbol = func() (t [256]uint8) {
	for i := range t {
		s, _ := slices.BinarySearch(lengthBase[:], uint16(i)+1)
		t[i] = uint8(s - 1)
	}
	return t
}()

// distSymbol is the symbol of a distance less 1: two symbols for each power of two.
func distSymbol(d int) int {
	if d < 4 {
		return d
	}
	n := bits.Len32(uint32(d)) - 1
	return 2*n + d>>(n-1)&1
}

// block writes the tokens as one block with codes of its own.
func (z *Deflater) block(last bool) {
	z.lits[256] = 1
	h := &z.huff
	h.build(h.lit[:], z.lits[:], 15)
	h.build(h.dist[:], z.dists[:], 15)
	z.head(last)
	for _, t := range z.tokens {
		if t&isMatch == 0 {
			c := h.lit[t]
			z.bits(uint64(c.bits), c.n)
			continue
		}
		length, d := uint(t>>16&0xFF), int(t&0xFFFF)
		s := lengthSymbol[length]
		c := h.lit[257+int(s)]
		z.bits(uint64(c.bits)|uint64(length-uint(lengthBase[s]))<<c.n, c.n+uint(lengthExtra[s]))
		ds := distSymbol(d)
		c = h.dist[ds]
		extra := uint(max(0, ds/2-1))
		z.bits(uint64(c.bits)|uint64(d&(1<<extra-1))<<c.n, c.n+extra)
	}
	end := h.lit[256]
	z.bits(uint64(end.bits), end.n)
	z.tokens = z.tokens[:0]
	clear(z.lits[:])
	clear(z.dists[:])
}

// head writes the head of a block: the lengths of the codes, themselves coded.
func (z *Deflater) head(last bool) {
	h := &z.huff
	nlit, ndist := used(h.lit[:], 257), used(h.dist[:], 1)
	var lengths [316]uint8
	for i := range nlit {
		lengths[i] = uint8(h.lit[i].n)
	}
	for i := range ndist {
		lengths[nlit+i] = uint8(h.dist[i].n)
	}
	var buf [316]uint16
	runs := runsOf(lengths[:nlit+ndist], buf[:0])
	var counts [19]uint32
	for _, r := range runs {
		counts[r&31]++
	}
	h.build(h.head[:], counts[:], 7)
	order := [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}
	nhead := 19
	for nhead > 4 && h.head[order[nhead-1]].n == 0 {
		nhead--
	}
	first := uint64(2 << 1) // codes of its own
	if last {
		first |= 1
	}
	z.bits(first, 3)
	z.bits(uint64(nlit-257), 5)
	z.bits(uint64(ndist-1), 5)
	z.bits(uint64(nhead-4), 4)
	for _, o := range order[:nhead] {
		z.bits(uint64(h.head[o].n), 3)
	}
	for _, r := range runs {
		c := h.head[r&31]
		z.bits(uint64(c.bits), c.n)
		if r&31 >= 16 {
			z.bits(uint64(r>>8), [3]uint{2, 3, 7}[r&31-16])
		}
	}
}

// used is the number of codes up to the last one in use, but at least least.
func used(codes []code, least int) int {
	n := len(codes)
	for n > least && codes[n-1].n == 0 {
		n--
	}
	return n
}

// runsOf adds lengths to runs as the symbols of a head: 16 repeats the last length, 17 and
// 18 are zeros; how often stands above.
func runsOf(lengths []uint8, runs []uint16) []uint16 {
	for i := 0; i < len(lengths); {
		run := 1
		for i+run < len(lengths) && lengths[i+run] == lengths[i] {
			run++
		}
		sym, n := uint16(lengths[i]), 1
		switch {
		case lengths[i] == 0 && run >= 11:
			n = min(run, 138)
			sym = 18 | uint16(n-11)<<8
		case lengths[i] == 0 && run >= 3:
			n = run
			sym = 17 | uint16(n-3)<<8
		case i > 0 && lengths[i] == lengths[i-1] && run >= 3:
			n = min(run, 6)
			sym = 16 | uint16(n-3)<<8
		}
		runs = append(runs, sym)
		i += n
	}
	return runs
}

// bits writes the n lowest bits of v, n being 32 at most.
func (z *Deflater) bits(v uint64, n uint) {
	z.acc |= v << z.nbits
	z.nbits += n
	if z.nbits >= 32 {
		z.out = binary.LittleEndian.AppendUint32(z.out, uint32(z.acc))
		z.acc >>= 32
		z.nbits -= 32
	}
}

func (z *Deflater) flush() {
	for n := int(z.nbits); n > 0; n -= 8 {
		z.out = append(z.out, byte(z.acc))
		z.acc >>= 8
	}
	z.acc, z.nbits = 0, 0
}
