package five

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// vectors says that the processor and the system have the instructions below (AVX2, BMI1 and
// BMI2). Tests switch it off.
var vectors = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasBMI2

// relineVector does what relinePlain does, but for classes: it gives the number of changed cells
// whose class has changed for either colour, and in moved the places of these cells, counted from
// the first that the stone has changed.
//
//go:noescape
func relineVector(b *board, p, stone uint64, moved *[40]uint8) int

// apart are bytes of the line table as a cell has them: 16 bits from one side's pattern to the
// other's.
//
//lint:ignore U1000 relineVector reads it
var apart = func() (t [256]uint32) {
	for i := range t {
		t[i] = uint32(i&15 | i>>4<<16)
	}
	return t
}()

// The assembly counts on these sizes.
var (
	_ [5 - unsafe.Sizeof(place{})]struct{}
	_ [unsafe.Sizeof(place{}) - 5]struct{}
	_ [10 - unsafe.Sizeof(saved{})]struct{}
	_ [unsafe.Sizeof(saved{}) - 10]struct{}
	_ [8 - unsafe.Sizeof(lanesOf{})]struct{}
	_ [unsafe.Sizeof(lanesOf{}) - 8]struct{}
)

// layersVector gives the same numbers as layersPlain.
//
//go:noescape
func layersVector(n *vectorLayers, bias *[hidden1 / 2]uint64, now, before *[2]sums, me int, out *[hidden2]int32)

// topVector gives the same place as topPlain among fewest moves or more.
//
//go:noescape
func topVector(moves *scored, n int) int

// fetch asks the memory for an entry of the table, so that it is there when get reads it.
//
//go:noescape
func fetch(e *entry)

// gridVector fills the cells of the grid from the first on, as gridPlain does.
//
//go:noescape
func gridVector(to *[pc]int16, cells *[256]cell, me int, own, other *[codes][pc]int16)

// spokesVector gives the same sums as spokesPlain for one candidate or more.
//
//go:noescape
func spokesVector(grid *[gridCells][pc]int16, moves []scored, cells *[256]cell, me int, weight *[2 + 2*spokes][pc]int16,
	line *[256][pc]int16, to *[256]int32)

// drawsVector gives the first n moves, at least one and in the order of their points, the scores that
// plain gives them. It takes eight at a time, so that up to seven behind them get some score too.
//
//go:noescape
func drawsVector(d *draws, moves *[256]scored, n int)
