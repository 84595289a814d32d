package main

import (
	"testing"

	"tengen/game/record"
	"tengen/internal/testkit"
)

// BenchmarkJudge tells how many Renju positions one core judges, the line read and the
// answer written as JSON.
func BenchmarkJudge(b *testing.B) {
	lines := []string{
		"renju start",
		"renju h8i9j10i8i7g9",
		"renju h8h9h6i10i6i9g9g8j11i7",
		"renju h8h9j9j8f8i7g7i9h6e9f6k7l6i10i6f9g9g11h10i11",
		"renju h8g6f6g5f7g4h7g3g2a1",
		"renju .............../.............../.............../.............../...O..O......../....X..X.O...../" +
			"....OXOXX....../......XX..O..../......OOXX...../.....XO......../....OX........./.....O........./" +
			".............../.............../............... X",
	}
	i := 0
	for b.Loop() {
		toJSON(judge(testkit.Got(record.ParseLine(lines[i%len(lines)]))))
		i++
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "positions/s")
}
