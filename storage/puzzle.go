package storage

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"tengen/game"
	"tengen/game/event"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

// Solver is what a member has reached in the puzzles of one game. Its rating has nothing to do with
// that of games.
type Solver struct {
	Member game.MemberID
	Rules  game.Rules
	event.Rating
	Tried, Solved int     // first tries
	Seen          []byte  // a bit for the number of each puzzle whose first try is over
	Shown         []Shown // the puzzles that the member saw of late, by number
}

// Shown says when a member last saw a puzzle.
type Shown struct {
	Number int
	Day    int  // since 1970, UTC
	Open   bool // the member may still try it for the rating
}

// Time is when the day began.
func (v Shown) Time() time.Time { return time.Unix(int64(v.Day)*24*60*60, 0).UTC() }

// The bounds of what is remembered of one game: tries in bytes, puzzles that were shown of late in
// puzzles and days. A member who sees more puzzles than that within the days may meet the oldest
// ones again.
const (
	mostSeen  = 1 << 14
	mostShown = 4096
	ShownDays = 60
)

// lastDay is the last day that is told apart, centuries ahead.
const lastDay = 1 << 18

// shownOn is the day of a time, since 1970.
func shownOn(t time.Time) int { return int(min(dayOf(t), lastDay)) }

// Saw reports whether the first try at a puzzle is over.
func (s Solver) Saw(number int) bool {
	return number >= 0 && number/8 < len(s.Seen) && s.Seen[number/8]&(1<<(number%8)) != 0
}

// Recent gives when the member last saw a puzzle, if that was within the last ShownDays days.
func (s Solver) Recent(number int, now time.Time) (Shown, bool) {
	i, ok := slices.BinarySearchFunc(s.Shown, number, func(v Shown, n int) int { return cmp.Compare(v.Number, n) })
	if !ok || shownOn(now)-s.Shown[i].Day > ShownDays {
		return Shown{}, false
	}
	return s.Shown[i], true
}

// Showed is s after a puzzle was shown. open says that the member may try it for the rating. It
// forgets what was shown longer than ShownDays days ago, and beyond mostShown puzzles the oldest
// ones. A day that lies ahead, since the clock was wrong once, becomes today.
func (s Solver) Showed(number int, now time.Time, open bool) Solver {
	if number < 0 || number/8 >= mostSeen {
		return s
	}
	today := shownOn(now)
	kept := []Shown{{number, today, open}}
	for _, v := range s.Shown {
		if v.Day = min(v.Day, today); v.Number != number && today-v.Day <= ShownDays {
			kept = append(kept, v)
		}
	}
	s.Shown = bounded(kept)
	return s
}

// bounded is the newest mostShown of list, by number.
func bounded(list []Shown) []Shown {
	slices.SortStableFunc(list, func(a, b Shown) int { return cmp.Compare(b.Day, a.Day) })
	list = list[:min(len(list), mostShown)]
	slices.SortFunc(list, func(a, b Shown) int { return cmp.Compare(a.Number, b.Number) })
	return list
}

// With is s after its first try at a puzzle is over.
func (s Solver) With(number int, now time.Time) Solver {
	if number < 0 || number/8 >= mostSeen {
		return s
	}
	s = s.Showed(number, now, false)
	seen := make([]byte, max(len(s.Seen), number/8+1))
	copy(seen, s.Seen)
	seen[number/8] |= 1 << (number % 8)
	s.Seen = seen
	return s
}

// Fields reads a first format too, which does not say when a puzzle was shown: those that the member has
// tried count from the last try on.
func (s *Solver) Fields(f *codec.Fields) {
	format := f.Format(2, 2)
	f.Say("kind", "solver")
	codec.Part(f, "member", 0, &s.Member)
	f.PartRules(1, &s.Rules)
	f.Rating(&s.Rating)
	codec.Number(f, "tried", &s.Tried, 1<<40)
	codec.Number(f, "solved", &s.Solved, 1<<40)
	seen := string(s.Seen)
	if f.Text("", &seen, mostSeen); f.Reading() && seen != "" {
		s.Seen = []byte(seen)
	}
	switch {
	case f.Exporting():
		s.export(f)
	case format == 2:
		s.shown(f)
	default:
		for n := range 8 * len(s.Seen) {
			if s.Saw(n) {
				s.Shown = append(s.Shown, Shown{Number: n, Day: shownOn(s.At)})
			}
		}
		s.Shown = bounded(s.Shown)
	}
}

