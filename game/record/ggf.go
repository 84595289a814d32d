package record

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"tengen/game"
)

// GGF, the format of the Generic Game Server, is a run of properties between (; and ;)
// with values in brackets that know no escape. BO is the start position: the size, 64
// points (* black, O white, - empty) in rows or in one run, and the side to move. A move
// may carry an evaluation and seconds: B[d3/0.5/1.25].

var (
	ggfBegin = regexp.MustCompile(`\(\s*;`)
	ggfType  = regexp.MustCompile(`^s?8r?\d*b?w?$`)
)

func readGGF(text string, want game.Rules) (Record, error) {
	r := Record{Format: GGF}
	if err := wantRules(want, "Reversi", isReversi); err != nil {
		return r, err
	}
	at := ggfBegin.FindStringIndex(text)
	if at == nil {
		return r, errNoRecord
	}
	props, rest, err := scanGGF(text[at[1]:])
	if err != nil {
		return r, err
	}
	r.Game = game.New(game.Reversi)
	for _, p := range props {
		if err := ggfHead(&r, p.name, strings.TrimSpace(p.values[0])); err != nil {
			return r, err
		}
	}
	for _, p := range props {
		if p.name != "B" && p.name != "W" {
			continue
		}
		if err := ggfMove(&r, sgfColor(p.name), strings.TrimSpace(p.values[0])); err != nil {
			return r, err
		}
	}
	r.dropTimes()
	if more := len(ggfBegin.FindAllStringIndex(rest, 1000)); more > 0 {
		r.note("%s left out: only the first is read", count(more, "further game"))
	}
	return r, nil
}

// scanGGF reads properties to the ;) of the game.
func scanGGF(text string) (props []prop, rest string, err error) {
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c <= ' ':
			i++
		case c == ';':
			for i++; i < len(text) && text[i] <= ' '; i++ {
			}
			if i < len(text) && text[i] == ')' {
				return props, text[i+1:], nil
			}
		case c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z':
			start := i
			for i < len(text) && text[i] != '[' && text[i] != ']' && text[i] != ';' {
				i++
			}
			end := strings.IndexByte(text[i:], ']')
			if end < 0 {
				return nil, "", errCut
			}
			if text[i] != '[' {
				return nil, "", fmt.Errorf("property %s without a value", clip(text[start:i]))
			}
			if len(props) >= 1000 {
				return nil, "", fmt.Errorf("more than 1000 properties")
			}
			name := strings.ToUpper(strings.TrimSpace(text[start:min(i, start+64)]))
			props = append(props, prop{name: name, values: []string{text[i+1 : i+end]}})
			i += end + 1
		default:
			return nil, "", fmt.Errorf("%q is out of place in GGF", clip(text[i:]))
		}
	}
	return nil, "", errCut
}

// ggfHead takes a property that is no move.
func ggfHead(r *Record, name, v string) error {
	switch name {
	case "GM":
		if !strings.EqualFold(v, "othello") && !strings.EqualFold(v, "reversi") {
			return fmt.Errorf("GM[%s] is another game: %w", clip(v), ErrElsewhere)
		}
	case "TY":
		if !ggfType.MatchString(strings.ToLower(v)) {
			return fmt.Errorf("TY[%s] is another game: %w", clip(v), ErrElsewhere)
		}
	case "BO":
		b, side, err := ggfBoard(v)
		if err != nil {
			return fmt.Errorf("BO[%s]: %w", clip(v), err)
		}
		if b != withoutTurn(game.Reversi.Start()) || side != game.Black {
			r.Game, err = game.From(game.Reversi, b, side)
		}
		return err
	case "RE":
		r.Result = ggfResult(v)
	}
	r.head(name, v)
	return nil
}

func withoutTurn(b game.Position) game.Position { b.Turn = game.Empty; return b }

// ggfBoard reads a size, 64 points and the side to move, with or without blanks between.
func ggfBoard(v string) (game.Position, game.Color, error) {
	size, rest, _ := strings.Cut(v, " ")
	if size != "8" {
		return game.Position{}, 0, fmt.Errorf("a board of %s: %w", clip(size), ErrElsewhere)
	}
	return discs(strings.Join(strings.Fields(rest), ""))
}

// discs reads 64 points from a1 to h8 and the side to move.
func discs(s string) (game.Position, game.Color, error) {
	b := game.Position{Size: 8}
	if len(s) != 65 {
		return b, 0, fmt.Errorf("want 64 points and the side to move")
	}
	for i := range 65 {
		var c game.Color
		switch s[i] {
		case '*', 'X', 'x':
			c = game.Black
		case 'O', 'o', '0':
			c = game.White
		case '-', '.':
		default:
			return b, 0, fmt.Errorf("%q is neither a disc nor empty", clip(s[i:]))
		}
		if i == 64 {
			if c == game.Empty {
				return b, 0, fmt.Errorf("no side to move")
			}
			return b, c, nil
		}
		b = b.Put(game.At(i%8, i/8), c)
	}
	return b, 0, nil
}

