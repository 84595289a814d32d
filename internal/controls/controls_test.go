package main

import (
	"path/filepath"
	"strings"
	"testing"

	"tengen/internal/testkit"
)

// Each control still applies: its lines stand in one place of the product.
func TestControlsApply(t *testing.T) {
	root := testkit.Got(filepath.Abs("../.."))
	list := testkit.Got(all(root))
	files := testkit.Got(product(root))
	names := map[string]bool{}
	for _, c := range list {
		_, err := c.changed(files)
		testkit.Check(t, err)
		if names[c.name] {
			t.Errorf("two controls are called %q", c.name)
		}
		names[c.name] = true
	}
}

func TestRead(t *testing.T) {
	const head = "control c\nrun ./p ^TestX$ A=1 B=2\n"
	c, err := read("f", head+"said so\n a\n-b\n+c\nin x.go\n-d\n+\n\n")
	if err != nil || len(c) != 1 {
		t.Fatal(c, err)
	}
	is, err := c[0].changed(map[string]string{"w.go": "a\nb\n", "x.go": "d\n", "y.go": "d\nab\n"})
	if err != nil || len(is) != 2 || is["w.go"] != "a\nc\n" || is["x.go"] != "\n" || c[0].said != "so" ||
		len(c[0].env) != 2 {
		t.Errorf("%q, %v, %+v", is, err, c[0])
	}
	for _, wrong := range []string{"control c\n", head, head + "alive it is\n-a\n", "run ./p ^TestX$\n", head + "why\n",
		"control c\n-a\n+b\n"} {
		if _, err := read("f", wrong); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
	for _, files := range []map[string]string{{}, {"w.go": "a\nb\na\nb\n", "x.go": "d\n"},
		{"w.go": "a\nb\n", "v.go": "a\nb\n", "x.go": "d\n"}, {"w.go": "a\nb\n"}} {
		if _, err := c[0].changed(files); err == nil || !strings.Contains(err.Error(), "places") {
			t.Errorf("%q: %v", files, err)
		}
	}
}
