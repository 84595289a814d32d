package main

import (
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"tengen/storage/pg"
)

// Bounds of numbers; one beyond them can only be a slip of the pen.
const (
	maxShards    = 1 << 16
	maxWorkers   = 1 << 10
	maxMegabytes = 1 << 32 // bytes of so many still count in 63 bits
)

// fault is a value that cannot be: its path, and why.
type fault struct {
	path string
	err  error
}

// faults are all that is wrong with a configuration, one a line.
type faults []string

func (f faults) Error() string { return strings.Join(f, "\n") }

// check gives the values that cannot be, one of each path.
func (c config) check() []fault {
	k := &checker{}
	if path := unprintable("$", reflect.ValueOf(c)); path != "" {
		k.refuse(path, errors.New("a control character, such as a line break, cannot stand here"))
	}
	k.refuseIf("$.token_file", c.Token != "" && c.TokenFile != "", "the token is given twice, here and in token")
	if c.Token != "" {
		_, err := cleanToken(c.Token)
		k.refuse("$.token", err)
	}
	c.Discord.check(k)
	c.HTTP.check(k)
	c.Web.check(k)
	c.Store.check(k)
	c.Limits.check(k)
	c.Engine.check(k)
	checkGuests(c.Engines, k)
	k.between("$.clocks.after_restart", c.Clocks.AfterRestart, time.Second, 7*24*time.Hour)
	c.Log.check(k)
	c.Operations.check(k)
	return k.faults
}

func (c discordConfig) check(k *checker) {
	k.refuseIf("$.discord.transport", c.Transport != byGateway && c.Transport != byHTTP, "gateway or http")
	k.refuseIf("$.discord.listen", c.Listen && c.Transport == byHTTP,
		"Discord sends messages by the gateway alone, not over http")
	k.within("$.discord.shards", int64(c.Shards), 0, maxShards)
}

func (c httpConfig) check(k *checker) {
	k.refuseIf("$.http.address", c.Address == "" || !isAddress(c.Address), "not an address such as 127.0.0.1:8081 or :443")
	k.refuseIf("$.http.path", !strings.HasPrefix(c.Path, "/") || strings.ContainsAny(c.Path, "?# "),
		"a path begins with / and has no ?, # or blank")
	k.refuseIf("$.http.url", c.URL != "" && !isWeb(c.URL), "not an address that begins with https://")
	k.refuseIf("$.http.cert", (c.Cert == "") != (c.Key == ""), "cert and key go together")
	if c.PublicKey != "" {
		_, err := publicKey(c.PublicKey)
		k.refuse("$.http.public_key", err)
	}
	k.between("$.http.max_age", c.MaxAge, time.Second, 15*time.Minute)
	k.between("$.http.drain", c.Drain, 0, 5*time.Second)
}

func (c webConfig) check(k *checker) {
	k.refuseIf("$.web.address", !isAddress(c.Address), "not an address such as 127.0.0.1:8082 or :443")
	k.refuseIf("$.web.address", c.Address == "" && c.URL != "", "an address is needed, at which this program listens")
	k.refuseIf("$.web.url", c.URL == "" && c.Address != "", "a URL is needed, at which browsers reach this program")
	k.refuseIf("$.web.url", c.URL != "" && !isOrigin(c.URL), "not such as https://games.example.org, without a path")
	k.refuseIf("$.web.cert", (c.Cert == "") != (c.Key == ""), "cert and key go together")
	k.refuseIf("$.web.proxy", slices.ContainsFunc(c.Proxy, notNetwork), "not such as 127.0.0.1 or 10.0.0.0/8")
	k.refuseIf("$.web.client_secret_file", c.ClientSecret != "" && c.ClientSecretFile != "",
		"the secret is given twice, here and in client_secret")
	if c.ClientSecret != "" {
		_, err := cleanToken(c.ClientSecret)
		k.refuse("$.web.client_secret", err)
	}
}

func (c storeConfig) check(k *checker) {
	k.refuseIf("$.store.engine", c.Engine == "etcd", wasEtcd)
	k.refuseIf("$.store.engine", !slices.Contains([]string{onBolt, onPg}, c.Engine), "bolt or postgres")
	k.refuseIf("$.store.postgres.address", c.Engine == onPg && c.Postgres.Address == "",
		"the engine is postgres, and no server is named")
	c.Postgres.check(k)
	k.refuseIf("$.store.file", c.File == "", "a file is needed")
	k.between("$.store.backup_every", c.BackupEvery, 0, 30*24*time.Hour)
	k.refuseIf("$.store.backup_every", c.BackupEvery != 0 && c.BackupEvery < time.Minute,
		"less than a minute; 0s is for none")
	k.refuseIf("$.store.after_backup", len(c.AfterBackup) > 0 && c.AfterBackup[0] == "", "no program is named")
	k.between("$.store.after_backup_within", c.AfterBackupWithin, time.Second, 24*time.Hour)
	k.within("$.store.max_megabytes", c.MaxMegabytes, 16, maxMegabytes)
}