// shown are two bytes for each puzzle, mostly: the steps between numbers, and the days before the newest.
func (s *Solver) shown(f *codec.Fields) {
	newest, last := 0, 0
	for _, v := range s.Shown {
		newest = max(newest, v.Day)
	}
	codec.Number(f, "", &newest, lastDay)
	codec.Many(f, "", &s.Shown, 2, mostShown, func(f *codec.Fields, v *Shown) {
		step, ago := v.Number-last, uint64(newest-v.Day)<<1|uint64(codec.Bit(v.Open))
		codec.Number(f, "", &step, 8*mostSeen)
		codec.Number(f, "", &ago, 2*lastDay+1)
		if f.Reading() {
			f.Must((step > 0 || v == &s.Shown[0]) && last+step < 8*mostSeen && int(ago>>1) <= newest)
			*v = Shown{last + step, newest - int(ago>>1), ago&1 == 1}
		}
		last = v.Number
	})
}

func (s *Solver) export(f *codec.Fields) {
	seen, shown := []int{}, map[string]string{}
	for _, v := range s.Shown {
		shown[strconv.Itoa(v.Number)] = v.Time().Format(time.DateOnly)
	}
	for n := range 8 * len(s.Seen) {
		if s.Saw(n) {
			seen = append(seen, n)
		}
	}
	f.Say("seen", seen)
	f.Say("shown", shown) // the day, by number
}

func (s Solver) MarshalJSON() ([]byte, error) { return codec.Export(s) }

// Solver gives what a member has reached in the puzzles of a game.
func (s *Store) Solver(ctx context.Context, member game.MemberID, rules game.Rules) (Solver, error) {
	code, err := codec.RulesCode(rules)
	if err != nil {
		return Solver{}, err
	}
	return look(ctx, s, func(r kv.Reader) (Solver, error) { return readSolver(r, member, code) })
}

func readSolver(r kv.Reader, member game.MemberID, code uint64) (Solver, error) {
	return get[Solver](r, key(tSolver, uint64(member), code))
}

// UpdateSolver changes what a member has reached by f. A server other than 0 is one in which the
// member solves puzzles.
func (s *Store) UpdateSolver(ctx context.Context, member game.MemberID, rules game.Rules, server uint64,
	f func(Solver) (Solver, error)) (v Solver, err error) {
	err = s.kv.Update(ctx, func(tx kv.Tx) error {
		v, err = updateSolver(tx, member, rules, f)
		return errors.Join(err, solvesIn(tx, server, member))
	})
	return v, err
}

// updateSolver writes nothing where f changes nothing.
func updateSolver(tx kv.Tx, member game.MemberID, rules game.Rules,
	f func(Solver) (Solver, error)) (v Solver, err error) {
	code, err := codec.RulesCode(rules)
	if err != nil {
		return v, err
	}
	was, err := readSolver(tx, member, code)
	if err != nil {
		return v, err
	}
	if v, err = f(was); err != nil {
		return v, err
	}
	v.Member, v.Rules = member, was.Rules
	if bytes.Equal(codec.Encode(v), codec.Encode(was)) {
		return v, nil
	}
	return v, tx.Put(key(tSolver, uint64(member), code), codec.Encode(v))
}

// solvesIn notes that a member solves puzzles in a server.
func solvesIn(tx kv.Tx, server uint64, member game.MemberID) error {
	if server == 0 {
		return nil
	}
	k := key(tSolverIn, server, uint64(member))
	value, err := tx.Get(k)
	if err != nil || value != nil {
		return err
	}
	t, err := readTaking(tx, member, server)
	if err != nil {
		return err
	}
	return errors.Join(tx.Put(k, none), tx.Put(takingKey(member, server), codec.Encode(t)))
}

// SolvedHere is a member who solves puzzles in a server, with what they have reached there.
type SolvedHere struct {
	Solver
	Run Run
}

