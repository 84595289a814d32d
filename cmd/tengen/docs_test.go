package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tengen/internal/testkit"
)

// documented is a command that the documentation shows.
type documented struct {
	where string // FILE:LINE
	line  string // without the comment behind it
	named bool   // only named, in the run of a text
}

func (d documented) String() string { return d.where + ": " + d.line }

// commandStart is how a command in the documentation begins: settings, or what is piped
// into it, and the program.
var commandStart = regexp.MustCompile(`^(?:\$ )?(?:[A-Z_]+=\S+ )*(?:echo '[^']*' \| )?(?:go (?:run|test|build) |(?:\./)?tengen [a-z]|deploy/\w+\.sh|\.ci/run)`)

var (
	codeSpan = regexp.MustCompile("`([^`]+)`")
	comment  = regexp.MustCompile(`\s+# .*$`)
)

// commandsOf are the commands in the blocks and code spans of a Markdown file.
func commandsOf(t *testing.T, file string) []documented {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	var all []documented
	for i, line := range strings.Split(string(text), "\n") {
		var found []string
		block, isBlock := strings.CutPrefix(line, "    ")
		if isBlock {
			found = []string{comment.ReplaceAllString(strings.TrimSpace(block), "")}
		} else {
			for _, m := range codeSpan.FindAllStringSubmatch(line, -1) {
				found = append(found, m[1])
			}
		}
		for _, s := range found {
			if commandStart.MatchString(s) {
				all = append(all, documented{fmt.Sprintf("%s:%d", file, i+1), strings.TrimPrefix(s, "$ "), !isBlock})
			}
		}
	}
	return all
}

// root is the root of the repository, seen from here.
const root = "../.."

// Every command that the documentation shows does what it should. Those of the program are run as
// they stand, with the files that they name. Those of the developers' bench have the options that
// are shown. With TENGEN_COMMANDS=1 they are run, with small doses; so is bench --json, which
// computes for long what bench has computed already; puzzle check checks its usual number of
// puzzles; and the commands of docs/decisions are looked at too. Those of `go test` name tests, settings and packages
// that there are (what they run, .ci/run runs too).
func TestDocumentedCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the developers' bench")
	}
	t.Parallel() // most of it waits for programs
	files := []string{"README.md", "CONTRIBUTING.md"}
	patterns := []string{"docs/*.md"}
	if testkit.Dose("TENGEN_COMMANDS", 0) > 0 {
		patterns = append(patterns, "docs/decisions/*.md")
	}
	for _, pattern := range patterns {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(found), err)
		}
		for _, f := range found {
			name, err := filepath.Rel(root, f)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, name)
		}
	}
	bench, seen, all := newBench(t), map[string]bool{}, 0
	for _, f := range files {
		if f == "docs/commands.md" { // what members type; generated
			continue
		}
		var once []documented
		for _, d := range commandsOf(t, f) {
			if all++; !seen[d.line] {
				once = append(once, d)
			}
			seen[d.line] = true
		}
		if len(once) == 0 {
			continue
		}
		t.Run(f, func(t *testing.T) {
			t.Parallel()
			for _, d := range once {
				t.Run(d.line, func(t *testing.T) {
					t.Parallel()
					bench.copy(t).check(t, d)
				})
			}
		})
	}
	if all < 50 {
		t.Errorf("only %d commands found in the documentation", all)
	}
}

