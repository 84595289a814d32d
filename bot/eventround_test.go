package bot

import (
	"testing"
	"testing/synctest"
	"time"

	"tengen/internal/testkit"
	"tengen/storage"
)

// A round begins once, though a manager starts it while the sweep does, and pairing takes its time.
func TestRoundBeginsOnce(t *testing.T) {
	t.Parallel()
	for late := time.Second; late <= 3*time.Second; late += time.Second {
		if n := started(t, late); n != 4 {
			t.Errorf("a press %v after the time to start: %d matches of 8 members", late, n)
		}
	}
}

// started is how many matches are played after an event of eight members has started by its time, and by
// a manager's word that comes so much later.
func started(t *testing.T, late time.Duration) (n int) {
	synctest.Test(t, func(t *testing.T) {
		x := newTourney(t, 0)
		defer x.close()
		host := x.host()
		x.make(host, "swiss", "r1d")
		for n := range 8 {
			x.join(n + 1)
		}
		starts := time.Now().Add(time.Minute)
		testkit.Got(x.procs[0].store.UpdateEvent(t.Context(), x.event().ID, storage.Cause{At: time.Now()},
			func(e storage.Event) (storage.Event, error) {
				e.Starts = starts
				return e, nil
			}))
		host.Press("#gomoku", "Manage")
		time.Sleep(time.Until(starts))
		x.procs[0].slow.Store(int64(300 * time.Millisecond))
		time.Sleep(late)
		host.Choose("#gomoku", manageMenu, "start")
		time.Sleep(30 * time.Second)
		x.procs[0].slow.Store(0)
		time.Sleep(30 * time.Second)
		testkit.Must(t, x.truth.Live(t.Context(), func(storage.Record) bool { n++; return true }))
	})
	return n
}
