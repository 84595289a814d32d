// Package screen brings boards to Discord: it knows which message shows which version of a
// match, decides who sends the next one, and repairs what a crash left behind. Package view
// draws the boards, and the commands change the matches. Start from New, Screens.Show and
// Screens.Refresh.
package screen

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tengen/ai/review"
	"tengen/bot/chat"
	"tengen/bot/outbox"
	"tengen/bot/pad"
	"tengen/bot/room"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
	"tengen/storage/kv"
)

// A match has one live message. Its storage.Screen tells where that message is and which
// version it shows. A sender holds the match's lock while it sends, so that no older board
// ever follows a newer one. The answer to an interaction is the first attempt to show a
// board. A background sender does what that answer could not do, and what a crash cut off.

// House is what the screens need of the bot.
type House interface {
	room.House
	// Alone reports that no other process can share the store.
	Alone() bool
	// Due gives a match, and a context for the unasked work on it. The match has no id where
	// another process does that work, or the match is gone.
	Due(ctx context.Context, id game.MatchID) (context.Context, storage.Record, error)
	// Reply waits a moment for the engine's move, where it is about to be there.
	Reply(ctx context.Context, id game.MatchID)
	// Calls is when the member in a seat of a match is called.
	Calls(ctx context.Context, rec storage.Record, seat int) (Calls, error)
	// Turning is the move at which a finished match turned; nil where that is not proven in time.
	Turning(ctx context.Context, m game.Match) *review.Ply
	// Changed hears of a match that another process has changed.
	Changed(rec storage.Record)
}

// Config is what Screens need. Only Metrics may be left out.
type Config struct {
	room.Base
	House House
}

// Screens hands out the right to send for a match, and runs at most one sender for each match.
type Screens struct {
	Config
	process uint64 // identifies this process to the others
	behind  behind

	catching atomic.Int64 // calls of CatchUp that go on

	mu      sync.Mutex
	busy    map[game.MatchID]*holder
	senders map[game.MatchID]*sender // those that run
	taken   map[game.MatchID]bool    // the screens that this process holds against the others

	planned map[game.MatchID]storage.Screen // when somebody is to be called, or a last edit is due
	parted  map[game.MatchID]time.Time      // the tokens that have made their last edit, by when they end
	news    news
}

// holder is a lock with the number of goroutines that hold it or wait for it.
type holder struct {
	lock chan struct{}
	n    int
}

// sender is what is asked of the goroutine that sends the board of a match.
type sender struct {
	again bool // to send
	anew  bool // a new message
}

// New makes screens. They send nothing before Show, Refresh or CatchUp is called.
func New(c Config) *Screens {
	return &Screens{Config: c, process: rand.Uint64() | 1, busy: map[game.MatchID]*holder{},
		senders: map[game.MatchID]*sender{}, taken: map[game.MatchID]bool{},
		planned: map[game.MatchID]storage.Screen{}, parted: map[game.MatchID]time.Time{}, news: news{}}
}

// Busy is zero once nothing is being sent, and nothing is about to be.
func (s *Screens) Busy() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.busy) + len(s.senders) + int(s.catching.Load())
}

