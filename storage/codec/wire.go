package codec

import (
	"encoding/binary"
	"errors"
	"math"
	"time"
)

// Values are a format byte and fields one after the other; the engine below adds the
// CRC-32C. Every format that was ever written stays readable, so a new one gets a new
// number.

// errShort and the like are what a decoder says of bytes that no encoder made.
var (
	errShort   = errors.New("value ends too soon")
	errLong    = errors.New("value goes on after its end")
	ErrFormat  = errors.New("unknown format of a value; a newer tengen may have written it")
	ErrContent = errors.New("value makes no sense")
)

// writer builds a value.
type writer struct{ b []byte }

func (w *writer) byte(b byte)    { w.b = append(w.b, b) }
func (w *writer) uint(n uint64)  { w.b = binary.AppendUvarint(w.b, n) }
func (w *writer) int(n int64)    { w.b = binary.AppendVarint(w.b, n) }
func (w *writer) fixed(n uint64) { w.b = binary.BigEndian.AppendUint64(w.b, n) }
func (w *writer) text(s string)  { w.uint(uint64(len(s))); w.b = append(w.b, s...) }
func (w *writer) bool(b bool) {
	if b {
		w.byte(1)
		return
	}
	w.byte(0)
}
func (w *writer) float(f float64) {
	w.b = binary.BigEndian.AppendUint32(w.b, math.Float32bits(float32(f)))
}

// time writes milliseconds; 0 is the zero time.
func (w *writer) time(t time.Time) {
	if t.IsZero() {
		w.uint(0)
		return
	}
	ms := t.UnixMilli()
	w.uint(uint64(ms<<1^ms>>63) + 1)
}

// reader takes a value apart. The first error stays, and all that is read after it is zero.
type reader struct {
	b   []byte
	err error
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.b = nil
}

func (r *reader) take(n int) []byte {
	if n < 0 || len(r.b) < n {
		r.fail(errShort)
		return make([]byte, min(max(n, 0), 64))
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) byte() byte { return r.take(1)[0] }
func (r *reader) bool() bool {
	b := r.byte()
	if b > 1 {
		r.fail(ErrContent)
	}
	return b == 1
}
func (r *reader) fixed() uint64 { return binary.BigEndian.Uint64(r.take(8)) }
func (r *reader) float() float64 {
	return float64(math.Float32frombits(binary.BigEndian.Uint32(r.take(4))))
}

func (r *reader) uint() uint64 {
	n, size := binary.Uvarint(r.b)
	if size <= 0 {
		r.fail(errShort)
		return 0
	}
	r.b = r.b[size:]
	return n
}

func (r *reader) int() int64 {
	n, size := binary.Varint(r.b)
	if size <= 0 {
		r.fail(errShort)
		return 0
	}
	r.b = r.b[size:]
	return n
}

// MaxTime bounds times and spans in milliseconds; it is centuries.
const MaxTime = 1 << 43

// upTo reads a number that must not exceed most.
func (r *reader) upTo(most uint64) uint64 {
	n := r.uint()
	if n > most {
		r.fail(ErrContent)
		return 0
	}
	return n
}

// count reads the number of things of at least size bytes each that follow.
func (r *reader) count(size int) int {
	n := r.uint()
	if n > uint64(len(r.b)/size) {
		r.fail(errShort)
		return 0
	}
	return int(n)
}

func (r *reader) text() string { return string(r.take(r.count(1))) }

func (r *reader) time() time.Time {
	n := r.uint()
	if n == 0 {
		return time.Time{}
	}
	n--
	ms := int64(n>>1) ^ -int64(n&1)
	if ms > MaxTime || ms < -MaxTime {
		r.fail(ErrContent)
		return time.Time{}
	}
	return Millis(ms)
}

// Millis is the time of so many milliseconds since 1970.
func Millis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// end gives the error, and one if anything is left.
func (r *reader) end() error {
	if r.err == nil && len(r.b) > 0 {
		return errLong
	}
	return r.err
}

// bounded reads the number of things of at least size bytes, which must not exceed most.
func (r *reader) bounded(size, most int) int {
	n := r.count(size)
	if n > most {
		r.fail(ErrContent)
		return 0
	}
	return n
}

// step writes a time as the way from another; it gives t, from where the next one steps.
func (w *writer) step(from, t time.Time) time.Time {
	if t.IsZero() {
		w.byte(0)
		return t
	}
	ms := t.UnixMilli() - unixMilli(from)
	w.uint(uint64(ms<<1^ms>>63) + 1)
	return Millis(t.UnixMilli())
}

func (r *reader) step(from time.Time) time.Time {
	n := r.uint()
	if n == 0 {
		return time.Time{}
	}
	n--
	ms := unixMilli(from) + (int64(n>>1) ^ -int64(n&1))
	if n>>1 > 2*MaxTime || ms > MaxTime || ms < -MaxTime {
		r.fail(ErrContent)
		return time.Time{}
	}
	return Millis(ms)
}

// unixMilli is 0 for the zero time.
func unixMilli(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// KeyPart is the i-th number of a key, behind its table; zero where there is none.
func KeyPart(k []byte, i int) uint64 {
	if len(k) < 9+8*i {
		return 0
	}
	return binary.BigEndian.Uint64(k[1+8*i:])
}
