package bot

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"tengen/bot/standin"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/kv"
	"tengen/storage/storagetest"
)

// TestWholeBotUnderLoad is for a quiet machine. As many members as TENGEN_PRESSES says press
// at the same moment, each in a game of their own. A call to Discord takes 80 ms.
func TestWholeBotUnderLoad(t *testing.T) {
	n := testkit.Dose("TENGEN_PRESSES", 0)
	if n == 0 {
		t.Skip("TENGEN_PRESSES=200 runs it; it wants a quiet machine")
	}
	l := testkit.Listen(t)
	store := storagetest.Store(t, kv.NewMemory(), storage.Options{Limits: storage.DefaultLimits})
	var mu sync.Mutex
	var first time.Time
	var took []time.Duration
	counting := false
	s := standin.New(t, standin.Options{Listener: l, Latency: 80 * time.Millisecond,
		Sent: func(_ string, at time.Time) {
			mu.Lock()
			defer mu.Unlock()
			if counting && first.IsZero() {
				first = at
			}
		},
		Called: func(c standin.Call) {
			mu.Lock()
			defer mu.Unlock()
			if !first.IsZero() && c.Received.After(first) && strings.Contains(c.Route, "callback") {
				took = append(took, c.Answered.Sub(first))
			}
		}})
	log, b := hosted(t, s, store)
	place := func(i int) string { return fmt.Sprintf("#room%d", i) }
	for i := range n {
		s.AddChannel(place(i))
		s.Member(fmt.Sprint("m", i)).Slash(place(i), "/play with:bot game:gomoku level:1 color:black")
	}
	mu.Lock()
	counting = true
	mu.Unlock()
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { s.Member(fmt.Sprint("m", i)).Press(place(i), "H8") })
	}
	all.Wait()
	// A member's press is over when Discord has taken the answer. The call ends half its
	// latency later, when the reply has come back.
	testkit.Eventually(t, "all answers to be noted", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(took) >= n
	})
	mu.Lock()
	last := time.Duration(0)
	for _, d := range took {
		last = max(last, d)
	}
	t.Logf("%d presses at once: %d answers, the last after %v; late %d", n, len(took), last.Round(time.Millisecond),
		strings.Count(log.String(), "outcome=late"))
	if len(took) != n {
		t.Errorf("%d answers to %d presses", len(took), n)
	}
	mu.Unlock()
	testkit.Eventually(t, "all engine moves", func() bool {
		waiting, thinking := b.desk.Size()
		return waiting+thinking == 0
	})
	testkit.Want(t, "interactions without an answer", s.Stats().Failures, 0)
}
