package puzzles

import (
	"math"
	"slices"
	"time"

	"tengen/ai/puzzle"
	"tengen/game"
	"tengen/game/event"
	"tengen/storage"
)

// themes are the themes that can be chosen. Their order stands in custom ids: add at the end only.
var themes = append([]string{"own"}, puzzle.ThemeNames...)

// offered are the themes of which the collection has puzzles. Nobody is wiped out in it.
var offered = slices.DeleteFunc(slices.Clone(themes), func(s string) bool { return s == "wipe-out" })

// difficulties are how far from the member's rating a puzzle may be, in steps.
var difficulties = []string{"easiest", "easier", "normal", "harder", "hardest"}

// normal is the difficulty where none is chosen, and stepUp how many points one step is.
const (
	normal = 2
	stepUp = 300
)

// staleness is 0 for a puzzle that the member has not seen within the last storage.ShownDays days.
// Else it is the more the less long ago they saw it.
func staleness(s storage.Solver, number int, now time.Time) int {
	v, ok := s.Recent(number, now)
	if !ok {
		return 0
	}
	return 1 + max(0, storage.ShownDays-int(now.Sub(v.Time()).Hours()/24))
}

// sparing is s as if the solver had just seen the puzzle of the day, so that it does not come in
// another way before they ask for it.
func sparing(s storage.Solver, today puzzle.Puzzle, now time.Time) storage.Solver {
	if today.Number == 0 || today.Game.Rules() != s.Rules {
		return s
	}
	return s.Showed(today.Number, now, false)
}

// A newcomer's first puzzles are short, with few stones, and begin near 800 points.
const (
	firstPuzzles  = 5
	firstPlies    = 3      // of the line
	firstStones   = 16     // on the board of a win
	firstEmpties  = 12     // of Reversi
	unfit         = 10_000 // how much farther than any rating is off a puzzle counts that is none for newcomers
	belowNewcomer = 1.8    // points below the rating for each point by which the deviation exceeds event.Settled
)

// forNewcomers reports whether a puzzle shows what puzzles are: what is asked is soon seen and soon done.
func forNewcomers(z puzzle.Puzzle) bool {
	b := z.Game.Position()
	stones := b.Count(game.Black) + b.Count(game.White)
	switch {
	case len(z.Line) > firstPlies || z.Kind == puzzle.Defend:
		return false
	case z.Kind == puzzle.Best:
		return b.Size*b.Size-stones <= firstEmpties
	}
	return stones <= firstStones
}

// suited is the puzzle of list that suits a solver best among those that they have not tried yet. As
// long as the first try is not over, it is the same one. One that they saw otherwise of late comes
// only where no other is left. It is false where none is left at all.
func suited(s storage.Solver, list []puzzle.Puzzle, theme string, level int,
	now time.Time) (best puzzle.Puzzle, ok bool) {
	r := known(s.Rating)
	below := belowNewcomer * max(0, r.RD-event.Settled)
	aim := r.R - below + float64(stepUp*(level-normal))
	newcomer := s.Tried < firstPuzzles && level <= normal
	oldest, nearest := math.MaxInt, math.Inf(1)
	for _, z := range list {
		if s.Saw(z.Number) {
			continue
		}
		stale, off := staleness(s, z.Number, now), math.Abs(float64(z.Rating)-aim)
		if v, _ := s.Recent(z.Number, now); v.Open {
			stale = 0
		}
		if newcomer && !forNewcomers(z) {
			off += unfit
		}
		if stale > oldest || stale == oldest && off >= nearest {
			continue
		}
		if theme == "" || z.About(theme) { // asked last: the themes of a puzzle are computed
			best, oldest, nearest, ok = z, stale, off, true
		}
	}
	return best, ok
}

// Where a run goes. It leads upwards by the ratings of its puzzles, each of which is taken from a
// window. A streak has two easy puzzles, and from the third on each is harder than the one before.
// A storm leads up slowly.
const (
	easiestRun = 450
	easyWindow = 100
	easyStreak = 2  // puzzles
	streakUp   = 75 // each puzzle from then on
	stormUp    = 20 // each puzzle
)

// window is the ratings, without the second, of the next puzzle of a run.
func window(v storage.Run) (low, high int) {
	if v.Kind == storage.StormRun {
		low = easiestRun + stormUp*v.Step
		return low, low + easyWindow
	}
	if v.Step < easyStreak {
		low = easiestRun + easyWindow*v.Step
		return low, low + easyWindow
	}
	low = easiestRun + easyWindow*easyStreak + streakUp*(v.Step-easyStreak)
	return low, low + streakUp
}

// next is the next puzzle of a run: of those that the member has not seen of late, one whose
// rating lies in the window, or nearest to it; which one follows from the seed. Where the member has
// seen all of late, those come first that they saw longest ago. It is false where the run has had
// every puzzle.
func next(list []puzzle.Puzzle, v storage.Run, s storage.Solver, now time.Time) (best puzzle.Puzzle, ok bool) {
	low, high := window(v)
	order := v.Seed + uint64(v.Step)
	oldest, nearest, rank := math.MaxInt, 0, uint64(0)
	for _, z := range list {
		stale, off := staleness(s, z.Number, now), max(0, low-z.Rating, z.Rating-high+1)
		if stale > oldest || stale == oldest && ok && off > nearest {
			continue
		}
		mine := seedOf(z.ID(), order)
		if stale == oldest && off == nearest && mine >= rank {
			continue
		}
		best, oldest, nearest, rank, ok = z, stale, off, mine, true
	}
	return best, ok && v.Step < len(list)
}

// Ratings in puzzles: Glicko-2 with constants of its own. A puzzle's rating stays as the collection
// has it.
const (
	firstR, firstRD, firstVol = 1500, 500, 0.09

	puzzleRD = 110     // of a puzzle
	tau      = 0.75    // how quickly the volatility changes
	perDay   = 0.21436 // rating periods
	hintWon  = 0.2     // how much a win counts where the chosen theme is a hint
	hintLost = 0.7     // how much a loss does
)

// known is r with the numbers of a newcomer to puzzles in place of none.
func known(r event.Rating) event.Rating {
	if r.RD == 0 {
		r.R, r.RD, r.Vol = firstR, firstRD, firstVol
	}
	return r
}

// tried is a solver after their first try at a puzzle. themed says that they had chosen its theme.
func tried(s storage.Solver, z puzzle.Puzzle, won, themed bool, now time.Time) storage.Solver {
	before, score, weight := known(s.Rating), 0.0, 1.0
	s.Tried++
	if won {
		s.Solved++
		score = 1
	}
	switch {
	case themed && won:
		weight = hintWon
	case themed:
		weight = hintLost
	}
	periods := 0.0
	if idle := now.Sub(s.At); !s.At.IsZero() && idle > 0 {
		periods = idle.Hours() / 24 * perDay
	}
	s.Rating = before.After([]event.Outcome{{Against: event.Rating{R: float64(z.Rating), RD: puzzleRD}, Score: score}},
		periods, tau).Bounded(before)
	s.R = before.R + weight*(s.R-before.R)
	s.At = now
	return s.With(z.Number, now)
}
