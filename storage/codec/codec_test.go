package codec

import (
	"testing"
	"time"
)

// FuzzWire: a writer's fields come back.
func FuzzWire(f *testing.F) {
	f.Add(uint64(1<<63), int64(-5), "text", int64(1783500000123), float32(1.5))
	f.Fuzz(func(t *testing.T, u uint64, i int64, s string, ms int64, fl float32) {
		ms %= MaxTime
		w := &writer{}
		w.uint(u)
		w.int(i)
		w.text(s)
		w.time(Millis(ms))
		w.time(time.Time{})
		w.fixed(u)
		w.float(float64(fl))
		w.byte(7)
		r := &reader{b: w.b}
		if r.uint() != u || r.int() != i || r.text() != s ||
			r.time().UnixMilli() != ms || !r.time().IsZero() || r.fixed() != u {
			t.Error("a field does not come back")
		}
		if got := r.float(); got != float64(fl) && fl == fl {
			t.Errorf("%v comes back as %v", fl, got)
		}
		if r.byte() != 7 || r.end() != nil {
			t.Errorf("the end: %v", r.end())
		}
		for n := range w.b {
			short := &reader{b: w.b[:n]}
			short.uint()
			short.int()
			_ = short.text()
			short.time()
			short.time()
			short.fixed()
			short.float()
			short.byte()
			if short.end() == nil {
				t.Errorf("cut to %d of %d bytes it passes", n, len(w.b))
			}
		}
	})
}
