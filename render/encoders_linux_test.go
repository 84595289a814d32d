package render

import (
	"bytes"
	stdzlib "compress/zlib"
	"fmt"
	"io"
	"math"
	"testing"

	"github.com/klauspost/compress/zlib"

	"tengen/game"
	"tengen/render/pack"
)

// BenchmarkEncoders takes turns at our compressor and at a general one over the same indices
// and prints the least CPU time of each and the bytes: what docs/rendering.md rests on.
//
//	go test ./render -run xxx -bench Encoders -benchtime 1x -v
func BenchmarkEncoders(b *testing.B) {
	g := line(game.Gomoku15, sample)
	for _, name := range Themes() {
		b.Run("png/"+name, func(b *testing.B) { encodePNG(b, g, Options{Theme: name}) })
	}
	for _, size := range []int{200, 350, 525, 700, 2100} {
		b.Run(fmt.Sprintf("png/%d", size), func(b *testing.B) { encodePNG(b, g, Options{Size: size}) })
	}
	b.Run("png/reversi", func(b *testing.B) { encodePNG(b, playout(game.Reversi), Options{}) })
}

// contender is one way to encode; it gives the number of bytes.
type contender struct {
	name string
	do   func() int
}

// compete times each contender and paint, which all need before they begin.
func compete(b *testing.B, paint func(), all []contender) {
	least, size := make([]float64, len(all)+1), make([]int, len(all))
	for i := range least {
		least[i] = math.Inf(1)
	}
	for range 25 {
		for i := range least {
			start := cpuTime(b)
			for range 4 {
				if i == len(all) {
					paint()
				} else {
					size[i] = all[i].do()
				}
			}
			least[i] = min(least[i], (cpuTime(b)-start).Seconds()*1000/4)
		}
	}
	paints := least[len(all)]
	text := fmt.Sprintf("%-18s paint %.2f ms", b.Name()[len("BenchmarkEncoders/"):], paints)
	for i, c := range all {
		text += fmt.Sprintf(" | %s %.2f ms %d bytes, in all x%.2f", c.name, least[i], size[i],
			(least[i]+paints)/(least[0]+paints))
	}
	b.Log(text)
}

func encodePNG(b *testing.B, g game.Game, o Options) {
	k := must(kitFor(g, o, DefaultSize))
	s := new(raster)
	draw := func() { s.clear(k); paint(s, k, g, o) }
	draw()
	var z pack.Deflater
	var ours []byte
	all := []contender{{"ours", func() int { ours = z.Zlib(ours[:0], s.pix, s.w+1); return len(ours) }}}
	for _, level := range []int{1, 3, 4} {
		all = append(all, general(fmt.Sprintf("zlib %d", level), must(zlib.NewWriterLevel(nil, level)), s.pix))
	}
	for _, level := range []int{1, 6} {
		all = append(all, general(fmt.Sprintf("standard %d", level), must(stdzlib.NewWriterLevel(nil, level)), s.pix))
	}
	// The same with rows like the one above written as such, which PNG's filter 2 allows.
	zip, above := must(zlib.NewWriterLevel(nil, 3)), make([]byte, s.w+1)
	above[0] = 2
	var out bytes.Buffer
	all = append(all, contender{"zlib 3, rows as above", func() int {
		out.Reset()
		zip.Reset(&out)
		for y := range s.h {
			if y > 0 && bytes.Equal(s.row(y), s.row(y-1)) {
				zip.Write(above)
			} else {
				zip.Write(s.pix[y*(s.w+1) : (y+1)*(s.w+1)])
			}
		}
		zip.Close()
		return out.Len()
	}})
	compete(b, draw, all)
}

// zipper is a writer of zlib that can begin anew.
type zipper interface {
	io.WriteCloser
	Reset(io.Writer)
}

// general is a compressor that knows nothing of pictures, over pix.
func general(name string, zip zipper, pix []byte) contender {
	var out bytes.Buffer
	return contender{name, func() int {
		out.Reset()
		zip.Reset(&out)
		zip.Write(pix)
		zip.Close()
		return out.Len()
	}}
}
