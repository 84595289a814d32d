package main

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"tengen/bot"
	"tengen/storage"
	"tengen/storage/pg"
)

// config is the configuration of `tengen run`, as config.example.yaml explains it.
type config struct {
	Token      string        `yaml:"token"`
	TokenFile  string        `yaml:"token_file"`
	Discord    discordConfig `yaml:"discord"`
	HTTP       httpConfig    `yaml:"http"`
	Web        webConfig     `yaml:"web"`
	Store      storeConfig   `yaml:"store"`
	Limits     limitsConfig  `yaml:"limits"`
	Engine     engineConfig  `yaml:"engine"`
	Engines    []guestConfig `yaml:"engines"`
	Clocks     clocksConfig  `yaml:"clocks"`
	Log        logConfig     `yaml:"log"`
	Operations opsConfig     `yaml:"operations"`
}

type discordConfig struct {
	Transport      string `yaml:"transport"`
	Listen         bool   `yaml:"listen"`
	Shards         int    `yaml:"shards"`
	CommandsServer uint64 `yaml:"commands_server"`
}

// The ways of interactions.
const (
	byGateway = "gateway"
	byHTTP    = "http"
)

type httpConfig struct {
	Address   string        `yaml:"address"`
	Path      string        `yaml:"path"`
	URL       string        `yaml:"url"`
	Cert      string        `yaml:"cert"`
	Key       string        `yaml:"key"`
	PublicKey string        `yaml:"public_key"`
	MaxAge    time.Duration `yaml:"max_age"`
	Drain     time.Duration `yaml:"drain"`
}

type webConfig struct {
	Address          string   `yaml:"address"`
	URL              string   `yaml:"url"`
	Cert             string   `yaml:"cert"`
	Key              string   `yaml:"key"`
	Proxy            []string `yaml:"proxy"`
	ClientSecret     string   `yaml:"client_secret"`
	ClientSecretFile string   `yaml:"client_secret_file"`
}

type storeConfig struct {
	Engine            string        `yaml:"engine"`
	File              string        `yaml:"file"`
	Backups           string        `yaml:"backups"`
	BackupEvery       time.Duration `yaml:"backup_every"`
	AfterBackup       []string      `yaml:"after_backup"`
	AfterBackupWithin time.Duration `yaml:"after_backup_within"`
	MaxMegabytes      int64         `yaml:"max_megabytes"`
	Postgres          pgConfig      `yaml:"postgres"`

	AcceptOlder bool `yaml:"-"` // of run --accept-older
}

type pgConfig struct {
	Address      string        `yaml:"address"`
	Schema       string        `yaml:"schema"`
	PasswordFile string        `yaml:"password_file"`
	Connections  int           `yaml:"connections"`
	Lease        time.Duration `yaml:"lease"`
}

// The engines of the store.
const (
	onBolt = "bolt"
	onPg   = "postgres"
)

// wasEtcd is for an operator whose games are still on etcd.
const wasEtcd = "tengen has no store on etcd any more: with a program built from commit 34b4722c, tengen store copy " +
	"brings it into a file, and this one takes it from there to PostgreSQL (docs/decisions/059-etcd.md)"

// place is where the store is, for people.
func (c storeConfig) place() string {
	if c.Engine == onPg {
		return "PostgreSQL at " + pg.Options{Address: c.Postgres.Address, Schema: c.Postgres.Schema}.Place()
	}
	return c.File
}

type limitsConfig struct {
	Challenges        int `yaml:"challenges"`
	ChallengesPerPair int `yaml:"challenges_per_pair"`
	Games             int `yaml:"games"`
	GamesAgainstBot   int `yaml:"games_against_bot"`
}

type engineConfig struct {
	Workers      int           `yaml:"workers"`
	AnswerWithin time.Duration `yaml:"answer_within"`
	ThinkAtMost  time.Duration `yaml:"think_at_most"`
}

type clocksConfig struct {
	AfterRestart time.Duration `yaml:"after_restart"`
}

type logConfig struct {
	Level  slog.Level `yaml:"level"`
	Format string     `yaml:"format"`
}

type opsConfig struct {
	Address string `yaml:"address"`
	Pprof   string `yaml:"pprof"`
	Socket  string `yaml:"socket"`
}

