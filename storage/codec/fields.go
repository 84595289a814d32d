// Package codec writes and reads the values that the store keeps, and exports them. A kind of value says its
// fields once, in its method Fields; the helpers for what the rules of games hold are here too. It knows no
// engine and no table. Start from Encode and Decode.
package codec

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"tengen/game"
)

// Fields is on its way through the fields of a value. A kind of value says them once, in its method
// fields, in the order in which its row has them: the row, what is read from it, and the export follow
// from that. A field without a name stands in no export, one whose name ends with ? only where it is
// not zero.
type Fields struct {
	key []byte // of the row
	way way
	w   writer
	r   reader
	j   object
}

// way says what is done with the fields.
type way uint8

const (
	keyed way = iota // they get what the key says
	writing
	reading
	exporting
)

// Value is a pointer to a value that the store keeps.
type Value[T any] interface {
	*T
	Fields(*Fields)
}

// AnyLength bounds what nothing else bounds.
const (
	AnyLength = 1 << 24
	Any32     = math.MaxUint32
	Any64     = math.MaxUint64
)

// ToWrite writes a row of about n bytes, which Row gives.
func ToWrite(n int) Fields { return Fields{way: writing, w: writer{b: make([]byte, 0, n)}} }

// Row is what was written.
func (f *Fields) Row() []byte { return f.w.b }

// ToRead reads a row; End tells of errors.
func ToRead(value []byte) Fields { return Fields{way: reading, r: reader{b: value}} }

// End is the first error of a row that was read, such as that it goes on.
func (f *Fields) End() error { return f.r.end() }

// Keys gives v what the key of its row says of it.
func Keys[T any, P Value[T]](k []byte, v *T) { P(v).Fields(&Fields{key: k}) }

// spare are Fields to write with: each row that is written would else make some, and bytes that it does not fill.
var spare = sync.Pool{New: func() any {
	f := ToWrite(256)
	return &f
}}

// Encode is v as a row has it.
func Encode[T any, P Value[T]](v T) []byte {
	f := spare.Get().(*Fields)
	f.w.b = f.w.b[:0]
	P(&v).Fields(f)
	row := slices.Clone(f.Row())
	spare.Put(f)
	return row
}

// Decode is the value of a row.
func Decode[T any, P Value[T]](k, value []byte) (v T, err error) {
	f := Fields{key: k, way: reading, r: reader{b: value}}
	P(&v).Fields(&f)
	if err := f.r.end(); err != nil {
		var none T
		return none, err
	}
	return v, nil
}

// Export is v as JSON, for people and for other programs.
func Export[T any, P Value[T]](v T) ([]byte, error) {
	f := Fields{way: exporting}
	P(&v).Fields(&f)
	return f.j.end()
}

// Writing reports whether the row is written.
func (f *Fields) Writing() bool { return f.way == writing }

// Reading reports whether the row is read.
func (f *Fields) Reading() bool { return f.way == reading }

// Sound reports whether the row is read and its fields up to here are what they may be: a check that
// calls what relies on them stands behind it.
func (f *Fields) Sound() bool { return f.Reading() && !f.Failed() }

// Exporting reports whether an export is written.
func (f *Fields) Exporting() bool { return f.way == exporting }

// Failed reports whether the row that is read is none of its kind.
func (f *Fields) Failed() bool { return f.r.err != nil }

// GoesOn reports whether the row that is read goes on.
func (f *Fields) GoesOn() bool { return f.way == reading && f.r.err == nil && len(f.r.b) > 0 }

// Fail says that a row that is read is none of its kind.
func (f *Fields) Fail(err error) { f.r.fail(err) }

// Format is the byte with which a value begins: it is written as want, and read up to most. While
// nothing is read or written it is want.
func (f *Fields) Format(want, most byte) byte {
	if f.way == writing {
		f.w.byte(want)
	}
	if f.way == reading {
		if want = f.r.byte(); f.r.err == nil && (want < 1 || want > most) {
			f.r.fail(ErrFormat)
			return 0
		}
	}
	return want
}

// Say puts into an export what no field of the row says.
func (f *Fields) Say(name string, v any) {
	if f.way == exporting {
		f.j.put(name, v)
	}
}

// Must refuses what was read where ok is false.
func (f *Fields) Must(ok bool) {
	if f.way == reading && !ok {
		f.r.fail(ErrContent)
	}
}

// Part is a number of the key.
func Part[T ~uint64](f *Fields, name string, i int, v *T) {
	if f.key != nil {
		*v = T(KeyPart(f.key, i))
	}
	f.Say(name, IDText(uint64(*v)))
}

// PartRules are the rules of which a number of the key tells.
func (f *Fields) PartRules(i int, v *game.Rules) {
	if f.key != nil {
		rules, ok := RulesOf(KeyPart(f.key, i))
		f.Must(ok)
		*v = rules
	}
	if f.way == exporting {
		f.j.put("rules", (*v).Name())
	}
}

// Flag is a yes or no.
func (f *Fields) Flag(name string, v *bool) {
	switch {
	case f.way == writing:
		f.w.bool(*v)
	case f.way == reading:
		*v = f.r.bool()
	default:
		f.Say(name, *v)
	}
}

// Signed is a number that may be negative.
func (f *Fields) Signed(v *int64) {
	if f.way == writing {
		f.w.int(*v)
	}
	if f.way == reading {
		*v = f.r.int()
	}
}

// Small is a number of one byte, at most most. One that has names is exported by name.
func Small[T ~uint8 | ~uint64](f *Fields, name string, v *T, most T) {
	switch {
	case f.way == writing:
		f.w.byte(byte(*v))
	case f.way == reading:
		*v = T(f.r.byte())
		f.Must(*v <= most)
	case f.way == exporting:
		if s, ok := any(*v).(fmt.Stringer); ok {
			f.j.put(name, s.String())
		} else {
			f.j.put(name, *v)
		}
	}
}

