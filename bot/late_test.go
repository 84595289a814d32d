package bot

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tengen/bot/standin"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/kv"
)

// slowEngine is a kv.Engine that can be made slow.
type slowEngine struct {
	kv.Engine
	slow *atomic.Bool
}

func (s slowEngine) Update(ctx context.Context, fn func(kv.Tx) error) error {
	if s.slow.Load() {
		time.Sleep(1800 * time.Millisecond) // longer than the watchdog waits
	}
	return s.Engine.Update(ctx, fn)
}

// slowlyHosted is a server with a bot whose store is slow while the switch is on.
func slowlyHosted(t *testing.T) (*standin.Server, *atomic.Bool) {
	t.Helper()
	slow := new(atomic.Bool)
	store := testkit.Got(storage.Open(t.Context(), slowEngine{kv.NewMemory(), slow},
		storage.Options{Limits: storage.DefaultLimits}))
	s := standin.New(t, standin.Options{})
	hosted(t, s, store)
	return s, slow
}

// Where the store is so slow that the watchdog must acknowledge, every board still comes,
// once, and no "thinking" is left.
func TestSlowStore(t *testing.T) {
	t.Parallel()
	s, slow := slowlyHosted(t)
	ann := s.Member("ann")
	boards := func() int { return strings.Count(ann.Sees("#gomoku"), "{picture") }

	slow.Store(true)
	ann.Slash("#gomoku", "/play with:bot game:gomoku level:1 color:black")
	testkit.Eventually(t, "the board", func() bool { return boards() == 1 })
	slow.Store(false)
	testkit.Eventually(t, "nothing thinking", func() bool { return !strings.Contains(ann.Sees("#gomoku"), "thinking...") })
	slow.Store(true)
	ann.Press("#gomoku", "H8")
	slow.Store(false)
	testkit.Eventually(t, "the engine's answer", func() bool {
		return strings.Contains(ann.Sees("#gomoku"), "move 3") && boards() == 1
	})
	slow.Store(true)
	ann.Slash("#gomoku", "/move at:A1")
	slow.Store(false)
	testkit.Eventually(t, "the engine's second answer", func() bool {
		return strings.Contains(ann.Sees("#gomoku"), "move 5") && boards() == 1
	})
	testkit.Want(t, "interactions without an answer", s.Stats().Failures, 0)
}

// The same where the bot is not installed: only the interaction's own token reaches the place,
// and the board is a follow-up.
func TestSlowStoreAway(t *testing.T) {
	t.Parallel()
	s, slow := slowlyHosted(t)
	s.AddGuild("Elsewhere", false, "lobby")
	ann := s.Member("ann")
	ann.Installs()
	slow.Store(true)
	ann.Slash("Elsewhere#lobby", "/play with:bot game:gomoku level:1 color:black")
	testkit.Eventually(t, "the board", func() bool { return strings.Count(ann.Sees("Elsewhere#lobby"), "{picture") == 1 })
	slow.Store(false)
	testkit.Eventually(t, "nothing thinking", func() bool {
		return !strings.Contains(ann.Sees("Elsewhere#lobby"), "thinking...")
	})
	ann.Press("Elsewhere#lobby", "H8")
	testkit.Eventually(t, "the engine's answer", func() bool {
		seen := ann.Sees("Elsewhere#lobby")
		return strings.Contains(seen, "move 3") && strings.Count(seen, "{picture") == 1
	})
}
