package desk

import (
	"testing"
	"time"
)

// A match waits in the engine's queue once.
func TestQueuedOnce(t *testing.T) {
	d := New(Config{Workers: 1, AnswerIn: time.Second, ThinkAtMost: time.Second})
	for range 3 {
		d.ask(turn{match: 1})
	}
	d.ask(turn{match: 2})
	if waiting, _ := d.Size(); waiting != 2 || len(d.lanes[""].queues[0]) != 2 {
		t.Errorf("%d wait, %d are queued", waiting, len(d.lanes[""].queues[0]))
	}
}
