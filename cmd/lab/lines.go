package main

import "tengen/game"

// A line shape is what stands on a line of the board from five points before a point to five after
// it, the edges included, for the side to move: own stones, the other's, empty points. It is a number
// of the codebook, the same for a line and its mirror image. This is what a network sees of a board.

// lineReach is how many points to either side of a point belong to its line shape.
const lineReach = 5

// lineShapes is the size of the codebook. lineFrom is where the shapes begin that have so many points
// of the board before and after their own; within these a shape is a number in base 3.
var lineShapes, lineFrom = func() (n int32, from [lineReach + 1][lineReach + 1]int32) {
	for before := range from {
		for after := range from {
			from[before][after] = n
			shapes := int32(1)
			for range before + 1 + after {
				shapes *= 3
			}
			n += shapes
		}
	}
	return n, from
}()

// lineShape is the shape of the line for its point number i.
func lineShape(line []uint8, i int) int32 {
	from, to := max(0, i-lineReach), min(len(line), i+lineReach+1)
	before, after := i-from, to-1-i
	there, back := int32(0), int32(0)
	for k := range to - from {
		there = 3*there + int32(line[from+k])
		back = 3*back + int32(line[to-1-k])
	}
	return min(lineFrom[before][after]+there, lineFrom[after][before]+back)
}

// shapesOf appends the line shapes of the position after the moves to shapes: four for each point of
// the board, empty or not.
func shapesOf(shapes []int32, moves []game.Point, size int) []int32 {
	var stones [256]uint8
	for i, p := range moves {
		stones[p] = uint8(1 + (len(moves)-i)%2) // the side to move has the last but one, and so on
	}
	var line [16]uint8
	for _, way := range [4][2]int{{1, 0}, {0, 1}, {1, 1}, {1, -1}} {
		for row := range size {
			for col := range size {
				if c, r := col-way[0], row-way[1]; c >= 0 && r >= 0 && r < size {
					continue // not the first point of its line
				}
				n := 0
				for c, r := col, row; c < size && r >= 0 && r < size; c, r = c+way[0], r+way[1] {
					line[n] = stones[game.At(c, r)]
					n++
				}
				for i := range n {
					shapes = append(shapes, lineShape(line[:n], i))
				}
			}
		}
	}
	return shapes
}
