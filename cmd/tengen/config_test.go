package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
)

const exampleFile = "../../config.example.yaml"

// The example decodes strictly, without the defaults beneath it, to exactly the defaults.
func TestExampleIsTheDefaults(t *testing.T) {
	text, err := os.ReadFile(exampleFile)
	if err != nil {
		t.Fatal(err)
	}
	var got config
	if err := yaml.NewDecoder(strings.NewReader(string(text)), yaml.Strict(), levels(), durations()).Decode(&got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(defaultConfig(), got); diff != "" {
		t.Error(diff)
	}
	if _, err := got.check(); err != nil {
		t.Error(err)
	}
}

// Every key of the configuration stands in the example, with a comment above it.
func TestExampleExplainsEveryKey(t *testing.T) {
	text, err := os.ReadFile(exampleFile)
	if err != nil {
		t.Fatal(err)
	}
	var walk func(typ reflect.Type)
	walk = func(typ reflect.Type) {
		for i := range typ.NumField() {
			key := typ.Field(i).Tag.Get("yaml")
			if !regexp.MustCompile(`(?m)^ *` + key + `:`).Match(text) {
				t.Errorf("no key %s", key)
			}
			if typ.Field(i).Type.Kind() == reflect.Struct {
				walk(typ.Field(i).Type)
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
		{"no such transport", "discord:\n  transport: pigeon\n", "2:14: discord.transport: gateway or http"},
		{"no path", "http:\n  path: interactions\n", "2:9: http.path: a path begins with /"},
		{"open URL", "http:\n  url: http://example.org/interactions\n", "2:8: http.url: not an address that begins with https"},
		{"half a certificate", "http:\n  cert: a.pem\n", "2:9: http.cert: cert and key go together"},
		{"no public key", "http:\n  public_key: beef\n", "2:15: http.public_key: not a public key"},
		{"too old", "http:\n  max_age: 1h\n", "2:12: http.max_age: 1h0m0s is not between"},
		{"token twice", "token: a\ntoken_file: b\n", "2:13: token_file: the token is given twice"},
		{"no address", "operations:\n  address: here\n", "2:12: operations.address: not an address"},
		{"open profiler", "operations:\n  pprof: 0.0.0.0:6060\n", "2:10: operations.pprof: the profiler may listen on the loopback"},
		{"profiler on all", "operations:\n  pprof: :6060\n", "the profiler may listen on the loopback"},
		{"no such engine", "store:\n  engine: mysql\n", "2:11: store.engine: bolt or etcd"},
		{"no endpoint", "store:\n  engine: etcd\n", "store.etcd.endpoints: the engine is etcd, and no server is named"},
		{"wrong endpoint", "store:\n  etcd:\n    endpoints: [10.0.0.1:2379]\n", "store.etcd.endpoints: not such as http://"},
		{"no list of endpoints", "store:\n  etcd:\n    endpoints: http://a:1\n", "3:16: "},
		{"certificate without key", "store:\n  etcd:\n    cert: a.pem\n", "3:11: store.etcd.cert: certificate and key"},
		{"unknown key of etcd", "store:\n  etcd:\n    endpoint: [http://a:1]\n", `3:5: there is no key "endpoint"`},
		{"lease too long", "store:\n  etcd:\n    lease: 1h\n", "3:12: store.etcd.lease: 1h0m0s is not between"},
		{"no file", "store:\n  file: ''\n", "2:9: store.file: a file is needed"},
	}
	for _, test := range tests {
		_, err := parseConfig([]byte(test.text))
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
	}
	for _, text := range []string{"", "limits:\n  # games: 3\n", "log:\n  level:\n", "# nothing\n", "log:\n  level: debug\n  format: json\n", "operations:\n  pprof: '[::1]:6060'\n", "operations:\n  pprof: LocalHost.:6060\n"} {
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
		"token: \"" + secret + "\nlog: 1\n", "token: " + secret + " and more\n", "token: " + secret + "\nlog:\n  level: loud\n", "token: {a: " + secret,
		"token: '" + secret + "'x\n", "token: &" + secret + "\n", "token: *" + secret + "\n", "token: !!int " + secret + "\n", "discord:\n  shards: " + secret + "\n",
	} {
		if _, err := parseConfig([]byte(text)); err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("from the file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(t.TempDir(), "empty")
	os.WriteFile(empty, nil, 0o600)
	tests := []struct {
		c         config
		env, want string
	}{
		{config{Token: "t"}, "env", "env"}, {config{TokenFile: file}, "", "from the file"}, {config{Token: " Bot t "}, "", "t"},
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
	c, err := parseConfig([]byte("limits:\n  games: 7\nengine:\n  workers: 2\n  think_at_most: 300ms\nlog:\n  level: warn\n"))
	if err != nil {
		t.Fatal(err)
	}
	if c.limits().Running != 7 || c.options().Workers != 2 || c.options().ThinkAtMost != 300*time.Millisecond || c.Log.Level != slog.LevelWarn {
		t.Errorf("%+v", c)
	}
}
