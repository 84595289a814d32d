package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// progress shows on a terminal how far long work has come; elsewhere it says nothing.
type progress struct {
	w    io.Writer // nil: nobody looks
	what string    // what is counted, such as "rows"
	next time.Time
}

func newProgress(w io.Writer, what string) *progress {
	p := &progress{what: what}
	if f, ok := w.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			p.w = w
		}
	}
	return p
}

// at shows n, a few times a second.
func (p *progress) at(n int64) {
	if now := time.Now(); p.w != nil && now.After(p.next) {
		p.next = now.Add(200 * time.Millisecond)
		fmt.Fprintf(p.w, "\r\x1b[K%d %s", n, p.what)
	}
}

// done clears the line.
func (p *progress) done() {
	if p.w != nil && !p.next.IsZero() {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
