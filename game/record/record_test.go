package record

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/game"
	"tengen/internal/shared"
	"tengen/internal/testkit"
)

// mustLine is the game of a position line.
func mustLine(t testing.TB, line string) game.Game {
	t.Helper()
	g, err := ParseLine(line)
	if err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	return g
}

// The records of testdata are read as what their first comment line in the table says,
// and convert to each format that can hold them and back.
func TestRead(t *testing.T) {
	const nine = "h8i9h9i8h10i10h7h11h6" // black makes H6-H10
	for _, c := range []struct {
		name, text string
		format     Format
		line       string // the game
		notes      string // part of the notes; empty: there are none
	}{
		{"line", "# a comment\n\nrenju h8 i9\n", Line, "renju h8i9", ""},
		{"several lines", "renju h8\nrenju h9\n", Line, "renju h8", "left out"},
		{"plain moves", nine, Moves, "gomoku " + nine, "does not name its rules"},
		{"numbered moves", "1. h8 i9 2. h9 i8\n3. h10", Moves, "gomoku h8i9h9i8h10", "does not name"},
		{"moves with commas", "H8,I9,H7", Moves, "gomoku h8i9h7", "does not name"},
		{"a list that Reversi refuses", "f5f6h8i9", Moves, "gomoku f5f6h8i9", "does not name"},
		{"transcript", "F5D6C3D3", Transcript, "reversi f5d6c3d3", ""},
		{"transcript, numbered", "1. f5 2. d6\n3. c3 4.d3", Transcript, "reversi f5d6c3d3", ""},
		{"transcript, numbered tightly", "1.f5 2.d6 3.c3", Transcript, "reversi f5d6c3", ""},
		{"sgf", "(;FF[4]GM[4]SZ[15]RU[renju];B[hh];W[ig];B[hg])", SGF, "renju h8i9h9", ""},
		{"sgf, corners", "(;GM[4]SZ[15]RU[freestyle];B[aa];W[oo];B[ao];W[oa])", SGF, "gomoku a15o1a1o15", ""},
		{"sgf 9x9", "(;GM[4]SZ[9]RU[exact];B[ee];W[aa])", SGF, "standard9 e5a9", ""},
		{"sgf without rules", "(;GM[4]SZ[15];B[hh])", SGF, "gomoku h8", "does not name its rules"},
		{"sgf without a size", "(;GM[4]RU[renju];B[hh])", SGF, "renju h8", ""},
		{"sgf without a game", "(;SZ[15]RU[renju];B[hh])", SGF, "renju h8", ""},
		{"sgf with strange rules", "(;GM[4]SZ[15]RU[house];B[hh])", SGF, "gomoku h8", `"house" are not known`},
		{"sgf with letters and numbers", "(;GM[4]SZ[15]RU[renju];B[h8];W[I9])", SGF, "renju h8i9", ""},
		{"sgf, a byte order mark", "\ufeff(;GM[4]SZ[15]RU[renju];B[hh])", SGF, "renju h8", ""},
		{"sgf, text before", "Here it is (as promised): (;GM[4]SZ[15]RU[renju];B[hh])", SGF, "renju h8", ""},
		{"sgf, old names", "(;GaMe[4]SiZe[15]RUles[renju];Black[hh];White[ig])", SGF, "renju h8i9", ""},
		{"sgf, several moves in a node", "(;GM[4]SZ[15]RU[renju]B[hh]W[ig]B[hg])", SGF, "renju h8i9h9", ""},
		{"sgf without semicolons", "(GM[4]SZ[15]RU[renju](B[hh](W[ig])))", SGF, "renju h8i9", ""},
		{"sgf, blanks", "( ; GM [4] SZ\n[15] RU [renju] ; B [hh]\r\n; W [ig] )", SGF, "renju h8i9", ""},
		{"sgf, variations", "(;GM[4]SZ[15]RU[renju];B[hh](;W[ig];B[hg])(;W[ih]C[(a \\] trap)](;B[aa])(;B[bb])))", SGF, "renju h8i9h9", "3 variations left out"},
		{"sgf, two games", "(;GM[4]SZ[15]RU[renju];B[hh])(;GM[4]SZ[15];B[aa])", SGF, "renju h8", "1 further game left out"},
		{"sgf, white begins", "(;GM[4]SZ[9]RU[gomoku];W[ee])", SGF, "gomoku9 " + empty9 + " O e5", ""},
		{"sgf, stones", "(;GM[4]SZ[9]RU[gomoku]AB[aa][bb]AW[ca]PL[B];B[ee])", SGF, "gomoku9 " + rows(9, "X.O", ".X") + " X e5", ""},
		{"sgf, stones without PL", "(;GM[4]SZ[9]RU[gomoku]AB[aa][bb]AW[ca])", SGF, "gomoku9 " + rows(9, "X.O", ".X") + " O start", ""},
		{"sgf, stones without PL but a move", "(;GM[4]SZ[9]RU[gomoku]AB[aa][bb][ii]AW[ca];W[ee])", SGF, "gomoku9 " + rows(9, "X.O", ".X", "", "", "", "", "", "", "........X") + " O e5", ""},
		{"sgf, stones in a rectangle", "(;GM[4]SZ[9]RU[gomoku]AB[aa:bb]AE[bb]PL[W])", SGF, "gomoku9 " + rows(9, "XX", "X") + " O start", ""},
		{"sgf, stones in the second node", "(;GM[4]SZ[9]RU[gomoku];AB[aa]AW[bb]PL[B];B[ee])", SGF, "gomoku9 " + rows(9, "X", ".O") + " X e5", ""},
		{"sgf, gomoku quest's opening", "(;GM[4]SZ[15]RU[renju]QPR[hh,hg,jf]QSLW[ig];B[ii])", SGF, "renju h8h9j10i9i7", ""},
		{"sgf, gomoku quest's opening repeated", "(;GM[4]SZ[15]RU[renju]QPR[hh,hg,jf];B[hh];W[hg];B[jf];QSLW[ig];W[ig];B[ii])", SGF, "renju h8h9j10i9i7", ""},
		{"sgf reversi", "(;GM[2]SZ[8];B[fe];W[df])", SGF, "reversi f5d6", ""},
		{"sgf reversi, edax", "(;GM[2]SZ[8];B[f5];W[d6])", SGFEdax, "reversi f5d6", ""},
		{"sgf reversi, edax's start", "(;GM[2]SZ[8]AB[e4][d5]AW[d4][e5];B[f5];W[d6])", SGFEdax, "reversi f5d6", ""},
		{"sgf reversi, a pass", "(;GM[2]SZ[8]AB[aa]AW[ba][ha]PL[B];B[ca])", SGF, "reversi " + rows(8, "XO.....O") + " X c1", ""},
		{"psq", "Piskvorky 15x15, 11:11, 0\r\n8,8,0\r\n9,7,100\r\n-1\r\n", PSQ, "gomoku h8i9", ""},
		{"psq 9x9", "Piskvorky 9x9, 0:0, 1\n5,5,0\n1,1,0\nfirst\nsecond\n0\n", PSQ, "gomoku9 e5a9", ""},
		{"psq of a tournament", "Piskvorky 15x15, 11:11, 0\n8,8,0\n9,7\na.zip\nb.zip\n0,Renju15_1\n", PSQ, "renju h8i9", ""},
		{"ggf", "(;GM[Othello]PC[x]TY[8]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]B[F5//1.5]W[d6/0.3];)", GGF, "reversi f5d6", ""},
		{"ggf in one run", "(;GM[Othello]TY[8r]BO[8 ---------------------------O*------*O--------------------------- *]B[f5];)", GGF, "reversi f5", ""},
		{"ggf, two games", "2 (;GM[Othello]TY[s8r19]B[f5];)(;GM[Othello]TY[8]B[d3];)", GGF, "reversi f5", "1 further game left out"},
		{"ggf, a start", "(;GM[Othello]TY[8]BO[8 *O------ -------- -------- -------- -------- -------- -------- -------- *]B[c1];)", GGF, "reversi " + rows(8, "XO") + " X c1", ""},
		{"obf", strings.ReplaceAll(strings.ReplaceAll(rows(8, "XO"), "/", ""), ".", "-") + " X; c1:+3;", OBF, "reversi " + rows(8, "XO") + " X start", ""},
		{"lib", "\xffRenLib\xff\x03\x04" + strings.Repeat("\xff", 10) + "\x00\x00\x78\x00\x69\x40", Lib, "renju h8i9", ""},
		{"lib without a header", "\x78\x00\x69\x40", Lib, "renju h8i9", ""},
		{"lib with texts", "\xffRenLib\xff\x03\x04" + strings.Repeat("\xff", 10) +
			"\x00\x08odd\x00\x78\x09\x00\x01even\x00\x00A\x00\x69\xc0\x68\x40", Lib, "renju h8i9", "1 variation left out"},
		{"lib, an old text", "\x78\x20o\xec\x69\x40", Lib, "renju h8i9", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := testkit.Got(Read([]byte(c.text), Hints{}))
			testkit.Want(t, "format", r.Format, c.format)
			if want := mustLine(t, c.line); !r.Game.Equal(want) {
				t.Errorf("%s, want %s", FormatLine(r.Game), c.line)
			}
			notes := strings.Join(r.Notes, "; ")
			if c.notes == "" && notes != "" || !strings.Contains(notes, c.notes) {
				t.Errorf("notes %q, want %q", notes, c.notes)
			}
			convert(t, r)
		})
	}
}

