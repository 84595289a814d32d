//go:build unix

package bolt

import (
	"errors"
	"os"
	"syscall"
)

// dressLike gives a file the owner and the mode of another.
func dressLike(path string, info os.FileInfo) error {
	return errors.Join(chownLike(path, info), os.Chmod(path, info.Mode().Perm()))
}

// giveTo gives a file that root has made to the owner of info: else the service, which runs as a user of its own, could
// not open it. Whoever is not root makes files as themselves.
func giveTo(path string, info os.FileInfo) error {
	if os.Geteuid() != 0 {
		return nil
	}
	return chownLike(path, info)
}

func chownLike(path string, info os.FileInfo) error {
	own, err := os.Lstat(path)
	if err != nil {
		return err
	}
	is, ok := own.Sys().(*syscall.Stat_t)
	want, ok2 := info.Sys().(*syscall.Stat_t)
	if !ok || !ok2 {
		return errors.New("the system does not tell who owns the file")
	}
	if is.Uid == want.Uid && is.Gid == want.Gid {
		return nil
	}
	return os.Lchown(path, int(want.Uid), int(want.Gid)) // never what a link leads to
}
