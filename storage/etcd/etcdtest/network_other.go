//go:build !linux

package etcdtest

// OwnNetwork does nothing here: only Linux has networks of a process's own.
func OwnNetwork() {}
