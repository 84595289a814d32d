package storage

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"tengen/game"
	"tengen/storage/kv"
)

// fields is on its way through the fields of a value. A kind of value says them once, in its method
// fields, in the order in which its row has them: the row, what is read from it, and the export follow
// from that. A field without a name stands in no export, one whose name ends with ? only where it is
// not zero.
type fields struct {
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

// fielder is a pointer to a value that the store keeps.
type fielder[T any] interface {
	*T
	fields(*fields)
}

// anyLength bounds what nothing else bounds.
const (
	anyLength = 1 << 24
	any32     = math.MaxUint32
	any64     = math.MaxUint64
)

// encode is v as a row has it.
func encode[T any, P fielder[T]](v T) []byte {
	f := fields{way: writing, w: writer{b: make([]byte, 0, 96)}}
	P(&v).fields(&f)
	return f.w.b
}

// decode is the value of a row.
func decode[T any, P fielder[T]](k, value []byte) (v T, err error) {
	f := fields{key: k, way: reading, r: reader{b: value}}
	P(&v).fields(&f)
	if err := f.r.end(); err != nil {
		var none T
		return none, err
	}
	return v, nil
}

// export is v as JSON, for people and for other programs.
func export[T any, P fielder[T]](v T) ([]byte, error) {
	f := fields{way: exporting}
	P(&v).fields(&f)
	return f.j.end()
}

// get is the value of a key; where there is no row, what the key alone says.
func get[T any, P fielder[T]](r kv.Reader, k []byte) (v T, err error) {
	value, err := r.Get(k)
	if err != nil || value != nil {
		if err == nil {
			v, err = decode[T, P](k, value)
		}
		return v, err
	}
	P(&v).fields(&fields{key: k})
	return v, nil
}

// need is get where there must be a row: else it is ErrNotFound.
func need[T any, P fielder[T]](r kv.Reader, k []byte) (v T, err error) {
	value, err := r.Get(k)
	if err == nil && value == nil {
		err = ErrNotFound
	}
	if err != nil {
		return v, err
	}
	return decode[T, P](k, value)
}

// lookAt is get in a transaction of its own.
func lookAt[T any, P fielder[T]](ctx context.Context, s *Store, k []byte) (T, error) {
	return look(ctx, s, func(r kv.Reader) (T, error) { return get[T, P](r, k) })
}

// scan gives f the values of the rows from a key up to another, until f is false.
func scan[T any, P fielder[T]](r kv.Reader, from, to []byte, f func(k []byte, v T) bool) error {
	var bad error
	err := r.Scan(from, to, func(k, value []byte) bool {
		var v T
		v, bad = decode[T, P](k, value)
		return bad == nil && f(k, v)
	})
	return firstOf(bad, err)
}

// allUnder are the values of the rows whose keys begin with prefix.
func allUnder[T any, P fielder[T]](r kv.Reader, prefix []byte) (all []T, err error) {
	err = scan[T, P](r, prefix, kv.After(prefix), func(_ []byte, v T) bool {
		all = append(all, v)
		return true
	})
	return all, err
}

// format is the byte with which a value begins: it is written as want, and read up to most. While
// nothing is read or written it is want.
func (f *fields) format(want, most byte) byte {
	if f.way == writing {
		f.w.byte(want)
	}
	if f.way == reading {
		if want = f.r.byte(); f.r.err == nil && (want < 1 || want > most) {
			f.r.fail(errFormat)
			return 0
		}
	}
	return want
}

// say puts into an export what no field of the row says.
func (f *fields) say(name string, v any) {
	if f.way == exporting {
		f.j.put(name, v)
	}
}

// must refuses what was read where ok is false.
func (f *fields) must(ok bool) {
	if f.way == reading && !ok {
		f.r.fail(errContent)
	}
}

// part64 is a number of the key.
func part64[T ~uint64](f *fields, name string, i int, v *T) {
	if f.key != nil {
		*v = T(part(f.key, i))
	}
	f.say(name, idText(uint64(*v)))
}

// partRules are the rules of which a number of the key tells.
func (f *fields) partRules(i int, v *game.Rules) {
	if f.key != nil {
		rules, ok := rulesOf(part(f.key, i))
		f.must(ok)
		*v = rules
	}
	if f.way == exporting {
		f.j.put("rules", (*v).Name())
	}
}

// flag is a truth.
func (f *fields) flag(name string, v *bool) {
	switch {
	case f.way == writing:
		f.w.bool(*v)
	case f.way == reading:
		*v = f.r.bool()
	default:
		f.say(name, *v)
	}
}

// signed is a number that may be negative.
func (f *fields) signed(v *int64) {
	if f.way == writing {
		f.w.int(*v)
	}
	if f.way == reading {
		*v = f.r.int()
	}
}

// small is a number of one byte, at most most. One that has names is exported by name.
func small[T ~uint8 | ~uint64](f *fields, name string, v *T, most T) {
	switch {
	case f.way == writing:
		f.w.byte(byte(*v))
	case f.way == reading:
		*v = T(f.r.byte())
		f.must(*v <= most)
	case f.way == exporting:
		if s, ok := any(*v).(fmt.Stringer); ok {
			f.j.put(name, s.String())
		} else {
			f.j.put(name, *v)
		}
	}
}

// number is a number from 0 to most.
func number[T ~int | ~int64 | ~uint16 | ~uint32 | ~uint64](f *fields, name string, v *T, most uint64) {
	switch {
	case f.way == writing:
		f.w.uint(uint64(*v))
	case f.way == reading:
		*v = T(f.r.upTo(most))
	default:
		f.say(name, *v)
	}
}

// id is a number of Discord's, or one like it, of eight bytes. It is exported as a text.
func id[T ~uint64](f *fields, name string, v *T) {
	switch {
	case f.way == writing:
		f.w.fixed(uint64(*v))
	case f.way == reading:
		*v = T(f.r.fixed())
	default:
		f.say(name, idText(uint64(*v)))
	}
}

// text is a text of at most most bytes.
func (f *fields) text(name string, v *string, most int) {
	switch {
	case f.way == writing:
		f.w.text(*v)
	case f.way == reading:
		*v = f.r.text()
		f.must(len(*v) <= most)
	default:
		f.say(name, *v)
	}
}

// float is a number of four bytes.
func (f *fields) float(name string, v *float64) {
	switch {
	case f.way == writing:
		f.w.float(*v)
	case f.way == reading:
		*v = f.r.float()
	default:
		f.say(name, *v)
	}
}

func (f *fields) time(name string, v *time.Time) {
	switch {
	case f.way == writing:
		f.w.time(*v)
	case f.way == reading:
		*v = f.r.time()
	default:
		f.say(name, *v)
	}
}

// step is a time as the way from the one before it, which is from.
func (f *fields) step(from *time.Time, v *time.Time) {
	switch {
	case f.way == writing:
		*from = f.w.step(*from, *v)
	case f.way == reading:
		*v = f.r.step(*from)
		*from = *v
	}
}

// span is a span of time that is not negative. It is exported as in "1m30s".
func (f *fields) span(name string, v *time.Duration) {
	ms := v.Milliseconds()
	if f.way == exporting {
		f.j.put(name, v.String())
		return
	}
	if number(f, "", &ms, maxTime); f.way == reading {
		*v = time.Duration(ms) * time.Millisecond
	}
}

// rules are rules that the store knows.
func (f *fields) rules(name string, v *game.Rules) {
	switch {
	case f.way == writing:
		code, _ := rulesCode(*v) // others were refused before
		f.w.uint(code)
	case f.way == reading:
		*v = f.r.rules(f.r.uint())
	case f.way == exporting:
		f.j.put(name, (*v).Name())
	}
}

// count is how many things of at least size bytes follow, at most most. n is how many there are.
func (f *fields) count(n, size, most int) int {
	if f.way == writing {
		f.w.uint(uint64(n))
	}
	if f.way == reading {
		n = f.r.bounded(size, most)
	}
	return n
}

// many is a list of at most most things of at least size bytes each, whose fields are said by each. An
// export has a list of objects.
func many[T any](f *fields, name string, v *[]T, size, most int, each func(*fields, *T)) {
	if f.way != exporting {
		for i := range f.count(len(*v), size, most) {
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
		in := fields{way: exporting}
		each(&in, &(*v)[i])
		text, err := in.j.end()
		f.j.err = firstOf(f.j.err, err)
		all = append(all, text)
	}
	f.j.put(name, all)
}

// idList is a list of ids.
func idList[T ~uint64](f *fields, name string, v *[]T, most int) {
	if f.way == exporting {
		texts := []string{}
		for _, one := range *v {
			texts = append(texts, idText(uint64(one)))
		}
		f.j.put(name, texts)
		return
	}
	many(f, "", v, 8, most, func(f *fields, one *T) { id(f, "", one) })
}

// point is a point of a board.
func (f *fields) point(name string, v *game.Point) {
	b := byte(*v)
	if f.way == exporting {
		f.j.put(name, v.String())
	} else if small(f, "", &b, 255); f.way == reading {
		*v = game.Point(b)
	}
}

// points is a list of points.
func (f *fields) points(name string, v *[]game.Point, most int) {
	if f.way == exporting {
		texts := []string{}
		for _, p := range *v {
			texts = append(texts, p.String())
		}
		f.j.put(name, texts)
		return
	}
	many(f, "", v, 1, most, func(f *fields, p *game.Point) { f.point("", p) })
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
	if o.err = firstOf(o.err, err); optional && slices.Contains(nothing, string(text)) {
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
