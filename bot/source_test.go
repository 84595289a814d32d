package bot

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"tengen/bot/command"
	"tengen/internal/testkit"
)

// notRead are literals of several words that no member reads as a text of the bot, and why.
var notRead = map[string]string{
	"tengen level %d":  "a player's name in a record, which has one language",
	"place lost":       "what operators read",
	"giving time back": "what operators read",

	"event: its message":           "what operators read",
	"event: its listing":           "what operators read",
	"event: what members are told": "what operators read",

	"a former member": "a player's name in a record, which has one language",
	"`  · ` ":         "the column of the numbers in a list of moves, where there is none",
}

// names are what the commands and their ways answer to, which is English for all.
var names = sync.OnceValue(func() []string {
	var all []string
	for _, top := range new(Bot).allCommands(true) {
		for _, c := range append([]command.Command{top}, top.Ways...) {
			all = append(append(all, c.Name), c.Was...)
		}
	}
	return all
})

var (
	severalWords = regexp.MustCompile(`\p{L}{2,} \p{L}{2,}`)
	oneWord      = regexp.MustCompile(`\p{Ll}{2,}`)
	// A joiner puts two texts together; the catalogue has them, as texts of “list.”.
	joiner = regexp.MustCompile(`[,;:] |^[,;]$| [·–—→] | \(|\) `)
	// The fields that members read as they are, and calls whose texts are for operators.
	readFields = []string{"Label", "Hint", "Title", "About"}
	toldCalls  = []string{"Info", "Warn", "Error", "Debug", "Errorf", "New", "panic", "Begin", "Name"}
	// Calls that take a text apart, or make an id of parts: their literals are shown to nobody.
	apartCalls = []string{"Cut", "CutPrefix", "CutSuffix", "Split", "SplitN", "SplitSeq", "Trim", "TrimLeft", "TrimRight",
		"HasPrefix", "Contains", "ContainsRune", "NewReplacer", "MustCompile"}
)

// textsIn are the literals of a file that members would read: several words, or one in a field that is shown.
func textsIn(name string, source []byte) (found []string, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, source, 0)
	if err != nil {
		return nil, err
	}
	check := func(n ast.Node, wrong ...*regexp.Regexp) {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return
		}
		text, _ := strconv.Unquote(lit.Value)
		matches := func(w *regexp.Regexp) bool { return w.MatchString(text) }
		_, known := notRead[text]
		known = known || slices.Contains(names(), text) || strings.Contains(text, "\n\t")
		if !known && slices.ContainsFunc(wrong, matches) {
			found = append(found, text)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec, *ast.GenDecl:
			if decl, ok := n.(*ast.GenDecl); ok {
				return decl.Tok != token.IMPORT
			}
			return false
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && (f.Sel.Name == "Text" || f.Sel.Name == "Private") {
				if pkg, ok := f.X.(*ast.Ident); ok && pkg.Name == "chat" {
					check(n.Args[0], oneWord) // a message of one word
				}
			}
			return !slices.Contains(toldCalls, callee(n)) && !slices.Contains(apartCalls, callee(n))
		case *ast.BinaryExpr: // two texts, and a space between them
			if between, ok := n.X.(*ast.BinaryExpr); ok && speaks(between.X) && speaks(n.Y) && isSpace(between.Y) {
				found = append(found, " ")
			}
		case *ast.AssignStmt:
			if n.Tok == token.ADD_ASSIGN {
				if more, ok := n.Rhs[0].(*ast.BinaryExpr); ok && isSpace(more.X) && speaks(more.Y) {
					found = append(found, " ")
				}
			}
		case *ast.KeyValueExpr:
			_, literal := n.Value.(*ast.BasicLit)
			if key, ok := n.Key.(*ast.Ident); ok && literal && slices.Contains(readFields, key.Name) {
				check(n.Value, oneWord)
				return false
			}
		}
		check(n, severalWords, joiner)
		return true
	})
	return found, nil
}

// callee is the name of the function or method that is called.
func callee(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.Ident:
		return f.Name
	}
	return ""
}

