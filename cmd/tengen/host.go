package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tengen/bot/metrics"
	"tengen/internal/tasks"
	"tengen/storage"
	"tengen/storage/archive"
	"tengen/storage/bolt"
	"tengen/storage/etcd"
	"tengen/storage/kv"
	"tengen/storage/lease"
)

// openStore is the engine of a running bot with what an operator sees of it.
type openStore struct {
	kv.Engine
	name    string                // where it is
	leases  lease.Leases          // how work is shared with other processes
	well    func() error          // nil while the store can be written; otherwise a restart may help
	ready   func() error          // nil while members can be served
	figures prometheus.Collector  // for /metrics
	care    func(context.Context) // what goes on beside the bot until its context ends
}

// hostStore opens the games where the configuration has them.
func hostStore(ctx context.Context, c config, log *slog.Logger,
	m *metrics.Figures) (*openStore, *storage.Store, error) {
	switch c.Store.Engine {
	case onEtcd:
		return hostEtcd(ctx, c, log, m)
	case onPg:
		return hostPg(ctx, c, log, m)
	}
	return hostBolt(ctx, c, log, m)
}

// hostBolt opens the file. Rows that only matter to the running process, the tokens, stay
// out of backups.
func hostBolt(ctx context.Context, c config, log *slog.Logger, m *metrics.Figures) (*openStore, *storage.Store, error) {
	db, err := bolt.Open(ctx, c.Store.File, bolt.Options{Log: log, Name: "tengen run", Backups: c.Store.Backups,
		AcceptOlder: c.Store.AcceptOlder, MaxSize: c.Store.MaxMegabytes << 20,
		Grows: storage.Grows, Omit: storage.Omit, Mark: storage.WipedRow()})
	if err != nil {
		return nil, nil, err
	}
	if r := db.Recovery(); r.Happened() {
		log.Error(r.String())
	}
	well := func() error {
		s, _ := db.Status() // a restart does not help where the backups cannot be read
		return s.Broken
	}
	k := &openStore{Engine: db, name: db.Path(), leases: lease.Alone{}, well: well, ready: func() error { return nil },
		figures: storeFigures{db}}
	k.care = func(ctx context.Context) {
		var beside sync.WaitGroup
		beside.Go(func() { db.Watch(ctx, watchEvery) })
		if every := c.Store.BackupEvery; every > 0 {
			db.KeepBackups(ctx, every)
		}
		beside.Wait()
	}
	store, err := storage.Open(ctx, metered{db, m}, storage.Options{Limits: c.limits(), Program: rowsVersion(), Log: log,
		BeforeMigration: func(from, to int) error {
			kept := fmt.Sprintf("%s.schema%d", c.Store.File, from) // beside the backups, which rotate
			log.Info("the store is brought up to date", "from", from, "to", to, "copy", kept)
			return db.CopyTo(ctx, kept, nil)
		}})
	if err != nil {
		return nil, nil, errors.Join(withBackup(err, c.Store.File, c.Store.Backups), db.Close())
	}
	if err := renew(ctx, db, store, log); err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return k, store, nil
}

// renewTime is how long a start may take to write the file of the store anew.
const renewTime = 30 * time.Second

// renew writes the file anew where data was deleted from it: in pages that are free the data would
// stand until they are used again. The bot starts without that where it fails.
func renew(ctx context.Context, db *bolt.DB, store *storage.Store, log *slog.Logger) error {
	wiped, err := store.Wiped(ctx)
	if err != nil || !wiped {
		return err
	}
	log.Info("data was deleted: the file of the store is written anew, without it", "file", db.Path(),
		"at_most", renewTime)
	began := time.Now()
	limited, cancel := context.WithTimeout(ctx, renewTime)
	defer cancel()
	before, after, err := db.Renew(limited)
	switch s, _ := db.Status(); {
	case ctx.Err() != nil:
		return ctx.Err()
	case s.Broken != nil:
		return s.Broken
	case err != nil:
		log.Warn("the file of the store was not written anew and may still hold deleted data; "+
			"tengen store compact does the same while the bot is stopped, and takes the time that it needs", "err", err)
		return nil
	}
	log.Info("the file of the store was written anew", "bytes", after, "were", before,
		"took", time.Since(began).Round(time.Millisecond))
	return nil
}

