package render

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"

	"tengen/render/pack"
)

const signature = "\x89PNG\r\n\x1a\n"

// png encodes s with a palette of three bytes a colour: eight bits a pixel, opaque.
func (s *raster) png(plte []byte) []byte {
	s.header(withPalette)
	s.chunk("PLTE", plte)
	s.data(s.w + 1)
	return bytes.Clone(s.out)
}

// alphaPNG encodes im, whose ground may be clear.
func alphaPNG(im *image.RGBA) []byte {
	s := &raster{w: im.Rect.Dx(), h: im.Rect.Dy()}
	s.pix = make([]uint8, 0, (4*s.w+1)*s.h+pack.Spare)
	for y := range s.h {
		s.pix = append(s.pix, 0) // no filter
		for x := range s.w {
			c := color.NRGBAModel.Convert(im.RGBAAt(x, y)).(color.NRGBA)
			s.pix = append(s.pix, c.R, c.G, c.B, c.A)
		}
	}
	s.header(withAlpha)
	s.data(4*s.w + 1)
	return s.out
}

// PNG's numbers of the kinds of pixels.
const (
	withPalette = 3
	withAlpha   = 6
)

func (s *raster) header(kind uint8) {
	s.out = append(s.out[:0], signature...)
	var head [13]byte
	binary.BigEndian.PutUint32(head[0:], uint32(s.w))
	binary.BigEndian.PutUint32(head[4:], uint32(s.h))
	head[8], head[9] = 8, kind // eight bits
	s.chunk("IHDR", head[:])
}

// data appends the pixels, in rows of stride bytes, and the end.
func (s *raster) data(stride int) {
	start := len(s.out)
	s.out = append(s.out, "\x00\x00\x00\x00IDAT"...)
	s.out = s.zip.Zlib(s.out, s.pix, stride)
	s.finish(start)
	s.chunk("IEND", nil)
}

func (s *raster) chunk(name string, data []byte) {
	start := len(s.out)
	s.out = append(s.out, "\x00\x00\x00\x00"...)
	s.out = append(s.out, name...)
	s.out = append(s.out, data...)
	s.finish(start)
}

// finish fills in the length of the chunk that begins at start and adds its checksum.
func (s *raster) finish(start int) {
	c := s.out[start:]
	binary.BigEndian.PutUint32(c, uint32(len(c)-8))
	s.out = binary.BigEndian.AppendUint32(s.out, crc32.ChecksumIEEE(c[4:]))
}
