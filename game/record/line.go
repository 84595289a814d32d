package record

import (
	"fmt"
	"strings"

	"tengen/game"
)

// ParseLine reads a position line, `RULES [ROWS [SIDE]] [MOVES]`, such as
//
//	renju h8i9h10
//	gomoku9 ........./........./........./...X...../....O..../........./........./........./......... X e4
//	reversi start
//
// RULES is a name that game.RulesNamed knows. ROWS are joined by slashes, the row that
// the picture shows at the top first: X black, O white, . or - empty. SIDE, X or O, is the
// side to move; without it the count of stones tells. MOVES are read by game.ParseMoves; a
// move that the rules refuse is a *MoveError.
func ParseLine(line string) (game.Game, error) {
	if len(line) > maxLine {
		return game.Game{}, fmt.Errorf("a position line has at most %d characters", maxLine)
	}
	fields := strings.Fields(line)
	if len(fields) == 0 {
		return game.Game{}, fmt.Errorf("empty position line")
	}
	rules, ok := game.RulesNamed(fields[0])
	if !ok {
		return game.Game{}, fmt.Errorf("unknown rules %q: the rules are %s", clip(fields[0]), rulesNames())
	}
	g, fields := game.New(rules), fields[1:]
	if len(fields) > 0 && strings.Contains(fields[0], "/") {
		b, err := parseRows(fields[0], rules)
		if err != nil {
			return game.Game{}, err
		}
		fields = fields[1:]
		side := game.Empty
		if len(fields) > 0 && (fields[0] == "X" || fields[0] == "O") {
			side = game.Black
			if fields[0] == "O" {
				side = game.White
			}
			fields = fields[1:]
		} else if side, err = sideByCount(b, rules); err != nil {
			return game.Game{}, err
		}
		if g, err = game.From(rules, b, side); err != nil {
			return game.Game{}, err
		}
	}
	if len(fields) == 1 && fields[0] == "start" {
		return g, nil
	}
	moves, err := game.ParseMoves(strings.Join(fields, " "))
	if err != nil {
		return game.Game{}, err
	}
	r := Record{Game: g}
	for _, p := range moves {
		if err := r.play(p, game.Empty, p.String()); err != nil {
			return game.Game{}, err
		}
	}
	return r.Game, nil
}

// maxLine is more than any line can need that holds a board and all its moves.
const maxLine = 4096

// FormatLine is g as ParseLine reads it. Every game has a position line.
func FormatLine(g game.Game) string {
	rules, start := g.Rules(), g.Start()
	line := rules.Name()
	if start != rules.Start() {
		line += " " + start.Rows(rules.TopDown()) + " " + sideLetter(start)
	}
	if g.Len() == 0 {
		return line + " start"
	}
	return line + " " + game.MoveList(g.Moves())
}

// sideLetter is the side to move; for a position without one, either letter will do.
func sideLetter(b game.Position) string {
	if b.Turn == game.White {
		return "O"
	}
	return "X"
}

func rulesNames() string {
	var names []string
	for _, r := range game.AllRules {
		names = append(names, r.Name())
	}
	return strings.Join(names, ", ")
}

func parseRows(s string, rules game.Rules) (game.Position, error) {
	size := rules.Size()
	b := game.Position{Size: size}
	rows := strings.Split(s, "/")
	if len(rows) != size {
		return b, fmt.Errorf("%d rows, want %d for %s", len(rows), size, rules.Name())
	}
	for i, text := range rows {
		if len(text) != size {
			return b, fmt.Errorf("row %d from the top has %d points, want %d", i+1, len(text), size)
		}
		row := size - 1 - i
		if rules.TopDown() {
			row = i
		}
		for col := range size {
			switch text[col] {
			case 'X':
				b = b.Put(game.At(col, row), game.Black)
			case 'O':
				b = b.Put(game.At(col, row), game.White)
			case '.', '-':
			default:
				return b, fmt.Errorf("row %d from the top holds %q: write X, O, . or -", i+1, clip(text[col:]))
			}
		}
	}
	return b, nil
}

// sideByCount is the side to move by the count of stones.
func sideByCount(b game.Position, rules game.Rules) (game.Color, error) {
	black, white := b.Count(game.Black), b.Count(game.White)
	if rules == game.Reversi {
		if (black+white)%2 == 0 {
			return game.Black, nil
		}
		return game.White, nil
	}
	switch black - white {
	case 0:
		return game.Black, nil
	case 1:
		return game.White, nil
	}
	return game.Empty,
		fmt.Errorf("%d black and %d white stones do not tell the side to move: write X or O after the rows", black, white)
}

func readLine(text string, want game.Rules) (Record, error) {
	r := Record{Format: Line}
	line, err := r.position(text, "#")
	if err != nil {
		return r, err
	}
	if name, rest, _ := strings.Cut(line, " "); want != nil {
		if _, ok := game.RulesNamed(name); ok {
			line = want.Name() + " " + rest
		}
	}
	r.Game, err = ParseLine(line)
	return r, err
}

// position is the first line of text that is neither blank nor a comment, which one of marks begins.
func (r *Record) position(text, marks string) (first string, err error) {
	for line := range strings.Lines(text) {
		switch line = strings.TrimSpace(line); {
		case line == "" || strings.Contains(marks, line[:1]):
		case first == "":
			first = line
		default:
			r.note("the lines after the first position are left out")
			return first, nil
		}
	}
	if first == "" {
		err = errNoRecord
	}
	return first, err
}
