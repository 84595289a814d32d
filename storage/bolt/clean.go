package bolt

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
)

// A clean close leaves FILE.clean beside the store: the size and the CRC-32C of the
// whole file. A file that still agrees with it is byte for byte the one that was
// closed, whatever happened in between.
type clean struct {
	Size int64  `json:"size"`
	CRC  uint32 `json:"crc32c"`
}

// maxClean is the size from which reading the whole file costs as much as a check.
const maxClean = 2 << 30

func cleanPath(path string) string { return path + ".clean" }

func markClean(path string) error {
	seen, err := sumFile(path)
	if err != nil || seen.Size > maxClean {
		return err
	}
	text, err := json.Marshal(seen)
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(cleanPath(path), text, fileMode), giveBeside(cleanPath(path), path))
}

// isClean reports whether the file is as a clean close left it.
func isClean(path string) bool {
	mark, ok := marked(path)
	if !ok {
		return false
	}
	seen, err := sumFile(path)
	return err == nil && seen == mark
}

// marked reads the mark. One that is torn, missing or of another file is none.
func marked(path string) (mark clean, ok bool) {
	text, err := os.ReadFile(cleanPath(path))
	if err != nil || json.Unmarshal(text, &mark) != nil || mark.Size == 0 {
		return clean{}, false
	}
	info, err := os.Stat(path)
	return mark, err == nil && info.Size() == mark.Size
}

func forgetClean(path string) error {
	if err := os.Remove(cleanPath(path)); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func sumFile(path string) (clean, error) {
	f, err := os.Open(path)
	if err != nil {
		return clean{}, err
	}
	defer f.Close()
	var seen clean
	buf := make([]byte, 1<<20)
	for {
		n, err := f.Read(buf)
		seen.Size += int64(n)
		seen.CRC = crc32.Update(seen.CRC, castagnoli, buf[:n])
		if err == io.EOF {
			return seen, nil
		}
		if err != nil {
			return clean{}, fmt.Errorf("reading %s: %w", path, err)
		}
		if seen.Size > maxClean {
			return seen, nil
		}
	}
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)