// HoldHere waits until nothing else in this process sends for the match. The caller must call
// release.
func (s *Screens) HoldHere(ctx context.Context, id game.MatchID) (release func(), err error) {
	s.mu.Lock()
	h := s.busy[id]
	if h == nil {
		h = &holder{lock: make(chan struct{}, 1)}
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
	case h.lock <- struct{}{}:
		return func() { <-h.lock; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}

// brieflyHeld is how long the handler of an interaction waits for a match's lock.
const brieflyHeld = 700 * time.Millisecond

// holdBriefly is hold for the handler of an interaction, whose member waits.
func (s *Screens) holdBriefly(ctx context.Context, id game.MatchID) (release func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, brieflyHeld)
	defer cancel()
	return s.hold(ctx, id)
}

// took notes that this process now holds a screen against the others.
func (s *Screens) took(id game.MatchID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken[id] = true
}

// gave notes that this process holds a screen no more, and reports whether it did.
func (s *Screens) gave(id game.MatchID) (had bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	had = s.taken[id]
	delete(s.taken, id)
	return had
}

// Refresh has a sender bring a match's live message up to date soon. With anew the board comes
// as a new message, so that members notice it.
func (s *Screens) Refresh(id game.MatchID, anew bool) {
	if s.House.Alone() {
		s.refreshOwn(id, anew)
		return
	}
	s.Tasks.Go(func() { s.pass(id, anew) })
}

// refreshOwn is Refresh for a match that this process owns.
func (s *Screens) refreshOwn(id game.MatchID, anew bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one, running := s.senders[id]
	if !running {
		one = &sender{}
	}
	one.again, one.anew = true, one.anew || anew
	if !running && s.Tasks.Go(func() { s.send(id, one) }) {
		s.senders[id] = one
	}
}

// send is the sender of one match: it runs until nothing more is asked of it.
func (s *Screens) send(id game.MatchID, one *sender) {
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.senders[id] == one { // a panic: the next sender may start
			delete(s.senders, id)
		}
	}()
	for try := 0; ; {
		s.mu.Lock()
		asked := *one
		*one = sender{}
		if !asked.again {
			delete(s.senders, id)
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()

		err := s.sendOnce(s.Tasks.Life, id, asked.anew)
		switch {
		case err == nil:
			try = 0
			continue
		case s.Tasks.Life.Err() != nil:
			return
		case !chat.Temporary(err) || try == 8:
			s.Metrics.Error("screen")
			s.Log.Warn("screen", "match", view.Name(id), "err", err)
			continue
		}
		try++
		pause := time.Second << min(try-1, 5)
		var e *chat.Error
		if errors.As(err, &e) {
			pause = max(pause, e.After)
		}
		s.mu.Lock()
		one.again, one.anew = true, one.anew || asked.anew
		s.mu.Unlock()
		if !s.Tasks.Sleep(pause) {
			return
		}
	}
}

// sendOnce shows the match as it stands, by the first way that is open: an answer that a crash
// hid, an edit, or a new message.
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
	defer func() { s.plan(sc) }()
	sc, again, err := s.settleCall(ctx, rec, sc)
	if err != nil {
		return err
	}
	seat, due, err := s.callee(ctx, rec, sc)
	if err != nil {
		return err
	}
	due = due && !sc.Outside
	anew = anew || sc.Anew || due && s.buried(sc)
	if s.parts(rec, sc) || sc.Late() || len(sc.Awaited) > 0 || sc.Nonce != 0 || anew {
		if sc, err = s.sendBoard(ctx, rec, sc, anew); err != nil {
			return err
		}
		seat, due, err = s.callee(ctx, rec, sc) // the board may have called
		if err != nil {
			return err
		}
		due = due && !sc.Outside
	}
	switch {
	case due:
		sc, err = s.call(ctx, rec, sc, seat, again)
	case !sc.Outside:
		sc, err = s.leaveAlone(ctx, rec, sc)
	}
	if err != nil {
		return err
	}
	if sc, err = s.relink(ctx, rec, sc); err != nil {
		return err
	}
	return s.closeLeft(ctx, rec, sc)
}

// sendBoard brings the board to the screen and gives the screen as it then is.
func (s *Screens) sendBoard(ctx context.Context, rec storage.Record, sc storage.Screen,
	anew bool) (storage.Screen, error) {
	msg := s.paint(ctx, rec, pad.For(rec.Match))
	now := s.Now()
	parts := s.parts(rec, sc)
	if parts {
		msg = view.GoesOn(rec, msg)
		defer s.part(sc)
	}
	sc, found, err := s.hear(ctx, rec, sc, msg)
	if err != nil || found || !sc.Late() && sc.Nonce == 0 && !anew && !parts {
		return sc, err
	}
	tok := tokenOf(sc, now)
	old := s.tooOld(sc) && rec.Match.Result().Termination < game.Declined
	edit := !anew && !old && sc.Nonce == 0
	if edit {
		message, gone, err := s.edit(ctx, rec, sc, &tok, msg)
		switch {
		case err != nil:
			return sc, err
		case message != 0:
			return s.shown(ctx, rec, sc.Channel, message, tok)
		case gone: // it is not looked for again
			if sc, err = s.setScreen(ctx, rec.ID, func(now storage.Screen) storage.Screen {
				if now.Message == sc.Message {
					now.Message = 0
				}
				return now
			}); err != nil {
				return sc, err
			}
		}
	}
	return s.post(ctx, rec, sc, tok, msg, edit)
}

