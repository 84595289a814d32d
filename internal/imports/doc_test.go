package imports

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tengen/internal/testkit"
)

// documented are the folders in which every exported name has a doc comment, packages below them
// included.
var documented = []string{"ai/review", "bot", "storage", "game/event", "internal/tasks", "internal/testkit",
	"internal/pulse"}

// undocumented are the packages below them that are left out.
var undocumented = []string{"bot/standin", "bot/demo"}

// TestDocComments checks that exported names have a doc comment.
func TestDocComments(t *testing.T) {
	checked := 0
	for _, folder := range documented {
		root := filepath.Join("..", "..", filepath.FromSlash(folder))
		testkit.Must(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			name := filepath.ToSlash(strings.TrimPrefix(path, filepath.Join("..", "..")+string(filepath.Separator)))
			if entry.IsDir() && (slices.Contains(undocumented, name) || entry.Name() == "testdata") {
				return filepath.SkipDir
			}
			if entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return nil
			}
			checked++
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
			if err != nil {
				return err
			}
			for _, wrong := range missing(fset, file) {
				t.Errorf("%s:%s", name, wrong)
			}
			return nil
		}))
	}
	if checked < 50 {
		t.Errorf("only %d files were checked", checked)
	}
}

// missing lists the exported names of a file without a doc comment that begins with the name. The
// comment of a group is enough for its constants and variables. Methods count where their type is
// exported.
func missing(fset *token.FileSet, file *ast.File) (wrong []string) {
	check := func(name *ast.Ident, docs ...*ast.CommentGroup) {
		if !name.IsExported() {
			return
		}
		begins := regexp.MustCompile(`^((A|An|The) )?` + name.Name + `\b`)
		for _, doc := range docs {
			if begins.MatchString(doc.Text()) {
				return
			}
		}
		wrong = append(wrong, fmt.Sprintf("%d: %s", fset.Position(name.Pos()).Line, name.Name))
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if !obvious(d) && exportedReceiver(d) {
				check(d.Name, d.Doc)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					check(s.Name, s.Doc, d.Doc)
				case *ast.ValueSpec:
					if d.Lparen.IsValid() && d.Doc.Text() != "" {
						continue
					}
					for _, name := range s.Names {
						check(name, s.Doc, d.Doc)
					}
				}
			}
		}
	}
	return wrong
}

// obvious reports whether d is a method whose promise the standard library gives: those of error,
// fmt.Stringer, io.Writer and json.Marshaler, and codec.Value's.
func obvious(d *ast.FuncDecl) bool {
	promised := []string{"Error", "String", "Write", "MarshalJSON", "Fields"}
	return d.Recv != nil && d.Doc == nil && slices.Contains(promised, d.Name.Name)
}

// exportedReceiver reports whether d is a function, or a method of an exported type.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	of := d.Recv.List[0].Type
	for {
		switch t := of.(type) {
		case *ast.StarExpr:
			of = t.X
		case *ast.IndexExpr:
			of = t.X
		case *ast.IndexListExpr:
			of = t.X
		case *ast.Ident:
			return t.IsExported()
		default:
			return false
		}
	}
}

// TestMissing checks that the test above finds what it should.
func TestMissing(t *testing.T) {
	for _, c := range []struct{ source, wrong string }{
		{"// F does.\nfunc F() {}", ""},
		{"// The F does.\nfunc F() {}", ""},
		{"func F() {}", "2: F"},
		{"// Does F.\nfunc F() {}", "3: F"},
		{"// Fast is another word.\nfunc F() {}", "3: F"},
		{"func f() {}", ""},
		{"// T is.\ntype T int\nfunc (t *T) F() {}", "4: F"},
		{"type t int\nfunc (t *t) F() {}", ""},
		{"// T is.\ntype T[X any] int\nfunc (t *T[X]) F() {}", "4: F"},
		{"// T is.\ntype T int\nfunc (t T) String() string { return `` }", ""},
		{"type (\n\t// A is.\n\tA int\n\tB int\n)", "5: B"},
		{"const A = 1", "2: A"},
		{"// The kinds.\nconst (\n\tA = 1\n\tB = 2\n)", ""},
		{"const (\n\tA = 1 // of something\n)", "3: A"},
		{"// V is.\nvar V, W int", "3: W"},
	} {
		fset := token.NewFileSet()
		file := testkit.Got(parser.ParseFile(fset, "x.go", "package x\n"+c.source, parser.ParseComments))
		if got := strings.Join(missing(fset, file), ", "); got != c.wrong {
			t.Errorf("%s\nwrong: %s, want %s", c.source, got, c.wrong)
		}
	}
}
