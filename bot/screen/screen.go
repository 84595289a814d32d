// Package screen is which message shows which version of a match, who sends it, and what a
// crash left behind. It answers an interaction with the board where that is the way, and
// sends the rest by itself; what stands on a board is the view's, and what changes a match
// the commands'. Start from New, Screens.Show and Screens.Refresh.
package screen

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"tengen/bot/chat"
	"tengen/bot/metrics"
	"tengen/bot/view"
	"tengen/game"
	"tengen/internal/tasks"
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

// House is what the screens need of the bot around them.
type House interface {
	// Alone reports that no other process can be there.
	Alone() bool
	// Owns reports whether this process does what nobody asks for in a place.
	Owns(p chat.Place) bool
	// Due is a match with a context for what is to be done there unasked. The match has no id
	// where that is another process's to do, or it is gone.
	Due(ctx context.Context, id game.MatchID) (context.Context, storage.Record, error)
	// Update changes a match.
	Update(ctx context.Context, id game.MatchID, c storage.Cause, f func(game.Match) (game.Match, error)) (storage.Record, error)
	// Changed is told of a match that another process has changed.
	Changed(rec storage.Record)
	// Tongue is the language of the asking member.
	Tongue(r chat.Request) view.Tongue
}

// Config is what Screens are made of. All of it is needed, but for Metrics.
type Config struct {
	House   House
	Store   *storage.Store
	Chat    chat.Chat
	Paint   view.Painter
	Tasks   *tasks.Group
	Log     *slog.Logger
	Metrics *metrics.Figures
	Now     func() time.Time
}

// Screens hands out the right to send for a match, and runs one sender for each.
type Screens struct {
	Config
	process uint64 // names this process to the others
	behind  behind

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

// New makes screens. They send nothing before they are asked to.
func New(c Config) *Screens {
	return &Screens{Config: c, process: rand.Uint64() | 1, busy: map[game.MatchID]*holder{}, wants: map[game.MatchID]bool{},
		fresh: map[game.MatchID]bool{}, taken: map[game.MatchID]bool{}}
}

// Busy is for how many matches somebody sends, or is about to.
func (s *Screens) Busy() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.busy) + len(s.wants) + len(s.fresh)
}

// HoldHere waits until nobody else of this process sends for the match. The caller must call
// release.
func (s *Screens) HoldHere(ctx context.Context, id game.MatchID) (release func(), err error) {
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
func (s *Screens) holdBriefly(ctx context.Context, id game.MatchID) (release func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, brieflyHeld)
	defer cancel()
	return s.hold(ctx, id)
}

// took notes that a screen was taken from the other processes; gave that it was given
// back, and says whether it had been taken.
func (s *Screens) took(id game.MatchID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken[id] = true
}

func (s *Screens) gave(id game.MatchID) (had bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	had = s.taken[id]
	delete(s.taken, id)
	return had
}

// Refresh brings a match's live message up to date, soon and by one sender. With anew it
// comes as a new message, so that it is seen.
func (s *Screens) Refresh(id game.MatchID, anew bool) {
	if s.House.Alone() {
		s.refreshOwn(id, anew)
		return
	}
	s.Tasks.Go(func() { s.pass(id, anew) })
}

// refreshOwn is refresh where this process is the owner.
func (s *Screens) refreshOwn(id game.MatchID, anew bool) {
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
	if !s.Tasks.Go(func() { s.send(id) }) {
		delete(s.wants, id)
		delete(s.fresh, id)
	}
}

