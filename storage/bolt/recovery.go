package bolt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"tengen/storage/kv"
)

// Recovery is what Open did about a damaged file.
type Recovery struct {
	Problem string    // what was wrong
	Aside   string    // where the damaged file is now; empty if there was none
	From    string    // the backup that took its place
	At      time.Time // when that backup was made: what came after is lost
}

// Happened reports whether anything had to be done.
func (r Recovery) Happened() bool { return r.Problem != "" }

// String is the text for logs.
func (r Recovery) String() string {
	if !r.Happened() {
		return "none"
	}
	s := fmt.Sprintf("the store was damaged (%s) and was replaced by the backup of %s", r.Problem,
		r.At.Format("2006-01-02 15:04:05 MST"))
	if r.Aside != "" {
		s += "; the damaged file is " + r.Aside
	}
	return s
}

// recoverFile leaves a good file at path, or an error that says why there is none. opened
// says that a store was opened there before. older is not nil where the file is an older copy
// and the options accept it.
func recoverFile(ctx context.Context, path string, opened bool, o Options) (_ Recovery, older *olderFile, err error) {
	problem, err := examine(ctx, path, opened, o)
	if err != nil {
		return Recovery{}, nil, err
	}
	if problem != "" {
		r, err := replaceDamaged(ctx, path, problem, o)
		return r, nil, err
	}
	if older, err = olderThan(path, o); err != nil {
		return Recovery{}, nil, err
	}
	if older != nil && !o.AcceptOlder {
		return Recovery{}, nil, older
	}
	return Recovery{}, older, forgetClean(path)
}

// replaceDamaged puts the newest good backup in the place of a damaged file.
func replaceDamaged(ctx context.Context, path, problem string, o Options) (Recovery, error) {
	from, tried, err := newestGood(ctx, path, o)
	if err != nil {
		return Recovery{}, err
	}
	if from.Path == "" {
		return Recovery{}, &damagedError{Problem: problem, Backups: o.Backups, Tried: tried}
	}
	found := Recovery{Problem: problem, From: from.Path, At: from.At}
	if from.Ahead {
		found.At = from.Last.At
	}
	epoch, err := nextEpoch(path, o.Backups, from.Path, path)
	if err != nil {
		return Recovery{}, err
	}
	like, err := ownerOf(path)
	if err != nil {
		return Recovery{}, err
	}
	if found.Aside, err = moveAside(path); err != nil {
		return Recovery{}, err
	}
	if err := copyFile(ctx, from.Path, path, epoch, like); err != nil {
		return Recovery{}, err
	}
	o.Log.Error("the store was damaged and a backup has taken its place", "file", path, "problem", problem,
		"damaged", found.Aside, "backup", from.Path, "made", from.At)
	return found, nil
}

// examine gives what is wrong with the file, or nothing when it can be opened. It
// makes the file when there is none and never was.
func examine(ctx context.Context, path string, opened bool, o Options) (problem string, err error) {
	signs := signsOf(path, opened)
	switch info, err := os.Stat(path); {
	case errors.Is(err, os.ErrNotExist):
		if target, err := os.Readlink(path); err == nil { // a disk that is not mounted, say
			return "", &goneFile{Link: target, Signs: append(signs, path)}
		}
		backups, err := Backups(path, o.Backups)
		switch {
		case err != nil:
			return "", err
		case len(backups) > 0:
			return "the file is gone but its backups are there", nil
		case len(signs) > 0:
			return "", &goneFile{Signs: signs}
		}
		return "", create(path)
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", errors.New("not a regular file")
	case info.Size() == 0:
		return "the file is empty", nil
	}
	report, err := checkStart(ctx, path, o)
	if err != nil {
		return "", err
	}
	if report.Newer != "" {
		return "", newerLayout(report.Newer)
	}
	if report.Problem == errForeign.Error() && len(signs) == 0 {
		backups, err := Backups(path, o.Backups)
		if err != nil || len(backups) == 0 {
			return "", errors.Join(errForeign, err) // somebody else's data is not ours to move
		}
	}
	return report.Problem, nil
}

