package bot

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
	"tengen/storage/kv"
)

// A match has one live message. Its storage.Screen tells where it is and which version it
// shows; whoever sends holds the match's place in screens, so that no older board ever
// follows a newer one. An interaction's own answer is the first attempt; what it could not
// do, or a crash cut off, a sender does.

// freshAfter is the age at which a live message is replaced by a new one: Discord limits
// edits of messages older than an hour.
const freshAfter = 50 * time.Minute

// politeAfter is how long the other side must have been silent to be pinged.
const politeAfter = time.Minute

// screens hands out the right to send for a match, and runs one sender for each.
type screens struct {
	mu    sync.Mutex
	busy  map[game.MatchID]*holder
	wants map[game.MatchID]bool // a sender runs; true: it must look once more
	fresh map[game.MatchID]bool // the next send is to be a new message
	taken map[game.MatchID]bool // from the other processes, and not yet given back
}

// holder is a lock with a count of those who hold or await it.
type holder struct {
	slot chan struct{}
	n    int
}

func newScreens() *screens {
	return &screens{busy: map[game.MatchID]*holder{}, wants: map[game.MatchID]bool{}, fresh: map[game.MatchID]bool{}, taken: map[game.MatchID]bool{}}
}

// hold waits until nobody else sends for the match. The caller must call release.
func (s *screens) hold(ctx context.Context, id game.MatchID) (release func(), err error) {
	s.mu.Lock()
	h := s.busy[id]
	if h == nil {
		h = &holder{slot: make(chan struct{}, 1)}
		s.busy[id] = h
	}
	h.n++
	s.mu.Unlock()
	leave := func() {
		s.mu.Lock()
		if h.n--; h.n == 0 {
			delete(s.busy, id)
		}
		s.mu.Unlock()
	}
	select {
	case h.slot <- struct{}{}:
		return func() { <-h.slot; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}

// brieflyHeld is how long somebody waits for a match's place who has an interaction to answer.
const brieflyHeld = 700 * time.Millisecond

// holdBriefly is hold for somebody who has an interaction to answer.
func (b *Bot) holdBriefly(ctx context.Context, id game.MatchID) (release func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, brieflyHeld)
	defer cancel()
	return b.hold(ctx, id)
}

// took notes that a screen was taken from the other processes; gave that it was given
// back, and says whether it had been taken.
func (s *screens) took(id game.MatchID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken[id] = true
}

func (s *screens) gave(id game.MatchID) (had bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	had = s.taken[id]
	delete(s.taken, id)
	return had
}

// refresh brings a match's live message up to date, soon and by one sender. With anew it
// comes as a new message, so that it is seen.
func (b *Bot) refresh(id game.MatchID, anew bool) {
	if b.alone() {
		b.refreshOwn(id, anew)
		return
	}
	b.tasks.Go(func() { b.pass(id, anew) })
}

// refreshOwn is refresh where this process is the owner.
func (b *Bot) refreshOwn(id game.MatchID, anew bool) {
	s := b.screens
	s.mu.Lock()
	defer s.mu.Unlock()
	if anew {
		s.fresh[id] = true
	}
	if _, running := s.wants[id]; running {
		s.wants[id] = true
		return
	}
	s.wants[id] = false
	if !b.tasks.Go(func() { b.send(id) }) {
		delete(s.wants, id)
		delete(s.fresh, id)
	}
}

// send is the sender of one match: it runs until the screen shows what is wanted.
func (b *Bot) send(id game.MatchID) {
	s := b.screens
	done := false
	defer func() {
		if !done { // a panic: the next one may send
			s.mu.Lock()
			delete(s.wants, id)
			s.mu.Unlock()
		}
	}()
	wait := 500 * time.Millisecond
	for try := 0; ; {
		s.mu.Lock()
		s.wants[id] = false
		anew := s.fresh[id]
		delete(s.fresh, id)
		s.mu.Unlock()

		err := b.sendOnce(b.tasks.Life, id, anew)
		var pause time.Duration
		switch trouble := chat.TroubleOf(err); {
		case err == nil:
			try = 0
		case b.tasks.Life.Err() != nil:
			return
		case (trouble == chat.Failed || trouble == chat.Busy) && try < 8:
			try++
			pause = wait * time.Duration(1<<min(try, 6))
			var e *chat.Error
			if errors.As(err, &e) && e.After > pause {
				pause = e.After
			}
		default:
			b.met.Error("screen")
			b.log.Warn("screen", "match", view.Name(id), "err", err)
		}
		if pause > 0 {
			if anew {
				s.mu.Lock()
				s.fresh[id] = true
				s.mu.Unlock()
			}
			if !b.tasks.Sleep(pause) {
				return
			}
			continue
		}
		s.mu.Lock()
		if !s.wants[id] {
			delete(s.wants, id)
			done = true
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
	}
}

// sendOnce shows the match as it stands, by the first way that is open.
func (b *Bot) sendOnce(ctx context.Context, id game.MatchID, anew bool) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	ctx, rec, err := b.asDue(ctx, id)
	if err != nil || rec.ID == 0 {
		return err
	}
	release, err := b.hold(ctx, id)
	if errors.Is(err, kv.ErrFenced) {
		return nil
	}
	if err != nil {
		return err
	}
	defer release()
	if rec, err = b.store.Match(ctx, id); errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	sc, err := b.store.Screen(ctx, id)
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	anew = anew || sc.Anew
	if sc.Late() || len(sc.Answers) > 0 || sc.Nonce != 0 || anew {
		if sc, err = b.sendBoard(ctx, rec, sc, anew); err != nil {
			return err
		}
	}
	return b.closeLeft(ctx, rec, sc, 0, token{})
}

// sendBoard brings the board to the screen and gives the screen as it then is.
func (b *Bot) sendBoard(ctx context.Context, rec storage.Record, sc storage.Screen, anew bool) (storage.Screen, error) {
	msg := b.paint.Match(rec, view.Look(rec.Match))
	now := b.now()
	sc, found, err := b.hear(ctx, rec, sc, msg)
	if err != nil || found || !sc.Late() && sc.Nonce == 0 && !anew {
		return sc, err
	}
	tok := tokenOf(sc, now)
	old := sc.Posted.Before(now.Add(-freshAfter)) && !sc.Posted.IsZero() && rec.Match.Result().Cause < game.Declined
	if !anew && !old && sc.Nonce == 0 {
		message, err := b.edit(ctx, sc, tok, msg)
		if err != nil {
			return sc, err
		}
		if message != 0 {
			return b.shown(ctx, rec, sc.Channel, message, tok)
		}
	}
	return b.post(ctx, rec, sc, tok, msg)
}

// asOwner reads a match and gives the context of its place's owner. The match has no id
// where there is nothing to do: it is gone, or its board is another process's to send.
func (b *Bot) asOwner(ctx context.Context, id game.MatchID) (context.Context, storage.Record, error) {
	rec, err := b.store.Match(ctx, id)
	if errors.Is(err, storage.ErrNotFound) {
		return ctx, storage.Record{}, nil
	}
	if err != nil {
		return ctx, rec, err
	}
	owner, ok := b.under(ctx, rec.Place)
	if !ok {
		return ctx, storage.Record{}, nil
	}
	return owner, rec, nil
}

// hear brings up to date the answers that a crash, or a call of unknown outcome, has hidden
// from us; the last one that is there is the live message.
func (b *Bot) hear(ctx context.Context, rec storage.Record, sc storage.Screen, msg chat.Message) (storage.Screen, bool, error) {
	found := false
	for _, a := range sc.Answers {
		message, err := uint64(0), error(&chat.Error{Trouble: chat.Lapsed})
		if b.now().Before(a.Expires) {
			message, err = b.chat.Send(ctx, chat.To{Token: a.Token, Original: true}, msg)
		}
		switch {
		case err == nil:
			found = true
			if sc, err = b.shown(ctx, rec, sc.Channel, message, token{a.Token, true, a.Expires}); err != nil {
				return sc, found, err
			}
			continue
		case chat.TroubleOf(err) == chat.Failed || chat.TroubleOf(err) == chat.Busy:
			return sc, found, err
		}
		if sc, err = b.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen { return sc.Heard(a.Token) }); err != nil {
			return sc, found, err
		}
	}
	return sc, found, nil
}

