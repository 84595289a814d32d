package screen

import (
	"context"
	"errors"
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/tasks"
	"tengen/storage"
	"tengen/storage/kv"
)

// Any process may answer any member, and so any process may have to send for a match. The process
// that answers takes the screen in the transaction of the move itself (storage.Screen.Sender).
// The owner of the place waits until the answer is given or overdue.

const (
	holdFor  = 3500 * time.Millisecond // Discord takes no answer after three seconds
	holdPoll = 50 * time.Millisecond   // how often a waiting sender checks whether the screen is free
)

// Cause is the cause of a change that r asks for. This process is to show the change.
func (s *Screens) Cause(r chat.Request) storage.Cause { return s.Claiming(causeOf(r)) }

// causeOf is what the store needs of an interaction to apply it only once.
func causeOf(r chat.Request) storage.Cause {
	c := storage.Cause{Interaction: r.ID, At: r.At, By: r.By, Outside: !r.Installed, Reads: r.Installed && r.Allowed.Read}
	if !r.Private { // the token of a private message cannot show a board to all
		c.Token, c.Expires = r.Token, r.At.Add(chat.TokenLife)
		c.Second = FollowUp(c.Token) // the interaction's own answer is the board before
	}
	if r.Kind.Component() || r.Kind == chat.Submit {
		c.Message = r.Message
	}
	return c
}

// Claiming is c, and names this process as the one that shows the change, where there are other
// processes.
func (s *Screens) Claiming(c storage.Cause) storage.Cause {
	if !s.House.Alone() {
		c.Sender, c.Until = s.process, s.Now().Add(holdFor)
	}
	return c
}

// Heard takes a screen that some process has just written.
func (s *Screens) Heard(sc storage.Screen) {
	mine := sc.Sender == s.process // the writer itself sends the board
	if !s.House.Owns(venue.Place{Channel: sc.Channel}) {
		return
	}
	s.plan(sc)
	if mine || !sc.Late() && !sc.Anew && !sc.CallDue(s.Now()) {
		return
	}
	s.Tasks.Go(func() {
		rec, err := s.Store.Match(s.Tasks.Life, sc.Match)
		if err != nil || !s.House.Owns(rec.Place) {
			return // the bot's regular search finds a board that is still behind
		}
		s.House.Changed(rec)
		s.refreshOwn(sc.Match, sc.Anew)
	})
}

// hold waits until nothing else sends for the match, in this process or in another. The caller
// must call release.
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
			return nil // taken with the change itself
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
		if err := tasks.Sleep(ctx, holdPoll); err != nil {
			return err
		}
	}
}

// unclaim gives the screen back, unless shown has done so already.
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
		s.Log.Info("screen not given back: it expires by itself", "match", view.Name(id), "err", err)
	}
}

var errNotOurs = errors.New("the screen is not held by this process")

// pass leaves a board to the owner of its place: this process, or another one, which hears of it
// through the store.
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
		s.Log.Warn("passing a board to its owner", "match", view.Name(id), "err", err)
	}
}