// Solvers gives the members who solve puzzles of a game in a server and satisfy keep, in no order.
func (s *Store) Solvers(ctx context.Context, server uint64, rules game.Rules,
	keep func(Member) bool) ([]SolvedHere, error) {
	code, err := codec.RulesCode(rules)
	if err != nil {
		return nil, err
	}
	return look(ctx, s, func(r kv.Reader) (here []SolvedHere, err error) {
		members, err := partsIn[game.MemberID](r, under(tSolverIn, server), 1, -1, nil)
		for _, member := range members {
			m, err := readMember(r, member)
			if err != nil {
				return nil, err
			}
			if !keep(m) {
				continue
			}
			solver, err := readSolver(r, member, code)
			if err != nil {
				return nil, err
			}
			run, err := readRun(r, member)
			if err != nil {
				return nil, err
			}
			here = append(here, SolvedHere{solver, run})
		}
		return here, err
	})
}

// RunKind is what ends a run: a wrong answer or the time.
type RunKind uint8

// The kinds. The numbers are stored: add at the end only.
const (
	NoRun     RunKind = iota
	StreakRun         // one life, ever harder
	StormRun          // as many as three minutes allow
)

func (k RunKind) String() string { return codec.Name([]string{"none", "streak", "storm"}, k) }

// Best is the most that a member has solved in one run of a kind, ever, in a week and on a day.
type Best struct {
	Kind            RunKind
	Rules           game.Rules
	Ever, Week, Day int
	At              time.Time // of the newest run: week and day are this time's
}

// Run is a run of a member through puzzles, and their best ones. It is over where its Kind is NoRun.
type Run struct {
	Member game.MemberID
	Kind   RunKind
	Rules  game.Rules // of a run
	Seed   uint64     // the order of its puzzles follows from it
	Step   int        // puzzles that are over
	Solved int
	Combo  int       // right moves one after the other
	Ends   time.Time // of a storm
	Unsure bool      // the judge was undecided about this puzzle once
	Bests  []Best

	Puzzle  int          // the number of the present one; 0: an older program began the run
	Moves   []game.Point // of both sides, on it
	Answers int          // that counted: a press on the board as it was before counts no more
}

// mostRunMoves bounds what is read of the moves of a run.
const mostRunMoves = 100

// Fields writes the second format where the row says which puzzle is the present one.
func (v *Run) Fields(f *codec.Fields) {
	const most = 1 << 30
	format := f.Format(1+codec.Bit(v.Kind != NoRun && v.Puzzle != 0), 2)
	f.Say("kind", "run")
	codec.Part(f, "member?", 0, &v.Member)
	codec.Small(f, "now", &v.Kind, StormRun)
	if v.Kind != NoRun {
		f.Rules("", &v.Rules)
		codec.ID(f, "", &v.Seed)
		codec.Number(f, "", &v.Step, most)
		codec.Number(f, "solved?", &v.Solved, most)
		codec.Number(f, "", &v.Combo, most)
		f.Time("", &v.Ends)
		f.Flag("", &v.Unsure)
	}
	codec.Many(f, "bests", &v.Bests, 6, 2*len(codec.Rules), func(f *codec.Fields, b *Best) {
		codec.Small(f, "run", &b.Kind, 255)
		f.Rules("rules", &b.Rules)
		codec.Number(f, "ever", &b.Ever, most)
		codec.Number(f, "week", &b.Week, most)
		codec.Number(f, "day", &b.Day, most)
		f.Time("at", &b.At)
	})
	if format == 1 {
		if f.Reading() {
			v.Answers = v.Step // as the boards of an older program say
		}
		return
	}
	codec.Number(f, "", &v.Puzzle, most)
	codec.Number(f, "", &v.Answers, most)
	f.Points("", &v.Moves, mostRunMoves)
	f.Must(v.Kind != NoRun && v.Puzzle != 0)
}

func (v Run) MarshalJSON() ([]byte, error) { return codec.Export(v) }

// Run gives the run of a member; zero but for Member where there is none.
func (s *Store) Run(ctx context.Context, member game.MemberID) (Run, error) {
	return look(ctx, s, func(r kv.Reader) (Run, error) { return readRun(r, member) })
}

func readRun(r kv.Reader, member game.MemberID) (Run, error) {
	return get[Run](r, key(tRun, uint64(member)))
}

// UpdateRun changes the run of a member by f. A server other than 0 is one in which the member solves
// puzzles.
func (s *Store) UpdateRun(ctx context.Context, member game.MemberID, server uint64,
	f func(Run) (Run, error)) (v Run, err error) {
	err = s.kv.Update(ctx, func(tx kv.Tx) error {
		v, err = updateRun(tx, member, f)
		return errors.Join(err, solvesIn(tx, server, member))
	})
	return v, err
}

