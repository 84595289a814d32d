package five

// urge is how much a code draws a move to its point: a move of one's own, and one that keeps the
// other side from it.
type urge struct{ attack, defend int16 }

// mood is how much threats on the board draw a move to points of a class.
type mood struct{ mine, theirs [16]int16 }

// draws is what draws the side to move to a point: its codes; both classes, together and by the
// threats on the board; how it lies to the last moves; and histories.
type draws struct {
	cells        *[256]cell
	mine, theirs *[4096]urge
	both         *[16][16]int16
	mood         *mood
	far          [recent]*[1024]int16 // by the difference of spread points
	last         [recent]uint32       // what the last moves add to the difference
	me           uint32
	cont, plan   *[256]int16
	ever         *[256]int32
	following    int32 // the weight of cont and plan
	always       int32 // that of ever

	//lint:ignore U1000 drawsVector makes one table of both and mood in it
	pull [classes][16]int16
	//lint:ignore U1000 and here what last moves and histories say of each point
	base [256]int32
}

// Tables of zeros, for moves and histories that are missing.
var (
	farNone  [1024]int16
	contNone [256]int16
	everNone [256]int32
)

// look sets d to what b says. Histories may be added.
func (d *draws) look(b *board) {
	me := b.turn & 1
	d.cells, d.mine, d.theirs = &b.cells, b.urge[me], b.urge[me^1]
	d.both, d.mood, d.me = &b.both[me], &b.mood[me][b.threats()], uint32(me)
	d.far, d.last = [recent]*[1024]int16{&farNone, &farNone, &farNone}, [recent]uint32{}
	for k := range min(recent, b.ply) {
		p := b.moves[(b.ply-1-k)&255]
		if p == 0xFF {
			break
		}
		d.far[k], d.last[k] = &b.far[k], uint32(512-spread(p))
	}
	d.cont, d.plan, d.ever, d.following, d.always = &contNone, &contNone, &everNone, 0, 0
}

// worthRows is how many moves are worth the rows of the board that drawsVector goes through first.
const worthRows = 8

// score gives moves their scores. They are in the order of their points.
func (d *draws) score(moves *[256]scored, n int) {
	if vectors && n >= worthRows {
		drawsVector(d, moves, n)
	} else {
		d.plain(moves[:n])
	}
}

// plain is score in one loop. drawsVector does the same with vector instructions. What last moves
// say is added up in 16 bits, as there, and so is what classes do; fitted numbers are far from the bounds.
func (d *draws) plain(moves []scored) {
	me := d.me & 1
	for i := range moves {
		p := moves[i].p
		c, at := &d.cells[p].code, uint32(spread(p))
		mine, theirs := d.mine[c[me]&4095], d.theirs[c[me^1]&4095]
		class, other := c[me]>>12, c[me^1]>>12
		near := d.far[0][(at+d.last[0])&1023] + d.far[1][(at+d.last[1])&1023] + d.far[2][(at+d.last[2])&1023]
		both := d.both[class][other] + d.mood.mine[class] + d.mood.theirs[other]
		moves[i].score = int32(mine.attack) + int32(theirs.defend) + int32(near) + int32(both) +
			(int32(d.cont[p]+d.plan[p])*d.following+d.ever[p]*d.always)>>historyShift
	}
}

// drawn is how much the board alone draws a move to p.
func (b *board) drawn(p uint8) int32 {
	var d draws
	d.look(b)
	m := [1]scored{{p: p}}
	d.plain(m[:])
	return m[0].score
}
