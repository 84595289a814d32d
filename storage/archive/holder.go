package archive

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"tengen/storage/bolt"
	"tengen/storage/kv"
	"tengen/storage/lease"
)

// Swappable is an Archive that hands every call to the one that was set last; to
// Unreachable before Set.
type Swappable struct{ now atomic.Pointer[Archive] }

// Set names the archive that gets the calls from now on.
func (s *Swappable) Set(a Archive) { s.now.Store(&a) }

func (s *Swappable) at() Archive {
	if a := s.now.Load(); a != nil {
		return *a
	}
	return Unreachable{}
}

// Get is Archive.Get.
func (s *Swappable) Get(ctx context.Context, key []byte) ([]byte, error) { return s.at().Get(ctx, key) }

// Scan is Archive.Scan.
func (s *Swappable) Scan(ctx context.Context, from, to []byte, fn func(key, value []byte) bool) error {
	return s.at().Scan(ctx, from, to, fn)
}

// Write is Archive.Write.
func (s *Swappable) Write(ctx context.Context, rows []Row) error { return s.at().Write(ctx, rows) }

// Answerer answers the questions that a Remote asks; etcd.DB is one.
type Answerer interface {
	Asker
	Answer(ctx context.Context, kind string, answer func(question []byte) []byte) error
}

// Holder opens the archive's files while this process holds their lease. Otherwise it asks
// the process that does.
type Holder struct {
	Dir      string // empty: this process never has the files
	Engine   *Engine
	Archive  *Swappable // the archive of Engine
	Remote   Archive    // takes the place of the files while another process has them
	Answerer Answerer
	Leases   lease.Leases
	Options  bolt.Options
	Log      *slog.Logger

	// Known gives the id of the store's archive; a store without one gets the id in the argument. By
	// it the Holder refuses the files of another store and an older copy of its own.
	Known func(ctx context.Context, id string) (string, error)

	Every time.Duration // from one flush to the next; 0: a minute
}

// Run takes its share in the archive until ctx ends.
func (h *Holder) Run(ctx context.Context) {
	if h.Dir == "" {
		<-ctx.Done()
		return
	}
	if h.Every == 0 {
		h.Every = flushEvery
	}
	for ctx.Err() == nil {
		err := h.take(ctx)
		if ctx.Err() != nil {
			return
		}
		h.Log.Error("the archive", "dir", h.Dir, "err", err)
		pause := h.Every
		if !errors.Is(err, errOther) {
			pause = min(pause, 5*time.Second)
		}
		sleep(ctx, pause)
	}
}

// take joins the group that shares the archive, until ctx ends or these files turn out not
// to be the store's archive. Then the archive is left to processes that have its files.
func (h *Holder) take(ctx context.Context) error {
	files, err := OpenFiles(h.Dir, h.Options)
	if err != nil {
		return err
	}
	if err := files.claim(ctx, h.Known); err != nil {
		return err
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var wait sync.WaitGroup
	var stop context.CancelFunc
	lost := func(lease.Share, []int) {
		if stop != nil {
			stop()
			wait.Wait()
			stop = nil
		}
	}
	gained := func(s lease.Share, _ []int) {
		lost(s, nil)
		var life context.Context
		life, stop = context.WithCancel(ctx)
		wait.Go(func() {
			if err := h.serve(life, s); life.Err() == nil {
				fail(err)
			}
		})
	}
	share, err := h.Leases.Join(ctx, lease.Group{Name: Kind, Slots: 1, Lost: lost, Gained: gained})
	if err != nil {
		return err
	}
	<-ctx.Done()
	share.Close()
	return context.Cause(ctx)
}

// serve opens the files, flushes into them and answers other processes until ctx ends.
func (h *Holder) serve(ctx context.Context, share lease.Share) (err error) {
	files, err := OpenFiles(h.Dir, h.Options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, files.Close()) }()
	if err := files.claim(ctx, h.Known); err != nil {
		return err
	}
	defer h.Archive.Set(h.Remote) // before the files are closed
	h.Archive.Set(files)
	h.Log.Info("the archive is here", "dir", h.Dir)
	var wait sync.WaitGroup
	defer wait.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	wait.Go(func() {
		for ctx.Err() == nil {
			under, ok := share.Under(ctx, 0)
			if ok {
				rows, err := h.Engine.flush(under, files)
				if err != nil && ctx.Err() == nil && !errors.Is(err, kv.ErrFenced) {
					h.Log.Warn("finished games stay in the store for now", "err", err)
				} else if rows > 0 {
					h.Log.Info("finished games went to the archive", "rows", rows)
				}
			}
			sleep(ctx, h.Every)
		}
	})
	return h.Answerer.Answer(ctx, Kind, func(question []byte) []byte { return serve(ctx, files, question) })
}

func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
