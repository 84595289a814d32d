package desk

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/view"
)

// An answer waits some seconds for its place, and is refused then. A member who has gone is told nothing.
func TestJudgeIsBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := New(Config{Workers: 1, AnswerIn: time.Second, ThinkAtMost: time.Second})
		done := make(chan error)
		go func() {
			done <- d.Judge(t.Context(), func(context.Context) error { time.Sleep(time.Minute); return nil })
		}()
		synctest.Wait()
		began := time.Now()
		err := d.Judge(t.Context(), func(context.Context) error { t.Error("it is judged"); return nil })
		if text, ok := view.In("en").Reason(err); !ok || time.Since(began) != judgeIn {
			t.Errorf("after %v: %q, %v", time.Since(began), text, err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if err := d.Judge(gone, nil); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

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
