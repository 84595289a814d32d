package storage

import (
	"context"
	"errors"
	"slices"
	"time"

	"tengen/game"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

// Screen is where a match is shown. Version is the match's.
type Screen struct {
	Match   game.MatchID
	Channel uint64
	Message uint64    // the live message; 0: there is none yet
	Posted  time.Time // when that message was made
	Shown   uint32    // the version that is on it
	Wanted  uint32    // the version that should be
	Token   string    // of an interaction that may edit it, good until Expires; not in backups
	Expires time.Time

	// Of a match between two members: see call.go.
	Acted   [2]time.Time // by seat: when its member last changed the match
	CallAt  time.Time    // when somebody is to be called; zero: nobody is
	Call    Call         // who was called, and the message that did it
	Last    uint64       // the newest message that called somebody
	Outside bool         // the bot was only brought along: it sends nothing there unasked
	Reads   bool         // the bot may read what was posted there, and so find a call again

	// What a crash may cut off. Each act is noted here before it begins.
	Awaited []AwaitedAnswer // that may show the match, or be about to, at most mostAnswers; not in backups
	Nonce   uint32          // of a board that is being posted; 0: none is
	Calls   bool            // the board under Nonce mentions who is called
	Retired []MessageRef    // messages that are to be deleted, at most mostRetired
	Keys    []MessageKey    // the tokens that may delete them; not in backups

	// Where several processes share a store: which of them sends, or answers, until when.
	// The others leave the message alone until it is done, which it says by setting Sender
	// to zero, or until then.
	Sender uint64
	Until  time.Time
	Anew   bool // the board is to come as a new message, so that it is seen
}

// Held reports whether a process other than by is sending.
func (s Screen) Held(by uint64, now time.Time) bool {
	return s.Sender != 0 && s.Sender != by && now.Before(s.Until)
}

// AwaitedAnswer is the answer to an interaction, which can be found by its token.
type AwaitedAnswer struct {
	Token   string
	Expires time.Time
	Calls   bool // the board in it mentions who is called
}

// MessageRef is where a message is.
type MessageRef struct{ Channel, ID uint64 }

// MessageKey is an interaction's token that may delete a message, good until Expires.
type MessageKey struct {
	Message uint64 // 0: the answer to the interaction itself, if there is one, is to be deleted
	Token   string // as Screen.Token
	Expires time.Time
}

// More than one answer there is only where members act at the same moment, more than one
// message left only where Discord refuses edits for long.
const (
	mostAwaited = 4
	mostRetired = 8
)

// Late reports whether the screen shows an older version than it should.
func (s Screen) Late() bool { return s.Shown < s.Wanted }

// unsettled reports whether anything is left to do about the screen.
func (s Screen) unsettled(now time.Time) bool {
	return s.Late() || s.unfinished() || s.CallDue(now)
}

// unfinished reports whether something was begun that a crash may have cut off.
func (s Screen) unfinished() bool {
	return len(s.Awaited) > 0 || len(s.Answers()) > 0 || s.Nonce != 0 || len(s.Retired) > 0 ||
		s.Call.InDoubt() || s.Strays()
}

// Awaits reports whether the answer of a token is among those that may show the match.
func (s Screen) Awaits(token string) bool {
	return slices.ContainsFunc(s.Awaited, func(a AwaitedAnswer) bool { return a.Token == token })
}

// Await notes that the answer of a token may show the match.
func (s Screen) Await(a AwaitedAnswer) Screen {
	if a.Token == "" || s.Awaits(a.Token) {
		return s
	}
	s.Awaited = append(slices.Clone(s.Awaited), a)
	s.Awaited = s.Awaited[max(0, len(s.Awaited)-mostAwaited):]
	return s
}

// Heard notes that the outcome of a token's answer is known.
func (s Screen) Heard(token string) Screen {
	s.Awaited = slices.DeleteFunc(slices.Clone(s.Awaited), func(a AwaitedAnswer) bool { return a.Token == token })
	if len(s.Awaited) == 0 {
		s.Awaited = nil
	}
	return s
}

// Retire notes that a message is to be deleted.
func (s Screen) Retire(m MessageRef) Screen {
	if m.ID == 0 || slices.Contains(s.Retired, m) {
		return s
	}
	s.Retired = append(slices.Clone(s.Retired), m)
	s.Retired = s.Retired[max(0, len(s.Retired)-mostRetired):]
	return s
}

// RetireBy is Retire for a message that a token may delete.
func (s Screen) RetireBy(m MessageRef, token string, expires time.Time) Screen {
	return s.Retire(m).KeyTo(m.ID, token, expires)
}

// KeyTo notes a token that may delete a message.
func (s Screen) KeyTo(message uint64, token string, expires time.Time) Screen {
	if message == 0 || token == "" {
		return s
	}
	s.Keys = append(slices.Clone(s.Keys), MessageKey{message, token, expires})
	s.Keys = s.Keys[max(0, len(s.Keys)-mostRetired):]
	return s
}

// retireAwaited notes that the answers that may show the match are to be deleted, should they be
// there.
func (s Screen) retireAwaited() Screen {
	s.Keys = slices.Clone(s.Keys)
	for _, a := range s.Awaited {
		s.Keys = append(s.Keys, MessageKey{Token: a.Token, Expires: a.Expires})
	}
	s.Awaited, s.Keys = nil, s.Keys[max(0, len(s.Keys)-mostRetired):]
	return s
}

// Answers gives the tokens whose answers are to be deleted.
func (s Screen) Answers() (tokens []string) {
	for _, k := range s.Keys {
		if k.Message == 0 {
			tokens = append(tokens, k.Token)
		}
	}
	return tokens
}

// AnswersClosed notes that the answers to tokens were deleted, or cannot be.
func (s Screen) AnswersClosed(tokens ...string) Screen {
	s.Keys = slices.DeleteFunc(slices.Clone(s.Keys), func(k MessageKey) bool {
		return k.Message == 0 && slices.Contains(tokens, k.Token)
	})
	if len(s.Keys) == 0 {
		s.Keys = nil
	}
	return s
}

// Closed notes that messages were deleted, or cannot be.
func (s Screen) Closed(done ...MessageRef) Screen {
	s.Keys = slices.DeleteFunc(slices.Clone(s.Keys), func(k MessageKey) bool {
		return slices.ContainsFunc(done, func(m MessageRef) bool { return m.ID == k.Message })
	})
	if len(s.Keys) == 0 {
		s.Keys = nil
	}
	s.Retired = slices.DeleteFunc(slices.Clone(s.Retired), func(m MessageRef) bool { return slices.Contains(done, m) })
	if len(s.Retired) == 0 {
		s.Retired = nil
	}
	return s
}

// Fields writes the lowest format that holds everything: the second has what a crash may cut off, the
// third who acted when and who was called, the fourth which calls can be looked for.
func (s *Screen) Fields(f *codec.Fields) {
	held, want := s.Sender != 0, byte(1)
	switch {
	case s.findable():
		want = 4
	case s.tracked():
		want = 3
	case s.Nonce != 0 || len(s.Retired) > 0 || held || s.Anew:
		want = 2
	}
	format := f.Format(want, 4)
	codec.Part(f, "", 0, &s.Match)
	codec.ID(f, "", &s.Channel)
	codec.ID(f, "", &s.Message)
	f.Time("", &s.Posted)
	codec.Number(f, "", &s.Shown, codec.Any32)
	codec.Number(f, "", &s.Wanted, codec.Any32)
	if format > 1 {
		f.Flag("", &s.Anew)
		f.Flag("", &held)
		codec.Number(f, "", &s.Nonce, codec.Any32)
		codec.Many(f, "", &s.Retired, 16, codec.AnyLength, func(f *codec.Fields, m *MessageRef) { m.Fields(f) })
		if held {
			codec.ID(f, "", &s.Sender)
			f.Time("", &s.Until)
			f.Must(s.Sender != 0)
		}
	}
	if format > 2 {
		s.called(f, format > 3)
	}
}

// tokens are those of a screen, in a row of their own: that of the live message; in a second format those
// of answers to be heard of; in a third those of messages to be deleted, and which answers call somebody.
type tokens struct{ *Screen }

func (s tokens) Fields(f *codec.Fields) {
	want := byte(1)
	switch {
	case len(s.Keys) > 0 || slices.ContainsFunc(s.Awaited, func(a AwaitedAnswer) bool { return a.Calls }):
		want = 3
	case len(s.Awaited) > 0:
		want = 2
	}
	format := f.Format(want, 3)
	f.Time("", &s.Expires)
	f.Text("", &s.Token, codec.AnyLength)
	if format > 1 {
		codec.Many(f, "", &s.Awaited, 2, codec.AnyLength, func(f *codec.Fields, a *AwaitedAnswer) {
			f.Time("", &a.Expires)
			if f.Text("", &a.Token, codec.AnyLength); format > 2 {
				f.Flag("", &a.Calls)
			}
		})
	}
	if format > 2 {
		codec.Many(f, "", &s.Keys, 10, codec.AnyLength, func(f *codec.Fields, k *MessageKey) {
			codec.ID(f, "", &k.Message)
			f.Time("", &k.Expires)
			f.Text("", &k.Token, codec.AnyLength)
		})
	}
}

// encodeTokens is the row of the tokens of a screen.
func encodeTokens(s Screen) []byte {
	f := codec.ToWrite(96)
	tokens{&s}.Fields(&f)
	return f.Row()
}

// decodeTokens reads the tokens of a screen into s.
func decodeTokens(s Screen, value []byte) (Screen, error) {
	f := codec.ToRead(value)
	tokens{&s}.Fields(&f)
	return s, f.End()
}

// expires reports whether a token is good no more.
func (s Screen) expires(now time.Time) bool {
	old := slices.ContainsFunc(s.Awaited, func(a AwaitedAnswer) bool { return !now.Before(a.Expires) })
	old = old || slices.ContainsFunc(s.Keys, func(k MessageKey) bool { return !now.Before(k.Expires) })
	return old || s.Token != "" && !now.Before(s.Expires)
}

// expire takes the tokens out that are good no more.
func (s Screen) expire(now time.Time) Screen {
	if !now.Before(s.Expires) {
		s.Token, s.Expires = "", time.Time{}
	}
	for _, a := range s.Awaited {
		if !now.Before(a.Expires) {
			s = s.Heard(a.Token)
		}
	}
	s.Keys = slices.DeleteFunc(slices.Clone(s.Keys), func(k MessageKey) bool { return !now.Before(k.Expires) })
	return s
}

func readScreen(r kv.Reader, id game.MatchID) (s Screen, found bool, err error) {
	if s, err = need[Screen](r, key(tScreen, uint64(id))); err != nil {
		if errors.Is(err, ErrNotFound) {
			err = nil
		}
		return Screen{Match: id}, false, err
	}
	var value []byte
	if value, err = r.Get(key(tToken, uint64(id))); err == nil && value != nil {
		s, err = decodeTokens(s, value)
	}
	return s, true, err
}

// write stores a screen, its tokens apart.
func (t *txn) write(was, s Screen) error {
	if err := writeTokens(t, was, s); err != nil {
		return err
	}
	return t.Put(key(tScreen, uint64(s.Match)), codec.Encode(s))
}

func writeTokens(tx kv.Tx, was, s Screen) error {
	k := key(tToken, uint64(s.Match))
	switch {
	case s.Token == was.Token && s.Expires.Equal(was.Expires) && slices.Equal(s.Awaited, was.Awaited) &&
		slices.Equal(s.Keys, was.Keys):
		return nil
	case s.Token == "" && len(s.Awaited) == 0 && len(s.Keys) == 0:
		return tx.Delete(k)
	}
	return tx.Put(k, encodeTokens(s))
}

// show asks for next to be shown.
func (t *txn) show(old *Record, next Record) error {
	if old == nil && next.Phase == game.Over { // what was over at once is shown nowhere
		return nil
	}
	was, _, err := readScreen(t, next.ID)
	if err != nil {
		return err
	}
	s := was
	if old == nil || old.Place != next.Place {
		s = Screen{Match: next.ID, Channel: next.Place.Channel, Retired: was.Retired, Keys: was.Keys, Awaited: was.Awaited,
			Sender: was.Sender, Until: was.Until, Acted: was.Acted, Call: was.Call, Outside: was.Outside,
			Reads: was.Reads}.RetireBy(MessageRef{was.Channel, was.Message}, was.Token, was.Expires)
		s = s.retireAwaited().Silence()
	}
	s.Wanted = next.Version
	s = s.acted(next.Match, t.cause)
	// The answer to a press of the live message, or to whatever comes while none is known,
	// may show the match: after a crash its token tells.
	if s.Message == 0 || s.Message == t.cause.Message {
		s = s.Await(AwaitedAnswer{Token: t.cause.Token, Expires: t.cause.Expires})
	}
	if t.cause.Sender != 0 && !s.Held(t.cause.Sender, t.cause.At) {
		s.Sender, s.Until = t.cause.Sender, t.cause.Until
	}
	return t.write(was, s)
}

// Screen gives the screen of a match; ErrNotFound when it has none any more.
func (s *Store) Screen(ctx context.Context, id game.MatchID) (Screen, error) {
	return look(ctx, s, func(r kv.Reader) (Screen, error) {
		screen, found, err := readScreen(r, id)
		if err == nil && !found {
			err = ErrNotFound
		}
		return screen, err
	})
}

// SetScreen notes what was done about the screen of a match. What f says of Wanted is
// not heard: that follows from the match.
func (s *Store) SetScreen(ctx context.Context, id game.MatchID,
	f func(Screen) (Screen, error)) (screen Screen, err error) {
	err = s.change(ctx, Cause{}, func(t *txn) error {
		was, found, err := readScreen(t, id)
		switch {
		case err != nil:
			return err
		case !found:
			return ErrNotFound
		}
		if screen, err = f(was); err != nil {
			return err
		}
		screen.Match, screen.Wanted = id, was.Wanted
		return t.write(was, screen)
	})
	return screen, err
}

// Late gives the screens about which something is left to do, oldest match first. After a
// start these are what a crash cut off.
func (s *Store) Late(ctx context.Context, now time.Time) ([]Screen, error) {
	return look(ctx, s, func(r kv.Reader) (late []Screen, err error) {
		tokens := map[game.MatchID][]byte{}
		err = r.Scan(key(tToken), key(tToken+1), func(k, v []byte) bool {
			tokens[game.MatchID(part(k, 0))] = slices.Clone(v)
			return true
		})
		var bad error
		err = errors.Join(err, scan(r, under(tScreen), func(_ []byte, screen Screen) bool {
			if value := tokens[screen.Match]; value != nil {
				screen, bad = decodeTokens(screen, value)
			}
			if bad == nil && screen.unsettled(now) {
				late = append(late, screen)
			}
			return bad == nil
		}))
		return late, errors.Join(err, bad)
	})
}

// Watch calls heard for each screen that any process writes, until ctx ends or the engine
// stops reporting; an engine of one process gives kv.ErrNoWatch at once. The screens come
// without their tokens. Writes from before the call are not reported.
func (s *Store) Watch(ctx context.Context, heard func(Screen)) error {
	return watch(ctx, s, tScreen, codec.Decode[Screen], heard)
}

// WatchMatches is Watch for the matches that any process saves. Those that are put away are not reported.
func (s *Store) WatchMatches(ctx context.Context, told func(Record)) error {
	return watch(ctx, s, tLive, func(k, v []byte) (Record, error) {
		return decodeRecord(game.MatchID(part(k, 0)), v)
	}, told)
}

func watch[T any](ctx context.Context, s *Store, table byte, decode func(k, v []byte) (T, error), heard func(T)) error {
	w, ok := s.kv.Engine.(kv.Watcher)
	if !ok {
		return kv.ErrNoWatch
	}
	return w.Watch(ctx, []byte{table}, []byte{table + 1}, func(k, v []byte) {
		if row, err := decode(k, v); err == nil {
			heard(row)
		}
	})
}
