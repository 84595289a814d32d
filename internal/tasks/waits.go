package tasks

import (
	"maps"
	"sync"
	"time"
)

// Waits remembers what is not to be tried for a while, so that things that fail do not use up the turns
// of the others. The zero Waits is ready, and any goroutine may call its methods.
type Waits[K comparable] struct {
	mu sync.Mutex
	of map[K]wait
}

type wait struct {
	until time.Time
	tries int // failures in a row
}

const (
	firstWait = 5 * time.Second // after a failure; twice as long after each further one
	lastWait  = 10 * time.Minute
	fewWaits  = 1000 // so many are remembered however old they are
)

// Over reports whether nothing has to wait for k.
func (w *Waits[K]) Over(k K) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !time.Now().Before(w.of[k].until)
}

// Failed notes that k has failed, and is to wait.
func (w *Waits[K]) Failed(k K) {
	w.mu.Lock()
	defer w.mu.Unlock()
	tries := w.of[k].tries
	w.set(k, wait{time.Now().Add(min(firstWait<<min(tries, 10), lastWait)), tries + 1})
}

// Later notes that k is to wait for d, though it has not failed.
func (w *Waits[K]) Later(k K, d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.set(k, wait{until: time.Now().Add(d)})
}

// Did notes that k went well.
func (w *Waits[K]) Did(k K) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.of, k)
}

// set notes a wait, and forgets those that nobody has asked for in a long time. The caller holds mu.
func (w *Waits[K]) set(k K, to wait) {
	if w.of == nil {
		w.of = map[K]wait{}
	}
	if len(w.of) >= fewWaits {
		old := time.Now().Add(-lastWait)
		maps.DeleteFunc(w.of, func(_ K, w wait) bool { return w.until.Before(old) })
	}
	w.of[k] = to
}
