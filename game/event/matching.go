package event

import (
	"math/bits"
	"slices"
)

// matching finds a perfect matching of least cost, by Edmonds' method of blossoms, and keeps it the
// cheapest one while the costs of single vertices change. A cost is a row of lanes, the first of
// which counts most. Each lane holds an even number of at most 2^41: the sums of a field of
// maxEntrants then fit in 64 bits, and every half is whole.
//
// The duals: u of a vertex, z of a blossom. An edge between two outermost blossoms has the slack
// cost - u - u, which is never negative; matched edges have none. Start from solve.
type matching struct {
	n, lanes int
	cost     []int64 // of the edge i, j from (i*n+j)*lanes on
	none     []bool  // there is no edge i, j
	u, z     []int64 // by lanes
	mate     []int   // of a vertex, or -1

	// Blossoms are numbered from n on, vertices count as blossoms of one.
	top    []int      // the outermost blossom of a vertex
	parent []int      // the blossom around a blossom, or -1
	child  [][]int    // the children of a blossom, around its odd cycle; the first has the base
	door   [][][2]int // the edge from a child to the next one: the vertices at its ends
	unused []int      // numbers for new blossoms

	// What one search knows.
	label  []label
	entry  [][2]int // how an inner blossom was reached: from an outer vertex, to one of its own
	near   []int    // the outer vertex that is nearest to a vertex that is not outer, or -1
	outers []int    // the outermost outer blossoms
	link   [][2]int32
	best   [][2]int // the best edge of an outer blossom to another one, or -1
	a, b   []int64  // lanes for sums
}

type label uint8

const (
	unlabelled label = iota
	outer
	inner
)

// newMatching has n vertices and no edge.
func newMatching(n, lanes int) *matching {
	m := &matching{
		n: n, lanes: lanes,
		cost: make([]int64, n*n*lanes), none: make([]bool, n*n),
		u: make([]int64, n*lanes), z: make([]int64, 2*n*lanes),
		mate: make([]int, n), top: make([]int, n), parent: make([]int, 2*n),
		child: make([][]int, 2*n), door: make([][][2]int, 2*n),
		label: make([]label, 2*n), entry: make([][2]int, 2*n), near: make([]int, n),
		link: make([][2]int32, 4*n*n), best: make([][2]int, 2*n),
		a: make([]int64, lanes), b: make([]int64, lanes),
	}
	for v := range n {
		m.mate[v], m.top[v], m.parent[v], m.parent[n+v] = -1, v, -1, -1
		m.unused = append(m.unused, 2*n-1-v)
	}
	for i := range m.none {
		m.none[i] = true
	}
	return m
}

// at are the lanes of an edge's cost.
func (m *matching) at(i, j int) []int64 {
	k := (i*m.n + j) * m.lanes
	return m.cost[k : k+m.lanes : k+m.lanes]
}

// join makes an edge.
func (m *matching) join(i, j int, cost []int64) {
	copy(m.at(i, j), cost)
	copy(m.at(j, i), cost)
	m.none[i*m.n+j], m.none[j*m.n+i] = false, false
}

// cut takes an edge away. The matched edges must stay, and a vertex in a blossom needs renew
// after it.
func (m *matching) cut(i, j int) { m.none[i*m.n+j], m.none[j*m.n+i] = true, true }

func (m *matching) edge(i, j int) bool { return !m.none[i*m.n+j] }

// compareSlack compares the slacks of two edges, or that of the first with zero where the
// second begins with -1.
func (m *matching) compareSlack(i, j, k, l int) int {
	w := m.lanes
	c, ui, uj := m.cost[(i*m.n+j)*w:], m.u[i*w:], m.u[j*w:]
	if k < 0 {
		for x := range w {
			if s := c[x] - ui[x] - uj[x]; s != 0 {
				return sign(s)
			}
		}
		return 0
	}
	d, uk, ul := m.cost[(k*m.n+l)*w:], m.u[k*w:], m.u[l*w:]
	for x := range w {
		if s := c[x] - ui[x] - uj[x] - d[x] + uk[x] + ul[x]; s != 0 {
			return sign(s)
		}
	}
	return 0
}

