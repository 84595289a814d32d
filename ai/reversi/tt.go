package reversi

import (
	"math/bits"
	"sync/atomic"

	"tengen/ai/engine"
)

// table is a transposition table. Entries say between which bounds the score of a
// position lies at some depth. Several threads may share one: a torn entry has a key
// that fits nothing.
type table struct {
	buckets []bucket
	shared  bool // used by several threads: words are read and written whole
	age     uint8
}

// nearEmpties is the number of empty squares up to which the endgame has a table of its
// own, small enough to stay in the processor's cache: waiting for the memory of the large
// table was a twelfth of the time of solving.
const (
	nearEmpties = 11
	nearBytes   = 512 << 10
)

// nearTable is the small table that goes with tt.
func nearTable(tt *table) *table { return newTable(min(nearBytes, tt.bytes()/2)) }

// tableFor is the table for positions of the endgame with n empty squares.
func (s *searcher) tableFor(n int) *table {
	if n <= nearEmpties {
		return s.near
	}
	return s.tt
}

// bucket is one cache line.
type bucket [4]slot

// slot is an entry in memory; key is the hash xor data.
type slot struct{ key, data uint64 }

// entry is what a slot says. The bounds are for the side to move, in the units of the
// search that wrote it: hundredths of a disc in the middle game, discs in the endgame.
type entry struct {
	lower, upper int16
	depth        uint8 // plies; in the endgame the empties
	sel          uint8 // how selective the search was: exact is the highest
	move         square
	age          uint8
}

// cut is the bound by which the score is known to lie outside the window from alpha to
// beta.
func (e *entry) cut(alpha, beta int) (v int, ok bool) {
	switch {
	case int(e.lower) >= beta:
		return int(e.lower), true
	case int(e.upper) <= alpha:
		return int(e.upper), true
	}
	return 0, false
}

// told is the entry of a search that gave best in the window from alpha to beta, where no
// score is above most.
func told(best, alpha, beta, most int) entry {
	e := entry{lower: int16(-most), upper: int16(most)}
	if best > alpha {
		e.lower = int16(best)
	}
	if best < beta {
		e.upper = int16(best)
	}
	return e
}

func newTable(bytes int64) *table {
	n := max(bytes/64, 64)
	return &table{buckets: engine.Large[bucket](1 << (bits.Len64(uint64(n)) - 1))}
}

// mix hashes b. The middle game and the endgame keep apart by salt.
func (b board) mix(salt uint64) uint64 {
	hi, lo := bits.Mul64(b.own^0x9E3779B97F4A7C15, b.opp^salt)
	h := hi ^ lo
	return (h ^ h>>29) * 0xBF58476D1CE4E5B9
}

const (
	saltMid = 0xD1B54A32D192ED03
	saltEnd = 0x8CB92BA72F3D8DD7
)

func (e entry) pack() uint64 {
	return uint64(uint16(e.lower)) | uint64(uint16(e.upper))<<16 |
		uint64(e.move)<<32 | uint64(e.age)<<40 | uint64(e.sel)<<48 | uint64(e.depth)<<56
}

func unpack(d uint64) entry {
	return entry{lower: int16(d), upper: int16(d >> 16), move: square(d >> 32), age: uint8(d >> 40), sel: uint8(d >> 48),
		depth: uint8(d >> 56)}
}

func (t *table) bucketOf(hash uint64) *bucket {
	return &t.buckets[hash>>20&uint64(len(t.buckets)-1)]
}

// find looks hash up.
func (t *table) find(hash uint64) (entry, bool) {
	b := t.bucketOf(hash)
	for i := range b {
		if key, data := b[i].load(t.shared); key^data == hash {
			return unpack(data), true
		}
	}
	return entry{}, false
}

func (s *slot) load(shared bool) (key, data uint64) {
	if shared {
		return atomic.LoadUint64(&s.key), atomic.LoadUint64(&s.data)
	}
	return s.key, s.data
}

// store writes what a search found. An entry of the same position at the same depth is
// narrowed; else the least deep and oldest of the bucket goes.
func (t *table) store(hash uint64, e entry) {
	b := t.bucketOf(hash)
	e.age = t.age
	victim, worst := &b[0], 1<<30
	for i := range b {
		key, data := b[i].load(t.shared)
		if key^data == hash {
			old := unpack(data)
			if old.depth == e.depth && old.sel == e.sel {
				e.lower, e.upper = max(e.lower, old.lower), min(e.upper, old.upper)
				if e.lower > e.upper { // the searches disagree, as selective ones may
					e.lower, e.upper = old.lower, old.upper
				}
			}
			if e.move == noSquare {
				e.move = old.move
			}
			victim = &b[i]
			break
		}
		value := int(data>>56)<<3 + int(data>>48&7)
		if uint8(data>>40) != t.age {
			value -= 1 << 12
		}
		if data == 0 {
			value = -1 << 20
		}
		if value < worst {
			victim, worst = &b[i], value
		}
	}
	d := e.pack()
	if t.shared {
		atomic.StoreUint64(&victim.key, hash^d)
		atomic.StoreUint64(&victim.data, d)
		return
	}
	victim.key, victim.data = hash^d, d
}

func (t *table) bytes() int64 { return int64(len(t.buckets)) * 64 }