// defaultConfig is what an empty file means, and what config.example.yaml says.
func defaultConfig() config {
	limits, options := storage.DefaultLimits, bot.DefaultOptions()
	return config{
		Discord: discordConfig{Transport: byGateway},
		HTTP:    httpConfig{Address: "127.0.0.1:8081", Path: "/interactions", MaxAge: time.Minute},
		Web:     webConfig{Proxy: []string{}},
		Store: storeConfig{Engine: onBolt, File: "tengen.db", BackupEvery: time.Hour, AfterBackup: []string{},
			AfterBackupWithin: 10 * time.Minute, MaxMegabytes: 64 << 10,
			Postgres: pgConfig{Schema: "tengen", Connections: 12, Lease: 5 * time.Second}},
		Limits: limitsConfig{Challenges: limits.Open, ChallengesPerPair: limits.Pair,
			Games: limits.Running, GamesAgainstBot: limits.Engine},
		Engine:  engineConfig{AnswerWithin: options.AnswerIn, ThinkAtMost: options.ThinkAtMost},
		Engines: []guestConfig{},
		Clocks:  clocksConfig{AfterRestart: options.ClockAfterRestart},
		Log:     logConfig{Level: slog.LevelInfo, Format: "text"},
	}
}

// limits are the store's limits.
func (c config) limits() storage.Limits {
	return storage.Limits{Open: c.Limits.Challenges, Pair: c.Limits.ChallengesPerPair,
		Running: c.Limits.Games, Engine: c.Limits.GamesAgainstBot}
}

func (c config) options() bot.Options {
	return bot.Options{Workers: c.Engine.Workers, AnswerIn: c.Engine.AnswerWithin,
		ThinkAtMost: c.Engine.ThinkAtMost, ClockAfterRestart: c.Clocks.AfterRestart,
		Settle: bot.DefaultOptions().Settle}
}

// defaultFile is the configuration file where none is named.
const defaultFile = "config.yaml"

// maxConfig bounds the file of the configuration, in bytes: the decoder takes seconds for
// odd text of a hundred times that. The example, which has all keys, has about 11,000.
const maxConfig = 64 << 10

// maxSecret bounds files with a token, a password, a key or certificates, in bytes.
const maxSecret = 1 << 20

// loadConfig reads a configuration file. Without a name it takes config.yaml where there is
// one, else the defaults. Errors name the file, the line and the column; with faults comes what could be read.
func loadConfig(name string) (config, error) {
	file := cmp.Or(name, defaultFile)
	text, err := readRegular(file, maxConfig)
	switch {
	case err != nil && name == "" && errors.Is(err, os.ErrNotExist):
		return defaultConfig(), nil
	case err != nil:
		return config{}, fmt.Errorf("reading the configuration: %w", err)
	}
	c, err := parseConfig(text)
	if all := (faults)(nil); errors.As(err, &all) {
		for i := range all {
			all[i] = file + ":" + all[i]
		}
		return c, all
	}
	if err != nil {
		return c, fmt.Errorf("%s:%w", file, err)
	}
	return c, nil
}

// mostFaults is how many faults are told at a time.
const mostFaults = 20

// parseConfig reads a configuration over the defaults. An error begins with the line and
// the column. Faults of single keys are all told, and the rest is read.
func parseConfig(text []byte) (config, error) {
	c, wrong := defaultConfig(), faults(nil)
	file, err := parse(text)
	if err != nil {
		return config{}, err
	}
	for _, doc := range file.Docs {
		if doc.Body == nil || doc.Body.Type() == ast.NullType || doc.Body.Type() == ast.CommentType {
			continue
		}
		keepDefaults(doc.Body)
		for len(wrong) < mostFaults {
			err := yaml.NodeToValue(doc.Body, &c, yaml.Strict(), levels(), durations())
			if err == nil {
				break
			}
			wrong = append(wrong, located(err).Error())
			if !takeOut(doc.Body, tokenOf(err)) {
				return c, wrong
			}
		}
	}
	for _, f := range c.check() {
		line, column := position(text, f.path)
		wrong = append(wrong, fmt.Sprintf("%d:%d: %s: %v", line, column, strings.TrimPrefix(f.path, "$."), f.err))
	}
	if len(wrong) > 0 {
		return c, wrong
	}
	return c, nil
}

// tokenOf is where in the text an error of the decoder lies; nil where it does not say.
func tokenOf(err error) *token.Token {
	var e yaml.Error
	if errors.As(err, &e) {
		return e.GetToken()
	}
	return nil
}

// takeOut takes out the key that a token is of, or the value of, so that the rest can be read. It is false where there
// is none.
func takeOut(n ast.Node, at *token.Token) bool {
	m, ok := n.(*ast.MappingNode)
	if !ok || at == nil {
		return false
	}
	for i, v := range m.Values {
		if takeOut(v.Value, at) {
			return true
		}
		if v.Key.GetToken() == at || v.Value.GetToken() == at {
			m.Values = slices.Delete(m.Values, i, i+1)
			return true
		}
	}
	return false
}