// withBackup names, in the refusal of a newer store, the newest backup that this program can take.
func withBackup(err error, path, dir string) error {
	if !errors.As(err, new(*storage.Newer)) {
		return err
	}
	if b, ok := bolt.NewestTaken(path, cmp.Or(dir, path+".backups"), storage.Takes); ok {
		return fmt.Errorf("%w, or go back with this one, and lose what came since: tengen store restore --data %s %s",
			err, path, b.Path)
	}
	return fmt.Errorf("%w; it has no backup that this one can take", err)
}

// watchEvery is how often the bot looks whether the file of the store is still there.
const watchEvery = 2 * time.Second

// etcdChunk is how many rows long work changes in one transaction: etcd takes 128
// operations in one, and a match that is put away needs about fifteen.
const etcdChunk = 50

// hostEtcd opens the cluster.
func hostEtcd(ctx context.Context, c config, log *slog.Logger, m *metrics.Figures) (*openStore, *storage.Store, error) {
	o, err := c.Store.Etcd.options(os.Getenv)
	if err != nil {
		return nil, nil, err
	}
	o.Announce = storage.Announcement()
	return awaitServers(ctx, log, "etcd", etcd.Unreachable, func(ctx context.Context) (*openStore, *storage.Store, error) {
		return openEtcd(ctx, c, o, log, m)
	})
}

// awaitServers opens a store on servers, and waits for those that do not answer: after a loss of power
// the bots may be there before most of the servers are.
func awaitServers(ctx context.Context, log *slog.Logger, engine string, unreachable func(error) bool,
	open func(context.Context) (*openStore, *storage.Store, error)) (*openStore, *storage.Store, error) {
	for limit := 4 * time.Second; ; limit = min(2*limit, 30*time.Second) {
		try, cancel := context.WithTimeout(ctx, limit)
		k, store, err := open(try)
		cancel()
		if err == nil || ctx.Err() != nil || !unreachable(err) {
			return k, store, err
		}
		log.Warn(engine+" does not answer: trying again", "error", err)
		if err := tasks.Sleep(ctx, time.Second); err != nil {
			return nil, nil, err
		}
	}
}

