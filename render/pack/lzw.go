package pack

// LZW is GIF's compression of pixels of seven bits. Unlike compress/lzw it takes the
// pixels row by row from where they lie, puts the bytes straight into GIF's blocks and
// needs no memory of its own, and so it is twice as fast on the changes of a board. The
// zero LZW is ready.
type LZW struct {
	out   []byte
	block int // where the length of the open block stands in out

	acc   uint32 // bits not yet written
	nbits uint
	width uint // of a code

	prefix int32 // code of the pixels seen since the last code; -1 is none
	next   int32 // code to be given next
	table  [tableSize]uint32
}

// Bits is the depth of a pixel; the last of its colours is the transparent one.
const (
	Bits        = 7
	Transparent = 1<<Bits - 1
)

const (
	clearCode = 1 << Bits
	endCode   = clearCode + 1
	maxCode   = 1<<12 - 1
	tableSize = 1 << 14 // four times as many slots as codes
)

// Begin starts the blocks of a frame at the end of out.
func (z *LZW) Begin(out []byte) []byte {
	z.out, z.acc, z.nbits, z.prefix = out, 0, 0, -1
	z.block = len(z.out)
	z.out = append(z.out, 0)
	z.width = Bits + 1
	z.code(clearCode)
	z.reset()
	return z.out
}

// reset forgets all codes.
func (z *LZW) reset() {
	clear(z.table[:])
	z.next, z.width = endCode+1, Bits+1
}

// Write adds a row of pixels.
func (z *LZW) Write(row []uint8) {
	for _, c := range row {
		z.pixel(c)
	}
}

// WriteChange writes row with the transparent colour wherever it is the same as before.
func (z *LZW) WriteChange(row, before []uint8) {
	before = before[:len(row)]
	for i, c := range row {
		if c == before[i] {
			c = Transparent
		}
		z.pixel(c)
	}
}

// pixel adds a pixel. A slot of the table holds a key of 19 bits (the code of what went
// before, and the pixel) above the 12 bits of its code; no slot in use is zero.
func (z *LZW) pixel(c uint8) {
	if z.prefix < 0 {
		z.prefix = int32(c)
		return
	}
	key := uint32(z.prefix)<<Bits | uint32(c)
	slot := (key ^ key>>9) * 0x9E35 >> 3 % tableSize
	for ; z.table[slot] != 0; slot = (slot + 1) % tableSize {
		if t := z.table[slot]; t>>12 == key {
			z.prefix = int32(t & maxCode)
			return
		}
	}
	z.code(uint32(z.prefix))
	z.prefix = int32(c)
	if z.next > maxCode {
		z.code(clearCode)
		z.reset()
		return
	}
	z.table[slot] = key<<12 | uint32(z.next)
	if z.next == 1<<z.width {
		z.width++
	}
	z.next++
}

// code writes a code and fills blocks of 255 bytes.
func (z *LZW) code(c uint32) {
	z.acc |= c << z.nbits
	z.nbits += z.width
	for z.nbits >= 8 {
		z.byte(byte(z.acc))
		z.acc >>= 8
		z.nbits -= 8
	}
}

func (z *LZW) byte(b byte) {
	if len(z.out)-z.block == 256 {
		z.out[z.block] = 255
		z.block = len(z.out)
		z.out = append(z.out, 0)
	}
	z.out = append(z.out, b)
}

// End closes the last block and gives out back.
func (z *LZW) End() []byte {
	if z.prefix >= 0 {
		z.code(uint32(z.prefix))
		// The decoder, one code behind, may have come to need a wider code here.
		if z.next <= maxCode && z.next == 1<<z.width {
			z.width++
		}
	}
	z.code(endCode)
	if z.nbits > 0 {
		z.byte(byte(z.acc))
	}
	z.out[z.block] = byte(len(z.out) - z.block - 1)
	return z.out
}