func (c pgConfig) check(k *checker) {
	k.refuseIf("$.store.postgres.schema", c.Schema == "", "a schema is needed")
	if c.Address != "" {
		k.refuse("$.store.postgres.address", pg.Options{Address: c.Address, Schema: c.Schema}.Check())
	}
	k.within("$.store.postgres.connections", int64(c.Connections), 2, 1000)
	k.between("$.store.postgres.lease", c.Lease, 2*time.Second, time.Minute)
}

func (c limitsConfig) check(k *checker) {
	k.within("$.limits.challenges", int64(c.Challenges), 0, math.MaxInt32)
	k.within("$.limits.challenges_per_pair", int64(c.ChallengesPerPair), 0, math.MaxInt32)
	k.within("$.limits.games", int64(c.Games), 0, math.MaxInt32)
	k.within("$.limits.games_against_bot", int64(c.GamesAgainstBot), 0, math.MaxInt32)
}

func (c engineConfig) check(k *checker) {
	k.within("$.engine.workers", int64(c.Workers), 0, maxWorkers)
	k.between("$.engine.answer_within", c.AnswerWithin, 100*time.Millisecond, time.Minute)
	k.between("$.engine.think_at_most", c.ThinkAtMost, 10*time.Millisecond, time.Minute)
}

func (c logConfig) check(k *checker) {
	k.refuseIf("$.log.level", c.Level == wrongLevel, "one of debug, info, warn, error")
	k.refuseIf("$.log.format", c.Format != "text" && c.Format != "json", "text or json")
}

func (c opsConfig) check(k *checker) {
	k.refuseIf("$.operations.address", !isAddress(c.Address), "not an address such as 127.0.0.1:9464")
	k.refuseIf("$.operations.pprof", !isAddress(c.Pprof), "not an address such as 127.0.0.1:6060")
	k.refuseIf("$.operations.pprof", !isLoopback(c.Pprof), "the profiler may listen on the loopback interface only")
}

// checker keeps what cannot be: of each path what is said first.
type checker struct{ faults []fault }

// refuse keeps an error about the value at a path; nil is none.
func (k *checker) refuse(path string, err error) {
	if err != nil && !slices.ContainsFunc(k.faults, func(f fault) bool { return f.path == path }) {
		k.faults = append(k.faults, fault{path, err})
	}
}

func (k *checker) refuseIf(path string, wrong bool, why string) {
	if wrong {
		k.refuse(path, errors.New(why))
	}
}

// within refuses a number out of its bounds.
func (k *checker) within(path string, v, least, most int64) {
	switch {
	case v < least:
		k.refuse(path, fmt.Errorf("%d is too small, %d is the least", v, least))
	case v > most:
		k.refuse(path, fmt.Errorf("%d is too large, %d is the most", v, most))
	}
}

// between refuses a duration out of its bounds.
func (k *checker) between(path string, v, least, most time.Duration) {
	switch {
	case v == wrongDuration:
		k.refuse(path, errors.New("not a duration such as 300ms, 2.5s or 10m"))
	case v < least || v > most:
		k.refuse(path, fmt.Errorf("%v is not between %v and %v", v, least, most))
	}
}

// unprintable is the path of the first text that holds a control character.
func unprintable(path string, v reflect.Value) string {
	switch v.Kind() {
	case reflect.String:
		if strings.ContainsFunc(v.String(), unicode.IsControl) {
			return path
		}
	case reflect.Slice:
		for i := range v.Len() {
			if unprintable(path, v.Index(i)) != "" {
				return path
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if p := unprintable(path+"."+v.Type().Field(i).Tag.Get("yaml"), v.Field(i)); p != "" {
				return p
			}
		}
	}
	return ""
}

var hostName = regexp.MustCompile(`^[A-Za-z0-9._-]*$`)

// isAddress reports whether s is a host, or none, and the number of a port.
func isAddress(s string) bool {
	if s == "" {
		return true
	}
	host, port, err := net.SplitHostPort(s)
	if err != nil || !hostName.MatchString(host) && net.ParseIP(host) == nil {
		return false
	}
	return isPort(port)
}

func isPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && strconv.FormatUint(n, 10) == s
}

// isWeb reports whether a URL is one that Discord takes for an endpoint.
func isWeb(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Scheme == "https" && u.Hostname() != "" && u.User == nil && (u.Port() == "" || isPort(u.Port()))
}

// isOrigin reports whether a URL is https:// and a host, and nothing behind it.
func isOrigin(s string) bool {
	u, err := url.Parse(s)
	return err == nil && isWeb(s) && *u == url.URL{Scheme: u.Scheme, Host: u.Host}
}

func notNetwork(s string) bool {
	_, err := network(s)
	return err != nil
}

// network reads an address or a range of addresses.
func network(s string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(s); err == nil {
		return a.Prefix(a.BitLen())
	}
	return netip.ParsePrefix(s)
}

func isLoopback(s string) bool {
	host, _, err := net.SplitHostPort(s)
	if s == "" || err != nil {
		return s == ""
	}
	ip := net.ParseIP(host)
	return strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") || ip != nil && ip.IsLoopback()
}
