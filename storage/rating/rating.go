// Package rating computes ratings after Glickman's Glicko-2 system
// (glicko.net/glicko/glicko2.pdf). Each game is a rating period of its own, and the
// uncertainty grows with the days between games. Start from Play.
package rating

import (
	"math"
	"time"
)

// Rating is the strength of a player: R is near 1500 for the average, and with 95 %
// certainty the true strength lies within 2 RD of R. The zero Rating is a newcomer's.
type Rating struct {
	R, RD, Vol float64
	At         time.Time // of the last game
}

// The constants of the system.
const (
	newR, newRD, newVol = 1500, 350, 0.06

	minRD = 45  // however much one plays, one may still change
	tau   = 0.5 // how quickly the volatility changes
	scale = 173.7178
)

// period is the time after which the uncertainty grows by the volatility: one who has
// settled at RD 60 takes most of a year without games to be provisional again.
const period = 4 * 24 * time.Hour

// Known is r with a newcomer's numbers in place of none.
func (r Rating) Known() Rating {
	if r.RD == 0 {
		r.R, r.RD, r.Vol = newR, newRD, newVol
	}
	return r
}

// Provisional reports whether too little is known for a place in a table.
func (r Rating) Provisional() bool { return r.Known().RD > 110 }

// Aged is r at a later time: not weaker, but less certain.
func (r Rating) Aged(now time.Time) Rating {
	r = r.Known()
	if idle := now.Sub(r.At); !r.At.IsZero() && idle > 0 {
		phi := r.RD / scale
		phi = math.Sqrt(phi*phi + r.Vol*r.Vol*float64(idle)/float64(period))
		r.RD = min(phi*scale, newRD)
	}
	return r
}

// Play gives the ratings of two players after a game that ended now with score for a:
// 1 won, 0.5 drawn, 0 lost.
func Play(a, b Rating, score float64, now time.Time) (Rating, Rating) {
	a, b = a.Aged(now), b.Aged(now)
	return a.after([]outcome{{b, score}}, now), b.after([]outcome{{a, 1 - score}}, now)
}

type outcome struct {
	against Rating
	score   float64
}

func spread(phi float64) float64 { return 1 / math.Sqrt(1+3*phi*phi/(math.Pi*math.Pi)) }

// after is steps 3 to 8 of the paper.
func (r Rating) after(games []outcome, now time.Time) Rating {
	mu, phi := (r.R-newR)/scale, r.RD/scale
	var inverse, sum float64
	for _, o := range games {
		g := spread(o.against.RD / scale)
		e := 1 / (1 + math.Exp(-g*(mu-(o.against.R-newR)/scale)))
		inverse += g * g * e * (1 - e)
		sum += g * (o.score - e)
	}
	v := 1 / inverse
	vol := volatility(r.Vol, phi, v, v*sum)
	before := math.Hypot(phi, vol)
	phi = 1 / math.Sqrt(1/(before*before)+1/v)
	return Rating{
		R:   newR + scale*(mu+phi*phi*sum),
		RD:  min(max(phi*scale, minRD), newRD),
		Vol: vol,
		At:  now,
	}
}

// volatility is step 5 of the paper, the iteration by regula falsi.
func volatility(vol, phi, v, delta float64) float64 {
	a := math.Log(vol * vol)
	f := func(x float64) float64 {
		ex := math.Exp(x)
		d := phi*phi + v + ex
		return ex*(delta*delta-d)/(2*d*d) - (x-a)/(tau*tau)
	}
	low, high := a, 0.0
	if delta*delta > phi*phi+v {
		high = math.Log(delta*delta - phi*phi - v)
	} else {
		for high = a - tau; f(high) < 0; {
			high -= tau
		}
	}
	flow, fhigh := f(low), f(high)
	for range 100 {
		if math.Abs(high-low) <= 1e-6 {
			break
		}
		c := low + (low-high)*flow/(fhigh-flow)
		fc := f(c)
		if fc*fhigh <= 0 {
			low, flow = high, fhigh
		} else {
			flow /= 2
		}
		high, fhigh = c, fc
	}
	return min(math.Exp(low/2), 0.2)
}
