package five

// The evaluation is a small network. Every empty point adds, for either colour, what the
// code of its four patterns is worth in a few lanes; the sums are kept up to date move by
// move. From the sums of both colours and from the threats two layers make the expected
// result for the side to move. All of it is in whole numbers, so that every machine plays
// the same.
const (
	lanes   = 4
	hidden1 = 16 // units of the first layer
	hidden2 = 8  // units of the second
)

// One, as the numbers have it.
const (
	laneUnit = 4096
	netUnit  = 256 // of the layers' weights and of what goes from one to the next
	lastUnit = 1024
)

// layers are the weights of a network.
type layers struct {
	First  [2 * lanes][hidden1]int16 // from the sums of the side to move, then of the other
	Bias   [1 + threatBits][hidden1]int16
	Second [hidden1][hidden2]int16
	After  [hidden2]int16 // bias of the second
	Last   [hidden2]int16
	Threat [1 << threatBits]int16 // what the threats are worth by themselves
}

// network is layers made ready to be used.
type network struct {
	first  [hidden1][2 * lanes]int32
	bias   [1 << threatBits][hidden1]int32 // by the threats
	second [hidden1][hidden2]int32
	after  [hidden2]int32
	last   [hidden2]int32
	threat [1 << threatBits]int16
}

func (l *layers) network() *network {
	n := &network{threat: l.Threat}
	for i := range hidden1 {
		for k := range l.First {
			n.first[i][k] = int32(l.First[k][i])
		}
		for m := range n.bias {
			sum := int32(l.Bias[threatBits][i])
			for bit := range threatBits {
				if m>>bit&1 != 0 {
					sum += int32(l.Bias[bit][i])
				}
			}
			n.bias[m][i] = sum * netUnit
		}
		for j := range hidden2 {
			n.second[i][j] = int32(l.Second[i][j])
		}
	}
	for j := range hidden2 {
		n.after[j], n.last[j] = int32(l.After[j])*netUnit, int32(l.Last[j])
	}
	return n
}

// sums are the lanes, two of 32 bits in a word: to add words is to add both.
type sums [lanes / 2]uint64

func pack(w [lanes]int16) (s sums) {
	for i := range s {
		s[i] = uint64(int64(w[2*i])) + uint64(int64(w[2*i+1]))<<32
	}
	return s
}

// unpack gives the two sums of a word as the network takes them.
func unpack(word uint64) (low, high int) {
	l := int32(word)
	h := int32((word - uint64(int64(l))) >> 32)
	return int(l) / (laneUnit / netUnit), int(h) / (laneUnit / netUnit)
}

// evaluate is the static evaluation for the side to move.
func (b *board) evaluate() int {
	me := b.turn & 1
	n := b.net[me]
	m := b.threats() & (1<<threatBits - 1)
	a0, a1 := unpack(b.sum[me][0])
	a2, a3 := unpack(b.sum[me][1])
	a4, a5 := unpack(b.sum[me^1][0])
	a6, a7 := unpack(b.sum[me^1][1])
	bias := &n.bias[m]
	var s [hidden2]int
	for j, v := range n.after {
		s[j] = int(v)
	}
	for i := range hidden1 {
		w := &n.first[i]
		x := int(bias[i]) + a0*int(w[0]) + a1*int(w[1]) + a2*int(w[2]) + a3*int(w[3]) +
			a4*int(w[4]) + a5*int(w[5]) + a6*int(w[6]) + a7*int(w[7])
		if x <= 0 {
			continue
		}
		x /= netUnit
		for j, v := range &n.second[i] {
			s[j] += x * int(v)
		}
	}
	x := 0
	for j, v := range s {
		if v > 0 {
			x += v / netUnit * int(n.last[j])
		}
	}
	x = x*unit/(netUnit*lastUnit) + int(n.threat[m])/fine
	return max(-maxEval, min(maxEval, x))
}
