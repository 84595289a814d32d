package bolt

import (
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"tengen/internal/testkit"
)

// What an operator reads names each file once and is no text of bbolt's panics.
func TestWords(t *testing.T) {
	for said, want := range map[string]string{
		"panic: assertion failed: Page expected to be: 5, but self identifies as 0": "its pages do not fit together (Page expected to be: 5, but self identifies as 0)",
		"panic: invalid freelist page: 0, page type is unknown<00> [recovered]":     "its pages do not fit together (invalid freelist page: 0, page type is unknown<00>)",
		"panic: assertion failed: ":                                         "its pages do not fit together",
		"unexpected fault address 0x7f":                                     "its pages do not fit together",
		"panic: runtime error: slice bounds out of range [:70] capacity 12": "its pages do not fit together",
		"": "its pages do not fit together",
	} {
		if got := unfit(said); got != want {
			t.Errorf("%q is worded %q, want %q", said, got, want)
		}
	}
	for want, signs := range map[string][]string{
		"gone: a.clean shows that":             {"a.clean"},
		"gone: a.clean and a.lock show that":   {"a.clean", "a.lock"},
		"to begin anew, remove a.clean and a.": {"a.clean", "a.lock"},
	} {
		if got := (&goneFile{Signs: signs}).Error(); !strings.Contains(got, want) {
			t.Errorf("%q does not say %q", got, want)
		}
	}
}

// A check that cannot begin says so once.
func TestCheckNamesFileOnce(t *testing.T) {
	path := scratch(t) + "/store.db"
	open(t, path).Close()
	db, err := bbolt.Open(path, fileMode, nil) // so that the checker's own Open waits in vain
	testkit.Must(t, err)
	defer db.Close()
	_, err = checkChild(t.Context(), path)
	if err == nil || strings.Count(err.Error(), "checking ") != 1 || strings.Count(err.Error(), path) != 1 {
		t.Errorf("%v", err)
	}
}
