package record

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"tengen/game"
)

// A Piskvork record is a line "Piskvorky 15x15, 11:11, 0" (the last number is the index of
// the player who began), a line "column,row,milliseconds" for each move, from 1 and the
// top row first, the two names in games between programs, and a code that says how the
// game ended, which may carry the name of a tournament: "0,Renju15_1".

var (
	psqHead = regexp.MustCompile(`^Piskvorky\s+(\d{1,4})x(\d{1,4})\s*,\s*-?\d+\s*:\s*-?\d+\s*,\s*(\d)`)
	psqMove = regexp.MustCompile(`^(\d{1,4})\s*,\s*(\d{1,4})(?:\s*,\s*(\d{1,9}))?$`)
	psqCode = regexp.MustCompile(`^(-?\d+)(?:,(.*[A-Za-z].*))?$`)
)

// psqLines are the parts of a Piskvork record.
type psqLines struct {
	head             []string // width, height, who began
	moves            []string
	names            []string
	code, tournament string
}

func cutPSQ(text string) (l psqLines, err error) {
	lines := strings.Split(text[:min(len(text), 1<<16)], "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	m := psqHead.FindStringSubmatch(lines[0])
	if m == nil {
		return l, fmt.Errorf("the first line of a Piskvork record is like: Piskvorky 15x15, 0:0, 0")
	}
	l.head, l.moves = m[1:], lines[1:]
	var rest []string
	for i, line := range l.moves {
		if line != "" && !psqMove.MatchString(line) {
			l.moves, rest = l.moves[:i], l.moves[i:]
			break
		}
	}
	for _, line := range rest {
		switch m := psqCode.FindStringSubmatch(line); {
		case line == "":
		case m != nil:
			l.code, l.tournament = m[1], m[2]
		case len(l.names) < 2:
			l.names = append(l.names, line)
		}
	}
	if l.code == "" {
		return l, errCut
	}
	return l, nil
}

func readPSQ(text string, want game.Rules) (Record, error) {
	r := Record{Format: PSQ}
	l, err := cutPSQ(text)
	if err != nil {
		return r, err
	}
	size, err := psqSize(l.head[0], l.head[1])
	if err != nil {
		return r, err
	}
	rules, err := psqRules(size, l.tournament, want)
	if err != nil {
		return r, err
	}
	r.Game = game.New(rules)
	for _, line := range l.moves {
		if line == "" {
			continue
		}
		m := psqMove.FindStringSubmatch(line)
		col, _ := strconv.Atoi(m[1])
		row, _ := strconv.Atoi(m[2])
		ms, _ := strconv.Atoi("0" + m[3])
		if col < 1 || row < 1 || col > size || row > size {
			return r, r.refuse(line, &game.Refusal{Code: game.OffBoard, Point: game.NoPoint})
		}
		if err := r.play(game.At(col-1, size-row), game.Empty, line); err != nil {
			return r, err
		}
		r.Times = append(r.Times, time.Duration(ms)*time.Millisecond)
	}
	if len(l.names) == 2 {
		r.Black, r.White = l.names[0], l.names[1]
		if l.head[2] == "1" {
			r.Black, r.White = r.White, r.Black
		}
	}
	r.dropTimes()
	return r, nil
}

// dropTimes removes the times if all of them are zero.
func (r *Record) dropTimes() {
	for _, t := range r.Times {
		if t > 0 {
			return
		}
	}
	r.Times = nil
}

func psqSize(w, h string) (int, error) {
	if w == h && (w == "15" || w == "9") {
		return strconv.Atoi(w)
	}
	return 0, fmt.Errorf("a board of %sx%s: %w", w, h, ErrElsewhere)
}

// psqRules are the rules that the tournament's name begins with, else freestyle.
func psqRules(size int, tournament string, want game.Rules) (game.Rules, error) {
	if want != nil {
		if want == game.Reversi || want.Size() != size {
			return nil, fmt.Errorf("the record is of five in a row on %dx%d, not of %s", size, size, want.Name())
		}
		return want, nil
	}
	rules, ok := rulesFor(tournament, size)
	if !ok {
		rules, _ = rulesFor("gomoku", size)
	}
	return rules, nil
}

// rulesFor are the rules of five in a row on a board of the given size that go by a
// name such as "freestyle", "Standard gomoku" or "Renju15_1".
func rulesFor(name string, size int) (game.Rules, bool) {
	name = strings.ToLower(name)
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(name, w) {
				return true
			}
		}
		return false
	}
	kind := ""
	switch {
	case has("renju", "rif", "taraguchi", "soosyrv", "yamaguchi"):
		kind = "renju"
	case has("standard", "exact"):
		kind = "standard"
	case has("gomoku", "free"):
		kind = "gomoku"
	}
	if size == 9 {
		kind += "9"
	}
	return game.RulesNamed(kind)
}

func writePSQ(r Record) []byte {
	var s strings.Builder
	size := r.Game.Rules().Size()
	fmt.Fprintf(&s, "Piskvorky %dx%d, 0:0, 0\n", size, size)
	for i, p := range r.Game.Moves() {
		var ms int64
		if i < len(r.Times) {
			ms = r.Times[i].Milliseconds()
		}
		fmt.Fprintf(&s, "%d,%d,%d\n", p.Col()+1, size-p.Row(), ms)
	}
	if r.Black != "" || r.White != "" {
		fmt.Fprintf(&s, "%s\n%s\n", psqName(r.Black), psqName(r.White))
	}
	switch r.Game.Rules() {
	case game.Renju:
		s.WriteString("-1,Renju15\n")
	case game.Standard15, game.Standard9:
		fmt.Fprintf(&s, "-1,Standard%d\n", size)
	default:
		s.WriteString("-1\n")
	}
	return []byte(s.String())
}

// psqName is a name that stays one line and is not taken for a code.
func psqName(s string) string {
	s = oneLine(s)
	if s == "" || psqCode.MatchString(s) || psqMove.MatchString(s) {
		s = "player " + s
	}
	return strings.TrimSpace(s)
}
