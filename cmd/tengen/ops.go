package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"tengen/bot/metrics"
	"tengen/storage"
	"tengen/storage/bolt"
	"tengen/storage/kv"
)

// health is what /healthz and /readyz look at.
type health struct {
	store   *openStore
	discord interface {
		Up() bool        // every connection of this process is there
		Connected() bool // at least one is
	}

	mu    sync.Mutex
	apart time.Time // since when the process has no connection; zero: it has one
}

// apartLimit is how long a process may be without any connection to Discord. It takes a
// while where other processes identify first, or Discord is away.
const apartLimit = 10 * time.Minute

// well is nil while the process does what it is there for: it reaches its store, can
// write, and has not been without Discord for long. Otherwise a restart may help.
func (h *health) well() error { return errors.Join(h.store.well(), h.connected(time.Now())) }

func (h *health) connected(now time.Time) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.discord.Connected():
		h.apart = time.Time{}
	case h.apart.IsZero():
		h.apart = now
	case now.Sub(h.apart) > apartLimit:
		return fmt.Errorf("without a connection to Discord for %v", now.Sub(h.apart).Round(time.Second))
	}
	return nil
}

// ready is nil while members are served.
func (h *health) ready() error {
	if err := errors.Join(h.well(), h.store.ready()); err != nil {
		return err
	}
	if !h.discord.Up() {
		return errors.New("not connected to Discord")
	}
	return nil
}

// ops are the servers for the operator.
type ops struct {
	servers []*http.Server
	wait    sync.WaitGroup
}

// serveOps starts the servers that the configuration asks for. An address that cannot be
// taken is an error at once.
func serveOps(c opsConfig, registry *prometheus.Registry, h *health, log *slog.Logger) (*ops, error) {
	//lint:ignore SA1019 package collectors, which has them now, brings database/sql along
	registry.MustRegister(prometheus.NewGoCollector(), prometheus.NewProcessCollector(prometheus.ProcessCollectorOpts{}),
		h.store.figures, buildInfo())
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", answerBy(h.well))
	mux.HandleFunc("GET /readyz", answerBy(h.ready))
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	o := &ops{}
	for _, s := range []struct {
		what, address string
		handler       http.Handler
	}{{"operations", c.Address, mux}, {"profiler", c.Pprof, profiler()}} {
		if s.address == "" {
			continue
		}
		l, err := net.Listen("tcp", s.address)
		if err != nil {
			o.close()
			return nil, fmt.Errorf("%s address: %w", s.what, err)
		}
		log.Info("listening", "for", s.what, "address", l.Addr().String())
		server := &http.Server{Handler: s.handler, ReadHeaderTimeout: 5 * time.Second}
		o.servers = append(o.servers, server)
		o.wait.Go(func() { server.Serve(l) })
	}
	return o, nil
}

// close ends the servers; a request under way gets a second.
func (o *ops) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	for _, s := range o.servers {
		if s.Shutdown(ctx) != nil {
			s.Close()
		}
	}
	o.wait.Wait()
}

// answerBy answers 200, or 503 with the reason.
func answerBy(check func() error) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		if err := check(); err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprintln(w, err)
			return
		}
		fmt.Fprintln(w, "ok, tengen", version())
	}
}

// metered is a store whose transactions the metrics count and time.
type metered struct {
	kv.Engine
	metrics *metrics.Figures
}

func (m metered) Update(ctx context.Context, fn func(kv.Tx) error) error {
	began, asked := time.Now(), false
	err := m.Engine.Update(ctx, func(tx kv.Tx) error {
		asked = false
		err := fn(tx)
		asked = err != nil
		return err
	})
	// An error of the caller's own function is a refusal, not a failure of the store.
	m.metrics.Commit(time.Since(began), err != nil && !asked)
	return err
}

// Watch tells of the changes that others make.
func (m metered) Watch(ctx context.Context, from, to []byte, fn func(key, value []byte)) error {
	if w, ok := m.Engine.(kv.Watcher); ok {
		return w.Watch(ctx, from, to, fn)
	}
	return kv.ErrNoWatch
}

// Room lets a full store refuse new games.
func (m metered) Room() error {
	if r, ok := m.Engine.(interface{ Room() error }); ok {
		return r.Room()
	}
	return nil
}

// storeFigures are the store's sizes for Prometheus.
type storeFigures struct{ db *bolt.DB }

var (
	storeBytes  = figure("tengen_store_bytes", "Bytes of the store's file.")
	storeFree   = figure("tengen_store_free_bytes", "Bytes of the store's file that are free.")
	storeLimit  = figure("tengen_store_limit_bytes", "Bytes that the store's file may have.")
	diskFree    = figure("tengen_disk_free_bytes", "Bytes free on the store's disk.")
	backupAge   = figure("tengen_backup_age_seconds", "Age of the newest backup.")
	backupFails = figure("tengen_backup_failures_total", "Backups that failed, and rotations.")
	backupLate  = figure("tengen_backup_overdue_seconds",
		"For how long no backup has come, once two are due; else 0.")
	storeBroken = figure("tengen_store_broken", "1 when nothing can be written any more.")
)

// buildInfo says by its labels which program runs.
func buildInfo() prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "tengen_build_info", Help: "1, with the running program.",
		ConstLabels: prometheus.Labels{"version": version(), "rows": storage.RowsOf(), "go": runtime.Version()}},
		func() float64 { return 1 })
}

func figure(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

// gauges sends values of the present.
func gauges(c chan<- prometheus.Metric) func(d *prometheus.Desc, v float64, labels ...string) {
	return func(d *prometheus.Desc, v float64, labels ...string) {
		c <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
}

func (f storeFigures) Describe(c chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{storeBytes, storeFree, storeLimit, diskFree, backupAge, backupFails,
		backupLate, storeBroken} {
		c <- d
	}
}

func (f storeFigures) Collect(c chan<- prometheus.Metric) {
	s, _ := f.db.Status() // a folder of backups that cannot be read is among the failures
	gauge := gauges(c)
	gauge(storeBytes, float64(s.Size))
	gauge(storeFree, float64(s.Free))
	gauge(storeLimit, float64(s.Limit))
	if s.Disk >= 0 {
		gauge(diskFree, float64(s.Disk))
	}
	if !s.Backup.IsZero() {
		gauge(backupAge, time.Since(s.Backup).Seconds())
	}
	c <- prometheus.MustNewConstMetric(backupFails, prometheus.CounterValue, float64(s.BackupFailures))
	gauge(backupLate, s.BackupOverdue.Seconds())
	broken := 0.0
	if s.Broken != nil {
		broken = 1
	}
	gauge(storeBroken, broken)
}
