package five

// weights are the numbers of one variant: what a code is worth to a colour and how much
// it draws moves, and what the threats of both sides are worth to the side to move.
type weights struct {
	Self, Opp      [2][codes]int16
	Attack, Defend [2][codes]int16
	Threat         [2][2048]int16
	Far            [recent][farnesses]int16
}

// recent is the number of moves before that draw the next one near them.
const recent = 3

// farnesses is the number of ways in which two points can lie to one another.
const farnesses = 16

// farness tells apart how two points lie that are at most four apart, whatever way the
// board is turned; all that are farther are alike.
func farness(dx, dy int) uint8 {
	dx, dy = abs(dx), abs(dy)
	if dx < dy {
		dx, dy = dy, dx
	}
	if dx > 4 {
		return farnesses - 1
	}
	return uint8(dx*(dx+1)/2 + dy)
}

// unit is one logit of expected result in units of the evaluation.
const unit = 200

// fine is how much finer the tables are than the evaluation: a board holds a hundred
// points of the common codes, whose small weights must not be rounded away.
const fine = 8

// fill puts w into the tables of s.
func (w *weights) fill(s *shape) {
	for k := range w.Far {
		for dx := -15; dx <= 15; dx++ {
			for dy := -15; dy <= 15; dy++ {
				s.far[k][dy*32+dx+512] = w.Far[k][farness(dx, dy)]
			}
		}
	}
	for c := range 2 {
		s.info[c], s.urge[c], s.threat[c] = new([4096]info), new([4096]urge), &w.Threat[c]
		for i := range codes {
			class := classOf(patternsOf[i], s.variant.kind(c))
			s.info[c][i] = info{self: w.Self[c][i], opp: w.Opp[c][i], class: class, group: groupOf(class)}
			s.urge[c][i] = urge{w.Attack[c][i], w.Defend[c][i]}
		}
	}
}

func groupOf(class uint8) uint8 {
	switch class {
	case three, threePlus, doubleThree:
		return inThree
	case fourMove, fourPlus, fourThree, openFour:
		return inFour
	case winFive:
		return inFive
	}
	return inNone
}

// hand are weights guessed by hand: where the fitting starts.
func hand(v variant) *weights {
	value := [patterns]int{dead: 0, over: 0, blocked1: 1, open1: 3, blocked2: 4, blocked2s: 5,
		open2: 9, open2a: 11, open2b: 13, blocked3: 14, blocked3s: 16, open3: 32, open3s: 38, four: 30, four2: 90, fiveRow: 120}
	bonus := [classes]int{none: 0, twos: 6, three: 10, threePlus: 18, doubleThree: 60, fourMove: 4,
		fourPlus: 24, fourThree: 110, openFour: 150, winFive: 200, foul: 0}
	w := new(weights)
	for c := range 2 {
		for i := range codes {
			class := classOf(patternsOf[i], v.kind(c))
			sum, best := bonus[class], 0
			for _, p := range patternsOf[i] {
				sum += value[p]
				best = max(best, value[p])
			}
			if class == foul {
				sum /= 4
			}
			w.Self[c][i] = int16(sum * fine)
			w.Opp[c][i] = int16(sum * fine * 8 / 10)
			w.Attack[c][i] = int16(sum * 8)
			w.Defend[c][i] = int16(sum * 6)
		}
		for m := range 2048 {
			n := 60
			has := func(bit int, value int) {
				if m>>bit&1 != 0 {
					n += value
				}
			}
			// The first six bits are the side to move, the others its opponent.
			has(0, 300) // four and three
			has(1, 60)  // four plus
			has(2, 20)  // four
			has(3, 150) // two threes
			has(4, 60)
			has(5, 40)
			has(6, -200) // a straight four threatened
			has(7, -120)
			has(8, -30)
			has(9, -60)
			has(10, -20)
			w.Threat[c][m] = int16(n * fine)
		}
	}
	return w
}

// threats is the mask that Threat is read by.
func (b *board) threats() int {
	me, you := &b.count[b.turn&1], &b.count[b.turn&1^1]
	m := 0
	has := func(n uint8, bit int) {
		if n > 0 {
			m |= 1 << bit
		}
	}
	has(me[fourThree], 0)
	has(me[fourPlus], 1)
	has(me[fourMove], 2)
	has(me[doubleThree], 3)
	has(me[threePlus], 4)
	has(me[three], 5)
	has(you[openFour], 6)
	has(you[fourThree], 7)
	has(you[fourPlus]|you[fourMove], 8)
	has(you[doubleThree], 9)
	has(you[threePlus]|you[three], 10)
	return m
}

// evaluate is the static evaluation for the side to move.
func (b *board) evaluate() int {
	me := b.turn & 1
	v := (b.sum[me][0] - b.sum[me^1][1] + int32(b.threat[me][b.threats()&2047])) / fine
	return max(-maxEval, min(maxEval, int(v)))
}
