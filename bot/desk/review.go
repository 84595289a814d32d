package desk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tengen/ai/review"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/venue"
	"tengen/storage"
	"tengen/storage/kv"
)

// Reviewer makes a review: review.Game, or a test's stand-in for it.
type Reviewer func(ctx context.Context, g game.Game, o review.Options) (review.Review, error)

// reviews are made one at a time, while a worker has nothing to do. The store knows which are
// owed.
type reviews struct {
	list   []game.MatchID // those that wait, the oldest first
	now    game.MatchID   // under way; 0: none
	place  venue.Place
	cancel context.CancelFunc
	done   int // positions
	of     int
}

// Review queues a review that is owed, where this process does the unasked work of its place. It
// tells how far the review is, as Reviewing does.
func (d *Desk) Review(rec storage.Record) (done, of, ahead int) {
	owns := d.House.Owns(rec.Place)
	d.mu.Lock()
	defer d.mu.Unlock()
	if owns {
		d.queueReview(rec.ID)
	}
	done, of, ahead, _ = d.reviewing(rec.ID)
	return done, of, ahead
}

// queueReview needs d.mu.
func (d *Desk) queueReview(id game.MatchID) {
	if !d.closed && !d.knowsReview(id) {
		d.reviews.list = append(d.reviews.list, id)
		d.idle.Broadcast()
	}
}

// knowsReview needs d.mu.
func (d *Desk) knowsReview(id game.MatchID) bool {
	return d.reviews.now == id || slices.Contains(d.reviews.list, id)
}

// Reviewing tells how far a review is: the positions that are done, of how many. ahead is how
// many reviews come before it. ok is false where this process does not make it.
func (d *Desk) Reviewing(id game.MatchID) (done, of, ahead int, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.reviewing(id)
}

// reviewing is Reviewing; it needs d.mu.
func (d *Desk) reviewing(id game.MatchID) (done, of, ahead int, ok bool) {
	if d.reviews.now == id {
		return d.reviews.done, d.reviews.of, 0, true
	}
	ahead = slices.Index(d.reviews.list, id)
	if ahead >= 0 && d.reviews.now != 0 {
		ahead++
	}
	return 0, 0, max(0, ahead), ahead >= 0
}

// Reviews is how many reviews wait or are under way.
func (d *Desk) Reviews() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := len(d.reviews.list)
	if d.reviews.now != 0 {
		n++
	}
	return n
}

// busy reports whether no worker is free for a review. It needs d.mu.
func (d *Desk) busy() bool {
	return len(d.waiting)+len(d.running)+len(d.advice) >= d.Workers
}

// giveWay ends the searches of reviews and studies where turns need their core. It needs d.mu.
func (d *Desk) giveWay() {
	if !d.busy() {
		return
	}
	for end := range d.aside {
		(*end)()
	}
}

// beginSearch waits until a worker is free. Its context ends as soon as turns need the core.
func (d *Desk) beginSearch(ctx context.Context) (context.Context, context.CancelFunc) {
	stop := context.AfterFunc(ctx, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.idle.Broadcast()
	})
	defer stop()
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.busy() && ctx.Err() == nil {
		d.idle.Wait()
	}
	search, cancel := context.WithCancel(ctx)
	d.aside[&cancel] = true
	return search, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.aside, &cancel)
		cancel()
	}
}

// nextReview waits for a review and for a free worker. ok is false once the desk is closed.
func (d *Desk) nextReview() (id game.MatchID, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for (len(d.reviews.list) == 0 || d.busy()) && !d.closed {
		d.idle.Wait()
	}
	if d.closed {
		return 0, false
	}
	id = d.reviews.list[0]
	d.reviews.list = d.reviews.list[1:]
	d.reviews.now = id
	return id, true
}

// reviewAll makes the reviews that are owed, until the desk is closed.
func (d *Desk) reviewAll() {
	for {
		id, ok := d.nextReview()
		if !ok {
			return
		}
		err := d.makeReview(id)
		d.mu.Lock()
		d.reviews = reviews{list: d.reviews.list}
		d.mu.Unlock()
		if err != nil && d.Tasks.Life.Err() == nil {
			d.Metrics.Error("review")
			d.Log.Error("review", "match", view.Name(id), "err", err)
			d.Tasks.Go(func() {
				if d.Tasks.Sleep(d.RetryAfter) {
					d.mu.Lock()
					defer d.mu.Unlock()
					d.queueReview(id)
				}
			})
		}
	}
}

// makeReview makes a review and stores it. It leaves a match alone of which none is owed any
// more.
func (d *Desk) makeReview(id game.MatchID) error {
	rec, err := d.Store.Match(d.Tasks.Life, id)
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	owner, ok := d.House.Under(d.Tasks.Life, rec.Place)
	if !ok {
		return nil // another process makes it
	}
	rec, err = d.Store.TryReview(owner, id)
	if errors.Is(err, storage.ErrNotFound) || errors.Is(err, kv.ErrFenced) {
		return nil
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(d.Tasks.Life)
	defer cancel()
	d.mu.Lock()
	d.reviews.place, d.reviews.cancel = rec.Place, cancel
	d.mu.Unlock()
	made, err := d.review(ctx, rec.Match)
	if ctx.Err() != nil {
		return d.pauseReview(id)
	}
	if err != nil {
		return err
	}
	err = d.Store.PutReview(owner, storage.Review{Match: id, Stamp: rec.Stamp(), Data: review.Pack(made)})
	if errors.Is(err, kv.ErrFenced) {
		return nil
	}
	return err
}

// pauseReview leaves a review for the next process, or for the next owner of its place.
func (d *Desk) pauseReview(id game.MatchID) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(d.Tasks.Life), time.Second)
	defer cancel()
	return d.Store.PauseReview(ctx, id)
}

// review makes a review, and turns a panic into an error.
func (d *Desk) review(ctx context.Context, m game.Match) (made review.Review, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("review panicked: %v", p)
		}
	}()
	return d.MakeReview(ctx, m.Game(), review.Options{Means: d.Means, Opening: view.OpeningOf(m), Begin: d.beginSearch,
		Progress: func(done, of int) {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.reviews.done, d.reviews.of = done, of
		}})
}
