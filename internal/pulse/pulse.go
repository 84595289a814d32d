// Package pulse tells a process the time, and whether it was stopped: by a signal, by a
// laptop's lid, by a machine that had no time for it. A step of the wall clock is neither.
// Start from New.
package pulse

import (
	"sync"
	"time"
)

const (
	gapLimit = 10 * time.Second // in a longer gap the process did not run
	stutter  = 3 * time.Second  // in a longer gap a member's act may have had to wait
	stepsBy  = time.Second      // the pulse follows the wall clock in steps up to this

	// Extra is given back with every gap, for reading what waits in the sockets, and for lost
	// connections to come back.
	Extra = 30 * time.Second
)

// Options say where a Pulse reads the time. The zero value is for tests in fake time.
type Options struct {
	Wall func() time.Time // the wall clock; nil: time.Now
	// a clock that nobody sets and no sleep stops, such as BootTime's; nil: the monotonic one of time.Now
	Ran func() time.Duration
	Gap time.Duration // the longest time between two beats in which the process ran; 0: 10 s; negative: no end
}

// Pulse is the time of one process. Each call of Now is a beat, and the owner of a Pulse must
// call Now at least every two seconds. Any goroutine may call its methods.
type Pulse struct {
	options Options

	mu    sync.Mutex
	ran   time.Duration // at the last beat
	now   time.Time     // at the last beat
	owed  time.Duration // not yet given back
	quiet time.Time     // the process is resting until then
}

// New begins a pulse at the wall clock's time.
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

// Restart begins the pulse anew at the wall clock's time. Call it before anything goes by the pulse: what
// passed before was no stop of the process.
func (p *Pulse) Restart() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ran, p.now, p.owed, p.quiet = p.options.Ran(), p.options.Wall().Round(0), 0, time.Time{}
}

// Now is the time: the wall clock's, unless somebody has set the wall clock by more than a
// second. Then Now goes on as if that had not happened, until Seen tells which is right.
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

// Seen takes the time of somebody's act, by a clock that is right, as soon as the process
// hears of the act. Where the wall clock was set and agrees with that time, the pulse follows
// the wall clock from now on. If the pulse was behind, the difference is owed too.
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

// Resting reports whether the process began to run again only lately, so that acts which were
// in time may still be on their way to it.
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

// StoppedFor is the time since Ran gave ran, where that is long enough to be a stop of the
// process; else 0. Use it for work that is short while the process runs.
func (p *Pulse) StoppedFor(ran time.Duration) time.Duration {
	if gap := p.Ran() - ran; p.options.Gap > 0 && gap > p.options.Gap {
		return gap
	}
	return 0
}
