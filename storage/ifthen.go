package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"tengen/game"
	"tengen/game/ifthen"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

// IfThen is what a member has laid down in a running match. Nobody else is shown it. It follows the match in the
// transaction of each change, and goes with the match's end.
type IfThen struct {
	Member  game.MemberID
	Match   game.MatchID
	Stamp   uint32 // the position from which on the lines go
	Version uint32 // of its content: each change makes one more
	Cursor  int    // where the member looks in it: the number of a node
	ifthen.Plan
}

func (v *IfThen) Fields(f *codec.Fields) {
	f.Format(1, 1)
	f.Say("kind", "if-then moves")
	codec.Part(f, "member", 0, &v.Member)
	codec.Part(f, "match", 1, &v.Match)
	codec.Number(f, "", &v.Stamp, codec.Any32)
	codec.Number(f, "", &v.Version, codec.Any32)
	codec.Number(f, "", &v.Cursor, ifthen.MostMoves)
	codec.Many(f, "lines", (*[][]game.Point)(&v.Lines), 2, ifthen.MostMoves,
		func(f *codec.Fields, line *[]game.Point) {
			f.Points("moves", line, ifthen.MostMoves)
			f.Must(len(*line) > 0)
		})
	if f.Flag("", &v.Refused); v.Refused {
		f.Point("refused", &v.Reply)
	}
}

func (v IfThen) MarshalJSON() ([]byte, error) { return codec.Export(v) }

func (v IfThen) key() []byte { return ifThenKey(v.Member, v.Match) }

func ifThenKey(member game.MemberID, match game.MatchID) []byte {
	return key(tIfThen, uint64(member), uint64(match))
}

// IfThen gives what a member has laid down in a match, and the match.
func (s *Store) IfThen(ctx context.Context, member game.MemberID, match game.MatchID) (v IfThen, rec Record,
	err error) {
	err = s.kv.View(ctx, func(r kv.Reader) (err error) {
		v, rec, err = readIfThen(r, member, match)
		return err
	})
	return v, rec, err
}

func readIfThen(r kv.Reader, member game.MemberID, match game.MatchID) (v IfThen, rec Record, err error) {
	if rec, err = readRecord(r, match); err == nil {
		v, err = get[IfThen](r, ifThenKey(member, match))
	}
	return v.at(rec), rec, err
}

// at is v for the position of a match: nothing is laid down where v was for another one.
func (v IfThen) at(rec Record) IfThen {
	if v.Stamp != rec.Stamp() {
		v.Stamp, v.Cursor, v.Plan = rec.Stamp(), 0, ifthen.Plan{}
	}
	return v
}

// UpdateIfThen changes what a member has laid down in a match by f. Where f changes nothing, nothing is written. The
// match stays as it is, and nobody is told.
func (s *Store) UpdateIfThen(ctx context.Context, member game.MemberID, match game.MatchID,
	f func(IfThen, Record) (IfThen, error)) (v IfThen, rec Record, err error) {
	err = s.kv.Update(ctx, func(tx kv.Tx) error {
		was, now, err := readIfThen(tx, member, match)
		if err != nil {
			return err
		}
		rec = now
		if v, err = f(was, rec); err != nil {
			return err
		}
		v.Member, v.Match, v.Stamp, v.Version = member, match, was.Stamp, was.Version
		if bytes.Equal(codec.Encode(v), codec.Encode(was)) {
			return nil
		}
		if !ifthen.May(rec.Match, member) {
			return &game.Refusal{Code: game.NotPlaying}
		}
		v.Version++
		return tx.Put(v.key(), codec.Encode(v))
	})
	return v, rec, err
}

// follow is next with the replies that members have laid down for what next has more than old. It keeps what still
// fits of what they have laid down.
func (t *txn) follow(old *Record, next Record) (Record, error) {
	if old == nil || !ifthen.In(old.Match) {
		return next, nil
	}
	var was [2]IfThen
	var plans [2]ifthen.Plan
	var err error
	for seat, s := range old.Seats {
		if was[seat], err = get[IfThen](t, ifThenKey(s.Member, old.ID)); err != nil {
			return next, err
		}
		plans[seat] = was[seat].at(*old).Plan
	}
	if next.Match, plans, err = ifthen.Follow(old.Match, next.Match, plans); err != nil {
		return next, err
	}
	for seat, v := range was {
		is := IfThen{v.Member, v.Match, next.Stamp(), v.Version + 1, 0, plans[seat]}
		moved, none := is.Stamp != v.Stamp, len(is.Lines) == 0 && !is.Refused
		switch {
		case v.Version == 0: // there is no row
		case next.Phase != game.Playing, moved && none:
			err = firstOf(err, t.Delete(v.key()))
		case moved, len(is.Lines) != len(v.Lines):
			err = firstOf(err, t.Put(v.key(), codec.Encode(is)))
		}
	}
	return next, err
}

// dropIfThens deletes what is laid down in a match that is deleted.
func (t *txn) dropIfThens(rec Record) (err error) {
	for _, s := range rec.Seats {
		if ifthen.In(rec.Match) {
			err = firstOf(err, t.Delete(ifThenKey(s.Member, rec.ID)))
		}
	}
	return err
}

func (allIfThens) tables() []table { return []table{{tIfThen, anyOf[IfThen], verifyIfThen, true}} }

// verifyIfThen looks for the match of a row, in which its member must be playing.
func verifyIfThen(_ *Store, r kv.Reader, _ []byte, value any) error {
	v := value.(IfThen)
	rec, err := readRecord(r, v.Match)
	if errors.Is(err, ErrNotFound) || err == nil && !ifthen.May(rec.Match, v.Member) {
		err = fmt.Errorf("member %d has if-then moves in match %d, which they do not play", v.Member, v.Match)
	}
	return err
}

func (allIfThens) own(r kv.Reader, member game.MemberID) (name string, known []any, err error) {
	all, err := allIn[IfThen](r, under(tIfThen, uint64(member)))
	for _, v := range all {
		known = append(known, v)
	}
	return "if_then_moves", known, err
}

func (allIfThens) forget(ctx context.Context, s *Store, member game.MemberID, _ time.Time) error {
	return s.deleteIn(ctx, under(tIfThen, uint64(member)), nil)
}
