package five

import "golang.org/x/sys/cpu"

// vectors says that the processor and the system have the vector instructions below (AVX2).
// Tests switch it off.
var vectors = cpu.X86.HasAVX2

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
func gridVector(to *[pc]int16, at *gridCell, own, other *[pc]int16)

// spokesVector gives the same sums as spokesPlain for n candidates, at least one.
//
//go:noescape
func spokesVector(cells *[pc]int16, list *lookout, n int, weight, line *[pc]int16)