// setScreen changes the row of a screen; a match that is gone has none, which is no error.
func (b *Bot) setScreen(ctx context.Context, id game.MatchID, f func(storage.Screen) storage.Screen) (storage.Screen, error) {
	sc, err := b.store.SetScreen(ctx, id, func(sc storage.Screen) (storage.Screen, error) { return f(sc), nil })
	if errors.Is(err, storage.ErrNotFound) || errors.Is(err, kv.ErrFenced) {
		err = nil
	}
	return sc, err
}

// token is an interaction's token as a screen keeps it.
type token struct {
	value    string
	original bool // it is the token of the interaction whose own answer the message is
	expires  time.Time
}

// followUp marks a kept token whose message is a follow-up, not the interaction's answer.
const followUp = "f:"

func tokenOf(sc storage.Screen, now time.Time) token {
	if sc.Token == "" || !now.Before(sc.Expires) {
		return token{}
	}
	value, isFollowUp := strings.CutPrefix(sc.Token, followUp)
	return token{value, !isFollowUp, sc.Expires}
}

func (t token) kept() string {
	if t.value != "" && !t.original {
		return followUp + t.value
	}
	return t.value
}

// edit changes the live message: by the token while it is good, else by the bot's own. It
// gives the id of the message that it changed; zero when there is none to change, or it
// can be changed no more.
func (b *Bot) edit(ctx context.Context, sc storage.Screen, tok token, msg chat.Message) (message uint64, err error) {
	if tok.value != "" && (tok.original || sc.Message != 0) {
		to := chat.To{Token: tok.value, Original: tok.original, Message: sc.Message}
		message, err := b.chat.Send(ctx, to, msg)
		switch {
		case err == nil:
			return message, nil
		case chat.TroubleOf(err) == chat.Failed || chat.TroubleOf(err) == chat.Busy:
			return 0, err
		}
	}
	if sc.Message == 0 || sc.Channel == 0 {
		return 0, nil
	}
	message, err = b.sendHere(ctx, chat.To{Channel: sc.Channel, Message: sc.Message}, msg)
	switch {
	case err == nil:
		return message, nil
	case chat.TroubleOf(err) == chat.Failed || chat.TroubleOf(err) == chat.Busy || chat.TroubleOf(err) == chat.Refused:
		return 0, err
	}
	return 0, nil
}

