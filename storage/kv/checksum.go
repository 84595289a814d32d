package kv

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ChecksumSize is how many bytes AddChecksum adds at the end of a value.
const ChecksumSize = 4

// AddChecksum is value followed by the CRC-32C of key and value. With the key in it a bit that
// flips in a key, which would show a value in the wrong place, is found as well.
func AddChecksum(key, value []byte) []byte {
	stored := make([]byte, 0, len(value)+ChecksumSize)
	stored = append(stored, value...)
	return binary.LittleEndian.AppendUint32(stored, sum(key, value))
}

// CutChecksum checks what AddChecksum added and gives the value, which shares memory with stored.
func CutChecksum(key, stored []byte) ([]byte, error) {
	n := len(stored) - ChecksumSize
	if n < 0 || binary.LittleEndian.Uint32(stored[n:]) != sum(key, stored[:n]) {
		return nil, fmt.Errorf("row %x: %w", key, ErrDamaged)
	}
	return stored[:n:n], nil
}

func sum(key, value []byte) uint32 {
	return crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, value)
}