func isSpace(e ast.Expr) bool { lit, ok := e.(*ast.BasicLit); return ok && lit.Value == `" "` }

// isTongue reports whether an expression is a language: those have few names.
func isTongue(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name == "t" || e.Name == "tongue"
	case *ast.SelectorExpr:
		return e.Sel.Name == "t"
	case *ast.CallExpr:
		return slices.Contains([]string{"Tongue", "tongue", "In"}, callee(e))
	}
	return false
}

// unworded are calls of, or with, a language that say no word of the catalogue: names of members, numbers, and the
// joiners, whose arguments are looked at.
var unworded = []string{"Seat", "seats", "some", "names", "opponent", "List", "Line", "Sentences", "Aside", "nodes",
	"Rating", "Has", "squares", "told", "tallied"}

// speaks reports whether an expression is a call that puts something into the words of a language.
func speaks(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok || slices.Contains(unworded, callee(call)) {
		return false
	}
	if method, ok := call.Fun.(*ast.SelectorExpr); ok && isTongue(method.X) {
		return true
	}
	return slices.ContainsFunc(call.Args, isTongue)
}

// insertion is a text of the catalogue that goes into another one.
type insertion struct{ key, variable string }

// insertionsIn are the texts that go into others in a file: the key of the other one, or its beginning where the code
// puts it together, and the variable.
func insertionsIn(name string, source []byte) (found []insertion, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, source, 0)
	if err != nil {
		return nil, err
	}
	for _, decl := range file.Decls {
		given := map[string][]ast.Expr{} // what the names in the function stand for
		ast.Inspect(decl, func(n ast.Node) bool {
			if a, ok := n.(*ast.AssignStmt); ok {
				for i, left := range a.Lhs {
					if name, ok := left.(*ast.Ident); ok {
						given[name.Name] = append(given[name.Name], a.Rhs[min(i, len(a.Rhs)-1)])
					}
				}
			}
			return true
		})
		ast.Inspect(decl, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !slices.Contains([]string{"Say", "No", "no", "say"}, callee(call)) {
				return true
			}
			for i := 1; i+1 < len(call.Args); i += 2 {
				if variable, ok := call.Args[i].(*ast.BasicLit); ok && words(call.Args[i+1], given) {
					name, _ := strconv.Unquote(variable.Value)
					for _, key := range keysOf(call.Args[0], given) {
						found = append(found, insertion{key, name})
					}
				}
			}
			return true
		})
	}
	return found, nil
}

// words reports whether an expression, or what its names stand for, has a text of the catalogue.
func words(e ast.Expr, given map[string][]ast.Expr) (has bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			has = has || speaks(n)
		case *ast.SelectorExpr:
			_, field := n.X.(*ast.Ident)
			return !field && !has
		case *ast.Ident:
			for _, is := range given[n.Name] {
				if _, name := is.(*ast.Ident); !name {
					has = has || words(is, map[string][]ast.Expr{})
				}
			}
		}
		return !has
	})
	return has
}

// keysOf are the keys that an expression can be; one that ends with a dot is a beginning.
func keysOf(e ast.Expr, given map[string][]ast.Expr) (keys []string) {
	switch e := e.(type) {
	case *ast.BasicLit:
		key, _ := strconv.Unquote(e.Value)
		return []string{key}
	case *ast.BinaryExpr:
		for _, key := range keysOf(e.X, given) {
			keys = append(keys, strings.TrimSuffix(key, ".")+".")
		}
	case *ast.Ident:
		for _, is := range given[e.Name] {
			if _, name := is.(*ast.Ident); !name {
				keys = append(keys, keysOf(is, nil)...)
			}
		}
	}
	return keys
}

// undescribed are insertions of which the description of the text does not tell translators: it names the key of
// what goes in, between quotation marks.
func undescribed(descriptions map[string]string, found []insertion) (wrong []insertion) {
	for _, in := range found {
		for key, description := range descriptions {
			if key != in.key && (!strings.HasSuffix(in.key, ".") || !strings.HasPrefix(key, in.key)) {
				continue
			}
			_, about, has := strings.Cut(description, "{{."+in.variable+"}}: ")
			about, _, _ = strings.Cut(about, "{{.")
			if has && !quoted.MatchString(about) {
				wrong = append(wrong, insertion{key, in.variable})
			}
		}
	}
	return wrong
}

