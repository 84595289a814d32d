//go:build unix

package bolt

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
)

const errQuota = syscall.EDQUOT

// lock is the right to touch a store and what lies beside it. The kernel takes it
// back when the process ends, however it ends; the text in the file says whose it was.
type lock struct{ file *os.File }

func acquire(path, name string) (*lock, error) {
	f, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		defer f.Close()
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("locking %s: %w", path, err)
		}
		return nil, readHeld(path, f)
	}
	text, err := json.Marshal(Held{PID: os.Getpid(), Name: name, Since: time.Now().UTC().Truncate(time.Second)})
	if err == nil {
		err = errors.Join(f.Truncate(0), writeAt(f, text))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("locking %s: %w", path, err), f.Close())
	}
	return &lock{f}, nil
}

func writeAt(f *os.File, b []byte) error {
	_, err := f.WriteAt(b, 0)
	// A full disk must not keep the store shut: the lock holds without its text.
	if errors.Is(err, syscall.ENOSPC) {
		return nil
	}
	return err
}

func readHeld(path string, f *os.File) *Held {
	held := &Held{}
	if text, err := io.ReadAll(io.LimitReader(f, 4096)); err == nil {
		_ = json.Unmarshal(text, held) // what cannot be read is not known
	}
	held.Path = path
	return held
}

func (l *lock) release() { _ = l.file.Close() }
