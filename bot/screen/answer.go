package screen

import (
	"context"
	"errors"
	"slices"
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

// Show answers an interaction that changed a match or asked for it. It shows the board by the
// first way that is open, and answers with remark where the board itself is not the answer.
func (s *Screens) Show(ctx context.Context, r chat.Request, id game.MatchID, remark string) error {
	release, err := s.holdBriefly(ctx, id)
	if err != nil {
		return s.elsewhere(ctx, r, id, remark, false)
	}
	defer release()
	rec, err := s.Store.Match(ctx, id)
	if err != nil {
		return err
	}
	sc, err := s.Store.Screen(ctx, id)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return err
	}
	onIt := onLive(r, id, sc)
	if onIt && sc.Message == 0 {
		sc.Message, sc.Token = r.Message, ""
	}
	own := answerToken(r)
	msg := s.paint(ctx, rec, view.PadFor(rec.Match))
	switch {
	case onIt && !s.handsOver(r, rec.Match):
		_, err = s.Chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Replace, Message: msg})
		if err == nil {
			_, err := s.shown(ctx, rec, rec.Place.Channel, sc.Message, own)
			return err
		}
	case onIt:
		return s.passOn(ctx, r, rec, sc, msg)
	case r.Place.Channel == rec.Place.Channel && (sc.Message == 0 || r.Kind == chat.Slash && s.handsOver(r, rec.Match) || s.onlyHere(r, sc)):
		return s.becomeLive(ctx, r, rec, sc, msg)
	case r.Kind.Component() && !r.Private && r.Message != sc.Message:
		// An old board, or one that a crash made the store forget: it becomes a line now.
		if err := s.unawait(ctx, r, id); err != nil {
			return err
		}
		s.Refresh(id, s.handsOver(r, rec.Match))
		_, err = s.Chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Replace, Message: view.Line(rec, view.Jump(rec.Place, sc.Message))})
		return err
	default:
		return s.elsewhere(ctx, r, id, remark, s.handsOver(r, rec.Match))
	}
	if chat.TroubleOf(err) != chat.Failed {
		s.Log.Info("answer", "match", view.Name(id), "err", err)
	}
	s.Refresh(id, false)
	return nil
}

// onlyHere reports whether the answer to r is the only way to show the board, because the bot
// may send or edit nothing else in this place any more.
func (s *Screens) onlyHere(r chat.Request, sc storage.Screen) bool {
	if r.Kind != chat.Slash && r.Kind != chat.Submit || tokenOf(sc, s.Now()).value != "" {
		return false
	}
	speaks := r.Allowed.Send && !r.Thread || r.Allowed.SendInThreads && r.Thread
	return !r.Installed || !r.Direct && !(r.Allowed.View && speaks)
}

// elsewhere answers an interaction and leaves the board to the match's sender. A press on a board
// is only acknowledged, so that its token can still edit that board. Any other answer is a
// message of its own, and its token cannot edit the board.
func (s *Screens) elsewhere(ctx context.Context, r chat.Request, id game.MatchID, remark string, anew bool) error {
	err := s.unawait(ctx, r, id)
	s.Refresh(id, anew)
	if err != nil {
		return err
	}
	if r.Kind.Component() && !r.Private {
		return s.acknowledge(ctx, r, "")
	}
	return s.acknowledge(ctx, r, remark)
}

// handsOver reports whether r made it the other member's turn to act, by a move or by an offer,
// so that a new message must call them.
func (s *Screens) handsOver(r chat.Request, m game.Match) bool {
	seat, ok := m.SeatOf(r.By)
	if !ok || m.Phase != game.Playing || m.AgainstEngine() || !m.Updated.Equal(stampOf(r.At)) {
		return false
	}
	asks := m.Undoing.Open && int(m.Undoing.By) == seat || int(m.DrawBy) == seat+1
	moved := m.Played() > 0 && m.ToMove() != seat && m.Log[len(m.Log)-1].At.Equal(m.Updated)
	return asks || moved
}

// onLive reports whether r pressed the live message of a match. Where no live message is known,
// a message with the match's buttons is taken for it: it is an answer that Discord took and a
// crash made the store forget.
func onLive(r chat.Request, id game.MatchID, sc storage.Screen) bool {
	if !r.Kind.Component() {
		return false
	}
	p, err := view.ParsePress(r.Custom)
	unknown := !r.Private && sc.Message == 0 && sc.Channel == r.Place.Channel && err == nil && p.Match == id &&
		!slices.Contains(sc.Retired, storage.MessageRef{Channel: r.Place.Channel, ID: r.Message})
	return r.Message == sc.Message && sc.Message != 0 || unknown
}