// Number is a number from 0 to most.
func Number[T ~int | ~int64 | ~uint16 | ~uint32 | ~uint64](f *Fields, name string, v *T, most uint64) {
	switch {
	case f.way == writing:
		f.w.uint(uint64(*v))
	case f.way == reading:
		*v = T(f.r.upTo(most))
	default:
		f.Say(name, *v)
	}
}

// ID is a number of Discord's, or one like it, of eight bytes. It is exported as a text.
func ID[T ~uint64](f *Fields, name string, v *T) {
	switch {
	case f.way == writing:
		f.w.fixed(uint64(*v))
	case f.way == reading:
		*v = T(f.r.fixed())
	default:
		f.Say(name, IDText(uint64(*v)))
	}
}

// Text is a text of at most most bytes.
func (f *Fields) Text(name string, v *string, most int) {
	switch {
	case f.way == writing:
		f.w.text(*v)
	case f.way == reading:
		*v = f.r.text()
		f.Must(len(*v) <= most)
	default:
		f.Say(name, *v)
	}
}

// Float is a number of four bytes.
func (f *Fields) Float(name string, v *float64) {
	switch {
	case f.way == writing:
		f.w.float(*v)
	case f.way == reading:
		*v = f.r.float()
	default:
		f.Say(name, *v)
	}
}

// Time is a time, in milliseconds.
func (f *Fields) Time(name string, v *time.Time) {
	switch {
	case f.way == writing:
		f.w.time(*v)
	case f.way == reading:
		*v = f.r.time()
	default:
		f.Say(name, *v)
	}
}

// Step is a time as the way from the one before it, which is from.
func (f *Fields) Step(from *time.Time, v *time.Time) {
	switch {
	case f.way == writing:
		*from = f.w.step(*from, *v)
	case f.way == reading:
		*v = f.r.step(*from)
		*from = *v
	}
}

// Span is a span of time that is not negative. It is exported as in "1m30s".
func (f *Fields) Span(name string, v *time.Duration) {
	ms := v.Milliseconds()
	if f.way == exporting {
		f.j.put(name, v.String())
		return
	}
	if Number(f, "", &ms, MaxTime); f.way == reading {
		*v = time.Duration(ms) * time.Millisecond
	}
}

// Rules are rules that the store knows.
func (f *Fields) Rules(name string, v *game.Rules) {
	switch {
	case f.way == writing:
		code, _ := RulesCode(*v) // others were refused before
		f.w.uint(code)
	case f.way == reading:
		*v = f.r.rules(f.r.uint())
	case f.way == exporting:
		f.j.put(name, (*v).Name())
	}
}

// Count is how many things of at least size bytes follow, at most most. n is how many there are.
func (f *Fields) Count(n, size, most int) int {
	if f.way == writing {
		f.w.uint(uint64(n))
	}
	if f.way == reading {
		n = f.r.bounded(size, most)
	}
	return n
}

// Many is a list of at most most things of at least size bytes each, whose fields are said by each. An
// export has a list of objects.
func Many[T any](f *Fields, name string, v *[]T, size, most int, each func(*Fields, *T)) {
	if f.way != exporting {
		for i := range f.Count(len(*v), size, most) {
			if f.way == reading {
				*v = append(*v, *new(T))
			}
			if f.way == writing || f.way == reading {
				each(f, &(*v)[i])
			}
		}
		return
	}
	all := []json.RawMessage{}
	for i := range *v {
		in := Fields{way: exporting}
		each(&in, &(*v)[i])
		text, err := in.j.end()
		f.j.err = cmp.Or(f.j.err, err)
		all = append(all, text)
	}
	f.j.put(name, all)
}

// IDs is a list of ids.
func IDs[T ~uint64](f *Fields, name string, v *[]T, most int) {
	if f.way == exporting {
		texts := []string{}
		for _, one := range *v {
			texts = append(texts, IDText(uint64(one)))
		}
		f.j.put(name, texts)
		return
	}
	Many(f, "", v, 8, most, func(f *Fields, one *T) { ID(f, "", one) })
}

// Point is a point of a board.
func (f *Fields) Point(name string, v *game.Point) {
	b := byte(*v)
	if f.way == exporting {
		f.j.put(name, v.String())
	} else if Small(f, "", &b, 255); f.way == reading {
		*v = game.Point(b)
	}
}

// Points is a list of points.
func (f *Fields) Points(name string, v *[]game.Point, most int) {
	if f.way == exporting {
		texts := []string{}
		for _, p := range *v {
			texts = append(texts, p.String())
		}
		f.j.put(name, texts)
		return
	}
	Many(f, "", v, 1, most, func(f *Fields, p *game.Point) { f.Point("", p) })
}

// object is an object of JSON that is being written.
type object struct {
	b   []byte
	err error
}

func (o *object) put(name string, v any) {
	name, optional := strings.CutSuffix(name, "?")
	if name == "" {
		return
	}
	text, err := json.Marshal(v)
	if o.err = cmp.Or(o.err, err); optional && slices.Contains(nothing, string(text)) {
		return
	}
	o.b = append(o.b, ',')
	o.b = append(append(append(o.b, '"'), name...), '"', ':')
	o.b = append(o.b, text...)
}

// nothing are the texts of what is left out of an export where that may be.
var nothing = []string{`""`, "0", "false", "null", "[]", "{}", `"0001-01-01T00:00:00Z"`}

func (o *object) end() ([]byte, error) {
	if len(o.b) == 0 {
		return []byte("{}"), o.err
	}
	o.b[0] = '{'
	return append(o.b, '}'), o.err
}
