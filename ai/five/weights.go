package five

// weights are the numbers of one variant, by colour: how much a code draws moves, and the
// network that evaluates a position.
type weights struct {
	Attack, Defend [2][codes]int16
	Far            [recent][farnesses]int16
	Both           [2][classes][classes]int16       // by colour to move, by the class for it and for the other side
	Mood           [2][threatBits][2][classes]int16 // the same of either class, by the threats on the board
	Lanes          [2][codes][lanes]int16           // what a point of a code adds to the sums of its colour
	Net            [2]layers                        // by colour to move
}

// recent is the number of last moves that draw the next one near them.
const recent = 3

// farnesses is the number of ways in which two points can lie to one another.
const farnesses = 16

// farness numbers the ways in which two points at most four apart can lie to one another,
// however the board is turned; all points farther apart are alike.
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

// fine is how much finer the table of threats is than the evaluation.
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
		for i := range classes {
			copy(s.both[c][i][:], w.Both[c][i][:])
		}
		s.mood[c] = new([1 << threatBits]mood)
		for m := range s.mood[c] {
			for bit := range threatBits {
				if m>>bit&1 != 0 {
					for i := range classes {
						s.mood[c][m].mine[i] += w.Mood[c][bit][0][i]
						s.mood[c][m].theirs[i] += w.Mood[c][bit][1][i]
					}
				}
			}
		}
		s.worth[c], s.urge[c], s.net[c] = new([4096]lanesOf), new([4096]urge), w.Net[c].network()
		for i := range codes {
			s.worth[c][i] = w.Lanes[c][i]
			s.urge[c][i] = urge{w.Attack[c][i], w.Defend[c][i]}
		}
		if c == white && *s.worth[white] == *s.worth[black] {
			s.worth[white] = s.worth[black] // the cache holds one better than two
		}
	}
}

// hand are weights guessed by hand: where the fitting starts.
func hand(v variant) *weights {
	value := [patterns]int{dead: 0, over: 0, blocked1: 1, open1: 3, blocked2: 4, blocked2s: 5,
		open2: 9, open2a: 11, open2b: 13, blocked3: 14, blocked3s: 16, open3: 32, open3s: 38, four: 30,
		four2: 90, fiveRow: 120}
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
			w.Lanes[c][i][0] = int16(sum * laneUnit / unit)
			w.Attack[c][i] = int16(sum * 8)
			w.Defend[c][i] = int16(sum * 6)
		}
		// The network is a line: values below zero take one unit, values above zero the
		// other.
		n := &w.Net[c]
		for way, sign := range [2]int16{1, -1} {
			n.First[0][way], n.First[lanes][way] = sign*netUnit, -sign*netUnit*8/10
			n.Second[way][way] = netUnit
			n.Last[way] = sign * lastUnit
		}
		for m := range n.Threat {
			sum := 60
			for bit, value := range [...]int{300, 60, 20, 150, 60, 40, -200, -120, -30, -60, -20} { // as threats has them
				if m>>bit&1 != 0 {
					sum += value
				}
			}
			n.Threat[m] = int16(sum * fine)
		}
	}
	return w
}

// threatBits is the number of threats that the evaluation tells apart.
const threatBits = 11

// threats are those of the position, a bit each.
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
