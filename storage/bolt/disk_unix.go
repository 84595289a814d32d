//go:build linux || darwin || freebsd

package bolt

import (
	"path/filepath"
	"syscall"
)

// diskFree is the number of bytes that we may still write where path lies; -1 if the
// system does not say.
func diskFree(path string) int64 {
	var s syscall.Statfs_t
	if syscall.Statfs(filepath.Dir(path), &s) != nil {
		return -1
	}
	return int64(s.Bavail) * int64(s.Bsize)
}
