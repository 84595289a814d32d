package review

import "math"

// Sample is a position of a game for the fit of a curve. All is from black's view.
type Sample struct {
	Score, Part float64
	Result      float64 // 1, 0.5 or 0
}

// Fit is the curve under which the results of the samples are likeliest, by Newton's method,
// and its mean log loss. A weak prior holds the slopes near those of the engine's own curve.
func Fit(samples []Sample) (c Curve, loss float64) {
	const prior = 10
	c = Curve{1, 1}
	for range 50 {
		gb, ge := prior*(c.Begin-1), prior*(c.End-1.0)
		hbb, hbe, hee := float64(prior), 0.0, float64(prior)
		for _, s := range samples {
			p := c.At(s.Score, s.Part)
			xb, xe := s.Score*(1-s.Part), s.Score*s.Part
			gb += (p - s.Result) * xb
			ge += (p - s.Result) * xe
			w := p * (1 - p)
			hbb += w * xb * xb
			hbe += w * xb * xe
			hee += w * xe * xe
		}
		det := hbb*hee - hbe*hbe
		db, de := (hee*gb-hbe*ge)/det, (hbb*ge-hbe*gb)/det
		c.Begin, c.End = c.Begin-db, c.End-de
		if math.Abs(db)+math.Abs(de) < 1e-9 {
			break
		}
	}
	return c, Loss(samples, c)
}

// Loss is the mean log loss of the results of samples under a curve.
func Loss(samples []Sample, c Curve) float64 {
	sum := 0.0
	for _, s := range samples {
		p := min(max(c.At(s.Score, s.Part), 1e-6), 1-1e-6)
		sum -= s.Result*math.Log(p) + (1-s.Result)*math.Log(1-p)
	}
	return sum / float64(max(len(samples), 1))
}
