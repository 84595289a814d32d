// Package record turns game records into games and games into records: position lines,
// move lists, SGF, PSQ, GGF, RenLib, OBF and Othello transcripts. It opens no files and
// keeps one line of moves: of variations it only says that they were there. Start from
// Read, Write and ParseLine.
package record

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tengen/game"
	"tengen/game/opening"
)

// Format names a format of records. The names are those of the command line.
type Format string

// The formats. Each can hold some games and not others; Write knows.
const (
	Line       Format = "line"       // a position line: every game
	SGF        Format = "sgf"        // every game
	SGFEdax    Format = "sgf-edax"   // Reversi as Edax writes it, with points such as f5
	PSQ        Format = "psq"        // Piskvork: five in a row from the empty board
	Lib        Format = "lib"        // RenLib: five in a row on 15x15 from the empty board
	GGF        Format = "ggf"        // Reversi, any start
	OBF        Format = "obf"        // one Reversi position, no moves
	Transcript Format = "transcript" // Reversi from its own start: moves without passes
	Moves      Format = "moves"      // gomoku on 15x15 from the empty board: nothing but points
)

// Formats are all formats, those that hold the most first.
var Formats = []Format{Line, SGF, SGFEdax, GGF, PSQ, Lib, Transcript, Moves, OBF}

// formatOf are the formats by the ending of a file's name.
var formatOf = map[string]Format{
	"sgf": SGF, "psq": PSQ, "lib": Lib, "ggf": GGF, "obf": OBF, "pos": Line, "txt": Line,
}

// FormatNamed finds a format by its name or by the ending of a file's name, such as sgf;
// txt and pos are position lines.
func FormatNamed(name string) (Format, bool) {
	name = strings.ToLower(strings.TrimPrefix(name, "."))
	if slices.Contains(Formats, Format(name)) {
		return Format(name), true
	}
	f, ok := formatOf[name]
	return f, ok
}

// Record is a game with what its record tells beside the moves. Everything but Game may
// be missing.
type Record struct {
	Game   game.Game
	Format Format // what it was read from; Write does not look at it

	Black, White string // the players
	Date         string // as the record has it, best as 2026-11-20
	Event        string
	Clock        game.Clock // of both players; zero: none that the record tells
	// Result is how the game ended: by the board where the board tells, else as the
	// record says. A Winner without a Termination is a win that the record does not explain.
	Result   game.Result
	Opening  opening.Line    // the decisions of the protocol that opened the game; zero: none
	Comments []Comment       // by the moves that they follow
	Times    []time.Duration // what each move took; empty when not told, else one a move
	// Notes say in English what Read assumed and left out: variations, other
	// games, a result that contradicts the board.
	Notes []string
}

// Comment is what a record says after a number of moves; 0 is before the first.
type Comment struct {
	After int
	Text  string
}

// Hints are what the caller of Read knows. The zero value knows nothing.
type Hints struct {
	Format Format     // instead of recognition from the content
	Rules  game.Rules // instead of what the record says or leaves open
}

// MaxBytes is the size of the largest record that Read looks at.
const MaxBytes = 16 << 20

// MoveError is a move of a record that cannot be played.
type MoveError struct {
	Number int    // from 1; a pass has the number of the move that it stands before
	Text   string // the move as the record writes it
	Err    error  // a *game.Refusal where the rules refuse it
}

func (e *MoveError) Error() string { return fmt.Sprintf("move %d (%s): %v", e.Number, e.Text, e.Err) }

// Unwrap gives the reason.
func (e *MoveError) Unwrap() error { return e.Err }

// Unfit is the refusal of a format to hold a game.
type Unfit struct {
	Format Format
	Why    string
	Can    []Format // those that can hold it
}

func (e *Unfit) Error() string {
	names := make([]string, len(e.Can))
	for i, f := range e.Can {
		names[i] = string(f)
	}
	return fmt.Sprintf("%s cannot hold this game: %s; %s can", e.Format, e.Why, strings.Join(names, ", "))
}

// errNoRecord is the answer to data that is no record at all.
var errNoRecord = errors.New("this is not a game record that is known here (position line, SGF, PSQ, GGF, RenLib, " +
	"OBF, transcript or list of moves)")

