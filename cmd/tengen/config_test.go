package main

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"tengen/internal/testkit"
)

const exampleFile = "../../config.example.yaml"

// The example decodes strictly, without the defaults beneath it, to exactly the defaults.
func TestExampleIsTheDefaults(t *testing.T) {
	text := testkit.Read(t, exampleFile)
	var got config
	testkit.Must(t, yaml.NewDecoder(strings.NewReader(string(text)), yaml.Strict(), levels(),
		durations()).Decode(&got))
	if diff := cmp.Diff(defaultConfig(), got); diff != "" {
		t.Error(diff)
	}
	if wrong := got.check(); len(wrong) > 0 {
		t.Errorf("%v", wrong)
	}
}

// Every key of the configuration stands in the example, with a comment above it.
func TestExampleExplainsEveryKey(t *testing.T) {
	text := testkit.Read(t, exampleFile)
	var walk func(typ reflect.Type)
	walk = func(typ reflect.Type) {
		for field := range typ.Fields() {
			key := field.Tag.Get("yaml")
			if key == "-" { // of a flag
				continue
			}
			if !regexp.MustCompile(`(?m)^ *` + key + `:`).Match(text) {
				t.Errorf("no key %s", key)
			}
			if field.Type.Kind() == reflect.Struct {
				walk(field.Type)
			}
		}
	}
	walk(reflect.TypeFor[config]())
	explained := false
	for _, line := range strings.Split(string(text), "\n") {
		key := regexp.MustCompile(`^ +(\w+):`).FindStringSubmatch(line)
		switch {
		case strings.Contains(line, "#"):
			explained = true
		case strings.TrimSpace(line) == "" || strings.HasSuffix(line, ":"):
			explained = false
		case key != nil && !explained:
			t.Errorf("%s has no comment above it", key[1])
		}
	}
}

