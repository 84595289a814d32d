package event

import (
	"math"
	"testing"
	"time"

	"tengen/internal/testkit"
)

var day = testkit.At("2026-01-01")

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.Abs(got-want) > within || math.IsNaN(got) {
		t.Errorf("%s is %.5f, want %.5f", what, got, want)
	}
}

// The example of Glickman's paper.
func TestPaper(t *testing.T) {
	r := Rating{R: 1500, RD: 200, Vol: 0.06}.After([]Outcome{
		{Rating{R: 1400, RD: 30}, 1}, {Rating{R: 1550, RD: 100}, 0}, {Rating{R: 1700, RD: 300}, 0},
	}, 1, 0.5)
	near(t, "R", r.R, 1464.06, 0.01)
	near(t, "RD", r.RD, 151.52, 0.01)
	near(t, "Vol", r.Vol, 0.05999, 0.00001)
}

func TestPlay(t *testing.T) {
	a, b := Play(Rating{}, Rating{}, 1, day)
	near(t, "the sum after a game of newcomers", a.R+b.R, 3000, 1e-9)
	if a.R < 1600 || a.RD >= 350 || !a.At.Equal(day) {
		t.Errorf("a newcomer who wins has %+v", a)
	}
	a, b = Play(Rating{}, Rating{}, 0.5, day)
	near(t, "R after a draw of newcomers", a.R, 1500, 1e-9)
	near(t, "the other's", b.R, 1500, 1e-9)
}

// One who plays every day settles; a year away makes him provisional again.
func TestTime(t *testing.T) {
	r := Rating{}
	now := day
	for i := range 200 {
		now = now.Add(24 * time.Hour)
		r, _ = Play(r, Rating{R: 1500, RD: 60, Vol: 0.06, At: now}, float64(i%2), now)
	}
	if r.RD > 75 || r.Provisional() {
		t.Errorf("after 200 games RD is %.1f", r.RD)
	}
	if away := r.Aged(now.Add(30 * 24 * time.Hour)); away.Provisional() {
		t.Errorf("after a month away RD is %.1f", away.RD)
	}
	if away := r.Aged(now.Add(400 * 24 * time.Hour)); !away.Provisional() || away.R != r.R {
		t.Errorf("after a year away the rating is %+v", away)
	}
	if away := r.Aged(now.Add(100 * 365 * 24 * time.Hour)); away.RD != 350 {
		t.Errorf("after a century RD is %.1f", away.RD)
	}
}

// FuzzPlay: no numbers make a rating that is none.
func FuzzPlay(f *testing.F) {
	f.Add(1500.0, 350.0, 0.06, 1500.0, 30.0, 0.06, uint8(2))
	f.Add(100.0, 30.0, 0.2, 3000.0, 30.0, 0.2, uint8(2))
	f.Fuzz(func(t *testing.T, r1, rd1, v1, r2, rd2, v2 float64, result uint8) {
		clamp := func(x, low, high float64) float64 {
			if math.IsNaN(x) {
				return low
			}
			return min(max(x, low), high)
		}
		a := Rating{R: clamp(r1, -1000, 4000), RD: clamp(rd1, minRD, newRD), Vol: clamp(v1, 0.01, 0.2)}
		b := Rating{R: clamp(r2, -1000, 4000), RD: clamp(rd2, minRD, newRD), Vol: clamp(v2, 0.01, 0.2)}
		score := float64(result%3) / 2
		for _, r := range []Rating{first(Play(a, b, score, day)), second(Play(a, b, score, day))} {
			if math.IsNaN(r.R) || math.IsInf(r.R, 0) || r.RD < minRD || r.RD > newRD || !(r.Vol > 0 && r.Vol <= 0.2) {
				t.Errorf("%+v against %+v, %v: %+v", a, b, score, r)
			}
		}
		if won := first(Play(a, b, 1, day)); won.R < a.R-1e-9 {
			t.Errorf("a win takes points: %+v to %+v", a, won)
		}
	})
}

func first(a, _ Rating) Rating  { return a }
func second(_, b Rating) Rating { return b }

// The ratings of stores stay what they are: these were computed before the code came here.
func TestPlayIsAsEver(t *testing.T) {
	now := day
	var got [4]Rating
	for i := range 40 {
		now = now.Add(time.Duration(1+i*i%97) * 7 * time.Hour)
		a, b := i%4, (i+1+i%3)%4
		got[a], got[b] = Play(got[a], got[b], float64((i*7+i/3)%3)/2, now)
	}
	for i, want := range []Rating{
		{R: 1490.5860220246677, RD: 114.2197235656294, Vol: 0.059994405100761004},
		{R: 1515.227546385331, RD: 109.64577625795091, Vol: 0.05998817556693709},
		{R: 1519.5403997076403, RD: 112.83745871178891, Vol: 0.05999272965067045},
		{R: 1543.4449799957463, RD: 112.43109481400278, Vol: 0.05999068937338746},
	} {
		// Machines that fuse a multiplication with an addition differ in the last digits.
		near(t, "R", got[i].R, want.R, 1e-9)
		near(t, "RD", got[i].RD, want.RD, 1e-9)
		near(t, "Vol", got[i].Vol, want.Vol, 1e-12)
	}
}
