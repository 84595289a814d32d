package game

import (
	"fmt"
	"slices"
	"strings"
)

// Decision is what one entry of a match's log says: below 256 a point on which a stone is
// put, above it a decision of an opening protocol. The numbers are stored: add at the end only.
type Decision uint16

// The decisions that are words.
const (
	Swap      Decision = 256 + iota // take the other color
	Stay                            // keep the color
	TakeWhite                       // swap2: be White
	TakeBlack                       // swap2: be Black
	PlaceTwo                        // swap2: place two more stones
	OneFifth                        // Taraguchi-10: a single fifth stone
	TenFifths                       // Taraguchi-10: offer ten fifth stones
	lastWord  = TenFifths
)

const (
	offers   Decision = 0x300 // and the point that is offered for the fifth stone
	declares Decision = 0x400 // and the number of fifth stones to be offered
	lastCode          = declares + maxDeclared
)

// maxDeclared is the highest number that can be written; none so high is legal.
const maxDeclared = 999

// Offer is the offer of p for the fifth stone.
func Offer(p Point) Decision { return offers | Decision(p) }

// Declare is the declaration that n fifth stones will be offered.
func Declare(n int) Decision { return declares + Decision(min(max(n, 0), maxDeclared)) }

// Stone is the point on which the decision puts a stone; ok is false when it puts none.
func (d Decision) Stone() (p Point, ok bool) { return Point(d), d < Swap }

// Offered is the point that the decision offers; ok is false when it is no offer.
func (d Decision) Offered() (p Point, ok bool) { return Point(d), d&^0xFF == offers }

// Declared is the number that the decision declares; ok is false when it declares none.
func (d Decision) Declared() (n int, ok bool) {
	return int(d - declares), d >= declares && d <= lastCode
}

// point is the point that the decision is about, NoPoint for none.
func (d Decision) point() Point {
	_, stone := d.Stone()
	if _, offer := d.Offered(); stone || offer {
		return Point(d)
	}
	return NoPoint
}

var decisionWords = [...]string{"swap", "stay", "white", "black", "two", "one", "ten"}

// String is the decision as an opening's line has it, such as H8, swap or declare=3.
func (d Decision) String() string {
	if d >= Swap && d <= lastWord {
		return decisionWords[d-Swap]
	}
	if n, ok := d.Declared(); ok {
		return fmt.Sprintf("declare=%d", n)
	}
	if p := d.point(); p != NoPoint {
		return p.String()
	}
	return fmt.Sprintf("decision %d", uint16(d))
}

// ParseDecision reads a decision as String writes it, in any case: a point, a word or a
// number. A point reads as a stone; Question.At says what it means where it is put.
func ParseDecision(s string) (Decision, bool) {
	if strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 }) {
		return 0, false // lower case has ASCII forms for letters that are none
	}
	s = strings.ToLower(s)
	if i := slices.Index(decisionWords[:], s); i >= 0 {
		return Swap + Decision(i), true
	}
	if digits, ok := strings.CutPrefix(s, "declare="); ok {
		if digits == "0" {
			return Declare(0), true
		}
		n, ok := plainNumber(digits, maxDeclared)
		return Declare(n), ok
	}
	if s == "" || s[0] < 'a' || s[0] > 'o' {
		return 0, false
	}
	row, ok := plainNumber(s[1:], 15)
	return Decision(At(int(s[0]-'a'), row-1)), ok
}

// plainNumber reads a number from 1 to most, without sign and without leading zero.
func plainNumber(s string, most int) (n int, ok bool) {
	n = number(s)
	return n, n > 0 && n <= most && s[0] != '0'
}

// Asked is the kind of a question.
type Asked uint8

// The kinds of questions.
const (
	AskNothing Asked = iota // the opening is over: play goes on
	AskPlace                // where a stone goes
	AskSwap                 // whether to take the other color
	AskChoose               // one of the ways that the protocol names
	AskDeclare              // how many fifth stones will be offered
	AskOffer                // one more point for the fifth stone
	AskSelect               // which offered point becomes the fifth stone
)

// Question is what an opening asks next and of whom, and how it stands. Its two persons
// are 0, who opens, and 1.
type Question struct {
	Kind     Asked
	Who      int        // who decides; after the opening, who is to move
	Black    int        // who holds the black stones now
	Color    Color      // of the stone that is to be placed; after the opening, of the side to move
	Points   Set        // what may be placed, offered or selected
	Options  []Decision // what may be answered otherwise
	Offered  []Point    // the points offered so far, in order
	Declared int        // how many fifth stones were declared, 0 before
	Wanted   int        // how many points are offered in all; only while they are asked for
}

// At is what it means to put one's finger on p: an offer where offers are asked, else a stone.
func (q Question) At(p Point) Decision {
	if q.Kind == AskOffer {
		return Offer(p)
	}
	return Decision(p)
}

// Protocol is a way to open a game by decisions in turn, so that neither color is the
// better one to have. Package opening has them; the values are comparable.
type Protocol interface {
	// Name is the name in lines and exports, such as "swap2".
	Name() string
	// Replay takes decisions from the first on. by are the persons who took those that
	// belong to the opening; what follows its end is left alone. asks is what is asked then.
	// The error names the first decision that is not legal and wraps a *Refusal.
	Replay(decisions []Decision) (by []uint8, asks Question, err error)
}

// Question is what the match's opening protocol asks next, and how it stands. Its Kind is
// AskNothing where the match has no protocol and where the opening is over.
func (m Match) Question() Question { return m.asks }

// LastOffer reports whether one more point is all that the question wants: with it the offers
// are complete.
func (q Question) LastOffer() bool { return q.Kind == AskOffer && len(q.Offered)+1 == q.Wanted }

// Deciding reports whether the match is still in its opening protocol.
func (m Match) Deciding() bool { return m.asks.Kind != AskNothing }

// seatOf is the seat of a person of the opening: who has black at the beginning opens.
func (m Match) seatOf(person int) int {
	if m.First == White {
		return 1 - person
	}
	return person
}

// open takes the decisions of the opening from the log. Without a protocol there are none.
func (m *Match) open(log []Entry) error {
	m.opened, m.asks = nil, Question{}
	if m.Protocol == nil {
		return nil
	}
	if m.Rules == Reversi || m.Rules.Size() != 15 || m.Start.Size != 0 || len(m.Given) > 0 {
		return fmt.Errorf("%s is for an empty board of 15x15, five in a row", m.Protocol.Name())
	}
	decisions := make([]Decision, len(log))
	for i, e := range log {
		decisions[i] = e.Decision()
	}
	var err error
	m.opened, m.asks, err = m.Protocol.Replay(decisions)
	return err
}

// enter brings the board one entry of the log further, the opening having been taken.
func (m *Match) enter(i int, d Decision) error {
	p, stone := d.Stone()
	switch {
	case !stone && i >= len(m.opened):
		return &Refusal{Code: OpeningOver}
	case !stone:
		return nil
	}
	g, err := m.game.Play(p)
	if err != nil {
		return err
	}
	m.game = g
	return nil
}

// onlyFifth reports whether an entry of the log places the only point that was offered for the fifth stone:
// nobody decided that.
func (m Match) onlyFifth(i int) bool {
	p, stone := m.Log[i].Decision().Stone()
	if !stone || i < 2 || i >= len(m.opened) || m.Log[i-1].Decision() != Offer(p) {
		return false
	}
	_, several := m.Log[i-2].Decision().Offered()
	return !several
}
