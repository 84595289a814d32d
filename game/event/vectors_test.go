package event

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tengen/internal/shared"
)

// vectors calls f with each line of a file of published cases.
func vectors(t *testing.T, file string, f func(name string, line []byte)) {
	in, err := os.Open(filepath.Join(shared.Dir(t), "data", "vectors", file))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	n := 0
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c struct{ Case string }
		decode(t, lines.Bytes(), &c)
		f(c.Case, lines.Bytes())
		n++
	}
	if err := lines.Err(); err != nil || n == 0 {
		t.Fatalf("%s: %d lines, %v", file, n, err)
	}
	t.Logf("%s: %d lines", file, n)
}

func decode(t testing.TB, line []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(line, into); err != nil {
		t.Fatalf("%v in %.200s", err, line)
	}
}

func TestSwissVectors(t *testing.T) {
	vectors(t, "swiss_dev.jsonl", func(name string, line []byte) {
		var c struct {
			Swiss
			Want [][2]int
		}
		decode(t, line, &c)
		got, err := c.Pair()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !slices.Equal(got, c.Want) || (got == nil) != (c.Want == nil) {
			t.Errorf("%s: %v, want %v", name, got, c.Want)
		}
	})
}