// send is the sender of one match: it runs until the screen shows what is wanted.
func (s *Screens) send(id game.MatchID) {
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

		err := s.sendOnce(s.Tasks.Life, id, anew)
		var pause time.Duration
		switch trouble := chat.TroubleOf(err); {
		case err == nil:
			try = 0
		case s.Tasks.Life.Err() != nil:
			return
		case (trouble == chat.Failed || trouble == chat.Busy) && try < 8:
			try++
			pause = wait * time.Duration(1<<min(try, 6))
			var e *chat.Error
			if errors.As(err, &e) && e.After > pause {
				pause = e.After
			}
		default:
			s.Metrics.Error("screen")
			s.Log.Warn("screen", "match", view.Name(id), "err", err)
		}
		if pause > 0 {
			if anew {
				s.mu.Lock()
				s.fresh[id] = true
				s.mu.Unlock()
			}
			if !s.Tasks.Sleep(pause) {
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
func (s *Screens) sendOnce(ctx context.Context, id game.MatchID, anew bool) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	ctx, rec, err := s.House.Due(ctx, id)
	if err != nil || rec.ID == 0 {
		return err
	}
	release, err := s.hold(ctx, id)
	if errors.Is(err, kv.ErrFenced) {
		return nil
	}
	if err != nil {
		return err
	}
	defer release()
	if rec, err = s.Store.Match(ctx, id); errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	sc, err := s.Store.Screen(ctx, id)
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	anew = anew || sc.Anew
	if sc.Late() || len(sc.Awaited) > 0 || sc.Nonce != 0 || anew {
		if sc, err = s.sendBoard(ctx, rec, sc, anew); err != nil {
			return err
		}
	}
	return s.closeLeft(ctx, rec, sc, 0, token{})
}

// sendBoard brings the board to the screen and gives the screen as it then is.
func (s *Screens) sendBoard(ctx context.Context, rec storage.Record, sc storage.Screen, anew bool) (storage.Screen, error) {
	msg := s.Paint.Match(rec, view.Look(rec.Match))
	now := s.Now()
	sc, found, err := s.hear(ctx, rec, sc, msg)
	if err != nil || found || !sc.Late() && sc.Nonce == 0 && !anew {
		return sc, err
	}
	tok := tokenOf(sc, now)
	old := sc.Posted.Before(now.Add(-freshAfter)) && !sc.Posted.IsZero() && rec.Match.Result().Cause < game.Declined
	if !anew && !old && sc.Nonce == 0 {
		message, err := s.edit(ctx, sc, tok, msg)
		if err != nil {
			return sc, err
		}
		if message != 0 {
			return s.shown(ctx, rec, sc.Channel, message, tok)
		}
	}
	return s.post(ctx, rec, sc, tok, msg)
}

// hear brings up to date the answers that a crash, or a call of unknown outcome, has hidden
// from us; the last one that is there is the live message.
func (s *Screens) hear(ctx context.Context, rec storage.Record, sc storage.Screen, msg chat.Message) (storage.Screen, bool, error) {
	found := false
	for _, a := range sc.Awaited {
		message, err := uint64(0), error(&chat.Error{Trouble: chat.Lapsed})
		if s.Now().Before(a.Expires) {
			message, err = s.Chat.Send(ctx, chat.To{Token: a.Token, Original: true}, msg)
		}
		switch {
		case err == nil:
			found = true
			if sc, err = s.shown(ctx, rec, sc.Channel, message, token{a.Token, true, a.Expires}); err != nil {
				return sc, found, err
			}
			continue
		case chat.TroubleOf(err) == chat.Failed || chat.TroubleOf(err) == chat.Busy:
			return sc, found, err
		}
		if sc, err = s.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen { return sc.Heard(a.Token) }); err != nil {
			return sc, found, err
		}
	}
	return sc, found, nil
}

// setScreen changes the row of a screen; a match that is gone has none, which is no error.
func (s *Screens) setScreen(ctx context.Context, id game.MatchID, f func(storage.Screen) storage.Screen) (storage.Screen, error) {
	sc, err := s.Store.SetScreen(ctx, id, func(sc storage.Screen) (storage.Screen, error) { return f(sc), nil })
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

// FollowUp is the token of an interaction for a message that is a follow-up of it, as the
// store keeps it.
func FollowUp(token string) string { return followUp + token }

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
func (s *Screens) edit(ctx context.Context, sc storage.Screen, tok token, msg chat.Message) (message uint64, err error) {
	if tok.value != "" && (tok.original || sc.Message != 0) {
		to := chat.To{Token: tok.value, Original: tok.original, Message: sc.Message}
		message, err := s.Chat.Send(ctx, to, msg)
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
	message, err = s.sendHere(ctx, chat.To{Channel: sc.Channel, Message: sc.Message}, msg)
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
func (s *Screens) sendHere(ctx context.Context, to chat.To, msg chat.Message) (uint64, error) {
	message, err := s.Chat.Send(ctx, to, msg)
	if chat.TroubleOf(err) != chat.Locked || err == nil {
		return message, err
	}
	if plain, ok := msg.Plain(); ok {
		if message, err := s.Chat.Send(ctx, to, plain); err == nil {
			return message, nil
		}
	}
	return message, err
}

// post shows the match in a new message. The old one is left to closeLeft. A post that
// may have been made before, by us or by a process that died, has the same nonce, so that
// Discord gives the message that there is; it is then brought up to date.
func (s *Screens) post(ctx context.Context, rec storage.Record, sc storage.Screen, tok token, msg chat.Message) (storage.Screen, error) {
	s.courtesy(rec.Match, &msg)
	again := sc.Nonce != 0
	if !again {
		var err error
		sc, err = s.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen {
			sc.Nonce = max(uint32(s.Now().UnixMilli()), 1)
			return sc
		})
		if err != nil {
			return sc, err
		}
	}
	to := chat.To{Channel: rec.Place.Channel, Nonce: fmt.Sprintf("%s-%d", view.Key(rec.ID), sc.Nonce)}
	message, err := s.sendHere(ctx, to, msg)
	if err == nil && again {
		_, err = s.sendHere(ctx, chat.To{Channel: rec.Place.Channel, Message: message}, msg)
	}
	now := token{}
	if err != nil && tok.value != "" && chat.TroubleOf(err) != chat.Failed && chat.TroubleOf(err) != chat.Busy {
		// Where that fails for good too, what counts is that the place is gone.
		switch posted, again := s.Chat.Send(ctx, chat.To{Token: tok.value}, msg); {
		case again == nil:
			message, err, now = posted, nil, token{tok.value, false, tok.expires}
		case chat.TroubleOf(again) == chat.Failed, chat.TroubleOf(again) == chat.Busy:
			err = again
		}
	}
	if err == nil {
		return s.shown(ctx, rec, rec.Place.Channel, message, now)
	}
	if chat.TroubleOf(err) == chat.Failed || chat.TroubleOf(err) == chat.Busy {
		return sc, err
	}
	// Nothing new can be posted: what is there is at least brought up to date.
	cause := err
	if sc.Message != 0 {
		if message, err := s.edit(ctx, sc, tok, msg); err != nil || message != 0 {
			if err == nil {
				return s.shown(ctx, rec, sc.Channel, message, tok)
			}
			return sc, err
		}
	}
	sc, err = s.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen { sc.Nonce = 0; return sc })
	if chat.TroubleOf(cause) != chat.NoPlace && chat.TroubleOf(cause) != chat.Locked {
		return sc, cause
	}
	s.Lose(ctx, rec, cause)
	return sc, err
}

// closeLeft leaves a line where boards were. tok is a token that may edit message; the
// others go by the bot's own. What cannot be edited any more is forgotten.
func (s *Screens) closeLeft(ctx context.Context, rec storage.Record, sc storage.Screen, message uint64, tok token) error {
	var closed []storage.MessageRef
	var failed error
	for _, left := range sc.Retired {
		by := token{}
		if left.ID == message {
			by = tok
		}
		line := view.Line(rec, view.Jump(rec.Place, sc.Message))
		if left.ID != sc.Message { // it is the live one again
			_, err := s.edit(ctx, storage.Screen{Channel: left.Channel, Message: left.ID}, by, line)
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
	_, err := s.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen { return sc.Closed(closed...) })
	return errors.Join(failed, err)
}

// shown notes that the match's version is on the screen, in a message; another that was
// the live one is noted as left behind.
func (s *Screens) shown(ctx context.Context, rec storage.Record, channel, message uint64, tok token) (storage.Screen, error) {
	now := s.Now()
	sc, err := s.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen {
		sc = sc.Heard(tok.value)
		if sc.Channel != channel { // the match was taken elsewhere meanwhile
			return sc.Retire(storage.MessageRef{Channel: channel, ID: message})
		}
		if sc.Message != message {
			sc.Posted = now
			sc = sc.Retire(storage.MessageRef{Channel: sc.Channel, ID: sc.Message})
		}
		sc.Message, sc.Nonce = message, 0
		if sc.Shown < rec.Match.Version || !s.House.Alone() {
			// With others about a newer board may have been sent before this one came to
			// stand on it: then the screen is behind again, and the owner hears of it.
			sc.Shown = rec.Match.Version
		}
		sc.Token, sc.Expires = tok.kept(), tok.expires
		if sc.Anew = false; sc.Sender == s.process {
			sc.Sender, sc.Until = 0, time.Time{}
		}
		return sc
	})
	s.gave(rec.ID)
	return sc, err
}

// unawait notes that the answer to r is no board.
func (s *Screens) unawait(ctx context.Context, r chat.Request, id game.MatchID) error {
	sc, err := s.Store.Screen(ctx, id)
	if err != nil || !sc.Awaits(r.Token) {
		return nil
	}
	_, err = s.setScreen(ctx, id, func(sc storage.Screen) storage.Screen { return sc.Heard(r.Token) })
	return err
}

// await notes, before it is sent, that the answer to r is to be a board: after a crash its
// token finds it.
func (s *Screens) await(ctx context.Context, r chat.Request, id game.MatchID, sc storage.Screen) error {
	if sc.Awaits(r.Token) {
		return nil
	}
	_, err := s.setScreen(ctx, id, func(sc storage.Screen) storage.Screen {
		return sc.Await(storage.AwaitedAnswer{Token: r.Token, Expires: r.At.Add(chat.TokenLife)})
	})
	return err
}

// courtesy decides whether a new board pings the one who is to move: not when the other
// side acted a moment ago and so is surely looking.
func (s *Screens) courtesy(m game.Match, msg *chat.Message) {
	if m.Phase != game.Playing {
		return
	}
	seat := m.ToMove()
	if m.Undoing.Open {
		seat = 1 - int(m.Undoing.By)
	} else if m.DrawBy != 0 {
		seat = 2 - int(m.DrawBy)
	}
	seated := m.Seats[seat]
	if seated.Kind != game.MemberSeat || m.Seats[1-seat].Kind != game.MemberSeat && !m.Reminded {
		return
	}
	for i, ply := range m.Game().Plies() {
		if ply.Color == m.ColorOf(seat) && s.Now().Sub(m.Log[i].At) < politeAfter && i >= len(m.Given) {
			return
		}
	}
	msg.Mention = seated.Member
}

// Lose lets a match rest whose place is gone, so that nobody loses on time meanwhile.
func (s *Screens) Lose(ctx context.Context, rec storage.Record, cause error) {
	s.Log.Info("place lost", "match", view.Name(rec.ID), "err", cause)
	if rec.Match.PerMove == 0 {
		return
	}
	_, err := s.House.Update(ctx, rec.ID, storage.Cause{At: s.Now()}, func(m game.Match) (game.Match, error) {
		return m.Rest(s.Now())
	})
	var r *game.Refusal
	if err != nil && !errors.As(err, &r) {
		s.Log.Error("rest", "match", view.Name(rec.ID), "err", err)
	}
}
