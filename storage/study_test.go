package storage

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"tengen/storage/codec"
)

// Of the studies that nobody saves a few are kept, of the saved ones as many as may be.
func TestStudiesAreBounded(t *testing.T) {
	b := newBench(t, Options{})
	ctx := t.Context()
	for n := range uint64(MostStudies + 3) {
		b.now = b.now.Add(time.Minute)
		v := first(b.BeginStudy(ctx, Study{Member: ann, Number: n + 1, At: b.now, SGF: "(;)"}))
		again := first(b.BeginStudy(ctx, Study{Member: ann, Number: n + 1, At: b.now, SGF: "(;B[aa])"}))
		if again != v {
			t.Fatalf("the same study begins twice: %v %v", v, again)
		}
		v, err := b.UpdateStudy(ctx, ann, n+1, b.now, func(v Study) (Study, error) {
			v.Name = fmt.Sprint("study ", n)
			return v, nil
		})
		if full := n >= MostStudies; full != errors.Is(err, ErrManyStudies) || !full && (err != nil || v.Version != 1) {
			t.Fatalf("study %d: %v %v", n, v, err)
		}
	}
	for n := range uint64(openStudies + 4) {
		b.now = b.now.Add(time.Minute)
		first(b.BeginStudy(ctx, Study{Member: ann, Number: 100 + n, At: b.now}))
	}
	b.sound()
	saved := first(b.Studies(ctx, ann))
	b.want("saved", len(saved), MostStudies)
	b.want("the newest", saved[0].Name, fmt.Sprint("study ", MostStudies-1))
	kept := 0
	for n := range uint64(200) {
		if _, err := b.Study(ctx, ann, n); err == nil {
			kept++
		} else if !errors.Is(err, ErrNotFound) {
			t.Fatal(err)
		}
	}
	b.want("kept", kept, MostStudies+openStudies)
	if _, err := b.Study(ctx, bob, 100); !errors.Is(err, ErrNotFound) {
		t.Errorf("bob reads ann's study: %v", err)
	}
	first(0, b.DropStudy(ctx, ann, saved[0].Number))
	b.want("after one was deleted", len(first(b.Studies(ctx, ann))), MostStudies-1)
}

// A member's studies are theirs to read and to delete.
func TestStudiesForgotten(t *testing.T) {
	b := newBench(t, Options{Chunk: 2})
	ctx := t.Context()
	for n := range uint64(5) {
		first(b.BeginStudy(ctx, Study{Member: ann, Number: n, At: b.now, SGF: "(;C[secret plan])"}))
		first(b.BeginStudy(ctx, Study{Member: bob, Number: n, At: b.now, SGF: "(;C[of bob])"}))
	}
	b.sound()
	own, err := json.Marshal(first(b.Everything(ctx, ann)))
	if err != nil || strings.Count(string(own), "secret plan") != 5 || strings.Contains(string(own), "of bob") {
		t.Errorf("ann's own file: %v\n%s", err, own)
	}
	first(0, b.Forget(ctx, ann, b.now))
	b.sound()
	var out bytes.Buffer
	if err := b.Export(ctx, &out, nil); err != nil || strings.Contains(out.String(), codec.IDText(uint64(ann))) ||
		strings.Contains(out.String(), "secret plan") || strings.Count(out.String(), "of bob") != 5 {
		t.Errorf("after ann is forgotten: %v\n%s", err, out.String())
	}
}