func sign(s int64) int {
	if s < 0 {
		return -1
	}
	return 1
}

// open reports whether a cheapest matching may have the edge: it has no slack, or lies in a blossom.
func (m *matching) open(i, j int) bool {
	return m.edge(i, j) && (m.top[i] == m.top[j] || m.compareSlack(i, j, -1, 0) == 0)
}

// solve matches all vertices. It reports whether that can be done.
func (m *matching) solve() bool {
	m.begin()
	for v := range m.n {
		if m.mate[v] < 0 && !m.search(v) {
			return false
		}
	}
	return true
}

// begin gives the vertices duals that leave no edge a negative slack, and matches what is free.
func (m *matching) begin() {
	least := []int64(nil)
	for i := range m.n {
		for j := range i {
			if m.edge(i, j) && (least == nil || slices.Compare(m.at(i, j), least) < 0) {
				least = m.at(i, j)
			}
		}
	}
	if least == nil {
		return
	}
	for v := range m.n {
		for x := range m.lanes {
			m.u[v*m.lanes+x] = least[x] / 2
		}
	}
	for v := range m.n {
		if m.mate[v] >= 0 {
			continue
		}
		m.raise(v)
		for j := range m.n {
			if m.mate[j] < 0 && m.edge(v, j) && m.compareSlack(v, j, -1, 0) == 0 {
				m.mate[v], m.mate[j] = j, v
				break
			}
		}
	}
}

// raise gives v the largest dual that its edges leave it. No edge of v may be matched.
func (m *matching) raise(v int) {
	u, found := m.u[v*m.lanes:(v+1)*m.lanes], false
	for j := range m.n {
		if !m.edge(v, j) {
			continue
		}
		c, uj := m.at(v, j), m.u[j*m.lanes:]
		for x := range m.lanes {
			m.a[x] = c[x] - uj[x]
		}
		if !found || slices.Compare(m.a, u) < 0 {
			found = true
			copy(u, m.a)
		}
	}
}

// renew finds the cheapest matching again after change has altered edges of v.
func (m *matching) renew(v int, change func()) {
	if p := m.mate[m.base(m.top[v])]; p >= 0 {
		m.expose(m.top[v], v)
		m.mate[p], m.mate[v] = -1, -1
	}
	for m.top[v] != v {
		m.dissolve(m.top[v])
	}
	change()
	m.raise(v)
	m.search(v)
}

// pin leaves v and its mate no other edge.
func (m *matching) pin(v int) {
	p := m.mate[v]
	change := func() {
		for j := range m.n {
			if j != p {
				m.cut(v, j)
			}
		}
	}
	if m.top[v] == v {
		change()
	} else {
		m.renew(v, change)
	}
}

// dissolve opens an outermost blossom whose base has no mate outside.
func (m *matching) dissolve(b int) {
	z := m.z[b*m.lanes : (b+1)*m.lanes]
	m.each(b, func(v int) {
		for x := range z {
			m.u[v*m.lanes+x] -= z[x] / 2
		}
	})
	m.unwrap(b)
}

// unwrap makes the children of an outermost blossom outermost.
func (m *matching) unwrap(b int) {
	for _, c := range m.child[b] {
		m.parent[c] = -1
		m.label[c] = unlabelled
		m.each(c, func(v int) { m.top[v] = c })
	}
	m.unused = append(m.unused, b)
}

// each calls f with the vertices of a blossom.
func (m *matching) each(b int, f func(v int)) {
	if b < m.n {
		f(b)
		return
	}
	for _, c := range m.child[b] {
		m.each(c, f)
	}
}

// base is the vertex of a blossom whose mate is outside.
func (m *matching) base(b int) int {
	for b >= m.n {
		b = m.child[b][0]
	}
	return b
}

