package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tengen/game"
	"tengen/game/venue"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

// How many reviews may be asked for in a day. Looking at one that is there, or waiting for one
// that another member has asked for, counts for nothing.
const (
	ReviewsAMember = 10
	ReviewsAServer = 50
)

// What AskReview refuses.
var (
	ErrMemberReviews = errors.New("the member has asked for as many reviews as a day allows")
	ErrServerReviews = errors.New("the server has asked for as many reviews as a day allows")
	ErrNotOver       = errors.New("the match is not over")
)

// reviewTries is how often a review is begun. A review that kills the process is not begun for
// ever.
const reviewTries = 3

// mostReview bounds a packed review, in bytes.
const mostReview = 4096

// Review is a review as it is stored: package ai/review knows what is in it.
type Review struct {
	Match game.MatchID
	Stamp uint32 // of the position that it was made of
	Data  []byte
}

func (v *Review) Fields(f *codec.Fields) {
	f.Format(1, 1)
	f.Say("kind", "review")
	codec.Part(f, "match", 0, &v.Match)
	codec.Number(f, "stamp", &v.Stamp, codec.Any32)
	data := string(v.Data)
	if f.Text("", &data, mostReview); f.Reading() {
		v.Data = []byte(data)
	}
	f.Say("data", v.Data) // packed
}

func (v Review) MarshalJSON() ([]byte, error) { return codec.Export(v) }

func reviewKey(id game.MatchID) []byte     { return key(tReview, uint64(id)) }
func reviewWorkKey(id game.MatchID) []byte { return key(tReviewing, uint64(id)) }

// askedKey is the row that counts what a member, or a server, has asked for in a day.
func askedKey(at time.Time, what byte, id uint64) []byte {
	return key(tAsked, dayOf(at), uint64(what), id)
}

// Review gives the review of a finished match as it stands. Without data there is none yet; owed
// says that one has been asked for.
func (s *Store) Review(ctx context.Context, id game.MatchID) (v Review, owed bool, err error) {
	err = s.kv.View(ctx, func(r kv.Reader) error {
		rec, err := readRecord(r, id)
		if err != nil {
			return err
		}
		v, owed, err = readReview(r, rec)
		return err
	})
	return v, owed, err
}

// readReview leaves out a review of what the match was before moves were taken back.
func readReview(r kv.Reader, rec Record) (v Review, owed bool, err error) {
	if v, err = need[Review](r, reviewKey(rec.ID)); err == nil && v.Stamp == rec.Stamp() ||
		err != nil && !errors.Is(err, ErrNotFound) {
		return v, false, err
	}
	v = Review{Match: rec.ID, Stamp: rec.Stamp()}
	w, err := need[Work](r, reviewWorkKey(rec.ID))
	if errors.Is(err, ErrNotFound) {
		return v, false, nil
	}
	return v, err == nil && w.Stamp == v.Stamp, err
}

// AskReview notes that the desk owes the review of a finished match, at the wish of a member
// in a place. Where there is one, or one is owed, it changes nothing.
func (s *Store) AskReview(ctx context.Context, id game.MatchID, member game.MemberID, place venue.Place,
	at time.Time) error {
	return s.kv.Update(ctx, func(tx kv.Tx) error {
		rec, err := readRecord(tx, id)
		if err != nil {
			return err
		}
		if rec.Phase != game.Over {
			return ErrNotOver
		}
		if v, owed, err := readReview(tx, rec); err != nil || owed || v.Data != nil {
			return err
		}
		err = countAsked(tx, askedKey(at, askedByMember, uint64(member)), ReviewsAMember, ErrMemberReviews)
		if err == nil && place.Server != 0 {
			err = countAsked(tx, askedKey(at, askedInServer, place.Server), ReviewsAServer, ErrServerReviews)
		}
		if err != nil {
			return err
		}
		return tx.Put(reviewWorkKey(id), codec.Encode(Work{Match: id, Stamp: rec.Stamp(), Since: at}))
	})
}

// Who is counted in the rows of what was asked.
const (
	askedByMember = 'p'
	askedInServer = 'v'
)

// countAsked counts one more, or gives over where there are as many as may be.
func countAsked(tx kv.Tx, k []byte, most uint64, over error) error {
	own, all, err := countOf(tx, k, part(k, 0), outliveAsked, part(k, 2))
	if err != nil {
		return err
	}
	if all >= most {
		return over
	}
	return tx.Put(k, codec.Encode(counter{own + 1}))
}

