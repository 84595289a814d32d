// Command controls proves that tests see a protection go. Each control is a small change to the
// product that switches one protection off, and the test that must then fail. The changes stand in
// the files *.txt beside this one and reach the compiler alone (go test -overlay): no program that
// anybody runs has a switch.
//
//	go run ./internal/controls               all, in an hour or less
//	go run ./internal/controls -part 3/12    a twelfth of them
//	go run ./internal/controls -only undo    those whose name or file has the word
//
// A control is
//
//	control a stranger takes no move back
//	run ./storage ^TestStranger$ TENGEN_SEEDS=5
//	said has no seat
//	 	switch {
//	-	case !ok:
//	+	case false:
//
// "run" names the package, the tests and what their environment has more. "said", which may be
// missing, is what the failing test must say. "alive" with a reason stands in the place of "run"
// where no test fails because a second protection holds. Of the change, lines that begin with a space
// stay, those with - go and those with + come. They stand in one place of the product, wherever that is:
// code that moves takes its controls along. Where the same lines stand in several files, "in" and a path
// goes before them, as it does before the lines of a second place.
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// control is a change that a test must see.
type control struct {
	file, name string
	pkg, tests string
	env        []string
	said       string
	alive      string // why no test fails
	places     []place
}

// place is where a control changes the product.
type place struct {
	in       string // the file; empty: the one that has the lines
	from, to string
}

// read takes a file of controls apart.
func read(file, text string) (all []*control, err error) {
	var c *control
	for i, line := range strings.Split(text, "\n") {
		word, rest, _ := strings.Cut(line, " ")
		fields := strings.Fields(rest)
		switch {
		case word == "control":
			c = &control{file: file, name: rest}
			all = append(all, c)
		case line == "" || line[0] == '#':
		case c == nil:
			err = fmt.Errorf("%s:%d: no control has begun", file, i+1)
		case word == "run" && len(fields) >= 2:
			c.pkg, c.tests, c.env = fields[0], fields[1], fields[2:]
		case word == "said":
			c.said = rest
		case word == "alive" && rest != "":
			c.alive = rest
		case word == "in":
			c.places = append(c.places, place{in: rest})
		case strings.ContainsRune(" -+", rune(line[0])):
			if len(c.places) == 0 {
				c.places = []place{{}}
			}
			p := &c.places[len(c.places)-1]
			if line[0] != '+' {
				p.from += line[1:] + "\n"
			}
			if line[0] != '-' {
				p.to += line[1:] + "\n"
			}
		default:
			err = fmt.Errorf("%s:%d: what is %q?", file, i+1, line)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, c := range all {
		if len(c.places) == 0 || (c.pkg == "") == (c.alive == "") {
			return nil, fmt.Errorf("%s: %s: a control has a change, and tests or a reason", file, c.name)
		}
	}
	return all, nil
}

// product are the files of Go that programs are made of, by path from the root of the module.
func product(root string) (map[string]string, error) {
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch name := e.Name(); {
		case err != nil:
			return err
		case e.IsDir() && (name == "testdata" || strings.HasPrefix(name, ".") && path != root):
			return filepath.SkipDir
		case e.IsDir() || filepath.Ext(name) != ".go" && filepath.Ext(name) != ".sql" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(root, path)
		files[filepath.ToSlash(rel)] = string(text)
		return err
	})
	return files, err
}

// changed are the files that a control changes, as it has them.
func (c *control) changed(files map[string]string) (map[string]string, error) {
	is := map[string]string{}
	for _, p := range c.places {
		in, n := "", 0
		for path, text := range files {
			if p.in != "" && p.in != path {
				continue
			}
			for _, rest, ok := strings.Cut("\n"+cmp.Or(is[path], text), "\n"+p.from); ok; _, rest, ok = strings.Cut("\n"+
				rest, "\n"+p.from) {
				in, n = path, n+1
			}
		}
		if n != 1 || p.from == "" || p.from == p.to {
			return nil, fmt.Errorf("%s: %s: the lines stand in %d places, not in one:\n%s", c.file, c.name, n, p.from)
		}
		text := "\n" + cmp.Or(is[in], files[in])
		is[in] = strings.Replace(text, "\n"+p.from, "\n"+p.to, 1)[1:]
	}
	return is, nil
}

// fails runs the tests of a control and is nil where they fail as they must.
func (c *control) fails(root string, is map[string]string) error {
	dir, err := os.MkdirTemp("", "control")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for path, text := range is {
		at := filepath.Join(dir, strings.ReplaceAll(path, "/", "-"))
		overlay.Replace[filepath.Join(root, filepath.FromSlash(path))] = at
		err = errors.Join(err, os.WriteFile(at, []byte(text), 0o600))
	}
	list, _ := json.Marshal(overlay)
	if err = errors.Join(err, os.WriteFile(filepath.Join(dir, "overlay"), list, 0o600)); err != nil {
		return err
	}
	cmd := exec.Command("go", "test", "-overlay", filepath.Join(dir, "overlay"), "-vet=off", "-count=1", "-v",
		"-timeout=5m", "-run", c.tests, c.pkg)
	cmd.Dir, cmd.Env = root, append(os.Environ(), c.env...)
	out, err := cmd.CombinedOutput()
	said := string(out)
	switch {
	case strings.Contains(said, "[build failed]") || strings.Contains(said, "[setup failed]"):
		return fmt.Errorf("does not build:\n%s", said)
	case strings.Contains(said, "no tests to run"):
		return fmt.Errorf("no test of %s is called %s", c.pkg, c.tests)
	case err == nil && strings.Contains(said, "--- SKIP"):
		return errors.New("the test was skipped: something is missing on this machine")
	case err == nil:
		return errors.New("LIVES: no test fails")
	case !strings.Contains(said, "--- FAIL") && !strings.Contains(said, "panic:") &&
		!strings.Contains(said, "fatal error:"):
		return fmt.Errorf("ended otherwise than by a failing test:\n%s", said)
	case !strings.Contains(said, c.said):
		return fmt.Errorf("fails without a word of %q:\n%s", c.said, said[max(0, len(said)-4000):])
	}
	return nil
}

// all are the controls beside this program, in the order of files and lines.
func all(root string) (all []*control, err error) {
	paths, _ := filepath.Glob(filepath.Join(root, "internal", "controls", "*.txt"))
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		these, err := read(filepath.Base(path), string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, these...)
	}
	return all, nil
}

