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

// Ladder is the ladder of a server for one kind of game. It has seasons of a month, whose ends
// are kept; the order goes on.
type Ladder struct {
	Server  uint64
	Rules   game.Rules
	Version uint32 // one more with every change of what is shown; 0: there is none yet
	Channel uint64 // of the message that shows it; 0: none
	Notice
	Off      bool          // nobody joins or challenges; matches under way still change places
	Clock    time.Duration // for each move of a match; 0: none
	Opening  string        // of a match; empty: none
	Language string        // of the message
	Month    Month         // of the season
	Rungs    []event.Rung  // first place first; ratings are of the last game on it
	Active   []Challenge
	Met      []Met // the oldest first, of the last seven days
}

// Challenge is a match of a ladder that has not ended.
type Challenge struct {
	Match    game.MatchID
	By, Whom game.MemberID
}

// Met is a game on a ladder that has ended.
type Met struct {
	A, B game.MemberID
	At   time.Time
}

// Month counts months from the year 0, in UTC.
type Month uint32

// MonthOf is the month of a time.
func MonthOf(t time.Time) Month { return Month(t.UTC().Year()*12 + int(t.UTC().Month()) - 1) }

// Season is how a season of a ladder ended: members, first place first. 0 is one who has deleted
// their data.
type Season struct {
	Month   Month
	Members []game.MemberID
}

// The bounds of ladders.
const (
	MaxRungs   = 2000
	maxMet     = 10_000
	hallOfFame = 100 // places that are kept of a season
	restDays   = 7 * 24 * time.Hour
)

// Errors of ladders.
var (
	ErrOutOfReach = errors.New("the ladder does not allow this challenge")
	ErrLadderFull = errors.New("the ladder has as many members as it can hold")
	ErrLadderOff  = errors.New("the ladder is switched off")
)

// Join puts a member on the lowest place; nothing happens to one who is on the ladder.
func (l Ladder) Join(member game.MemberID, rating float64) (Ladder, error) {
	switch {
	case l.Off:
		return l, ErrLadderOff
	case l.place(member) >= 0:
		return l, nil
	case len(l.Rungs) >= MaxRungs:
		return l, ErrLadderFull
	}
	l.Rungs = append(slices.Clip(l.Rungs), event.Rung{ID: member, Rating: float64(float32(rating))})
	return l, nil
}

// Leave takes a member off. Matches under way go on; they change the places of others no more.
func (l Ladder) Leave(member game.MemberID) Ladder {
	return l.after(event.LadderEvent{Type: "leave", ID: member})
}

// Place is a member's place, from 1; 0 is none.
func (l Ladder) Place(member game.MemberID) int { return l.place(member) + 1 }

func (l Ladder) place(member game.MemberID) int {
	return slices.IndexFunc(l.Rungs, func(r event.Rung) bool { return r.ID == member })
}

func (l Ladder) after(e event.LadderEvent) Ladder {
	next, err := event.Ladder{Rungs: l.Rungs}.After(e)
	if err == nil { // the types that we name are known
		l.Rungs = next.Rungs
	}
	return l
}

// May lists whom a member may challenge at a time, first place first.
func (l Ladder) May(member game.MemberID, now time.Time) ([]game.MemberID, error) {
	days := func(t time.Time) float64 { return float64(t.UnixMilli()) / (24 * 60 * 60 * 1000) }
	e := event.Ladder{Rungs: l.Rungs}
	for _, c := range l.Active {
		e.Active = append(e.Active, [2]game.MemberID{c.By, c.Whom})
	}
	for _, m := range l.Met {
		e.Finished = append(e.Finished, event.Meeting{A: m.A, B: m.B, Day: days(m.At)})
	}
	return e.May(member, days(now))
}

