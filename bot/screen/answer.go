package screen

import (
	"context"
	"errors"
	"slices"
	"time"

	"tengen/bot/chat"
	"tengen/bot/pad"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

// Show answers an interaction that changed a match or asked for it. It shows the board by the
// first way that is open, and answers with remark where the board itself is not the answer.
// With an empty remark such an answer leaves nothing behind.
func (s *Screens) Show(ctx context.Context, r chat.Request, id game.MatchID, remark string) error {
	release, err := s.holdBriefly(ctx, id)
	if err != nil {
		return s.elsewhere(ctx, r, id, remark)
	}
	defer release()
	s.House.Reply(ctx, id) // the match's sender waits for the lock meanwhile
	rec, err := s.Store.Match(ctx, id)
	if err != nil {
		return err
	}
	sc, err := s.Store.Screen(ctx, id)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return err
	}
	s.plan(sc)
	seat, due, err := s.callee(ctx, rec, sc)
	if err != nil {
		return err
	}
	// Where the bot was only brought along, its answers alone can call.
	anew := due && (s.buried(sc) || !r.Installed)
	onIt := onLive(r, rec, sc)
	if onIt && sc.Message != r.Message {
		sc.Message, sc.Token, sc.Channel = r.Message, "", r.Place.Channel
	}
	switch {
	case onIt && !anew:
		return s.inPlace(ctx, r, rec, sc, due)
	case onIt:
		return s.passOn(ctx, r, rec, sc, seat)
	case r.Place.Channel == rec.Place.Channel && (sc.Message == 0 || r.Kind == chat.Slash && anew || s.onlyHere(r, sc)):
		return s.becomeLive(ctx, r, rec, sc, seat, due)
	case r.Kind.Component() && !r.Private && r.Message != sc.Message:
		if err := s.unawait(ctx, r, rec); err != nil {
			return err
		}
		s.Refresh(id, false) // the live message does not show yet what the press did
		return s.dropOld(ctx, r, rec, "")
	}
	if remark == "" && r.Kind == chat.Slash && rec.Place.Channel != r.Place.Channel {
		t := s.House.Tongue(r)
		remark = t.Sentences(t.Say("done"), view.Jump(rec.Place, sc.Message))
	}
	return s.elsewhere(ctx, r, id, remark)
}

// inPlace shows the board in the pressed message, and deletes a call that is over. A call that is
// due is left to the match's sender.
func (s *Screens) inPlace(ctx context.Context, r chat.Request, rec storage.Record, sc storage.Screen, due bool) error {
	msg := s.paint(ctx, rec, pad.For(rec.Match))
	if err := chat.Edit(ctx, s.Chat, r, msg); err != nil {
		if chat.TroubleOf(err) != chat.Failed {
			s.Log.Info("answer", "match", view.Name(rec.ID), "err", err)
		}
		s.Refresh(rec.ID, false)
		return nil
	}
	now, err := s.shown(ctx, rec, rec.Place.Channel, sc.Message, answerToken(r))
	if err != nil {
		return err
	}
	if due || now.Call.InDoubt() {
		s.callSoon(ctx, rec)
	}
	return s.closeOr(ctx, rec, now)
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
func (s *Screens) elsewhere(ctx context.Context, r chat.Request, id game.MatchID, remark string) error {
	rec, err := s.Store.Match(ctx, id)
	if err == nil {
		err = s.unawait(ctx, r, rec)
	}
	s.Refresh(id, false)
	if err != nil {
		return err
	}
	if r.Kind.Component() && !r.Private {
		return s.acknowledge(ctx, r, "")
	}
	return s.acknowledge(ctx, r, remark)
}

// onLive reports whether r pressed the live message of a match. Where no live message is known,
// a message with the match's buttons is taken for it: it is an answer that Discord took and a
// crash made the store forget, or the board of a match whose screen was put away. So is one where
// nothing can edit the live message any more.
func onLive(r chat.Request, rec storage.Record, sc storage.Screen) bool {
	if !r.Kind.Component() {
		return false
	}
	p, err := view.ParsePress(r.Custom)
	here := sc.Channel == r.Place.Channel || sc.Channel == 0 && rec.Place.Channel == r.Place.Channel
	lost := sc.Message == 0 || !r.Installed && tokenOf(sc, r.At).value == ""
	unknown := !r.Private && lost && here && err == nil && p.Match == rec.ID &&
		!slices.Contains(sc.Retired, storage.MessageRef{Channel: r.Place.Channel, ID: r.Message})
	return r.Message == sc.Message && sc.Message != 0 || unknown
}

// passOn calls the member in a seat by a board in a new message, and deletes the pressed one. The
// new board is the answer to r, so that the token of r finds it even after a crash. The older
// token or the bot's own deletes the pressed message. Where neither can, the answer to r makes a
// line of it, the board is a follow-up, and then the token of r deletes the line.
func (s *Screens) passOn(ctx context.Context, r chat.Request, rec storage.Record, was storage.Screen, seat int) error {
	if old := tokenOf(was, s.Now()); old.value != "" || r.Installed {
		return s.becomeLive(ctx, r, rec, was, seat, true)
	}
	if err := s.await(ctx, r, rec, was, func(sc storage.Screen) storage.Screen {
		return sc.Calling(rec.Match, seat, 0)
	}); err != nil {
		return err
	}
	if err := chat.Edit(ctx, s.Chat, r, view.Line(rec, "")); err != nil {
		s.Refresh(rec.ID, false)
		return nil
	}
	message, err := s.Chat.Send(ctx, chat.To{Token: r.Token}, s.calling(ctx, rec, seat))
	if err != nil {
		s.Refresh(rec.ID, false) // the pressed message becomes a board again
		return nil
	}
	own := answerToken(r)
	own.original = false
	if _, err := s.shown(ctx, rec, rec.Place.Channel, message, own); err != nil {
		return err
	}
	now, err := s.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen {
		return sc.RetireBy(storage.MessageRef{Channel: was.Channel, ID: was.Message}, r.Token, r.At.Add(chat.TokenLife))
	})
	if err != nil {
		return err
	}
	return s.closeOr(ctx, rec, now)
}

