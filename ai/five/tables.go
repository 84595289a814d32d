package five

import (
	"bytes"
	"compress/zlib"
	"embed"
	"encoding/binary"
	"fmt"
	"io"
)

//go:embed tables
var embedded embed.FS

// names of the embedded tables, by variant. `lab tune` makes them.
var tableNames = [...]string{freestyle: "tables/freestyle.z", exact: "tables/exact.z", renju: "tables/renju.z"}

// fitted are the weights of a variant, or guesses where none were fitted.
func fitted(v variant) *weights {
	data, err := embedded.ReadFile(tableNames[v])
	if err != nil {
		return hand(v)
	}
	w, err := readWeights(bytes.NewReader(data))
	if err != nil {
		panic(fmt.Sprintf("%s: %v", tableNames[v], err)) // a build that cannot work
	}
	return w
}

// readWeights reads what WriteWeights has written.
func readWeights(r io.Reader) (*Weights, error) { return readTables[weights](r) }

// WriteWeights writes the tables compressed.
func WriteWeights(out io.Writer, w *Weights) error { return writeTables(out, w) }

// readTables reads what writeTables has written.
func readTables[T any](r io.Reader) (*T, error) {
	z, err := zlib.NewReader(r)
	if err != nil {
		return nil, err
	}
	w := new(T)
	return w, binary.Read(z, binary.LittleEndian, w)
}

func writeTables[T any](out io.Writer, w *T) error {
	z, _ := zlib.NewWriterLevel(out, zlib.BestCompression)
	if err := binary.Write(z, binary.LittleEndian, w); err != nil {
		return err
	}
	return z.Close()
}