// expose matches the vertices of b among themselves, all but v, which becomes the base.
func (m *matching) expose(b, v int) {
	for b >= m.n && m.base(b) != v {
		k := m.childWith(b, v)
		m.child[b] = slices.Concat(m.child[b][k:], m.child[b][:k])
		m.door[b] = slices.Concat(m.door[b][k:], m.door[b][:k])
		for i := 1; i < len(m.child[b]); i += 2 {
			x, y := m.door[b][i][0], m.door[b][i][1]
			m.expose(m.child[b][i], x)
			m.expose(m.child[b][i+1], y)
			m.mate[x], m.mate[y] = y, x
		}
		b = m.child[b][0]
	}
}

// childWith is the place among the children of b of the one that holds v.
func (m *matching) childWith(b, v int) int {
	c := v
	for m.parent[c] != b {
		c = m.parent[c]
	}
	return slices.Index(m.child[b], c)
}

// search grows a tree of alternating paths from a vertex without a mate until it meets another one,
// and matches along the path. It reports whether there is such a path.
func (m *matching) search(root int) bool {
	for v := range m.n {
		m.near[v] = -1
		m.label[m.top[v]] = unlabelled
	}
	m.outers = m.outers[:0]
	m.makeOuter(m.top[root])
	for {
		what, at := m.tightest()
		switch what {
		case nothing:
			return false
		case growth:
			if m.grow(m.near[at], at) {
				return true
			}
		case meeting:
			m.wrap(m.best[at][0], m.best[at][1])
		case opening:
			m.unfold(at)
		}
	}
}

// What limits the next change of the duals.
type limit uint8

const (
	nothing limit = iota
	growth        // a vertex can be reached
	meeting       // two outer blossoms meet
	opening       // an inner blossom opens
)

// tightest changes the duals as far as they can be changed, and tells what limits them, at which
// vertex or blossom.
func (m *matching) tightest() (what limit, at int) {
	delta, w := m.a, m.lanes
	consider := func(l limit, where int) {
		if what == nothing || slices.Compare(m.b, delta) < 0 {
			what, at = l, where
			copy(delta, m.b)
		}
	}
	for v := range m.n {
		if u := m.near[v]; u >= 0 && m.label[m.top[v]] == unlabelled {
			m.slack(u, v, 1)
			if consider(growth, v); zero(delta) {
				return what, at
			}
		}
	}
	for _, b := range m.outers {
		if e := m.best[b]; e[0] >= 0 {
			m.slack(e[0], e[1], 2)
			if consider(meeting, b); zero(delta) {
				return what, at
			}
		}
	}
	for v := range m.n {
		if b := m.top[v]; b >= m.n && m.label[b] == inner && m.base(b) == v {
			for x := range w {
				m.b[x] = m.z[b*w+x] / 2
			}
			consider(opening, b)
		}
	}
	if what != nothing && !zero(delta) {
		m.shift(delta)
	}
	return what, at
}

func zero(lanes []int64) bool {
	for _, x := range lanes {
		if x != 0 {
			return false
		}
	}
	return true
}

// slack writes the slack of an edge, divided, to m.b.
func (m *matching) slack(i, j int, by int64) {
	c, ui, uj := m.at(i, j), m.u[i*m.lanes:], m.u[j*m.lanes:]
	for x := range m.b {
		m.b[x] = (c[x] - ui[x] - uj[x]) / by
	}
}

// shift changes the duals: outer vertices gain delta, inner ones lose it.
func (m *matching) shift(delta []int64) {
	w := m.lanes
	for v := range m.n {
		b := m.top[v]
		var by int64
		switch m.label[b] {
		case outer:
			by = 1
		case inner:
			by = -1
		default:
			continue
		}
		for x := range w {
			m.u[v*w+x] += by * delta[x]
		}
		if b >= m.n && m.base(b) == v {
			for x := range w {
				m.z[b*w+x] += 2 * by * delta[x]
			}
		}
	}
}