func TestConfigMatrix(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"unknown key", "log:\n  levle: info\n", `2:3: there is no key "levle"`},
		{"unknown top key", "tokn: x\n", `1:1: there is no key "tokn"`},
		{"wrong type", "limits:\n  games: many\n", "2:10: cannot unmarshal"},
		{"a number for a duration", "engine:\n  think_at_most: 1\n", "2:18: "},
		{"no duration", "engine:\n  think_at_most: soon\n", "2:18: engine.think_at_most: not a duration"},
		{"key twice", "token: a\ntoken: b\n", "2:1: mapping key \"token\" already defined"},
		{"no YAML", "log: [\n", "1:6: "},
		{"a list", "- a\n- b\n", "1:1: "},
		{"too small", "# first\nlimits:\n  games: -1\n", "3:10: limits.games: -1 is too small"},
		{"too long", "engine:\n  think_at_most: 2h\n", "2:18: engine.think_at_most: 2h0m0s is not between"},
		{"no such level", "log:\n  level: loud\n", "2:10: log.level: one of debug"},
		{"no such format", "log:\n  format: xml\n", "2:11: log.format: text or json"},
		{"listening over http", "discord:\n  transport: http\n  listen: true\n", "3:11: discord.listen: Discord sends messages by the gateway alone, not over http"},
		{"no such transport", "discord:\n  transport: pigeon\n", "2:14: discord.transport: gateway or http"},
		{"no path", "http:\n  path: interactions\n", "2:9: http.path: a path begins with /"},
		{"open URL", "http:\n  url: http://example.org/interactions\n", "2:8: http.url: not an address that begins with https"},
		{"half a certificate", "http:\n  cert: a.pem\n", "2:9: http.cert: cert and key go together"},
		{"no public key", "http:\n  public_key: beef\n", "2:15: http.public_key: not a public key"},
		{"page without a URL", "web:\n  address: :8082\n", "1:1: web.url: a URL is needed"},
		{"page without an address", "web:\n  url: https://example.org\n", "1:1: web.address: an address is needed"},
		{"page under a path", "web:\n  address: :8082\n  url: https://example.org/board\n", "3:8: web.url: not such as"},
		{"page without https", "web:\n  address: :8082\n  url: http://example.org\n", "3:8: web.url: not such as"},
		{"page's half a certificate", "web:\n  cert: a.pem\n", "2:9: web.cert: cert and key go together"},
		{"no network", "web:\n  proxy: [10.0.0.0/8, here]\n", "2:10: web.proxy: not such as 127.0.0.1"},
		{"two secrets", "web:\n  client_secret: a\n  client_secret_file: b\n", "3:23: web.client_secret_file: the secret is given"},
		{"no secret", "web:\n  client_secret: a b\n", "2:18: web.client_secret: a token has no blanks"},
		{"long drain", "http:\n  drain: 6s\n", "2:10: http.drain: 6s is not between"},
		{"too old", "http:\n  max_age: 1h\n", "2:12: http.max_age: 1h0m0s is not between"},
		{"token twice", "token: a\ntoken_file: b\n", "2:13: token_file: the token is given twice"},
		{"no address", "operations:\n  address: here\n", "2:12: operations.address: not an address"},
		{"open profiler", "operations:\n  pprof: 0.0.0.0:6060\n", "2:10: operations.pprof: the profiler may listen on the loopback"},
		{"profiler on all", "operations:\n  pprof: :6060\n", "the profiler may listen on the loopback"},
		{"no such engine", "store:\n  engine: mysql\n", "2:11: store.engine: bolt or postgres"},
		{"the engine of before", "store:\n  engine: etcd\n", "2:11: store.engine: tengen has no store on etcd any more: "},
		{"a section of before", "store:\n  etcd:\n    prefix: a\n", "2:3: tengen has no store on etcd any more: "},
		{"lease too long", "store:\n  postgres:\n    lease: 1h\n", "3:12: store.postgres.lease: 1h0m0s is not between"},
		{"no file", "store:\n  file: ''\n", "2:9: store.file: a file is needed"},
		{"brackets", strings.Repeat("[", 60_000), "1:17: more than 16 levels deep"},
		{"maps in maps", strings.Repeat("{a: ", 15_000), "more than 16 levels deep"},
		{"lists in lists", strings.Repeat("- ", 30_000), "more than 16 levels deep"},
		{"keys under keys", stairs(300), "more than 16 levels deep"},
		{"questions", strings.Repeat("? ", 30_000), "more than 16 levels deep"},
		{"laughs", "a: &a [x]\nb: &b [*a, *a]\n", "1:4: a text that begins with & must stand in quotes"},
		{"alias", "log: *a\n", "1:6: a text that begins with * must stand in quotes"},
		{"tag", "store:\n  file: !!binary YQ==\n", "2:9: a text that begins with ! must stand in quotes"},
		{"merged", "log:\n  <<: {level: warn}\n", "2:3: there is no key \"<<\""},
		{"two documents", "log:\n  level: warn\n---\nlog:\n  level: debug\n", "3:1: a second document"},
		{"two documents, the first empty", "---\n---\nlog:\n  level: debug\n", "2:1: a second document"},
		{"after the end", "log:\n  level: warn\n...\nlog:\n  level: debug\n", "4:1: a second document"},
		{"not UTF-8", "log:\n  level: \xff\n", "2:10: not UTF-8"},
		{"UTF-16", "\xff\xfel\x00", "1:1: not UTF-8"},
		{"key twice in a section", "log: {level: info, level: warn}\n", "1:20: mapping key \"level\" already defined"},
		{"section twice", "log:\n  level: info\nlog:\n  format: text\n", "3:1: mapping key \"log\" already defined"},
		{"a fraction", "limits:\n  games: 1.9\n", "2:10: neither a whole number nor a text in quotes"},
		{"beyond 64 bits", "limits:\n  games: 9223372036854775808\n", "2:10: cannot unmarshal"},
		{"overflow", "store:\n  max_megabytes: 9223372036854775807\n", "2:18: store.max_megabytes: 9223372036854775807 is too large"},
		{"many workers", "engine:\n  workers: 1000000\n", "2:12: engine.workers: 1000000 is too large"},
		{"many shards", "discord:\n  shards: 1000000000\n", "2:11: discord.shards: 1000000000 is too large"},
		{"named port", "http:\n  address: 0.0.0.0:notaport\n", "2:12: http.address: not an address"},
		{"known port", "operations:\n  address: 127.0.0.1:http\n", "2:12: operations.address: not an address"},
		{"large port", "operations:\n  address: 127.0.0.1:65536\n", "2:12: operations.address: not an address"},
		{"negative port", "operations:\n  address: 127.0.0.1:-1\n", "2:12: operations.address: not an address"},
		{"no port", "operations:\n  address: '127.0.0.1:'\n", "2:12: operations.address: not an address"},
		{"blank in a host", "operations:\n  address: 'my host:80'\n", "2:12: operations.address: not an address"},
		{"port of the URL", "http:\n  url: https://example.org:99999/\n", "2:8: http.url: not an address"},
		{"NUL in a file", "store:\n  file: \"a\\0b\"\n", "2:9: store.file: a control character"},
		{"NUL as it is", "store:\n  file: a\x00b\n", "2:9: store.file: a control character"},
		{"line break in a list", "web:\n  proxy: [\"10.0.0.1\\n\"]\n", "web.proxy: a control character"},
		{"token of blanks", "token: '   '\n", "1:8: token: there is no token"},
		{"token of the word alone", "token: 'Bot  '\n", "1:8: token: there is no token"},
		{"token in two lines", "token: \"Bot a\\nb\"\n", "1:8: token: a control character"},
		{"token with a blank", "token: Bot a b\n", "1:8: token: a token has no blanks"},
		{"token with what is not seen", "token: a\u200bb\n", "1:8: token: a token has no blanks"},
	}
	for _, test := range tests {
		_, err := parseConfig([]byte(test.text))
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
	}
	for _, text := range []string{
		"", "# nothing\n", "\ufeff", "\ufefflog:\n  level: warn\n", "---\nlog:\n  level: warn\n...\n",
		"# [[[[[[[[[[[[[[[[[[[[[[\n", "limits:\n  # games: 3\n", "log:\n  level:\n", "log:\n  level: debug\n  format: json\n",
		"http:\n  address: :443\n", "http:\n  address: '[fe80::1]:80'\n",
		"web:\n  address: :8082\n  url: https://example.org:8443\n",
		"web:\n  proxy: [\"::1\", 10.0.0.0/8]\n", "operations:\n  address: my-host.example.org:0\n",
		"operations:\n  pprof: '[::1]:6060'\n", "operations:\n  pprof: LocalHost.:6060\n",
	} {
		c, err := parseConfig([]byte(text))
		if err != nil || c.Limits != defaultConfig().Limits {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Whatever is wrong with a configuration, its token is not in the error.
func TestErrorsHoldNoToken(t *testing.T) {
	const secret = "MTIzNDU2Nzg5.secret"
	for _, text := range []string{
		"token: " + secret + "\ntoken_file: x\n", "token: [" + secret + "]\n", "token:\n  " + secret + ": 1\n", secret,
		"token: \"" + secret + "\nlog: 1\n", "token: " + secret + " and more\n",
		"token: " + secret + "\nlog:\n  level: loud\n", "token: {a: " + secret,
		"token: '" + secret + "'x\n", "token: &" + secret + "\n", "token: *" + secret + "\n",
		"token: !!int " + secret + "\n", "discord:\n  shards: " + secret + "\n",
	} {
		if _, err := parseConfig([]byte(text)); err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// stairs is a text whose keys stand under one another, n deep.
func stairs(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

// FuzzConfig: whatever stands in a file, it is taken or refused in a line that begins with
// line and column, and what is taken keeps to what check promises.
func FuzzConfig(f *testing.F) {
	example := testkit.Read(f, exampleFile)
	f.Add(string(example))
	for _, text := range []string{"token: a\nlog: {level: warn}\n", stairs(20), "[[[", "- - -", "a: |\n  b\n",
		"a: >\n\n  b\n c\n", "\ufeff# a\n", "? a\n: b\n", "'a", "\"\\x", "%YAML 1.2\n---\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > maxConfig {
			return
		}
		begun := time.Now()
		c, err := parseConfig([]byte(text))
		if took := time.Since(begun); took > time.Minute {
			t.Errorf("%v", took)
		}
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				if !regexp.MustCompile(`^[1-9]\d*:[1-9]\d*: .`).MatchString(line) {
					t.Errorf("the error is %q", err)
				}
			}
			return
		}
		if wrong := c.check(); len(wrong) > 0 {
			t.Errorf("%v", wrong)
		}
	})
}

// A configuration and a token are files of some size, and nothing that has no end.
func TestConfigFiles(t *testing.T) {
	dir := t.TempDir()
	large, pipe := filepath.Join(dir, "large"), filepath.Join(dir, "pipe")
	testkit.Write(t, large, bytes.Repeat([]byte("# nothing\n"), maxSecret/10+1))
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Log(err)
	}
	for file, want := range map[string]string{"/dev/zero": "not a regular file", pipe: "not a regular file",
		dir: "not a regular file", large: "larger than"} {
		if _, err := loadConfig(file); err == nil || !strings.Contains(err.Error(), want) && file != pipe {
			t.Errorf("configuration %s: %v, want %s", file, err, want)
		}
		c := config{TokenFile: file}
		if _, err := c.token(func(string) string { return "" }); err == nil ||
			!strings.Contains(err.Error(), want) && file != pipe {
			t.Errorf("token %s: %v, want %s", file, err, want)
		}
		if _, err := readKeyPair(file, file); err == nil {
			t.Errorf("key %s: no error", file)
		}
		e := pgConfig{PasswordFile: file}
		if _, err := e.options(func(string) string { return "" }); err == nil ||
			!strings.Contains(err.Error(), want) && file != pipe {
			t.Errorf("password %s: %v, want %s", file, err, want)
		}
	}
}

