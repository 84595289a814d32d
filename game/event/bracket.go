package event

// pair pairs the field, bracket by bracket from the highest score down. In an odd field one has the
// bye. ok is false where the absolute rules leave no complete pairing.
func (f field) pair() (pairs []pair, bye *entrant, ok bool) {
	byeScore, ok := f.byeScore()
	if !ok {
		return nil, nil, false
	}
	var moved []*entrant
	rest := f.entrants
	for len(rest) > 0 {
		n := 1
		for n < len(rest) && rest[n].score == rest[0].score {
			n++
		}
		b := bracket{field: f, moved: moved, residents: rest[:n], below: rest[n:], byeScore: byeScore}
		rest = rest[n:]
		var made []pair
		made, moved = b.pair()
		pairs = append(pairs, made...)
	}
	if len(moved) > 0 {
		bye = moved[0]
	}
	return pairs, bye, true
}

// byeScore is the least score that the bye can go to; -1 where nobody needs one.
func (f field) byeScore() (score int, ok bool) {
	n := len(f.entrants)
	odd := n%2 == 1
	vertices := n
	most := 0
	if odd {
		vertices++
		most = f.entrants[0].score
	}
	pack := packing([]int{most})
	m := newMatching(vertices, pack.lanes)
	cost := make([]int64, pack.lanes)
	for i, a := range f.entrants {
		for j, b := range f.entrants[:i] {
			if f.legal(a, b) {
				m.join(i, j, cost)
			}
		}
	}
	if odd {
		for i, a := range f.entrants {
			if !a.hadBye {
				pack.pack([]int{a.score}, cost)
				m.join(i, n, cost)
			}
		}
	}
	if !m.solve() {
		return 0, false
	}
	if !odd {
		return -1, true
	}
	return f.entrants[m.mate[n]].score, true
}

// bracket is a group of one score, the residents, with those who were moved down to it. What is
// below must remain pairable.
type bracket struct {
	field
	moved, residents, below []*entrant
	byeScore                int // or -1: no bye
	floaters                int // how many leave the bracket; -1 until that is known
}

// pair gives the best pairs, and those who move on to the next bracket, by rank.
func (b bracket) pair() (pairs []pair, down []*entrant) {
	b.floaters = -1
	t := b.table(b.moved, b.residents)
	m := t.solve(t.settling())
	b.floaters = t.leaving(m)
	if b.floaters == len(t.inside) {
		return nil, t.inside
	}
	stay, rest := b.moved, b.residents
	if len(b.moved) > 0 {
		pairs, stay, rest = b.pairMoved()
	}
	more, down := b.pairRest(stay, rest)
	return append(pairs, more...), down
}

// pairMoved settles who of those moved down are paired, and with whom: the highest of them, with the
// highest residents. It also gives those who move on, and the residents that are left.
func (b bracket) pairMoved() (pairs []pair, stay, rest []*entrant) {
	t := b.table(b.moved, b.residents)
	m := t.solve(append(t.quality(), t.choice()...))
	taken := make([]bool, len(t.inside))
	for i, e := range b.moved {
		if m.mate[i] >= len(t.inside) {
			stay = append(stay, e)
			continue
		}
		t.lowest(m, i)
		pairs = append(pairs, pair{e, t.inside[m.mate[i]]})
		taken[m.mate[i]] = true
	}
	for j, e := range b.residents {
		if !taken[len(b.moved)+j] {
			rest = append(rest, e)
		}
	}
	return pairs, stay, rest
}

// pairRest pairs the residents whom pairMoved left: the upper half against the lower, with as few
// exchanges as possible, then in the order of rank.
func (b bracket) pairRest(stay, rest []*entrant) (pairs []pair, down []*entrant) {
	n := (len(rest) - (b.floaters - len(stay))) / 2
	t := b.table(stay, rest)
	if n == 0 {
		return nil, t.inside
	}
	t.leave = true
	m := t.solve(append(t.quality(), t.halves(n)...))
	t.exchange(m, n)
	for i, e := range t.inside {
		switch j := m.mate[i]; {
		case j >= len(t.inside):
			down = append(down, e)
		case j > i:
			t.lowest(m, i)
			pairs = append(pairs, pair{e, t.inside[m.mate[i]]})
		}
	}
	return pairs, down
}

// table is the matching problem of a bracket. Its vertices are those inside, those below them,
// and the bye; only those inside where nobody leaves.
type table struct {
	bracket
	all    []*entrant
	inside []*entrant // the first of all
	upper  int        // how many of inside were moved down
	leave  bool       // these all move on
	next   int        // where in all the next bracket ends
	bye    int        // the vertex of the bye, or -1
	n      int        // vertices
}

