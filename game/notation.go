package game

import (
	"fmt"
	"strings"
)

// Points are written A-O from left to right and 1-15 as Rules.TopDown counts the rows.
// These two functions read them, and Point.String writes them, for the whole house.

// ParsePoint reads a point as members type it: h8, H8, 8h, H-8, h 8, full-width letters
// and digits, and two numbers, column first: 8,8 is H8. A point off the board of the
// given size is a *Refusal (OffBoard); anything else is an error that says what is expected.
func ParsePoint(s string, size int) (Point, error) {
	var parts []string // runs of letters and digits
	kind := rune(0)    // of the last part: 'a' or '0'
	for _, r := range s {
		r = narrow(r)
		switch k := kindOf(r); {
		case k == 0:
			if !strings.ContainsRune(" -,;.:/()\t", r) {
				return NoPoint, badPoint(s)
			}
			kind = 0
		case k == kind:
			parts[len(parts)-1] += string(r)
		default:
			parts = append(parts, string(r))
			kind = k
		}
		if len(parts) > 2 || len(s) > 32 {
			return NoPoint, badPoint(s)
		}
	}
	if len(parts) != 2 {
		return NoPoint, badPoint(s)
	}
	a, b := parts[0], parts[1]
	if kindOf(rune(b[0])) == 'a' {
		a, b = b, a
	}
	col, row := number(a), number(b)
	if kindOf(rune(a[0])) == 'a' {
		col = 0
		if len(a) == 1 {
			col = int(a[0]-'A') + 1
		}
	}
	if kindOf(rune(b[0])) == 'a' || col == 0 || row == 0 {
		return NoPoint, badPoint(s)
	}
	if col > size || row > size {
		return NoPoint, &Refusal{Code: OffBoard, Point: NoPoint, Number: size}
	}
	return At(col-1, row-1), nil
}

func badPoint(s string) error {
	if len(s) > 32 {
		s = s[:32]
	}
	return fmt.Errorf("%q is not a point: write a letter and a number, such as H8", s)
}

// narrow folds full-width forms to ASCII and letters to upper case.
func narrow(r rune) rune {
	if r >= '！' && r <= '～' {
		r -= '！' - '!'
	}
	if r == '　' {
		r = ' '
	}
	if r >= 'a' && r <= 'z' {
		r -= 'a' - 'A'
	}
	return r
}

func kindOf(r rune) rune {
	switch {
	case r >= 'A' && r <= 'Z':
		return 'a'
	case r >= '0' && r <= '9':
		return '0'
	}
	return 0
}

// number is the value of up to three digits, else 0.
func number(s string) int {
	n := 0
	if len(s) > 3 {
		return 0
	}
	for _, c := range s {
		if c < '0' || c > '9' {
			return 0
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// ParseMoves reads a list of points: a letter and one or two digits each, any case, the
// longest match, separated by nothing, blanks or commas. It does not know the board: the
// letters go to o and the numbers to 15.
func ParseMoves(s string) ([]Point, error) {
	var moves []Point
	for i := 0; i < len(s); {
		c := s[i] | 0x20
		switch {
		case strings.IndexByte(" \t,\r\n", s[i]) >= 0:
			i++
			continue
		case c < 'a' || c > 'o':
			return nil, fmt.Errorf("move %d: %q is not a point", len(moves)+1, clip(s[i:]))
		}
		end := i + 1
		for end < len(s) && end < i+3 && s[end] >= '0' && s[end] <= '9' {
			end++
		}
		row := number(s[i+1 : end])
		if row < 1 || row > 15 {
			return nil, fmt.Errorf("move %d: %q is not a point", len(moves)+1, clip(s[i:]))
		}
		if len(moves) == 225 {
			return nil, fmt.Errorf("more than 225 moves")
		}
		moves = append(moves, At(int(c-'a'), row-1))
		i = end
	}
	return moves, nil
}

// clip keeps what a message quotes short.
func clip(s string) string {
	if len(s) > 8 {
		return s[:8] + "..."
	}
	return s
}

// MoveList is moves as ParseMoves reads them, in lower case and without separators.
func MoveList(moves []Point) string {
	var s strings.Builder
	for _, p := range moves {
		s.WriteString(strings.ToLower(p.String()))
	}
	return s.String()
}
