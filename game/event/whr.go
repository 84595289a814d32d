package event

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"tengen/game"
)

// ratedGame is a game as the whole-history rating sees it. A moved first; score is what A won.
type ratedGame struct {
	Day   float64       `json:"day"`
	A     game.MemberID `json:"a"`
	B     game.MemberID `json:"b"`
	Score float64       `json:"score"`
}

// prior is what the whole-history rating takes for granted.
type prior struct {
	W2      float64 `json:"w2"`      // how quickly strength changes, in Elo squared a day
	Virtual float64 `json:"virtual"` // draws against a player of Elo 0 on one's first day
	Adv     float64 `json:"adv"`     // Elo that moving first is worth
}

// history is the strength of a player on each day with a game, in Elo around 0.
type history struct {
	ID   game.MemberID `json:"id"`
	Days []float64     `json:"days"`
	Elo  []float64     `json:"elo"`
	SD   []float64     `json:"sd"` // how uncertain it is
}

// Bounds of what histories takes.
const (
	maxRated = 500_000
	maxDay   = 1e6
)

// check says what is wrong with a prior.
func (p prior) check() error {
	switch {
	case !(p.W2 >= 1e-3 && p.W2 <= 1e6):
		return errors.New("w2 must be from 0.001 to 1000000")
	case !(p.Virtual >= 1e-3 && p.Virtual <= 1e3):
		return errors.New("virtual must be from 0.001 to 1000")
	case !(math.Abs(p.Adv) <= 1000):
		return errors.New("adv must be from -1000 to 1000")
	}
	return nil
}

// elo is how many natural units one Elo has.
const elo = math.Ln10 / 400

// histories is the whole-history rating (Coulom's) of all players of games, by id: the strengths that
// make the results and a slow change of strength most likely together. The order of the games does
// not matter, so that the same archive gives the same numbers. It ends early when ctx is done.
func histories(ctx context.Context, games []ratedGame, p prior) ([]history, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if len(games) > maxRated {
		return nil, fmt.Errorf("%d games: want at most %d", len(games), maxRated)
	}
	for i, g := range games {
		switch {
		case g.A == g.B:
			return nil, fmt.Errorf("game %d: %d plays against itself", i+1, g.A)
		case !(g.Score >= 0 && g.Score <= 1):
			return nil, fmt.Errorf("game %d: a score is from 0 to 1", i+1)
		case !(math.Abs(g.Day) <= maxDay):
			return nil, fmt.Errorf("game %d: a day is at most %v", i+1, maxDay)
		}
	}
	curves, err := newCurves(games, p)
	if err != nil {
		return nil, err
	}
	for range 20_000 {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		largest := 0.0
		for i := range curves {
			largest = max(largest, curves[i].step(curves, p))
		}
		if largest < 1e-9 {
			return finished(curves, p), nil
		}
	}
	return nil, errors.New("the ratings do not settle")
}

// curve is a player's strength by days, in natural units, with the games of each day.
type curve struct {
	id    game.MemberID
	days  []float64
	r     []float64
	games [][]bout
	grad  []float64 // of what is to be largest, by days
	diag  []float64 // of its second derivatives, negated
	off   []float64 // those beside the diagonal, negated
	fwd   []float64 // the diagonal after elimination from the first day on
}

// bout is a game from the side of one player.
type bout struct {
	other, day int // the opponent's curve, and the place in it
	score, adv float64
}

// nearest is how near two days of a player may be.
const nearest = 1e-3

