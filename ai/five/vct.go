package five

import "math/bits"

// A VCT is a win by threats: fours, and threes that threaten a straight four. Its search
// grows the tree where the proof is nearest (depth-first proof-number search): for every
// position it keeps the least number of leaves that must be won to prove the win, and that
// must be lost to refute it. A win that it finds is proven. A win that it does not find
// may exist, since moves without a threat are not tried and its nodes are few.

// proof is what is known of a position: the numbers, and when the win is proven the move
// and the plies until it.
type proof struct {
	key    uint64
	pn, dn uint16
	move   uint8
	plies  uint8
}

const (
	certain  = 60_000 // a number that no more work can reach
	maxPlies = 80     // depth of the search for threats
)

// proofs is the table of positions, looked up in buckets of four.
type proofs []proof

func (t proofs) get(key uint64) proof {
	at := key & uint64(len(t)-1) &^ 3
	for _, e := range t[at : at+4] {
		if e.key == key {
			return e
		}
	}
	return proof{key: key, pn: 1, dn: 1}
}

// put stores e in the place of an older entry of its position, else in an empty place, else if
// possible in place of an undecided entry.
func (t proofs) put(e proof) {
	at := e.key & uint64(len(t)-1) &^ 3
	bucket := t[at : at+4]
	to := &bucket[e.key>>62]
	for i := range bucket {
		switch old := &bucket[i]; {
		case old.key == e.key:
			*old = e
			return
		case old.key == 0, to.key != 0 && to.pn == 0 && old.pn != 0:
			to = old
		}
	}
	*to = e
}

// threat is one search for a win by threats.
type threat struct {
	side  int // who attacks
	until int64
	moves [maxPlies + 2][64]uint8
}

// vct finds the move by which the side to move wins by threats, and the plies that the win
// takes: 0 if so many nodes did not find it.
func (s *searcher) vct(nodes int64) (move uint8, plies int) {
	t := &s.threat
	t.side = s.b.turn & 1
	t.until = s.nodes + nodes
	if pn, _ := s.attack(certain, certain, 0); pn != 0 {
		return 0xFF, 0
	}
	t.until += nodes // what the table has forgotten is proven again
	plies = s.won(0)
	return s.proofs.get(s.proofKey()).move, plies
}

func (s *searcher) proofKey() uint64 {
	return s.b.hash ^ turnKey[s.b.turn&1] ^ uint64(s.threat.side)*0xD6E8FEB86659FD93
}

func (s *searcher) spent() bool { return s.stopped || s.nodes >= s.threat.until }

// decided notes that move wins the position in so many plies, or with 0 that the position
// is not won.
func (s *searcher) decided(move uint8, plies int) (pn, dn int) {
	e := proof{key: s.proofKey(), move: move, plies: uint8(plies)}
	if plies > 0 {
		e.dn = certain
	} else {
		e.pn = certain
	}
	s.proofs.put(e)
	return int(e.pn), int(e.dn)
}

// threes are the points where c makes an open three and no four.
func (b *board) threes(c int) (set pointSet) {
	n := &b.count[c&1]
	if n[three]|n[threePlus]|n[doubleThree] == 0 {
		return set
	}
	for i, word := range &b.near { // an open three has a stone within three
		for word &= b.empty[i]; word != 0; word &= word - 1 {
			if p := uint8(i<<6 + bits.TrailingZeros64(word)); someThree>>b.class(p, c)&1 != 0 {
				set[i] |= word & -word
			}
		}
	}
	return set
}

// attack searches the position of the attacker, who is to move, until its numbers reach
// the bounds.
func (s *searcher) attack(pt, dt, depth int) (pn, dn int) {
	b := &s.b
	if s.step() {
		return 1, 1
	}
	me := b.turn & 1
	you := me ^ 1
	moves := b.four[me].Or(b.threes(me))
	switch n := b.count[you][winFive]; {
	case b.count[me][winFive] > 0:
		return s.decided(first(&b.five[me]), 1)
	case n > 1 || depth >= maxPlies:
		return s.decided(0xFF, 0)
	case n == 1: // the only move; what was threatened before may still be
		moves = b.five[you]
	case b.count[me][openFour] > 0:
		return s.decided(s.ofClass(b.four[me], openFour), 3)
	case b.quickFourThree(me):
		return s.decided(s.ofClass(b.four[me], fourThree), 5)
	case b.count[you][openFour] > 0:
		// a three lets the other side make its straight four, unless the three stands in its way
		set := b.defence()
		for i := range moves {
			moves[i] &= b.four[me][i] | set[i]
		}
	}
	list := &s.threat.moves[depth]
	n := 0
	for p := range moves.All() {
		if n < len(list) && !(me == black && b.forbidden(uint8(p))) {
			list[n] = uint8(p)
			n++
		}
	}
	key := s.proofKey()
	side := key ^ b.hash ^ turnKey[me] ^ turnKey[you]
	for {
		pn, dn = certain, 0
		second, best, at := certain, proof{}, 0
		for i, p := range list[:n] {
			e := s.proofs.get(b.hash ^ b.zobrist[me][p] ^ side)
			dn += int(e.dn)
			switch v := int(e.pn); {
			case v < pn:
				second, pn, best, at = pn, v, e, i
			case v < second:
				second = v
			}
		}
		dn = bounded(dn, pn == certain)
		if pn == 0 {
			dn = certain
		}
		if pn >= pt || dn >= dt || s.spent() {
			e := proof{key: key, pn: uint16(pn), dn: uint16(dn)}
			if pn == 0 {
				e.move = list[at]
			}
			s.proofs.put(e)
			return pn, dn
		}
		b.play(list[at])
		s.defend(min(pt, second+1), dt-dn+int(best.dn), depth+1)
		b.back()
	}
}