// convert writes r in each format that can hold it and reads it back.
func convert(t *testing.T, r Record) []Format {
	t.Helper()
	var held []Format
	for _, f := range Formats {
		data, err := Write(f, r)
		if unfit := (*Unfit)(nil); errors.As(err, &unfit) {
			if slices.Contains(unfit.Can, f) || !slices.Contains(unfit.Can, Line) {
				t.Errorf("%s: %v", f, err)
			}
			continue
		}
		testkit.Must(t, err)
		held = append(held, f)
		back, err := Read(data, Hints{})
		if err != nil {
			t.Fatalf("%s: %v\n%s", f, err, data)
		}
		if !back.Game.Equal(r.Game) || back.Game.Position() != r.Game.Position() {
			t.Errorf("%s: %s, want %s\n%s", f, FormatLine(back.Game), FormatLine(r.Game), data)
		}
		again, err := Write(f, back)
		if err != nil || !bytes.Equal(again, data) {
			t.Errorf("%s: written again it is %q, was %q (%v)", f, again, data, err)
		}
	}
	return held
}

func TestReadErrors(t *testing.T) {
	occupied := game.Occupied
	for _, c := range []struct {
		name, text, want string
		code             game.Code
		number           int
	}{
		{"nothing", "", "not a game record", 0, 0},
		{"prose", "Dear Sir or Madam,", "not a game record", 0, 0},
		{"zeros", strings.Repeat("\x00", 100), "not a game record", 0, 0},
		{"chess", "1. e4 e5 2. Nf3 Nc6", `move 3: "Nf3 Nc6" is not a point`, 0, 0},
		{"moves, taken", "h8i9h8", "move 3 (h8): H8 is already taken", occupied, 3},
		{"transcript with a mistake", "F5D6C3D3C4F4F6F3E6E7D7C7A1", "move 13 (A1): A1 turns no disc", game.NoFlip, 13},
		{"transcript, a pass too many", "f5 pass d6", "move 2 (pass)", 0, 2},
		{"sgf, cut", "(;GM[4]SZ[15];B[hh];W[ig]", "cut short", 0, 0},
		{"sgf, cut in a value", "(;GM[4]SZ[15];B[hh];W[i", "cut short", 0, 0},
		{"sgf, cut after a name", "(;GM[4]SZ[15];B", "cut short", 0, 0},
		{"sgf, taken", "(;GM[4]SZ[15];B[hh];W[hh])", "move 2 (W[hh]): H8 is already taken", occupied, 2},
		{"sgf, whose turn", "(;GM[4]SZ[15];B[hh];B[hg])", "move 2 (B[hg]): it is white's turn", 0, 2},
		{"sgf, off the board", "(;GM[4]SZ[9];B[kk])", "move 1 (B[kk]): that point is not on the board", game.OffBoard, 1},
		{"sgf, not a point", "(;GM[4]SZ[9];B[k!])", "move 1 (B[k!])", 0, 1},
		{"sgf, a pass in gomoku", "(;GM[4]SZ[9];B[ee];W[])", "move 2 (W[]): there is no pass", 0, 2},
		{"sgf, forbidden", "(;GM[4]SZ[15]RU[renju];B[hg];W[aa];B[hi];W[ca];B[gh];W[ea];B[ih];W[ga];B[hh])", "move 9 (B[hh]): H8 is forbidden for Black", game.DoubleThree, 9},
		{"sgf, go", "(;GM[1]SZ[19];B[dd])", "GM[1] is another game", 0, 0},
		{"sgf, 19x19", "(;GM[4]SZ[19];B[dd])", "a board of 19", 0, 0},
		{"sgf, renju 9x9", "(;GM[4]SZ[9]RU[renju];B[dd])", "renju on a board of 9", 0, 0},
		{"sgf, no game", "(;FF[4];B[dd])", "does not tell its game", 0, 0},
		{"sgf, late stones", "(;GM[4]SZ[9];B[ee];AW[aa])", "set up (AW) after move 1", 0, 0},
		{"sgf, stones that do not tell the side", "(;GM[4]SZ[9]AB[aa][bb])", "has no PL", 0, 0},
		{"sgf, out of place", "(;GM[4]!)", "out of place", 0, 0},
		{"sgf, after the end", "(;GM[2]SZ[8]AB[aa]PL[B];B[bb])", "game is over", game.GameOver, 1},
		{"psq, 20x20", "Piskvorky 20x20, 11:11, 0\n1,1,0\n-1\n", "20x20", 0, 0},
		{"psq, cut", "Piskvorky 15x15, 11:11, 0\n1,1,0\n2,", "cut short", 0, 0},
		{"psq, cut between lines", "Piskvorky 15x15, 11:11, 0\n1,1,0\n", "cut short", 0, 0},
		{"psq, taken", "Piskvorky 15x15, 11:11, 0\n8,8,0\n8,8,0\n-1\n", "move 2 (8,8,0): H8 is already taken", occupied, 2},
		{"psq, zero", "Piskvorky 15x15, 11:11, 0\n0,8,0\n-1\n", "move 1 (0,8,0): that point", game.OffBoard, 1},
		{"ggf, cut", "(;GM[Othello]TY[8]B[f5]W[d6", "cut short", 0, 0},
		{"ggf, cut between moves", "(;GM[Othello]TY[8]B[f5]", "cut short", 0, 0},
		{"ggf, 10x10", "(;GM[Othello]TY[10]B[f5];)", "TY[10] is another game", 0, 0},
		{"ggf, anti", "(;GM[Othello]TY[8a]B[f5];)", "TY[8a] is another game", 0, 0},
		{"ggf, komi", "(;GM[Othello]TY[8k]B[f5];)", "TY[8k] is another game", 0, 0},
		{"ggf, illegal", "(;GM[Othello]TY[8]B[f5]W[a1];)", "move 2 (W[a1]): A1 turns no disc", game.NoFlip, 2},
		{"ggf, whose turn", "(;GM[Othello]TY[8]B[f5]B[d6];)", "move 2 (B[d6]): it is white's turn", 0, 2},
		{"ggf, a pass too many", "(;GM[Othello]TY[8]B[f5]W[PA];)", "move 2 (W[PA]): white can move", 0, 2},
		{"obf, short", strings.Repeat("-", 63) + " X;", "", 0, 0},
		{"lib, cut", "\xffRenLib\xff\x03\x04", "cut short", 0, 0},
		{"lib, cut in the tree", "\xffRenLib\xff\x03\x04" + strings.Repeat("\xff", 10) + "\x00\x00\x78\x00\x69", "cut short", 0, 0},
		{"lib, cut in a text", "\xffRenLib\xff\x03\x04" + strings.Repeat("\xff", 10) + "\x00\x00\x78\x08abc", "cut short", 0, 0},
		{"lib, newer", "\xffRenLib\xff\x09\x04" + strings.Repeat("\xff", 10) + "\x00\x40", "version 9.4", 0, 0},
		{"lib, column 0", "\x78\x00\x70\x40", "move 2 (0x70): that point", game.OffBoard, 2},
		{"lib, a pass", "\x78\x00\x00\x40", "there is no pass", 0, 2},
		{"lib, taken", "\x78\x00\x78\x40", "move 2 (H8): H8 is already taken", occupied, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := Read([]byte(c.text), Hints{})
			if err == nil {
				t.Fatalf("read as %s", FormatLine(r.Game))
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if c.code != 0 && !errors.Is(err, c.code) {
				t.Errorf("%v does not wrap the code %q", err, c.code)
			}
			move := (*MoveError)(nil)
			if errors.As(err, &move) && move.Number != c.number || c.number != 0 && move == nil {
				t.Errorf("%v is of move %d", err, c.number)
			}
		})
	}
}