func ggfMove(r *Record, side game.Color, v string) error {
	move, rest, _ := strings.Cut(v, "/")
	move = strings.TrimSpace(move)
	text := colorNames[side] + "[" + clip(v) + "]"
	if isPass(move) == len(move) {
		return r.pass(side, text)
	}
	p, err := game.ParsePoint(move, 8)
	if err != nil {
		return r.refuse(text, err)
	}
	if err := r.play(p, side, text); err != nil {
		return err
	}
	_, took, _ := strings.Cut(rest, "/")
	seconds, _ := strconv.ParseFloat(strings.TrimSpace(took), 64)
	if !(seconds > 0 && seconds < 1e8) {
		seconds = 0
	}
	r.Times = append(r.Times, time.Duration(seconds*1000+0.5)*time.Millisecond)
	return nil
}

// ggfResult reads a margin in discs, black's view, and how it came: r resigned, t time.
func ggfResult(v string) game.Result {
	margin, how, _ := strings.Cut(v, ":")
	n, err := strconv.ParseFloat(strings.TrimSpace(margin), 64)
	var r game.Result
	switch {
	case err != nil:
		return r
	case n > 0:
		r.Winner = game.Black
	case n < 0:
		r.Winner = game.White
	default:
		return game.Result{Termination: game.ByAgreement}
	}
	switch strings.TrimSpace(how) {
	case "r":
		r.Termination = game.ByResignation
	case "t":
		r.Termination = game.ByTimeout
	}
	return r
}

func writeGGF(r Record) []byte {
	var s strings.Builder
	g := r.Game
	s.WriteString("(;GM[Othello]PC[tengen]")
	r.writeHead(&s, ggfResultText(r), strings.NewReplacer("[", "(", "]", ")"))
	fmt.Fprintf(&s, "TY[8]BO[8 %s]", ggfBoardText(g.Start(), " "))
	for i, m := range g.Plies() {
		if m.Passed {
			fmt.Fprintf(&s, "%s[pass]", colorNames[m.Color.Other()])
		}
		fmt.Fprintf(&s, "%s[%s", colorNames[m.Color], strings.ToLower(m.Point.String()))
		if i < len(r.Times) && r.Times[i] > 0 {
			fmt.Fprintf(&s, "//%.3f", r.Times[i].Seconds())
		}
		s.WriteString("]")
	}
	s.WriteString(";)\n")
	return []byte(s.String())
}

// ggfBoardText is the rows of a position joined by sep, and its side to move.
func ggfBoardText(b game.Position, sep string) string {
	rows := strings.NewReplacer("/", sep, "X", "*", ".", "-").Replace(b.Rows(true))
	return rows + " " + strings.Replace(sideLetter(b), "X", "*", 1)
}

func ggfResultText(r Record) string {
	res := r.end()
	black, white := game.Score(r.Game.Position())
	switch res.Termination {
	case game.ByCount:
		return fmt.Sprintf("%+.3f", float64(black-white))
	case game.ByResignation, game.ByTimeout:
		sign := map[game.Color]string{game.Black: "+", game.White: "-"}[res.Winner]
		how := map[game.Termination]string{game.ByResignation: "r", game.ByTimeout: "t"}[res.Termination]
		return sign + "64.000:" + how
	case game.ByAgreement:
		return "+0.000"
	}
	return ""
}

// An OBF line is 64 points from a1 to h8, the side to move, and after a semicolon moves
// with their exact scores, which are kept as a comment.

func readOBF(text string, want game.Rules) (Record, error) {
	r := Record{Format: OBF}
	if err := wantRules(want, "Reversi", isReversi); err != nil {
		return r, err
	}
	line, err := r.position(text, "#%")
	if err != nil {
		return r, err
	}
	board, rest, _ := strings.Cut(line, ";")
	board, _, _ = strings.Cut(board, "%")
	b, side, err := discs(strings.Join(strings.Fields(board), ""))
	if err != nil {
		return r, err
	}
	if r.Game, err = game.From(game.Reversi, b, side); err != nil {
		return r, err
	}
	if r.Game.Start() == game.Reversi.Start() {
		r.Game = game.New(game.Reversi)
	}
	r.comment(oneLine(rest[:min(len(rest), 4096)]))
	return r, nil
}

func writeOBF(r Record) []byte {
	b := r.Game.Start()
	return []byte(strings.ReplaceAll(strings.ReplaceAll(b.Rows(true), "/", ""), ".", "-") + " " + sideLetter(b) + ";\n")
}
