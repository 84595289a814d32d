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
type lock struct {
	file   *os.File
	text   Held
	opened bool // a store was opened here before
}

func acquire(path, name, socket string) (*lock, error) {
	f, err := os.OpenFile(lockPath(path), os.O_RDWR|os.O_CREATE, fileMode)
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
	if err := giveBeside(lockPath(path), path); err != nil {
		return nil, errors.Join(fmt.Errorf("locking %s: %w", path, err), f.Close())
	}
	opened := readHeld(path, f).Opened
	l := &lock{f, Held{PID: os.Getpid(), Name: name, Since: time.Now().UTC().Truncate(time.Second), Socket: socket,
		Opened: opened}, opened}
	if err := l.write(); err != nil {
		return nil, errors.Join(fmt.Errorf("locking %s: %w", path, err), f.Close())
	}
	return l, nil
}

// note writes down that there is a store: the lock outlives it, and so a start that finds
// the lock alone knows that something is missing.
func (l *lock) note() error {
	if l.text.Opened {
		return nil
	}
	l.text.Opened = true
	return l.write()
}

func (l *lock) write() error {
	text, err := json.Marshal(l.text)
	if err != nil {
		return err
	}
	return errors.Join(l.file.Truncate(0), writeAt(l.file, text))
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

// release unlocks before it closes: a copy of the file in a process that is being started
// would hold the lock a moment longer.
func (l *lock) release() {
	_ = syscall.Flock(int(l.file.Fd()), syscall.LOCK_UN)
	_ = l.file.Close()
}
