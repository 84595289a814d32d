package review

import (
	"cmp"
	"slices"

	"tengen/ai/engine"
	"tengen/game"
)

// judgeAll judges all moves. A first round compares moves; the next ones search with ten
// times the means where a note needs it, the shortest wins first, until nothing is learnt
// any more. What is left then makes missed wins surer, and looks for wins before faults.
func (r *reviewer) judgeAll() ([]Ply, error) {
	plies := make([]Ply, len(r.moves))
	for round := 0; ; round++ {
		r.deep, r.learnt = round > 0, false
		for _, i := range r.order() {
			p, err := r.judge(i)
			if err != nil {
				return nil, err
			}
			plies[i] = p
		}
		r.infer()
		switch {
		case r.sure && !r.learnt, round > len(r.moves):
			return plies, nil
		case r.deep && !r.learnt:
			r.sure = true
		}
	}
}

// order is the order in which moves are judged: missed wins first, then wins let through, the
// short ones before the long ones, since what the review may spend can run out.
func (r *reviewer) order() []int {
	key := func(i int) int {
		const later = 1000
		if f := r.at[i]; f.proof == engine.Win {
			return f.in
		}
		if f := r.after(i); f.proof == engine.Loss {
			return later + f.in
		}
		return 2 * later
	}
	list := make([]int, len(r.moves))
	for i := range list {
		list[i] = len(list) - 1 - i
	}
	slices.SortStableFunc(list, func(x, y int) int { return cmp.Compare(key(x), key(y)) })
	return list
}

// judge says what move i did.
func (r *reviewer) judge(i int) (Ply, error) {
	had, gave := r.at[i], r.after(i)
	p := Ply{N: i + 1, By: r.games[i].Turn(), Move: r.moves[i], Best: r.moves[i], Before: had.value, After: gave.value}
	if len(had.line) > 0 {
		p.Best, p.Line = had.line[0], had.line
	}
	var err error
	switch {
	case i < r.opts.Opening:
		p.Before = max(p.Before, p.After)
	case had.proof == engine.Exact:
		err = r.exact(i, &p)
	case had.proof == engine.Win:
		err = r.missed(i, &p)
	case had.proof == engine.Loss, had.proof == engine.Draw:
		p.After = p.Before
		_, err = r.provenAfter(i) // the reply stops no win, even where the search did not find it again
	default:
		err = r.compare(i, &p)
	}
	if err != nil {
		return p, err
	}
	had, gave = r.at[i], r.after(i)
	p.Had, p.Gave = Outcome{had.proof, had.in}, Outcome{gave.proof, gave.in}
	if had.proof == engine.Loss && gave.proof == engine.Unproven {
		p.Gave = Outcome{engine.Loss, had.in - 1}
	}
	r.classify(i, &p, gave)
	return p, nil
}

// classify gives the move its class, and a fault its lines.
func (r *reviewer) classify(i int, p *Ply, gave found) {
	switch {
	case i < r.opts.Opening:
		p.Class = Opening
	case p.Note == MissedWin, p.Note == Forbidden, p.Note == LetThrough, p.Note == Turn && p.After == 0:
		p.Class = Blunder
	default:
		p.Class = classOf(p.Before, p.After)
	}
	if p.Class == Best && p.Discs > 0 {
		p.Class = Good // the same result with fewer discs
	}
	if p.Class == Best || p.Class == Opening {
		p.Best = p.Move
	}
	if !p.Fault() {
		p.Line = nil
		return
	}
	if p.Had.Proof != engine.Win {
		p.Line = p.Line[:min(len(p.Line), shownPlies)]
	}
	if p.Gave.Proof == engine.Loss {
		p.Answer = gave.line
	}
}

// shownPlies is how much of a line is shown that proves nothing.
const shownPlies = 8

// exact judges a move of Reversi in a position that is solved.
func (r *reviewer) exact(i int, p *Ply) error {
	if r.after(i).proof != engine.Exact { // the position before it was solved, with one empty square more
		f, err := r.solve(r.games[i+1])
		if err != nil {
			return err
		}
		r.at[i+1] = f
	}
	gave := r.after(i)
	p.After, p.Discs = gave.value, r.at[i].discs-gave.discs
	if p.Before != p.After {
		p.Note = Turn
	}
	return nil
}

// solve is the exact value of a position of Reversi.
func (r *reviewer) solve(g game.Game) (found, error) {
	rep, err := r.ends.Search(r.ctx, g, engine.Limits{Depth: 64, Memory: endsMemory})
	if r.ctx.Err() != nil {
		err = r.ctx.Err()
	}
	return r.read(g.Position(), rep), err
}

// missed judges a move where a proven win was to be found.
func (r *reviewer) missed(i int, p *Ply) error {
	sure, err := r.provenAfter(i)
	gave := r.after(i)
	p.After = gave.value
	if sure && gave.proof != engine.Win {
		p.Note = MissedWin
	}
	return err
}