// sendHere posts or edits by the bot's own token; where that may not attach files, the
// board comes as text.
func (b *Bot) sendHere(ctx context.Context, to chat.To, msg chat.Message) (uint64, error) {
	message, err := b.chat.Send(ctx, to, msg)
	if chat.TroubleOf(err) != chat.Locked || err == nil {
		return message, err
	}
	if plain, ok := msg.Plain(); ok {
		if message, err := b.chat.Send(ctx, to, plain); err == nil {
			return message, nil
		}
	}
	return message, err
}

// post shows the match in a new message. The old one is left to closeLeft. A post that
// may have been made before, by us or by a process that died, has the same nonce, so that
// Discord gives the message that there is; it is then brought up to date.
func (b *Bot) post(ctx context.Context, rec storage.Record, sc storage.Screen, tok token, msg chat.Message) (storage.Screen, error) {
	b.courtesy(rec.Match, &msg)
	again := sc.Nonce != 0
	if !again {
		var err error
		sc, err = b.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen {
			sc.Nonce = max(uint32(b.now().UnixMilli()), 1)
			return sc
		})
		if err != nil {
			return sc, err
		}
	}
	to := chat.To{Channel: rec.Place.Channel, Nonce: fmt.Sprintf("%s-%d", view.Key(rec.ID), sc.Nonce)}
	message, err := b.sendHere(ctx, to, msg)
	if err == nil && again {
		_, err = b.sendHere(ctx, chat.To{Channel: rec.Place.Channel, Message: message}, msg)
	}
	now := token{}
	if err != nil && tok.value != "" && chat.TroubleOf(err) != chat.Failed && chat.TroubleOf(err) != chat.Busy {
		// Where that fails for good too, what counts is that the place is gone.
		switch posted, again := b.chat.Send(ctx, chat.To{Token: tok.value}, msg); {
		case again == nil:
			message, err, now = posted, nil, token{tok.value, false, tok.expires}
		case chat.TroubleOf(again) == chat.Failed, chat.TroubleOf(again) == chat.Busy:
			err = again
		}
	}
	if err == nil {
		return b.shown(ctx, rec, rec.Place.Channel, message, now)
	}
	if chat.TroubleOf(err) == chat.Failed || chat.TroubleOf(err) == chat.Busy {
		return sc, err
	}
	// Nothing new can be posted: what is there is at least brought up to date.
	cause := err
	if sc.Message != 0 {
		if message, err := b.edit(ctx, sc, tok, msg); err != nil || message != 0 {
			if err == nil {
				return b.shown(ctx, rec, sc.Channel, message, tok)
			}
			return sc, err
		}
	}
	sc, err = b.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen { sc.Nonce = 0; return sc })
	if chat.TroubleOf(cause) != chat.NoPlace && chat.TroubleOf(cause) != chat.Locked {
		return sc, cause
	}
	b.lose(ctx, rec, cause)
	return sc, err
}

