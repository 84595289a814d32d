package review

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tengen/game"
	"tengen/internal/testkit"
)

// A review whose searches are interrupted is the same: each is made again, and what was found
// stays.
func TestInterrupted(t *testing.T) {
	g := line(sample)
	o := Options{Means: Means{Nodes: 500}}
	want := reviewed(t, g, o)
	begun, made := 0, 0
	o.Begin = func(ctx context.Context) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(ctx)
		if begun++; begun%2 == 1 {
			cancel()
		} else {
			made++
		}
		return ctx, cancel
	}
	got := reviewed(t, g, o)
	if d := cmp.Diff(want, got, cmp.Comparer(func(a, b game.Rules) bool { return a == b })); d != "" {
		t.Errorf("-whole +interrupted:\n%s", d)
	}
	if made < g.Len()/2 {
		t.Errorf("%d searches were made", made)
	}
}

// A review whose searches are always interrupted comes to its end, and ends at once when it is
// told to.
func TestAlwaysInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	g := line("gomoku h8g7h9i7h10")
	o := Options{Means: Means{Nodes: 300}, Begin: func(ctx context.Context) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		return ctx, cancel
	}}
	_, err := Game(ctx, g, o)
	testkit.Check(t, err)
	o.Begin = func(ctx context.Context) (context.Context, context.CancelFunc) {
		time.AfterFunc(10*time.Millisecond, cancel)
		<-ctx.Done()
		return ctx, func() {}
	}
	if _, err := Game(ctx, g, o); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
