package game

import (
	"errors"
	"fmt"
	"strings"
)

// Code names a reason for a refusal. It is an error itself, so that
// errors.Is(err, game.Occupied) asks for the reason.
type Code uint8

// The reasons. Those down to Forbidden concern a move on the board.
const (
	NoRefusal Code = iota
	OffBoard
	Occupied
	NoFlip     // Reversi: the move turns no disc
	GameOver   // the game has ended
	Overline   // Renju: black makes six or more in a row
	DoubleFour // Renju: black makes two fours
	DoubleThree
	// The reasons from here on concern a match and those who sit at it.
	NotSeated   // the member who asks does not play here
	NotYourTurn //
	NotOffered  // the challenge is no longer open
	NotForYou   // the challenge goes to somebody else
	Yourself    // a member cannot play against themselves
	NotPlaying  // the match has not begun or is over
	NothingToUndo
	UndoPending    // an undo request is already open
	UndoRefused    // the same undo was refused before
	NoOffer        // there is no offer of the other side to answer
	OwnOffer       // nobody answers an offer of their own
	DrawTooSoon    // a draw may be offered once in ten moves
	TooLateAbort   // two moves were played, or an undo
	TooLate        // the time for the move has run out
	RematchMade    // the rematch was already made
	RematchTooSoon // the match is not over
	Moved          // the match has moved on since
	// The reasons from here on concern the decisions of an opening.
	OpeningOver    // the opening is over: play goes on
	NotAsked       // another kind of decision is asked for
	OutOfRange     // the number declared is not between 1 and Number
	NotAmongOffers // the point was not offered
	OutsideArea    // the stone may not go there yet
	OfferedBefore  // the point is offered already
	OfferedAlike   // the point is symmetric to one that is offered, the first of Moves
	// The reason from here on concerns an event.
	YourTurn // who is to move shows by a move that they are there
	// The reason from here on concerns a member's vacation.
	NoVacation // there are not so many days left in the year: Number are
)

// Row is a straight run of points, both ends included.
type Row struct{ From, To Point }

func (r Row) String() string { return r.From.String() + "-" + r.To.String() }

// Refusal is why something may not be done: the reason with its arguments. Code that shows
// a refusal words it from these; Error is its English text.
type Refusal struct {
	Code   Code
	Point  Point // the point asked for, where the reason concerns one
	Color  Color // the side concerned
	Rows   []Row // the lines that make a point forbidden
	Moves  []Point
	Number int // moves to wait, the number of the move concerned, the highest number, or the size of the board
}

func refused(why Code) (Match, error) { return Match{}, &Refusal{Code: why} }

// refusalOf is the *Refusal in err, else err.
func refusalOf(err error) error {
	var r *Refusal
	if errors.As(err, &r) {
		return r
	}
	return err
}

// Unwrap gives the Code for errors.Is.
func (r *Refusal) Unwrap() error { return r.Code }

// Is lets errors.Is(err, game.Forbidden) match all three forbidden shapes.
func (r *Refusal) Is(target error) bool { return target == error(Forbidden) && r.Code.forbidden() }

// Forbidden matches the three forbidden shapes of Renju with errors.Is; no Refusal
// carries it itself.
const Forbidden Code = 255

func (c Code) forbidden() bool { return c == Overline || c == DoubleFour || c == DoubleThree }

// Why is the word of position lines for a forbidden shape: overline, double-four or
// double-three; empty for every other code.
func (c Code) Why() string {
	switch c {
	case Overline:
		return "overline"
	case DoubleFour:
		return "double-four"
	case DoubleThree:
		return "double-three"
	}
	return ""
}

func rowList(rows []Row) string {
	names := make([]string, len(rows))
	for i, r := range rows {
		names[i] = r.String()
	}
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}

func (r *Refusal) Error() string {
	switch r.Code {
	case Occupied:
		return fmt.Sprintf("%v is already taken", r.Point)
	case NoFlip:
		return fmt.Sprintf("%v turns no disc", r.Point)
	case Overline:
		return fmt.Sprintf("%v is forbidden for Black: it makes more than five in a row (%s)", r.Point, rowList(r.Rows))
	case DoubleFour:
		return fmt.Sprintf("%v is forbidden for Black: it makes two fours (%s)", r.Point, rowList(r.Rows))
	case DoubleThree:
		return fmt.Sprintf("%v is forbidden for Black: it makes two open threes (%s)", r.Point, rowList(r.Rows))
	case OutOfRange:
		return fmt.Sprintf("the number must lie between 1 and %d", r.Number)
	case NotAmongOffers:
		return fmt.Sprintf("%v was not offered", r.Point)
	case OutsideArea:
		return fmt.Sprintf("this stone may not go to %v", r.Point)
	case OfferedBefore:
		return fmt.Sprintf("%v is offered already", r.Point)
	case OfferedAlike:
		if len(r.Moves) > 0 {
			return fmt.Sprintf("%v is symmetric to %v, which is offered already", r.Point, r.Moves[0])
		}
	}
	return r.Code.Error()
}

func (c Code) Error() string {
	if s, ok := codeTexts[c]; ok {
		return s
	}
	return fmt.Sprintf("refused (%d)", uint8(c))
}

var codeTexts = map[Code]string{
	OffBoard:       "that point is not on the board",
	Occupied:       "that point is already taken",
	NoFlip:         "that move turns no disc",
	GameOver:       "the game is over",
	Overline:       "that point is forbidden for Black: more than five in a row",
	DoubleFour:     "that point is forbidden for Black: two fours",
	DoubleThree:    "that point is forbidden for Black: two open threes",
	Forbidden:      "that point is forbidden for Black",
	NotSeated:      "you do not play in this game",
	NotYourTurn:    "it is not your turn",
	NotOffered:     "this challenge is no longer open",
	NotForYou:      "this challenge is for somebody else",
	Yourself:       "you cannot play against yourself",
	NotPlaying:     "this game is not being played",
	NothingToUndo:  "there is no move of yours to take back",
	UndoPending:    "an undo request is already open",
	UndoRefused:    "this undo was already refused",
	NoOffer:        "there is no offer to answer",
	OwnOffer:       "that is your own offer",
	DrawTooSoon:    "a draw may be offered once in ten moves",
	TooLateAbort:   "it is too late to abort this game",
	TooLate:        "the time for this move has run out",
	RematchMade:    "the rematch was already made",
	RematchTooSoon: "the game is not over",
	Moved:          "the game has moved on",
	OpeningOver:    "the opening is over",
	NotAsked:       "another decision is asked for",
	OutOfRange:     "that number is not allowed",
	NotAmongOffers: "that point was not offered",
	OutsideArea:    "this stone may not go there",
	OfferedBefore:  "that point is offered already",
	OfferedAlike:   "that point is symmetric to one that is offered already",
	YourTurn:       "it is your turn: your move shows that you are there",
	NoVacation:     "there are not so many days of vacation left",
}
