package storage

import (
	"context"
	"errors"
	"time"

	"tengen/game"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

// RecapEvery is the time from one recap of a member to the next.
const RecapEvery = 7 * 24 * time.Hour

// RecapAgenda tells when somebody's recap is due.
const RecapAgenda = Agenda(tRecapDue)

// Recap is a member's wish for a recap each week.
type Recap struct {
	Member game.MemberID
	Next   time.Time // when the next one is due; zero: they want none
}

// Wanted is r as a member wants it from now on. The first recap comes when a week is over.
func (r Recap) Wanted(yes bool, now time.Time) Recap {
	switch {
	case !yes:
		r.Next = time.Time{}
	case r.Next.IsZero():
		r.Next = now.Add(RecapEvery)
	}
	return r
}

// After is r once the recap that was due by now is taken in hand. Weeks in which the bot was away are not made up.
func (r Recap) After(now time.Time) Recap {
	for !r.Next.IsZero() && !r.Next.After(now) {
		r.Next = r.Next.Add(RecapEvery)
	}
	return r
}

func (r *Recap) Fields(f *codec.Fields) {
	f.Format(1, 1)
	f.Say("kind", "recap")
	codec.Part(f, "member", 0, &r.Member)
	f.Time("next", &r.Next)
}

func (r Recap) MarshalJSON() ([]byte, error) { return codec.Export(r) }

func recapKey(member game.MemberID) []byte { return key(tRecap, uint64(member)) }
func recapDueKey(r Recap) []byte           { return key(tRecapDue, millisOf(r.Next), uint64(r.Member)) }

func readRecap(r kv.Reader, member game.MemberID) (Recap, error) {
	return get[Recap](r, recapKey(member))
}

// Recap gives a member's wish.
func (s *Store) Recap(ctx context.Context, member game.MemberID) (Recap, error) {
	return lookAt[Recap](ctx, s, recapKey(member))
}

// UpdateRecap changes a member's wish by f, and gives it as it was before.
func (s *Store) UpdateRecap(ctx context.Context, member game.MemberID, f func(Recap) Recap) (was Recap, err error) {
	err = s.kv.Update(ctx, func(tx kv.Tx) (err error) {
		if was, err = readRecap(tx, member); err != nil {
			return err
		}
		return putRecap(tx, was, f(was))
	})
	return was, err
}

func putRecap(tx kv.Tx, was, is Recap) (err error) {
	if is.Member = was.Member; is.Next.Equal(was.Next) {
		return nil
	}
	if !was.Next.IsZero() {
		err = errors.Join(tx.Delete(recapKey(was.Member)), tx.Delete(recapDueKey(was)))
	}
	if !is.Next.IsZero() {
		err = errors.Join(err, tx.Put(recapKey(is.Member), codec.Encode(is)), tx.Put(recapDueKey(is), none))
	}
	return err
}

// DueRecaps gives at most n members whose recap is due by now, of those for whom want is true.
func (s *Store) DueRecaps(ctx context.Context, now time.Time, n int,
	want func(game.MemberID) bool) ([]game.MemberID, error) {
	return look(ctx, s, func(r kv.Reader) ([]game.MemberID, error) {
		return partsIn(r, dueBy(tRecapDue, now), 1, n, want)
	})
}

func (allRecaps) tables() []table {
	return []table{{tRecap, anyOf[Recap], verifyRecap, true}, {tRecapDue, markRow, verifyRecapDue, false}}
}

func verifyRecap(_ *Store, r kv.Reader, _ []byte, v any) error {
	return mustHave(r, recapDueKey(v.(Recap)))
}

func verifyRecapDue(_ *Store, r kv.Reader, k []byte, _ any) error {
	one, err := readRecap(r, game.MemberID(part(k, 1)))
	if err == nil && string(recapDueKey(one)) != string(k) {
		err = errors.New("no recap is due then")
	}
	return err
}

func (allRecaps) own(r kv.Reader, member game.MemberID) (name string, known []any, err error) {
	one, err := readRecap(r, member)
	if !one.Next.IsZero() {
		known = append(known, one)
	}
	return "recaps", known, err
}

func (allRecaps) forget(ctx context.Context, s *Store, member game.MemberID, _ time.Time) error {
	_, err := s.UpdateRecap(ctx, member, func(Recap) Recap { return Recap{} })
	return err
}

// takeBack has those come in a week that a clock which was ahead has put off.
func (allRecaps) takeBack(ctx context.Context, s *Store, now time.Time) error {
	later, err := look(ctx, s, func(r kv.Reader) ([]game.MemberID, error) {
		return partsIn[game.MemberID](r, notBelow(tRecapDue, millisOf(now.Add(RecapEvery+game.ClockError))), 1, -1, nil)
	})
	for _, member := range later {
		_, bad := s.UpdateRecap(ctx, member, func(r Recap) Recap {
			r.Next = millis(now.Add(RecapEvery).UnixMilli())
			return r
		})
		err = firstOf(err, bad)
	}
	return err
}