// makeOuter gives an outermost blossom the label and looks where its vertices lead.
func (m *matching) makeOuter(b int) {
	m.label[b] = outer
	m.best[b] = [2]int{-1, -1}
	for _, d := range m.outers {
		m.setLink(b, d, -1, -1)
	}
	m.outers = append(m.outers, b)
	m.each(b, func(v int) { m.scan(b, v) })
}

// scan tells the vertices around b, which is outer, of its vertex v.
func (m *matching) scan(b, v int) {
	for x := range m.n {
		t := m.top[x]
		if t == b || m.none[v*m.n+x] {
			continue
		}
		if m.label[t] != outer {
			if m.near[x] < 0 || m.compareSlack(v, x, m.near[x], x) < 0 {
				m.near[x] = v
			}
			continue
		}
		if l := m.link[b*2*m.n+t]; l[0] < 0 || m.compareSlack(v, x, int(l[0]), int(l[1])) < 0 {
			m.setLink(b, t, v, x)
			m.improve(b, v, x)
			m.improve(t, x, v)
		}
	}
}

func (m *matching) setLink(b, d, v, x int) {
	m.link[b*2*m.n+d] = [2]int32{int32(v), int32(x)}
	m.link[d*2*m.n+b] = [2]int32{int32(x), int32(v)}
}

// improve keeps the better of the best edge of an outer blossom and the edge v, x.
func (m *matching) improve(b, v, x int) {
	if e := m.best[b]; e[0] < 0 || m.compareSlack(v, x, e[0], e[1]) < 0 {
		m.best[b] = [2]int{v, x}
	}
}

// grow takes the blossom of v into the tree, reached from u. It reports whether v's blossom has no
// mate: then the path is found, and it has been matched.
func (m *matching) grow(u, v int) bool {
	b := m.top[v]
	p := m.mate[m.base(b)]
	if p < 0 {
		m.expose(b, v)
		m.augment(u, v)
		return true
	}
	m.label[b] = inner
	m.entry[b] = [2]int{u, v}
	m.makeOuter(m.top[p])
	return false
}

// augment matches u with v, which has no mate, and what follows from it up to the root.
func (m *matching) augment(u, v int) {
	for {
		b := m.top[u]
		p := m.mate[m.base(b)]
		m.expose(b, u)
		m.mate[u], m.mate[v] = v, u
		if p < 0 {
			return
		}
		q := m.top[p]
		u, v = m.entry[q][0], m.entry[q][1]
		m.expose(q, v)
	}
}

// up is the outer blossom before an outer blossom in the tree, and the steps to it; ok is false
// at the root.
func (m *matching) up(b int) (in, out int, ok bool) {
	p := m.mate[m.base(b)]
	if p < 0 {
		return 0, 0, false
	}
	in = m.top[p]
	return in, m.top[m.entry[in][0]], true
}

// wrap makes a blossom of the cycle that the edge x, y closes in the tree.
func (m *matching) wrap(x, y int) {
	left, right := m.ways(m.top[x], m.top[y])
	// Both ways end with their common blossom. The cycle: it, down to x, over to y, up again.
	var children []int
	var doors [][2]int
	for i := len(left) - 1; i >= 0; i-- {
		children = append(children, left[i])
		if i > 0 {
			doors = append(doors, m.step(left[i-1]))
		}
	}
	doors = append(doors, [2]int{x, y})
	for i := 0; i < len(right)-1; i++ {
		children = append(children, right[i])
		d := m.step(right[i])
		doors = append(doors, [2]int{d[1], d[0]})
	}
	m.merge(children, doors)
}

// ways are the blossoms from b and from c up to the first that both have above them.
func (m *matching) ways(b, c int) (left, right []int) {
	left, right = m.rise(b), m.rise(c)
	i, j := len(left)-1, len(right)-1
	for i > 0 && j > 0 && left[i-1] == right[j-1] {
		i, j = i-1, j-1
	}
	return left[:i+1], right[:j+1]
}

