package storage

import (
	"context"
	"slices"

	"tengen/game"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

// The archive of a member is a list of ids in bundles, because a row of its own for each
// game would cost more than the game. A bundle's key holds its first id, inverted, so that
// the newest bundle comes first.

const maxBundle = 64

// bundle is ids in ascending order.
type bundle []game.MatchID

func (b *bundle) Fields(f *codec.Fields) {
	f.Format(1, 1)
	before := game.MatchID(0)
	for i := 0; i < len(*b) || f.GoesOn(); i++ {
		if f.Reading() {
			*b = append(*b, 0)
		}
		step := (*b)[i] - before
		codec.Number(f, "", &step, codec.Any64)
		f.Must(step != 0 && before+step > before)
		before += step
		(*b)[i] = before
	}
}

func bundleKey(member game.MemberID, first game.MatchID) []byte {
	return key(tHistory, uint64(member), ^uint64(first))
}

// bundlesFrom are the bundles of a member from the one that would begin with a match on, the newest first.
func bundlesFrom(member game.MemberID, first game.MatchID) span {
	return span{bundleKey(member, first), under(tHistory, uint64(member)).to}
}

// bundleFor reads the bundle in which id is or would be: the one with the largest first
// id that is not larger than id, else the oldest of all; nil if there is none.
func bundleFor(r kv.Reader, member game.MemberID, id game.MatchID) (k []byte, b bundle, err error) {
	err = scan(r, bundlesFrom(member, id), func(at []byte, v bundle) bool {
		k, b = at, v
		return false
	})
	return k, b, err
}

// remember adds a match to the archive of a member.
func (t *txn) remember(member game.MemberID, id game.MatchID) error {
	k, b, err := bundleFor(t, member, id)
	if err != nil {
		return err
	}
	i, found := slices.BinarySearch(b, id)
	if found {
		return nil
	}
	b = slices.Insert(b, i, id)
	if k == nil {
		return t.Put(bundleKey(member, id), codec.Encode(b))
	}
	if len(b) > maxBundle {
		half := len(b) / 2
		if i == len(b)-1 {
			half = len(b) - 1 // games come in order: the full bundle stays full
		}
		if err := t.Put(bundleKey(member, b[half]), codec.Encode(b[half:])); err != nil {
			return err
		}
		b = b[:half]
	}
	return t.Put(k, codec.Encode(b))
}

// unremember takes a match out of the archive of a member.
func (t *txn) unremember(member game.MemberID, id game.MatchID) error {
	k, b, err := bundleFor(t, member, id)
	if err != nil {
		return err
	}
	i, found := slices.BinarySearch(b, id)
	if !found {
		return nil
	}
	b = slices.Delete(b, i, i+1)
	if err := t.Delete(k); err != nil || len(b) == 0 {
		return err
	}
	return t.Put(bundleKey(member, b[0]), codec.Encode(b))
}

// chronicle keeps the archives of the members in step with the change from old to next,
// either of which may be nil.
func (t *txn) chronicle(old, next *Record) error {
	var was, is []game.MemberID
	if old != nil && old.archived() {
		was = old.members()
	}
	if next != nil && next.archived() {
		is = next.members()
	}
	for _, m := range was {
		if !slices.Contains(is, m) {
			if err := t.unremember(m, old.ID); err != nil {
				return err
			}
		}
	}
	for _, m := range is {
		if !slices.Contains(was, m) {
			if err := t.remember(m, next.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// History gives at most n archived matches of a member, newest first, that began before
// the match before; 0: from the newest on.
func (s *Store) History(ctx context.Context, member game.MemberID, before game.MatchID,
	n int) (recs []Record, err error) {
	return look(ctx, s, func(r kv.Reader) ([]Record, error) {
		ids, err := historyIDs(r, member, before, n)
		if err != nil {
			return nil, err
		}
		return readRecords(r, ids)
	})
}

// Past are the games that a member played to an end before the match before; 0: all of them.
// It looks at the n newest.
func (s *Store) Past(ctx context.Context, member game.MemberID, before game.MatchID, n int) (game.Past, error) {
	recs, err := s.History(ctx, member, before, n)
	past := make(game.Past, 0, len(recs))
	for _, rec := range recs {
		past = append(past, rec.Match)
	}
	return past, err
}

func historyIDs(r kv.Reader, member game.MemberID, before game.MatchID, n int) (ids []game.MatchID, err error) {
	err = scan(r, bundlesFrom(member, before-1), func(_ []byte, b bundle) bool {
		for _, id := range slices.Backward(b) {
			if (before == 0 || id < before) && len(ids) < n {
				ids = append(ids, id)
			}
		}
		return len(ids) < n
	})
	return ids, err
}