func (b bracket) table(moved, residents []*entrant) *table {
	t := &table{bracket: b, upper: len(moved), bye: -1}
	t.all = append(append(t.all, moved...), residents...)
	t.inside = t.all[:len(t.all):len(t.all)]
	t.n = len(t.all)
	if b.floaters == 0 {
		return t
	}
	t.all = append(t.all, b.below...)
	t.next, t.n = len(t.inside), len(t.all)
	for t.next < len(t.all) && t.all[t.next].score == b.below[0].score {
		t.next++
	}
	if b.byeScore >= 0 {
		t.bye = t.n
		t.n++
	}
	return t
}

// joined reports whether i and j, i the lower number, can be an edge of the table.
func (t *table) joined(i, j int) bool {
	switch {
	case j == t.bye:
		return !t.all[i].hadBye && t.all[i].score == t.byeScore
	case j < t.upper, t.leave && i < t.upper && j < len(t.inside):
		return false
	}
	return t.legal(t.all[i], t.all[j])
}

// leaving counts those who leave the bracket.
func (t *table) leaving(m *matching) (n int) {
	for i := range t.inside {
		if m.mate[i] >= len(t.inside) {
			n++
		}
	}
	return n
}

// criterion is what an edge of the table adds to one number by which candidates are compared, i being
// the lower number. In a list of criteria the first counts most.
type criterion func(i, j int) int

// solve finds the best matching by some criteria. There is one, because the field was found
// pairable and each bracket leaves it so.
func (t *table) solve(by []criterion) *matching {
	counts := max(t.next, len(t.inside)) // who is further below costs nothing
	most := make([]int, len(by))
	for c, value := range by {
		for i := range counts {
			best := 0
			for j := i + 1; j < t.n; j++ {
				best = max(best, value(i, j))
			}
			most[c] += best
		}
	}
	pack := packing(most)
	m := newMatching(t.n, pack.lanes+1) // the last lane is for lowest and exchange
	cost, values := make([]int64, m.lanes), make([]int, len(by))
	for i := range t.n {
		for j := i + 1; j < t.n; j++ {
			if !t.joined(i, j) {
				continue
			}
			if i < counts {
				for c, value := range by {
					values[c] = value(i, j)
				}
				pack.pack(values, cost)
			} else {
				clear(cost)
			}
			m.join(i, j, cost)
		}
	}
	if !m.solve() {
		panic("event: a bracket left what cannot be paired")
	}
	return m
}

// leaves reports whether the edge means that i leaves the bracket.
func (t *table) leaves(i, j int) bool { return i < len(t.inside) && j >= len(t.inside) }

// within reports whether the edge is a pair of the bracket.
func (t *table) within(j int) bool { return j < len(t.inside) }

// lists makes a criterion for each score of the entrants, downwards: comparing these one by one is
// comparing the sorted lists of the scores for which value is not zero.
func (t *table) lists(entrants []*entrant, value criterion) (by []criterion) {
	last := -1
	for _, e := range entrants {
		if e.score == last {
			continue
		}
		last = e.score
		score := e.score
		by = append(by, func(i, j int) int {
			if t.all[i].score != score {
				return 0
			}
			return value(i, j)
		})
	}
	return by
}

// when is the criterion that counts the edges for which f holds.
func when(f func(i, j int) bool) criterion {
	return func(i, j int) int {
		if f(i, j) {
			return 1
		}
		return 0
	}
}

// settling are the criteria C6 to C8.
func (t *table) settling() []criterion {
	out := when(t.leaves)
	by := append([]criterion{out}, t.lists(t.inside, out)...)
	after := when(func(i, j int) bool { return i < t.next && j >= t.next })
	return append(append(by, after), t.lists(t.all[:t.next], after)...)
}

// quality are the criteria C6 to C21.
func (t *table) quality() []criterion {
	by := append(t.settling(), t.longestWaiting())
	by = append(by, t.colors()...)
	moved := t.all[:t.upper]
	floated := func(ago int) criterion {
		return when(func(i, j int) bool { return i >= t.upper && t.leaves(i, j) && t.all[i].floats[ago] > 0 })
	}
	raised := func(ago int) criterion {
		return when(func(i, j int) bool { return i < t.upper && t.within(j) && t.all[j].floats[ago] < 0 })
	}
	again := func(ago int) criterion {
		return when(func(i, j int) bool { return i < t.upper && t.leaves(i, j) && t.all[i].floats[ago] > 0 })
	}
	for ago := range 2 {
		by = append(by, floated(ago), raised(ago))
	}
	for ago := range 2 {
		by = append(by, t.lists(moved, again(ago))...)
		by = append(by, t.lists(moved, raised(ago))...)
	}
	return by
}

// longestWaiting is C9: the bye goes to one with few rounds without a game.
func (t *table) longestWaiting() criterion {
	bye := t.byeScore >= 0 && t.floaters == 1 && t.residents[0].score <= t.byeScore
	return func(i, j int) int {
		if bye && t.leaves(i, j) {
			return t.all[i].unplayed
		}
		return 0
	}
}

