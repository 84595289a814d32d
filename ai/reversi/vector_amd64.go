package reversi

import "golang.org/x/sys/cpu"

// vectors says that the processor and the system have the vector instructions below (AVX2).
// Tests switch it off.
var vectors = cpu.X86.HasAVX2

// turnVector gives the discs that p turns by playing x, on whose rays r it plays, and writes the
// features after the move to f: what flips and play give.
//
//go:noescape
func turnVector(f, from *features, t *indexing, r *rays, x, p, o uint64) (flipped uint64)

// leafVector gives the discs turned and the sum of the weights after the move.
//
//go:noescape
func leafVector(w *stage, from *features, t *indexing, r *rays, x, p, o uint64) (flipped uint64, sum int)

// sumVector is the sum of the weights of f.
//
//go:noescape
func sumVector(w *stage, f *features) int

// fetch asks the memory for a bucket of the table, so that it is there when find reads it.
//
//go:noescape
func fetch(b *bucket)
