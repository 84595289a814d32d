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

// Swappable is an Archive that is another one from time to time: Away at first.
type Swappable struct{ now atomic.Pointer[Archive] }

// Set makes it another archive.
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

// Answerer answers the questions of Elsewhere: storage/etcd does.
type Answerer interface {
	Asker
	Answer(ctx context.Context, kind string, answer func(question []byte) []byte) error
}

// Keeper has the archive's files while this process is the one of them that holds the
// lease for it, and asks the one that does otherwise.
type Keeper struct {
	Dir      string // empty: this process never has the files
	Engine   *Engine
	Archive  *Swappable // the archive of Tier
	Remote   Archive    // what it is while another process has the files
	Answerer Answerer
	Leases   lease.Leases
	Options  bolt.Options
	Log      *slog.Logger

	// Known gives the mark that the store has, and sets the one that it is given where there
	// is none: the files of another store, or an older copy of them elsewhere, are not
	// taken for the archive.
	Known func(ctx context.Context, mark string) (string, error)

	Every time.Duration // between two drains; 0: DrainEvery
}

// Run does what a keeper does until ctx ends.
func (k *Keeper) Run(ctx context.Context) {
	if k.Dir == "" {
		<-ctx.Done()
		return
	}
	if k.Every == 0 {
		k.Every = DrainEvery
	}
	for ctx.Err() == nil {
		err := k.take(ctx)
		if ctx.Err() != nil {
			return
		}
		k.Log.Error("the archive", "dir", k.Dir, "err", err)
		pause := k.Every
		if !errors.Is(err, errOther) {
			pause = min(pause, 5*time.Second)
		}
		sleep(ctx, pause)
	}
}

// take shares in the archive until ctx ends or these files cannot be it: then it is left to
// others that have some.
func (k *Keeper) take(ctx context.Context) error {
	files, err := OpenFiles(k.Dir, k.Options)
	if err != nil {
		return err
	}
	if err := files.claim(ctx, k.Known); err != nil {
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
			if err := k.serve(life, s); life.Err() == nil {
				fail(err)
			}
		})
	}
	share, err := k.Leases.Join(ctx, lease.Group{Name: Kind, Slots: 1, Lost: lost, Gained: gained})
	if err != nil {
		return err
	}
	<-ctx.Done()
	share.Close()
	return context.Cause(ctx)
}

// serve has the files until ctx ends.
func (k *Keeper) serve(ctx context.Context, share lease.Share) (err error) {
	files, err := OpenFiles(k.Dir, k.Options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, files.Close()) }()
	if err := files.claim(ctx, k.Known); err != nil {
		return err
	}
	defer k.Archive.Set(k.Remote) // before the files are closed
	k.Archive.Set(files)
	k.Log.Info("the archive is here", "dir", k.Dir)
	var wait sync.WaitGroup
	defer wait.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	wait.Go(func() {
		for ctx.Err() == nil {
			under, ok := share.Under(ctx, 0)
			if ok {
				rows, err := k.Engine.drain(under, files)
				if err != nil && ctx.Err() == nil && !errors.Is(err, kv.ErrFenced) {
					k.Log.Warn("finished games stay in the store for now", "err", err)
				} else if rows > 0 {
					k.Log.Info("finished games went to the archive", "rows", rows)
				}
			}
			sleep(ctx, k.Every)
		}
	})
	return k.Answerer.Answer(ctx, Kind, func(question []byte) []byte { return Serve(ctx, files, question) })
}

func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
