package render

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
)

// deflater compresses the rows of a PNG with a palette into zlib's format. It knows what
// a general compressor must find out: that most rows are like the one above, that most
// of any other stands just above it too, and that what does not is a piece like another
// one nearby. So it needs about half the time of klauspost's zlib for as few bytes.
type deflater struct {
	out    []byte
	acc    uint64 // bits not yet written
	nbits  uint
	tokens []token
	lits   [286]uint32 // how often each symbol occurs in tokens
	dists  [30]uint32
	table  [1 << hashBits]int32 // the last place of a hash of five bytes, plus one
	huff   huffman
}

// token is a byte, or a match: its length less 3 above its distance less 1.
type token uint32

const (
	isMatch   token = 1 << 31
	maxTokens       = 1 << 14
	hashBits        = 13
	window          = 1 << 15
	maxMatch        = 258
)

// zlib appends pix to out: rows of stride bytes, each with filter byte 0 before it. A row
// like the one above it goes out as PNG's filter 2, "as above", with nothing but zeros.
// A row has five bytes at least, and beyond pix there must be eight that may be read.
func (z *deflater) zlib(out, pix []byte, stride int) []byte {
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
			z.row(pix[:len(pix)+8], at, at+stride, at-plain)
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
func (z *deflater) repeat(n, dist int) {
	for n > 0 {
		l := min(n, maxMatch)
		if rest := n - l; rest > 0 && rest < 3 {
			l -= 3 // no match is shorter
		}
		z.match(l, dist)
		n -= l
	}
}

// row finds the tokens of the row pix[i:end]. What stands above it in the picture stands
// up bytes before, 0 in the first row.
func (z *deflater) row(pix []byte, i, end, up int) {
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

// same is how many bytes from i and from j are the same, up to end and 258. The first
// eight from i are here.
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

func (z *deflater) literal(b byte) {
	z.tokens = append(z.tokens, token(b))
	z.lits[b]++
}

func (z *deflater) match(length, dist int) {
	z.tokens = append(z.tokens, isMatch|token(length-3)<<16|token(dist-1))
	z.lits[257+int(lengthSymbol[length-3])]++
	z.dists[distSymbol(dist-1)]++
}

// The symbols of lengths and distances, and how many bits follow them (RFC 1951, 3.2.5).
var (
	lengthBase  = [29]uint16{0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 255}
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
func (z *deflater) block(last bool) {
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
func (z *deflater) head(last bool) {
	h := &z.huff
	nlit, ndist := 286, 30
	for nlit > 257 && h.lit[nlit-1].n == 0 {
		nlit--
	}
	for ndist > 1 && h.dist[ndist-1].n == 0 {
		ndist--
	}
	var lengths [316]uint8
	for i := range nlit {
		lengths[i] = uint8(h.lit[i].n)
	}
	for i := range ndist {
		lengths[nlit+i] = uint8(h.dist[i].n)
	}
	// Runs: 16 repeats the last length, 17 and 18 are zeros; the repeats stand above.
	var runs [316]uint16
	var counts [19]uint32
	n := 0
	all := lengths[:nlit+ndist]
	for i := 0; i < len(all); {
		run := 1
		for i+run < len(all) && all[i+run] == all[i] {
			run++
		}
		sym, used := uint16(all[i]), 1
		switch {
		case all[i] == 0 && run >= 11:
			used = min(run, 138)
			sym = 18 | uint16(used-11)<<8
		case all[i] == 0 && run >= 3:
			used = run
			sym = 17 | uint16(used-3)<<8
		case i > 0 && all[i] == all[i-1] && run >= 3:
			used = min(run, 6)
			sym = 16 | uint16(used-3)<<8
		}
		runs[n] = sym
		counts[sym&31]++
		n++
		i += used
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
	for _, r := range runs[:n] {
		c := h.head[r&31]
		z.bits(uint64(c.bits), c.n)
		switch r & 31 {
		case 16:
			z.bits(uint64(r>>8), 2)
		case 17:
			z.bits(uint64(r>>8), 3)
		case 18:
			z.bits(uint64(r>>8), 7)
		}
	}
}

// bits writes the n lowest bits of v, n being 32 at most.
func (z *deflater) bits(v uint64, n uint) {
	z.acc |= v << z.nbits
	z.nbits += n
	if z.nbits >= 32 {
		z.out = binary.LittleEndian.AppendUint32(z.out, uint32(z.acc))
		z.acc >>= 32
		z.nbits -= 32
	}
}

func (z *deflater) flush() {
	for n := int(z.nbits); n > 0; n -= 8 {
		z.out = append(z.out, byte(z.acc))
		z.acc >>= 8
	}
	z.acc, z.nbits = 0, 0
}

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

// huffman builds codes; it holds those of one block.
type huffman struct {
	lit  [286]code
	dist [30]code
	head [19]code
	leaf []leaf
	node []node
}

// code is a code as deflate writes it, its first bit lowest. n is 0 for an unused symbol.
type code struct {
	bits uint32
	n    uint
}

type leaf struct {
	count  uint32
	symbol uint16
}

type node struct {
	count       uint32
	left, right int16
	depth       uint8
}

// build fills codes with codes of at most limit bits for symbols that occur so often.
func (h *huffman) build(codes []code, counts []uint32, limit uint) {
	clear(codes)
	h.leaf = h.leaf[:0]
	for s, n := range counts {
		if n > 0 {
			h.leaf = append(h.leaf, leaf{n, uint16(s)})
		}
	}
	switch len(h.leaf) {
	case 0: // a decoder wants to see one code
		codes[0].n = 1
		return
	case 1:
		codes[h.leaf[0].symbol].n = 1
		return
	}
	slices.SortFunc(h.leaf, func(a, b leaf) int {
		if a.count != b.count {
			return int(a.count) - int(b.count)
		}
		return int(a.symbol) - int(b.symbol)
	})
	for !h.lengths(codes, limit) {
		for i := range h.leaf { // flatter counts give shorter codes
			h.leaf[i].count = h.leaf[i].count/2 + 1
		}
	}
	assign(codes)
}

// lengths finds the lengths of the codes; it is false when one is longer than limit.
func (h *huffman) lengths(codes []code, limit uint) bool {
	n := len(h.leaf)
	h.node = h.node[:0]
	for i, l := range h.leaf {
		h.node = append(h.node, node{count: l.count, left: -1, right: int16(i)})
	}
	// Two queues in order of count: leaves, and the nodes made of them.
	next, made := 0, n
	take := func() int16 {
		if next < n && (made >= len(h.node) || h.node[next].count <= h.node[made].count) {
			next++
			return int16(next - 1)
		}
		made++
		return int16(made - 1)
	}
	for range n - 1 {
		a, b := take(), take()
		h.node = append(h.node, node{count: h.node[a].count + h.node[b].count, left: a, right: b})
	}
	for i := len(h.node) - 1; i >= 0; i-- {
		m := h.node[i]
		if m.left < 0 {
			if uint(m.depth) > limit {
				return false
			}
			codes[h.leaf[m.right].symbol].n = uint(m.depth)
			continue
		}
		h.node[m.left].depth = m.depth + 1
		h.node[m.right].depth = m.depth + 1
	}
	return true
}

// assign gives codes of known lengths in the order that RFC 1951, 3.2.2 prescribes.
func assign(codes []code) {
	var count, next [16]uint32
	for _, c := range codes {
		count[c.n]++
	}
	count[0] = 0
	for n := 1; n < 16; n++ {
		next[n] = (next[n-1] + count[n-1]) << 1
	}
	for i, c := range codes {
		if c.n > 0 {
			codes[i].bits = bits.Reverse32(next[c.n]) >> (32 - c.n)
			next[c.n]++
		}
	}
}
