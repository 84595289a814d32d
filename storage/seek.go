package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tengen/game"
	"tengen/game/seek"
	"tengen/game/venue"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

// Seek is a member who looks for an opponent of their strength, or has met some by that of late.
type Seek struct {
	seek.Seek
	Look Look // of the board, if it is the member's
}

// Drawn makes the match of two who have found each other. The first has waited longer. It is quick and pure.
type Drawn func(id game.MatchID, first, second seek.Seek) (game.Match, error)

// SeekAgenda tells when somebody who waits is to be looked after.
const SeekAgenda = Agenda(tSeekDue)

func (v *Seek) Fields(f *codec.Fields) {
	f.Format(1, 1)
	f.Say("kind", "seek")
	looks := !v.Until.IsZero()
	codec.Part(f, "member", 0, &v.Member)
	codec.ID(f, "server", &v.Place.Server)
	codec.ID(f, "channel", &v.Place.Channel)
	codec.ID(f, "", &v.ID)
	if f.Flag("looks?", &looks); looks {
		f.Terms(&v.Game)
		if !f.Exporting() {
			f.Bank(&v.Game.Clock)
		}
		f.Float("rating", &v.Rating)
		f.Flag("new?", &v.New)
		f.Time("since", &v.Since)
		f.Time("until", &v.Until)
		f.Must(!v.Until.IsZero())
		f.Time("", &v.Next)
		if !f.Exporting() {
			v.Look.Fields(f)
		}
	}
	codec.Many(f, "met?", &v.Met, 11, seek.MostMet, func(f *codec.Fields, m *seek.Meeting) {
		codec.ID(f, "with", &m.With)
		f.Rules("rules", &m.Rules)
		f.Time("at", &m.At)
		f.Span("waited", &m.Waited)
	})
}

func (v Seek) MarshalJSON() ([]byte, error) { return codec.Export(v) }

func seekKey(member game.MemberID) []byte { return key(tSeek, uint64(member)) }

// rows are those of v; none where there is nothing to know.
func (v Seek) rows() []row {
	if v.Empty() {
		return nil
	}
	at := v.Place
	return []row{{seekKey(v.Member), codec.Encode(v)},
		{key(tSeekDue, millisOf(v.Due()), at.Server, at.Channel, uint64(v.Member)), none}}
}

// Seeks gives everybody in a server who looks for an opponent, or has found one of late.
func (s *Store) Seeks(ctx context.Context, server uint64) ([]Seek, error) {
	return look(ctx, s, func(r kv.Reader) ([]Seek, error) { return seeksIn(r, under(tSeekDue), server) })
}

// seeksIn are the seeks of a server that some of the rows of tSeekDue lead to.
func seeksIn(r kv.Reader, due span, server uint64) (all []Seek, err error) {
	members, err := found(r, due, -1, func(k []byte) (uint64, bool) { return part(k, 3), part(k, 1) == server })
	for _, member := range members {
		v, bad := need[Seek](r, key(tSeek, member))
		all, err = append(all, v), firstOf(err, bad)
	}
	return all, err
}

// Wishes are the seeks without what the store adds.
func Wishes(all []Seek) []seek.Seek {
	wishes := make([]seek.Seek, len(all))
	for i, v := range all {
		wishes[i] = v.Seek
	}
	return wishes
}

// Seek has a member look for an opponent. Where one is waiting who fits, both get the match that draw makes, in the
// place of the one who waited longer. Else the match has no id, and the member waits. Who asks again for the same
// game keeps the time since when they wait.
func (s *Store) Seek(ctx context.Context, cause Cause, next Seek, draw Drawn) (now Seek, rec Record, err error) {
	if err := s.room(); err != nil {
		return now, rec, err
	}
	rules, err := codec.RulesCode(next.Game.Rules)
	if err != nil {
		return now, rec, err
	}
	err = s.change(ctx, cause, func(t *txn) error {
		now, rec = Seek{}, Record{}
		if seen, err := t.seen(); seen != nil || err != nil {
			rec = seen.repeated()
			return err
		}
		was, err := get[Seek](t, seekKey(next.Member))
		if err != nil || was.ID == next.ID {
			now = was
			return err
		}
		playing := Record{Match: game.Match{Updated: cause.At}}
		if err := t.s.options.Limits.count(t, next.Member, role{what: isPlaying}, playing); err != nil {
			return err
		}
		st, err := readStanding(t, next.Member, rules)
		if err != nil {
			return err
		}
		one := next
		one.Rating, one.New, one.Met = st.R, st.Provisional(), was.Met
		if was.Looks(cause.At) && was.Like(one.Seek) {
			one.Since = was.Since
		}
		now, rec, err = t.pair(was, one, draw)
		return err
	})
	return now, rec, err
}