func main() {
	part := flag.String("part", "1/1", "one of so many parts")
	only := flag.String("only", "", "a word of the name or the file")
	jobs := flag.Int("jobs", runtime.NumCPU(), "at a time")
	flag.Parse()
	var n, of int
	if _, err := fmt.Sscanf(*part, "%d/%d", &n, &of); err != nil || of < 1 {
		fmt.Fprintln(os.Stderr, "-part is like 3/12")
		os.Exit(2)
	}
	if err := run(*only, n, of, *jobs); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(only string, part, of, jobs int) error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	list, err := all(root)
	if err != nil {
		return err
	}
	files, err := product(root)
	if err != nil {
		return err
	}
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		runs int
		bad  error
	)
	places := make(chan struct{}, jobs)
	for i, c := range list {
		if c.alive != "" || i%of != part%of || !strings.Contains(c.file+" "+c.name, only) {
			continue
		}
		is, err := c.changed(files)
		if err != nil {
			return err
		}
		runs++
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			began := time.Now()
			err := c.fails(root, is)
			mu.Lock()
			defer mu.Unlock()
			fmt.Printf("%5.0f s  %-24s %s\n", time.Since(began).Seconds(), c.file, c.name)
			if err != nil {
				bad = errors.Join(bad, fmt.Errorf("%s: %s: %w", c.file, c.name, err))
			}
		})
	}
	wg.Wait()
	second := slices.DeleteFunc(list, func(c *control) bool { return c.alive == "" })
	fmt.Printf("%d controls ran; %d protections stand behind another\n", runs, len(second))
	return bad
}
