package five

import (
	"cmp"
	"math"
	"slices"

	"tengen/game"
	"tengen/game/opening"
)

// worth is the expected result of whoever holds black in s, if both go on well.
func (t *talks) worth(s opening.State, part float64) float64 {
	if t.late() {
		return 0.5
	}
	q := s.Question()
	switch q.Kind {
	case game.AskSwap:
		return t.either(q, t.worth(after(s, game.Stay), part))
	case game.AskChoose:
		if q.Options[0] != game.OneFifth {
			return t.either(q, t.black(s.Position, part))
		}
		return max(t.worth(after(s, game.OneFifth), part*0.4), t.worth(after(s, game.TenFifths), part*0.6))
	case game.AskDeclare:
		return own(q, min(0.5, t.black(s.Position, part))) // where black stands better, more offers balance it
	case game.AskPlace:
		return t.toPlace(s, q, part)
	case game.AskOffer:
		if n := wanted(s); t.searches(part) >= n {
			return t.chosen(t.fifths(s, part), n)
		}
	}
	return t.black(s.Position, part)
}

// either is the result of black when the person who is asked takes the better color.
func (t *talks) either(q game.Question, black float64) float64 {
	if q.Who == q.Black {
		return max(black, 1-black)
	}
	return min(black, 1-black)
}

// atMostEven is the result of black where the person who is asked has to balance the colors,
// because the other one chooses between them. A person who stands worse remains so.
func (t *talks) atMostEven(s opening.State, q game.Question, part float64) float64 {
	return own(q, min(0.5, own(q, t.black(s.Position, part))))
}

// toPlace is the result of black before a stone.
func (t *talks) toPlace(s opening.State, q game.Question, part float64) float64 {
	switch next := placed(s, q).Question(); {
	case swaps(next) && next.Who != q.Who, next.Kind == game.AskDeclare:
		return t.atMostEven(s, q, part)
	case next.Kind == game.AskOffer || next.Kind == game.AskNothing:
		// The best of many judgements is too good to be true: the stone is chosen by one, its
		// worth is another.
		best := answer{worth: -1}
		points := t.likely(s, q, min(8, t.searches(part)/16), part*0.3)
		for _, p := range points {
			if w := own(q, t.worth(after(s, p.decision), part*0.4/float64(len(points)))); w > best.worth {
				best = answer{p.decision, w}
			}
		}
		if best.worth >= 0 {
			return t.worth(after(s, best.decision), part*0.3)
		}
	}
	return t.black(s.Position, part)
}

// placed is s with some stone on it, to see what is asked then.
func placed(s opening.State, q game.Question) opening.State {
	for p := range q.Points.All() {
		return after(s, game.Decision(p))
	}
	return s
}

// swaps reports whether q lets the asked person choose a color.
func swaps(q game.Question) bool { return q.Kind == game.AskSwap || q.Kind == game.AskChoose }

// place chooses a stone. Each round gives the better half of the points more of the search.
// The seed alone places a stone after which the same person places another, and a second
// stone after which the colors are still open.
func (t *talks) place(s opening.State, q game.Question, part float64) answer {
	next := placed(s, q).Question()
	points := t.some(s, q, min(48, 6+t.searches(part)/4))
	if next.Kind == game.AskPlace && next.Who == q.Who || s.Stones() < 2 && next.Kind == game.AskSwap {
		return answer{game.Decision(points[0]), 0.5}
	}
	var list []answer
	for _, p := range points {
		list = append(list, answer{decision: game.Decision(p)})
	}
	balance := swaps(next) || next.Kind == game.AskDeclare
	rounds := []struct {
		keep int
		part float64
	}{{48, 0.25}, {12, 0.25}, {4, 0.5}}
	for i, r := range rounds {
		list = list[:min(len(list), r.keep)]
		judged := slices.Clone(list)
		for j := range judged {
			judged[j].worth = t.stone(s, q, judged[j].decision, balance, part*r.part/float64(len(judged)))
		}
		if t.late() && i > 0 {
			break
		}
		slices.SortStableFunc(judged, better)
		list = judged
	}
	n := 1
	for n < len(list) && list[n].worth > list[0].worth-equal {
		n++
	}
	return list[int(t.dice(s, 1)*float64(n))]
}

