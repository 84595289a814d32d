package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tengen/bot/metrics"
	"tengen/internal/tasks"
	"tengen/storage"
	"tengen/storage/pg"
)

// hostPg opens the schema on PostgreSQL. It waits for servers that do not answer, since after a loss of power the bots
// may be there before them, and for older programs that have a schema open which must be raised.
func hostPg(ctx context.Context, c config, log *slog.Logger, m *metrics.Figures) (*openStore, *storage.Store, error) {
	o, err := c.Store.Postgres.options(os.Getenv)
	if err != nil {
		return nil, nil, err
	}
	o.Announce = storage.Announcement()
	for limit := 4 * time.Second; ; limit = min(2*limit, 30*time.Second) {
		try, cancel := context.WithTimeout(ctx, limit)
		k, store, err := openPg(try, c, o, log, m)
		cancel()
		if err == nil || ctx.Err() != nil || !pg.Unreachable(err) {
			return k, store, err
		}
		log.Warn("PostgreSQL is not ready: trying again", "error", err)
		if err := tasks.Sleep(ctx, time.Second); err != nil {
			return nil, nil, err
		}
	}
}

func openPg(ctx context.Context, c config, o pg.Options, log *slog.Logger,
	m *metrics.Figures) (*openStore, *storage.Store, error) {
	db, err := pg.Open(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	k := &openStore{Engine: db, name: c.Store.place(), leases: db, figures: pgFigures{db},
		ready: func() error { return heard(db, serversAway) },
		care:  db.KeepHearing}
	store, err := storage.Open(ctx, metered{db, m}, storage.Options{Limits: c.limits(), Program: rowsVersion(), Log: log,
		Peers: db.Processes, Node: rand.IntN(1024), // two of the same number only have to look for free ids
		BeforeMigration: func(from, to int) error {
			log.Info("the store is brought up to date", "from", from, "to", to)
			return nil // a backup of the database is the operator's, docs/scaling.md
		}})
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	k.well = func() error { return errors.Join(heard(db, serversDead), store.Outdated()) }
	return k, store, nil
}

// How long the servers may be silent: a standby takes over after some seconds.
const (
	serversAway = 5 * time.Second  // until other processes had better take the requests
	serversDead = 10 * time.Second // until this process is of no use
)

func heard(db *pg.DB, limit time.Duration) error {
	if silent := db.Silent(); silent > limit {
		return fmt.Errorf("PostgreSQL has not answered for %v", silent.Round(time.Second))
	}
	return nil
}

// options are the engine's. The password comes from the environment, from its file, or as PostgreSQL's
// programs find it.
func (c pgConfig) options(getenv func(string) string) (pg.Options, error) {
	o := pg.Options{Address: c.Address, Schema: c.Schema, Connections: c.Connections, Lease: c.Lease,
		Absent: storage.Once, Password: getenv("TENGEN_POSTGRES_PASSWORD")}
	if o.Password == "" && c.PasswordFile != "" {
		text, err := readSecret(c.PasswordFile)
		if err != nil {
			return o, fmt.Errorf("reading the password of PostgreSQL: %w", err)
		}
		o.Password = strings.TrimSpace(text)
	}
	return o, o.Check()
}

// pgFigures are those of the connection to PostgreSQL for Prometheus.
type pgFigures struct{ db *pg.DB }

var (
	pgSilent      = figure("tengen_postgres_silent_seconds", "For how long PostgreSQL has not answered this process.")
	pgBytes       = figure("tengen_postgres_bytes", "Bytes of the tables, with their indexes.")
	pgSynchronous = figure("tengen_postgres_synchronous", "1 when a commit waits for a standby.")
	pgReruns      = figure("tengen_postgres_reruns_total", "Transactions that ran again, each time counted.")
	pgSettled     = figure("tengen_postgres_settled_total", "Commits without an answer, which were looked for.")
	pgInUse       = figure("tengen_postgres_connections", "Connections at work.")
	pgWaits       = figure("tengen_postgres_waits_total", "Requests that waited for a connection.")
	pgWaited      = figure("tengen_postgres_waited_seconds_total", "For how long these waited.")
)

func (f pgFigures) Describe(c chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{pgSilent, pgBytes, pgSynchronous, pgReruns, pgSettled, pgInUse, pgWaits,
		pgWaited} {
		c <- d
	}
}

func (f pgFigures) Collect(c chan<- prometheus.Metric) {
	s := f.db.Status(context.Background())
	gauge := gauges(c)
	gauge(pgSilent, f.db.Silent().Round(time.Millisecond).Seconds())
	gauge(pgInUse, float64(s.InUse))
	if s.Answered {
		synchronous := 0.0
		if s.Synchronous {
			synchronous = 1
		}
		gauge(pgBytes, float64(s.Bytes))
		gauge(pgSynchronous, synchronous)
	}
	for d, v := range map[*prometheus.Desc]float64{pgReruns: float64(s.Reruns), pgSettled: float64(s.Settled),
		pgWaits: float64(s.Waits), pgWaited: s.Waited.Seconds()} {
		c <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v)
	}
}

// pgPrefix begins the name of a place that is on PostgreSQL: pg:ADDRESS, with the schema after a #.
const pgPrefix = "pg:"

// pgPlace is how pg:ADDRESS#SCHEMA is reached.
func pgPlace(place string) pg.Options {
	address, schema, _ := strings.Cut(strings.TrimPrefix(place, pgPrefix), "#")
	return pg.Options{Address: address, Schema: schema}
}

// placeName is how a command calls the store that it was given: a password may stand in an address.
func placeName(place string) string {
	if strings.HasPrefix(place, pgPrefix) {
		return "PostgreSQL at " + pgPlace(place).Place()
	}
	return place
}

// openPlace opens pg:ADDRESS#SCHEMA for a command.
func (f pgFlags) openPlace(ctx context.Context, place string) (*pg.DB, error) {
	o := pgPlace(place)
	o.Password, o.Announce = f.PgPassword, storage.Announcement()
	return pg.Open(ctx, o)
}

// pgFlags say how a store on PostgreSQL is reached.
type pgFlags struct {
	PgPassword string `env:"TENGEN_POSTGRES_PASSWORD" placeholder:"WORD" help:"Password of PostgreSQL; better in the environment."`
}