// ErrElsewhere is in the error for a record of a game or a board that is not played here.
var ErrElsewhere = errors.New("boards here are 15x15 and 9x9 for five in a row, and 8x8 for Reversi")

// errCut is the answer to a record that ends before its end.
var errCut = errors.New("the record is cut short")

// Read reads the first game in data, whatever its format. A move that the rules refuse
// gives a *MoveError; data that is cut short, too large or no record gives another error.
// It takes time and memory in proportion to data, whatever that holds.
func Read(data []byte, hints Hints) (Record, error) {
	if len(data) > MaxBytes {
		return Record{}, fmt.Errorf("the record is larger than %d MB", MaxBytes>>20)
	}
	f := hints.Format
	if f == "" {
		f = recognise(data)
	}
	if f == Lib {
		return finish(readLib(data, hints.Rules))
	}
	text, note := decode(data)
	r, err := readText(f, text, hints.Rules)
	if note != "" && err == nil {
		r.Notes = append(r.Notes, note)
	}
	return finish(r, err)
}

func readText(f Format, text string, rules game.Rules) (Record, error) {
	switch f {
	case Line:
		return readLine(text, rules)
	case SGF, SGFEdax:
		return readSGF(text, rules)
	case PSQ:
		return readPSQ(text, rules)
	case GGF:
		return readGGF(text, rules)
	case OBF:
		return readOBF(text, rules)
	case Transcript:
		return readMoves(text, game.Reversi, rules)
	case Moves:
		return readMoves(text, nil, rules)
	}
	return Record{}, errNoRecord
}

// finish lets the board decide the result where it can.
func finish(r Record, err error) (Record, error) {
	if err != nil {
		return Record{}, err
	}
	r = takeOpening(r)
	told, board := r.Result, r.Game.Result()
	if !board.Over() {
		return r, nil
	}
	r.Result = board
	if said := told.Over() || told.Winner != game.Empty; said && told.Winner != board.Winner {
		r.Notes = append(r.Notes, fmt.Sprintf("the record says %s, the board %s", outcome(told), outcome(board)))
	}
	return r, nil
}

// outcome is a result in a few words.
func outcome(r game.Result) string {
	switch {
	case r.Winner != game.Empty:
		return r.Winner.String() + " wins"
	case r.Draw():
		return "draw"
	case r.Over():
		return "no result"
	}
	return "unfinished"
}

// Write writes r as f. Read reads the result back as the same game without being told
// anything else; a format that cannot do that for this game refuses with *Unfit. Names,
// comments and times are written if the format has a place for them.
func Write(f Format, r Record) ([]byte, error) {
	if !slices.Contains(Formats, f) {
		return nil, fmt.Errorf("unknown format %q: the formats are %v", f, Formats)
	}
	r = tidy(withOpening(r))
	data, why := write(f, r)
	if why == "" {
		return data, nil
	}
	unfit := &Unfit{Format: f, Why: why}
	for _, other := range Formats {
		if _, why := write(other, r); why == "" {
			unfit.Can = append(unfit.Can, other)
		}
	}
	return nil, unfit
}

// tidy is r with texts that every format can hold: names of one line, comments in order,
// one for each number of moves.
func tidy(r Record) Record {
	r.Black, r.White, r.Date, r.Event = oneLine(r.Black), oneLine(r.White), oneLine(r.Date), oneLine(r.Event)
	texts := map[int]string{}
	for _, c := range r.Comments {
		texts[c.After] += "\n" + c.Text
	}
	r.Comments = nil
	for after := range r.Game.Len() + 1 {
		if text := manyLines(texts[after]); text != "" {
			r.Comments = append(r.Comments, Comment{After: after, Text: text})
		}
	}
	return r
}

// write gives the record, or why the format cannot hold the game.
func write(f Format, r Record) (data []byte, why string) {
	if why := unfit(f, r.Game); why != "" {
		return nil, why
	}
	data = writers[f](r)
	back, err := Read(data, Hints{})
	if err != nil || !back.Game.Equal(r.Game) {
		return nil, "read back, it would be another game"
	}
	return data, ""
}

