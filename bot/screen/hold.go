package screen

import (
	"context"
	"errors"
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
	"tengen/storage/kv"
)

// Any process answers any member, and so any may come to send for a match. The one that
// answers takes the screen in the transaction of the move itself (storage.Screen.Sender),
// and the owner of the place waits until the answer is given or overdue.

const (
	holdFor  = 3500 * time.Millisecond // Discord takes no answer after three seconds
	holdLook = 50 * time.Millisecond   // how often a waiting sender looks whether the screen is free
)

// Cause is the cause of a change that r asks for: this process is to show it.
func (s *Screens) Cause(r chat.Request) storage.Cause { return s.Claiming(causeOf(r)) }

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

// Claiming is c with this process as the one that shows the change, where there are others.
func (s *Screens) Claiming(c storage.Cause) storage.Cause {
	if !s.House.Alone() {
		c.Sender, c.Until = s.process, s.Now().Add(holdFor)
	}
	return c
}

// Heard is told of a screen as it was just written by somebody.
func (s *Screens) Heard(sc storage.Screen) {
	mine := sc.Sender == s.process // who writes so does the rest himself
	if mine || !sc.Late() && !sc.Anew || !s.House.Owns(chat.Place{Channel: sc.Channel}) {
		return
	}
	s.Tasks.Go(func() {
		rec, err := s.Store.Match(s.Tasks.Life, sc.Match)
		if err != nil || !s.House.Owns(rec.Place) {
			return // takeUp finds it, if there is anything
		}
		s.House.Changed(rec)
		s.refreshOwn(sc.Match, sc.Anew)
	})
}

// hold waits until nobody else sends for the match, here or in another process. The
// caller must call release.
func (s *Screens) hold(ctx context.Context, id game.MatchID) (release func(), err error) {
	here, err := s.HoldHere(ctx, id)
	if err != nil || s.House.Alone() {
		return here, err
	}
	if err := s.claim(ctx, id); err != nil {
		here()
		return nil, err
	}
	s.took(id)
	return func() { s.unclaim(ctx, id); here() }, nil
}

// claim takes the screen from the other processes, once none of them holds it.
func (s *Screens) claim(ctx context.Context, id game.MatchID) error {
	for {
		sc, err := s.Store.Screen(ctx, id)
		switch {
		case errors.Is(err, storage.ErrNotFound):
			return nil
		case err != nil:
			return err
		case sc.Sender == s.process && s.Now().Add(holdFor/2).Before(sc.Until):
			return nil // the change itself took it
		}
		if !sc.Held(s.process, s.Now()) {
			sc, err = s.Store.SetScreen(ctx, id, func(sc storage.Screen) (storage.Screen, error) {
				if now := s.Now(); !sc.Held(s.process, now) {
					sc.Sender, sc.Until = s.process, now.Add(holdFor)
				}
				return sc, nil
			})
			if err != nil || sc.Sender == s.process {
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
func (s *Screens) unclaim(ctx context.Context, id game.MatchID) {
	if !s.gave(id) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_, err := s.Store.SetScreen(ctx, id, func(sc storage.Screen) (storage.Screen, error) {
		if sc.Sender != s.process {
			return sc, errNotOurs
		}
		sc.Sender, sc.Until = 0, time.Time{}
		return sc, nil
	})
	if err != nil && !errors.Is(err, errNotOurs) && !errors.Is(err, storage.ErrNotFound) && !errors.Is(err, kv.ErrFenced) {
		s.Log.Info("screen is given back by its time", "match", view.Name(id), "err", err)
	}
}

var errNotOurs = errors.New("the screen is not held by this process")

// pass leaves a board to its owner: here, or in another process, which hears of it.
func (s *Screens) pass(id game.MatchID, anew bool) {
	rec, err := s.Store.Match(s.Tasks.Life, id)
	if err != nil {
		return
	}
	if s.House.Owns(rec.Place) {
		s.refreshOwn(id, anew)
		return
	}
	_, err = s.Store.SetScreen(s.Tasks.Life, id, func(sc storage.Screen) (storage.Screen, error) {
		if sc.Sender != s.process && (sc.Anew || !anew) {
			return sc, errNotOurs // the owner knows already
		}
		if sc.Sender == s.process {
			sc.Sender, sc.Until = 0, time.Time{}
		}
		sc.Anew = sc.Anew || anew
		return sc, nil
	})
	if err != nil && !errors.Is(err, errNotOurs) && !errors.Is(err, storage.ErrNotFound) && s.Tasks.Life.Err() == nil {
		s.Log.Warn("passing a board on", "match", view.Name(id), "err", err)
	}
}
