package storage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tengen/internal/testkit"
)

// A member's progress is kept, shown in their file and in the export, and goes with their
// data.
func TestProgress(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	solve := func(step string, n int) func(Progress) Progress {
		return func(p Progress) Progress { return p.With(step, n) }
	}
	for range 2 {
		first(b.SetProgress(ctx, ann, solve("gomoku.five", 1)))
	}
	first(b.SetProgress(ctx, ann, solve("gomoku.five", 0)))
	first(b.SetProgress(ctx, bob, solve("reversi.corner", 0)))
	p := first(b.Progress(ctx, ann))
	if !p.Has("gomoku.five", 0) || !p.Has("gomoku.five", 1) || p.Has("gomoku.five", 2) || p.Has("reversi.corner", 0) {
		t.Errorf("ann has done %v", p)
	}
	b.want("rows", b.rows(tProgress), 2)
	b.sound()

	own := string(first(json.Marshal(first(b.Everything(ctx, ann)))))
	if want := `"solved":{"gomoku.five":[1,2]}`; !strings.Contains(own, want) || strings.Contains(own, "corner") {
		t.Errorf("ann's own file lacks %s: %s", want, own)
	}
	var out bytes.Buffer
	if err := b.Export(ctx, &out, nil); err != nil || strings.Count(out.String(), `"kind":"progress"`) != 2 {
		t.Errorf("%v: %s", err, out.String())
	}

	testkit.Must(t, b.Forget(ctx, ann, b.now))
	if p := first(b.Progress(ctx, ann)); len(p.Solved) != 0 {
		t.Errorf("after ann has deleted her data: %v", p)
	}
	b.want("bob's", b.rows(tProgress), 1)
	b.sound()
}

// What is no change is not written, and With leaves the value that it was given alone.
func TestProgressThatStays(t *testing.T) {
	b := newBench(t)
	first(b.SetProgress(t.Context(), ann, func(p Progress) Progress { return p }))
	b.want("rows", b.rows(tProgress), 0)
	was := Progress{Solved: map[string]uint64{"a": 1}}
	was.With("a", 3)
	b.want("before", was.Solved["a"], uint64(1))
}

// A row has a bounded size: what would not be read again is refused before it is written.
func TestProgressIsBounded(t *testing.T) {
	b := newBench(t)
	for name, f := range map[string]func(Progress) Progress{
		"long": func(p Progress) Progress { return p.With(strings.Repeat("x", mostStepName+1), 0) },
		"many": func(p Progress) Progress {
			for i := range mostSteps + 1 {
				p = p.With(fmt.Sprint("step", i), 0)
			}
			return p
		},
	} {
		if _, err := b.SetProgress(t.Context(), ann, f); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	b.want("rows", b.rows(tProgress), 0)
}