func newCurves(games []ratedGame, p prior) ([]curve, error) {
	games = slices.Clone(games)
	slices.SortFunc(games, func(x, y ratedGame) int {
		return cmp.Or(cmp.Compare(x.Day, y.Day), cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B), cmp.Compare(x.Score, y.Score))
	})
	var ids []game.MemberID
	for _, g := range games {
		ids = append(ids, g.A, g.B)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	curves := make([]curve, len(ids))
	place := func(id game.MemberID, day float64) (c, d int) {
		c, _ = slices.BinarySearch(ids, id)
		k := &curves[c]
		if n := len(k.days); n == 0 || k.days[n-1] != day {
			k.id, k.days, k.games = id, append(k.days, day), append(k.games, nil)
		}
		return c, len(k.days) - 1
	}
	for _, g := range games {
		a, da := place(g.A, g.Day)
		b, db := place(g.B, g.Day)
		curves[a].games[da] = append(curves[a].games[da], bout{b, db, g.Score, p.Adv * elo})
		curves[b].games[db] = append(curves[b].games[db], bout{a, da, 1 - g.Score, -p.Adv * elo})
	}
	for i := range curves {
		n := len(curves[i].days)
		room := make([]float64, 5*n)
		c := &curves[i]
		c.r, c.grad, c.diag, c.off, c.fwd = room[:n], room[n:2*n], room[2*n:3*n], room[3*n:4*n], room[4*n:]
		for d := 1; d < n; d++ {
			if c.days[d]-c.days[d-1] < nearest {
				return nil, fmt.Errorf("two days of %d are nearer than %v", c.id, nearest)
			}
		}
	}
	return curves, nil
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// derive computes the derivatives by c's own values, and eliminates.
func (c *curve) derive(all []curve, p prior) {
	n := len(c.days)
	for d, games := range c.games {
		grad, diag := 0.0, 0.0
		for _, g := range games {
			e := logistic(c.r[d] - all[g.other].r[g.day] + g.adv)
			grad += g.score - e
			diag += e * (1 - e)
		}
		if d == 0 {
			e := logistic(c.r[0])
			grad += p.Virtual * (0.5 - e)
			diag += p.Virtual * e * (1 - e)
		}
		c.grad[d], c.diag[d] = grad, diag
	}
	for d := range n - 1 {
		stiff := 1 / (p.W2 * elo * elo * (c.days[d+1] - c.days[d]))
		change := c.r[d+1] - c.r[d]
		c.grad[d] += change * stiff
		c.grad[d+1] -= change * stiff
		c.diag[d] += stiff
		c.diag[d+1] += stiff
		c.off[d] = -stiff
	}
	c.fwd[0] = c.diag[0]
	for d := 1; d < n; d++ {
		c.fwd[d] = c.diag[d] - c.off[d-1]*c.off[d-1]/c.fwd[d-1]
	}
}

// step is one of Newton's steps of a player's own values. It tells the largest change.
func (c *curve) step(all []curve, p prior) (largest float64) {
	c.derive(all, p)
	n := len(c.days)
	for d := 1; d < n; d++ {
		c.grad[d] -= c.off[d-1] / c.fwd[d-1] * c.grad[d-1]
	}
	next := 0.0
	for d := n - 1; d >= 0; d-- {
		if d < n-1 {
			next *= c.off[d]
		}
		next = (c.grad[d] - next) / c.fwd[d]
		by := min(max(next, -2), 2)
		c.r[d] += by
		largest = max(largest, math.Abs(by))
	}
	return largest
}

// finished are the curves in Elo, with their uncertainty.
func finished(curves []curve, p prior) []history {
	all := make([]history, len(curves))
	for i := range curves {
		c := &curves[i]
		c.derive(curves, p)
		n := len(c.days)
		h := history{ID: c.id, Days: c.days, Elo: make([]float64, n), SD: make([]float64, n)}
		back := 0.0 // the diagonal after elimination from the last day on
		for d := n - 1; d >= 0; d-- {
			if d == n-1 {
				back = c.diag[d]
			} else {
				back = c.diag[d] - c.off[d]*c.off[d]/back
			}
			h.Elo[d] = c.r[d] / elo
			h.SD[d] = math.Sqrt(1/(c.fwd[d]+back-c.diag[d])) / elo
		}
		all[i] = h
	}
	return all
}