// provenAfter looks with more means for a proof about the position after move i, where there is
// none. It reports false where the review may not spend so much.
func (r *reviewer) provenAfter(i int) (sure bool, err error) {
	if r.after(i).proof != engine.Unproven {
		return true, nil
	}
	f, ok, err := r.deepLook(r.games[i+1])
	if err == nil && ok && f.proof == engine.Unproven && r.sure {
		f, err = r.sureLook(r.games[i+1])
	}
	if err == nil && ok && f.proof != engine.Unproven {
		r.learn(i+1, f)
	}
	return ok, err
}

// learn takes in a proof about the position after n moves.
func (r *reviewer) learn(n int, f found) {
	r.at[n] = f
	r.learnt = true
}

// deepLook searches with ten times the means. It reports false where the review may not
// spend so much.
func (r *reviewer) deepLook(g game.Game) (f found, ok bool, err error) {
	if f, ok := r.memo[asked{g.Position(), 1}]; ok && f.proof != engine.Unproven {
		return f, true, nil
	}
	_, known := r.memo[asked{g.Position(), deepTimes}]
	if !known && (!r.deep || r.left < deepTimes) {
		return found{}, false, nil
	}
	f, err = r.look(g, deepTimes)
	return f, err == nil, err
}

// sureLook searches on where ten times the means found nothing: a win that a move has made
// longer by ten plies is found with some twenty times the means, and now and then with a hundred.
// It finds nothing where the review may not spend twice as much again.
func (r *reviewer) sureLook(g game.Game) (found, error) {
	times := min(sureTimes, int64(r.left))
	if _, known := r.memo[asked{g.Position(), sureTimes}]; known {
		times = sureTimes
	}
	if times < 2*deepTimes {
		return found{}, nil
	}
	f, err := r.look(g, times)
	r.memo[asked{g.Position(), sureTimes}] = f
	return f, err
}

// compare judges a move where nothing is proven before it.
func (r *reviewer) compare(i int, p *Ply) error {
	had, gave := r.at[i], r.after(i)
	p.Before = max(had.value, gave.value)
	if gave.proof != engine.Loss {
		if p.Best == p.Move {
			p.Before = p.After
		}
		if p.Before-p.After < inaccuracyFall {
			return nil
		}
		f, ok, err := r.winBefore(i)
		if err != nil {
			return err
		}
		if ok {
			r.learn(i, f)
			return nil // the next round knows of the win
		}
	}
	for _, q := range r.choices(i) {
		if r.left < 1 && !r.asked(i, q) {
			return nil
		}
		f, sure, err := r.instead(i, q, gave.proof == engine.Loss)
		if err != nil {
			return err
		}
		if f.proof == engine.Loss {
			continue
		}
		p.Best, p.Line = q, append([]game.Point{q}, f.line...)
		p.Before = max(f.value, p.After)
		if f.proof == engine.Win {
			r.learn(i, through(q, f))
			return nil // the next round knows of the win
		}
		if sure {
			p.Note = r.letThrough(i, gave)
		}
		return nil
	}
	p.Best, p.Before = p.Move, p.After // no move is known to be better
	return nil
}

// winBefore looks for a win before a fault with ten times the means, once all else is judged.
func (r *reviewer) winBefore(i int) (f found, ok bool, err error) {
	if !r.sure {
		return found{}, false, nil
	}
	f, ok, err = r.deepLook(r.games[i])
	return f, ok && f.proof == engine.Win, err
}

// asked reports whether the position after q instead of move i has been searched.
func (r *reviewer) asked(i int, q game.Point) bool {
	g, err := r.games[i].Play(q)
	_, known := r.memo[asked{g.Position(), 1}]
	return err == nil && known
}

// choices are the moves that may have been better than move i.
func (r *reviewer) choices(i int) (list []game.Point) {
	const most = 4
	for _, q := range append(r.at[i].line[:min(1, len(r.at[i].line)):1], r.at[i].others...) {
		if q != r.moves[i] && len(list) < most {
			list = append(list, q)
		}
	}
	return list
}

// instead is what q would have given instead of move i, for the mover. Where that lost, sure
// tells that a search with ten times the means finds no win of the other side after q.
func (r *reviewer) instead(i int, q game.Point, lost bool) (f found, sure bool, err error) {
	g, err := r.games[i].Play(q)
	if err != nil {
		return found{}, false, err
	}
	f, err = r.look(g, 1)
	if err == nil && lost && f.proof == engine.Unproven {
		var deep found
		if deep, sure, err = r.deepLook(g); sure && deep.proof != engine.Unproven {
			f = deep
		}
	}
	return view(g, f, r.games[i].Turn()), sure, err
}

// letThrough is the note of move i, after which the other side wins where it need not have
// won.
func (r *reviewer) letThrough(i int, gave found) Note {
	if r.games[i].Rules() != game.Renju || r.games[i].Turn() != game.Black {
		return LetThrough
	}
	g := r.games[i+1]
	for k, q := range gave.line {
		if g.Turn() == game.White && k > 0 && isForbidden(g.Undo(1), q) {
			return Forbidden
		}
		next, err := g.Play(q)
		if err != nil {
			break
		}
		g = next
	}
	return LetThrough
}

// isForbidden reports whether Black, to move in g, may not play q.
func isForbidden(g game.Game, q game.Point) bool {
	return slices.ContainsFunc(g.Forbidden(), func(r *game.Refusal) bool { return r.Point == q })
}