// rise are the blossoms from an outer one up to the root.
func (m *matching) rise(b int) []int {
	way := []int{b}
	for {
		in, out, ok := m.up(b)
		if !ok {
			return way
		}
		way = append(way, in, out)
		b = out
	}
}

// step is the edge of the tree from the next blossom above to one.
func (m *matching) step(below int) [2]int {
	if m.label[below] == inner {
		return m.entry[below]
	}
	v := m.base(below)
	return [2]int{m.mate[v], v}
}

// merge makes an outer blossom of the children.
func (m *matching) merge(children []int, doors [][2]int) {
	b := m.unused[len(m.unused)-1]
	m.unused = m.unused[:len(m.unused)-1]
	m.child[b], m.door[b], m.parent[b] = children, doors, -1
	clear(m.z[b*m.lanes : (b+1)*m.lanes])
	for _, c := range children {
		m.parent[c] = b
		m.each(c, func(v int) { m.top[v] = b })
	}
	outers := m.outers[:0]
	for _, d := range m.outers {
		if m.parent[d] != b {
			outers = append(outers, d)
		}
	}
	m.outers = outers
	m.label[b] = outer
	m.best[b] = [2]int{-1, -1}
	for _, d := range m.outers {
		m.inherit(b, d)
	}
	m.outers = append(m.outers, b)
	for _, c := range children {
		if m.label[c] == inner {
			m.each(c, func(v int) { m.scan(b, v) })
		}
	}
}

// inherit gives the new blossom b the best link that its outer children had to d.
func (m *matching) inherit(b, d int) {
	v, x := -1, -1
	for _, c := range m.child[b] {
		if m.label[c] != outer {
			continue
		}
		if l := m.link[c*2*m.n+d]; l[0] >= 0 && (v < 0 || m.compareSlack(int(l[0]), int(l[1]), v, x) < 0) {
			v, x = int(l[0]), int(l[1])
		}
	}
	if m.setLink(b, d, v, x); v >= 0 {
		m.improve(b, v, x)
	}
}

// unfold takes an inner blossom without a dual apart; the half of its cycle that joins the tree keeps
// alternating.
func (m *matching) unfold(b int) {
	entry, kids, doors := m.entry[b], m.child[b], m.door[b]
	j := m.childWith(b, entry[1])
	m.unwrap(b)
	m.label[kids[j]], m.entry[kids[j]] = inner, entry
	l := len(kids)
	var fresh []int
	if j%2 == 0 {
		for ; j > 0; j -= 2 {
			fresh = append(fresh, kids[j-1])
			d := doors[j-2]
			m.label[kids[j-2]], m.entry[kids[j-2]] = inner, [2]int{d[1], d[0]}
		}
	} else {
		for ; j < l; j += 2 {
			fresh = append(fresh, kids[j+1])
			k := (j + 2) % l
			m.label[kids[k]], m.entry[kids[k]] = inner, doors[j+1]
			if k == 0 {
				break
			}
		}
	}
	for _, c := range fresh {
		m.makeOuter(c)
	}
}

// digits pack values of different weight into the lanes of a cost, the first value the highest.
type digits struct {
	lane, shift []int
	lanes       int
}

// laneBits are the bits of a lane that digits fill.
const laneBits = 40

// packing finds room for digits whose sums over a matching are at most most.
func packing(most []int) digits {
	var d digits
	used := laneBits + 1
	for _, m := range most {
		need := bits.Len(uint(m))
		if used+need > laneBits {
			d.lanes++
			used = 0
		}
		used += need
		d.lane = append(d.lane, d.lanes-1)
		d.shift = append(d.shift, used)
	}
	d.lanes = max(d.lanes, 1)
	return d
}

// pack writes values to the lanes of a cost, doubled.
func (d digits) pack(values []int, into []int64) {
	clear(into)
	for i, v := range values {
		into[d.lane[i]] += 2 * int64(v) << (laneBits - d.shift[i])
	}
}