// StepRun is UpdateRun for a change that shows the member a puzzle of a game: what they have
// reached in it changes with the run.
func (s *Store) StepRun(ctx context.Context, member game.MemberID, rules game.Rules, server uint64,
	f func(Run, Solver) (Run, Solver, error)) (v Run, err error) {
	err = s.kv.Update(ctx, func(tx kv.Tx) error {
		_, err := updateSolver(tx, member, rules, func(solver Solver) (Solver, error) {
			v, err = updateRun(tx, member, func(was Run) (after Run, err error) {
				after, solver, err = f(was, solver)
				return after, err
			})
			return solver, err
		})
		return errors.Join(err, solvesIn(tx, server, member))
	})
	return v, err
}

func updateRun(tx kv.Tx, member game.MemberID, f func(Run) (Run, error)) (v Run, err error) {
	was, err := readRun(tx, member)
	if err != nil {
		return v, err
	}
	if v, err = f(was); err != nil {
		return v, err
	}
	v.Member = member
	return v, tx.Put(key(tRun, uint64(member)), codec.Encode(v))
}

// forgetPuzzles takes what is stored of a member's puzzles.
func forgetPuzzles(tx kv.Tx, member game.MemberID) (gone [][]byte, err error) {
	solvers, err := keysIn(tx, under(tSolver, uint64(member)), -1, nil)
	if err != nil {
		return nil, err
	}
	takings, err := keysIn(tx, under(tTaking, uint64(member)), -1, nil)
	if err != nil {
		return nil, err
	}
	gone = append(slices.Concat(solvers, takings), key(tRun, uint64(member)))
	for _, k := range takings { // who was among the first of a server's day has a row of how they fare there
		gone = append(gone, key(tSolverIn, part(k, 1), uint64(member)))
		d, err := readDaily(tx, part(k, 1))
		if err != nil {
			return nil, err
		}
		if !slices.Contains(d.Day.First, member) && !slices.Contains(d.Before.First, member) {
			continue
		}
		d.Daily = d.Without(member)
		if err := tx.Put(key(tDaily, d.Server), codec.Encode(d)); err != nil {
			return nil, err
		}
	}
	return gone, nil
}

// clear deletes what is stored of a server's puzzles, as long as away gives no error.
func (allPuzzles) clear(ctx context.Context, s *Store, server uint64, away func(kv.Reader) error) error {
	for {
		var members []game.MemberID
		var daily []byte
		err := s.kv.View(ctx, func(r kv.Reader) (err error) {
			if daily, err = r.Get(key(tDaily, server)); err != nil {
				return err
			}
			members, err = partsIn[game.MemberID](r, under(tSolverIn, server), 1, s.options.Chunk, nil)
			return err
		})
		if err != nil || len(members) == 0 && daily == nil {
			return err
		}
		err = s.kv.Update(ctx, func(tx kv.Tx) error {
			if err := away(tx); err != nil {
				return err
			}
			if len(members) == 0 {
				d, err := readDaily(tx, server)
				return firstOf(err, d.unwrite(tx))
			}
			for _, m := range members {
				if err := errors.Join(tx.Delete(key(tSolverIn, server, uint64(m))), tx.Delete(takingKey(m, server))); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || len(members) == 0 {
			return err
		}
	}
}

// OwnPuzzles is what is stored of a member's puzzles.
type OwnPuzzles struct {
	Solvers []Solver
	Dailies []Taking
	Run     Run
}

// PuzzlesOf gives all that is stored of a member's puzzles.
func (s *Store) PuzzlesOf(ctx context.Context, member game.MemberID) (OwnPuzzles, error) {
	return look(ctx, s, func(r kv.Reader) (OwnPuzzles, error) { return puzzlesOf(r, member) })
}

func puzzlesOf(r kv.Reader, member game.MemberID) (own OwnPuzzles, err error) {
	if own.Run, err = readRun(r, member); err != nil {
		return own, err
	}
	if own.Solvers, err = allIn[Solver](r, under(tSolver, uint64(member))); err != nil {
		return own, err
	}
	own.Dailies, err = allIn[Taking](r, under(tTaking, uint64(member)))
	slices.SortFunc(own.Run.Bests, func(a, b Best) int { return cmp.Compare(a.Kind, b.Kind) })
	return own, err
}
