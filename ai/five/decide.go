package five

import (
	"context"
	"math"
	"slices"
	"time"

	"tengen/ai/engine"
	"tengen/game"
	"tengen/game/opening"
)

// Decide answers what the opening s asks next with fresh tables.
func Decide(ctx context.Context, r game.Rules, s opening.State,
	limits engine.Limits) (game.Decision, engine.Report, error) {
	e := engines.Get().(*Engine)
	defer engines.Put(e)
	e.Clear()
	return e.Decide(ctx, r, s, limits)
}

// Decide answers what the opening s asks next, for whoever is asked. The limits bound the
// whole decision. A level judges by its own search and errs as its play does. The report's
// Win is the expected result of the person who is asked.
func (e *Engine) Decide(ctx context.Context, r game.Rules, s opening.State,
	limits engine.Limits) (game.Decision, engine.Report, error) {
	if _, ok := variantOf(r); !ok || r.Size() != opening.Size {
		return 0, engine.Report{}, ErrRules
	}
	if s.Over() {
		return 0, engine.Report{}, engine.ErrOver
	}
	began := time.Now()
	t := newTalks(e, r, limits)
	if t.limits.Time > 0 {
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, t.limits.Time)
		defer cancel()
	}
	t.ctx = ctx
	a := t.answer(s)
	report := engine.Report{Move: game.NoPoint, Win: max(0, a.worth), Nodes: t.nodes, Elapsed: time.Since(began)}
	if p, ok := a.decision.Stone(); ok {
		report.Move = p
	}
	report.Cut = limits.Level > 0 && ctx.Err() != nil
	return a.decision, report, nil
}

// talks is one decision of an opening on its way.
type talks struct {
	ctx    context.Context
	engine *Engine
	rules  game.Rules
	limits engine.Limits
	level  *level  // as it judges: without softness, nil for full strength
	soft   float64 // how far the level errs, in units of the evaluation
	nodes  int64
}

// talkMemory is for the tables of the searches of one decision, all of the same size.
const talkMemory = 16 << 20

func newTalks(e *Engine, r game.Rules, limits engine.Limits) *talks {
	t := &talks{engine: e, rules: r, limits: limits}
	if l := levelOf(limits); l != nil {
		sober := *l
		sober.soft, sober.opening = 0, 0
		t.level, t.soft = &sober, l.soft
		if limits.Nodes == 0 || limits.Nodes > l.nodes {
			t.limits.Nodes = l.nodes
		}
	}
	t.limits = t.limits.Bounded()
	if t.limits.Memory == 0 || t.limits.Memory > talkMemory {
		t.limits.Memory = talkMemory
	}
	return t
}

// share is a part of the limits, for one search.
func (t *talks) share(part float64) engine.Limits {
	l := engine.Limits{Seed: t.limits.Seed, Depth: t.limits.Depth, Memory: t.limits.Memory, Brief: true}
	if t.limits.Nodes > 0 {
		l.Nodes = max(1, int64(part*float64(t.limits.Nodes)))
		return l
	}
	if t.limits.Time > 0 {
		l.Time = max(time.Millisecond, time.Duration(part*float64(t.limits.Time)))
	}
	if t.limits.CPU > 0 {
		l.CPU = max(time.Millisecond, time.Duration(part*float64(t.limits.CPU)))
	}
	return l
}

// searchNodes are the fewest that a search of some use takes.
const searchNodes = 60

// searches is how many searches of some use a part of the limits pays for.
func (t *talks) searches(part float64) int {
	const each = time.Millisecond
	switch l := t.limits; {
	case l.Nodes > 0:
		return int(part * float64(l.Nodes) / searchNodes)
	case l.CPU > 0:
		return int(part * float64(l.CPU) / float64(each))
	case l.Time > 0:
		return int(part * float64(l.Time) / float64(each))
	}
	return 100
}

// late reports whether the decision has to be made now.
func (t *talks) late() bool { return t.ctx.Err() != nil }

// black is the expected result of Black if play begins with the position. Too late, it is even.
func (t *talks) black(b game.Position, part float64) float64 {
	g, err := game.From(t.rules, b, b.Turn)
	if err != nil || t.late() {
		return 0.5
	}
	r, err := t.engine.search(t.ctx, g, t.share(part), t.level)
	if err != nil {
		return 0.5
	}
	t.nodes += r.Nodes
	score := r.Score
	if t.soft > 0 {
		u := min(max(dice(t.limits.Seed, t.engine.main.b.hash), 0.01), 0.99)
		score += int(t.soft * math.Log(u/(1-u)))
	}
	if b.Turn == game.White {
		score = -score
	}
	return win(score)
}

// answer is a decision and what it is worth to the person who takes it.
type answer struct {
	decision game.Decision
	worth    float64
}