// OwedReviews gives the reviews that the desk owes, oldest first.
func (s *Store) OwedReviews(ctx context.Context) ([]Work, error) { return s.works(ctx, tReviewing) }

// TryReview counts one more beginning of a review; call it before the work begins. It is
// ErrNotFound where no review of the match as it stands is owed. A review that was begun too
// often is given up.
func (s *Store) TryReview(ctx context.Context, id game.MatchID) (rec Record, err error) {
	gone := false
	err = s.kv.Update(ctx, func(tx kv.Tx) error {
		gone = true
		w, err := need[Work](tx, reviewWorkKey(id))
		if err != nil {
			return err
		}
		rec, err = readRecord(tx, id)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		if err != nil || rec.Stamp() != w.Stamp || rec.Phase != game.Over || w.Tries >= reviewTries {
			return tx.Delete(reviewWorkKey(id))
		}
		gone = false
		w.Tries++
		return tx.Put(reviewWorkKey(id), codec.Encode(w))
	})
	if err == nil && gone {
		err = ErrNotFound
	}
	return rec, err
}

// PauseReview takes a try back that was ended without fault, so that it is begun again.
func (s *Store) PauseReview(ctx context.Context, id game.MatchID) error {
	return s.kv.Update(ctx, func(tx kv.Tx) error {
		w, err := need[Work](tx, reviewWorkKey(id))
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		w.Tries = max(0, w.Tries-1)
		return tx.Put(reviewWorkKey(id), codec.Encode(w))
	})
}

// PutReview stores a review that was made, and takes away what is owed. The first one of a
// position stays. A review of what the match is no longer is dropped.
func (s *Store) PutReview(ctx context.Context, v Review) error {
	if len(v.Data) == 0 || len(v.Data) > mostReview {
		return fmt.Errorf("review of %d bytes", len(v.Data))
	}
	return s.kv.Update(ctx, func(tx kv.Tx) error {
		rec, err := readRecord(tx, v.Match)
		if errors.Is(err, ErrNotFound) {
			return tx.Delete(reviewWorkKey(v.Match))
		}
		if err != nil {
			return err
		}
		if rec.Stamp() != v.Stamp || rec.Phase != game.Over {
			return nil // what is owed now is of another position
		}
		is, _, err := readReview(tx, rec)
		if err == nil && is.Data == nil {
			err = tx.Put(reviewKey(v.Match), codec.Encode(v))
		}
		return errors.Join(err, tx.Delete(reviewWorkKey(v.Match)))
	})
}

// dropReview takes the review of a match that is played on, or deleted.
func (t *txn) dropReview(id game.MatchID) error {
	return errors.Join(t.Delete(reviewKey(id)), t.Delete(reviewWorkKey(id)))
}

// verifyReview checks that a review, or what is owed of one, belongs to a finished match.
func verifyReview(_ *Store, r kv.Reader, k []byte, _ any) error {
	id := game.MatchID(part(k, 0))
	rec, err := readRecord(r, id)
	if err != nil {
		return fmt.Errorf("match %d: %w", id, err)
	}
	if rec.Phase != game.Over {
		return fmt.Errorf("match %d is not over, and has a review", id)
	}
	return nil
}

// forgetAsked takes the counts of a member.
func forgetAsked(tx kv.Tx, member game.MemberID) (gone [][]byte, err error) {
	return keysIn(tx, under(tAsked), -1, func(k []byte) bool {
		return part(k, 1) == askedByMember && part(k, 2) == uint64(member)
	})
}

// ReviewsAsked is how many reviews a member has asked for, by day.
type ReviewsAsked struct {
	Day   string `json:"day"`
	Count int    `json:"count"`
}

// askedOf gives what is counted of a member.
func askedOf(r kv.Reader, member game.MemberID) (asked []ReviewsAsked, err error) {
	err = scan(r, under(tAsked), func(k []byte, count counter) bool {
		if part(k, 1) == askedByMember && part(k, 2) == uint64(member) {
			day := time.Unix(int64(part(k, 0))*24*60*60, 0).UTC().Format(time.DateOnly)
			asked = append(asked, ReviewsAsked{day, int(count.n)})
		}
		return true
	})
	return asked, err
}
