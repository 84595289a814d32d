package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tengen/bot/metrics"
	"tengen/storage"
	"tengen/storage/bolt"
	"tengen/storage/kv"
	"tengen/storage/lease"
)

// openStore is the engine of a running bot with what an operator sees of it.
type openStore struct {
	kv.Engine
	file    *bolt.DB              // the file; nil: on PostgreSQL
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
	if c.Store.Engine == onPg {
		return hostPg(ctx, c, log, m)
	}
	return hostBolt(ctx, c, log, m)
}

// hostBolt opens the file. Rows that only matter to the running process, the tokens, stay
// out of backups.
func hostBolt(ctx context.Context, c config, log *slog.Logger, m *metrics.Figures) (*openStore, *storage.Store, error) {
	db, err := bolt.Open(ctx, c.Store.File, bolt.Options{Log: log, Name: "tengen run", Socket: c.socket(),
		Backups: c.Store.Backups, AcceptOlder: c.Store.AcceptOlder, Made: c.Store.after(),
		MaxSize: c.Store.MaxMegabytes << 20, Grows: storage.Grows, Omit: storage.Omit, Mark: storage.WipedRow()})
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
	k := &openStore{Engine: db, file: db, name: db.Path(), leases: lease.Alone{}, well: well,
		ready: func() error { return nil }, figures: storeFigures{db}}
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
	if c.Engine == onPg {
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
