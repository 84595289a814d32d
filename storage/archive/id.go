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

// The folder and its store bear the same id: a random word that changes with each batch
// of games that goes into the files. A folder of another store, or an older copy, has
// another id and is refused. The folder keeps the previous word as well: a process that
// died between the two writes can go on with either.

// ids are the ids of the folder, the newest first; none in a new folder.
func (f *Files) ids() ([]string, error) {
	text, err := os.ReadFile(f.idPath())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("reading the archive's id: %w", err)
	}
	return strings.Fields(string(text)), nil
}

func (f *Files) idPath() string { return filepath.Join(f.dir, "archive.id") }

// setIDs puts ids into the folder, all or none, durably.
func (f *Files) setIDs(ids ...string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("writing the archive's id: %w", err)
		}
	}()
	next := f.idPath() + ".new"
	file, err := os.OpenFile(next, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(strings.Join(ids, " ") + "\n")
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Rename(next, f.idPath()); err != nil {
		return err
	}
	dir, err := os.Open(f.dir)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// claim makes sure that these files are the store's archive. known gives the store's id;
// a store without one gets the id of these files.
func (f *Files) claim(ctx context.Context, known func(context.Context, string) (string, error)) error {
	ids, err := f.ids()
	if err == nil && len(ids) == 0 {
		ids = []string{rand.Text()}
		err = f.setIDs(ids...)
	}
	if err != nil {
		return err
	}
	is, err := known(ctx, ids[0])
	if err != nil {
		return err
	}
	if !slices.Contains(ids, is) {
		return fmt.Errorf("%w: the files in %s are an older copy, or another store's;"+
			" where the newer ones are lost, the word %s in %s makes these the archive", errOther, f.dir, is, f.idPath())
	}
	return nil
}

// Belongs gives an error where these files are not the archive of the store in engine. New
// files belong to a store that has no archive yet.
func (f *Files) Belongs(ctx context.Context, engine kv.Engine) error {
	is, err := idOf(ctx, engine)
	if err != nil {
		return err
	}
	ids, err := f.ids()
	if err != nil || is == "" && len(ids) == 0 || slices.Contains(ids, is) {
		return err
	}
	return fmt.Errorf("%w than the files in %s", errOther, f.dir)
}

// HasArchive reports whether the store in engine has an archive.
func HasArchive(ctx context.Context, engine kv.Engine) (bool, error) {
	is, err := idOf(ctx, engine)
	return is != "", err
}

func idOf(ctx context.Context, engine kv.Engine) (is string, err error) {
	err = engine.View(ctx, func(r kv.Reader) error {
		value, err := r.Get(storage.ArchiveRow())
		is = string(value)
		return err
	})
	return is, err
}

// nextID writes the id of the next batch into the folder. It gives the store's present
// id and the one that the store gets with the batch.
func (f *Files) nextID(ctx context.Context, engine kv.Engine) (is, next string, err error) {
	if is, err = idOf(ctx, engine); err != nil {
		return "", "", err
	}
	ids, err := f.ids()
	if err == nil && !slices.Contains(ids, is) {
		err = errOther
	}
	if err != nil {
		return "", "", err
	}
	next = rand.Text()
	return is, next, f.setIDs(next, is)
}

var errOther = errors.New("the store has another archive")
