package render

import "math"

// noise is smooth noise between 0 and 1 on a line: random values at whole x, joined.
func noise(seed uint32, x float64) float64 {
	i := math.Floor(x)
	f := x - i
	f = f * f * (3 - 2*f)
	a, b := random(seed, int(i), 0), random(seed, int(i)+1, 0)
	return a + (b-a)*f
}

// noise2 is smooth noise between 0 and 1 on a plane.
func noise2(seed uint32, x, y float64) float64 {
	i, j := math.Floor(x), math.Floor(y)
	f, h := x-i, y-j
	f, h = f*f*(3-2*f), h*h*(3-2*h)
	a, b := random(seed, int(i), int(j)), random(seed, int(i)+1, int(j))
	c, d := random(seed, int(i), int(j)+1), random(seed, int(i)+1, int(j)+1)
	return (a+(b-a)*f)*(1-h) + (c+(d-c)*f)*h
}

// random is a number between 0 and 1 that depends on seed, i and j alone.
func random(seed uint32, i, j int) float64 {
	h := seed*0x9E3779B1 + uint32(i)*0x85EBCA6B + uint32(j)*0xC2B2AE35
	h ^= h >> 15
	h *= 0x2C1B3C6D
	h ^= h >> 12
	h *= 0x297A2D39
	h ^= h >> 15
	return float64(h>>8) / (1 << 24)
}