// closeLeft leaves a line where boards were. tok is a token that may edit message; the
// others go by the bot's own. What cannot be edited any more is forgotten.
func (b *Bot) closeLeft(ctx context.Context, rec storage.Record, sc storage.Screen, message uint64, tok token) error {
	var closed []storage.Message
	var failed error
	for _, left := range sc.Left {
		by := token{}
		if left.ID == message {
			by = tok
		}
		line := view.Line(rec, view.Jump(rec.Place, sc.Message))
		if left.ID != sc.Message { // it is the live one again
			_, err := b.edit(ctx, storage.Screen{Channel: left.Channel, Message: left.ID}, by, line)
			if err != nil && (chat.TroubleOf(err) == chat.Failed || chat.TroubleOf(err) == chat.Busy) {
				failed = err
				continue
			}
		}
		closed = append(closed, left)
	}
	if len(closed) == 0 {
		return failed
	}
	_, err := b.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen { return sc.Closed(closed...) })
	return errors.Join(failed, err)
}

// shown notes that the match's version is on the screen, in a message; another that was
// the live one is noted as left behind.
func (b *Bot) shown(ctx context.Context, rec storage.Record, channel, message uint64, tok token) (storage.Screen, error) {
	now := b.now()
	sc, err := b.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen {
		sc = sc.Heard(tok.value)
		if sc.Channel != channel { // the match was taken elsewhere meanwhile
			return sc.Leave(storage.Message{Channel: channel, ID: message})
		}
		if sc.Message != message {
			sc.Posted = now
			sc = sc.Leave(storage.Message{Channel: sc.Channel, ID: sc.Message})
		}
		sc.Message, sc.Nonce = message, 0
		if sc.Shown < rec.Match.Version || !b.alone() {
			// With others about a newer board may have been sent before this one came to
			// stand on it: then the screen is behind again, and the owner hears of it.
			sc.Shown = rec.Match.Version
		}
		sc.Token, sc.Expires = tok.kept(), tok.expires
		if sc.Anew = false; sc.Sender == b.process {
			sc.Sender, sc.Until = 0, time.Time{}
		}
		return sc
	})
	b.screens.gave(rec.ID)
	return sc, err
}