var writers = map[Format]func(Record) []byte{
	Line:       func(r Record) []byte { return []byte(FormatLine(r.Game) + "\n") },
	SGF:        func(r Record) []byte { return writeSGF(r, false) },
	SGFEdax:    func(r Record) []byte { return writeSGF(r, true) },
	PSQ:        writePSQ,
	Lib:        writeLib,
	GGF:        writeGGF,
	OBF:        writeOBF,
	Transcript: writeTranscript,
	Moves:      func(r Record) []byte { return []byte(game.MoveList(r.Game.Moves()) + "\n") },
}

// unfit says why f cannot hold g; empty if it can.
func unfit(f Format, g game.Game) string {
	rules := g.Rules()
	reversi := rules == game.Reversi
	switch f {
	case SGFEdax, GGF, OBF, Transcript:
		if !reversi {
			return "it knows Reversi alone"
		}
	case PSQ, Lib, Moves:
		if reversi {
			return "it knows five in a row alone"
		}
	}
	switch f {
	case PSQ, Lib, Moves, Transcript:
		if g.Start() != rules.Start() {
			return "it has no place for a start position"
		}
	}
	switch {
	case f == Lib && rules.Size() != 15:
		return "its board is 15x15"
	case f == Moves && rules != game.Gomoku15:
		return "it does not tell the rules, and without them " + game.Gomoku15.Name() + " is meant"
	case (f == Moves || f == Transcript) && g.Len() == 0:
		return "there are no moves to write"
	case f == OBF && g.Len() > 0:
		return "it holds one position and no moves"
	}
	return ""
}

// play plays one move of a record on r. The color is checked where the record tells it.
func (r *Record) play(p game.Point, side game.Color, text string) error {
	if side != game.Empty && r.Game.Turn() != game.Empty && side != r.Game.Turn() {
		return r.refuse(text, fmt.Errorf("it is %v's turn", r.Game.Turn()))
	}
	g, err := r.Game.Play(p)
	if err != nil {
		return r.refuse(text, err)
	}
	r.Game = g
	return nil
}

// pass takes a pass that a record writes. Games here pass by themselves, so that it only
// has to be one that was due; side may be Empty where the record does not tell it.
func (r *Record) pass(side game.Color, text string) error {
	g := r.Game
	if g.Rules() != game.Reversi {
		return r.refuse(text, errors.New("there is no pass in this game"))
	}
	if side == game.Empty {
		side = g.Turn().Other()
	}
	if g.Turn() != game.Empty && g.Rules().Settle(g.Position(), side).Turn == side {
		return r.refuse(text, fmt.Errorf("%v can move and must not pass", side))
	}
	return nil
}

func (r *Record) refuse(text string, err error) error {
	return &MoveError{Number: r.Game.Len() + 1, Text: clip(text), Err: err}
}

func (r *Record) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// maxComment is the length up to which several comments at one move are joined.
const maxComment = 64 << 10

func (r *Record) comment(text string) {
	if text = manyLines(text); text == "" {
		return
	}
	if n := len(r.Comments); n > 0 && r.Comments[n-1].After == r.Game.Len() {
		if len(r.Comments[n-1].Text)+len(text) < maxComment {
			r.Comments[n-1].Text += "\n" + text
		}
		return
	}
	r.Comments = append(r.Comments, Comment{After: r.Game.Len(), Text: text})
}

func (r Record) commentAfter(n int) string {
	for _, c := range r.Comments {
		if c.After == n {
			return c.Text
		}
	}
	return ""
}

// wantRules refuses a record of other games than the caller wants.
func wantRules(want game.Rules, is string, ok func(game.Rules) bool) error {
	if want != nil && !ok(want) {
		return fmt.Errorf("the record is of %s, not of %s", is, want.Name())
	}
	return nil
}

func isReversi(r game.Rules) bool { return r == game.Reversi }

// clip keeps what a message quotes short.
func clip(s string) string {
	if r := []rune(s[:min(len(s), 64)]); len(r) > 16 {
		return string(r[:16]) + "..."
	}
	return s
}