// hear looks for answers of which it is not known whether Discord took them: a crash or a
// failed call hid that. It brings those that are there up to date, and the last of them
// becomes the live message.
func (s *Screens) hear(ctx context.Context, rec storage.Record, sc storage.Screen,
	msg chat.Message) (storage.Screen, bool, error) {
	found := false
	for _, a := range sc.Awaited {
		message, err := uint64(0), error(&chat.Error{Trouble: chat.Lapsed})
		unsent := false
		if s.Now().Before(a.Expires) {
			message, err = s.Chat.Send(ctx, chat.To{Token: a.Token, Original: true, Channel: sc.Channel}, msg)
			unsent = err != nil
		}
		switch {
		case err == nil:
			found = true
			if sc, err = s.shown(ctx, rec, sc.Channel, message, token{a.Token, true, a.Expires}); err != nil {
				return sc, found, err
			}
			continue
		case chat.Temporary(err):
			return sc, found, err
		}
		if sc, err = s.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen {
			if sc = sc.Heard(a.Token); a.Calls && unsent {
				return s.uncalled(rec, sc)
			}
			return sc // whether an answer called that nobody can ask for any more is not known
		}); err != nil {
			return sc, found, err
		}
	}
	return sc, found, nil
}

// Stuck says above the live board of a match that the engine's move cannot be kept, since the disk is
// full. It stores nothing; the next board takes the words away.
func (s *Screens) Stuck(id game.MatchID) {
	s.Tasks.Go(func() {
		ctx := s.Tasks.Life
		rec, err := s.Store.Match(ctx, id)
		if err != nil || !rec.EngineToMove() {
			return
		}
		sc, err := s.Store.Screen(ctx, id)
		if err != nil {
			return
		}
		msg := s.paint(ctx, rec, pad.For(rec.Match))
		said := view.In(rec.Look.Language).Say("play.stuck")
		msg.Blocks = append([]chat.Block{{Text: said}}, msg.Blocks...)
		tok := tokenOf(sc, s.Now())
		if _, _, err := s.edit(ctx, rec, sc, &tok, msg); err != nil {
			s.Log.Warn("screen", "match", view.Name(id), "err", err)
		}
	})
}

// setScreen changes the stored screen of a match. A match that is gone, or that another process
// owns by now, is no error.
func (s *Screens) setScreen(ctx context.Context, id game.MatchID,
	f func(storage.Screen) storage.Screen) (storage.Screen, error) {
	sc, err := s.Store.SetScreen(ctx, id, func(sc storage.Screen) (storage.Screen, error) { return f(sc), nil })
	if errors.Is(err, storage.ErrNotFound) || errors.Is(err, kv.ErrFenced) {
		err = nil
	}
	return sc, err
}

// token is an interaction's token as a screen keeps it.
type token struct {
	value    string
	original bool // the message is the answer to the token's interaction, not a follow-up
	expires  time.Time
}

// followUp marks a kept token whose message is a follow-up, not the interaction's answer.
const followUp = "f:"

// FollowUp is the form in which the store keeps the token of an interaction whose board is a
// follow-up message.
func FollowUp(token string) string { return followUp + token }

// answerToken is the token of r for a board that is the answer to r itself.
func answerToken(r chat.Request) token { return token{r.Token, true, r.At.Add(chat.TokenLife)} }