// ended is l after a match of it, which was old before.
func (l Ladder) ended(old, r Record) Ladder {
	i := slices.IndexFunc(l.Active, func(c Challenge) bool { return c.Match == r.ID })
	if i < 0 {
		return l
	}
	c := l.Active[i]
	l.Active = slices.Delete(slices.Clone(l.Active), i, i+1)
	result := r.Result()
	switch {
	case result.Cause == game.Declined || result.Cause == game.Expired:
		return l.after(event.LadderEvent{Type: "decline", Challenger: c.By, Challenged: c.Whom})
	case result.Cause == game.Aborted && !old.Deadline.IsZero() && !r.Updated.Before(old.Deadline):
		late := old.ToMove() // nobody wins a match without moves
		return l.after(event.LadderEvent{Type: "timeout", Winner: old.Seats[1-late].Member, Loser: old.Seats[late].Member})
	case result.Cause >= game.Aborted:
		return l
	}
	l.Met = slices.DeleteFunc(slices.Clone(l.Met), func(m Met) bool { return r.Updated.Sub(m.At) >= restDays })
	l.Met = append(l.Met[max(0, len(l.Met)-maxMet+1):], Met{c.By, c.Whom, r.Updated})
	members := [2]game.MemberID{c.By, c.Whom} // a seat may have lost its id by now
	seat, sits := r.SeatOf(c.By)
	if !sits {
		other, _ := r.SeatOf(c.Whom)
		seat = 1 - other
	}
	if result.Winner == game.Empty {
		return l.rated(r)
	}
	if r.ColorOf(seat) != result.Winner {
		members[0], members[1] = members[1], members[0]
	}
	e := event.LadderEvent{Type: "win", Winner: members[0], Loser: members[1]}
	if result.Cause == game.ByTimeout {
		e.Type = "timeout"
	}
	return l.after(e).rated(r)
}

// rated gives the players of a match the ratings that they have after it.
func (l Ladder) rated(r Record) Ladder {
	l.Rungs = slices.Clone(l.Rungs)
	for i, s := range r.Seats {
		if at := l.place(s.Member); at >= 0 && s.Kind == game.MemberSeat && r.Changes[i] != (Change{}) {
			l.Rungs[at].Rating = r.Changes[i].After
		}
	}
	return l
}

