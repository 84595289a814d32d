package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// A round of 300 entrants is a line far longer than a position; one beyond the bound is
// refused, and the lines behind it are answered.
func TestLongEventLines(t *testing.T) {
	var long strings.Builder
	long.WriteString(`{"round":2,"rounds":9,"initial":"w","players":[`)
	for id := 1; id <= 300; id++ {
		opp, color, result := id+150, "w", "1"
		if id > 150 {
			opp, color, result = id-150, "b", "0"
		}
		fmt.Fprintf(&long, `{"id":%d,"rating":%d,"name":"%s","games":[{"opp":%d,"color":"%s","result":"%s"}]},`,
			id, 3000-id, strings.Repeat("x", 200), opp, color, result)
	}
	line := strings.TrimSuffix(long.String(), ",") + "]}"
	if len(line) < maxLine {
		t.Fatalf("the line has only %d bytes", len(line))
	}
	in := line + "\n" + strings.Repeat(" ", 5) + `{"x":"` + strings.Repeat("y", maxEventLine) + "\"}\n" + line
	var out, errors bytes.Buffer
	if code := run(t.Context(), []string{"event", "pair"}, streams{strings.NewReader(in), &out, &errors}); code != 1 {
		t.Errorf("exit code %d: %s", code, errors.String())
	}
	got := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(got) != 3 || strings.Count(got[0], ",") != 299 || got[2] != got[0] {
		t.Fatalf("%d lines: %.300s", len(got), out.String())
	}
	if want := `{"error":"line 2: longer than 16777216 bytes"}`; got[1] != want {
		t.Errorf("%s, want %s", got[1], want)
	}
}