// colors are C10 to C13.
func (t *table) colors() []criterion {
	clash := func(f func(a, b *entrant) bool) criterion {
		return when(func(i, j int) bool {
			return t.within(j) && t.all[i].clash(t.all[j]) && f(t.all[i], t.all[j])
		})
	}
	return []criterion{
		clash(func(a, b *entrant) bool { return abs(a.diff) >= 2 && abs(b.diff) >= 2 }),
		clash(func(a, b *entrant) bool {
			return a.wish == absolute && b.wish == absolute && thirdInARow(a, b)
		}),
		clash(func(a, b *entrant) bool { return true }),
		clash(func(a, b *entrant) bool {
			return a.wish >= strong && b.wish >= strong && a.wish+b.wish < 2*absolute
		}),
	}
}

// thirdInARow reports whether of two with the same absolute wish one is bound to get the same colour
// a third time.
func thirdInARow(a, b *entrant) bool {
	twice := func(e *entrant) bool {
		n := len(e.colors)
		return n > 1 && e.colors[n-1] != e.toWhite && e.colors[n-2] != e.toWhite
	}
	switch d := abs(a.diff) - abs(b.diff); {
	case d < 0:
		return twice(a)
	case d > 0:
		return twice(b)
	}
	return twice(a) && twice(b)
}

// choice prefers the pairing of the highest of those moved down.
func (t *table) choice() (by []criterion) {
	for k := range t.upper {
		by = append(by, when(func(i, j int) bool { return i == k && t.leaves(i, j) }))
	}
	return by
}

// halves prefers pairs of the upper half, n residents, with the lower: few with nobody of it, then a
// small sum of the higher numbers. Both are counted in a way that costs nothing where the halves
// meet: of U the members of the lower half are as many as the members of the upper half
// outside of U, and these are the second of a pair or leave.
func (t *table) halves(n int) []criterion {
	n += t.upper
	changed := func(i, j int) (changed bool, distance int) {
		switch {
		case i < t.upper || i >= len(t.inside):
			return false, 0
		case i >= n && t.within(j):
			return true, i - n
		case i < n && j < n:
			return true, n - j
		case i < n && !t.within(j):
			return true, n - i
		}
		return false, 0
	}
	return []criterion{
		when(func(i, j int) bool { c, _ := changed(i, j); return c }),
		func(i, j int) int { _, d := changed(i, j); return d },
	}
}

// lowest gives i the partner of the lowest number among the best matchings, and settles it.
func (t *table) lowest(m *matching, i int) {
	for j := range m.mate[i] {
		if m.open(i, j) {
			t.prefer(m, i, func(j int) int { return j })
			break
		}
	}
	m.pin(i)
}

// prefer finds the matching that is cheapest for i among those that are best by all else. The cost
// stays; it is the same in all matchings that are best from now on.
func (t *table) prefer(m *matching, i int, cost func(j int) int) {
	m.renew(i, func() {
		for j := range t.n {
			if j != i {
				m.at(i, j)[m.lanes-1] += 2 * int64(cost(j))
				m.at(j, i)[m.lanes-1] = m.at(i, j)[m.lanes-1]
			}
		}
	})
}

// exchange settles who of the upper half, n residents, change places with the lower half: the last of
// the one, the first of the other. After it every best matching has the same higher numbers.
func (t *table) exchange(m *matching, n int) {
	isHigh := func(i int) bool { return m.mate[i] > i && m.mate[i] < len(t.inside) }
	count := 0
	for i := t.upper + n; i < len(t.inside); i++ {
		if isHigh(i) {
			count++
		}
	}
	settle := func(i int, high bool) bool {
		wanted := func(j int) bool { return (j > i && j < len(t.inside)) == high }
		if isHigh(i) != high {
			t.try(m, i, wanted)
		}
		if isHigh(i) != high {
			return false
		}
		t.confine(m, i, wanted)
		return true
	}
	for i, left := t.upper+n-1, count; left > 0; i-- {
		if settle(i, false) {
			left--
		}
	}
	for i, left := t.upper+n, count; left > 0; i++ {
		if settle(i, true) {
			left--
		}
	}
}

// try finds a best matching in which i has a wanted mate, if there is one.
func (t *table) try(m *matching, i int, wanted func(j int) bool) {
	for j := range t.n {
		if j != i && wanted(j) && m.open(i, j) {
			t.prefer(m, i, func(j int) int {
				if wanted(j) {
					return 0
				}
				return 1
			})
			return
		}
	}
}

// confine takes from i the edges to those who are not wanted. Its mate is.
func (t *table) confine(m *matching, i int, wanted func(j int) bool) {
	change := func() {
		for j := range t.n {
			if j != i && !wanted(j) {
				m.cut(i, j)
			}
		}
	}
	if m.top[i] == i {
		change()
	} else {
		m.renew(i, change)
	}
}
