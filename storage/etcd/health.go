package etcd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"tengen/storage/kv"
)

// Health is how the cluster was when it was last looked at.
type Health struct {
	At      time.Time
	Members []Member // in the order of the endpoints
	Alarms  []string // such as NOSPACE, while they are raised
	Quota   int64    // bytes that a member's file may have

	// Kept is the age of the oldest revision that the servers are known to keep. Where
	// nobody compacts, the history of all rows fills the members.
	Kept time.Duration
}

// Member is one server of the cluster.
type Member struct {
	Endpoint    string
	Err         error // it did not answer; the rest is zero then
	Size, InUse int64 // bytes of its file
	Leads       bool
}

const (
	healthEvery = 30 * time.Second
	keptTooLong = 30 * time.Minute // servers compact each five minutes where they are told to
	nearlyFull  = 0.8              // of the quota
	noNewGames  = 0.95
)

// Trouble tells in words what an operator must act on; nil for nothing.
func (h Health) Trouble() (all []string) {
	down := 0
	for _, m := range h.Members {
		if m.Err != nil {
			down++
			all = append(all, "no answer from "+m.Endpoint)
		}
	}
	for _, a := range h.Alarms {
		all = append(all, "alarm "+a+": "+alarmAdvice(a))
	}
	if full := h.full(); full >= nearlyFull && h.Quota > 0 {
		all = append(all, fmt.Sprintf("the servers' files are at %.0f%% of their quota: compact and defragment them, "+
			"or raise --quota-backend-bytes", 100*full))
	}
	if h.Kept > keptTooLong {
		all = append(all, "nobody compacts the history: start the servers with --auto-compaction-retention=5m")
	}
	return all
}

func alarmAdvice(a string) string {
	if a == "NOSPACE" {
		return "nothing can be stored until the servers are compacted, defragmented and the alarm disarmed"
	}
	return "a server's data is damaged: replace that member"
}

// full is the part of the quota that the fullest member has used.
func (h Health) full() float64 {
	size := int64(0)
	for _, m := range h.Members {
		size = max(size, m.Size)
	}
	return float64(size) / float64(max(h.Quota, 1))
}

// Well is nil while most members answer and there is no alarm.
func (h Health) Well() error {
	down := 0
	for _, m := range h.Members {
		if m.Err != nil {
			down++
		}
	}
	switch {
	case h.At.IsZero():
		return errors.New("etcd was not looked at yet")
	case 2*down >= len(h.Members) && len(h.Members) > 1 || down > 0 && len(h.Members) == 1:
		return fmt.Errorf("%d of %d endpoints of etcd do not answer", down, len(h.Members))
	case len(h.Alarms) > 0:
		return fmt.Errorf("etcd has raised the alarm %s", strings.Join(h.Alarms, ", "))
	}
	return nil
}

func (db *DB) answered() { db.heard.Store(int64(time.Since(db.opened))) }

// Silent is for how long no server has answered. A process that has joined a group asks
// every half second.
func (db *DB) Silent() time.Duration { return time.Since(db.opened) - time.Duration(db.heard.Load()) }

// watch holds what this process knows of the cluster's health.
type watch struct {
	mu   sync.Mutex
	last Health
	seen []moment // when each revision was the newest, oldest first
}

type moment struct {
	revision int64
	at       time.Time
}

// Health gives what was last seen.
func (db *DB) Health() Health {
	db.watch.mu.Lock()
	defer db.watch.mu.Unlock()
	return db.watch.last
}

// Room is kv.ErrFull when the servers are nearly full: running matches may go on, and no
// new ones should begin.
func (db *DB) Room() error {
	h := db.Health()
	if h.full() >= noNewGames || slices.Contains(h.Alarms, "NOSPACE") {
		return kv.ErrFull
	}
	return nil
}

// KeepWatch checks the cluster's health until ctx ends, and logs what has changed.
func (db *DB) KeepWatch(ctx context.Context, log *slog.Logger) {
	var said []string
	for {
		h := db.CheckHealth(ctx)
		if ctx.Err() != nil {
			return
		}
		trouble := h.Trouble()
		for _, what := range trouble {
			if !slices.Contains(said, what) {
				log.Warn("etcd", "trouble", what)
			}
		}
		if len(trouble) == 0 && len(said) > 0 {
			log.Info("etcd is well again")
		}
		said = trouble
		t := time.NewTimer(healthEvery)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return
		}
	}
}

// CheckHealth asks every member how it is.
func (db *DB) CheckHealth(ctx context.Context) Health {
	h := Health{Quota: db.options.Quota, Members: make([]Member, len(db.options.Endpoints))}
	revision := int64(0)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i, endpoint := range db.options.Endpoints {
		wg.Go(func() {
			m := Member{Endpoint: endpoint}
			try, cancel := context.WithTimeout(ctx, 2*db.options.Try)
			defer cancel()
			s, err := db.client.Status(try, endpoint)
			mu.Lock()
			defer mu.Unlock()
			if m.Err = err; err == nil {
				m.Size, m.InUse, m.Leads = s.DbSize, s.DbSizeInUse, s.Leader == s.Header.MemberId
				revision = max(revision, s.Header.Revision)
				if s.DbSizeQuota > 0 { // servers from 3.6 on tell
					h.Quota = s.DbSizeQuota
				}
			}
			h.Members[i] = m
		})
	}
	wg.Wait()
	try, cancel := context.WithTimeout(ctx, 2*db.options.Try)
	defer cancel()
	if alarms, err := db.client.AlarmList(try); err == nil {
		for _, a := range alarms.Alarms {
			if name := a.Alarm.String(); a.Alarm != etcdserverpb.AlarmType_NONE && !slices.Contains(h.Alarms, name) {
				h.Alarms = append(h.Alarms, name)
			}
		}
	}
	now := time.Now()
	h.At, h.Kept = now, db.kept(try, revision, now)
	db.watch.mu.Lock()
	db.watch.last = h
	db.watch.mu.Unlock()
	return h
}

// kept is the age of the oldest revision in watch.seen that the servers can still read.
func (db *DB) kept(ctx context.Context, newest int64, now time.Time) time.Duration {
	w := &db.watch
	w.mu.Lock()
	if newest > 0 {
		w.seen = append(w.seen, moment{newest, now})
	}
	// A list that is too long drops its second entry: the first one tells the age.
	if most := int(2 * keptTooLong / healthEvery); len(w.seen) > most {
		w.seen = slices.Delete(w.seen, 1, 2)
	}
	seen := slices.Clone(w.seen)
	w.mu.Unlock()
	for i, m := range seen {
		_, err := db.client.Get(ctx, db.keys.gone(0), clientv3.WithRev(m.revision), clientv3.WithKeysOnly())
		if errors.Is(err, rpctypes.ErrCompacted) {
			continue
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.seen = slices.DeleteFunc(w.seen, func(o moment) bool { return o.revision < m.revision })
		if err != nil || i+1 == len(seen) {
			return 0
		}
		return now.Sub(m.at)
	}
	return 0
}
