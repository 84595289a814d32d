package game

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"tengen/internal/shared"
	"tengen/internal/testkit"
)

// The drawings of testdata/renju.txt are the rule book: every point that is forbidden is
// marked with its reason, and no other is.
func TestForbidden(t *testing.T) {
	for _, d := range diagrams(t, "testdata/renju.txt") {
		t.Run(d.name, func(t *testing.T) {
			b, want, err := d.read(Renju, Black)
			testkit.Must(t, err)
			got := forbiddenBy(b)
			for _, mark := range "643" {
				if m := byte(mark); got[m] != want[m] {
					t.Errorf("%c: got %s, want %s", mark, names(got[m]), names(want[m]))
				}
			}
			// The plus marks points that look forbidden and are not.
			for p := range want['+'].All() {
				if err := Renju.Check(b, p); err != nil {
					t.Errorf("%v: %v", p, err)
				}
			}
			// White may play where black may not.
			b.Turn = White
			for _, p := range b.Points() {
				if err := Renju.Check(b, p); b.At(p) == Empty && err != nil {
					t.Errorf("white at %v: %v", p, err)
				}
			}
		})
	}
}

func rowsOf(rows []string) diagram { return diagram{rows: strings.Join(rows, "\n")} }

func readShared(t *testing.T, file string, into any) {
	t.Helper()
	text := testkit.Read(t, filepath.Join(shared.Dir(t), "data", file))
	testkit.Must(t, json.Unmarshal(text, into))
}

// Published boards with the answer of other programs to each.
func TestForbiddenCases(t *testing.T) {
	var cases []struct {
		Source string
		Rows   []string
		Checks []struct {
			Point, Kind string
			Forbidden   bool
		}
		All []struct{ Point, Kind string } `json:"all_forbidden"`
		Set []string                       `json:"rapfi"`
	}
	readShared(t, "renju/forbidden_cases.json", &cases)
	codes := map[string]Code{"DoubleThree": DoubleThree, "DoubleFour": DoubleFour, "Overline": Overline}
	checks := 0
	for i, c := range cases {
		b, _, err := rowsOf(c.Rows).read(Renju, Black)
		testkit.Must(t, err)
		var want, got Set
		for _, s := range c.Set {
			want = want.With(mustPoint(s))
		}
		why := map[Point]Code{}
		for _, r := range (Game{rules: Renju, start: b, now: b}).Forbidden() {
			got = got.With(r.Point)
			why[r.Point] = r.Code
		}
		if got != want {
			t.Errorf("board %d (%s): forbidden %s, want %s\n%s", i, c.Source, names(got), names(want),
				strings.Join(c.Rows, "\n"))
		}
		for _, k := range c.Checks {
			checks++
			p := mustPoint(k.Point)
			err := Renju.Check(b, p)
			if errors.Is(err, Forbidden) != k.Forbidden {
				t.Errorf("board %d: %v: %v, want forbidden %t", i, p, err, k.Forbidden)
			}
			if code, ok := codes[k.Kind]; ok && k.Forbidden && !errors.Is(err, code) {
				t.Errorf("board %d: %v: %v, want %s", i, p, err, k.Kind)
			}
		}
		for _, k := range c.All {
			checks++
			if p := mustPoint(k.Point); why[p] != codes[k.Kind] {
				t.Errorf("board %d: %v is %q, want %s", i, p, why[p].Why(), k.Kind)
			}
		}
		if c.All != nil && got.Len() != len(c.All) {
			t.Errorf("board %d: %d forbidden points, want %d", i, got.Len(), len(c.All))
		}
	}
	if len(cases) < 45 || checks < 80 {
		t.Errorf("only %d boards and %d checks", len(cases), checks)
	}
}

// The boards of a teaching guide. It marks threes and fours where its picture shows
// forbidden points; the other answers, and why they are so, stand in the table.
func TestGuideBoards(t *testing.T) {
	var boards []struct {
		Name  string
		Show  bool     `json:"show_forbidden"`
		Rows  []string `json:"rows_15_to_1"`
		Marks []struct{ Point, Mark string }
	}
	readShared(t, "renju/guide_boards.json", &boards)
	unmarked := map[string]map[byte]string{
		// The game is over: black has E5-I9, of which D4 would make six.
		"intro": {'6': "D4"},
		// Four shapes of two threes each, which the guide's picture marks and its text does not.
		"dobule-three-forbid": {'3': "K2 I8 D13 M13"},
		// The same for overlines; row 8 has one on either side of its four.
		"overline-forbid": {'6': "I4 E8 J8 G12"},
		// The text says of this board that none of its shapes is a double three.
		"dobule-three-forbid-pseudo": {},
		// Drawn again, with these three marked, as pseudo-forbid-complex-s3.
		"pseudo-forbid-complex": {'3': "I8 G10 I10"},
	}
	checked := 0
	for _, c := range boards {
		want := map[byte]Set{}
		for _, m := range c.Marks {
			want[m.Mark[0]] = want[m.Mark[0]].With(mustPoint(m.Point))
		}
		table, told := unmarked[c.Name]
		for mark, list := range table {
			for s := range strings.FieldsSeq(list) {
				want[mark] = want[mark].With(mustPoint(s))
			}
		}
		if !c.Show && !told {
			continue // a picture of shapes that says nothing of forbidden points
		}
		checked++
		for i, row := range c.Rows {
			c.Rows[i] = strings.NewReplacer("3", ".", "4", ".").Replace(row)
		}
		b, _, err := rowsOf(c.Rows).read(Renju, Black)
		testkit.Must(t, err)
		got := forbiddenBy(b)
		for _, mark := range "643" {
			if m := byte(mark); got[m] != want[m] {
				t.Errorf("%s: %c: got %s, want %s\n%s", c.Name, mark, names(got[m]), names(want[m]), strings.Join(c.Rows, "\n"))
			}
		}
	}
	if checked < 18 {
		t.Errorf("only %d of %d boards checked", checked, len(boards))
	}
}

func mustPoint(s string) Point {
	return testkit.Got(ParsePoint(s, 15))
}
