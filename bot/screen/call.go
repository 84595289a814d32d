package screen

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tengen/bot/chat"
	"tengen/bot/outbox"
	"tengen/bot/pad"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

// A member who is away is called when a match waits for them: by a short message that links the
// board, which goes away when they act, or by the board itself in a new message. Whom a match
// waits for, and who was called, follows from storage.Screen. A short call is noted with a nonce
// before it is sent, so that after a crash it is found instead of sent again: by the nonce, or by
// a mark in it where an interaction's token sent it.

// Calls is when a member wants to be called.
type Calls uint8

// The choices.
const (
	WhenAway Calls = iota // once they have done nothing in the match for two minutes
	Always                // whenever the match waits for them
	Never
	Elsewhere // not here: another board calls them; this one may remind them
)

// nonce is a new nonce: the lower half of the time in ms, so that its age can be told.
func (s *Screens) nonce() uint32 { return max(uint32(s.Now().UnixMilli()), 1) }

// old reports whether a nonce no longer finds its message.
func old(nonce uint32, now time.Time) bool { return now.Sub(begun(nonce, now)) > outbox.NonceLife }

// begun is when a nonce was made.
func begun(nonce uint32, now time.Time) time.Time {
	return now.Add(-time.Duration(uint32(now.UnixMilli())-nonce) * time.Millisecond)
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
	return seat, err == nil && (away && calls == WhenAway || calls == Always), err
}

// leaveAlone notes that there is nothing to do: for a member who is away and wants no calls, or
// where a call was due of which the match has no need any more.
func (s *Screens) leaveAlone(ctx context.Context, rec storage.Record, sc storage.Screen) (storage.Screen, error) {
	seat, away, ok := sc.Callee(rec.Match, s.Now())
	if !ok && sc.CallDue(s.Now()) && !sc.Call.InDoubt() {
		return s.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen {
			if current(rec, sc) {
				return sc.Plan(rec.Match)
			}
			return sc
		})
	}
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

// uncalled notes on a screen that a call was never sent. Where the match has changed since rec was
// read, the sender plans the next call by the match as it is then.
func (s *Screens) uncalled(rec storage.Record, sc storage.Screen) storage.Screen {
	sc = sc.Uncall(rec.Match)
	if !current(rec, sc) {
		sc.CallAt = s.Now()
	}
	return sc
}

// calling is the board of a match, calling the member in a seat.
func (s *Screens) calling(ctx context.Context, rec storage.Record, seat int) chat.Message {
	msg := s.paint(ctx, rec, pad.For(rec.Match))
	msg.Mention = rec.Seats[seat].Member
	return msg
}

// mentioned gives the members whom a board that is being posted mentions: who is called by it, or is to be
// reminded. Both are reminded of a match of an event to which the one who waits has not come either.
func (s *Screens) mentioned(ctx context.Context, rec storage.Record, sc storage.Screen) (members []game.MemberID) {
	if seat := int(sc.Call.Seat) - 1; sc.Calls && seat >= 0 {
		return []game.MemberID{rec.Seats[seat].Member}
	}
	if rec.Phase != game.Playing || !rec.Reminded {
		return nil
	}
	for _, seat := range []int{rec.ToMove(), 1 - rec.ToMove()} {
		toMove := seat == rec.ToMove()
		if m := s.reminded(ctx, rec, seat); m != 0 && (toMove || rec.Begin > 0 && !rec.Present(seat)) {
			members = append(members, m)
		}
	}
	return members
}

// reminded is the member in a seat; 0 where nobody there wants to be reminded.
func (s *Screens) reminded(ctx context.Context, rec storage.Record, seat int) game.MemberID {
	if rec.Seats[seat].Kind != game.MemberSeat {
		return 0
	}
	if calls, err := s.House.Calls(ctx, rec, seat); err != nil || calls == Never {
		return 0
	}
	return rec.Seats[seat].Member
}

// call sends a short message that calls the member in a seat: by the token of the live message,
// where the bot could find it again after a crash, else by the bot's own. With again the bot's own
// token sends it: a call was to go by a token, and was not found.
func (s *Screens) call(ctx context.Context, rec storage.Record, sc storage.Screen, seat int,
	again bool) (storage.Screen, error) {
	if sc.Message == 0 || sc.Call.InDoubt() {
		return sc, nil // the board that it would link is not there: it calls, once it is posted
	}
	tok := tokenOf(sc, s.Now().Add(tokenSpare))
	if !sc.Reads || again {
		tok = token{}
	}
	nonce := s.nonce()
	sc, err := s.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen {
		if !current(rec, sc) || sc.Call.InDoubt() {
			return sc
		}
		sc = sc.Calling(rec.Match, seat, nonce)
		sc.Call.ByToken = tok.value != ""
		return sc
	})
	if err != nil || sc.Call.Nonce != nonce {
		return sc, err
	}
	if tok.value != "" {
		return s.callByToken(ctx, rec, sc, tok)
	}
	now, err := s.postCall(ctx, rec, sc)
	if certainlyNot(err) {
		if now, e := s.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen {
			return s.uncalled(rec, sc.Called(sc.Call.Channel, nonce, 0))
		}); e == nil {
			return now, err
		}
	}
	return now, err
}

// certainlyNot reports whether a message that may come later is certainly not there.
func certainlyNot(err error) bool {
	var e *chat.Error
	return errors.As(err, &e) && (e.Trouble == chat.Busy || e.Unsent)
}

