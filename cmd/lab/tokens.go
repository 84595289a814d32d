package main

import (
	"archive/tar"
	"bytes"
	"cmp"
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing/fstest"
	"text/tabwriter"
)

type tokensCmd struct {
	Dir     string `arg:"" optional:"" help:"The tree to measure; the present folder where none is named."`
	Against string `placeholder:"TREE" help:"A folder, or a revision of the repository of DIR, to compare with."`
}

func (c *tokensCmd) Run() error {
	dir := cmp.Or(c.Dir, ".")
	now, err := measured(os.DirFS(dir))
	if err != nil {
		return err
	}
	var was map[string]size
	if c.Against != "" {
		tree, err := treeOf(dir, c.Against)
		if err == nil {
			was, err = measured(tree)
		}
		if err != nil {
			return err
		}
	}
	return printSizes(os.Stdout, now, was)
}

// treeOf is a folder, or else a revision of the repository of dir.
func treeOf(dir, name string) (fs.FS, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return os.DirFS(name), nil
	}
	git := exec.Command("git", "-C", dir, "archive", name) // of dir alone
	git.Stderr = os.Stderr
	data, err := git.Output()
	if err != nil {
		return nil, fmt.Errorf("git archive %s: %w", name, err)
	}
	tree := fstest.MapFS{}
	for files := tar.NewReader(bytes.NewReader(data)); ; {
		f, err := files.Next()
		if err == io.EOF {
			return tree, nil
		}
		if err == nil && f.Typeflag == tar.TypeReg && path.Ext(f.Name) == ".go" {
			var text []byte
			text, err = io.ReadAll(files)
			tree[path.Clean(f.Name)] = &fstest.MapFile{Data: text}
		}
		if err != nil {
			return nil, err
		}
	}
}

// size is what a package has: outside its tests, and of tests.
type size [4]int // tokens, lines, tokens of tests, lines of tests

func (s size) plus(o size, sign int) size {
	for i := range s {
		s[i] += sign * o[i]
	}
	return s
}

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// measured is the size of each package of a tree. Generated files do not count, nor folders that Go leaves
// out: testdata, vendor, and names that begin with a dot or an underscore.
func measured(tree fs.FS) (map[string]size, error) {
	sizes := map[string]size{}
	err := fs.WalkDir(tree, ".", func(name string, e fs.DirEntry, err error) error {
		base := path.Base(name)
		switch {
		case err != nil || name == ".":
			return err
		case e.IsDir() && (base == "testdata" || base == "vendor" || base[0] == '.' || base[0] == '_'):
			return fs.SkipDir
		case e.IsDir() || path.Ext(base) != ".go" || base[0] == '.' || base[0] == '_':
			return nil
		}
		data, err := fs.ReadFile(tree, name)
		if err != nil || generated.Match(data) {
			return err
		}
		tokens, errs := tokensOf(data)
		if errs != 0 {
			return fmt.Errorf("%s is no Go", name)
		}
		s, first := sizes[path.Dir(name)], 0
		if strings.HasSuffix(base, "_test.go") {
			first = 2
		}
		s[first] += tokens
		s[first+1] += bytes.Count(data, []byte("\n"))
		sizes[path.Dir(name)] = s
		return nil
	})
	return sizes, err
}

// tokensOf counts the tokens of a file, without comments and the semicolons that no one has written.
func tokensOf(data []byte) (n, errs int) {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(data)), data, nil, 0)
	for {
		switch _, tok, text := s.Scan(); {
		case tok == token.EOF:
			return n, s.ErrorCount
		case tok != token.SEMICOLON || text == ";":
			n++
		}
	}
}

// printSizes prints a table by package; beside another tree, with the difference to it.
func printSizes(w io.Writer, now, was map[string]size) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, s, before size) {
		fmt.Fprintf(t, "%d\t%d\t%d\t%d\t", s[0], s[1], s[2], s[3])
		if was != nil {
			d := s.plus(before, -1)
			percent := func(i int) float64 { return 100 * float64(d[i]) / float64(max(before[i], 1)) }
			fmt.Fprintf(t, "%+d\t%+.1f%%\t%+d\t%+d\t%+.1f%%\t%+d\t", d[0], percent(0), d[1], d[2], percent(2), d[3])
		}
		fmt.Fprintf(t, "  %s\n", name)
	}
	head := "tokens\tlines\ttest tokens\ttest lines\t"
	if was != nil {
		head += "tokens\t\tlines\ttest tokens\t\ttest lines\t"
	}
	fmt.Fprintln(t, head+"  package")
	all := maps.Clone(now)
	for name := range was {
		all[name] = now[name]
	}
	var sum, sumWas size
	for _, name := range slices.Sorted(maps.Keys(all)) {
		row(name, all[name], was[name])
		sum, sumWas = sum.plus(all[name], 1), sumWas.plus(was[name], 1)
	}
	row("all", sum, sumWas)
	return t.Flush()
}
