// Package review says what a game was worth, move by move: what the side to move had, what
// it gave, which moves were faults, and whether a second try at one is right. What it calls
// won, lost or solved is proven; all else is an expectation. It draws nothing and stores
// nothing. Start from Game; Try judges a second try, Pack and Unpack are for storage.
package review

import (
	"cmp"
	"context"
	"slices"

	"tengen/ai/engine"
	"tengen/game"
)

// Expectation is an expected result in thousandths, from 0 to 1000. Those two are proven.
type Expectation int

// Of gives the expectation from 0 to 1.
func (e Expectation) Of() float64 { return float64(e) / 1000 }

// Class says how good a move was.
type Class uint8

// The classes. A fault is an Inaccuracy or worse. The numbers are stored: add at the end only.
const (
	Opening Class = iota // placed by an opening protocol or a given start
	Best                 // what the engine would play, or as good
	Good
	Inaccuracy
	Mistake
	Blunder
)

func (c Class) String() string {
	return [...]string{"opening", "best", "good", "inaccuracy", "mistake", "blunder"}[c]
}

// The falls of the expectation from which a move is a fault.
const (
	inaccuracyFall = 50
	mistakeFall    = 100
	blunderFall    = 150
)

// Note says what a fault did, where that is proven.
type Note uint8

// The notes. The numbers are stored: add at the end only.
const (
	NoNote     Note = iota
	MissedWin       // a proven win was there; after the move no win is found any more
	Forbidden       // Renju: it lets a win through that uses a point forbidden to Black
	LetThrough      // it lets a win of the other side through that was not there
	Turn            // Reversi: the exact outcome changed
)

func (n Note) String() string {
	return [...]string{"none", "missed-win", "forbidden", "let-through", "turn"}[n]
}

// Outcome is what is proven of a position for one side.
type Outcome struct {
	Proof engine.Proof
	In    int // plies to the end of a proven win or loss, else 0
}

// Ply is a move and what became of it, from its mover's view.
type Ply struct {
	N             int // from 1
	By            game.Color
	Move          game.Point
	Before, After Expectation // Before is never below After
	Class         Class
	Note          Note
	Best          game.Point
	Had, Gave     Outcome
	Discs         int          // Reversi: what the move lost by exact play, where Had is exact
	Line          []game.Point // of a fault: how it should have gone on, from Best; a proven win to its end
	Answer        []game.Point // of a fault after which the other side wins: that win
}

// Fault reports whether the move is worth another try.
func (p Ply) Fault() bool { return p.Class >= Inaccuracy }

// Side sums up the moves of one side.
type Side struct {
	Accuracy                     float64 // 0 to 100; 100 without a move
	Inaccuracy, Mistake, Blunder int
}

// Review is what a game was worth.
type Review struct {
	Rules  game.Rules
	Means  Means
	Plies  []Ply
	Sides  [2]Side // black's, white's
	Faults []int   // numbers of the plies worth trying again, the worst first
}

// Options say how a game is reviewed. The zero value reviews all moves with DefaultMeans.
type Options struct {
	Means    Means
	Opening  int                // so many plies at the start were placed by a protocol or given
	Progress func(done, of int) // hears how many positions are done; nil hears nothing

	// Begin is asked before each search, and gives the context under which it runs. It may wait
	// while others need the core. A search whose context ends is made again; what was found before
	// stays. Each context is canceled at the end of its search. nil: nothing stands in the way.
	Begin func(context.Context) (context.Context, context.CancelFunc)
}

// Game reviews g from its first move to its last. A game that is not over is reviewed as far
// as it goes. Game ends at once, with its error, when ctx does; it repeats where Means bound
// the nodes.
func Game(ctx context.Context, g game.Game, o Options) (Review, error) {
	r, err := newReviewer(ctx, g, o)
	if err != nil {
		return Review{}, err
	}
	defer r.close()
	if err := r.backwards(); err != nil {
		return Review{}, err
	}
	plies, err := r.judgeAll()
	if err != nil {
		return Review{}, err
	}
	return finish(Review{Rules: g.Rules(), Means: r.means, Plies: plies}), nil
}

// finish adds to a review what follows from its plies.
func finish(r Review) Review {
	r.Sides = sides(r.Plies)
	r.Faults = worst(r.Plies)
	return r
}

// faultsASide is how many faults of a side are worth trying again.
const faultsASide = 3

// worst are the numbers of the worst faults, at most three a side, the worst first.
func worst(plies []Ply) []int {
	list := slices.DeleteFunc(slices.Clone(plies), func(p Ply) bool { return !p.Fault() })
	slices.SortStableFunc(list, func(x, y Ply) int {
		return cmp.Or(cmp.Compare(y.Class, x.Class), cmp.Compare(y.Before-y.After, x.Before-x.After))
	})
	numbers, taken := []int{}, [2]int{}
	for _, p := range list {
		if n := &taken[p.By-game.Black]; *n < faultsASide {
			*n++
			numbers = append(numbers, p.N)
		}
	}
	return numbers
}

// classOf is the class of a move by the fall of its expectation.
func classOf(before, after Expectation) Class {
	switch fall := before - after; {
	case fall >= blunderFall:
		return Blunder
	case fall >= mistakeFall:
		return Mistake
	case fall >= inaccuracyFall:
		return Inaccuracy
	case fall > 0:
		return Good
	}
	return Best
}
