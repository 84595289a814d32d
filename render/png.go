package render

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

const signature = "\x89PNG\r\n\x1a\n"

// png encodes s with a palette of three bytes a colour: eight bits a pixel, opaque.
func (s *sheet) png(plte []byte) []byte {
	s.out = append(s.out[:0], signature...)
	var head [13]byte
	binary.BigEndian.PutUint32(head[0:], uint32(s.w))
	binary.BigEndian.PutUint32(head[4:], uint32(s.h))
	head[8], head[9] = 8, 3 // bits, palette
	s.chunk("IHDR", head[:])
	s.chunk("PLTE", plte)

	start := len(s.out)
	s.out = append(s.out, "\x00\x00\x00\x00IDAT"...)
	s.out = s.zip.Zlib(s.out, s.pix, s.w+1)
	s.seal(start)
	s.chunk("IEND", nil)
	return bytes.Clone(s.out)
}

func (s *sheet) chunk(name string, data []byte) {
	start := len(s.out)
	s.out = append(s.out, "\x00\x00\x00\x00"...)
	s.out = append(s.out, name...)
	s.out = append(s.out, data...)
	s.seal(start)
}

// seal fills in the length of the chunk that begins at start and adds its checksum.
func (s *sheet) seal(start int) {
	c := s.out[start:]
	binary.BigEndian.PutUint32(c, uint32(len(c)-8))
	s.out = binary.BigEndian.AppendUint32(s.out, crc32.ChecksumIEEE(c[4:]))
}