// closeOr deletes the messages that were left behind. After three seconds it leaves the rest to
// the match's sender.
func (s *Screens) closeOr(ctx context.Context, rec storage.Record, sc storage.Screen) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	err := s.closeLeft(ctx, rec, sc)
	if err != nil {
		s.Log.Debug("close", "match", view.Name(rec.ID), "err", err)
	}
	if err != nil || sc.Strays() {
		s.Refresh(rec.ID, false)
	}
	return nil
}

// becomeLive makes the answer to r the live message and deletes the old one. With due the new
// board calls the member in a seat.
func (s *Screens) becomeLive(ctx context.Context, r chat.Request, rec storage.Record, was storage.Screen, seat int,
	due bool) error {
	msg := s.paint(ctx, rec, pad.For(rec.Match))
	var note func(storage.Screen) storage.Screen
	if due {
		msg = s.calling(ctx, rec, seat)
		note = func(sc storage.Screen) storage.Screen { return sc.Calling(rec.Match, seat, 0) }
	}
	if err := s.await(ctx, r, rec, was, note); err != nil {
		return err
	}
	message, err := s.Chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Say, Message: msg, Itself: true})
	own := answerToken(r)
	var e *chat.Error
	switch {
	case err == nil && message != 0:
	case errors.As(err, &e) && (e.Trouble == chat.Answered && e.Code == 0 || e.Trouble == chat.Lapsed):
		// The watchdog has answered, or nobody has: the answer cannot be the board.
		if !r.Installed && e.Trouble == chat.Answered {
			// Nothing but the interaction's own token reaches this place.
			own.original = false
			if message, err = s.Chat.Send(ctx, chat.To{Token: r.Token}, msg); err == nil {
				break
			}
		}
		if err := s.unawait(ctx, r, rec); err != nil {
			s.Log.Error("screen", "match", view.Name(rec.ID), "err", err)
		}
		s.Refresh(rec.ID, true)
		return nil
	default: // Discord may have taken it: the sender asks by the token of r, and else posts
		s.Refresh(rec.ID, true)
		return nil
	}
	now, err := s.shown(ctx, rec, rec.Place.Channel, message, own)
	if err != nil {
		return err
	}
	// The store may not have known the old one.
	if was.Message != 0 && now.Message == message && was.Message != message &&
		!slices.Contains(now.Retired, storage.MessageRef{Channel: was.Channel, ID: was.Message}) {
		if now, err = s.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen {
			return sc.RetireBy(storage.MessageRef{Channel: was.Channel, ID: was.Message}, was.Token, was.Expires)
		}); err != nil {
			return err
		}
	}
	return s.closeOr(ctx, rec, now)
}

