package reversi

import "math/bits"

// coder is an arithmetic coder of bits, for the file of weights. One half writes, the
// other reads, and one description of the file by bit and number serves both. The less
// expected a number is, the more bits it takes: the file has two thirds of the size that
// deflate makes.
type coder struct {
	reading bool
	data    []byte // written so far, or not yet read
	short   bool   // more was read than there is
	lo, hi  uint32 // what is left of the range
	at      uint32 // where in it the reader stands
}

func readCoder(data []byte) *coder {
	c := &coder{reading: true, data: data, hi: ^uint32(0)}
	for range 4 {
		c.next()
	}
	return c
}

func (c *coder) next() {
	c.at <<= 8
	if len(c.data) == 0 {
		c.short = true
		return
	}
	c.at |= uint32(c.data[0])
	c.data = c.data[1:]
}

// finish ends the writing and gives what was written.
func (c *coder) finish() []byte {
	return append(c.data, byte(c.lo>>24), byte(c.lo>>16), byte(c.lo>>8), byte(c.lo))
}

// chance is how likely a bit is set, in 65536ths, and from how many bits that was learned.
type chance struct {
	set  uint16
	seen uint8
}

// mostSeen bounds what a chance remembers.
const mostSeen = 250

var chanceRates = makeRates()

func makeRates() (t [mostSeen + 1]int32) {
	for i := range t {
		t[i] = int32(65536 / (float64(i) + 1.6))
	}
	return t
}

// bit writes v, or reads and gives it.
func (c *coder) bit(p *chance, v bool) bool {
	if p.seen == 0 {
		p.set = 1 << 15
	}
	likely := min(max(p.set, 48), 65535-48)
	v = c.split(c.lo+uint32(uint64(c.hi-c.lo)*uint64(likely)>>16), v)
	want := int32(0)
	if v {
		want = 65535
	}
	p.set = uint16(int32(p.set) + int32(int64(want-int32(p.set))*int64(chanceRates[p.seen])>>16))
	p.seen = min(p.seen+1, mostSeen)
	return v
}

// split writes v, or reads and gives it: up to mid the range means true.
func (c *coder) split(mid uint32, v bool) bool {
	if c.reading {
		v = c.at <= mid
	}
	if v {
		c.hi = mid
	} else {
		c.lo = mid + 1
	}
	for (c.lo^c.hi)>>24 == 0 {
		if c.reading {
			c.next()
		} else {
			c.data = append(c.data, byte(c.hi>>24))
		}
		c.lo, c.hi = c.lo<<8, c.hi<<8|255
	}
	return v
}

// plain codes the lowest n bits of v, each as likely set as not.
func (c *coder) plain(v uint32, n int) (out uint32) {
	for i := n - 1; i >= 0; i-- {
		out <<= 1
		if c.split(c.lo+(c.hi-c.lo)/2, v>>i&1 != 0) {
			out |= 1
		}
	}
	return out
}

// sizes are the chances of how many bits a number has, and of the bit below the first.
type sizes struct {
	more   [16]chance
	second [16]chance
}

// number codes v, less than 1<<15 either way: whether it is zero, its sign, its size, and
// the bits below the first.
func (c *coder) number(v int, some, negative *chance, s *sizes) int {
	if !c.bit(some, v != 0) {
		return 0
	}
	minus := c.bit(negative, v < 0)
	size, n := bits.Len(uint(abs(v))), 1
	for n < 15 && c.bit(&s.more[n], size > n) {
		n++
	}
	out := uint32(1)
	if n > 1 {
		out <<= 1
		if c.bit(&s.second[n], abs(v)>>(n-2)&1 != 0) {
			out |= 1
		}
		out = out<<(n-2) | c.plain(uint32(abs(v)), n-2)
	}
	if minus {
		return -int(out)
	}
	return int(out)
}
