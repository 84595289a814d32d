package pack

import (
	"math/bits"
	"slices"
)

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
