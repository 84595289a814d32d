package storage

import (
	"context"
	"slices"
	"sort"
	"time"

	"tengen/game"
	"tengen/game/event"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

// RatedPerDay is how many games of the same two members are rated in a day (UTC).
const RatedPerDay = 3

// Tally counts results.
type Tally struct {
	Won   int `json:"won"`
	Drawn int `json:"drawn"`
	Lost  int `json:"lost"`
}

// With is t with one more result: 1 won, 0.5 drawn, 0 lost.
func (t Tally) With(score float64) Tally {
	switch score {
	case 1:
		t.Won++
	case 0:
		t.Lost++
	default:
		t.Drawn++
	}
	return t
}

// Standing is what a member has reached in rated games of one kind.
type Standing struct {
	Member game.MemberID
	Rules  game.Rules
	event.Rating
	Tally
}

func (s *Standing) Fields(f *codec.Fields) {
	f.Format(1, 1)
	f.Say("kind", "rating")
	codec.Part(f, "member", 0, &s.Member)
	f.PartRules(1, &s.Rules)
	f.Rating(&s.Rating)
	s.Tally.counts(f)
}

func (t *Tally) counts(f *codec.Fields) {
	codec.Number(f, "won", &t.Won, 1<<40)
	codec.Number(f, "drawn", &t.Drawn, 1<<40)
	codec.Number(f, "lost", &t.Lost, 1<<40)
}

// Against is how a member fares against one level of the engine.
type Against struct {
	Member game.MemberID
	Rules  game.Rules
	Level  int
	Tally
}

func (a *Against) Fields(f *codec.Fields) {
	f.Format(1, 1)
	f.Say("kind", "engine")
	codec.Part(f, "member?", 0, &a.Member)
	f.PartRules(1, &a.Rules)
	level := uint64(a.Level)
	codec.Part(f, "", 2, &level)
	a.Level = int(level)
	f.Say("level", a.Level)
	a.Tally.counts(f)
}

// counter is a count of the day.
type counter struct{ n uint64 }

func (c *counter) Fields(f *codec.Fields) {
	f.Format(1, 1)
	codec.Number(f, "", &c.n, codec.Any64)
}

// finish does what the end of a match brings: ratings, or the table against the engine.
func (t *txn) finish(r *Record) error {
	rules, err := codec.RulesCode(r.Rules)
	if err != nil {
		return err
	}
	switch {
	case r.CountsForRating():
		return t.rate(r, rules)
	case r.AgainstEngine() && r.Guest() == "" && !r.Spoiled && r.Opening != game.ImportedOpening && r.archived() &&
		r.Result().Termination < game.Aborted:
		return t.tally(r, rules)
	}
	return nil
}

func (t *txn) rate(r *Record, rules uint64) error {
	pair := pairKey(r.Ended, r.Seats[0].Member, r.Seats[1].Member)
	own, today, err := ratedOf(t, pair)
	if err != nil || today >= RatedPerDay && r.Link == (Link{}) {
		return err
	}
	if err := t.Put(pair, codec.Encode(counter{own + 1})); err != nil {
		return err
	}
	var seats [2]Standing
	for i := range seats {
		if seats[i], err = readStanding(t, r.Seats[i].Member, rules); err != nil {
			return err
		}
		r.Changes[i].Before = seats[i].R
	}
	score := r.Score(0)
	seats[0].Rating, seats[1].Rating = event.Play(seats[0].Rating, seats[1].Rating, score, r.Ended)
	for i, s := range seats {
		s.Tally = s.With(max(score, 0))
		score = 1 - score
		if err := t.Put(key(tRating, uint64(s.Member), rules), codec.Encode(s)); err != nil {
			return err
		}
		if err := t.Put(key(tBoard, r.Place.Server, rules, uint64(s.Member)), none); err != nil {
			return err
		}
		// As it will be read again.
		r.Changes[i] = Change{float64(float32(r.Changes[i].Before)), float64(float32(s.R))}
	}
	return nil
}

// Score is what a seat won in a match that is over: 1, 0.5 or 0.
func (r Record) Score(seat int) float64 {
	switch r.Result().Winner {
	case game.Empty:
		return 0.5
	case r.ColorOf(seat):
		return 1
	}
	return 0
}

func (t *txn) tally(r *Record, rules uint64) error {
	seat := 0
	if r.Seats[0].Kind == game.EngineSeat {
		seat = 1
	}
	k := key(tLevel, uint64(r.Seats[seat].Member), rules, uint64(r.Seats[1-seat].Level))
	against, err := get[Against](t, k)
	if err != nil {
		return err
	}
	against.Tally = against.Tally.With(r.Score(seat))
	return t.Put(k, codec.Encode(against))
}
func pairKey(at time.Time, a, b game.MemberID) []byte {
	return key(tPair, dayOf(at), uint64(min(a, b)), uint64(max(a, b)))
}

func dayOf(t time.Time) uint64 { return uint64(max(t.Unix(), 0)) / (24 * 60 * 60) }

func readStanding(r kv.Reader, member game.MemberID, rules uint64) (Standing, error) {
	s, err := get[Standing](r, key(tRating, uint64(member), rules))
	if s.R == 0 {
		s.Rating = s.Rating.Known()
	}
	return s, err
}

// RatedToday is how many games of two members were rated on the day of now, of
// RatedPerDay.
func (s *Store) RatedToday(ctx context.Context, a, b game.MemberID, now time.Time) (int, error) {
	return look(ctx, s, func(r kv.Reader) (int, error) {
		_, all, err := ratedOf(r, pairKey(now, a, b))
		return int(all), err
	})
}

// ratedOf is how many games of a pair were rated on a day; own leaves out those of before one of
// the two deleted their data.
func ratedOf(r kv.Reader, pair []byte) (own, all uint64, err error) {
	return countOf(r, pair, part(pair, 0), outlivePair, part(pair, 1), part(pair, 2))
}

// Standing gives the standing of a member in one kind of game; a newcomer's if he has none.
func (s *Store) Standing(ctx context.Context, member game.MemberID, rules game.Rules) (Standing, error) {
	code, err := codec.RulesCode(rules)
	if err != nil {
		return Standing{}, err
	}
	return look(ctx, s, func(r kv.Reader) (Standing, error) { return readStanding(r, member, code) })
}

// Standings gives the standings of a member, by rules.
func (s *Store) Standings(ctx context.Context, member game.MemberID) ([]Standing, error) {
	return look(ctx, s, func(r kv.Reader) ([]Standing, error) { return standingsOf(r, member) })
}

func standingsOf(r kv.Reader, member game.MemberID) (all []Standing, err error) {
	return allIn[Standing](r, under(tRating, uint64(member)))
}

// AgainstEngine gives a member's results against the engine, by rules and level. Games
// with an undo, a hint or an imported position are not in it.
func (s *Store) AgainstEngine(ctx context.Context, member game.MemberID) ([]Against, error) {
	return look(ctx, s, func(r kv.Reader) ([]Against, error) { return againstOf(r, member) })
}

func againstOf(r kv.Reader, member game.MemberID) (all []Against, err error) {
	all, err = allIn[Against](r, under(tLevel, uint64(member)))
	for i := range all {
		all[i].Member = 0 // who asks knows
	}
	return all, err
}

// Top gives the n best players of rated games of a kind in a server; server 0 stands for all
// members. Who is new is not in it. keep says by the settings of a member whether they are listed; nil
// lists everybody.
func (s *Store) Top(ctx context.Context, server uint64, rules game.Rules, n int, now time.Time,
	keep func(Member) bool) ([]Standing, error) {
	code, err := codec.RulesCode(rules)
	if err != nil {
		return nil, err
	}
	return look(ctx, s, func(r kv.Reader) (top []Standing, err error) {
		all, err := board(r, server, code)
		if err != nil {
			return nil, err
		}
		sort.SliceStable(all, func(i, j int) bool { return all[i].R > all[j].R })
		for _, st := range all {
			if len(top) == n {
				break
			}
			if st.Aged(now).Provisional() {
				continue
			}
			if keep != nil {
				m, err := readMember(r, st.Member)
				if err != nil {
					return nil, err
				}
				if !keep(m) {
					continue
				}
			}
			top = append(top, st)
		}
		return top, nil
	})
}

// board is everybody's standing in a kind of game: of those who played rated games of it in a
// server, or of all members for server 0.
func board(r kv.Reader, server, rules uint64) (all []Standing, err error) {
	if server == 0 {
		all, err = allIn[Standing](r, under(tRating))
		return slices.DeleteFunc(all, func(s Standing) bool { return s.Rules != codec.Rules[rules] }), err
	}
	members, err := partsIn[game.MemberID](r, under(tBoard, server, rules), 2, -1, nil)
	for _, member := range members {
		st, err := readStanding(r, member, rules)
		if err != nil {
			return nil, err
		}
		all = append(all, st)
	}
	return all, err
}

// Players are the members who have played rated games in a server.
func (s *Store) Players(ctx context.Context, server uint64) (players map[game.MemberID]bool, err error) {
	members, err := look(ctx, s, func(r kv.Reader) ([]game.MemberID, error) {
		return partsIn[game.MemberID](r, under(tBoard, server), 2, -1, nil)
	})
	players = map[game.MemberID]bool{}
	for _, member := range members {
		players[member] = true
	}
	return players, err
}
