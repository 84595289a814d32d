package bot

import (
	"context"
	"errors"
	"slices"
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
	"tengen/storage/kv"
	"tengen/storage/lease"
)

// Several processes may serve one store. Any of them answers any member: what counts is
// the store's transaction. What nobody asked for is done by one of them: channels fall into
// slots, and who holds a slot thinks for the engine there, brings what time brings, and
// sends the boards that no answer shows. All that an owner writes carries the fence of its
// slot, so that one who was paused and wakes up late changes nothing.
//
// Who answers a member takes the match's screen in the transaction of the move itself
// (storage.Screen.Sender), and the owner waits until the answer is given or overdue.
// Owners hear of screens as they are written, and look for what is owed now and then.

const (
	ownSlots  = 64
	ownGroup  = "channels"
	holdFor   = 3500 * time.Millisecond // Discord takes no answer after three seconds
	holdLook  = 50 * time.Millisecond   // how often who waits for a screen looks again
	owedEvery = 2 * time.Second         // how often owners look for what they did not hear of
	aloneFor  = 90 * time.Second        // without a sign of life for this long nobody was there
)

// owns reports whether this process does what nobody asks for in a place.
func (b *Bot) owns(p chat.Place) bool { return b.share.Holds(lease.Of(p.Channel, ownSlots)) }

// under is a context whose changes are made only while this process owns the place.
func (b *Bot) under(ctx context.Context, p chat.Place) (context.Context, bool) {
	return b.share.Under(ctx, lease.Of(p.Channel, ownSlots))
}

// alone reports that no other process can be there.
func (b *Bot) alone() bool { return !b.share.Shared() }

// cause is the cause of what a member asks for, and ours of what nobody asks for: with
// others about, whoever makes the change shows it.
func (b *Bot) cause(r chat.Request) storage.Cause { return b.claiming(causeOf(r)) }

// causeOf is what the store needs of the interaction to apply it once.
func causeOf(r chat.Request) storage.Cause {
	c := storage.Cause{Interaction: r.ID, At: r.At}
	if !r.Private { // the token of a private message is nothing for a board
		c.Token, c.Expires = r.Token, r.At.Add(chat.TokenLife)
	}
	if r.Kind.Component() || r.Kind == chat.Submit {
		c.Message = r.Message
	}
	return c
}

func (b *Bot) claiming(c storage.Cause) storage.Cause {
	if !b.alone() {
		c.Sender, c.Until = b.process, b.now().Add(holdFor)
	}
	return c
}

// join begins to share the work with the other processes.
func (b *Bot) join(ctx context.Context) error {
	share, err := b.leases.Join(ctx, lease.Group{Name: ownGroup, Slots: ownSlots, Gained: b.gained, Lost: b.lost})
	if err != nil {
		return err
	}
	b.share = share
	close(b.joined)
	return nil
}

// gained takes up what is owed in slots that are ours now.
func (b *Bot) gained(s lease.Share, slots []int) {
	if !s.Shared() {
		return // Start takes up everything
	}
	b.log.Info("slots", "gained", len(slots))
	b.tasks.Go(func() {
		<-b.joined
		if slices.Contains(slots, 0) {
			b.afterSilence()
		}
		b.takeUp(true)
	})
}

// lost ends the searches in places that are no longer ours.
func (b *Bot) lost(_ lease.Share, slots []int) {
	b.log.Info("slots", "lost", len(slots))
	b.desk.Leave(func(p chat.Place) bool { return slices.Contains(slots, lease.Of(p.Channel, ownSlots)) })
}

// afterSilence gives clocks the time back for which no process was there.
func (b *Bot) afterSilence() {
	now := b.now()
	ctx, ok := b.share.Under(b.tasks.Life, 0)
	down, err := b.store.Down(ctx, now)
	if err == nil && ok && down > aloneFor {
		err = b.postpone(ctx, down, now)
	}
	if err != nil && b.tasks.Life.Err() == nil {
		b.log.Error("after silence", "err", err)
	}
}

// takeUp looks for turns that the engine owes in our places, and with late for boards
// that are behind.
func (b *Bot) takeUp(late bool) {
	owed, err := b.store.Owed(b.tasks.Life)
	if err != nil {
		b.troubled("owed turns", err)
		return
	}
	for _, w := range owed {
		if b.desk.Knows(w.Match) {
			continue
		}
		if rec, err := b.store.Match(b.tasks.Life, w.Match); err == nil && b.owns(rec.Place) {
			b.changed(rec)
		}
	}
	if late {
		b.retryLate(b.now())
	}
}

