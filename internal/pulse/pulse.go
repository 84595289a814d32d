// Package pulse tells a process the time, and whether it was stopped: by a signal, by a
// laptop's lid, by a machine that had no time for it. A step of the wall clock is neither.
// Start from New.
package pulse

import (
	"sync"
	"time"
)

const (
	gapLimit = 10 * time.Second // a longer gap is time in which the process did not run
	stutter  = 3 * time.Second  // a longer gap may have kept a member's act waiting
	stepsBy  = time.Second      // the wall clock is followed in steps no greater

	// Extra is given back with every gap: what waits in the sockets has to be taken in, and
	// connections that were given up have to come back.
	Extra = 30 * time.Second
)

// Options say where a Pulse reads the time. The zero value is for tests in fake time.
type Options struct {
	Wall func() time.Time     // the wall clock; nil: time.Now
	Ran  func() time.Duration // a clock that nobody sets and no sleep stops, such as BootTime's; nil: the monotonic one of time.Now
	Gap  time.Duration        // the longest time between two beats in which the process ran; 0: 10 s; negative: no end
}

// Pulse is the time of one process. Each call of Now is a beat, and whoever has a Pulse
// calls it every two seconds at least. Its methods may be called from any goroutine.
type Pulse struct {
	options Options

	mu    sync.Mutex
	ran   time.Duration // at the last beat
	now   time.Time     // at the last beat
	owed  time.Duration // not yet given back
	quiet time.Time
}

// New begins a pulse with what the wall clock shows.
func New(o Options) *Pulse {
	if o.Wall == nil {
		o.Wall = time.Now
	}
	if o.Ran == nil {
		o.Ran = sinceNow()
	}
	if o.Gap == 0 {
		o.Gap = gapLimit
	}
	return &Pulse{options: o, ran: o.Ran(), now: o.Wall().Round(0)}
}

// sinceNow gives the monotonic clock of time.Now.
func sinceNow() func() time.Duration {
	began := time.Now()
	return func() time.Duration { return time.Since(began) }
}

// Now is the time: the wall clock's, unless that was set by more than a second since the
// pulse began. Then it goes on as if nothing had happened, until Seen says who is right.
func (p *Pulse) Now() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.beat()
	return p.now
}

// beat reads both clocks, and gives the wall clock's time.
func (p *Pulse) beat() (wall time.Time) {
	ran := p.options.Ran()
	wall = p.options.Wall().Round(0)
	gap := ran - p.ran
	p.ran, p.now = ran, p.now.Add(gap)
	if wall.Sub(p.now).Abs() <= stepsBy {
		p.now = wall
	}
	switch {
	case p.options.Gap < 0:
	case gap > p.options.Gap:
		p.owe(gap)
	case gap > stutter:
		p.rest(gap)
	}
	return wall
}

func (p *Pulse) owe(gap time.Duration) {
	p.owed += gap + Extra
	p.rest(Extra)
}

func (p *Pulse) rest(d time.Duration) {
	if until := p.now.Add(d); until.After(p.quiet) {
		p.quiet = until
	}
}

// Seen is told the time at which somebody acted, by a clock that is right, as soon as the
// process hears of it. Where the wall clock was set and agrees with that, the wall clock is
// believed from now on. If the time was behind until then, the difference is owed too.
func (p *Pulse) Seen(at time.Time) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	wall := p.beat()
	step := wall.Sub(p.now)
	if step.Abs() <= stepsBy || wall.Sub(at).Abs() > 2*stepsBy || p.now.Sub(at).Abs() <= 2*stepsBy {
		return
	}
	p.now = wall
	if step > p.options.Gap && p.options.Gap > 0 {
		p.owe(step)
	}
	if step < 0 {
		p.quiet = time.Time{}
	}
}

// Rest lets no clock run out for a while.
func (p *Pulse) Rest(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.beat()
	p.rest(d)
}

// Resting reports that the process ran again only lately, so that what was done in time
// may still be on its way to it.
func (p *Pulse) Resting() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.beat()
	return p.now.Before(p.quiet)
}

// Owed is what is to be given back to every clock: each gap, and Extra with it.
func (p *Pulse) Owed() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.beat()
	return p.owed
}

// Gave notes that a part of what was owed is given back.
func (p *Pulse) Gave(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.owed -= d
}

// Ran is the clock that nobody sets.
func (p *Pulse) Ran() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.beat()
	return p.ran
}

// StoppedFor is how long the process was stopped since the pulse's clock showed ran, if it
// did nothing since; 0: it was not.
func (p *Pulse) StoppedFor(ran time.Duration) time.Duration {
	if gap := p.Ran() - ran; p.options.Gap > 0 && gap > p.options.Gap {
		return gap
	}
	return 0
}