func TestHints(t *testing.T) {
	for _, c := range []struct {
		text  string
		hints Hints
		want  string // the game, or an error after "!"
	}{
		{"h8i9", Hints{Rules: game.Renju}, "renju h8i9"},
		{"f5d6", Hints{Rules: game.Renju}, "renju f5d6"},
		{"f5d6", Hints{Format: Moves, Rules: game.Gomoku9}, "gomoku9 f5d6"},
		{"f5d6", Hints{Format: Transcript}, "reversi f5d6"},
		{"f5d6", Hints{Format: Transcript, Rules: game.Renju}, "!not of renju"},
		{"gomoku h8i9", Hints{Rules: game.Renju}, "renju h8i9"},
		{"(;GM[4]SZ[15];B[hh])", Hints{Rules: game.Standard15}, "standard h8"},
		{"(;GM[1]SZ[15];B[hh])", Hints{Rules: game.Standard15}, "standard h8"},
		{"(;GM[4]SZ[15];B[hh])", Hints{Rules: game.Standard9}, "!not of standard9"},
		{"(;GM[4]SZ[15];B[hh])", Hints{Rules: game.Reversi}, "!not of reversi"},
		{"Piskvorky 15x15, 0:0, 0\n8,8,0\n-1", Hints{Rules: game.Renju}, "renju h8"},
		{"Piskvorky 15x15, 0:0, 0\n8,8,0\n-1", Hints{Rules: game.Gomoku9}, "!not of gomoku9"},
		{"\x78\x00\x69\x40", Hints{Rules: game.Gomoku15}, "gomoku h8i9"},
		{"\x78\x00\x69\x40", Hints{Rules: game.Gomoku9}, "!not of gomoku9"},
		{"(;GM[Othello]TY[8]B[f5];)", Hints{Rules: game.Renju}, "!not of renju"},
		{"h8i9", Hints{Format: SGF}, "!not a game record"},
	} {
		r, err := Read([]byte(c.text), c.hints)
		if want, isErr := strings.CutPrefix(c.want, "!"); isErr {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, want %q", c.text, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
		} else if !r.Game.Equal(mustLine(t, c.want)) {
			t.Errorf("%q: %s, want %s", c.text, FormatLine(r.Game), c.want)
		}
	}
}