func (b *Bot) troubled(what string, err error) {
	if b.tasks.Life.Err() == nil {
		b.met.Error("sweep")
		b.log.Error(what, "err", err)
	}
}

// listen hears of screens that other processes write, until the bot ends. What was written
// while nobody listened is looked for once it listens again, and not before.
func (b *Bot) listen() {
	for {
		b.tasks.Go(func() {
			if b.tasks.Sleep(time.Second) {
				b.takeUp(true)
			}
		})
		err := b.store.Watch(b.tasks.Life, b.heard)
		if b.tasks.Life.Err() != nil || errors.Is(err, kv.ErrNoWatch) {
			return
		}
		b.log.Info("listening again", "err", err)
		if !b.tasks.Sleep(time.Second) {
			return
		}
	}
}

// heard is told of a screen as it was just written by somebody.
func (b *Bot) heard(sc storage.Screen) {
	mine := sc.Sender == b.process // who writes so does the rest himself
	if mine || !sc.Late() && !sc.Anew || !b.owns(chat.Place{Channel: sc.Channel}) {
		return
	}
	b.tasks.Go(func() {
		rec, err := b.store.Match(b.tasks.Life, sc.Match)
		if err != nil || !b.owns(rec.Place) {
			return // takeUp finds it, if there is anything
		}
		b.changed(rec)
		b.refreshOwn(sc.Match, sc.Anew)
	})
}

// hold waits until nobody else sends for the match, here or in another process. The
// caller must call release.
func (b *Bot) hold(ctx context.Context, id game.MatchID) (release func(), err error) {
	here, err := b.screens.hold(ctx, id)
	if err != nil || b.alone() {
		return here, err
	}
	if err := b.claim(ctx, id); err != nil {
		here()
		return nil, err
	}
	b.screens.took(id)
	return func() { b.unclaim(ctx, id); here() }, nil
}

// claim takes the screen from the other processes, once none of them holds it.
func (b *Bot) claim(ctx context.Context, id game.MatchID) error {
	for {
		sc, err := b.store.Screen(ctx, id)
		switch {
		case errors.Is(err, storage.ErrNotFound):
			return nil
		case err != nil:
			return err
		case sc.Sender == b.process && b.now().Add(holdFor/2).Before(sc.Until):
			return nil // the change itself took it
		}
		if !sc.Held(b.process, b.now()) {
			sc, err = b.store.SetScreen(ctx, id, func(sc storage.Screen) (storage.Screen, error) {
				if now := b.now(); !sc.Held(b.process, now) {
					sc.Sender, sc.Until = b.process, now.Add(holdFor)
				}
				return sc, nil
			})
			if err != nil || sc.Sender == b.process {
				return err
			}
		}
		t := time.NewTimer(holdLook)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return ctx.Err()
		}
	}
}

// unclaim gives the screen back, unless that was done with what was shown.
func (b *Bot) unclaim(ctx context.Context, id game.MatchID) {
	if !b.screens.gave(id) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_, err := b.store.SetScreen(ctx, id, func(sc storage.Screen) (storage.Screen, error) {
		if sc.Sender != b.process {
			return sc, errNotOurs
		}
		sc.Sender, sc.Until = 0, time.Time{}
		return sc, nil
	})
	if err != nil && !errors.Is(err, errNotOurs) && !errors.Is(err, storage.ErrNotFound) && !errors.Is(err, kv.ErrFenced) {
		b.log.Info("screen is given back by its time", "match", view.Name(id), "err", err)
	}
}

var errNotOurs = errors.New("the screen is not held by this process")

// pass leaves a board to its owner: here, or in another process, which hears of it.
func (b *Bot) pass(id game.MatchID, anew bool) {
	rec, err := b.store.Match(b.tasks.Life, id)
	if err != nil {
		return
	}
	if b.owns(rec.Place) {
		b.refreshOwn(id, anew)
		return
	}
	_, err = b.store.SetScreen(b.tasks.Life, id, func(sc storage.Screen) (storage.Screen, error) {
		if sc.Sender != b.process && (sc.Anew || !anew) {
			return sc, errNotOurs // the owner knows already
		}
		if sc.Sender == b.process {
			sc.Sender, sc.Until = 0, time.Time{}
		}
		sc.Anew = sc.Anew || anew
		return sc, nil
	})
	if err != nil && !errors.Is(err, errNotOurs) && !errors.Is(err, storage.ErrNotFound) && b.tasks.Life.Err() == nil {
		b.log.Warn("passing a board on", "match", view.Name(id), "err", err)
	}
}
