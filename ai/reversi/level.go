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
	{nodes: 200, greed: 91, noise: 280, depth: 1, end: 1},       // Beginner
	{nodes: 400, greed: 71, noise: 220, depth: 1, end: 2},       // Novice
	{nodes: 600, greed: 59, noise: 180, depth: 2, end: 4},       // Casual player
	{nodes: 1500, greed: 39, noise: 160, depth: 2, end: 6},      // Club player
	{nodes: 4000, greed: 15, noise: 140, depth: 3, end: 8},      // Advanced
	{nodes: 10_000, noise: 90, depth: 5, end: 10},               // Expert
	{nodes: 100_000, noise: 10, depth: 9, end: 15, opening: 50}, // Master
	{nodes: 300_000, opening: 40},                               // Tengen
}

// levelOf is the level that limits name, nil for full strength. Nobody plays alike every day,
// and between two levels that always do the stronger would hardly lose a game: in one game of
// five a level plays like the one below, and in one of five like the one above.
func levelOf(l engine.Limits) *level {
	if l.Level <= 0 {
		return nil
	}
	n := min(l.Level, len(levels))
	return &levels[n-1+form(l.Seed, n)]
}

// form is by how much a level is better than usual in the game of a seed: -1, 0 or 1. Seeds
// that differ in their last eight bits alone are of one game, so that a move that is taken
// back changes nothing. The first level and the last are always themselves, and so is every
// level without a seed.
func form(seed uint64, level int) int {
	if seed == 0 || level == 1 || level == len(levels) {
		return 0
	}
	switch (board{own: seed >> 8, opp: uint64(level)}).mix(saltForm) >> 32 % 5 {
	case 0:
		return -1
	case 1:
		return 1
	}
	return 0
}

const saltForm = 0x6A09E667F3BCC909

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