// check looks whether a command does what it should.
func (b workbench) check(t *testing.T, d documented) {
	t.Helper()
	words := shellWords(t, d)
	settings := 0
	for settings < len(words) && strings.Contains(words[settings], "=") {
		settings++
	}
	program := strings.Join(words[settings:min(settings+3, len(words))], " ")
	switch {
	case strings.HasPrefix(program, "go test"):
		checkTest(t, d, words[:settings], words[settings+2:])
	case strings.HasPrefix(program, "go run ./cmd/lab"):
		b.lab(t, d, words[settings+3:])
	case strings.HasPrefix(program, "go run ./cmd/tengen"):
		b.tengen(t, d, strings.Replace(d.line, "go run ./cmd/tengen", "tengen", 1))
	case strings.HasPrefix(program, "go build"):
		checkBuild(t, d, words[settings+2:])
	case strings.HasPrefix(program, ".ci/run"):
		checkSteps(t, d, words[1:])
	case strings.HasPrefix(program, "deploy/"):
		if info, err := os.Stat(filepath.Join(root, words[settings])); err != nil || info.Mode()&0o100 == 0 {
			t.Errorf("%s: no such program", d)
		}
	default:
		b.tengen(t, d, d.line)
	}
}

// shellWords are the words of a command as a shell sees them.
func shellWords(t *testing.T, d documented) []string {
	t.Helper()
	line := d.line
	if _, after, ok := strings.Cut(line, "' | "); ok {
		line = after
	}
	if !strings.ContainsAny(line, `'"`) { // a synopsis: its brackets and bars are not the shell's
		line = strings.NewReplacer("[", `\[`, "]", `\]`, "|", `\|`).Replace(line)
	}
	out, err := exec.Command("sh", "-c", `printf '%s\n' `+line).Output()
	if err != nil {
		t.Fatalf("%s: %v", d, err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
}

// checkTest looks whether the tests that `go test` shall run are there, and whether somebody
// reads the settings before it.
func checkTest(t *testing.T, d documented, settings, args []string) {
	t.Helper()
	var pkg string
	patterns := map[string]string{}
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case (a == "-run" || a == "-bench" || a == "-fuzz") && i+1 < len(args):
			i++
			patterns[map[string]string{"-run": "Test", "-bench": "Benchmark", "-fuzz": "Fuzz"}[a]] = args[i]
		case a == "-timeout" || a == "-benchtime" || a == "-fuzztime" || a == "-count" || a == "-cpu" || a == "-parallel":
			i++
		case a == "-v" || a == "-fuzz" || a == "-race" || a == "-short" || a == "-update" || a == "-artifacts":
		case strings.HasPrefix(a, "./"):
			pkg = a
		default:
			t.Errorf("%s: what is %s?", d, a)
		}
	}
	if pkg == "" || strings.HasSuffix(pkg, "...") {
		return
	}
	names, text := testsOf(t, d, filepath.Join(root, pkg))
	text += string(testkit.Got(os.ReadFile(filepath.Join(root, "internal/testkit/testkit.go")))) // all tests may ask it
	for _, s := range settings {
		name, _, _ := strings.Cut(s, "=")
		if !strings.Contains(text, `"`+name+`"`) {
			t.Errorf("%s: no test of %s reads %s", d, pkg, name)
		}
	}
	for kind, pattern := range patterns {
		if pattern == "^$" || strings.EqualFold(pattern, "xxx") {
			continue
		}
		// A pattern with slashes names a part of a test.
		pattern, _, _ = strings.Cut(pattern, "/")
		re, err := regexp.Compile(pattern)
		if err != nil {
			t.Errorf("%s: %v", d, err)
			continue
		}
		if !slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, kind) && re.MatchString(n) }) {
			t.Errorf("%s: no %s of that name in %s", d, kind, pkg)
		}
	}
}

// testsOf are the names of a package's tests, benchmarks and fuzz targets, and the text of
// the files that they are in.
func testsOf(t *testing.T, d documented, dir string) (names []string, text string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Errorf("%s: no tests in %s", d, dir)
	}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		text += string(src)
		tree, err := parser.ParseFile(token.NewFileSet(), f, src, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range tree.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil {
				names = append(names, fn.Name.Name)
			}
		}
	}
	return names, text
}

