package storage

import (
	"context"
	"errors"
	"sort"
	"time"

	"tengen/game"
	"tengen/game/event"
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

// Games is the number of games counted.
func (t Tally) Games() int { return t.Won + t.Drawn + t.Lost }

func (t Tally) with(score float64) Tally {
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

func (s Standing) encode() []byte {
	w := &writer{}
	w.byte(1)
	w.float(s.R)
	w.float(s.RD)
	w.float(s.Vol)
	w.time(s.At)
	writeTally(w, s.Tally)
	return w.b
}

func writeTally(w *writer, t Tally) {
	w.uint(uint64(t.Won))
	w.uint(uint64(t.Drawn))
	w.uint(uint64(t.Lost))
}

func readTally(d *reader) Tally {
	return Tally{int(d.upTo(1 << 40)), int(d.upTo(1 << 40)), int(d.upTo(1 << 40))}
}

func decodeRating(k, value []byte) (Standing, error) {
	d := open(value, 1)
	s := Standing{Member: game.MemberID(part(k, 0)), Rules: d.rules(part(k, 1))}
	s.R, s.RD, s.Vol, s.At = d.float(), d.float(), d.float(), d.time()
	s.Tally = readTally(d)
	return s, d.end()
}

// Against is how a member fares against one level of the engine.
type Against struct {
	Rules game.Rules
	Level int
	Tally
}

func encodeTally(t Tally) []byte {
	w := &writer{}
	w.byte(1)
	writeTally(w, t)
	return w.b
}

func decodeTally(value []byte) (Tally, error) {
	d := open(value, 1)
	return readTally(d), d.end()
}

func encodeCount(n uint64) []byte {
	w := &writer{}
	w.byte(1)
	w.uint(n)
	return w.b
}

func decodeCount(value []byte) (uint64, error) {
	d := open(value, 1)
	return d.uint(), d.end()
}

// finish does what the end of a match brings: ratings, or the table against the engine.
func (t *txn) finish(r *Record) error {
	rules, err := rulesCode(r.Rules)
	if err != nil {
		return err
	}
	switch {
	case r.CountsForRating():
		return t.rate(r, rules)
	case r.AgainstEngine() && r.Guest() == "" && !r.Spoiled && r.Opening != game.ImportedOpening && r.Archived() && r.Result().Cause < game.Aborted:
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
	if err := t.Put(pair, encodeCount(own+1)); err != nil {
		return err
	}
	var seats [2]Standing
	for i := range seats {
		if seats[i], err = readStanding(t, r.Seats[i].Member, rules); err != nil {
			return err
		}
		r.Changes[i].Before = seats[i].R
	}
	score := r.score(0)
	seats[0].Rating, seats[1].Rating = event.Play(seats[0].Rating, seats[1].Rating, score, r.Ended)
	for i, s := range seats {
		s.Tally = s.with(max(score, 0))
		score = 1 - score
		if err := t.Put(key(tRating, uint64(s.Member), rules), s.encode()); err != nil {
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

// score is what a seat won: 1, 0.5 or 0.
func (r Record) score(seat int) float64 {
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
	value, err := t.Get(k)
	if err != nil {
		return err
	}
	var tally Tally
	if value != nil {
		if tally, err = decodeTally(value); err != nil {
			return err
		}
	}
	return t.Put(k, encodeTally(tally.with(r.score(seat))))
}

func pairKey(at time.Time, a, b game.MemberID) []byte {
	return key(tPair, dayOf(at), uint64(min(a, b)), uint64(max(a, b)))
}

func dayOf(t time.Time) uint64 { return uint64(max(t.Unix(), 0)) / (24 * 60 * 60) }

func readStanding(r kv.Reader, member game.MemberID, rules uint64) (Standing, error) {
	k := key(tRating, uint64(member), rules)
	value, err := r.Get(k)
	if err != nil {
		return Standing{}, err
	}
	if value == nil {
		return Standing{Member: member, Rules: rulesCodes[rules], Rating: event.Rating{}.Known()}, nil
	}
	return decodeRating(k, value)
}

// RatedToday is how many games of two members were rated on the day of now, of
// RatedPerDay.
func (s *Store) RatedToday(ctx context.Context, a, b game.MemberID, now time.Time) (n int, err error) {
	err = s.kv.View(ctx, func(r kv.Reader) error {
		_, all, err := ratedOf(r, pairKey(now, a, b))
		n = int(all)
		return err
	})
	return n, err
}

// ratedOf is how many games of a pair were rated on a day; own leaves out those of before one of
// the two deleted their data.
func ratedOf(r kv.Reader, pair []byte) (own, all uint64, err error) {
	return countOf(r, pair, part(pair, 0), outlivePair, part(pair, 1), part(pair, 2))
}

// Standing gives the standing of a member in one kind of game; a newcomer's if he has none.
func (s *Store) Standing(ctx context.Context, member game.MemberID, rules game.Rules) (Standing, error) {
	code, err := rulesCode(rules)
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
	var bad error
	prefix := key(tRating, uint64(member))
	err = r.Scan(prefix, kv.After(prefix), func(k, v []byte) bool {
		var st Standing
		if st, bad = decodeRating(k, v); bad == nil {
			all = append(all, st)
		}
		return bad == nil
	})
	return all, errors.Join(err, bad)
}

// AgainstEngine gives a member's results against the engine, by rules and level. Games
// with an undo, a hint or an imported position are not in it.
func (s *Store) AgainstEngine(ctx context.Context, member game.MemberID) ([]Against, error) {
	return look(ctx, s, func(r kv.Reader) ([]Against, error) { return againstOf(r, member) })
}

func againstOf(r kv.Reader, member game.MemberID) (all []Against, err error) {
	var bad error
	prefix := key(tLevel, uint64(member))
	err = r.Scan(prefix, kv.After(prefix), func(k, v []byte) bool {
		var tally Tally
		tally, bad = decodeTally(v)
		if rules, ok := rulesOf(part(k, 1)); bad == nil && ok {
			all = append(all, Against{rules, int(part(k, 2)), tally})
		}
		return bad == nil
	})
	return all, errors.Join(err, bad)
}

// Top gives the n best players of rated games of a kind in a server; server 0 stands for all
// members. keep says by the settings of a member whether they are listed; nil lists everybody.
// With provisional set, players of whom little is known are listed too.
func (s *Store) Top(ctx context.Context, server uint64, rules game.Rules, n int, provisional bool, now time.Time, keep func(Member) bool) (top []Standing, err error) {
	code, err := rulesCode(rules)
	if err != nil {
		return nil, err
	}
	err = s.kv.View(ctx, func(r kv.Reader) error {
		all, err := board(r, server, code)
		if err != nil {
			return err
		}
		sort.SliceStable(all, func(i, j int) bool { return all[i].R > all[j].R })
		top = nil
		for _, st := range all {
			if len(top) == n {
				break
			}
			if !provisional && st.Aged(now).Provisional() {
				continue
			}
			if keep != nil {
				m, err := readMember(r, st.Member)
				if err != nil {
					return err
				}
				if !keep(m) {
					continue
				}
			}
			top = append(top, st)
		}
		return nil
	})
	return top, err
}

// board is everybody's standing in a kind of game: of those who played rated games of it in a
// server, or of all members for server 0.
func board(r kv.Reader, server, rules uint64) (all []Standing, err error) {
	var bad error
	prefix := key(tBoard, server, rules)
	each := func(k, _ []byte) bool {
		var st Standing
		if st, bad = readStanding(r, game.MemberID(part(k, 2)), rules); bad == nil {
			all = append(all, st)
		}
		return bad == nil
	}
	if server == 0 {
		prefix = []byte{tRating}
		each = func(k, v []byte) bool {
			if part(k, 1) != rules {
				return true
			}
			var st Standing
			if st, bad = decodeRating(k, v); bad == nil {
				all = append(all, st)
			}
			return bad == nil
		}
	}
	err = r.Scan(prefix, kv.After(prefix), each)
	return all, errors.Join(err, bad)
}

// Players are the members who have played rated games in a server.
func (s *Store) Players(ctx context.Context, server uint64) (players map[game.MemberID]bool, err error) {
	prefix := key(tBoard, server)
	err = s.kv.View(ctx, func(r kv.Reader) error {
		players = map[game.MemberID]bool{}
		return r.Scan(prefix, kv.After(prefix), func(k, _ []byte) bool {
			players[game.MemberID(part(k, 2))] = true
			return true
		})
	})
	return players, err
}
