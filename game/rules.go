package game

// Rules are the rules of one game: what differs between the games, and no more.
// The values (Gomoku15, Renju and so on) are comparable.
type Rules interface {
	// Name is the name in position lines, records and the store, such as "renju".
	Name() string
	// Size is the number of rows and columns.
	Size() int
	// TopDown reports whether row 1 is drawn at the top (Reversi) or at the bottom.
	TopDown() bool
	// Start is the position that a game starts from.
	Start() Position
	// Check is nil when the side to move may play p, else a *Refusal that says why not.
	Check(b Position, p Point) error
	// Play is the position after the side to move played p, which Check allows. Its
	// Turn is the side that moves next, which in Reversi may be the same side, and
	// Empty when the game is over.
	Play(b Position, p Point) Position
	// Settle is b with the turn that the rules give to it when side is due to move: the
	// other side where a side that cannot move passes, Empty when the game is over.
	Settle(b Position, side Color) Position
	// Result judges b from the whole board.
	Result(b Position) Result
}

// The games. They are constants in spirit.
var (
	Gomoku15   Rules = gomoku{size: 15}
	Gomoku9    Rules = gomoku{size: 9}
	Standard15 Rules = gomoku{size: 15, exact: true}
	Standard9  Rules = gomoku{size: 9, exact: true}
	Renju      Rules = renju{}
	Reversi    Rules = reversi{}
)

// AllRules are the games in the order in which they are offered.
var AllRules = []Rules{Gomoku15, Gomoku9, Standard15, Standard9, Renju, Reversi}

// RulesNamed finds rules by their Name.
func RulesNamed(name string) (Rules, bool) {
	for _, r := range AllRules {
		if r.Name() == name {
			return r, true
		}
	}
	return nil, false
}

// Termination says what ended a game.
type Termination uint8

// The terminations. NotOver means that the game goes on. Those up to ByCount follow from
// the board; the others are decided by the seats, by the clock or by a moderator and belong to
// a Match. The numbers are stored: add at the end only.
const (
	NotOver       Termination = iota
	ByRow                     // a row of five (or more, where that wins)
	ByFullBoard               // no empty point left: draw
	ByNoMove                  // Renju: black has nothing but forbidden points left: draw
	ByCount                   // Reversi: nobody can move
	ByResignation             // the loser resigned
	ByTimeout                 // the loser's time ran out
	ByAgreement               // draw agreed
	Aborted                   // ended without a result before it really began, or by a moderator
	Abandoned                 // ended without a result after a week of silence, or because its place is gone
	Declined                  // the challenge was declined
	Canceled                  // the challenge was taken back
	Expired                   // the challenge found no answer in time
)

// Result is how a game stands: running (NotOver), won, drawn (Winner Empty) or ended
// without a result (Aborted and after).
type Result struct {
	Termination Termination
	Winner      Color
	Line        Set // the union of all winning rows, where Termination is ByRow
}

// Over reports whether the game has ended.
func (r Result) Over() bool { return r.Termination != NotOver }

// Draw reports whether the game ended drawn.
func (r Result) Draw() bool { return r.Over() && r.Winner == Empty && r.Termination < Aborted }