// pair gives one, whose row says was, a match with the first of those who fit and may play, or has one wait.
func (t *txn) pair(was, one Seek, draw Drawn) (Seek, Record, error) {
	now := t.cause.At
	one.Seek = one.Tick(now)
	// Of those who only have met somebody few are among these: the others are due later.
	waiting, err := seeksIn(t, dueBy(tSeekDue, now.Add(seek.Often)), one.Place.Server)
	if err != nil {
		return one, Record{}, err
	}
	for _, fit := range one.Fitting(Wishes(waiting), now) {
		other := waiting[slices.IndexFunc(waiting, func(o Seek) bool { return o.Member == fit.Member })]
		if may, err := t.mayMeet(one, other); err != nil {
			return one, Record{}, err
		} else if !may {
			continue
		}
		rec, err := t.meet(one, other, draw)
		if limit := (*Limit)(nil); errors.As(err, &limit) {
			continue // one of them has as many games as may be; nothing was written
		}
		if err != nil {
			return one, rec, err
		}
		after, others := one, other
		after.Seek, others.Seek = one.Meets(other.Seek, now), other.Meets(one.Seek, now)
		return after, rec, firstOf(t.replace(was.rows(), after.rows()), t.replace(other.rows(), others.rows()))
	}
	if one.Looks(now) {
		one.Seek = one.Waits(now)
	}
	return one, Record{}, t.replace(was.rows(), one.rows())
}

// mayMeet reports whether neither has blocked the other, and the day allows them the game.
func (t *txn) mayMeet(a, b Seek) (bool, error) {
	for _, two := range [][2]game.MemberID{{a.Member, b.Member}, {b.Member, a.Member}} {
		m, err := readMember(t, two[0])
		if err != nil || m.Blocks(two[1]) {
			return false, err
		}
	}
	if !a.Game.Rated {
		return true, nil
	}
	_, today, err := ratedOf(t, pairKey(t.cause.At, a.Member, b.Member))
	return today < RatedPerDay, err
}

// meet makes the match of two. Who waited has nothing before their eyes, so they count as away, and are called.
func (t *txn) meet(one, other Seek, draw Drawn) (Record, error) {
	first, second := one, other
	if other.Before(one.Seek) {
		first, second = other, one
	}
	id, err := t.unused(t.s.ids.next(t.cause.At))
	if err != nil {
		return Record{}, err
	}
	m, err := draw(id, first.Seek, second.Seek)
	if err != nil {
		return Record{}, err
	}
	m.ID = id
	if first.Place != one.Place { // the answer is in another channel than the board
		defer func(token string) { t.cause.Token = token }(t.cause.Token)
		t.cause.Token = ""
	}
	rec, err := t.save(nil, Record{Match: m, Place: first.Place, Look: first.Look})
	if err != nil {
		return rec, err
	}
	was, found, err := readScreen(t, id)
	if err != nil || !found {
		return rec, err
	}
	is := was
	for seat, sits := range m.Seats {
		if sits.Member != t.cause.By {
			is.Acted[seat] = millis(m.Created.Add(-AwayAfter).UnixMilli())
		}
	}
	return rec, t.write(was, is.Plan(rec.Match))
}

// SeeksDue gives at most n places in which somebody who waits is to be looked after by now, of those that want names.
func (s *Store) SeeksDue(ctx context.Context, now time.Time, n int,
	want func(venue.Place) bool) ([]venue.Place, error) {
	return look(ctx, s, func(r kv.Reader) ([]venue.Place, error) {
		there := map[venue.Place]bool{}
		return found(r, dueBy(tSeekDue, now), n, func(k []byte) (venue.Place, bool) {
			p := venue.Place{Server: part(k, 1), Channel: part(k, 2)}
			first := !there[p]
			there[p] = true
			return p, first && want(p)
		})
	})
}

