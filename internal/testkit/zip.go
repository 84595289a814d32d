package testkit

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
)

// Zip compresses a file: golden stores are mostly zeros.
func Zip(path, to string) error {
	data, err := os.ReadFile(path)
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err2 := w.Write(data)
	return errors.Join(err, err2, w.Close(), os.WriteFile(to, out.Bytes(), 0o644))
}

// Unzip undoes Zip.
func Unzip(path, to string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	data, err := io.ReadAll(r)
	return errors.Join(err, os.WriteFile(to, data, 0o600))
}