// stampOf is a time as a match's log keeps it.
func stampOf(t time.Time) time.Time { return time.UnixMilli(t.UnixMilli()).UTC() }

// passOn shows the board to the other member in a new message and leaves one line in the
// pressed one. The new board is the answer to r, so that the token of r finds it even after a
// crash. The older token or the bot's own writes the line. Where neither can change the pressed
// message, the answer to r writes the line, and the board is a follow-up.
func (s *Screens) passOn(ctx context.Context, r chat.Request, rec storage.Record, was storage.Screen, msg chat.Message) error {
	s.courtesy(rec.Match, &msg)
	old := tokenOf(was, s.Now())
	if err := s.await(ctx, r, rec.ID, was); err != nil {
		return err
	}
	own := answerToken(r)
	if old.value == "" && !r.Installed {
		if _, err := s.Chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Replace, Message: view.Line(rec, "")}); err != nil {
			s.Refresh(rec.ID, false)
			return nil
		}
		message, err := s.Chat.Send(ctx, chat.To{Token: r.Token}, msg)
		if err != nil {
			s.Refresh(rec.ID, false) // the pressed message becomes a board again
			return nil
		}
		own.original = false
		sc, err := s.shown(ctx, rec, rec.Place.Channel, message, own)
		if err != nil || len(sc.Retired) == 0 {
			return err
		}
		// The pressed message is a line already.
		_, err = s.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen {
			return sc.Closed(storage.MessageRef{Channel: was.Channel, ID: was.Message})
		})
		return err
	}
	message, err := s.Chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Say, Message: msg})
	if err != nil || message == 0 {
		s.Refresh(rec.ID, true) // the token of r finds the board, if Discord took it
		return nil
	}
	sc, err := s.shown(ctx, rec, rec.Place.Channel, message, own)
	if err != nil {
		return err
	}
	sc = sc.Retire(storage.MessageRef{Channel: was.Channel, ID: was.Message}) // the store may not have known it
	return s.closeOr(ctx, rec, sc, was.Message, old)
}

// closeOr replaces the boards that were left behind by lines. After three seconds it leaves the
// rest to the match's sender.
func (s *Screens) closeOr(ctx context.Context, rec storage.Record, sc storage.Screen, message uint64, tok token) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	if err := s.closeLeft(ctx, rec, sc, message, tok); err != nil {
		s.Log.Debug("close", "match", view.Name(rec.ID), "err", err)
		s.Refresh(rec.ID, false)
	}
	return nil
}

// becomeLive makes the answer to r the live message and leaves a line in the old one.
func (s *Screens) becomeLive(ctx context.Context, r chat.Request, rec storage.Record, sc storage.Screen, msg chat.Message) error {
	s.courtesy(rec.Match, &msg)
	if err := s.await(ctx, r, rec.ID, sc); err != nil {
		return err
	}
	message, err := s.Chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Say, Message: msg})
	var e *chat.Error
	switch {
	case err == nil && message != 0:
	case errors.As(err, &e) && (e.Trouble == chat.Answered && e.Code == 0 || e.Trouble == chat.Lapsed):
		// The watchdog has answered privately, or nobody has: the answer cannot be the board.
		if err := s.unawait(ctx, r, rec.ID); err != nil {
			s.Log.Error("screen", "match", view.Name(rec.ID), "err", err)
		}
		if !r.Installed && e.Trouble == chat.Answered {
			// Nothing but the interaction's own token reaches this place.
			if message, err := s.Chat.Send(ctx, chat.To{Token: r.Token}, msg); err == nil {
				now, err := s.shown(ctx, rec, rec.Place.Channel, message, token{r.Token, false, r.At.Add(chat.TokenLife)})
				if err != nil {
					return err
				}
				return s.closeOr(ctx, rec, now, sc.Message, tokenOf(sc, s.Now()))
			}
		}
		s.Refresh(rec.ID, true)
		return nil
	default: // Discord may have taken it: the sender asks by the token of r, and else posts
		s.Refresh(rec.ID, true)
		return nil
	}
	now, err := s.shown(ctx, rec, rec.Place.Channel, message, answerToken(r))
	if err != nil {
		return err
	}
	return s.closeOr(ctx, rec, now, sc.Message, tokenOf(sc, s.Now()))
}

