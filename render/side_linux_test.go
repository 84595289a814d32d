package render

import (
	"bytes"
	"math"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/zlib"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/opentype"

	"tengen/game"
	"tengen/internal/testkit"
)

// BenchmarkSideBySide takes turns at what is to be compared and reports the least CPU
// time of each, so that a busy machine disturbs it little:
//
//	go test ./render -run xxx -bench SideBySide -benchtime 5x
func BenchmarkSideBySide(b *testing.B) {
	g, long := line(game.Gomoku15, sample), longGame()
	face := must(opentype.NewFace(must(opentype.Parse(gobold.TTF)), &opentype.FaceOptions{Size: 32, DPI: 72}))
	k := must(kitFor(g, Options{}, DefaultSize))
	s := new(raster)
	s.clear(k)
	paint(s, k, g, Options{})
	pix, zip := make([]byte, len(s.pix)), must(zlib.NewWriterLevel(nil, floorLevel))
	var out bytes.Buffer
	rev := line(game.Reversi, "d3c5f6f5e6e3c3f3c4b4")
	renju := line(game.Renju, sample[:len(sample)-5])
	values := graphValues()
	end := playout(game.Reversi)

	jobs := []struct {
		name string
		n    int // times in a row: the clock ticks in milliseconds
		do   func()
	}{
		{"plain", 4, func() { plain(b, g, face) }},
		{"png", 50, func() { must(PNG(g, Options{})) }},
		{"floor", 50, func() {
			copy(pix, s.pix)
			out.Reset()
			zip.Reset(&out)
			zip.Write(pix)
			zip.Close()
		}},
		{"paint", 400, func() { s.clear(k); paint(s, k, g, Options{}) }},
		{"numbers", 40, func() { must(PNG(g, Options{Numbers: All})) }},
		{"reversi", 40, func() { must(PNG(rev, Options{Legal: true})) }},
		{"renju", 40, func() { must(PNG(renju, Options{Forbidden: true})) }},
		{"png700", 80, func() { must(PNG(g, Options{Size: 700})) }},
		{"png525", 120, func() { must(PNG(g, Options{Size: 525})) }},
		{"gif", 10, func() { must(GIF(long, Options{})) }},
		{"gif-reversi", 10, func() { must(GIF(end, Options{})) }},
		{"reversi-end", 40, func() { must(PNG(end, Options{})) }},
		{"kit", 2, func() { newKit(kitKey{k.theme, k.lay}) }},
		{"graph", 10, func() { must(Graph(values, GraphOptions{})) }},
	}
	least := make([]float64, len(jobs))
	for i, j := range jobs {
		least[i] = math.Inf(1)
		j.do()
	}
	for b.Loop() {
		for i, j := range jobs {
			runtime.GC() // nobody pays for what another left
			start := cpuTime(b)
			for range j.n {
				j.do()
			}
			least[i] = min(least[i], (cpuTime(b)-start).Seconds()*1000/float64(j.n))
		}
	}
	for i, j := range jobs {
		b.ReportMetric(least[i], j.name+"-ms")
	}
	b.ReportMetric(least[0]/least[1], "plain/png")
	b.ReportMetric(least[1]/least[2], "png/floor")
}

// cpuTime is what this process has used, its garbage collector included.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	testkit.Must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
