package kv

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// SealSize is how many bytes Seal adds to a value, at its end.
const SealSize = 4

// Seal adds to value the CRC-32C of key and value. With the key in it a bit that
// flips in a key, which would show a value in the wrong place, is found as well.
func Seal(key, value []byte) []byte {
	sealed := make([]byte, 0, len(value)+SealSize)
	sealed = append(sealed, value...)
	return binary.LittleEndian.AppendUint32(sealed, sum(key, value))
}

// Unseal checks what Seal added and gives the value, which shares memory with sealed.
func Unseal(key, sealed []byte) ([]byte, error) {
	n := len(sealed) - SealSize
	if n < 0 || binary.LittleEndian.Uint32(sealed[n:]) != sum(key, sealed[:n]) {
		return nil, fmt.Errorf("row %x: %w", key, ErrDamaged)
	}
	return sealed[:n:n], nil
}

func sum(key, value []byte) uint32 {
	return crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, value)
}
