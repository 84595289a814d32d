package main

import (
	"cmp"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tengen/internal/testkit"
)

var update = flag.Bool("update", false, "write licenses.txt anew")

// The program carries the licence of every module that goes into it, on any system.
func TestLicenses(t *testing.T) {
	t.Parallel()
	want := notices(t)
	if *update {
		testkit.Must(t, os.WriteFile("licenses.txt", []byte(want), 0o644))
		return // what this test was built with is the old one
	}
	got, err := os.ReadFile("licenses.txt")
	if err != nil || string(got) != want {
		t.Errorf("licenses.txt is not that of the modules in the program (%v); "+
			"go test -run TestLicenses ./cmd/tengen -update writes it anew", err)
	}
	code, out, stderr := tengen(t, "version", "--licenses")
	if code != 0 || out != string(got) {
		t.Errorf("tengen version --licenses: exit code %d, %d bytes of %d, %s", code, len(out), len(got), stderr)
	}
	for _, name := range []string{"tengen: ", "Go: ", "golang.org/x/image", "The FreeType Project LICENSE",
		"Apache License", "Copyright 2012-2015 The Prometheus Authors"} {
		if !strings.Contains(out, name) {
			t.Errorf("nothing of %s", name)
		}
	}
}

// passedOn are the names of files that a licence asks to be passed on.
var passedOn = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice)(\.\w+)?$`)

// chosen are the licences of modules that leave the choice among several.
var chosen = map[string]string{"github.com/golang/freetype": "licenses/ftl.txt"}

// notices is what licenses.txt should be. A text that several modules have stands there once.
func notices(t *testing.T) string {
	names := map[string][]string{} // text -> whose
	add := func(module, dir, file string) {
		text := testkit.Read(t, filepath.Join(dir, file))
		whole := strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n"))
		names[whole] = append(names[whole], module+": "+filepath.ToSlash(file))
	}
	for dir, module := range linked(t) {
		found := false
		for _, file := range files(t, dir) {
			if name := filepath.Base(file); passedOn.MatchString(name) && above(file, module.packages) {
				found = true
				add(module.name, dir, file)
			}
		}
		if file := chosen[module.name]; file != "" {
			add(module.name, dir, file)
		}
		if !found {
			t.Errorf("%s comes without a licence", module.name)
		}
	}
	add("Go", strings.TrimSpace(string(testkit.Got(exec.Command("go", "env", "GOROOT").Output()))), "LICENSE")
	add("tengen", root, "LICENSE")
	for _, whose := range names {
		slices.Sort(whose)
	}
	rank := func(text string) int { // ours, then that of the language, then the others
		return slices.IndexFunc([]string{"tengen: ", "Go: ", ""}, func(p string) bool {
			return strings.HasPrefix(names[text][0], p)
		})
	}
	var b strings.Builder
	b.WriteString("What goes into this program, each with its licence.\n")
	for _, text := range slices.SortedFunc(maps.Keys(names), func(x, y string) int {
		return cmp.Or(rank(x)-rank(y), strings.Compare(names[x][0], names[y][0]))
	}) {
		b.WriteString("\n" + strings.Repeat("=", 80) + "\n" + strings.Join(names[text], "\n") + "\n" +
			strings.Repeat("-", 80) + "\n\n" + text + "\n")
	}
	return b.String()
}

type linkedModule struct {
	name     string
	packages []string // their folders, from the module's
}

// linked are the modules of the packages in the program, by folder.
func linked(t *testing.T) map[string]*linkedModule {
	t.Helper()
	all := map[string]*linkedModule{}
	for _, system := range []string{"linux", "darwin", "windows", "freebsd"} {
		c := exec.Command("go", "list", "-deps", "-f",
			"{{with .Module}}{{if not .Main}}{{.Dir}}\t{{.Path}}\t{{$.Dir}}{{end}}{{end}}", ".")
		c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH=amd64")
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%s: %v", system, err)
		}
		for line := range strings.Lines(string(out)) {
			dir, rest, ok := strings.Cut(strings.TrimSpace(line), "\t")
			name, pkg, _ := strings.Cut(rest, "\t")
			if !ok {
				continue
			}
			if all[dir] == nil {
				all[dir] = &linkedModule{name: name}
			}
			all[dir].packages = append(all[dir].packages, testkit.Got(filepath.Rel(dir, pkg)))
		}
	}
	if len(all) < 20 {
		t.Fatalf("only %d modules", len(all))
	}
	return all
}

// files are those of a folder and below, from the folder.
func files(t *testing.T, dir string) (all []string) {
	t.Helper()
	testkit.Must(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			path, err = filepath.Rel(dir, path)
			all = append(all, path)
		}
		return err
	}))
	return all
}

// above reports whether a file lies in the folder of a package or in one above it.
func above(file string, packages []string) bool {
	dir := filepath.Dir(file)
	return dir == "." || slices.ContainsFunc(packages, func(p string) bool {
		return p == dir || strings.HasPrefix(p, dir+string(filepath.Separator))
	})
}