// What stands beside the moves.
func TestDetails(t *testing.T) {
	r := testkit.Got(Read([]byte(`(;GM[4]SZ[15]RU[renju]PB[Ann \[A\]]PW[Bob\
 B]DT[2026-11-20]EV[Cup]RE[W+R]TM[600]OT[5 Fischer]C[before:
 a \\ line];B[hh]C[one]C[more];W[ig])`), Hints{}))
	want := Record{
		Game: r.Game, Format: SGF, Black: "Ann [A]", White: "Bob B", Date: "2026-11-20", Event: "Cup",
		Clock:    game.Clock{Bank: 10 * time.Minute, Gain: 5 * time.Second},
		Result:   game.Result{Termination: game.ByResignation, Winner: game.White},
		Comments: []Comment{{0, "before:\n a \\ line"}, {1, "one\nmore"}},
	}
	same(t, r, want)
	back := testkit.Got(Read(testkit.Got(Write(SGF, r)), Hints{}))
	same(t, back, want)
	back = testkit.Got(Read(testkit.Got(Write(Lib, r)), Hints{}))
	same(t, back, Record{Game: r.Game, Format: Lib, Comments: want.Comments})

	psq := "Piskvorky 15x15, 11:11, 1\n8,8,20\n9,7,100\nfirst\nsecond\n0\n"
	r = testkit.Got(Read([]byte(psq), Hints{}))
	same(t, r, Record{Game: r.Game, Format: PSQ, Black: "second", White: "first",
		Times: []time.Duration{20 * time.Millisecond, 100 * time.Millisecond}})

	ggf := "(;GM[Othello]PB[a]PW[b]DT[2003]RE[-64.00:t]TY[8]B[f5//1.25]W[d6];)"
	r = testkit.Got(Read([]byte(ggf), Hints{}))
	same(t, r, Record{Game: r.Game, Format: GGF, Black: "a", White: "b", Date: "2003",
		Result: game.Result{Termination: game.ByTimeout, Winner: game.White},
		Times:  []time.Duration{1250 * time.Millisecond, 0}})
}

