package archive

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tengen/storage"
	"tengen/storage/kv"
)

// The folder and its store bear the same mark, a random word that is another one after
// each batch of games that went into the files. So the files of another store, and an
// older copy of these, are found out. The folder keeps the word before as well: who died
// between the two writes goes on with either.

// marks are those of the folder, the newest first; none in a new one.
func (f *Files) marks() ([]string, error) {
	text, err := os.ReadFile(f.markPath())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("reading the archive's mark: %w", err)
	}
	return strings.Fields(string(text)), nil
}

func (f *Files) markPath() string { return filepath.Join(f.dir, "archive.id") }

// mark puts marks into the folder, all or none, durably.
func (f *Files) mark(marks ...string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("marking the archive: %w", err)
		}
	}()
	next := f.markPath() + ".new"
	file, err := os.OpenFile(next, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(strings.Join(marks, " ") + "\n")
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Rename(next, f.markPath()); err != nil {
		return err
	}
	dir, err := os.Open(f.dir)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// claim makes sure that these files are the archive of a store, whose mark known gives; it
// takes over the one that it is given where the store has none.
func (f *Files) claim(ctx context.Context, known func(context.Context, string) (string, error)) error {
	marks, err := f.marks()
	if err == nil && len(marks) == 0 {
		marks = []string{rand.Text()}
		err = f.mark(marks...)
	}
	if err != nil {
		return err
	}
	is, err := known(ctx, marks[0])
	if err != nil {
		return err
	}
	if !slices.Contains(marks, is) {
		return fmt.Errorf("%w: the files in %s are an older copy, or another store's;"+
			" where the newer ones are lost, the word %s in %s makes these the archive", errOther, f.dir, is, f.markPath())
	}
	return nil
}

// Belongs is an error where these files are not the archive of the store in an engine. New
// ones belong to a store without an archive.
func (f *Files) Belongs(ctx context.Context, engine kv.Engine) error {
	is, err := markOf(ctx, engine)
	if err != nil {
		return err
	}
	marks, err := f.marks()
	if err != nil || is == "" && len(marks) == 0 || slices.Contains(marks, is) {
		return err
	}
	return fmt.Errorf("%w than the files in %s", errOther, f.dir)
}

// HasArchive reports whether the store in an engine has an archive beside it.
func HasArchive(ctx context.Context, engine kv.Engine) (bool, error) {
	is, err := markOf(ctx, engine)
	return is != "", err
}

func markOf(ctx context.Context, engine kv.Engine) (is string, err error) {
	err = engine.View(ctx, func(r kv.Reader) error {
		value, err := r.Get(storage.ArchiveRow())
		is = string(value)
		return err
	})
	return is, err
}

// nextMark marks the folder for a batch that goes into it, and gives the mark of the store and
// the one that it gets with the batch.
func (f *Files) nextMark(ctx context.Context, engine kv.Engine) (is, next string, err error) {
	if is, err = markOf(ctx, engine); err != nil {
		return "", "", err
	}
	marks, err := f.marks()
	if err == nil && !slices.Contains(marks, is) {
		err = errOther
	}
	if err != nil {
		return "", "", err
	}
	next = rand.Text()
	return is, next, f.mark(next, is)
}

var errOther = errors.New("the store has another archive")