// stone is what a stone is worth to the person who places it. Where the other person may take
// either color next, a stone that only looks even is worth less than one that is even.
func (t *talks) stone(s opening.State, q game.Question, d game.Decision, balance bool, part float64) float64 {
	s = after(s, d)
	if !balance {
		return own(q, t.worth(s, part))
	}
	if next := s.Question(); swaps(next) && after(s, next.Options[1]).Over() {
		return own(q, t.either(next, t.black(s.Position, part)))
	}
	black := t.black(s.Position, part/2)
	return own(q, t.worth(s, part/2)) - max(black-0.5, 0.5-black)/4
}

// some are at most n points for a stone, those near other stones first, in an order that the
// seed chooses.
func (t *talks) some(s opening.State, q game.Question, n int) []game.Point {
	taken := s.Position.Stones[0].Or(s.Position.Stones[1])
	type point struct {
		p     game.Point
		order float64
	}
	var list []point
	for p := range q.Points.All() {
		away := opening.Size
		for o := range taken.All() {
			away = min(away, max(abs(p.Col()-o.Col()), abs(p.Row()-o.Row())))
		}
		if taken.Empty() {
			away = max(abs(p.Col()-opening.Size/2), abs(p.Row()-opening.Size/2))
		}
		list = append(list, point{p, float64(max(0, away-near)) + t.dice(s, 2, uint64(p))})
	}
	slices.SortFunc(list, func(x, y point) int { return cmp.Compare(x.order, y.order) })
	var points []game.Point
	for _, x := range list[:min(n, len(list))] {
		points = append(points, x.p)
	}
	return points
}

// likely are at most n stones for the person who is asked, the best at a first look.
func (t *talks) likely(s opening.State, q game.Question, n int, part float64) []answer {
	var list []answer
	points := t.some(s, q, 3*n)
	for _, p := range points {
		d := game.Decision(p)
		list = append(list, answer{d, own(q, t.black(after(s, d).Position, part/float64(len(points))))})
	}
	slices.SortStableFunc(list, better)
	return list[:min(n, len(list))]
}

// better orders answers, the best first.
func better(x, y answer) int { return cmp.Compare(y.worth, x.worth) }

// near is how far from the other stones a stone of an opening lies, as a rule.
const near = 3

// fifths are points for the fifth stone with the result of black after each, the best for
// black first, no two symmetric.
func (t *talks) fifths(s opening.State, part float64) []answer {
	q := s.Question()
	n := wanted(s)
	var list []answer
	var alike game.Set
	many := max(2*n, min(48, t.searches(part)/2))
	if t.late() {
		many = n
	}
	for _, p := range t.some(s, q, many) {
		if alike.Has(p) {
			continue
		}
		if next := after(s, game.Offer(p)).Question(); next.Kind == game.AskOffer {
			for other := range q.Points.All() {
				if !next.Points.Has(other) {
					alike = alike.With(other)
				}
			}
		}
		list = append(list, answer{decision: game.Decision(p)})
	}
	for i, share := range []float64{0.3, 0.7} {
		judged := list[:min(len(list), []int{len(list), n + 6}[i])]
		for j := range judged {
			b := s.Position.Put(game.Point(judged[j].decision), game.Black)
			b.Turn = game.White
			if w := t.black(b, part*share/float64(len(judged))); !t.late() || i == 0 {
				judged[j].worth = w
			}
		}
		slices.SortStableFunc(judged, better)
	}
	return list
}

// chosen is the result of black when white chooses among the best n fifths. The search errs,
// and white chooses the offer on which it errs most in favor of black. The more offers, the
// more that costs black; the more nodes, the less.
func (t *talks) chosen(fifths []answer, n int) float64 {
	// what each further offer costs, up to so many, in the logarithm of the odds; by games
	const each, most, nodes = 0.25, 6, 8000
	n = min(n, len(fifths))
	less := each * float64(min(n-1, most)) * min(2, math.Sqrt(float64(nodes/searchNodes)/float64(max(1, t.searches(1)))))
	p := fifths[n-1].worth
	return p / (p + (1-p)*math.Exp(less))
}

// dice is a random number for the opening as it stands.
func (t *talks) dice(s opening.State, things ...uint64) float64 {
	for _, c := range []game.Color{game.Black, game.White} {
		for p := range s.Position.Of(c).All() {
			things = append(things, uint64(p)<<2|uint64(c))
		}
	}
	return dice(t.limits.Seed, things...)
}
