//go:build !unix

package bolt

import "syscall"

const errQuota = syscall.Errno(0x70) // ERROR_DISK_FULL

// lock is nothing here: bbolt's own lock on the file remains.
type lock struct{ opened bool }

func acquire(path, name, socket string) (*lock, error) { return &lock{}, nil }

func (l *lock) note() error { return nil }

func (l *lock) release() {}