// bounded is 0 for none, else sum, which stays below certain.
func bounded(sum int, none bool) int {
	if none {
		return 0
	}
	return min(sum, certain-1)
}

// defend searches the position after a move of the attacker.
func (s *searcher) defend(pt, dt, depth int) (pn, dn int) {
	b := &s.b
	if s.step() {
		return 1, 1
	}
	me := b.turn & 1
	you := me ^ 1
	replies, lost := s.replies()
	switch {
	case lost > 0:
		return s.decided(0xFF, lost)
	case replies == (pointSet{}):
		return s.decided(0xFF, 0)
	}
	list := &s.threat.moves[depth]
	n := 0
	for p := range replies.All() {
		if me == black && b.forbidden(uint8(p)) {
			continue
		}
		if n == len(list) {
			return s.decided(0xFF, 0)
		}
		list[n] = uint8(p)
		n++
	}
	if n == 0 {
		return s.decided(0xFF, 4)
	}
	key := s.proofKey()
	side := key ^ b.hash ^ turnKey[me] ^ turnKey[you]
	for {
		pn, dn = 0, certain
		second, best, at := certain, proof{}, 0
		for i, p := range list[:n] {
			e := s.proofs.get(b.hash ^ b.zobrist[me][p] ^ side)
			pn += int(e.pn)
			switch v := int(e.dn); {
			case v < dn:
				second, dn, best, at = dn, v, e, i
			case v < second:
				second = v
			}
		}
		pn = bounded(pn, dn == certain)
		if dn == 0 {
			pn = certain
		}
		if pn >= pt || dn >= dt || s.spent() {
			s.proofs.put(proof{key: key, pn: uint16(pn), dn: uint16(dn)})
			return pn, dn
		}
		b.play(list[at])
		s.attack(pt-pn+int(best.pn), min(dt, second+1), depth+1)
		b.back()
	}
}

// replies are the moves by which the side to move can meet the threat, none if there is no
// threat; lost is the number of plies in which it loses whatever it does.
func (s *searcher) replies() (set pointSet, lost int) {
	b := &s.b
	me := b.turn & 1
	you := me ^ 1
	switch n := b.count[you][winFive]; {
	case b.count[me][winFive] > 0:
		return pointSet{}, 0
	case n > 1, n == 1 && me == black && b.forbidden(first(&b.five[you])):
		return pointSet{}, 2
	case n == 1:
		return b.five[you], 0
	case b.count[you][openFour] == 0:
		return pointSet{}, 0
	}
	if set = b.defence(); set == (pointSet{}) {
		return pointSet{}, 4
	}
	return set, 0
}

// ofClass is the first point of set where the side to move makes a class.
func (s *searcher) ofClass(set pointSet, class uint8) uint8 {
	b := &s.b
	me := b.turn & 1
	for p := range set.All() {
		if b.class(uint8(p), me) == class {
			return uint8(p)
		}
	}
	return 0xFF
}

// won is the number of plies of the win that attack or defend has proven, 0 if the table
// forgot the proof and it was not found again.
func (s *searcher) won(depth int) int {
	b := &s.b
	attacks := b.turn&1 == s.threat.side
	e := s.proofs.get(s.proofKey())
	if e.pn != 0 {
		if attacks {
			s.attack(certain, certain, depth)
		} else {
			s.defend(certain, certain, depth)
		}
		if e = s.proofs.get(s.proofKey()); e.pn != 0 {
			return 0
		}
	}
	if e.plies > 0 || depth >= maxPlies {
		return int(e.plies)
	}
	plies := 0
	if attacks {
		b.play(e.move)
		plies = s.won(depth + 1)
		b.back()
	} else {
		set, _ := s.replies()
		for p := range set.All() {
			if b.turn&1 == black && b.forbidden(uint8(p)) {
				continue
			}
			b.play(uint8(p))
			w := s.won(depth + 1)
			b.back()
			if w == 0 {
				return 0
			}
			plies = max(plies, w)
		}
	}
	if plies > 0 {
		plies++
		e.plies = uint8(min(plies, 255))
		s.proofs.put(e)
	}
	return plies
}
