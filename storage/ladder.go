package storage

import (
	"context"
	"errors"
	"slices"
	"time"

	"tengen/game"
	"tengen/game/event"
	"tengen/game/venue"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

// Ladder is the ladder of a server for one kind of game. The ends of its seasons are kept.
type Ladder struct {
	Server  uint64
	Version uint32 // one more with every change of what is shown; 0: there is none yet
	Channel uint64 // of the message that shows it; 0: none
	Notice
	Language string // of the message
	event.Ladder
}

// Season is how a season of a ladder ended: members, first place first. 0 is one who has deleted
// their data.
type Season struct {
	Server  uint64
	Rules   game.Rules
	Month   event.Month
	Members []game.MemberID
}

func (l *Ladder) Fields(f *codec.Fields) {
	format := f.Format(2, 2)
	f.Say("kind", "ladder")
	codec.Part(f, "server", 0, &l.Server)
	f.PartRules(1, &l.Rules)
	codec.Number(f, "", &l.Version, codec.Any32)
	codec.ID(f, "channel?", &l.Channel)
	if format == 1 {
		codec.ID(f, "", &l.Message)
	} else {
		l.Notice.Fields(f)
		f.Flag("", &l.Off)
		f.Span("", &l.Clock)
		f.Text("", &l.Opening, codec.AnyLength)
		f.Text("", &l.Language, codec.AnyLength)
	}
	codec.Number(f, "", &l.Month, codec.Any32)
	f.Say("month", l.Month.String())
	codec.Many(f, "members", &l.Rungs, 12, event.MaxRungs, func(f *codec.Fields, r *event.Rung) {
		codec.ID(f, "member", &r.ID)
		f.Float("rating", &r.Rating)
	})
	codec.Many(f, "", &l.Active, 24, codec.AnyLength, func(f *codec.Fields, c *event.Challenge) {
		codec.ID(f, "", &c.Match)
		codec.ID(f, "", &c.By)
		codec.ID(f, "", &c.Whom)
	})
	if f.Exporting() {
		codec.IDs(f, "matches?", l.matches(), codec.AnyLength)
	}
	at := time.Time{}
	codec.Many(f, "", &l.Met, 17, event.MaxMet, func(f *codec.Fields, m *event.Met) {
		codec.ID(f, "", &m.A)
		codec.ID(f, "", &m.B)
		f.Step(&at, &m.At)
	})
}

// matches are those that have not ended.
func (l Ladder) matches() *[]game.MatchID {
	var ids []game.MatchID
	for _, c := range l.Active {
		ids = append(ids, c.Match)
	}
	return &ids
}

func (l Ladder) MarshalJSON() ([]byte, error) { return codec.Export(l) }

func (s *Season) Fields(f *codec.Fields) {
	f.Format(1, 1)
	f.Say("kind", "season")
	codec.Part(f, "server", 0, &s.Server)
	f.PartRules(1, &s.Rules)
	inverse := ^uint64(s.Month)
	codec.Part(f, "", 2, &inverse)
	s.Month = event.Month(^inverse)
	f.Say("month", s.Month.String())
	if f.Exporting() {
		codec.IDs(f, "members", &s.Members, codec.AnyLength)
		return
	}
	for i := 0; i < len(s.Members) || f.GoesOn(); i++ {
		if f.Reading() {
			s.Members = append(s.Members, 0)
		}
		codec.ID(f, "", &s.Members[i])
	}
}

func (s Season) MarshalJSON() ([]byte, error) { return codec.Export(s) }

func readLadder(r kv.Reader, server, rules uint64) (Ladder, error) {
	return need[Ladder](r, key(tLadder, server, rules))
}

// saveLadder writes next where it differs from old. Who is on it has a row, which stays after
// they have left, since seasons may name them.
func (t *txn) saveLadder(old, next Ladder, rules uint64) (Ladder, error) {
	if string(codec.Encode(next)) == string(codec.Encode(old)) && old.Version > 0 {
		return old, nil
	}
	if old.Version == 0 || string(next.content()) != string(old.content()) {
		next.Version = old.Version + 1
	}
	for _, r := range next.Rungs {
		if old.Place(r.ID) == 0 {
			if err := t.Put(key(tRung, uint64(r.ID), next.Server, rules), none); err != nil {
				return Ladder{}, err
			}
		}
	}
	k := key(tLadder, next.Server, rules)
	written, err := codec.Decode[Ladder](k, codec.Encode(next))
	if err != nil {
		return Ladder{}, err
	}
	return written, firstOf(t.Put(k, codec.Encode(next)), t.replace(old.behindRows(rules), next.behindRows(rules)))
}

// changeLadder is saveLadder where only what members do has changed l.
func (t *txn) changeLadder(l Ladder, next event.Ladder, rules uint64) error {
	is := l
	is.Ladder = next
	_, err := t.saveLadder(l, is, rules)
	return err
}

// content is what the message of a ladder shows, without where it stands.
func (l Ladder) content() []byte {
	l.Notice = Notice{}
	return codec.Encode(l)
}

// behindRows is the row by which the message of a ladder is found when it is behind.
func (l Ladder) behindRows(rules uint64) []row {
	if l.Channel == 0 || !l.Notice.behind(l.Version) {
		return nil
	}
	return []row{{key(tLadderBehind, l.Server, rules), none}}
}

// LaddersBehind gives at most n ladders whose message is behind. It leaves out those for which
// want or mine is false: they keep no other waiting. Nor does a ladder that cannot be read, of
// which the error tells.
func (s *Store) LaddersBehind(ctx context.Context, n int,
	want func(server uint64, rules game.Rules) bool, mine func(Ladder) bool) (ladders []Ladder, err error) {
	err = s.kv.View(ctx, func(r kv.Reader) error {
		ladders = nil
		var damaged error
		err := r.Scan(key(tLadderBehind), key(tLadderBehind+1), func(k, _ []byte) bool {
			server, code := part(k, 0), part(k, 1)
			if rules, ok := codec.RulesOf(code); len(ladders) >= n || ok && !want(server, rules) {
				return len(ladders) < n
			}
			if l, err := readLadder(r, server, code); err != nil {
				damaged = err
			} else if mine(l) {
				ladders = append(ladders, l)
			}
			return len(ladders) < n
		})
		return firstOf(err, damaged)
	})
	return ladders, err
}

// LaddersIn gives the ladders of a server.
func (s *Store) LaddersIn(ctx context.Context, server uint64) ([]Ladder, error) {
	return s.laddersIn(ctx, under(tLadder, server))
}

// Ladder gives a ladder; ErrNotFound where a server has none for these rules.
func (s *Store) Ladder(ctx context.Context, server uint64, rules game.Rules) (Ladder, error) {
	code, err := codec.RulesCode(rules)
	if err != nil {
		return Ladder{}, err
	}
	return look(ctx, s, func(r kv.Reader) (Ladder, error) { return readLadder(r, server, code) })
}

// Seasons gives the seasons of a ladder that are over, the newest first.
func (s *Store) Seasons(ctx context.Context, server uint64, rules game.Rules) ([]Season, error) {
	code, err := codec.RulesCode(rules)
	if err != nil {
		return nil, err
	}
	return look(ctx, s, func(r kv.Reader) ([]Season, error) { return readSeasons(r, server, code) })
}

func readSeasons(r kv.Reader, server, rules uint64) (seasons []Season, err error) {
	return allIn[Season](r, under(tSeason, server, rules))
}

// UpdateLadder changes a ladder by f; where there is none yet, f is given an empty one. What f may
// do can be done twice without harm, so no cause is noted.
func (s *Store) UpdateLadder(ctx context.Context, server uint64, rules game.Rules, now time.Time,
	f func(Ladder) (Ladder, error)) (l Ladder, err error) {
	code, err := codec.RulesCode(rules)
	if err != nil {
		return Ladder{}, err
	}
	err = s.change(ctx, Cause{At: now}, func(t *txn) error {
		old, err := readLadder(t, server, code)
		if errors.Is(err, ErrNotFound) {
			old, err = Ladder{Server: server, Ladder: event.Ladder{Rules: rules, Month: event.MonthOf(now)}}, nil
		}
		if err != nil {
			return err
		}
		next, err := f(old)
		if err != nil {
			return err
		}
		l, err = t.saveLadder(old, next, code)
		return err
	})
	return l, err
}

// ChallengeOnLadder is Create for a challenge on the ladder of the place's server: the member of
// the first seat challenges that of the second. It is event.ErrOutOfReach where the ladder does not
// allow it.
func (s *Store) ChallengeOnLadder(ctx context.Context, cause Cause, place venue.Place,
	f func(id game.MatchID) (game.Match, error)) (Record, error) {
	return s.create(ctx, cause, f, func(t *txn, m game.Match) (Record, error) {
		if err := t.challenge(m, place.Server); err != nil {
			return Record{}, err
		}
		return t.save(nil, Record{Match: m, Place: place, Look: cause.Look, Link: Link{Ladder: true}})
	})
}

// challenge notes a match on the ladder of its rules, where that allows it.
func (t *txn) challenge(m game.Match, server uint64) error {
	rules, err := codec.RulesCode(m.Rules)
	if err != nil {
		return err
	}
	l, err := readLadder(t, server, rules)
	switch {
	case errors.Is(err, ErrNotFound):
		return event.ErrOutOfReach
	case err != nil:
		return err
	}
	next, err := l.Challenge(event.Challenge{Match: m.ID, By: m.Seats[0].Member, Whom: m.Seats[1].Member}, t.cause.At)
	return firstOf(err, t.changeLadder(l, next, rules))
}

// reportLadder brings the end of a match to its ladder.
func (t *txn) reportLadder(old, next Record) error {
	rules, err := codec.RulesCode(next.Rules)
	if err != nil {
		return err
	}
	l, err := readLadder(t, next.Place.Server, rules)
	if errors.Is(err, ErrNotFound) { // deleted with its server
		return nil
	}
	if err != nil {
		return err
	}
	ratings := [2]float64{next.Changes[0].After, next.Changes[1].After}
	return t.changeLadder(l, l.Ended(old.Match, next.Match, ratings), rules)
}

// replaceOnLadder notes that another match takes the place of one.
func (t *txn) replaceOnLadder(was Record, id game.MatchID) error {
	rules, err := codec.RulesCode(was.Rules)
	if err != nil {
		return err
	}
	l, err := readLadder(t, was.Place.Server, rules)
	if err != nil {
		return err
	}
	return t.changeLadder(l, l.Replace(was.ID, id), rules)
}

// turnSeasons keeps the places of each ladder whose month is over, and begins the next season. It
// looks at all ladders once in each hour of the clock: a month ends with an hour.
func (s *Store) turnSeasons(ctx context.Context, now time.Time) error {
	hour := now.Unix() / 3600
	if s.turned.Load() == hour {
		return nil
	}
	ladders, err := s.laddersIn(ctx, under(tLadder))
	for _, l := range ladders {
		if err != nil {
			break
		}
		if l.Month >= event.MonthOf(now) {
			continue
		}
		server := l.Server
		rules, _ := codec.RulesCode(l.Rules) // from its key
		err = s.change(ctx, Cause{At: now}, func(t *txn) error {
			old, err := readLadder(t, server, rules)
			if errors.Is(err, ErrNotFound) { // deleted meanwhile
				return nil
			}
			if err != nil {
				return err
			}
			next, first := old.Turn(now)
			if err := t.changeLadder(old, next, rules); err != nil || len(first) == 0 {
				return err
			}
			season := Season{old.Server, old.Rules, old.Month, first}
			return t.Put(key(tSeason, server, rules, ^uint64(season.Month)), codec.Encode(season))
		})
	}
	if err == nil {
		s.turned.Store(hour)
	}
	return err
}

func (s *Store) laddersIn(ctx context.Context, in span) ([]Ladder, error) {
	return look(ctx, s, func(r kv.Reader) ([]Ladder, error) { return allIn[Ladder](r, in) })
}

// rungsOf gives the keys of the rows that say where a member is or was on a ladder.
func rungsOf(r kv.Reader, member game.MemberID) ([][]byte, error) {
	return keysIn(r, under(tRung, uint64(member)), -1, nil)
}

// forget takes a member off all ladders, and out of their seasons.
func (allLadders) forget(ctx context.Context, s *Store, member game.MemberID, now time.Time) error {
	rungs, err := look(ctx, s, func(r kv.Reader) ([][]byte, error) { return rungsOf(r, member) })
	for _, k := range rungs {
		if err != nil {
			break
		}
		err = s.change(ctx, Cause{At: now}, func(t *txn) error { return t.forgetRung(k, member) })
	}
	return err
}

func (t *txn) forgetRung(k []byte, member game.MemberID) error {
	server, rules := part(k, 1), part(k, 2)
	l, err := readLadder(t, server, rules)
	if err == nil {
		err = t.changeLadder(l, l.Without(member), rules)
	}
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	seasons, err := readSeasons(t, server, rules)
	if err != nil {
		return err
	}
	for _, s := range seasons {
		if i := slices.Index(s.Members, member); i >= 0 {
			s.Members[i] = 0
			if err := t.Put(key(tSeason, server, rules, ^uint64(s.Month)), codec.Encode(s)); err != nil {
				return err
			}
		}
	}
	return t.Delete(k)
}

func (allLadders) clear(ctx context.Context, s *Store, server uint64, may func(kv.Reader) error) error {
	for _, table := range []byte{tLadder, tSeason, tLadderBehind} {
		if err := s.deleteIn(ctx, under(table, server), may); err != nil {
			return err
		}
	}
	rungs, err := look(ctx, s, func(r kv.Reader) ([][]byte, error) {
		return keysIn(r, under(tRung), -1, func(k []byte) bool { return part(k, 1) == server })
	})
	for _, k := range rungs {
		err = firstOf(err, s.deleteIn(ctx, span{k, kv.After(k)}, may))
	}
	return err
}