// parse reads YAML, after a check that nothing in it keeps the parser busy for long.
func parse(text []byte) (*ast.File, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // which some editors put at the beginning
	for at, line := 0, 1; at < len(text); {
		r, n := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && n == 1 {
			return nil, fmt.Errorf("%d:%d: not UTF-8", line, utf8.RuneCount(text[bytes.LastIndexByte(text[:at], '\n')+1:at])+1)
		}
		if at += n; r == '\n' {
			line++
		}
	}
	tokens := lexer.Tokenize(string(text))
	if at, why := unfit(tokens); at != nil {
		return nil, fmt.Errorf("%d:%d: %s", at.Position.Line, at.Position.Column, why)
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		return nil, located(err)
	}
	return file, nil
}

// maxDepth bounds how deep things stand in one another. The parser takes time and memory
// with the square of it; the configuration has four levels.
const maxDepth = 16

// unfit finds the first token that a configuration has no use for, and says why.
func unfit(tokens token.Tokens) (at *token.Token, why string) {
	var columns []int // of the tokens of this line, and of those that they stand under
	flow, begun, ended := 0, false, false
	for _, t := range tokens {
		switch t.Type {
		case token.CommentType:
			continue
		case token.DocumentHeaderType, token.DocumentEndType:
			if begun && t.Type == token.DocumentHeaderType {
				return t, "a second document; a configuration has one"
			}
			begun, ended = true, ended || t.Type == token.DocumentEndType
			continue
		case token.AnchorType, token.AliasType, token.TagType:
			return t, fmt.Sprintf("a text that begins with %.1s must stand in quotes", t.Value)
		case token.MergeKeyType:
			return t, `there is no key "<<"`
		case token.FloatType, token.InfinityType, token.NanType:
			return t, "neither a whole number nor a text in quotes"
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow--
		}
		if ended {
			return t, "a second document; a configuration has one"
		}
		begun = true
		if flow == 0 {
			for len(columns) > 0 && columns[len(columns)-1] >= t.Position.Column {
				columns = columns[:len(columns)-1]
			}
			columns = append(columns, t.Position.Column)
		}
		if len(columns)+flow > maxDepth {
			return t, fmt.Sprintf("more than %d levels deep", maxDepth)
		}
	}
	return nil, ""
}

// keepDefaults takes the keys without a value out, so that they change nothing: a section
// whose keys are all commented out means the defaults.
func keepDefaults(n ast.Node) {
	m, ok := n.(*ast.MappingNode)
	if !ok {
		return
	}
	m.Values = slices.DeleteFunc(m.Values, func(v *ast.MappingValueNode) bool { return v.Value.Type() == ast.NullType })
	for _, v := range m.Values {
		keepDefaults(v.Value)
	}
}

// durations reads a duration; check tells of a wrong one, with its place.
func durations() yaml.DecodeOption {
	return yaml.CustomUnmarshaler(func(d *time.Duration, b []byte) error {
		v, err := time.ParseDuration(strings.Trim(strings.TrimSpace(string(b)), `"'`))
		if *d = v; err != nil {
			*d = wrongDuration
		}
		return nil
	})
}

// wrongDuration stands for what is no duration.
const wrongDuration = time.Duration(math.MinInt64)

// levels reads a level of the log by its name.
func levels() yaml.DecodeOption {
	return yaml.CustomUnmarshaler(func(l *slog.Level, b []byte) error {
		switch name := strings.Trim(strings.TrimSpace(string(b)), `"'`); name {
		case "debug", "info", "warn", "error":
			return l.UnmarshalText([]byte(name))
		}
		*l = wrongLevel
		return nil // check reports it, with its place
	})
}

// wrongLevel stands for what names no level.
const wrongLevel = slog.Level(99)