func openEtcd(ctx context.Context, c config, o etcd.Options, log *slog.Logger,
	m *metrics.Figures) (*openStore, *storage.Store, error) {
	db, err := etcd.Open(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	for _, what := range db.CheckHealth(ctx).Trouble() {
		log.Warn("etcd", "trouble", what)
	}
	tier, swap, other := overArchive(db)
	holder := &archive.Holder{Dir: c.Store.Etcd.Archive, Engine: tier, Archive: swap, Remote: other,
		Answerer: db, Leases: db, Options: bolt.Options{Log: log, Name: "tengen run", Grows: storage.Grows}, Log: log}
	k := &openStore{Engine: db, leases: db, figures: etcdFigures{db},
		ready: func() error { return errors.Join(heard("etcd", db, serversAway), db.Health().Well()) },
		care: func(ctx context.Context) {
			var beside sync.WaitGroup
			beside.Go(func() { db.KeepWatch(ctx, log) })
			holder.Run(ctx)
			beside.Wait()
		},
		name: "etcd " + strings.Join(o.Endpoints, ",") + "/" + c.Store.Etcd.Prefix}
	store, err := storage.Open(ctx, metered{tier, m}, storage.Options{Limits: c.limits(), Chunk: etcdChunk,
		Program: rowsVersion(), Log: log, Peers: db.Processes,
		Node: rand.IntN(1024), // two of the same number are no harm, they only have to look for free ids
		BeforeMigration: func(from, to int) error {
			log.Info("the store is brought up to date", "from", from, "to", to)
			return nil // a snapshot of the cluster is the operator's, docs/scaling.md
		}})
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	k.well = func() error { return errors.Join(heard("etcd", db, serversDead), store.Outdated()) }
	holder.Known = store.ArchiveID
	other.Exists = store.HasArchive
	return k, store, nil
}

// How long the servers may be silent: one that leads and dies is replaced after a second or two.
const (
	serversAway = 5 * time.Second  // until other processes had better take the requests
	serversDead = 10 * time.Second // until this process is of no use
)

func heard(engine string, db interface{ Silent() time.Duration }, limit time.Duration) error {
	if silent := db.Silent(); silent > limit {
		return fmt.Errorf("%s has not answered for %v", engine, silent.Round(time.Second))
	}
	return nil
}

// overArchive lays the archive, wherever it is, under the engine.
func overArchive(db *etcd.DB) (*archive.Engine, *archive.Swappable, *archive.Remote) {
	s, other := &archive.Swappable{}, &archive.Remote{Asker: db}
	s.Set(other)
	return archive.NewEngine(db, storage.Finished, s), s, other
}

// options are the engine's. The password comes from the environment or from its file.
func (c etcdConfig) options(getenv func(string) string) (etcd.Options, error) {
	o := etcd.Options{Endpoints: c.Endpoints, Prefix: c.Prefix, User: c.User, Lease: c.Lease, Absent: storage.Once,
		MaxOps: c.MaxOps, MaxBytes: c.MaxRequestBytes, Quota: c.QuotaMegabytes << 20}
	if o.Password = getenv("TENGEN_ETCD_PASSWORD"); o.Password == "" && c.PasswordFile != "" {
		text, err := readSecret(c.PasswordFile)
		if err != nil {
			return o, fmt.Errorf("reading the password of etcd: %w", err)
		}
		o.Password = strings.TrimSpace(text)
	}
	if o.User != "" && o.Password == "" {
		return o,
			errors.New("no password for etcd: set TENGEN_ETCD_PASSWORD, or store.etcd.password_file in the configuration")
	}
	var err error
	o.TLS, err = tlsFiles(c.CA, c.Cert, c.Key)
	return o, err
}

// tlsFiles is the TLS of files in PEM; nil where none is named.
func tlsFiles(ca, cert, key string) (*tls.Config, error) {
	if ca == "" && cert == "" {
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if ca != "" {
		pem, err := readRegular(ca, maxSecret)
		if err != nil {
			return nil, fmt.Errorf("reading certificates: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s holds no certificate", ca)
		}
	}
	if cert != "" {
		pair, err := readKeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("reading the certificate: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// readKeyPair is the certificate of two files in PEM.
func readKeyPair(cert, key string) (tls.Certificate, error) {
	c, err := readRegular(cert, maxSecret)
	if err != nil {
		return tls.Certificate{}, err
	}
	k, err := readRegular(key, maxSecret)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(c, k)
}

// checkPlace checks early that the store can be where the configuration puts it. It connects
// to nothing.
func checkPlace(c storeConfig) error {
	switch c.Engine {
	case onEtcd:
		_, err := c.Etcd.options(os.Getenv)
		return err
	case onPg:
		_, err := c.Postgres.options(os.Getenv)
		return err
	}
	folder := filepath.Dir(c.File)
	info, err := os.Stat(folder)
	switch {
	case err != nil:
		return fmt.Errorf("the folder of the store: %w", err)
	case !info.IsDir():
		return fmt.Errorf("the folder of the store: %s is no folder", folder)
	}
	if info, err := os.Stat(c.File); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("the store: %s is not a regular file", c.File)
	}
	probe, err := os.CreateTemp(folder, ".tengen-*")
	if err != nil {
		return fmt.Errorf("the folder of the store cannot be written: %w", err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// etcdFigures are the cluster's for Prometheus, as it was last looked at.
type etcdFigures struct{ db *etcd.DB }

var (
	etcdUp     = figure("tengen_etcd_up", "1 when this endpoint of etcd answered when it was last asked.", "endpoint")
	etcdBytes  = figure("tengen_etcd_bytes", "Bytes of a server's file.", "endpoint")
	etcdInUse  = figure("tengen_etcd_in_use_bytes", "Bytes of a server's file that are in use.", "endpoint")
	etcdQuota  = figure("tengen_etcd_quota_bytes", "Bytes that a server's file may have.")
	etcdAlarms = figure("tengen_etcd_alarms", "Alarms that are raised.")
	etcdSilent = figure("tengen_etcd_silent_seconds", "For how long no server of etcd has answered this process.")
	etcdKept   = figure("tengen_etcd_history_seconds",
		"How old the oldest revision is that is known to be kept; it grows where nobody compacts.")
)

func (f etcdFigures) Describe(c chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{etcdUp, etcdBytes, etcdInUse, etcdQuota, etcdAlarms, etcdSilent, etcdKept} {
		c <- d
	}
}

func (f etcdFigures) Collect(c chan<- prometheus.Metric) {
	h := f.db.Health()
	gauge := gauges(c)
	for _, m := range h.Members {
		up := 0.0
		if m.Err == nil {
			up = 1
			gauge(etcdBytes, float64(m.Size), m.Endpoint)
			gauge(etcdInUse, float64(m.InUse), m.Endpoint)
		}
		gauge(etcdUp, up, m.Endpoint)
	}
	gauge(etcdQuota, float64(h.Quota))
	gauge(etcdAlarms, float64(len(h.Alarms)))
	gauge(etcdSilent, f.db.Silent().Seconds())
	gauge(etcdKept, h.Kept.Round(time.Second).Seconds())
}