func checkSteps(t *testing.T, d documented, steps []string) {
	t.Helper()
	script, err := os.ReadFile(filepath.Join(root, ".ci/run"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range steps {
		if !bytes.Contains(script, []byte("step_"+s+"() {")) {
			t.Errorf("%s: no step %s", d, s)
		}
	}
}

// workbench is a folder with the files that the documentation names, and the developers' bench.
type workbench struct {
	dir string
	bin string    // the developers' bench, built
	ran *sync.Map // what each command line said, whichever copy of the folder it ran in
}

func newBench(t *testing.T) workbench {
	t.Helper()
	b := workbench{dir: t.TempDir(), ran: &sync.Map{}}
	fill(t, filepath.Join(b.dir, "tengen.db"), 20)
	for _, name := range []string{"FOLDER", "DIR", "tables"} {
		if err := os.Mkdir(filepath.Join(b.dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	b.sh(t, documented{line: "a record"}, `echo 'gomoku h8h9i8i9j8j9k8k9l8' | tengen record convert - game.sgf && cp game.sgf FILE`)
	b.sh(t, documented{line: "openings"}, `printf '0,0, 1,0, 1,3\n0,0, 1,1, 0,3\n' > OPENINGS`)
	b.bin = filepath.Join(t.TempDir(), "lab")
	// As go build -o, but run keeps the program that it linked for the next time.
	out, err := exec.Command("go", "run", "-exec", "cp", root+"/cmd/lab", b.bin).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	b.sh(t, documented{line: "games"}, quoted(b.bin)+" tune --games=1 --nodes=50 --data=GAMES --out=tables")
	return b
}

// copy is a workbench with a folder of its own.
func (b workbench) copy(t *testing.T) workbench {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(b.dir)); err != nil {
		t.Fatal(err)
	}
	b.dir = dir
	return b
}

// sh gives what a command line says in the folder. A line runs once, in one of the copies.
func (b workbench) sh(t *testing.T, d documented, line string) string {
	t.Helper()
	said, _ := b.ran.LoadOrStore(line, sync.OnceValue(func() string { return b.run(t, d, line) }))
	return said.(func() string)()
}

// run runs a command line. One that takes minutes has failed.
func (b workbench) run(t *testing.T, d documented, line string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "sh", "-c", line)
	c.Dir = b.dir
	c.Env = append(os.Environ(), "DISCORD_TOKEN=MTIzNDU2Nzg5MDEyMzQ1Njc4.docum.ented",
		"TENGEN_POSTGRES_PASSWORD=documented")
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.Stdin = strings.NewReader("gomoku h8i9\n")
	if strings.HasPrefix(line, "tengen opening") {
		c.Stdin = strings.NewReader("swap2 h8 h9\n")
	}
	began := time.Now()
	out, err := c.CombinedOutput()
	if took := time.Since(began); took > time.Second {
		t.Logf("%s took %v", d, took.Round(100*time.Millisecond))
	}
	if err != nil {
		t.Errorf("%s\nas %q: %v\n%s", d, line, cmp.Or(ctx.Err(), err), out)
	}
	return string(out)
}

// stands are the values for the placeholders of a command.
var stands = []struct {
	command *regexp.Regexp
	words   *strings.Replacer
}{
	{regexp.MustCompile(`^tengen demo`), strings.NewReplacer("127.0.0.1:8080", "127.0.0.1:0", "HOST:PORT", "127.0.0.1:0")},
	{regexp.MustCompile(`^tengen (record|render)`), strings.NewReplacer("--format F", "--format psq", "-o OUT.png|OUT.gif", "-o out.gif", " OUT", " out.psq")},
	{regexp.MustCompile(`^tengen store`), strings.NewReplacer("--data FILE", "--data tengen.db", "[OUT]", "[out.file]", "[FROM]", "", "[ID]", "", "[ID -o table.png]", "")},
	{regexp.MustCompile(`^tengen perft`), strings.NewReplacer(" N", " 5")},
	{regexp.MustCompile(`^tengen analyze`), strings.NewReplacer("--time D", "--time 20ms")},
	{regexp.MustCompile(`^tengen review`), strings.NewReplacer("--time D", "--time 1ms", "--nodes 150000", "--nodes 100")},
	{regexp.MustCompile(`^tengen puzzle`), strings.NewReplacer("check --all", "check --sample 2")},
	{regexp.MustCompile(`^tengen run`), strings.NewReplacer("--config FILE", "--config config.yaml")},
}

// option is a part of a command that may be left out; choice is one of several words.
var (
	option = regexp.MustCompile(`\s*\[[^]]*\]`)
	choice = regexp.MustCompile(`\b[a-z]+(?:\|[a-z]+)+\b`)
	naming = regexp.MustCompile(`--[a-z][a-z-]*`)
)

// tengen runs a command of the program: with all that may be left out and without it, once
// for each of the words between which it lets the reader choose.
func (b workbench) tengen(t *testing.T, d documented, line string) {
	t.Helper()
	settings := regexp.MustCompile(`^(?:[A-Z_]+=\S+ )+`)
	line = strings.Replace(settings.ReplaceAllString(line, ""), "./tengen", "tengen", 1)
	if strings.Contains(line, "COMMAND") {
		return
	}
	input := ""
	if before, after, piped := strings.Cut(line, "' | "); piped {
		input, line = before+"' | ", after
	}
	for _, s := range stands {
		if s.command.MatchString(line) {
			line = s.words.Replace(line)
		}
	}
	full := strings.NewReplacer("[", "", "]", "").Replace(line)
	for _, form := range slices.Compact([]string{option.ReplaceAllString(line, ""), full}) {
		words := choice.FindString(form)
		for _, word := range strings.Split(words, "|") {
			b.one(t, d, input+strings.Replace(form, words, word, 1))
		}
	}
}

// one runs one form of a command of the program.
func (b workbench) one(t *testing.T, d documented, line string) {
	t.Helper()
	words := strings.Fields(line)
	if strings.HasPrefix(line, "tengen run") {
		line += " --stand-in " + nobody // a check asks Discord
	}
	switch command := words[min(1, len(words)-1)]; {
	case d.named, command == "run" && !strings.Contains(line, "--check"), slices.Contains(orders, command),
		strings.Contains(line, pgPrefix), strings.Contains(line, " STORE"):
		// TestRun is for what needs Discord, TestOperator for what needs a bot, TestCopy for what needs PostgreSQL.
		b.helps(t, d, words)
	case command == "demo":
		// It runs until it is told to end, which is no error. TestDemo plays in it.
		if !strings.Contains(line, "--addr") {
			line += " --addr 127.0.0.1:0" // the usual port may be taken here
		}
		b.sh(t, d, `rm -f started; `+line+` > started & p=$!; until grep -q http started 2>/dev/null; do kill -0 $p || exit 1; sleep 0.05; done; kill $p; wait $p; test $? -eq 0`)
	case command == "bench" && strings.Contains(line, "--json") && testkit.Dose("TENGEN_COMMANDS", 0) == 0:
		b.helps(t, d, words)
	case strings.Contains(line, "puzzle check") && !strings.Contains(line, "--sample") &&
		testkit.Dose("TENGEN_COMMANDS", 0) == 0:
		b.sh(t, d, line+" --sample 2") // the usual number takes seconds
	case strings.HasSuffix(line, "puzzle check --json"):
		b.sh(t, d, line+" --sample 2") // without --json it checks the usual number
	case command == "engine":
		b.sh(t, d, "printf 'END\\nquit\\n' | "+line)
	case command == "review" && !strings.Contains(line, "--time") && !strings.Contains(line, "--nodes"):
		b.sh(t, d, line+" --nodes 100") // the usual means take seconds
	case command == "event":
		b.sh(t, d, "printf '' | "+line) // it wants lines of its own
	case strings.Contains(line, "store restore"):
		b.sh(t, d, "tengen store backup --data tengen.db && "+line)
	case strings.Contains(line, "--config"):
		b.sh(t, d, "cp "+quoted(abs(t, root+"/config.example.yaml"))+" config.yaml && "+line)
	default:
		b.sh(t, d, line)
	}
}

// orders are the commands that a running bot carries out.
var orders = []string{"server", "member", "announce"}

// helps looks whether a command and its options are there, without running it.
func (b workbench) helps(t *testing.T, d documented, words []string) {
	t.Helper()
	name := []string{"tengen"}
	for _, w := range words[1:] {
		if !regexp.MustCompile(`^[a-z]+$`).MatchString(w) || len(name) == 3 {
			break
		}
		name = append(name, w)
	}
	b.helped(t, d, strings.Join(name, " "), words)
}

// helped looks whether the options of a command are in what it says with --help.
func (b workbench) helped(t *testing.T, d documented, command string, words []string) {
	t.Helper()
	help := b.sh(t, d, command+" --help")
	for _, w := range words {
		if name := naming.FindString(w); name != "" && !strings.Contains(help, name) {
			t.Errorf("%s: there is no %s", d, name)
		}
	}
}

// doses are added to a command of the bench, so that it is over at once and writes nothing
// into the repository.
var doses = map[string][]string{
	"arena":            {"--games=2", "--max=30", "--quiet"},
	"curve":            {"--games=1", "--positions=1", "--data=curve.txt", "--out=curves.txt"},
	"load":             {"--games=2", "--pairs=1", "--think=10ms", "--most=20ms", "--warm=200ms", "--for=500ms"},
	"protocols":        {"--games=1", "--nodes=100", "--decide=100"},
	"tune":             {"--games=4", "--nodes=100", "--data=games.txt", "--out=tables"},
	"tune-policy":      {"--every=1", "--nodes=100", "--epochs=1", "--cuts=cuts.txt", "--from=", "--out=tables"},
	"tune-reversi":     {"--rounds=1", "--positions=50", "--depth=1", "--exact=2", "--cuts=0", "--out=weights.bin"},
	"balanced-reversi": {"--count=1", "--depth=1", "--bound=3000", "--out=balanced.txt"},
	"openings":         {"--count=1", "--out=openings.txt"},
	"pad":              {"--games=2"},
	"xot":              {"--count=3", "--depth=2", "--bound=3000", "--out=xot.bin"},
}

// lab runs a command of the bench with small doses. Where it plays a program of others, ours
// plays in its place.
func (b workbench) lab(t *testing.T, d documented, args []string) {
	t.Helper()
	b.helped(t, d, quoted(b.bin)+" "+args[0], args[1:])
	if testkit.Dose("TENGEN_COMMANDS", 0) == 0 {
		return
	}
	if strings.Contains(d.line, "nboard,") || strings.Contains(d.line, "--cuts") || args[0] == "texts" {
		return // no program of ours speaks NBoard, the cuts have no small dose, and texts reads the source
	}
	line := quoted(b.bin)
	for _, a := range args {
		a = lessTime.ReplaceAllString(a, "${1}=5ms")
		a = strings.NewReplacer("PROGRAM", "tengen engine gomocup", "COMMAND", "tengen engine gtp --level 1").Replace(a)
		if a == "FILE" {
			a = "OPENINGS"
		}
		line += " " + quoted(a)
	}
	b.sh(t, d, line+" "+strings.Join(doses[args[0]], " "))
}

var lessTime = regexp.MustCompile(`\b(cpu|game)=\d+ms`)

// checkBuild looks whether `go build` takes its options and finds the package. It does not build: the
// package's test is this one, and TestDockerfile makes a program.
func checkBuild(t *testing.T, d documented, args []string) {
	t.Helper()
	c := exec.Command("go", append([]string{"build", "-n"}, args...)...)
	c.Dir = root
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%s: %v: %s", d, err, out)
	}
}

func abs(t *testing.T, path string) string {
	t.Helper()
	p, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
