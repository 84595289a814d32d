package desk

import (
	"math"
	"time"
)

// budget decides how much time the engine has for a move. At any moment all games get the same.
//
// A level is a node count in the first place. While the workers can search every turn to its
// full count, the time is the longest and ends no search. When they cannot, the time of all
// games goes down the ladder step by step until the turns fit. The budget measures what turns
// need: how long the last searches took, what a turn costs beside its search, how many turns
// come in a second and how many wait.
type budget struct {
	workers int
	answer  time.Duration // within which a turn is to be answered
	most    time.Duration // the longest

	rate     float64       // turns a second, averaged over rateOver
	first    time.Time     // when the first turn came
	last     time.Time     // when the last turn came
	costs    [256]cost     // of the last searches, in a ring
	searches int           // so far
	beside   time.Duration // the average cost of a turn outside its search
	drawing  time.Duration // the average cost of drawing a board

	now     time.Duration // what every search gets
	changed time.Time     // when now was last lowered or raised
}

// cost is what a search took.
type cost struct {
	took time.Duration
	cut  bool // its time ended it: given more, it would have taken more
	full bool // no time limit was set
}

const (
	rateOver    = 30 * time.Second
	rateAtLeast = 5 * time.Second        // the shortest time that the rate is averaged over, even right after the start
	fullShare   = 0.8                    // the share of the workers that turns may take up
	raiseShare  = 0.9 * fullShare        // the share that they may take up with more time, before they get it
	raiseAfter  = 5 * time.Second        // the time since the last change, before turns get more
	inTime      = 0.9                    // the share of the time for an answer that a queue may need
	firstBeside = 10 * time.Millisecond  // the cost beside the search, before it is measured
	longBeside  = 250 * time.Millisecond // one slow commit counts for this much at most
	boardsEach  = 2                      // boards drawn for a turn: the member's move and the engine's
)

// ladder are the steps of the time for a move below the longest. Each step is about a fourth more
// than the one before, so that a game does not notice small changes of the load.
var ladder = [...]time.Duration{
	2 * time.Millisecond, 2500 * time.Microsecond, 3200 * time.Microsecond, 4 * time.Millisecond, 5 * time.Millisecond,
	6400 * time.Microsecond, 8 * time.Millisecond, 10 * time.Millisecond, 12500 * time.Microsecond, 16 * time.Millisecond,
	20 * time.Millisecond, 25 * time.Millisecond, 32 * time.Millisecond, 40 * time.Millisecond, 50 * time.Millisecond,
	64 * time.Millisecond, 80 * time.Millisecond, 100 * time.Millisecond, 125 * time.Millisecond, 160 * time.Millisecond,
	200 * time.Millisecond, 250 * time.Millisecond, 320 * time.Millisecond, 400 * time.Millisecond, 500 * time.Millisecond,
	640 * time.Millisecond, 800 * time.Millisecond, 1000 * time.Millisecond,
}

func newBudget(workers int, answer, most time.Duration) *budget {
	return &budget{workers: workers, answer: answer, most: most, beside: firstBeside, now: most}
}

// came counts a turn.
func (b *budget) came(at time.Time) {
	if b.first.IsZero() {
		b.first, b.last = at, at
	}
	b.rate = b.rate*b.faded(at) + 1/rateOver.Seconds()
	b.last = at
}

// faded is the share of the rate that is left at a time.
func (b *budget) faded(at time.Time) float64 {
	return math.Exp(-max(0, at.Sub(b.last).Seconds()) / rateOver.Seconds())
}

// arrivals is how many turns come in a second. Right after the start it averages over the time
// since the first turn, since a longer time would make it too low.
func (b *budget) arrivals(at time.Time) float64 {
	known := max(at.Sub(b.first), rateAtLeast).Seconds() / rateOver.Seconds()
	return b.rate * b.faded(at) / (1 - math.Exp(-known))
}

// searched notes the cost of a search, and what its turn cost beside the search.
func (b *budget) searched(c cost, beside time.Duration) {
	b.costs[b.searches%len(b.costs)] = c
	b.searches++
	b.beside = average(b.beside, beside)
}

// drew notes how long drawing a board took.
func (b *budget) drew(took time.Duration) { b.drawing = average(b.drawing, took) }

// average moves an average towards a new value.
func average(was, is time.Duration) time.Duration { return was + (min(is, longBeside)-was)/32 }

// turn is how long a turn is expected to take when each search gets a given time.
func (b *budget) turn(each time.Duration) time.Duration {
	known := b.costs[:min(b.searches, len(b.costs))]
	sum := time.Duration(0)
	for _, c := range known {
		switch {
		case c.full:
			sum += c.took
		case c.cut:
			sum += each
		default:
			sum += min(c.took, each)
		}
	}
	mean := each // before the first search has ended, a search is expected to use all of it
	if len(known) > 0 {
		mean = sum / time.Duration(len(known))
	}
	return mean + b.beside + boardsEach*b.drawing
}

// fits reports whether turns that get the time each use no more than a share of the workers, and
// whether the waiting turns, the oldest of which has waited for since, are answered in time.
func (b *budget) fits(each time.Duration, share float64, at time.Time, waiting int, since time.Duration) bool {
	turn := b.turn(each).Seconds()
	return b.arrivals(at)*turn <= share*float64(b.workers) &&
		since.Seconds()+float64(waiting)*turn/float64(b.workers) <= inTime*b.answer.Seconds()
}

// give is the time for a search that begins now. waiting counts the turns that wait, this one
// included, and the oldest has waited for since. The time goes down at once, and up after a pause.
func (b *budget) give(at time.Time, waiting int, since time.Duration) time.Duration {
	switch {
	case !b.fits(b.now, fullShare, at, waiting, since):
		b.now, b.changed = b.step(fullShare, at, waiting, since), at
	case b.now < b.most && at.Sub(b.changed) >= raiseAfter:
		if more := b.step(raiseShare, at, waiting, since); more > b.now {
			b.now, b.changed = more, at
		}
	}
	return b.now
}

// step is the longest time that fits.
func (b *budget) step(share float64, at time.Time, waiting int, since time.Duration) time.Duration {
	if b.fits(b.most, share, at, waiting, since) {
		return b.most
	}
	for i := len(ladder) - 1; i > 0; i-- {
		if ladder[i] < b.most && b.fits(ladder[i], share, at, waiting, since) {
			return ladder[i]
		}
	}
	return min(ladder[0], b.most)
}
