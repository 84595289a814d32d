package imports

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"tengen/internal/testkit"
)

// columns bounds a line of Go; a tab counts as one.
const columns = 120

// TestColumns checks that no line of Go is too long. Two kinds of lines may be: those that hold
// part of a raw string, such as the tag of a field, and rows of a table (rowOf).
func TestColumns(t *testing.T) {
	root, checked := filepath.Join("..", ".."), 0
	testkit.Must(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		checked++
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		lines, err := long(path, string(source))
		for _, line := range lines {
			t.Errorf("%s:%d has more than %d columns", strings.TrimPrefix(path, root+"/"), line, columns)
		}
		return err
	}))
	if checked < 500 {
		t.Errorf("only %d files were checked", checked)
	}
}

// long gives the lines of a file that are too long.
func long(name, source string) (lines []int, err error) {
	text := strings.Split(source, "\n")
	for i, l := range text {
		if utf8.RuneCountInString(l) > columns {
			lines = append(lines, i+1)
		}
	}
	if len(lines) == 0 {
		return nil, nil
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, source, 0)
	if err != nil {
		return nil, err
	}
	line := func(p token.Pos) int { return set.Position(p).Line }
	may := map[int]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if n.Value[0] == '`' {
				for l := line(n.Pos()); l <= line(n.End()); l++ {
					may[l] = true
				}
			}
		case *ast.CompositeLit:
			var rows []ast.Expr
			for i, e := range n.Elts {
				at := set.Position(e.Pos())
				first := strings.TrimSpace(text[at.Line-1][:at.Column-1]) == ""
				last := i+1 == len(n.Elts) || line(n.Elts[i+1].Pos()) > line(e.End())
				if first && last && rowOf(n, e) {
					rows = append(rows, e)
				}
			}
			for _, e := range rows {
				data := strings.HasSuffix(name, "_test.go") || !calls(e)
				may[line(e.Pos())] = may[line(e.Pos())] || len(rows) > 1 && data && line(e.Pos()) == line(e.End())
			}
		}
		return true
	})
	return slices.DeleteFunc(lines, func(l int) bool { return may[l] }), nil
}

// rowOf reports whether an element of a composite literal can be a row of a table: it begins with a
// brace, or with a key that is a literal or is that of a map or an array. A table has at least two
// rows, each on a line of its own. Outside tests, what calls a function is no row.
func rowOf(table *ast.CompositeLit, e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CompositeLit:
		return e.Type == nil
	case *ast.KeyValueExpr:
		_, literal := e.Key.(*ast.BasicLit)
		_, isMap := table.Type.(*ast.MapType)
		_, isArray := table.Type.(*ast.ArrayType)
		return literal || isMap || isArray
	}
	return false
}

func calls(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		_, call := n.(*ast.CallExpr)
		found = found || call
		return !found
	})
	return found
}

// TestLong checks that the test above finds what it should.
func TestLong(t *testing.T) {
	words := `"` + strings.Repeat("x", columns) + `"`
	for _, c := range []struct {
		name, source string
		long         int
	}{
		{"x.go", "var v = " + words, 1},
		{"x.go", "var v = 1 // " + words, 1},
		{"x.go", "var v = " + strings.Repeat("x", columns-8), 0},
		{"x.go", "\tvar v = \"" + strings.Repeat("ä", columns-11) + "\"", 0},
		{"x.go", "var v = `" + words + "`", 0},
		{"x.go", "type t struct {\n\tf int `" + words + "`\n}", 0},
		{"x.go", "var v = []t{\n\t{" + words + "},\n\t{1},\n}", 0},
		{"x.go", "var v = []t{\n\t{" + words + "},\n}", 1},
		{"x.go", "var v = []t{\n\tt{" + words + "},\n\tt{1},\n}", 1},
		{"x.go", "var v = []t{\n\t{" + words + "}, {1},\n\t{1},\n\t{1},\n}", 1},
		{"x.go", "var v = []t{\n\t{f(" + words + ")},\n\t{1},\n}", 1},
		{"x_test.go", "var v = []t{\n\t{f(" + words + ")},\n\t{1},\n}", 0},
		{"x.go", "var v = map[t]string{\n\ta: " + words + ",\n\tb: \"\",\n}", 0},
		{"x.go", "var v = t{\n\t\"a\": " + words + ",\n\t\"b\": \"\",\n}", 0},
		{"x.go", "var v = t{\n\ta: " + words + ",\n\tb: \"\",\n}", 1},
	} {
		lines, err := long(c.name, "package x\n"+c.source)
		if err != nil || len(lines) != c.long {
			t.Errorf("%s: %v, %v; want %d lines", c.source, lines, err, c.long)
		}
	}
}
