package puzzle

import (
	"context"
	"math"

	"tengen/ai"
	"tengen/game"
)

// strengths are what the levels are taken for as solvers. They are as far apart as in games
// (docs/strength.md, docs/strength-reversi.md), and level 4 has 1500 points, with which a member
// begins.
func strengths(r game.Rules) [7]float64 {
	if r == game.Reversi {
		return [...]float64{660, 930, 1190, 1500, 1820, 2050, 2320}
	}
	return [...]float64{835, 1017, 1242, 1500, 1763, 2023, 2318}
}

// triesOf is how often a level tries, and how much a try counts. The last two levels play alike
// each time. The tries of the others often go right and wrong together, so four count as two.
func triesOf(level int) (n int, weight float64) {
	if level >= 6 {
		return 1, 1
	}
	return 4, 0.5
}

// Rate is a first rating for p: the likeliest one for what each level of the bot makes of it,
// near what its length leads one to expect.
func Rate(ctx context.Context, p Puzzle) (int, error) {
	var games []attempt
	found := false // by all tries of a level; the stronger ones find it too
	for i, strength := range strengths(p.Game.Rules()) {
		level, right := i+1, 0
		n, weight := triesOf(level)
		for seed := range n {
			ok := found
			if !found {
				var err error
				if ok, err = solves(ctx, p, level, uint64(seed)*977+uint64(level)); err != nil {
					return 0, err
				}
			}
			games = append(games, attempt{strength, ok, weight})
			if ok {
				right++
			}
		}
		found = found || right == n && level >= 4
	}
	mean, deviation := expected(p)
	return likeliest(mean, deviation, games), nil
}

// attempt is what a solver made of a puzzle.
type attempt struct {
	solver float64
	solved bool
	weight float64
}

// expected is the rating of a puzzle by its length alone, and the standard deviation of ratings
// about it. Both are fitted to what the levels made of the first 1534 puzzles.
func expected(p Puzzle) (mean, deviation float64) {
	switch p.Kind {
	case Best:
		return 1110 + 45*float64(empties(p.Game.Position())-8) + 155*float64(p.Solver()-1), 385
	case Defend:
		return 1060 + 60*float64(p.Moves-3), 255
	}
	return 580 + 50*float64(p.Moves-3) + 90*float64(p.Solver()-1), 305
}

// likeliest is the rating under which the attempts are likeliest, near what is expected, in
// steps of five.
func likeliest(mean, deviation float64, games []attempt) int {
	best, at := math.Inf(-1), 0
	for r := 400; r <= 3000; r += 5 {
		d := (float64(r) - mean) / deviation
		v := -d * d / 2
		for _, a := range games {
			e := 1 / (1 + math.Pow(10, (float64(r)-a.solver)/400))
			if !a.solved {
				e = 1 - e
			}
			v += a.weight * math.Log(e)
		}
		if v > best {
			best, at = v, r
		}
	}
	return at
}

// solves reports whether a level of the bot finds every move of the line.
func solves(ctx context.Context, p Puzzle, level int, seed uint64) (bool, error) {
	return p.FoundBy(func(g game.Game) (game.Point, error) {
		rep, err := ai.Search(ctx, g, ai.Limits{Level: level, Seed: seed, Brief: true})
		return rep.Move, err
	})
}

// FoundBy reports whether a player, who is asked at each turn of the solver, finds every move of
// the line.
func (p Puzzle) FoundBy(player func(g game.Game) (game.Point, error)) (bool, error) {
	g := p.Game
	for _, at := range p.Line {
		if g.Turn() == p.Turn() {
			move, err := player(g)
			if err != nil {
				return false, err
			}
			if move != at && (p.Kind == Best || !sameFour(g.Position(), g.Turn(), at, move)) {
				return false, nil
			}
		}
		var err error
		if g, err = g.Play(at); err != nil {
			return false, err
		}
	}
	return true, nil
}

// Bands are the lower ends of the ratings that a collection is spread over.
var Bands = [...]int{0, 800, 1000, 1200, 1400, 1600, 1800, 2000, 2200, 2400}

// Band is the number of the band of a rating.
func Band(rating int) (n int) {
	for i, low := range Bands {
		if rating >= low {
			n = i
		}
	}
	return n
}