// quoted is a key of the catalogue, or the beginning of several, in a description.
var quoted = regexp.MustCompile(`“[a-z]+(\.\w*)*”`)

// Where the code puts one text of the catalogue into another, translators are told so. The tests of the catalogue see
// to it that such a text stands apart from the sentence.
func TestInsertions(t *testing.T) {
	descriptions, n := described(t), 0
	for _, f := range sources(t) {
		if strings.HasSuffix(f, "_test.go") || strings.HasPrefix(f, "texts/") {
			continue
		}
		found := testkit.Got(insertionsIn(f, testkit.Read(t, f)))
		n += len(found)
		for _, in := range undescribed(descriptions, found) {
			t.Errorf("%s: {{.%s}} of %s takes a text, and its description names no key", f, in.variable, in.key)
		}
	}
	if n < 30 {
		t.Errorf("only %d texts go into others", n)
	}
	told := map[string]string{"a.b": "A line. {{.Who}}: a member; {{.Side}}: a text of “color.”.",
		"a.c": "{{.Side}}: Black."}
	for planted, want := range map[string]int{
		`t.Say("a.c", "Side", t.color(c))`:                      1,
		`t.Say("a."+how, "Side", t.color(c))`:                   1,
		`side := t.Say("color."+c); t.Say("a.c", "Side", side)`: 1,
		`key := "a.c"; no(key, "Side", b.tongue(r).Rules(r))`:   1,
		`t.Say("a.b", "Side", t.color(c))`:                      0,
		`t.Say("a.c", "Side", t.Seat(s))`:                       0,
		`t.Say("a.c", "Side", p.String())`:                      0,
	} {
		found, err := insertionsIn("x.go", []byte("package x; func f() {"+planted+"}"))
		if wrong := undescribed(told, found); err != nil || len(wrong) != want {
			t.Errorf("%s: %v of %v, %v", planted, wrong, found, err)
		}
	}
}

// What members read stands in the catalogue, and never in Go.
func TestTextsAreInTheCatalogue(t *testing.T) {
	for _, f := range sources(t) {
		room, _, _ := strings.Cut(f, "/")
		others := []string{"metrics", "upkeep", "discord", "chat", "web"}
		if strings.HasSuffix(f, "_test.go") || slices.Contains(others, room) {
			continue // what these say is for operators, and for browsers
		}
		for _, text := range testkit.Got(textsIn(f, testkit.Read(t, f))) {
			t.Errorf("%s: %q is no text of the catalogue", f, text)
		}
	}
	for planted, want := range map[string]int{
		`package x; var y = z{Label: "Play"}`:              1,
		`package x; var y = chat.Text("Done.")`:            1,
		`package x; var y = r.Text("game", "")`:            0,
		`package x; var y = w("### " + "It is over")`:      1,
		`package x; var y = z{Label: a + " · " + b}`:       1,
		`package x; var y = z{Label: t.Say("x.y")}`:        0,
		`package x; var y = errors.New("it is over")`:      0,
		`package x; var y = fmt.Sprintf("**%s** %d")`:      0,
		`package x; var y = strings.Join(z, " · ")`:        1,
		`package x; var y = strings.Join(z, ", ")`:         1,
		`package x; var y = z + " (" + w`:                  1,
		`package x; var y = t.Say("a") + " " + t.Say("b")`: 1,
		`package x; func f() { s += " " + t.Say("b") }`:    1,
		`package x; var y = disc(c) + " " + t.Say("b")`:    0,
		`package x; var y = strings.Split(z, ", ")`:        0,
	} {
		if found, err := textsIn("x.go", []byte(planted)); err != nil || len(found) != want {
			t.Errorf("%s: found %q, %v", planted, found, err)
		}
	}
}
