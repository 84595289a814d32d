//go:build !amd64

package five

// Only amd64 has vector instructions here: no others could be checked.
const vectors = false

func relineVector(*board, uint64, uint64, *[40]uint8) int { return 0 }

func layersVector(*vectorLayers, *[hidden1 / 2]uint64, *[2]sums, *[2]sums, int, *[hidden2]int32) {}

func topVector(*scored, int) int { return 0 }

func fetch(*entry) {}

func gridVector(*[pc]int16, *[256]cell, int, *[codes][pc]int16, *[codes][pc]int16) {}

func spokesVector(*[gridCells][pc]int16, []scored, *[256]cell, int, *[2 + 2*spokes][pc]int16,
	*[256][pc]int16, *[256]int32) {
}

func drawsVector(*draws, *[256]scored, int) {}