func (t *talks) answer(s opening.State) answer {
	q := s.Question()
	if q.Points.Len() == 1 {
		return answer{q.At(q.Points.Points()[0]), 0.5}
	}
	switch q.Kind {
	case game.AskPlace:
		return t.place(s, q, 1)
	case game.AskSwap:
		return t.swap(s, q)
	case game.AskChoose:
		return t.choose(s, q)
	case game.AskDeclare:
		return t.declare(s, q)
	case game.AskOffer:
		return t.offer(s)
	}
	return t.pick(s, q)
}

// after is s after a decision that its question allows.
func after(s opening.State, ds ...game.Decision) opening.State {
	for _, d := range ds {
		next, err := s.Decide(d)
		if err != nil {
			return s
		}
		s = next
	}
	return s
}

// own is the share of the asked person in a result of black.
func own(q game.Question, black float64) float64 {
	if q.Who == q.Black {
		return black
	}
	return 1 - black
}

func (t *talks) swap(s opening.State, q game.Question) answer {
	keep := own(q, t.worth(after(s, game.Stay), 1))
	if keep < 0.5 {
		return answer{game.Swap, 1 - keep}
	}
	return answer{game.Stay, keep}
}

// choose answers the choices of swap2 and Taraguchi-10.
func (t *talks) choose(s opening.State, q game.Question) answer {
	if q.Options[0] == game.OneFifth {
		one := own(q, t.worth(after(s, game.OneFifth), 0.4))
		ten := own(q, t.worth(after(s, game.TenFifths), 0.6))
		if ten > one {
			return answer{game.TenFifths, ten}
		}
		return answer{game.OneFifth, one}
	}
	two := slices.Contains(q.Options, game.PlaceTwo)
	part := 1.0
	if two {
		part = 0.4
	}
	black := t.black(s.Position, part)
	best := answer{game.TakeBlack, black}
	if black < 0.5 {
		best = answer{game.TakeWhite, 1 - black}
	}
	if two && best.worth < 0.5+unsure && !t.late() {
		four := after(s, game.PlaceTwo)
		four = after(four, t.place(four, four.Question(), 0).decision)
		if pair := t.place(four, four.Question(), 0.6); 0.5-pair.worth < best.worth-0.5 {
			return answer{game.PlaceTwo, pair.worth}
		}
	}
	return best
}

const (
	unsure = 0.05 // an advantage so small may be none
	equal  = 0.03 // the seed chooses among stones whose worth differs by less
)

// declare chooses the number of fifths that leaves the colors nearest to balance.
func (t *talks) declare(s opening.State, q game.Question) answer {
	most := len(q.Options)
	ranks := t.ranks(s, most, 1)
	best := answer{q.Options[0], -1}
	for i, black := range ranks[:min(most, len(ranks))] {
		if even := min(black, 1-black); even > best.worth {
			best = answer{q.Options[i], even}
		}
	}
	return best
}

// ranks are the results of black by the number of fifths that are offered, the first for one.
// The fourth stone may still be to come.
func (t *talks) ranks(s opening.State, most int, part float64) []float64 {
	s = after(s, game.Declare(most), game.Stay)
	q := s.Question()
	if q.Kind == game.AskOffer {
		var ranks []float64
		fifths := t.fifths(s, part)
		for i := range fifths {
			ranks = append(ranks, t.chosen(fifths, i+1))
		}
		return ranks
	}
	// White chooses the fourth stone that leaves black the least. The choice is one judgement,
	// the ranks are another.
	fourths := t.likely(s, q, min(6, 2+t.searches(part)/100), part*0.2)
	least, chosen := math.Inf(1), s
	for _, p := range fourths {
		four, sum := after(s, p.decision), 0.0
		ranks := t.ranks(four, most, part*0.4/float64(len(fourths)))
		for _, black := range ranks {
			sum += black / float64(len(ranks))
		}
		if sum < least {
			least, chosen = sum, four
		}
	}
	return t.ranks(chosen, most, part*0.4)
}

// offer gives the best of the fifths that are left. It spends on each offer its share.
func (t *talks) offer(s opening.State) answer {
	best := t.fifths(s, 1/float64(wanted(s)))[0]
	best.decision = game.Offer(game.Point(best.decision))
	return best
}

// wanted is how many points are offered in all.
func wanted(s opening.State) int {
	for {
		q := s.Question()
		if q.Kind != game.AskOffer {
			return len(q.Offered)
		}
		for p := range q.Points.All() {
			s = after(s, game.Offer(p))
			break
		}
	}
}

// pick selects the fifth stone that is best for white.
func (t *talks) pick(s opening.State, q game.Question) answer {
	best := answer{worth: -1}
	for p := range q.Points.All() {
		d := game.Decision(p)
		if w := 1 - t.black(after(s, d).Position, 1/float64(len(q.Offered))); w > best.worth {
			best = answer{d, w}
		}
	}
	return best
}
