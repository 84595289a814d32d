package bot

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/standin"
)

// A member who asks for hints faster than they are found gets one at a time, and holds no
// more of the cores than one member.
func TestOneHintAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		standin.EnterBubble()
		h := open(t, standin.Options{})
		ann := h.Member("ann")
		ann.Slash("#gomoku", "/play bot")
		h.settle()
		hints := func(n int) (given, refused int) {
			before := ann.Sees("#gomoku")
			var all sync.WaitGroup
			for range n {
				all.Go(func() { ann.Slash("#gomoku", "/hint") })
			}
			all.Wait()
			h.thinks.Store(0)
			h.settle()
			count := func(s string) int { return strings.Count(ann.Sees("#gomoku"), s) - strings.Count(before, s) }
			return count("I would play **"), count("I am still thinking about your last hint.")
		}
		h.thinks.Store(int64(500 * time.Millisecond))
		if given, refused := hints(5); given != 1 || refused != 4 {
			t.Errorf("of five hints at once %d were given and %d refused", given, refused)
		}
		if given, refused := hints(1); given != 1 || refused != 0 {
			t.Errorf("of one hint afterwards %d were given and %d refused", given, refused)
		}
	})
}