// callByToken sends the call that was noted by an interaction's token, once. Where it is certainly
// not there, the bot's own token sends it. Where nobody knows, settleCall looks for it.
func (s *Screens) callByToken(ctx context.Context, rec storage.Record, sc storage.Screen,
	tok token) (storage.Screen, error) {
	c := sc.Call
	message, err := s.Chat.Send(ctx, chat.To{Token: tok.value}, view.Call(rec, c))
	switch {
	case err == nil:
		s.ours(c.Channel, message)
		return s.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen {
			return sc.Called(c.Channel, c.Nonce, message).KeyTo(message, FollowUp(tok.value), tok.expires)
		})
	case chat.TroubleOf(err) == chat.Failed && !certainlyNot(err):
		s.Log.Info("call in doubt", "match", view.Name(rec.ID), "err", err)
		return sc, nil
	}
	sc, err = s.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen {
		if sc.Call.Nonce == c.Nonce {
			sc.Call.ByToken = false
		}
		return sc
	})
	if err != nil || sc.Call.Nonce != c.Nonce {
		return sc, err
	}
	return s.postCall(ctx, rec, sc)
}

// postCall sends the call that was noted by the bot's own token. Its nonce finds one that was sent.
// A call that is over is asked for without a mention, and is then to be deleted.
func (s *Screens) postCall(ctx context.Context, rec storage.Record, sc storage.Screen) (storage.Screen, error) {
	c := sc.Call
	to := chat.To{Server: rec.Place.Server, Channel: c.Channel, Nonce: fmt.Sprintf("%s.%d", view.Key(rec.ID), c.Nonce)}
	message, err := s.Chat.Send(ctx, to, view.Call(rec, c))
	switch {
	case chat.Temporary(err):
		return sc, err
	case err != nil:
		s.Log.Info("call", "match", view.Name(rec.ID), "err", err)
	}
	return s.called(ctx, rec, c, message)
}

// called notes the message of a call; zero: there is none, or nobody can find it.
func (s *Screens) called(ctx context.Context, rec storage.Record, c storage.Call,
	message uint64) (storage.Screen, error) {
	s.ours(c.Channel, message)
	return s.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen {
		return sc.Called(c.Channel, c.Nonce, message)
	})
}

// settleCall learns whether a call is there that was noted, and of which it is not known whether it
// was sent. While its nonce finds it, it is sent again with that. Else it is looked for among the
// messages of its place. One that is not there may be sent anew, and again is true.
func (s *Screens) settleCall(ctx context.Context, rec storage.Record,
	sc storage.Screen) (now storage.Screen, again bool, err error) {
	c := sc.Call
	switch {
	case !c.InDoubt():
		return sc, false, nil
	case !c.ByToken && !old(c.Nonce, s.Now()):
		sc, err = s.postCall(ctx, rec, sc)
		return sc, false, err
	case !c.ByToken && !sc.Reads:
		sc, err = s.called(ctx, rec, c, 0) // it is not sent again, since it may be there
		return sc, false, err
	case s.Now().Before(settleAt(sc, s.Now())):
		return sc, false, nil // it may be on its way
	}
	message, err := s.Chat.Find(ctx, c.Channel, view.Mark(c), begun(c.Nonce, s.Now()))
	switch {
	case chat.Temporary(err):
		return sc, false, err
	case err != nil:
		s.Log.Info("call not found", "match", view.Name(rec.ID), "err", err)
		fallthrough
	case message != 0:
		sc, err = s.called(ctx, rec, c, message)
		return sc, false, err
	}
	sc, err = s.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen {
		return s.uncalled(rec, sc.Called(c.Channel, c.Nonce, 0))
	})
	return sc, true, err
}

// Waiting times of a call that goes by an interaction's token.
const (
	tokenSpare = 15 * time.Second // that the token is still to be good for
	settleWait = 5 * time.Second  // before a call in doubt is looked for
)

// settleAt is when a call is to be looked for that went by an interaction's token; zero: there is no
// such call.
func settleAt(sc storage.Screen, now time.Time) time.Time {
	if !sc.Call.InDoubt() || !sc.Call.ByToken {
		return time.Time{}
	}
	return begun(sc.Call.Nonce, now).Add(settleWait)
}

// relink lets the short call link the board that is the live one now.
func (s *Screens) relink(ctx context.Context, rec storage.Record, sc storage.Screen) (storage.Screen, error) {
	c := sc.Call
	if !sc.Strays() {
		return sc, nil
	}
	c.Board = sc.Message
	err := s.reach(rec, sc, storage.MessageRef{Channel: c.Channel, ID: c.Message}, func(to chat.To) error {
		_, err := s.Chat.Send(ctx, to, view.Call(rec, c))
		return err
	})
	if chat.Temporary(err) {
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

// plan notes when somebody is to be called, or a call is to be looked for.
func (s *Screens) plan(sc storage.Screen) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := sc.CallAt
	for _, other := range []time.Time{settleAt(sc, s.Now()), s.partAt(sc)} {
		if at.IsZero() || !other.IsZero() && other.Before(at) {
			at = other
		}
	}
	if delete(s.planned, sc.Match); !at.IsZero() {
		s.planned[sc.Match] = storage.Screen{Match: sc.Match, Channel: sc.Channel, CallAt: at}
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
