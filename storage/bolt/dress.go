package bolt

import (
	"errors"
	"os"
	"path/filepath"
)

// ownerOf is the file of the store at path, or its folder while there is no file: what is made beside it gets the
// same owner.
func ownerOf(path string) (os.FileInfo, error) {
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		info, err = os.Stat(filepath.Dir(path))
	}
	return info, err
}

// giveBeside gives a file or a folder that was made for the store at path to the store's owner.
func giveBeside(made, path string) error {
	info, err := ownerOf(path)
	if err != nil {
		return err
	}
	return giveTo(made, info)
}

// dressAs makes a file fit to take the place of another, of which info is. Where that is a folder, there was no file.
func dressAs(path string, info os.FileInfo) error {
	err := giveTo(path, info)
	if !info.IsDir() {
		err = errors.Join(err, os.Chmod(path, info.Mode().Perm()))
	}
	return err
}
