package render

import (
	"bytes"
	"cmp"
	"compress/lzw"
	"image"
	"sync"
	"time"

	"tengen/game"
)

// The defaults of a GIF.
const (
	DefaultGIFSize = 700
	defaultDelay   = 700 * time.Millisecond
	defaultHold    = 4 * time.Second
	glimpse        = 500 * time.Millisecond // of the end, before the replay begins
)

// GIF replays g move by move, from its start position to where it stands, and over
// again. The first frame is a glimpse of where g stands: viewers that do not play a film show
// that frame. All frames share one palette, and each holds only what changed. The caller owns
// the bytes.
func GIF(g game.Game, o Options) ([]byte, error) {
	k, err := kitFor(g, o, DefaultGIFSize)
	if err != nil {
		return nil, err
	}
	delay, hold := cmp.Or(o.Delay, defaultDelay), cmp.Or(o.Hold, defaultHold)

	now, before := rasters.Get().(*raster), rasters.Get().(*raster)
	f := films.Get().(*film)
	defer func() { rasters.Put(now); rasters.Put(before); films.Put(f) }()
	f.begin(k)
	bare := o
	bare.Marks = nil // marks belong to where the game stands
	show := func(last game.Position, step game.Game, o Options, delay time.Duration) {
		now.clear(k)
		paintAfter(now, k, last, step, o)
		if f.frames++; f.frames == 1 {
			f.frame(now, nil, image.Rect(0, 0, now.w, now.h), delay)
		} else {
			f.frame(now, before, changed(now, before), delay)
		}
		now, before = before, now
	}
	moves := g.Moves()
	step := g.Until(0)
	last := step.Position()
	if len(moves) > 0 {
		show(g.Until(len(moves)-1).Position(), g, o, glimpse)
		show(last, step, bare, delay)
	}
	for i, p := range moves {
		last = step.Position()
		if step, err = step.Play(p); err != nil {
			return nil, err
		}
		if i < len(moves)-1 {
			show(last, step, bare, delay)
		}
	}
	show(last, step, o, hold)
	return f.end(), nil
}

// changed is the smallest box round all pixels in which the two differ, at least a pixel.
func changed(now, before *raster) image.Rectangle {
	box := image.Rectangle{Min: image.Pt(now.w, now.h)}
	for y := range now.h {
		a, b := now.row(y), before.row(y)
		if bytes.Equal(a, b) {
			continue
		}
		from, to := 0, len(a)
		for a[from] == b[from] {
			from++
		}
		for a[to-1] == b[to-1] {
			to--
		}
		box.Min.X, box.Max.X = min(box.Min.X, from), max(box.Max.X, to)
		box.Min.Y, box.Max.Y = min(box.Min.Y, y), y+1
	}
	if box.Empty() {
		return image.Rect(0, 0, 1, 1)
	}
	return box
}

// film is a GIF being written.
type film struct {
	out    []byte
	frames int // so far
	block  int // where the length of the open block stands in out
	lzw    *lzw.Writer
	row    []uint8
}

var films = sync.Pool{New: func() any {
	f := new(film)
	f.lzw = lzw.NewWriter(f, lzw.LSB, gifBits).(*lzw.Writer)
	return f
}}

// begin writes the head: the size, the palette, whose last colour is the transparent
// one, and that the film runs for ever.
func (f *film) begin(k *kit) {
	f.frames = 0
	side := uint16(k.lay.size)
	f.out = append(f.out[:0], "GIF89a"...)
	f.out = append16(f.out, side, side)
	f.out = append(f.out, 0x80|gifBits-1, 0, 0)
	f.out = append(f.out, k.plte...)
	f.out = append(f.out, make([]byte, 3<<gifBits-len(k.plte))...)
	f.out = append(f.out, "\x21\xFF\x0BNETSCAPE2.0\x03\x01\x00\x00\x00"...)
}

// gifBits is the depth of a GIF's pixels: colors and the transparent one.
const gifBits = 7

// frame writes the box of now, transparent wherever before is the same.
func (f *film) frame(now, before *raster, box image.Rectangle, d time.Duration) {
	f.out = append(f.out, 0x21, 0xF9, 4, 1<<2|1) // leave the frame standing; there is a transparent colour
	f.out = append16(f.out, uint16(min(d/(10*time.Millisecond), 1<<16-1)))
	f.out = append(f.out, colors, 0, 0x2C)
	f.out = append16(f.out, uint16(box.Min.X), uint16(box.Min.Y), uint16(box.Dx()), uint16(box.Dy()))
	f.out = append(f.out, 0, gifBits)
	f.open()
	f.lzw.Reset(f, lzw.LSB, gifBits)
	for y := box.Min.Y; y < box.Max.Y; y++ {
		row := now.row(y)[box.Min.X:box.Max.X]
		if before != nil {
			row = f.change(row, before.row(y)[box.Min.X:box.Max.X])
		}
		f.lzw.Write(row) // film's own Write has no errors
	}
	f.lzw.Close()
	f.out[f.block] = byte(len(f.out) - f.block - 1)
	f.out = append(f.out, 0)
}

// change is row with the transparent colour wherever it is the same as before; the next
// call overwrites it.
func (f *film) change(row, before []uint8) []uint8 {
	f.row = append(f.row[:0], row...)
	before = before[:len(f.row)]
	for i, c := range f.row {
		if c == before[i] {
			f.row[i] = colors
		}
	}
	return f.row
}

// open begins a block, whose length comes before its bytes.
func (f *film) open() {
	f.block = len(f.out)
	f.out = append(f.out, 0)
}

// WriteByte adds a byte of compressed pixels; a block has 255 at most.
func (f *film) WriteByte(b byte) error {
	if len(f.out)-f.block == 256 {
		f.out[f.block] = 255
		f.open()
	}
	f.out = append(f.out, b)
	return nil
}

// Write and Flush complete what lzw writes to; it calls WriteByte alone.
func (f *film) Write(p []byte) (int, error) {
	for _, b := range p {
		f.WriteByte(b)
	}
	return len(p), nil
}

func (f *film) Flush() error { return nil }

// end gives a copy of the finished film.
func (f *film) end() []byte {
	f.out = append(f.out, 0x3B)
	return bytes.Clone(f.out)
}

func append16(b []byte, vs ...uint16) []byte {
	for _, v := range vs {
		b = append(b, byte(v), byte(v>>8))
	}
	return b
}