// tokenOf is the token that the store keeps of a screen; empty once it has expired.
func tokenOf(sc storage.Screen, now time.Time) token {
	if sc.Token == "" || !now.Before(sc.Expires) {
		return token{}
	}
	value, isFollowUp := strings.CutPrefix(sc.Token, followUp)
	return token{value, !isFollowUp, sc.Expires}
}

// kept is the token as the store keeps it.
func (t token) kept() string {
	if t.value != "" && !t.original {
		return followUp + t.value
	}
	return t.value
}

// edit changes the live message: by tok while that is valid, else by the bot's own token. It
// gives the id of the message that it changed, and zero where there is no message or Discord
// lets nobody change it any more; gone says that it was deleted. edit empties a token that
// turns out to have lapsed.
func (s *Screens) edit(ctx context.Context, rec storage.Record, sc storage.Screen, tok *token,
	msg chat.Message) (message uint64, gone bool, err error) {
	if tok.value != "" && (tok.original || sc.Message != 0) {
		to := chat.To{Token: tok.value, Original: tok.original, Message: sc.Message}
		message, err := s.Chat.Send(ctx, to, msg)
		switch {
		case err == nil:
			return message, false, nil
		case chat.Temporary(err):
			return 0, false, err
		case chat.TroubleOf(err) == chat.Lapsed:
			*tok = token{}
		}
	}
	if sc.Message == 0 || sc.Channel == 0 {
		return 0, false, nil
	}
	to := chat.To{Server: rec.Place.Server, Channel: sc.Channel, Message: sc.Message}
	message, err = outbox.Send(ctx, s.Chat, to, msg)
	switch {
	case err == nil:
		return message, false, nil
	case chat.Temporary(err) || chat.TroubleOf(err) == chat.Refused:
		return 0, false, err
	}
	return 0, chat.TroubleOf(err) == chat.Gone, nil
}

// post shows the match in a new message, and leaves the old one to closeLeft. The board calls
// whoever is to be called. A post that may have been made before, by this process or by one that
// died, is looked for by its mark, or repeats the nonce: Discord then gives the message that is there
// already. post brings that up to date. With edited the old message has just refused to be edited.
func (s *Screens) post(ctx context.Context, rec storage.Record, sc storage.Screen, tok token, msg chat.Message,
	edited bool) (storage.Screen, error) {
	again := sc.Nonce != 0
	if !again {
		seat, due, err := s.callee(ctx, rec, sc)
		if err != nil {
			return sc, err
		}
		sc, err = s.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen {
			sc.Nonce, sc.Calls = s.nonce(), due && current(rec, sc)
			switch {
			case sc.Calls:
				sc = sc.Calling(rec.Match, seat, 0)
			case rec.Reminded: // the new board does it
				sc = sc.Silence()
			}
			return sc
		})
		if err != nil {
			return sc, err
		}
	}
	msg.Mark = boardMark(sc)
	there, sure, err := s.lookFor(ctx, rec, sc, again, tok)
	if err != nil {
		return sc, err
	}
	if sure {
		if called := s.mentioned(ctx, rec, sc); len(called) > 0 {
			msg.Mention, msg.Mentions = called[0], called[1:]
		}
	}
	to := chat.To{Server: rec.Place.Server, Channel: rec.Place.Channel, Message: there,
		Nonce: fmt.Sprintf("%s-%d", view.Key(rec.ID), sc.Nonce)}
	message, by, err := s.postOnce(ctx, to, again, tok, msg)
	if err == nil {
		return s.shown(ctx, rec, rec.Place.Channel, message, by)
	}
	if chat.Temporary(err) {
		return sc, err
	}
	// Nothing new can be posted, so at least the message that is there is brought up to date.
	cause := err
	if sc.Message != 0 && !edited {
		if message, _, err := s.edit(ctx, rec, sc, &tok, msg); err != nil || message != 0 {
			if err == nil {
				return s.shown(ctx, rec, sc.Channel, message, tok)
			}
			return sc, err
		}
	}
	sc, err = s.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen { sc.Nonce, sc.Calls = 0, false; return sc })
	if chat.TroubleOf(cause) != chat.NoPlace && chat.TroubleOf(cause) != chat.Locked {
		return sc, cause
	}
	if sc.Outside && s.Paint.Page { // the place is there: nobody can show the match in it, and it goes on on the page
		return sc, err
	}
	s.Lose(ctx, rec, cause)
	return sc, err
}

