package pulse

import (
	"testing"
	"time"

	"tengen/internal/testkit"
)

// world is a machine whose clocks a test sets.
type world struct {
	wall time.Time
	ran  time.Duration
	*Pulse
}

var noon = testkit.At("2026-05-01 12:00")

func newWorld() *world {
	w := &world{wall: noon}
	w.Pulse = New(Options{Wall: func() time.Time { return w.wall }, Ran: func() time.Duration { return w.ran }})
	return w
}

// passes lets time pass without a beat.
func (w *world) passes(d time.Duration) { w.wall, w.ran = w.wall.Add(d), w.ran+d }

// runs lets time pass with beats.
func (w *world) runs(d time.Duration) {
	for ; d > 0; d -= time.Second {
		w.passes(min(d, time.Second))
		w.Now()
	}
}

func (w *world) check(t *testing.T, owed, since time.Duration) {
	t.Helper()
	testkit.Want(t, "owed", w.Owed(), owed)
	testkit.Want(t, "since noon", w.Now().Sub(noon), since)
}

// Only a gap of more than ten seconds is owed, and half a minute with it.
func TestGaps(t *testing.T) {
	for _, test := range []struct{ gap, owed, rest time.Duration }{
		{2 * time.Second, 0, 0},
		{4 * time.Second, 0, 4 * time.Second},
		{10 * time.Second, 0, 10 * time.Second},
		{10*time.Second + 1, 40*time.Second + 1, 30 * time.Second},
		{80 * time.Second, 110 * time.Second, 30 * time.Second},
	} {
		w := newWorld()
		w.runs(time.Hour)
		w.passes(test.gap)
		w.check(t, test.owed, time.Hour+test.gap)
		if got := w.Resting(); got != (test.rest > 0) {
			t.Errorf("after %v: resting %v", test.gap, got)
		}
		w.runs(test.rest)
		if w.Resting() {
			t.Errorf("after %v: rests for more than %v", test.gap, test.rest)
		}
		w.Gave(test.owed)
		w.runs(time.Minute)
		w.check(t, 0, time.Hour+test.gap+test.rest+time.Minute)
	}
}

// A wall clock that is set changes nothing, forward or backward.
func TestWallClockIsSet(t *testing.T) {
	for _, step := range []time.Duration{time.Hour, -time.Hour, 20 * time.Second, -3 * time.Second} {
		w := newWorld()
		w.runs(time.Minute)
		w.wall = w.wall.Add(step)
		w.runs(time.Minute)
		w.check(t, 0, 2*time.Minute)
		w.Seen(noon.Add(2*time.Minute - time.Second)) // the time that we have is right
		w.check(t, 0, 2*time.Minute)
		w.wall = w.wall.Add(-step)
		w.runs(time.Minute)
		w.check(t, 0, 3*time.Minute)
		if w.Resting() {
			t.Errorf("a step of %v is taken for a stop", step)
		}
	}
}

// The wall clock is followed where it drifts or is set by little.
func TestDrift(t *testing.T) {
	w := newWorld()
	for range 100 {
		w.runs(time.Second)
		w.wall = w.wall.Add(900 * time.Millisecond)
	}
	w.check(t, 0, 190*time.Second)
}

// A wall clock that was wrong at the start and was put right is believed once somebody
// acts at that time. Nobody loses by it.
func TestWallClockIsPutRight(t *testing.T) {
	for _, test := range []struct{ step, owed time.Duration }{{time.Hour, time.Hour + Extra}, {-time.Hour, 0}} {
		w := newWorld()
		w.runs(time.Minute)
		w.wall = w.wall.Add(test.step)
		w.runs(time.Second)
		w.Seen(w.wall.Add(-time.Minute)) // delivered late: says nothing
		w.check(t, 0, 61*time.Second)
		w.Seen(w.wall.Add(-time.Second))
		w.check(t, test.owed, 61*time.Second+test.step)
	}
}

// What passed before a restart of the pulse counts for nothing: no beats, and a clock that was put right.
func TestRestart(t *testing.T) {
	w := newWorld()
	w.passes(3 * time.Minute)
	w.wall = w.wall.Add(-40 * 24 * time.Hour)
	w.Restart()
	w.check(t, 0, 3*time.Minute-40*24*time.Hour)
	if w.Resting() {
		t.Error("it rests")
	}
}

// The clock of the machine's start goes on by itself.
func TestBootTime(t *testing.T) {
	ran := BootTime()
	first := ran()
	for deadline := time.Now().Add(10 * time.Second); ran() == first; {
		if time.Now().After(deadline) {
			t.Fatal("it stands still")
		}
	}
	if ran() < first {
		t.Error("it goes backward")
	}
}
