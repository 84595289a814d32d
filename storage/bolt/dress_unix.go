//go:build unix

package bolt

import (
	"errors"
	"os"
	"syscall"
)

// dressLike gives a file the owner and the mode of another.
func dressLike(path string, info os.FileInfo) error {
	own, err := os.Stat(path)
	if err != nil {
		return err
	}
	is, ok := own.Sys().(*syscall.Stat_t)
	want, ok2 := info.Sys().(*syscall.Stat_t)
	if !ok || !ok2 {
		return errors.New("the system does not tell who owns the file")
	}
	if is.Uid != want.Uid || is.Gid != want.Gid {
		if err := os.Chown(path, int(want.Uid), int(want.Gid)); err != nil {
			return err
		}
	}
	return os.Chmod(path, info.Mode().Perm())
}