// postOnce posts a board by the bot's own token, or else as a follow-up of tok. It gives the token by which
// the message can be edited later. It brings the message of to up to date where there is one, and, with
// again, one that the nonce of to finds.
func (s *Screens) postOnce(ctx context.Context, to chat.To, again bool, tok token,
	msg chat.Message) (message uint64, by token, err error) {
	message, err = outbox.Send(ctx, s.Chat, to, msg)
	if err == nil && again && to.Message == 0 {
		_, err = outbox.Send(ctx, s.Chat, chat.To{Server: to.Server, Channel: to.Channel, Message: message}, msg)
	}
	if err == nil || tok.value == "" || chat.Temporary(err) {
		return message, token{}, err
	}
	refused := err // it decides if a follow-up fails for good too: the place is gone
	message, err = s.Chat.Send(ctx, chat.To{Token: tok.value, Message: to.Message}, msg)
	if err != nil && !chat.Temporary(err) {
		err = refused
	}
	return message, token{tok.value, false, tok.expires}, err
}

// lookFor looks for a board that may have been posted before, where its nonce would not find it: the
// nonce is too old, or a follow-up of tok may be it, which has none. sure is false where nobody can tell:
// such a board is posted again, without a mention, since a match is better shown twice than not at all.
func (s *Screens) lookFor(ctx context.Context, rec storage.Record, sc storage.Screen, again bool,
	tok token) (message uint64, sure bool, err error) {
	forgotten := old(sc.Nonce, s.Now())
	if !again || !forgotten && tok.value == "" {
		return 0, true, nil
	}
	message, err = s.Chat.Find(ctx, rec.Place.Channel, boardMark(sc), begun(sc.Nonce, s.Now()))
	if err != nil && !chat.Temporary(err) {
		return 0, !forgotten, nil
	}
	return message, true, err
}

// boardMark is the number by which a board is found that was being posted.
func boardMark(sc storage.Screen) uint32 {
	h := fnv.New32a()
	fmt.Fprint(h, sc.Match, sc.Nonce)
	return h.Sum32()>>1 | 1
}

// closeLeft deletes the messages that were left behind: boards that were live, and calls that are
// over. A message that the bot may not delete is left for another time (RetryLate), and one that
// nobody can ever delete is forgotten.
func (s *Screens) closeLeft(ctx context.Context, rec storage.Record, sc storage.Screen) error {
	var closed []storage.MessageRef
	var failed error
	for _, left := range sc.Retired {
		if left.ID != sc.Message { // else it is the live message again
			err := s.reach(rec, sc, left, func(to chat.To) error { return s.Chat.Delete(ctx, to) })
			switch {
			case chat.Temporary(err):
				failed = err
				continue
			case mayLater(err) && !sc.Outside:
				continue
			}
		}
		closed = append(closed, left)
	}
	var answers []string // of which it is not known whether they became boards
	for _, tok := range sc.Answers() {
		if err := s.Chat.Delete(ctx, chat.To{Token: tok, Original: true}); chat.Temporary(err) {
			failed = err
			continue
		}
		answers = append(answers, tok)
	}
	if len(closed)+len(answers) == 0 {
		return failed
	}
	_, err := s.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen {
		return sc.Closed(closed...).AnswersClosed(answers...)
	})
	return errors.Join(failed, err)
}

// mayLater reports whether what Discord refuses now it may allow later.
func mayLater(err error) bool {
	var e *chat.Error
	return errors.As(err, &e) && (e.Trouble == chat.Locked || e.Trouble == chat.NoPlace && e.Code != unknownChannel)
}

// unknownChannel is Discord's code for a channel that does not exist any more.
const unknownChannel = 10003

