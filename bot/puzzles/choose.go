package puzzles

import (
	"math"
	"slices"
	"strings"
	"time"

	"tengen/ai/puzzle"
	"tengen/game/event"
	"tengen/storage"
)

// themes are the themes that can be chosen. Their order stands in custom ids: add at the end only.
var themes = []string{"own", "vcf", "vct", "four-three", "double-four", "double-three", "straight-four", "forbid", "only-defence", "counter-four",
	"endgame", "corner", "x-square", "parity", "quiet-move", "pass", "wipe-out"}

// difficulties are how far from the member's rating a puzzle may be, in steps.
var difficulties = []string{"easiest", "easier", "normal", "harder", "hardest"}

// normal is the difficulty where none is chosen, and stepUp how many points one step is.
const (
	normal = 2
	stepUp = 300
)

// about reports whether a puzzle has a theme, whatever its length: a vcf-3 is about vcf.
func about(z puzzle.Puzzle, theme string) bool {
	return slices.ContainsFunc(z.Themes(), func(s string) bool { return s == theme || strings.HasPrefix(s, theme+"-") })
}

// suited is the puzzle of list that suits a solver best among those that they have not tried yet. As
// long as the first try is not over, it is the same one. It is false where none is left.
func suited(s storage.Solver, list []puzzle.Puzzle, theme string, level int) (best puzzle.Puzzle, ok bool) {
	r := known(s.Rating)
	aim := r.R - max(0, r.RD-sure)/2 + float64(stepUp*(level-normal)) // who is not known yet begins below
	nearest := math.Inf(1)
	for _, z := range list {
		// What costs most is asked last: the themes of a puzzle are computed.
		off := math.Abs(float64(z.Rating) - aim)
		if off < nearest && !s.Saw(z.Number) && (theme == "" || about(z, theme)) {
			best, nearest, ok = z, off, true
		}
	}
	return best, ok
}

// Ratings in puzzles: Glicko-2 with constants of its own. A puzzle's rating stays as the collection
// has it.
const (
	firstR, firstRD, firstVol = 1500, 500, 0.09

	sure     = 110     // below this deviation a rating is taken for known
	puzzleRD = 110     // of a puzzle
	tau      = 0.75    // how quickly the volatility changes
	perDay   = 0.21436 // rating periods
	hintWon  = 0.2     // how much a win counts where the chosen theme is a hint
	hintLost = 0.7     // how much a loss does
)

// known is r with a newcomer's numbers in place of none.
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
	s.Rating = before.After([]event.Outcome{{Against: event.Rating{R: float64(z.Rating), RD: puzzleRD}, Score: score}}, periods, tau).Bounded(before)
	s.R = before.R + weight*(s.R-before.R)
	s.At = now
	return s.With(z.Number)
}
