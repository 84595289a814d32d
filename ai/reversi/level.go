package reversi

import (
	"math"

	"tengen/ai/engine"
)

// A level is a node count and a way of seeing. Novices do not know that discs count for
// little before the end: they grab discs, step beside corners to do so, and judge
// unevenly. depth bounds how far a level looks ahead; end is the number of empty squares
// from which it counts to the last disc.
type level struct {
	nodes   int64   // a move; from level 6 on at most
	greed   int     // hundredths
	noise   float64 // standard deviation of a judgement, in hundredths of a disc
	depth   int     // 0: as far as the nodes go
	end     int     // 0: as early as the nodes allow
	opening float64 // noise in the first moves, where it is more
}

// openingMoves is how long the noise of the opening lasts, which makes games differ.
const openingMoves = 10

var levels = [8]level{
	{nodes: 200, greed: 39, noise: 140, depth: 1, end: 1}, // Beginner
	{nodes: 600, greed: 30, noise: 160, depth: 2, end: 3}, // Novice
	{nodes: 1000, greed: 15, noise: 76, depth: 2, end: 5}, // Casual player
	{nodes: 3000, greed: 5, noise: 75, depth: 3, end: 7},  // Club player
	{nodes: 8000, noise: 75, depth: 5, end: 10},           // Advanced
	{nodes: 30_000, noise: 34, depth: 7, end: 12},         // Expert
	{nodes: 100_000, depth: 10, end: 16, opening: 50},     // Master
	{nodes: 300_000, opening: 40},                         // Tengen
}

// levelOf is the level that limits name, nil for full strength.
func levelOf(l engine.Limits) *level {
	if l.Level <= 0 {
		return nil
	}
	return &levels[min(l.Level, len(levels))-1]
}

// noiseAt is the standard deviation of the level's judgement with n empty squares.
func (l *level) noiseAt(n int) float64 {
	if 60-n < openingMoves {
		return max(l.noise, l.opening)
	}
	return l.noise
}

// bell is a random number of the standard normal distribution, the same for the same seed,
// board and square.
func bell(seed uint64, b board, x square) float64 {
	h := b.mix(seed*0x9E3779B97F4A7C15 + uint64(x)<<1 + 1)
	g := (h ^ h>>32) * 0xD6E8FEB86659FD93
	g ^= g >> 32
	u := (float64(h>>11) + 0.5) / (1 << 53)
	v := float64(g>>11) / (1 << 53)
	return math.Sqrt(-2*math.Log(u)) * math.Cos(2*math.Pi*v)
}