// reach does something to a message, by the tokens that may, until one of them does it, else by the bot's own. A
// temporary error ends it too. Where the bot was only brought along, its own fails, unless it just does not know yet
// that it is in the server.
func (s *Screens) reach(rec storage.Record, sc storage.Screen, m storage.MessageRef, do func(chat.To) error) error {
	for _, k := range sc.Keys {
		tok := tokenOf(storage.Screen{Token: k.Token, Expires: k.Expires}, s.Now())
		if k.Message != m.ID || tok.value == "" {
			continue
		}
		err := do(chat.To{Token: tok.value, Original: tok.original, Message: m.ID})
		if err == nil || chat.Temporary(err) {
			return err
		}
	}
	return do(chat.To{Server: rec.Place.Server, Channel: m.Channel, Message: m.ID})
}

// shown notes that a message shows the match's version and is the live one. A message that was
// live before is noted as left behind.
func (s *Screens) shown(ctx context.Context, rec storage.Record, channel, message uint64,
	tok token) (storage.Screen, error) {
	now := s.Now()
	sc, err := s.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen {
		sc = sc.Heard(tok.value)
		if sc.Channel == 0 { // it was put away
			sc.Channel = channel
		}
		if sc.Channel != channel { // the match has been moved to another channel meanwhile
			return sc.RetireBy(storage.MessageRef{Channel: channel, ID: message}, tok.kept(), tok.expires)
		}
		if sc.Message != message {
			sc.Posted = now
			sc = sc.RetireBy(storage.MessageRef{Channel: sc.Channel, ID: sc.Message}, sc.Token, sc.Expires)
		}
		sc.Message, sc.Nonce, sc.Calls = message, 0, false
		if sc.Shown < rec.Match.Version || !s.House.Alone() {
			// Another process may have sent a newer board, which this one then replaced. An
			// older version noted here makes the owner send the newer one again.
			sc.Shown = rec.Match.Version
		}
		sc.Token, sc.Expires = tok.kept(), tok.expires
		if sc.Anew = false; sc.Sender == s.process {
			sc.Sender, sc.Until = 0, time.Time{}
		}
		return sc
	})
	s.gave(rec.ID)
	s.ours(channel, message)
	return sc, err
}

// unawait notes that the answer to r will not be a board, and has called nobody.
func (s *Screens) unawait(ctx context.Context, r chat.Request, rec storage.Record) error {
	sc, err := s.Store.Screen(ctx, rec.ID)
	if err != nil || !sc.Awaits(r.Token) {
		return nil
	}
	_, err = s.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen {
		calls := slices.ContainsFunc(sc.Awaited, func(a storage.AwaitedAnswer) bool { return a.Token == r.Token && a.Calls })
		if sc = sc.Heard(r.Token); calls {
			return s.uncalled(rec, sc)
		}
		return sc
	})
	return err
}

// await notes, before the answer to r is sent, that it will be a board, and with note whom that
// calls. After a crash the token of r finds that board.
func (s *Screens) await(ctx context.Context, r chat.Request, rec storage.Record, was storage.Screen,
	note func(storage.Screen) storage.Screen) error {
	if note == nil && was.Awaits(r.Token) {
		return nil
	}
	_, err := s.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen {
		was := sc.Call
		if note != nil {
			sc = note(sc)
		}
		return sc.Heard(r.Token).Await(storage.AwaitedAnswer{Token: r.Token, Expires: r.At.Add(chat.TokenLife),
			Calls: sc.Call != was})
	})
	return err
}

// Lose lets a match rest when its channel is gone, so that nobody loses on time meanwhile, and no
// engine plays on where nobody sees it.
func (s *Screens) Lose(ctx context.Context, rec storage.Record, cause error) {
	level := slog.LevelInfo
	if !rec.Match.Rested.IsZero() { // it is known, and only the board is behind
		level = slog.LevelDebug
	}
	s.Log.Log(ctx, level, "place lost", "match", view.Name(rec.ID), "err", cause)
	if rec.Match.Clock == (game.Clock{}) && !view.BetweenEngines(rec.Match) {
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
