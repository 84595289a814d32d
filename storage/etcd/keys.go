package etcd

import "tengen/storage/kv"

// The parts of a prefix. The bytes occur in no prefix, so that no part of one bot lies
// within that of another whose prefix is longer.
const (
	partRow     = 0 // PREFIX/ 0 key: a row
	partGone    = 1 // PREFIX/ 1 table: set by what deletes rows of the table
	partReceipt = 2 // PREFIX/ 2 number of the lease, number: a receipt; "program": what its process announces
	partRemote  = 4 // PREFIX/ 4 kind /q/ or /a/ name: questions to other processes, and answers
	partPart    = 3 // PREFIX/ 3 group /m/ process or /s/ slot: the members of a group, the holders of its slots
)

type keys struct{ prefix string }

func (k keys) row(key []byte) string { return k.prefix + string(rune(partRow)) + string(key) }
func (k keys) gone(table byte) string {
	return k.prefix + string(rune(partGone)) + string([]byte{table})
}
func (k keys) receipt(name string) string    { return k.prefix + string(rune(partReceipt)) + name }
func (k keys) share(name string) string      { return k.prefix + string(rune(partPart)) + name }
func (k keys) remoteCall(name string) string { return k.prefix + string(rune(partRemote)) + name }
func (k keys) end() string                   { return string(kv.After([]byte(k.row(nil)))) }
func (k keys) plain(full []byte) []byte      { return append([]byte{}, full[len(k.prefix)+1:]...) }

// tables gives the first and the last table that a span touches.
func (k keys) tables(s span) (first, last byte) {
	n := len(k.prefix) + 1
	last = 0xFF
	if len(s.from) > n {
		first = s.from[n]
	}
	if s.to != k.end() {
		if last = s.to[n]; len(s.to) == n+1 && last > first {
			last-- // the end is not in the span
		}
	}
	return first, last
}