// unawait notes that the answer to r is no board.
func (b *Bot) unawait(ctx context.Context, r chat.Request, id game.MatchID) error {
	sc, err := b.store.Screen(ctx, id)
	if err != nil || !sc.Awaits(r.Token) {
		return nil
	}
	_, err = b.setScreen(ctx, id, func(sc storage.Screen) storage.Screen { return sc.Heard(r.Token) })
	return err
}

// await notes, before it is sent, that the answer to r is to be a board: after a crash its
// token finds it.
func (b *Bot) await(ctx context.Context, r chat.Request, id game.MatchID, sc storage.Screen) error {
	if sc.Awaits(r.Token) {
		return nil
	}
	_, err := b.setScreen(ctx, id, func(sc storage.Screen) storage.Screen {
		return sc.Await(storage.Answer{Token: r.Token, Expires: r.At.Add(chat.TokenLife)})
	})
	return err
}

// courtesy decides whether a new board pings the one who is to move: not when the other
// side acted a moment ago and so is surely looking.
func (b *Bot) courtesy(m game.Match, msg *chat.Message) {
	if m.Phase != game.Playing {
		return
	}
	seat := m.ToMove()
	if m.Undoing.Open {
		seat = 1 - int(m.Undoing.By)
	} else if m.DrawBy != 0 {
		seat = 2 - int(m.DrawBy)
	}
	s := m.Seats[seat]
	if s.Kind != game.MemberSeat || m.Seats[1-seat].Kind != game.MemberSeat && !m.Reminded {
		return
	}
	for i, ply := range m.Game().Plies() {
		if ply.Color == m.ColorOf(seat) && b.now().Sub(m.Log[i].At) < politeAfter && i >= len(m.Given) {
			return
		}
	}
	msg.Mention = s.Member
}

// lose lets a match rest whose place is gone, so that nobody loses on time meanwhile.
func (b *Bot) lose(ctx context.Context, rec storage.Record, cause error) {
	b.log.Info("place lost", "match", view.Name(rec.ID), "err", cause)
	if rec.Match.PerMove == 0 {
		return
	}
	_, err := b.update(ctx, rec.ID, storage.Cause{At: b.now()}, func(m game.Match) (game.Match, error) {
		return m.Rest(b.now())
	})
	var r *game.Refusal
	if err != nil && !errors.As(err, &r) {
		b.log.Error("rest", "match", view.Name(rec.ID), "err", err)
	}
}

// show answers an interaction that changed or asked for a match: it brings the board to
// the screen by the first way of the board's route, and answers the member with remark
// where the board itself is not the answer.
func (b *Bot) show(ctx context.Context, r chat.Request, id game.MatchID, remark string) error {
	release, err := b.holdBriefly(ctx, id)
	if err != nil {
		return b.elsewhere(ctx, r, id, remark, false)
	}
	defer release()
	rec, err := b.store.Match(ctx, id)
	if err != nil {
		return err
	}
	sc, err := b.store.Screen(ctx, id)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return err
	}
	onIt := onLive(r, id, sc)
	if onIt && sc.Message == 0 {
		sc.Message, sc.Token = r.Message, ""
	}
	own := token{r.Token, true, r.At.Add(chat.TokenLife)}
	msg := b.paint.Match(rec, view.Look(rec.Match))
	switch {
	case onIt && !b.handsOver(r, rec.Match):
		_, err = b.chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Replace, Message: msg})
		if err == nil {
			_, err := b.shown(ctx, rec, rec.Place.Channel, sc.Message, own)
			return err
		}
	case onIt:
		return b.passOn(ctx, r, rec, sc, msg)
	case r.Place.Channel == rec.Place.Channel && (sc.Message == 0 || r.Kind == chat.Slash && b.handsOver(r, rec.Match) || b.onlyHere(r, sc)):
		return b.becomeLive(ctx, r, rec, sc, msg)
	case r.Kind.Component() && !r.Private && r.Message != sc.Message:
		// An old board, or one that a crash hid from us: from now on it is a line.
		if err := b.unawait(ctx, r, id); err != nil {
			return err
		}
		b.refresh(id, b.handsOver(r, rec.Match))
		_, err = b.chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Replace, Message: view.Line(rec, view.Jump(rec.Place, sc.Message))})
		return err
	default:
		return b.elsewhere(ctx, r, id, remark, b.handsOver(r, rec.Match))
	}
	if chat.TroubleOf(err) != chat.Failed {
		b.log.Info("answer", "match", view.Name(id), "err", err)
	}
	b.refresh(id, false)
	return nil
}

