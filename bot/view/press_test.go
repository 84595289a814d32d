package view

import (
	"strings"
	"testing"

	"tengen/internal/testkit"
)

// A custom id has 100 characters at most.
func TestLongCustomID(t *testing.T) {
	id := Press{1, 2, "typed", ""}.ID()
	_, err := ParsePress(id + strings.Repeat("x", 100-len(id)))
	testkit.Check(t, err)
	if p, err := ParsePress(id + strings.Repeat("x", 101-len(id))); err == nil {
		t.Errorf("%+v", p)
	}
}