// A signal is heard while something takes its time.
func TestAwait(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	never := make(chan int)
	defer close(never)
	go stop()
	if _, err := await(ctx, func() (int, error) { return <-never, nil }); err == nil {
		t.Error("no error")
	}
	if v, err := await(t.Context(), func() (int, error) { return 7, nil }); v != 7 || err != nil {
		t.Error(v, err)
	}
}

func TestToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	testkit.Write(t, file, []byte("from-the-file\n"))
	with := func(text string) string {
		name := filepath.Join(t.TempDir(), "token")
		testkit.Write(t, name, []byte(text))
		return name
	}
	empty := filepath.Join(t.TempDir(), "empty")
	os.WriteFile(empty, nil, 0o600)
	tests := []struct {
		c         config
		env, want string
	}{
		{config{Token: "t"}, "env", "env"}, {config{TokenFile: file}, "", "from-the-file"},
		{config{Token: " Bot t "}, "", "t"}, {config{}, " Bot env\n", "env"}, {config{Token: "t"}, "  ", "t"},
		{config{}, "a\nb", ""}, {config{}, "a\x00", ""}, {config{TokenFile: with("one\r\ntwo\r\n")}, "", "one"},
		{config{TokenFile: with("\ufeffone\n")}, "", "one"},
		{config{TokenFile: with("   \n")}, "", ""}, {config{TokenFile: with("a\rb\n")}, "", ""},
		{config{TokenFile: with("a b")}, "", ""}, {config{TokenFile: with("Bot ")}, "", ""},
		{config{TokenFile: empty}, "", ""}, {config{TokenFile: file + "x"}, "", ""}, {config{}, "", ""},
	}
	for _, test := range tests {
		got, err := test.c.token(func(string) string { return test.env })
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%+v: %q, %v", test.c, got, err)
		}
	}
}

func TestConfigReachesItsUsers(t *testing.T) {
	c := testkit.Got(parseConfig([]byte("limits:\n  games: 7\nengine:\n  workers: 2\n  think_at_most: 300ms\nlog:\n" +
		"  level: warn\n")))
	if c.limits().Running != 7 || c.options().Workers != 2 || c.options().ThinkAtMost != 300*time.Millisecond ||
		c.Log.Level != slog.LevelWarn {
		t.Errorf("%+v", c)
	}
}
