package screen

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

// A member who is away is called when a match waits for them: by a short message that links the
// board, which goes away when they act, or by the board itself in a new message. Whom a match
// waits for, and who was called, follows from storage.Screen. A short call is noted with a nonce
// before it is sent, so that after a crash it is found instead of sent again.

// Calls is when a member wants to be called.
type Calls uint8

// The choices.
const (
	WhenAway Calls = iota // once they have done nothing in the match for two minutes
	Always                // whenever the match waits for them
	Never
)

// nonceLife is for how long a nonce finds the message that was posted with it. Discord checks
// nonces of "the past few minutes".
const nonceLife = 2 * time.Minute

// nonce is a new nonce: the lower half of the time in ms, so that its age can be told.
func (s *Screens) nonce() uint32 { return max(uint32(s.Now().UnixMilli()), 1) }

// old reports whether a nonce no longer finds its message.
func old(nonce uint32, now time.Time) bool {
	return time.Duration(uint32(now.UnixMilli())-nonce)*time.Millisecond > nonceLife
}

// current reports whether a screen is of the match as rec has it: nothing has changed since.
func current(rec storage.Record, sc storage.Screen) bool {
	return sc.Wanted == rec.Version && sc.Channel == rec.Place.Channel
}

// callee gives the seat whose member is to be called now. due is false where nobody is.
func (s *Screens) callee(ctx context.Context, rec storage.Record, sc storage.Screen) (seat int, due bool, err error) {
	seat, away, ok := sc.Callee(rec.Match, s.Now())
	if !ok {
		return 0, false, nil
	}
	calls, err := s.House.Calls(ctx, rec, seat)
	away = away || s.Sabotage.CallNow
	return seat, err == nil && (away && calls == WhenAway || calls == Always), err
}

// leaveAlone notes of a member who is away and wants no calls that there is nothing to do.
func (s *Screens) leaveAlone(ctx context.Context, rec storage.Record, sc storage.Screen) (storage.Screen, error) {
	seat, away, ok := sc.Callee(rec.Match, s.Now())
	if !ok || !away {
		return sc, nil
	}
	return s.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen {
		if !current(rec, sc) || sc.Call.InDoubt() {
			return sc
		}
		return sc.Calling(rec.Match, seat, 0)
	})
}

// calling is the board of a match, calling the member in a seat.
func (s *Screens) calling(ctx context.Context, rec storage.Record, seat int) chat.Message {
	msg := s.paint(ctx, rec, view.PadFor(rec.Match))
	msg.Mention = rec.Seats[seat].Member
	return msg
}

// mentioned gives the member whom a board that is being posted mentions: who is called by it, or
// is to be reminded.
func (s *Screens) mentioned(ctx context.Context, rec storage.Record, sc storage.Screen) (game.MemberID, bool) {
	seat := int(sc.Call.Seat) - 1
	if !sc.Calls || seat < 0 {
		if rec.Phase != game.Playing || !rec.Reminded {
			return 0, false
		}
		if seat = rec.ToMove(); rec.Seats[seat].Kind != game.MemberSeat {
			return 0, false
		}
		if calls, err := s.House.Calls(ctx, rec, seat); err != nil || calls == Never {
			return 0, false
		}
	}
	return rec.Seats[seat].Member, rec.Seats[seat].Member != 0
}

// call sends a short message that calls the member in a seat.
func (s *Screens) call(ctx context.Context, rec storage.Record, sc storage.Screen, seat int) (storage.Screen, error) {
	if sc.Message == 0 || sc.Call.InDoubt() {
		return sc, nil // the board that it would link is not there: it calls, once it is posted
	}
	nonce := s.nonce()
	sc, err := s.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen {
		if !current(rec, sc) || sc.Call.InDoubt() {
			return sc
		}
		return sc.Calling(rec.Match, seat, nonce)
	})
	if err != nil || sc.Call.Nonce != nonce {
		return sc, err
	}
	now, err := s.settleCall(ctx, rec, sc)
	var e *chat.Error
	if errors.As(err, &e) && (e.Trouble == chat.Busy || e.Unsent) { // it is certainly not there
		if now, e := s.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen {
			return sc.Called(sc.Call.Channel, nonce, 0).Uncall(rec.Match)
		}); e == nil {
			return now, err
		}
	}
	return now, err
}

// settleCall sends the call that was noted and of which it is not known whether it was sent. The
// nonce finds one that was. A call that is over is asked for without a mention, and is then to be
// deleted.
func (s *Screens) settleCall(ctx context.Context, rec storage.Record, sc storage.Screen) (storage.Screen, error) {
	c := sc.Call
	if !c.InDoubt() {
		return sc, nil
	}
	nonce := c.Nonce
	if s.Sabotage.CallTwice {
		nonce = s.nonce()
	}
	message, err := uint64(0), error(nil)
	if !old(c.Nonce, s.Now()) { // else it is not sent again, since it may be there
		to := chat.To{Server: rec.Place.Server, Channel: c.Channel, Nonce: fmt.Sprintf("%s.%d", view.Key(rec.ID), nonce)}
		message, err = s.Chat.Send(ctx, to, view.Call(rec, c))
	}
	switch {
	case err != nil && chat.TroubleOf(err).Temporary():
		return sc, err
	case err != nil:
		s.Log.Info("call", "match", view.Name(rec.ID), "err", err)
	}
	s.ours(c.Channel, message)
	return s.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen { return sc.Called(c.Channel, c.Nonce, message) })
}

// relink lets the short call link the board that is the live one now.
func (s *Screens) relink(ctx context.Context, rec storage.Record, sc storage.Screen) (storage.Screen, error) {
	c := sc.Call
	if !sc.Strays() {
		return sc, nil
	}
	c.Board = sc.Message
	_, err := s.Chat.Send(ctx, chat.To{Server: rec.Place.Server, Channel: c.Channel, Message: c.Message}, view.Call(rec, c))
	if err != nil && chat.TroubleOf(err).Temporary() {
		return sc, err
	}
	return s.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen {
		if sc.Call.Message == c.Message {
			sc.Call.Board = c.Board
		}
		return sc
	})
}

// callSoon has the match's sender call somebody now.
func (s *Screens) callSoon(ctx context.Context, rec storage.Record) {
	if s.House.Owns(rec.Place) {
		s.refreshOwn(rec.ID, false)
		return
	}
	now := s.Now()
	s.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen { // the owner hears of it
		if sc.CallAt.After(now) {
			sc.CallAt = now
		}
		return sc
	})
}

// plan notes when somebody is to be called.
func (s *Screens) plan(sc storage.Screen) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if delete(s.planned, sc.Match); !sc.CallAt.IsZero() {
		s.planned[sc.Match] = storage.Screen{Match: sc.Match, Channel: sc.Channel, CallAt: sc.CallAt}
	}
}

// CallDue calls who is to be called by now, one after the other in each channel.
func (s *Screens) CallDue(now time.Time) {
	s.mu.Lock()
	var due []storage.Screen
	for id, sc := range s.planned {
		if sc.CallDue(now) {
			due = append(due, sc)
			delete(s.planned, id)
		}
	}
	s.mu.Unlock()
	slices.SortFunc(due, func(a, b storage.Screen) int { return cmp.Compare(a.Match, b.Match) })
	s.CatchUp(due)
}
