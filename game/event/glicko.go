package event

import (
	"math"
	"time"
)

// Rating is the strength of a player in Glickman's Glicko-2 system
// (glicko.net/glicko/glicko2.pdf): R is near 1500 for the average, and with 95 %
// certainty the true strength lies within 2 RD of R. The zero Rating is a newcomer's.
type Rating struct {
	R   float64   `json:"r"`
	RD  float64   `json:"rd"`
	Vol float64   `json:"vol"`
	At  time.Time `json:"-"` // of the last game
}

// The constants of Play.
const (
	newR, newRD, newVol = 1500, 350, 0.06

	minRD  = 45  // however much one plays, one may still change
	maxVol = 0.2 //
	scale  = 173.7178
)

// system is what Glickman leaves open.
type system struct {
	tau    float64 // how quickly the volatility changes
	stop   float64 // how near the iteration for the volatility comes
	maxVol float64
}

// house is the system of Play. Its results stand in stores, so that it keeps its rough stop.
var house = system{tau: 0.5, stop: 1e-6, maxVol: maxVol}

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

// Settled is the deviation up to which a rating is settled: an even game moves it by some 35 points at most,
// and the first one of a newcomer by 160.
const Settled = 110

// Provisional reports whether a rating is not settled: it is no number to show yet, and has no place in a table.
func (r Rating) Provisional() bool { return r.Known().RD > Settled }

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
// 1 won, 0.5 drawn, 0 lost. The game is a rating period of its own, and the uncertainty grows
// with the days since the last one.
func Play(a, b Rating, score float64, now time.Time) (Rating, Rating) {
	a, b = a.Aged(now), b.Aged(now)
	return a.played(Outcome{b, score}, now), b.played(Outcome{a, 1 - score}, now)
}

func (r Rating) played(game Outcome, now time.Time) Rating {
	r = r.update([]Outcome{game}, 1, house)
	r.RD, r.At = min(max(r.RD, minRD), newRD), now
	return r
}

// Outcome is a game of a rating period: 1 won, 0.5 drawn, 0 lost.
type Outcome struct {
	Against Rating
	Score   float64
}

// After is r after a rating period of so many units of time, with tau for how quickly the
// volatility changes. It has no bounds; Bounded sets them. The opponents count as they are given.
func (r Rating) After(games []Outcome, periods, tau float64) Rating {
	return r.update(games, periods, system{tau: tau, stop: 1e-12, maxVol: math.Inf(1)})
}

// Bounded is r within what one period may change from before, and within what a rating may be.
func (r Rating) Bounded(before Rating) Rating {
	r.R = min(max(r.R, before.R-700), before.R+700)
	r.R = min(max(r.R, 400), 4000)
	r.RD = min(max(r.RD, 45), 500)
	r.Vol = min(r.Vol, 0.1)
	return r
}

func spread(phi float64) float64 { return 1 / math.Sqrt(1+3*phi*phi/(math.Pi*math.Pi)) }

// update is steps 3 to 8 of the paper.
func (r Rating) update(games []Outcome, periods float64, s system) Rating {
	mu, phi := (r.R-newR)/scale, r.RD/scale
	if len(games) == 0 {
		r.RD = scale * math.Hypot(phi, math.Sqrt(periods)*r.Vol)
		return r
	}
	var inverse, sum float64
	for _, o := range games {
		g := spread(o.Against.RD / scale)
		x := g * (mu - (o.Against.R-newR)/scale)
		e := 1 / (1 + math.Exp(-x))
		both := e * (1 - e)
		if both == 0 { // e was rounded to 1
			both = math.Exp(-math.Abs(x))
		}
		inverse += g * g * both
		sum += g * (o.Score - e)
	}
	v := 1 / inverse
	r.Vol = s.volatility(r.Vol, phi, v, v*sum)
	before := math.Hypot(phi, math.Sqrt(periods)*r.Vol)
	phi = 1 / math.Sqrt(1/(before*before)+1/v)
	r.R, r.RD = newR+scale*(mu+phi*phi*sum), phi*scale
	return r
}

// volatility is step 5 of the paper, the iteration by regula falsi.
func (s system) volatility(vol, phi, v, delta float64) float64 {
	a := math.Log(vol * vol)
	f := func(x float64) float64 {
		ex := math.Exp(x)
		d := phi*phi + v + ex
		return ex*(delta*delta-d)/(2*d*d) - (x-a)/(s.tau*s.tau)
	}
	low, high := a, 0.0
	if delta*delta > phi*phi+v {
		high = math.Log(delta*delta - phi*phi - v)
	} else {
		for high = a - s.tau; f(high) < 0; {
			high -= s.tau
		}
	}
	flow, fhigh := f(low), f(high)
	for range 100 {
		if math.Abs(high-low) <= s.stop {
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
	return min(math.Exp(low/2), s.maxVol)
}
