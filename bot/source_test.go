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
	// The fields that members read as they are, and calls whose texts are for operators.
	readFields = []string{"Label", "Hint", "Title", "About"}
	toldCalls  = []string{"Info", "Warn", "Error", "Debug", "Errorf", "New", "panic", "Begin", "Name"}
)

// textsIn are the literals of a file that members would read: several words, or one in a field that is shown.
func textsIn(name string, source []byte) (found []string, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, source, 0)
	if err != nil {
		return nil, err
	}
	check := func(n ast.Node, wrong *regexp.Regexp) {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			text, _ := strconv.Unquote(lit.Value)
			_, known := notRead[text]
			if !known && !slices.Contains(names(), text) && wrong.MatchString(text) && !strings.Contains(text, "\n\t") {
				found = append(found, text)
			}
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
			switch f := n.Fun.(type) {
			case *ast.SelectorExpr:
				return !slices.Contains(toldCalls, f.Sel.Name)
			case *ast.Ident:
				return !slices.Contains(toldCalls, f.Name)
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && slices.Contains(readFields, key.Name) {
				check(n.Value, oneWord)
				return false
			}
		}
		check(n, severalWords)
		return true
	})
	return found, nil
}

// What members read stands in the catalogue, and never in Go.
func TestTextsAreInTheCatalogue(t *testing.T) {
	for _, f := range sources(t) {
		room, _, _ := strings.Cut(f, "/")
		if strings.HasSuffix(f, "_test.go") || slices.Contains([]string{"metrics", "upkeep", "discord", "chat"}, room) {
			continue // what these say is for operators
		}
		found, err := textsIn(f, testkit.Read(t, f))
		testkit.Must(t, err)
		for _, text := range found {
			t.Errorf("%s: %q is no text of the catalogue", f, text)
		}
	}
	for planted, want := range map[string]int{
		`package x; var y = z{Label: "Play"}`:           1,
		`package x; var y = w("### " + "It is over")`:   1,
		`package x; var y = z{Label: t.Say("x.y")}`:     0,
		`package x; var y = errors.New("it is over")`:   0,
		`package x; var y = fmt.Sprintf("**%s** · %d")`: 0,
	} {
		if found, err := textsIn("x.go", []byte(planted)); err != nil || len(found) != want {
			t.Errorf("%s: found %q, %v", planted, found, err)
		}
	}
}