// acknowledge answers an interaction whose board is another message: with remark, or invisibly
// where remark is empty and Discord allows that.
func (s *Screens) acknowledge(ctx context.Context, r chat.Request, remark string) error {
	if remark == "" && (r.Kind.Component() || r.Kind == chat.Submit && r.Message != 0) {
		_, err := s.Chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.DeferPress})
		return err
	}
	if remark == "" {
		remark = s.House.Tongue(r).Say("done")
	}
	_, err := s.Chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Say, Message: chat.Private(remark)})
	return err
}

// BringDown makes the answer to r the live message of a match, and leaves a line in the old one.
func (s *Screens) BringDown(ctx context.Context, r chat.Request, rec storage.Record) error {
	release, err := s.hold(ctx, rec.ID)
	if err != nil {
		return err
	}
	defer release()
	sc, err := s.Store.Screen(ctx, rec.ID)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return err
	}
	return s.becomeLive(ctx, r, rec, sc, s.paint(ctx, rec, view.PadFor(rec.Match)))
}

// Correct brings a pressed message up to date, after a press that was refused with code because
// the message was out of date. The text of why follows, for the member alone. Correct is false
// where the message was up to date: then the caller answers with the refusal.
func (s *Screens) Correct(ctx context.Context, r chat.Request, id game.MatchID, code game.Code, why func(storage.Record) string) (bool, error) {
	release, err := s.holdBriefly(ctx, id) // which message is the live one may be changing
	if err != nil {
		return false, nil
	}
	defer release()
	rec, err := s.Store.Match(ctx, id)
	if err != nil {
		return false, nil
	}
	sc, err := s.Store.Screen(ctx, id)
	live := err == nil && onLive(r, id, sc)
	if r.Private && !live || live && code != game.Moved && code != game.NotPlaying && code != game.NotOffered {
		return false, nil // the message is up to date; the press alone was wrong
	}
	msg := view.Line(rec, view.Jump(rec.Place, sc.Message))
	if live {
		msg = s.paint(ctx, rec, view.PadFor(rec.Match))
	}
	if _, err := s.Chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Replace, Message: msg}); err != nil {
		return true, err
	}
	if live {
		if _, err := s.shown(ctx, rec, rec.Place.Channel, r.Message, answerToken(r)); err != nil {
			s.Log.Error("screen", "match", view.Name(id), "err", err)
		}
	}
	if text := why(rec); text != "" {
		_, err = s.Chat.Send(ctx, chat.To{Token: r.Token}, chat.Private(text))
		return true, err
	}
	return true, nil
}

// MovePad shows the board again with its buttons on another part, and changes nothing. It holds
// the match's lock like every sender, so that it puts no older board over a newer one. It is
// false where the match has changed since rec was read, or r pressed another message.
func (s *Screens) MovePad(ctx context.Context, r chat.Request, rec storage.Record, pad view.Pad) (bool, error) {
	brief, cancel := context.WithTimeout(ctx, brieflyHeld)
	defer cancel()
	release, err := s.HoldHere(brief, rec.ID)
	if err != nil {
		return true, s.acknowledge(ctx, r, "") // a sender is about to show the board
	}
	defer release()
	now, live, err := s.still(ctx, r, rec)
	if err != nil || !live {
		return err != nil, err
	}
	if _, err = s.Chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Replace, Message: s.paint(ctx, now, pad)}); err != nil || s.House.Alone() {
		return true, err
	}
	return true, s.overtaken(ctx, r, now)
}

// overtaken refreshes the message that r pressed, where another process has changed the match
// while r was answered with the board of rec.
func (s *Screens) overtaken(ctx context.Context, r chat.Request, rec storage.Record) error {
	now, err := s.Store.Match(ctx, rec.ID)
	if err != nil || now.Version == rec.Version {
		return err
	}
	_, err = s.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen {
		if sc.Message != r.Message {
			return sc.Retire(storage.MessageRef{Channel: r.Place.Channel, ID: r.Message})
		}
		sc.Shown = min(sc.Shown, rec.Version)
		return sc
	})
	s.Refresh(rec.ID, false)
	return err
}

// still gives a match as it is now, and whether r pressed its live message and the match has
// not changed since rec was read.
func (s *Screens) still(ctx context.Context, r chat.Request, rec storage.Record) (now storage.Record, live bool, err error) {
	if now, err = s.Store.Match(ctx, rec.ID); err != nil {
		return now, false, err
	}
	sc, err := s.Store.Screen(ctx, rec.ID)
	return now, err == nil && now.Stamp() == rec.Stamp() && onLive(r, rec.ID, sc), err
}