// same compares all but the game.
func same(t *testing.T, got, want Record) {
	t.Helper()
	if got.Format != want.Format || got.Black != want.Black || got.White != want.White || got.Date != want.Date ||
		got.Event != want.Event || got.Clock != want.Clock || got.Result != want.Result ||
		!slices.Equal(got.Comments, want.Comments) || !slices.Equal(got.Times, want.Times) ||
		!slices.Equal(got.Notes, want.Notes) {
		got.Game, want.Game = game.Game{}, game.Game{}
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// Clocks are kept by SGF; words of others beside the time are left out.
func TestClock(t *testing.T) {
	const min, day = time.Minute, 24 * time.Hour
	for text, want := range map[string]game.Clock{
		"TM[600]OT[5 fischer]":         {Bank: 10 * min, Gain: 5 * time.Second},
		"OT[300 simple]":               {Each: 5 * min},
		"TM[432000]OT[86400 simple]":   {Each: day, Bank: 5 * day},
		"TM[1800]":                     {Bank: 30 * min},
		"TM[600]OT[5x30 byo-yomi]":     {Bank: 10 * min},
		"TM[-1]OT[99999999999 simple]": {},
	} {
		r := testkit.Got(Read([]byte("(;GM[4]SZ[15]"+text+";B[hh])"), Hints{}))
		back := testkit.Got(Read(testkit.Got(Write(SGF, r)), Hints{}))
		if r.Clock != want || back.Clock != want {
			t.Errorf("%s: %v, and written %v", text, r.Clock, back.Clock)
		}
	}
}

// The result is the board's where the board tells it.
func TestResult(t *testing.T) {
	five := mustLine(t, "gomoku h8i9h9i8h10i10h7h11h6")
	r, err := Read([]byte("(;GM[4]SZ[15]RU[gomoku]RE[W+];B[hh];W[ig];B[hg];W[ih];B[hf];W[if];B[hi];W[he];B[hj])"), Hints{})
	testkit.Must(t, err)
	if r.Result != five.Result() || !strings.Contains(strings.Join(r.Notes, ""),
		"the record says white wins, the board black wins") {
		t.Errorf("%+v %q", r.Result, r.Notes)
	}
	for text, want := range map[string]game.Result{
		"B+R":    {Termination: game.ByResignation, Winner: game.Black},
		"W+Time": {Termination: game.ByTimeout, Winner: game.White},
		"B+":     {Winner: game.Black}, "W+12": {Winner: game.White}, "0": {Termination: game.ByAgreement},
		"Draw": {Termination: game.ByAgreement}, "B+DRAW": {Termination: game.ByAgreement}, "1-0": {Winner: game.Black},
		"Void": {Termination: game.Aborted}, "?": {}, "": {}, "nonsense": {},
	} {
		if got := result(text); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

// A format that cannot hold a game refuses it and names the formats that can.
func TestUnfit(t *testing.T) {
	start := "gomoku9 " + rows(9, "X.O", ".X") + " X e5"
	for _, c := range []struct {
		line string
		held string
		whys map[Format]string
	}{
		{"gomoku h8i9", "line sgf psq lib moves", map[Format]string{GGF: "Reversi alone"}},
		{"renju h8i9", "line sgf psq lib", map[Format]string{Moves: "does not tell the rules"}},
		{"standard h8i9", "line sgf psq lib", nil},
		{"gomoku9 e5", "line sgf psq", map[Format]string{Lib: "its board is 15x15"}},
		{start, "line sgf", map[Format]string{PSQ: "no place for a start position"}},
		{"reversi f5d6", "line sgf sgf-edax ggf transcript", map[Format]string{PSQ: "five in a row alone", OBF: "no moves"}},
		{"reversi start", "line sgf sgf-edax ggf obf", map[Format]string{Transcript: "no moves to write"}},
		{"reversi " + rows(8, "XO") + " X c1", "line sgf sgf-edax ggf", map[Format]string{Transcript: "no place for a start position"}},
		{"reversi " + rows(8, "XO") + " X", "line sgf sgf-edax ggf obf", nil},
		// Points that would be taken for a transcript.
		{"gomoku f5d6c3", "line sgf psq lib", map[Format]string{Moves: "another game"}},
	} {
		r := Record{Game: mustLine(t, c.line)}
		var held []string
		for _, f := range convert(t, r) {
			held = append(held, string(f))
		}
		if got := strings.Join(held, " "); got != c.held {
			t.Errorf("%s: held by %s, want %s", c.line, got, c.held)
		}
		for f, why := range c.whys {
			_, err := Write(f, r)
			if err == nil || !strings.Contains(err.Error(), why) || !strings.HasSuffix(err.Error(), " can") {
				t.Errorf("%s as %s: %v, want %q", c.line, f, err, why)
			}
		}
	}
	if _, err := Write("pgn", Record{Game: mustLine(t, "renju h8")}); err == nil {
		t.Error("pgn is no format")
	}
}

// The sample records hold two games in six forms.
func TestSamples(t *testing.T) { samples(t, "testdata/samples") }

func TestSharedSamples(t *testing.T) { samples(t, filepath.Join(shared.Dir(t), "data", "records")) }

func samples(t *testing.T, dir string) {
	files := testkit.Got(filepath.Glob(filepath.Join(dir, "*")))
	seen := 0
	for _, file := range files {
		if filepath.Base(file) == "README.md" {
			continue
		}
		seen++
		data := testkit.Read(t, file)
		r, err := Read(data, Hints{})
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		held := convert(t, r)
		if len(held) < 4 {
			t.Errorf("%s converts to %v alone", file, held)
		}
		g := r.Game
		if g.Rules() == game.Reversi {
			black, white := game.Score(g.Position())
			passed := 0
			for _, m := range g.Plies() {
				if m.Passed {
					passed = m.Number
				}
			}
			// 61 plies: 60 discs and the pass before the 59th.
			if g.Len() != 60 || passed != 59 || black != 32 || white != 32 || !g.Result().Draw() {
				t.Errorf("%s: %d moves, pass before %d, %d-%d", file, g.Len(), passed, black, white)
			}
			continue
		}
		if got := game.MoveList(g.Moves()); got != "h8i9h9i8h10i10h7h11h6" || g.Result().Winner != game.Black {
			t.Errorf("%s: %s, %v wins", file, got, g.Result().Winner)
		}
	}
	if seen < 6 {
		t.Errorf("only %d samples in %s", seen, dir)
	}
}

// Endgame positions with their exact scores.
func TestOBFSamples(t *testing.T) {
	for _, name := range []string{"fforum-20-39.obf", "fforum-40-59.obf"} {
		data := testkit.Read(t, filepath.Join(shared.Dir(t), "data", "reversi", name))
		n := 0
		for line := range bytes.Lines(data) {
			r, err := Read(line, Hints{})
			if err != nil {
				t.Fatalf("%s: %s: %v", name, line, err)
			}
			if r.Format != OBF || len(r.Comments) != 1 || r.Game.Turn() == game.Empty {
				t.Errorf("%s: %s: %+v", name, line, r)
			}
			convert(t, r)
			n++
		}
		if n < 20 {
			t.Errorf("%s: %d positions", name, n)
		}
	}
}

// Hostile input ends with an error, soon and with little memory.
func TestHostile(t *testing.T) {
	big := func(s string) []byte { return bytes.Repeat([]byte(s), 4<<20/len(s)) }
	for name, data := range map[string][]byte{
		"too large":        make([]byte, MaxBytes+1),
		"nested":           append([]byte("(;GM[4]SZ[15]"), big("(")...),
		"nested nodes":     append([]byte("(;GM[4]SZ[15]"), big("(;")...),
		"nested games":     big("(;GM[4]SZ[15];B[hh]"),
		"a long value":     append([]byte("(;GM[4]SZ[15]C["), big("\\]")...),
		"a long name":      append([]byte("(;"), big("A")...),
		"many properties":  append([]byte("(;GM[4]SZ[15]"), big("C[a]")...),
		"many values":      append([]byte("(;GM[4]SZ[15]AB"), big("[aa]")...),
		"many moves":       append([]byte("(;GM[4]SZ[15]"), big(";B[hh];W[hh]")...),
		"ggf properties":   append([]byte("(;GM[Othello]"), big("B[f5]")...),
		"ggf value":        append([]byte("(;GM[Othello]B["), big("f")...),
		"psq moves":        append([]byte("Piskvorky 15x15, 0:0, 0\n"), big("8,8,0\n")...),
		"psq names":        append([]byte("Piskvorky 15x15, 0:0, 0\n"), big("name\n")...),
		"a line of moves":  big("h8"),
		"a line of passes": big("pass"),
		"numbers":          big("1 "),
		"position line":    append([]byte("renju "), big("h8")...),
		"rows":             append([]byte("renju "), big("/")...),
		"lib comment":      append([]byte("\x78\x08"), big("a")...),
		"lib passes":       append([]byte("\x78\x00"), big("\x00\x00")...),
		"lib no moves":     append([]byte("\x78\x00"), big("\x00\x02")...),
		"zeros":            big("\x00"),
		"noise":            noise(1 << 20),
		"lib branches":     append([]byte("\x78\x00\x69\xc0"), big("\x68\x80")...),
	} {
		begun := time.Now()
		if r, err := Read(data, Hints{}); err == nil {
			t.Errorf("%s: read as %s", name, FormatLine(r.Game))
		}
		// A bound that only a loop over and over the same bytes would pass.
		if took := time.Since(begun); took > 20*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
	}
}

// Read keeps of a record what a game can need, and refuses more.
func TestBounds(t *testing.T) {
	many := "(;GM[4]SZ[15]" + strings.Repeat("C[a]", maxProps+1) + ";B[hh])"
	if _, err := Read([]byte(many), Hints{}); err == nil ||
		!strings.Contains(err.Error(), "more than 50000 properties") {
		t.Errorf("many properties: %v", err)
	}
	if list, err := tokens(strings.Repeat("h8", 2*maxTokens), 2); err == nil || len(list) > maxTokens+1 {
		t.Errorf("%d moves: %v", len(list), err)
	}
	long := "C[" + strings.Repeat("a", 40<<10) + "]"
	r, err := Read([]byte("(;GM[4]SZ[15]"+long+long+";B[hh])"), Hints{})
	if err != nil || len(r.Comments) != 1 || len(r.Comments[0].Text) != 40<<10 {
		t.Errorf("%d comments, %v", len(r.Comments), err)
	}
}

// noise is n bytes without a pattern, the same every time.
func noise(n int) []byte {
	b := make([]byte, n)
	x := uint64(88172645463325252)
	for i := range b {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		b[i] = byte(x)
	}
	return b
}

// A header of RenLib before noise makes no game of it.
func TestLibNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for n := range 300 {
		noise := make([]byte, 50_000)
		for i := range noise {
			noise[i] = byte(rng.Uint32())
		}
		if n%2 == 0 { // the likeliest to be taken for a game: a root, then a tree that ends soon
			copy(noise, "\x00\x00\x78\x00\x69\x40")
		}
		data := append([]byte("\xffRenLib\xff\x03\x04"+strings.Repeat("\xff", 10)), noise...)
		if r, err := Read(data, Hints{}); err == nil {
			t.Fatalf("noise %d is read as a game of %d moves: %v", n, r.Game.Len(), r.Notes)
		}
	}
	short := "\xffRenLib\xff\x03\x04" + strings.Repeat("\xff", 10) + "\x00\x00\x78\x00\x69\x40"
	for _, tail := range []string{"\x1a", strings.Repeat("\x00", 400)} { // as programs leave it
		if r, err := Read([]byte(short+tail), Hints{}); err != nil || r.Game.Len() != 2 {
			t.Errorf("a game with %d bytes behind it: %v", len(tail), err)
		}
	}
}
