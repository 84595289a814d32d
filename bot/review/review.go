// Package review shows members the reviews of finished games, and lets them try again where a
// fault was made. The desk makes a review and the store keeps it, once for all who ask. All
// that a press means stands in its custom id. Start from New and Reviews.Open.
package review

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"time"

	"tengen/ai/review"
	"tengen/bot/chat"
	"tengen/bot/desk"
	"tengen/bot/finder"
	"tengen/bot/room"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/tasks"
	"tengen/storage"
)

// Config is what Reviews need. All of it is needed.
type Config struct {
	room.Base
	Desk   *desk.Desk
	Finder *finder.Finder
}

// Reviews shows reviews. Any number of goroutines may call its methods.
type Reviews struct {
	Config

	mu       sync.Mutex
	awaiting map[wait]uint64        // by whom and for which review: the interaction whose answer is kept up to date
	trying   map[game.MemberID]bool // whose try is being judged
}

// wait is a member who waits for the review of a match.
type wait struct {
	by    game.MemberID
	match game.MatchID
}

// New makes the room.
func New(c Config) *Reviews {
	return &Reviews{Config: c, awaiting: map[wait]uint64{}, trying: map[game.MemberID]bool{}}
}

// Judging is how many tries are being judged.
func (s *Reviews) Judging() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.trying)
}

// Open shows the review of a match to the asking member alone. Where there is none yet, it
// asks the desk for one, and shows how far it is for as long as the answer can be edited.
func (s *Reviews) Open(ctx context.Context, r chat.Request, id game.MatchID) error {
	rec, err := s.finished(ctx, r, id)
	if err != nil {
		return err
	}
	made, owed, err := s.made(ctx, rec)
	if err != nil {
		return err
	}
	if made != nil {
		msg, err := s.House.Tongue(r).Review(rec, *made, r.By)
		if err != nil {
			return err
		}
		return chat.Reply(ctx, s.Chat, r, msg)
	}
	if !owed {
		if err := s.ask(ctx, r, rec); err != nil {
			return err
		}
	}
	return s.follow(ctx, r, rec)
}

// finished is a match of which there can be a review.
func (s *Reviews) finished(ctx context.Context, r chat.Request, id game.MatchID) (storage.Record, error) {
	rec, err := s.Finder.Readable(ctx, r, id)
	if err != nil {
		return rec, err
	}
	return rec, reviewable(rec.Match)
}

// reviewable refuses a match of which there can be no review.
func reviewable(m game.Match) error {
	switch {
	case m.Phase != game.Over:
		return view.No("review.running")
	case m.Game().Len() == 0:
		return view.No("review.nothing")
	}
	return nil
}

// seated is a match of which there can be a review, for a member who played in it.
func (s *Reviews) seated(ctx context.Context, by game.MemberID, id game.MatchID) (storage.Record, error) {
	rec, err := s.Store.Match(ctx, id)
	if err != nil {
		return rec, err
	}
	if _, sits := rec.SeatOf(by); !sits {
		return rec, &game.Refusal{Code: game.NotSeated}
	}
	return rec, reviewable(rec.Match)
}

// made is the review of a match as it stands; nil where there is none. owed says that one is
// asked for.
func (s *Reviews) made(ctx context.Context, rec storage.Record) (made *review.Review, owed bool, err error) {
	v, owed, err := s.Store.Review(ctx, rec.ID)
	if err != nil || v.Data == nil || v.Stamp != rec.Stamp() {
		return nil, owed, err
	}
	r, err := review.Unpack(v.Data, rec.Game())
	return &r, false, err
}

// Ask has the review of a match made, for a member who played in it. Asking again changes nothing.
func (s *Reviews) Ask(ctx context.Context, by game.MemberID, at time.Time, id game.MatchID) error {
	rec, err := s.seated(ctx, by, id)
	if err != nil {
		return err
	}
	if err := s.ask(ctx, chat.Request{By: by, At: at, Place: rec.Place}, rec); err != nil {
		return err
	}
	s.Desk.Review(rec)
	return nil
}

