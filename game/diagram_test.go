package game

import (
	"fmt"
	"strings"
	"testing"

	"tengen/internal/testkit"
)

// diagram is a board drawn in a test, the top row as the picture shows it: X black, O
// white, . empty, and marks of the test's own on empty points. Blanks between the points
// do not count. A drawing smaller than the board lies with its top left corner on corner.
type diagram struct {
	name   string
	corner string
	rows   string
}

// read puts the drawing on a board of r with side to move and gives the marks by letter.
func (d diagram) read(r Rules, side Color) (Position, map[byte]Set, error) {
	b := Position{Size: r.Size(), Turn: side}
	marks := map[byte]Set{}
	at := "A15"
	if r.TopDown() {
		at = "A1"
	}
	if d.corner != "" {
		at = d.corner
	}
	corner, err := ParsePoint(at, r.Size())
	if err != nil {
		return b, nil, err
	}
	for i, line := range strings.Split(strings.TrimSpace(d.rows), "\n") {
		for j, c := range []byte(strings.ReplaceAll(strings.TrimSpace(line), " ", "")) {
			row := corner.Row() - i
			if r.TopDown() {
				row = corner.Row() + i
			}
			col := corner.Col() + j
			if row < 0 || row >= r.Size() || col >= r.Size() {
				return b, nil, fmt.Errorf("%s: row %d, column %d lies off the board", d.name, i+1, j+1)
			}
			p := At(col, row)
			switch c {
			case '.':
			case 'X':
				b = b.Put(p, Black)
			case 'O':
				b = b.Put(p, White)
			default:
				marks[c] = marks[c].With(p)
			}
		}
	}
	return b, marks, nil
}

// diagrams reads a file of drawings: a line "# name" or "# name @ corner", then rows.
func diagrams(t *testing.T, file string) []diagram {
	t.Helper()
	text := testkit.Read(t, file)
	var ds []diagram
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "//"):
		case strings.HasPrefix(line, "#"):
			name, corner, _ := strings.Cut(strings.TrimSpace(line[1:]), " @ ")
			ds = append(ds, diagram{name: name, corner: corner})
		case len(ds) == 0:
			t.Fatalf("%s: rows before the first name: %s", file, line)
		default:
			ds[len(ds)-1].rows += line + "\n"
		}
	}
	return ds
}

// names lists the points of a set.
func names(s Set) string {
	var out []string
	for p := range s.All() {
		out = append(out, p.String())
	}
	return strings.Join(out, " ")
}

// forbiddenBy is the forbidden points of a position in Renju with black to move, by the mark
// that stands for the reason: 6 overline, 4 double four, 3 double three.
func forbiddenBy(b Position) map[byte]Set {
	g := Game{rules: Renju, start: b, now: b}
	got := map[byte]Set{}
	for _, r := range g.Forbidden() {
		mark := map[Code]byte{Overline: '6', DoubleFour: '4', DoubleThree: '3'}[r.Code]
		got[mark] = got[mark].With(r.Point)
	}
	return got
}