// SeekOn looks again for those of a place who are due, and gives the matches that come of it.
func (s *Store) SeekOn(ctx context.Context, cause Cause, p venue.Place, draw Drawn) (made []Record, err error) {
	due, err := look(ctx, s, func(r kv.Reader) ([]game.MemberID, error) {
		return found(r, dueBy(tSeekDue, cause.At), -1, func(k []byte) (game.MemberID, bool) {
			return game.MemberID(part(k, 3)), part(k, 1) == p.Server && part(k, 2) == p.Channel
		})
	})
	for _, member := range due {
		var rec Record
		err = firstOf(err, s.change(ctx, cause, func(t *txn) error {
			rec = Record{}
			was, err := get[Seek](t, seekKey(member))
			if err != nil || was.Empty() || was.Due().After(cause.At) { // another process was first
				return err
			}
			_, rec, err = t.pair(was, was, draw)
			return err
		}))
		if rec.ID != 0 {
			made = append(made, rec)
		}
	}
	return made, err
}

// StopSeek ends a member's wish.
func (s *Store) StopSeek(ctx context.Context, member game.MemberID) error {
	return s.changeSeek(ctx, member, func(v Seek) Seek { return v.stopped() })
}

// StopSeeks ends the wishes of a server.
func (s *Store) StopSeeks(ctx context.Context, server uint64) error {
	return s.changeSeeks(ctx, func(v Seek) Seek {
		if v.Place.Server == server {
			return v.stopped()
		}
		return v
	})
}

func (v Seek) stopped() Seek { return Seek{Seek: v.Stop()} }

// changeSeek changes what is known of a member by f.
func (s *Store) changeSeek(ctx context.Context, member game.MemberID, f func(Seek) Seek) error {
	return s.change(ctx, Cause{}, func(t *txn) error {
		was, err := get[Seek](t, seekKey(member))
		if err != nil || was.Empty() {
			return err
		}
		return t.replace(was.rows(), f(was).rows())
	})
}

// changeSeeks changes what is known of all members by f, of one in each transaction.
func (s *Store) changeSeeks(ctx context.Context, f func(Seek) Seek) error {
	all, err := look(ctx, s, func(r kv.Reader) ([]Seek, error) { return allIn[Seek](r, under(tSeek)) })
	for _, v := range all {
		if next := f(v); next.Empty() || !bytes.Equal(codec.Encode(next), codec.Encode(v)) {
			err = firstOf(err, s.changeSeek(ctx, v.Member, f))
		}
	}
	return err
}

func (allSeeks) tables() []table {
	return []table{{tSeek, anyOf[Seek], verifySeek, true}, {tSeekDue, markRow, verifySeek, false}}
}

// verifySeek looks for the rows that follow from a member's seek.
func verifySeek(_ *Store, r kv.Reader, k []byte, _ any) error {
	member := game.MemberID(part(k, 0))
	if k[0] == tSeekDue {
		member = game.MemberID(part(k, 3))
	}
	v, err := need[Seek](r, seekKey(member))
	if err != nil {
		return err
	}
	rows := v.rows()
	if !hasRow(rows, k) {
		return fmt.Errorf("the seek of member %d knows nothing of it", member)
	}
	if value, err := r.Get(rows[1].key); err != nil || value == nil {
		return firstOf(err, fmt.Errorf("the seek of member %d lacks its row %x", member, rows[1].key))
	}
	return nil
}

func (allSeeks) own(r kv.Reader, member game.MemberID) (name string, known []any, err error) {
	v, err := get[Seek](r, seekKey(member))
	if !v.Empty() {
		known = append(known, v)
	}
	return "seeks", known, err
}

func (allSeeks) forget(ctx context.Context, s *Store, member game.MemberID, _ time.Time) error {
	return s.changeSeeks(ctx, func(v Seek) Seek {
		if v.Member == member {
			return Seek{}
		}
		v.Seek = v.Without(member)
		return v
	})
}

func (allSeeks) left(ctx context.Context, s *Store, server uint64, _ time.Time) error {
	return s.changeSeeks(ctx, func(v Seek) Seek {
		if v.Place.Server == server {
			return Seek{}
		}
		return v
	})
}

func (allSeeks) takeBack(ctx context.Context, s *Store, now time.Time) error {
	return s.changeSeeks(ctx, func(v Seek) Seek {
		v.Seek = v.TakenBack(now)
		return v
	})
}