// ask asks for the review of a match. Its errors are refusals.
func (s *Reviews) ask(ctx context.Context, r chat.Request, rec storage.Record) error {
	err := s.Store.AskReview(ctx, rec.ID, r.By, venue.Place(r.Place), r.At)
	switch {
	case errors.Is(err, storage.ErrMemberReviews):
		return view.No("review.limit.member", "Count", storage.ReviewsAMember)
	case errors.Is(err, storage.ErrServerReviews):
		return view.No("review.limit.server", "Count", storage.ReviewsAServer)
	case errors.Is(err, storage.ErrNotOver):
		return view.No("review.running")
	case errors.Is(err, storage.ErrNotFound):
		return view.No("unknown.match")
	}
	return err
}

// show answers r like chat.Reply, and gives the way by which the message can be edited for a while.
func (s *Reviews) show(ctx context.Context, r chat.Request, msg chat.Message) (to chat.To, err error) {
	if r.Kind.Component() && r.Private {
		return chat.To{Token: r.Token, Original: true, Channel: r.Place.Channel}, chat.Edit(ctx, s.Chat, r, msg)
	}
	id, err := s.Chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Say, Message: msg})
	// "Original" might be the pressed board, where the answer came late.
	return chat.To{Token: r.Token, Message: id, Channel: r.Place.Channel}, err
}

// How long, and how often, an answer says how far a review is. A token is good for a quarter
// of an hour.
const (
	followFor   = 14 * time.Minute
	followEvery = 2 * time.Second
)

// follow has a review made that is owed. It answers with how far that is, and with the review as soon
// as it is there.
func (s *Reviews) follow(ctx context.Context, r chat.Request, rec storage.Record) error {
	t := s.House.Tongue(r)
	done, of, ahead := s.Desk.Review(rec)
	msg := t.ReviewProgress(rec.Match, done, of, ahead)
	to, err := s.show(ctx, r, msg)
	if err != nil || !to.Original && to.Message == 0 {
		return err
	}
	key := wait{r.By, rec.ID}
	s.mu.Lock()
	s.awaiting[key] = r.ID
	s.mu.Unlock()
	newest := func() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.awaiting[key] == r.ID }
	s.Tasks.Go(func() {
		ctx, cancel := context.WithTimeout(s.Tasks.Life, followFor)
		defer cancel()
		s.keepShowing(ctx, newest, to, t, rec, r.By, msg)
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.awaiting[key] == r.ID {
			delete(s.awaiting, key)
		}
	})
	return nil
}

// keepShowing edits a message until the review is there, or cannot be made, or a newer answer
// shows it.
func (s *Reviews) keepShowing(ctx context.Context, newest func() bool, to chat.To, t view.Tongue, rec storage.Record,
	by game.MemberID, shown chat.Message) {
	for tasks.Sleep(ctx, followEvery) == nil && newest() {
		msg, last, err := s.now(ctx, t, rec, by)
		if err != nil {
			s.Log.Warn("review", "match", view.Name(rec.ID), "err", err)
			return
		}
		if !reflect.DeepEqual(msg, shown) {
			if _, err := s.Chat.Send(ctx, to, msg); err != nil && !chat.Temporary(err) {
				return // the button of the game shows it
			} else if err == nil {
				shown = msg
			}
		}
		if last {
			return
		}
	}
}

// now is what is to be shown of a review. last says that nothing follows it.
func (s *Reviews) now(ctx context.Context, t view.Tongue, rec storage.Record,
	by game.MemberID) (msg chat.Message, last bool, err error) {
	if _, _, _, here := s.Desk.Reviewing(rec.ID); here {
		return s.progress(t, rec), false, nil
	}
	made, owed, err := s.made(ctx, rec)
	switch {
	case errors.Is(err, storage.ErrNotFound), err == nil && made == nil && !owed:
		return chat.Private(t.Say("review.failed")), true, nil
	case err != nil:
		return msg, false, err
	case made == nil:
		return s.progress(t, rec), false, nil
	}
	msg, err = t.Review(rec, *made, by)
	return msg, true, err
}

func (s *Reviews) progress(t view.Tongue, rec storage.Record) chat.Message {
	done, of, ahead, _ := s.Desk.Reviewing(rec.ID)
	return t.ReviewProgress(rec.Match, done, of, ahead)
}
