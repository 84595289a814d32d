//go:build !unix

package bolt

import "os"

// dressLike gives a file the mode of another; the owner it leaves to the system.
func dressLike(path string, info os.FileInfo) error { return os.Chmod(path, info.Mode().Perm()) }

// giveTo leaves the owner to the system.
func giveTo(string, os.FileInfo) error { return nil }
