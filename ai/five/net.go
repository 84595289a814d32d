package five

// The evaluation is a small network. Every empty point adds, for either colour, what the
// code of its four patterns is worth in a few lanes; the sums are kept up to date move by
// move. From the sums of both colours, from what the last move has made of them, and from
// the threats two layers make the expected result for the side to move. All of it is in
// whole numbers, so that every machine plays the same.
const (
	lanes   = 4
	hidden1 = 16 // units of the first layer
	hidden2 = 8  // units of the second

	// The sums of the side to move and of the other, and what the last move has made of either.
	inputs = 4 * lanes
)

// One, as the numbers have it.
const (
	laneUnit = 4096
	netUnit  = 256 // of the layers' weights and of what goes from one to the next
	lastUnit = 1024
)

// layers are the weights of a network.
type layers struct {
	First  [inputs][hidden1]int16
	Bias   [1 + threatBits][hidden1]int16
	Second [hidden1][hidden2]int16
	After  [hidden2]int16 // bias of the second
	Last   [hidden2]int16
	Threat [1 << threatBits]int16 // what the threats are worth by themselves
}

// network is layers prepared for use. Neighbouring numbers share a word in pairs, so that one
// multiplication makes two products. They stay within 32 bits: a product
// of one and one is 65,536, and no sum of a fitted network comes near 32,768 of these.
type network struct {
	first  [inputs][hidden1 / 2]uint64
	bias   [1 << threatBits][hidden1 / 2]uint64 // by the threats
	second [hidden1][hidden2 / 2]uint64
	after  [hidden2 / 2]uint64
	last   [hidden2]int32
	threat [1 << threatBits]int16
	lanes  vectorLayers
}

// vectorLayers are the same weights, one number to a lane of a vector.
type vectorLayers struct {
	first  [inputs][hidden1]int32
	second [hidden1][hidden2]int32
	after  [hidden2]int32
}

func (l *layers) network() *network {
	n := &network{threat: l.Threat}
	for k, w := range l.First {
		for i := range n.first[k] {
			n.first[k][i] = two(int32(w[2*i]), int32(w[2*i+1]))
		}
	}
	for m := range n.bias {
		var sum [hidden1]int32
		for bit, w := range l.Bias {
			if bit == threatBits || m>>bit&1 != 0 { // the last is always there
				for i, x := range w {
					sum[i] += int32(x) * netUnit
				}
			}
		}
		for i := range n.bias[m] {
			n.bias[m][i] = two(sum[2*i], sum[2*i+1])
		}
	}
	for i, w := range l.Second {
		for j := range n.second[i] {
			n.second[i][j] = two(int32(w[2*j]), int32(w[2*j+1]))
		}
	}
	for j := range n.after {
		n.after[j] = two(int32(l.After[2*j])*netUnit, int32(l.After[2*j+1])*netUnit)
	}
	for j, w := range l.Last {
		n.last[j] = int32(w)
		n.lanes.after[j] = int32(l.After[j]) * netUnit
	}
	for k := range l.First {
		for i, w := range l.First[k] {
			n.lanes.first[k][i] = int32(w)
		}
	}
	for i := range l.Second {
		for j, w := range l.Second[i] {
			n.lanes.second[i][j] = int32(w)
		}
	}
	return n
}

// two puts two numbers into a word; to add words is to add both.
func two(low, high int32) uint64 { return uint64(int64(low)) + uint64(int64(high))<<32 }

// untwo takes the two numbers of a word out again.
func untwo(word uint64) (low, high int32) {
	low = int32(word)
	return low, int32((word - uint64(int64(low))) >> 32)
}

// lanesOf is what a point adds to the sums.
type lanesOf [lanes]int16

// sums are what all points add up to.
type sums [lanes]int32

// swap takes old away and adds new.
func (s *sums) swap(old, new *lanesOf) {
	for k := range s {
		s[k] += int32(new[k]) - int32(old[k])
	}
}

var nothing lanesOf

// finer is how much finer the sums are than what the network takes of them.
const finer = laneUnit / netUnit

// evaluate is the static evaluation for the side to move.
func (b *board) evaluate() int {
	me := b.turn & 1
	n := b.net[me]
	m := b.threats() & (1<<threatBits - 1)
	var s [hidden2]int32
	if vectors {
		layersVector(&n.lanes, &n.bias[m], &b.sum, &b.old[(b.ply-1)&255].sum, me, &s)
	} else {
		n.layersPlain(&n.bias[m], &b.sum, &b.old[(b.ply-1)&255].sum, me, &s)
	}
	x := 0
	for j, y := range &s {
		x += int(y) * int(n.last[j])
	}
	x = x*unit/(netUnit*lastUnit) + int(n.threat[m])/fine
	return max(-maxEval, min(maxEval, x))
}

// layersPlain computes both layers from the sums of now and of the position before, for the
// side to move. layersVector does the same with vector instructions.
func (n *network) layersPlain(bias *[hidden1 / 2]uint64, now, before *[2]sums, me int, out *[hidden2]int32) {
	var in [inputs]uint64
	for i, c := range [2]int{me, me ^ 1} {
		for k, x := range &now[c&1] {
			in[i*lanes+k] = uint64(int64(x / finer))
			in[(2+i)*lanes+k] = uint64(int64((x - before[c&1][k]) / finer))
		}
	}
	h := *bias
	for k, x := range &in {
		for i, w := range &n.first[k] {
			h[i] += x * w
		}
	}
	s := n.after
	for i, word := range &h {
		low, high := untwo(word)
		if low > 0 {
			x := uint64(low / netUnit)
			for j, w := range &n.second[2*i] {
				s[j] += x * w
			}
		}
		if high > 0 {
			x := uint64(high / netUnit)
			for j, w := range &n.second[2*i+1] {
				s[j] += x * w
			}
		}
	}
	for j, word := range &s {
		low, high := untwo(word)
		out[2*j], out[2*j+1] = max(low, 0)/netUnit, max(high, 0)/netUnit
	}
}