// checkStart checks a file that is about to be opened. One that was closed cleanly is
// checked for so long as a start may take. Where that is not enough it is opened if it is
// byte for byte what was closed: then only what was lost before the close can be missing,
// and the next backup, which reads all rows, finds that.
func checkStart(ctx context.Context, path string, o Options) (Report, error) {
	if _, ok := marked(path); !ok {
		o.Log.Info("the store was not closed cleanly, checking it", "file", path)
		return o.Check(ctx, path)
	}
	limited, cancel := context.WithTimeout(ctx, o.startTime)
	defer cancel()
	report, err := o.Check(limited, path)
	if err == nil || ctx.Err() != nil {
		return report, err
	}
	if !isClean(path) || !summed(path) {
		o.Log.Info("the store has changed since it was closed, or has no sums yet, checking it", "file", path)
		return o.Check(ctx, path)
	}
	o.Log.Info("the store is as it was closed; its rows were not read", "file", path, "why", err)
	return Report{}, nil
}

// signsOf names the files beside a path that show that a store is there, or was.
func signsOf(path string, opened bool) (signs []string) {
	if _, err := os.Lstat(cleanPath(path)); err == nil {
		signs = append(signs, cleanPath(path))
	}
	if opened {
		signs = append(signs, lockPath(path))
	}
	return signs
}

// goneFile says that there is no file where a store was before.
type goneFile struct {
	Link  string   // where the path leads as a link; empty: it is none
	Signs []string // the files that show it
}

// Error also tells what an operator can do.
func (g *goneFile) Error() string {
	show := " shows"
	if len(g.Signs) > 1 {
		show = " show"
	}
	s := "the file of the store is gone: " + strings.Join(g.Signs, " and ") + show + " that there was one"
	if g.Link != "" {
		s = "the file of the store is gone: its path is a link to " + g.Link + ", where there is none"
	}
	return s + "; mount its disk or put the file back, or take a backup (tengen store restore); to begin anew, remove " +
		strings.Join(g.Signs, " and ")
}

// damagedError says that the file is damaged and that no good backup was found.
type damagedError struct {
	Problem string
	Backups string // the folder that was searched
	Tried   int    // backups that were damaged as well
}

// Error also tells what an operator can do.
func (d *damagedError) Error() string {
	s := fmt.Sprintf("the store is damaged (%s) and there is no backup in %s", d.Problem, d.Backups)
	if d.Tried > 0 {
		s = fmt.Sprintf("the store is damaged (%s) and so are all %d backups in %s", d.Problem, d.Tried, d.Backups)
	}
	return s + "; put a good file in its place, or move it away, and all files beside it, to begin anew"
}

// Unwrap lets errors.Is(err, kv.ErrDamaged) match.
func (d *damagedError) Unwrap() error { return kv.ErrDamaged }

func newestGood(ctx context.Context, path string, o Options) (good Backup, tried int, err error) {
	backups, err := Backups(path, o.Backups)
	if err != nil {
		return Backup{}, 0, err
	}
	for _, b := range backups {
		report, err := o.Check(ctx, b.Path)
		if ctx.Err() != nil {
			return Backup{}, tried, ctx.Err()
		}
		if err == nil && report.Good() {
			return b, tried, nil
		}
		tried++
		o.Log.Error("a backup cannot be used", "backup", b.Path, "problem", report.Problem, "err", err)
	}
	return Backup{}, tried, nil
}

// moveAside gives a damaged file a name under which nothing touches it again.
func moveAside(path string) (string, error) {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	stamp := time.Now().UTC().Format(stampLayout)
	for i := 0; ; i++ {
		aside := fmt.Sprintf("%s.damaged-%s", path, stamp)
		if i > 0 {
			aside += fmt.Sprintf("-%d", i)
		}
		if _, err := os.Lstat(aside); errors.Is(err, os.ErrNotExist) {
			return aside, replace(path, aside)
		}
	}
}