// onlyHere reports whether the answer to r is the only way in which the board can be seen:
// nothing else may be sent or edited in this place any more.
func (b *Bot) onlyHere(r chat.Request, sc storage.Screen) bool {
	if r.Kind != chat.Slash && r.Kind != chat.Submit || tokenOf(sc, b.now()).value != "" {
		return false
	}
	speaks := r.Allowed.Send && !r.Thread || r.Allowed.SendInThreads && r.Thread
	return !r.Installed || !r.Direct && !(r.Allowed.View && speaks)
}

// elsewhere answers an interaction whose board is shown by the match's sender. A pressed
// board is only acknowledged, so that its token stays one by which it may be edited; any
// other answer makes a message of its own, and the token is of no use for the board.
func (b *Bot) elsewhere(ctx context.Context, r chat.Request, id game.MatchID, remark string, anew bool) error {
	err := b.unawait(ctx, r, id)
	b.refresh(id, anew)
	if err != nil {
		return err
	}
	if r.Kind.Component() && !r.Private {
		return b.acknowledge(ctx, r, "")
	}
	return b.acknowledge(ctx, r, remark)
}

// handsOver reports whether a member's act just made it the other member's turn to act,
// by a move or by an offer, so that a new message must call them.
func (b *Bot) handsOver(r chat.Request, m game.Match) bool {
	seat, ok := m.SeatOf(r.By)
	if !ok || m.Phase != game.Playing || m.AgainstEngine() || !m.Updated.Equal(stampOf(r.At)) {
		return false
	}
	asks := m.Undoing.Open && int(m.Undoing.By) == seat || int(m.DrawBy) == seat+1
	moved := m.Played() > 0 && m.ToMove() != seat && m.Log[len(m.Log)-1].At.Equal(m.Updated)
	return asks || moved
}

// onLive reports whether the live message of a match was pressed. A board that bears the
// match's buttons where no live message is known is one whose answer we never heard of.
func onLive(r chat.Request, id game.MatchID, sc storage.Screen) bool {
	if !r.Kind.Component() {
		return false
	}
	p, err := view.ParsePress(r.Custom)
	unknown := !r.Private && sc.Message == 0 && sc.Channel == r.Place.Channel && err == nil && p.Match == id &&
		!slices.Contains(sc.Left, storage.Message{Channel: r.Place.Channel, ID: r.Message})
	return r.Message == sc.Message && sc.Message != 0 || unknown
}

// stampOf is a time as a match's log keeps it.
func stampOf(t time.Time) time.Time { return time.UnixMilli(t.UnixMilli()).UTC() }