// dropOld answers a press on a message that is not the live one, with why for the member alone,
// and deletes that message.
func (s *Screens) dropOld(ctx context.Context, r chat.Request, rec storage.Record, why string) error {
	if _, err := s.Chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.DeferPress}); err != nil {
		s.Refresh(rec.ID, false)
		return err
	}
	if why != "" { // before the message goes, which the follow-up refers to
		if _, err := s.Chat.Send(ctx, chat.To{Token: r.Token}, chat.Private(why)); err != nil {
			s.Log.Debug("why", "match", view.Name(rec.ID), "err", err)
		}
	}
	now, err := s.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen {
		if sc.Message == r.Message {
			return sc
		}
		return sc.RetireBy(storage.MessageRef{Channel: r.Place.Channel, ID: r.Message}, r.Token, r.At.Add(chat.TokenLife))
	})
	if err != nil {
		return err
	}
	return s.closeOr(ctx, rec, now)
}

// acknowledge answers an interaction whose board is another message: with remark, or by nothing
// where remark is empty. A private menu that was pressed goes away.
func (s *Screens) acknowledge(ctx context.Context, r chat.Request, remark string) error {
	form := r.Kind == chat.Submit && r.Message != 0
	page := r.Private && (r.Kind.Component() || form)
	a := chat.Answer{Kind: chat.Say, Message: chat.Private(remark)}
	switch {
	case remark != "" && page:
		a = chat.Answer{Kind: chat.Replace, Message: chat.Text(remark)}
	case remark == "" && (r.Kind.Component() || form):
		a = chat.Answer{Kind: chat.DeferPress}
	case remark == "":
		a.Message = chat.Private(s.House.Tongue(r).Say("done")) // Discord takes no empty answer
	}
	_, err := s.Chat.Answer(ctx, r.Ticket(), a)
	if err != nil || remark != "" || !page && a.Kind != chat.Say {
		return err
	}
	if err := s.Chat.Delete(ctx, chat.To{Token: r.Token, Original: true}); err != nil {
		s.Log.Debug("deleting an answer", "id", r.ID, "err", err) // the member can dismiss it
	}
	return nil
}

// BringDown makes the answer to r the live message of a match, and deletes the old one.
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
	s.plan(sc)
	seat, due, err := s.callee(ctx, rec, sc)
	if err != nil {
		return err
	}
	return s.becomeLive(ctx, r, rec, sc, seat, due)
}

// Correct is for a press that was refused with code. Where the pressed message is out of date,
// Correct shows the board in it again if it is the live message, and deletes it if it is
// another. The text of why follows, for the member alone. Correct is false where the message
// is up to date: then the caller answers with the refusal.
func (s *Screens) Correct(ctx context.Context, r chat.Request, id game.MatchID, code game.Code,
	why func(storage.Record) string) (bool, error) {
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
	if err != nil {
		return false, nil // the board of a game that ended long ago
	}
	live := onLive(r, rec, sc)
	if r.Private && !live || live && code != game.Moved && code != game.NotPlaying && code != game.NotOffered {
		return false, nil // the message is up to date; the press alone was wrong
	}
	if !live {
		return true, s.dropOld(ctx, r, rec, why(rec))
	}
	msg := s.paint(ctx, rec, pad.For(rec.Match))
	if err := chat.Edit(ctx, s.Chat, r, msg); err != nil {
		return true, err
	}
	if _, err := s.shown(ctx, rec, rec.Place.Channel, r.Message, answerToken(r)); err != nil {
		s.Log.Error("screen", "match", view.Name(id), "err", err)
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
func (s *Screens) MovePad(ctx context.Context, r chat.Request, rec storage.Record, at pad.Pad) (bool, error) {
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
	if err = chat.Edit(ctx, s.Chat, r, s.paint(ctx, now, at)); err != nil || s.House.Alone() {
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
func (s *Screens) still(ctx context.Context, r chat.Request,
	rec storage.Record) (now storage.Record, live bool, err error) {
	if now, err = s.Store.Match(ctx, rec.ID); err != nil {
		return now, false, err
	}
	sc, err := s.Store.Screen(ctx, rec.ID)
	return now, err == nil && now.Stamp() == rec.Stamp() && onLive(r, now, sc), err
}
