package testkit

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// noDose are the names in the environment that say something else than how much a test of .ci/run does.
var noDose = map[string]string{
	"TENGEN_FULL":        "takes hours",
	"TENGEN_BENCH":       "measures, on a quiet machine",
	"TENGEN_FIGURES":     "measures, on a quiet machine",
	"TENGEN_PRESSES":     "measures, on a quiet machine",
	"TENGEN_REVIEW_COST": "measures, on a quiet machine",
	"TENGEN_LOOK":        "a folder for pictures that a person looks at",
	"TENGEN_SHARED":      "a folder",
	"TENGEN_AXE":         "a file that npm has",
	"TENGEN_SDK":         "a file that npm has",
	"TENGEN_LIGHTHOUSE":  "a program that npm has",
	"TENGEN_PAGE_OLDER":  "a commit",
	"TENGEN_SEED":        "which of the cases, not how many",
	"TENGEN_REVIEW_FROM": "which of the cases, not how many",
}

// Each dose that a test reads is raised by .ci/run, and each that .ci/run raises is read by a test. What
// tests say to processes of their own is none: they name it themselves, or its name says so. A dose with
// EVERY in its name is a step, and the smaller one is the larger dose.
func TestDosesAreRaised(t *testing.T) {
	raised := map[string]int{}
	ci, err := os.ReadFile("../../.ci/run")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(ci), "\ndoses=(\n")
	list, _, _ = strings.Cut(list, "\n)\n")
	for _, m := range regexp.MustCompile(`(TENGEN_\w+)=(\d+)`).FindAllStringSubmatch(list, -1) {
		raised[m[1]], _ = strconv.Atoi(m[2])
	}
	named := regexp.MustCompile(`"(TENGEN_[A-Z_]+)(=?)[^"]*"`)
	own := regexp.MustCompile(`^TENGEN_TEST_|_CHILD$`)
	little := regexp.MustCompile(`[dD]ose\("(TENGEN_[A-Z_]+)", ([\d_]+)\)`)
	read, given := map[string]string{}, map[string]bool{}
	err = filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "doses_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range named.FindAllSubmatch(text, -1) {
			if name := string(m[1]); len(m[2]) > 0 {
				given[name] = true
			} else {
				read[name] = path
			}
		}
		for _, m := range little.FindAllSubmatch(text, -1) {
			least, err := strconv.ParseInt(string(m[2]), 0, 64)
			more := int64(raised[string(m[1])])
			if strings.Contains(string(m[1]), "_EVERY_") {
				more, least = least, more
			}
			if err != nil || raised[string(m[1])] > 0 && more <= least {
				t.Errorf("%s: %s is %s without an environment, and %d in .ci/run", path, m[1], m[2], raised[string(m[1])])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, path := range read {
		if raised[name] == 0 && noDose[name] == "" && !given[name] && !own.MatchString(name) {
			t.Errorf(".ci/run does not raise %s, which %s reads", name, path)
		}
	}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(raised)), slices.Collect(maps.Keys(noDose))) {
		if read[name] == "" {
			t.Errorf("no test reads %s", name)
		}
	}
	if len(raised) < 30 {
		t.Errorf("only %d doses found in .ci/run", len(raised))
	}
}
