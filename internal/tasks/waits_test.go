package tasks

import (
	"testing"
	"testing/synctest"
	"time"
)

// What fails waits longer and longer, and what went well does not wait. What nobody asks for is forgotten.
func TestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w Waits[int]
		for _, want := range []time.Duration{firstWait, 2 * firstWait, 4 * firstWait} {
			w.Failed(7)
			time.Sleep(want - time.Nanosecond)
			if w.Over(7) || !w.Over(8) {
				t.Errorf("it waits less than %v", want)
			}
			if time.Sleep(time.Nanosecond); !w.Over(7) {
				t.Errorf("it waits more than %v", want)
			}
		}
		for range 99 {
			w.Failed(7)
		}
		if time.Sleep(lastWait); !w.Over(7) {
			t.Errorf("it waits more than %v", lastWait)
		}
		w.Failed(7)
		w.Did(7)
		if !w.Over(7) {
			t.Error("it waits although it went well")
		}
		w.Later(7, time.Second)
		if w.Over(7) {
			t.Error("it does not wait")
		}
		for k := range 2 * fewWaits {
			w.Later(k, time.Second)
		}
		time.Sleep(lastWait + 2*time.Second)
		if w.Later(0, time.Second); len(w.of) != 1 {
			t.Errorf("%d are remembered", len(w.of))
		}
	})
}