// passOn shows the board to the other member in a new message and leaves one line in the
// pressed one. The new board is the interaction's own answer, so that even after a crash
// its token finds it; the line goes by the older token or the bot's own. Where neither
// can change the pressed message, it is the answer that does, and the board follows.
func (b *Bot) passOn(ctx context.Context, r chat.Request, rec storage.Record, was storage.Screen, msg chat.Message) error {
	b.courtesy(rec.Match, &msg)
	old := tokenOf(was, b.now())
	if err := b.await(ctx, r, rec.ID, was); err != nil {
		return err
	}
	own := token{r.Token, true, r.At.Add(chat.TokenLife)}
	if old.value == "" && !r.Installed {
		if _, err := b.chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Replace, Message: view.Line(rec, "")}); err != nil {
			b.refresh(rec.ID, false)
			return nil
		}
		message, err := b.chat.Send(ctx, chat.To{Token: r.Token}, msg)
		if err != nil {
			b.refresh(rec.ID, false) // the pressed message becomes a board again
			return nil
		}
		own.original = false
		sc, err := b.shown(ctx, rec, rec.Place.Channel, message, own)
		if err != nil || len(sc.Left) == 0 {
			return err
		}
		// The pressed message is a line already.
		_, err = b.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen {
			return sc.Closed(storage.Message{Channel: was.Channel, ID: was.Message})
		})
		return err
	}
	message, err := b.chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Say, Message: msg})
	if err != nil || message == 0 {
		b.refresh(rec.ID, true) // its token finds it, if it is there
		return nil
	}
	sc, err := b.shown(ctx, rec, rec.Place.Channel, message, own)
	if err != nil {
		return err
	}
	sc = sc.Leave(storage.Message{Channel: was.Channel, ID: was.Message}) // where it was not known
	return b.closeOr(ctx, rec, sc, was.Message, old)
}

// closeOr closes what was left behind, for a while; what takes longer the match's sender
// does.
func (b *Bot) closeOr(ctx context.Context, rec storage.Record, sc storage.Screen, message uint64, tok token) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	if err := b.closeLeft(ctx, rec, sc, message, tok); err != nil {
		b.log.Debug("close", "match", view.Name(rec.ID), "err", err)
		b.refresh(rec.ID, false)
	}
	return nil
}

// becomeLive makes the answer itself the live message and leaves a line in the old one.
func (b *Bot) becomeLive(ctx context.Context, r chat.Request, rec storage.Record, sc storage.Screen, msg chat.Message) error {
	b.courtesy(rec.Match, &msg)
	if err := b.await(ctx, r, rec.ID, sc); err != nil {
		return err
	}
	message, err := b.chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Say, Message: msg})
	var e *chat.Error
	switch {
	case err == nil && message != 0:
	case errors.As(err, &e) && (e.Trouble == chat.Answered && e.Code == 0 || e.Trouble == chat.Lapsed):
		// The watchdog's private answer, or nobody's: not a place for the board.
		if err := b.unawait(ctx, r, rec.ID); err != nil {
			b.log.Error("screen", "match", view.Name(rec.ID), "err", err)
		}
		if !r.Installed && e.Trouble == chat.Answered {
			// Nothing but the interaction's own token reaches this place.
			if message, err := b.chat.Send(ctx, chat.To{Token: r.Token}, msg); err == nil {
				now, err := b.shown(ctx, rec, rec.Place.Channel, message, token{r.Token, false, r.At.Add(chat.TokenLife)})
				if err != nil {
					return err
				}
				return b.closeOr(ctx, rec, now, sc.Message, tokenOf(sc, b.now()))
			}
		}
		b.refresh(rec.ID, true)
		return nil
	default: // it may stand there: its token finds it, or else it is posted
		b.refresh(rec.ID, true)
		return nil
	}
	now, err := b.shown(ctx, rec, rec.Place.Channel, message, token{r.Token, true, r.At.Add(chat.TokenLife)})
	if err != nil {
		return err
	}
	return b.closeOr(ctx, rec, now, sc.Message, tokenOf(sc, b.now()))
}

// acknowledge answers an interaction whose board goes out by its own message: with the
// remark where there is one, else invisibly where that is possible.
func (b *Bot) acknowledge(ctx context.Context, r chat.Request, remark string) error {
	if remark == "" && (r.Kind.Component() || r.Kind == chat.Submit && r.Message != 0) {
		_, err := b.chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.DeferPress})
		return err
	}
	if remark == "" {
		remark = b.tongue(r).Say("done")
	}
	_, err := b.chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Say, Message: chat.Private(remark)})
	return err
}