// located is an error of the decoder as line, column and words, in one line.
func located(err error) error {
	var unknown *yaml.UnknownFieldError
	var e yaml.Error
	switch {
	case errors.As(err, &unknown) && unknown.Token.Value == "etcd":
		p := unknown.Token.Position
		return fmt.Errorf("%d:%d: %s", p.Line, p.Column, wasEtcd)
	case errors.As(err, &unknown):
		p := unknown.Token.Position
		return fmt.Errorf("%d:%d: there is no key %q", p.Line, p.Column, unknown.Token.Value)
	case errors.As(err, &e) && e.GetToken() != nil:
		p := e.GetToken().Position
		return fmt.Errorf("%d:%d: %s", p.Line, p.Column, oneLine(e.GetMessage()))
	}
	return fmt.Errorf("1:1: %s", oneLine(err.Error()))
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// position is where the value at a path stands in a text; the first line where it does
// not stand there at all.
func position(text []byte, path string) (line, column int) {
	file, err := parse(text)
	if err != nil {
		return 1, 1
	}
	p, err := yaml.PathString(path)
	if err != nil {
		return 1, 1
	}
	node, err := p.FilterFile(file)
	if err != nil || node == nil {
		return 1, 1
	}
	if v, ok := node.(*ast.MappingValueNode); ok {
		node = v.Value
	}
	at := node.GetToken().Position
	return at.Line, at.Column
}

// secret is where a secret of Discord's may stand: an environment variable, the first line of a file, the
// configuration.
type secret struct {
	what      string // for people
	env       string
	file, own string
}

// token finds the bot's token. No error holds it.
func (c config) token(getenv func(string) string) (token string, err error) {
	token, err = secret{"token", "DISCORD_TOKEN", c.TokenFile, c.Token}.find(getenv)
	if token == "" && err == nil {
		err = errors.New("no token: set DISCORD_TOKEN, or token_file or token in the configuration" +
			" (the Bot page of your application at https://discord.com/developers/applications shows it)")
	}
	return token, err
}

// clientSecret finds the application's client secret; empty where there is none. No error holds it.
func (c config) clientSecret(getenv func(string) string) (string, error) {
	return secret{"client secret", "DISCORD_CLIENT_SECRET", c.Web.ClientSecretFile, c.Web.ClientSecret}.find(getenv)
}

// find reads a secret from the first place that has it. It is empty where none has.
func (s secret) find(getenv func(string) string) (found string, err error) {
	switch env := getenv(s.env); {
	case strings.TrimSpace(env) != "":
		if found, err = cleanToken(env); err != nil {
			return "", fmt.Errorf("the %s in %s: %w", s.what, s.env, err)
		}
		return found, nil
	case s.file != "":
		text, err := readSecret(s.file)
		if err != nil {
			return "", fmt.Errorf("reading the %s: %w", s.what, err)
		}
		if found, err = cleanToken(text); err != nil {
			return "", fmt.Errorf("reading the %s: the first line of %s: %w", s.what, s.file, err)
		}
		return found, nil
	case s.own != "":
		return cleanToken(s.own)
	}
	return "", nil
}

// cleanToken takes blanks and the word Bot off a token. Only Discord knows whether the rest
// is right.
func cleanToken(s string) (string, error) {
	s = strings.TrimSpace(s)
	if word, rest, ok := strings.Cut(s, " "); ok && word == "Bot" {
		s = strings.TrimSpace(rest)
	}
	switch {
	case s == "" || s == "Bot":
		return "", errors.New("there is no token")
	case strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", errors.New("a token has no blanks, no line breaks and no letters but those from A to Z")
	}
	return s, nil
}

// notTokens are other words of the Developer Portal that are entered in the place of a token.
var notTokens = []struct {
	form *regexp.Regexp
	what string
}{
	{regexp.MustCompile(`^[0-9]{15,20}$`), "a number, such as the application's id"},
	{regexp.MustCompile(`^[0-9a-f]{64}$`), "the application's public key"},
	{regexp.MustCompile(`^[A-Za-z0-9_-]{32}$`), "the client secret"},
	{regexp.MustCompile(`^https?://`), "an address"},
}

// unlikeToken says why a word cannot be the token of a bot, by its form alone; empty where it can. It tells nothing of
// the word but what it seems to be.
func unlikeToken(word string) string {
	for _, n := range notTokens {
		if n.form.MatchString(word) {
			return "it looks like " + n.what
		}
	}
	parts := strings.Split(word, ".")
	if len(parts) != 3 {
		return fmt.Sprintf("a bot's token has three parts with dots between them, and this one has %d", len(parts))
	}
	id, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[0], "="))
	if _, bad := strconv.ParseUint(string(id), 10, 64); err != nil || bad != nil || parts[1] == "" || parts[2] == "" {
		return "its first part is not a bot's number, or another part is missing"
	}
	return ""
}

// readSecret is the first line of a file with a password.
func readSecret(file string) (string, error) {
	text, err := readRegular(file, maxSecret)
	first, _, _ := strings.Cut(strings.TrimPrefix(string(text), "\ufeff"), "\n")
	return first, err
}

// warn logs which files with a secret others than their owner can read. own is the
// configuration's file.
func (c config) warn(log *slog.Logger, own string) {
	files := []string{c.TokenFile, c.Web.ClientSecretFile, c.Store.Postgres.PasswordFile}
	if c.Token != "" || c.Web.ClientSecret != "" {
		files = append(files, own)
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if file != "" && err == nil && info.Mode().Perm()&0o044 != 0 && runtime.GOOS != "windows" {
			log.Warn("others than its owner can read this file, which holds a secret: chmod 600", "file", file)
		}
	}
}

// logger is the program's log.
func (c config) logger(w io.Writer) *slog.Logger {
	o := &slog.HandlerOptions{Level: c.Log.Level}
	if c.Log.Format == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}
