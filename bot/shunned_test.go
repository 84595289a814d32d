package bot

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"tengen/bot/standin"
	"tengen/storage"
)

// shunned are the channels and threads in which a call was refused, and when one last was.
type shunned struct {
	mu   sync.Mutex
	last map[string]time.Time
}

func (w *shunned) note(c standin.Call) {
	in, ok := strings.CutPrefix(c.Path, "/channels/")
	if !ok || c.Status < 400 || c.Status >= 500 || c.Status == 429 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last == nil {
		w.last = map[string]time.Time{}
	}
	in, _, _ = strings.Cut(in, "/")
	w.last[in] = c.Answered
}

// outwait waits while a board is behind in a place that the bot leaves alone after a refusal,
// and of which it has heard nothing since: some events never come.
func (s *simulation) outwait() {
	for s.leftAlone() {
		time.Sleep(10 * time.Second)
		s.calm()
	}
}

// leftAlone reports whether the bot leaves a place alone for whose board outwait waits. A
// refusal is remembered for five minutes, and the bot looks for boards that are behind each
// minute.
func (s *simulation) leftAlone() bool {
	late, err := s.store.Late(context.Background(), time.Time{})
	if err != nil {
		return false
	}
	there := map[string]bool{}
	for _, p := range s.Places() {
		there[p.ID] = true
	}
	s.shunned.mu.Lock()
	defer s.shunned.mu.Unlock()
	return slices.ContainsFunc(late, func(sc storage.Screen) bool {
		at := fmt.Sprint(sc.Channel)
		return sc.Late() && there[at] && s.misses && time.Since(s.shunned.last[at]) < 7*time.Minute
	})
}
