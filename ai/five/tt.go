package five

import (
	"sync/atomic"

	"tengen/ai/engine"
)

// table is the transposition table: what was found out about positions, shared by the
// threads without locks (an entry that two threads have mixed up does not match its key).
type table struct {
	entries []entry
	mask    uint64
	age     uint64
}

// entry holds the key folded with the data, and the data: move 8, depth 8, bound 2, age
// 6, value 16, evaluation 16 bits.
type entry struct{ check, data uint64 }

const (
	boundNone = iota
	boundUpper
	boundLower
	boundExact
)

const bucket = 4

func newTable(bytes int64) *table {
	n := int64(1 << 10)
	for n*2*16 <= bytes {
		n *= 2
	}
	return &table{entries: engine.Large[entry](n), mask: uint64(n-1) &^ (bucket - 1)}
}

func (t *table) clear() { clear(t.entries); t.age = 0 }

func (t *table) older() { t.age = (t.age + 1) & 63 }

// found is an entry unpacked.
type found struct {
	move        uint8
	depth       int
	bound       int
	value, eval int
}

// fromTable makes mate values relative to the position they are stored with.
func fromTable(v, ply int) int {
	if v > mateEdge {
		return v - ply
	}
	if v < -mateEdge {
		return v + ply
	}
	return v
}

func toTable(v, ply int) int {
	if v > mateEdge {
		return v + ply
	}
	if v < -mateEdge {
		return v - ply
	}
	return v
}

func (t *table) get(key uint64, ply int) (f found, ok bool) {
	at := key & t.mask
	if at+bucket > uint64(len(t.entries)) {
		return f, false
	}
	for i := range t.entries[at : at+bucket] {
		e := &t.entries[at+uint64(i)]
		data := atomic.LoadUint64(&e.data)
		if atomic.LoadUint64(&e.check)^data != key || data == 0 {
			continue
		}
		return found{
			move:  uint8(data),
			depth: int(int8(data >> 8)),
			bound: int(data >> 16 & 3),
			value: fromTable(int(int16(data>>32)), ply),
			eval:  int(int16(data >> 48)),
		}, true
	}
	return f, false
}

// expect asks the memory for the entries of a position that will be looked up soon.
func (t *table) expect(key uint64) {
	if at := key & t.mask; at < uint64(len(t.entries)) {
		fetch(&t.entries[at])
	}
}

func (t *table) put(key uint64, ply int, move uint8, depth, bound, value, eval int) {
	at := key & t.mask
	if at+bucket > uint64(len(t.entries)) {
		return
	}
	worst, score := at, 1<<30
	for i := range t.entries[at : at+bucket] {
		e := &t.entries[at+uint64(i)]
		data := atomic.LoadUint64(&e.data)
		if atomic.LoadUint64(&e.check)^data == key {
			if bound != boundExact && int(int8(data>>8)) > depth+3 && data>>18&63 == t.age {
				return
			}
			if move == 0xFF {
				move = uint8(data)
			}
			worst = at + uint64(i)
			break
		}
		s := int(int8(data>>8)) - 8*int((t.age-data>>18)&63)
		if data == 0 {
			s = -1 << 20
		}
		if s < score {
			worst, score = at+uint64(i), s
		}
	}
	data := uint64(move) | uint64(uint8(int8(depth)))<<8 | uint64(bound)<<16 | t.age<<18 |
		uint64(uint16(int16(toTable(value, ply))))<<32 | uint64(uint16(int16(eval)))<<48
	e := &t.entries[worst]
	atomic.StoreUint64(&e.data, data)
	atomic.StoreUint64(&e.check, key^data)
}