// without is l as it stays after a member has deleted their data.
func (l Ladder) without(member game.MemberID) Ladder {
	l = l.Leave(member)
	l.Active = slices.DeleteFunc(slices.Clone(l.Active), func(c Challenge) bool {
		return c.By == member || c.Whom == member
	})
	l.Met = slices.DeleteFunc(slices.Clone(l.Met), func(m Met) bool { return m.A == member || m.B == member })
	return l
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
	codec.Many(f, "members", &l.Rungs, 12, MaxRungs, func(f *codec.Fields, r *event.Rung) {
		codec.ID(f, "member", &r.ID)
		f.Float("rating", &r.Rating)
	})
	codec.Many(f, "", &l.Active, 24, codec.AnyLength, func(f *codec.Fields, c *Challenge) {
		codec.ID(f, "", &c.Match)
		codec.ID(f, "", &c.By)
		codec.ID(f, "", &c.Whom)
	})
	if f.Exporting() {
		codec.IDs(f, "matches?", l.matches(), codec.AnyLength)
	}
	at := time.Time{}
	codec.Many(f, "", &l.Met, 17, maxMet, func(f *codec.Fields, m *Met) {
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
	inverse := ^uint64(s.Month)
	codec.Part(f, "", 2, &inverse)
	s.Month = Month(^inverse)
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

// seasonOf is a season with what its key says of the ladder.
type seasonOf struct {
	server uint64
	rules  game.Rules
	Season
}

func (s *seasonOf) Fields(f *codec.Fields) {
	f.Say("kind", "season")
	codec.Part(f, "server", 0, &s.server)
	f.PartRules(1, &s.rules)
	s.Season.Fields(f)
}

func (s seasonOf) MarshalJSON() ([]byte, error) { return codec.Export(s) }

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
		if old.place(r.ID) < 0 {
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
		err := r.Scan([]byte{tLadderBehind}, []byte{tLadderBehind + 1}, func(k, _ []byte) bool {
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
	return s.laddersUnder(ctx, key(tLadder, server))
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
	return allUnder[Season](r, key(tSeason, server, rules))
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
			old, err = Ladder{Server: server, Rules: rules, Month: MonthOf(now)}, nil
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
// the first seat challenges that of the second. It is ErrOutOfReach where the ladder does not
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
		return ErrOutOfReach
	case err != nil:
		return err
	case l.Off:
		return ErrLadderOff
	}
	c := Challenge{m.ID, m.Seats[0].Member, m.Seats[1].Member}
	if may, err := l.May(c.By, t.cause.At); err != nil || !slices.Contains(may, c.Whom) {
		return ErrOutOfReach
	}
	next := l
	next.Active = append(slices.Clip(l.Active), c)
	_, err = t.saveLadder(l, next, rules)
	return err
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
	_, err = t.saveLadder(l, l.ended(old, next), rules)
	return err
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
	i := slices.IndexFunc(l.Active, func(c Challenge) bool { return c.Match == was.ID })
	if i < 0 { // who has left plays on
		return nil
	}
	next := l
	next.Active = slices.Clone(l.Active)
	next.Active[i].Match = id
	_, err = t.saveLadder(l, next, rules)
	return err
}

// turnSeasons keeps the places of each ladder whose month is over, and begins the next season. It
// looks at all ladders once in each hour of the clock: a month ends with an hour.
func (s *Store) turnSeasons(ctx context.Context, now time.Time) error {
	hour := now.Unix() / 3600
	if s.turned.Load() == hour {
		return nil
	}
	var due [][]byte
	err := s.kv.View(ctx, func(r kv.Reader) error {
		due = nil
		return scan(r, []byte{tLadder}, []byte{tLadder + 1}, func(k []byte, l Ladder) bool {
			if l.Month < MonthOf(now) {
				due = append(due, k)
			}
			return true
		})
	})
	for _, k := range due {
		if err != nil {
			break
		}
		server, rules := part(k, 0), part(k, 1)
		err = s.change(ctx, Cause{At: now}, func(t *txn) error {
			old, err := readLadder(t, server, rules)
			if errors.Is(err, ErrNotFound) { // deleted meanwhile
				return nil
			}
			if err != nil || old.Month >= MonthOf(now) {
				return err
			}
			season := Season{Month: old.Month}
			for _, r := range old.Rungs[:min(len(old.Rungs), hallOfFame)] {
				season.Members = append(season.Members, r.ID)
			}
			next := old
			next.Month = MonthOf(now)
			if _, err := t.saveLadder(old, next, rules); err != nil || len(season.Members) == 0 {
				return err
			}
			return t.Put(key(tSeason, server, rules, ^uint64(season.Month)), codec.Encode(season))
		})
	}
	if err == nil {
		s.turned.Store(hour)
	}
	return err
}

// laddersUnder gives the ladders whose keys begin with prefix.
func (s *Store) laddersUnder(ctx context.Context, prefix []byte) ([]Ladder, error) {
	return look(ctx, s, func(r kv.Reader) ([]Ladder, error) { return allUnder[Ladder](r, prefix) })
}

// rungsOf gives the keys of the rows that say where a member is or was on a ladder.
func rungsOf(r kv.Reader, member game.MemberID) (keys [][]byte, err error) {
	prefix := key(tRung, uint64(member))
	err = r.Scan(prefix, kv.After(prefix), func(k, _ []byte) bool {
		keys = append(keys, k)
		return true
	})
	return keys, err
}

// forgetLadders takes a member off all ladders, and out of their seasons.
func (s *Store) forgetLadders(ctx context.Context, member game.MemberID, now time.Time) error {
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
		_, err = t.saveLadder(l, l.without(member), rules)
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

func (s *Store) deleteLadders(ctx context.Context, server uint64, may func(kv.Reader) error) error {
	for _, table := range []byte{tLadder, tSeason, tLadderBehind} {
		if err := s.deleteUnder(ctx, key(table, server), kv.After(key(table, server)), may); err != nil {
			return err
		}
	}
	var rungs [][]byte
	err := s.kv.View(ctx, func(r kv.Reader) error {
		rungs = nil
		return r.Scan([]byte{tRung}, []byte{tRung + 1}, func(k, _ []byte) bool {
			if part(k, 1) == server {
				rungs = append(rungs, k)
			}
			return true
		})
	})
	for _, k := range rungs {
		err = firstOf(err, s.deleteUnder(ctx, k, kv.After(k), may))
	}
	return err
}
