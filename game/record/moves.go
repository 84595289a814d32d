package record

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"tengen/game"
)

// token is one item of a list of moves.
type token struct {
	text string
	at   game.Point // NoPoint for a pass
}

// maxTokens is more than any game has, passes included.
const maxTokens = 512

// tokens splits a list of moves: points of a letter and up to the given number of digits,
// passes, and between them blanks, commas and move numbers (1. 2) 3:).
func tokens(text string, digits int) ([]token, error) {
	var list []token
	for i := 0; i < len(text); {
		c := text[i]
		if strings.IndexByte(" \t\r\n,;", c) >= 0 {
			i++
			continue
		}
		end := i
		switch {
		case c >= '0' && c <= '9':
			for end < len(text) && text[end] >= '0' && text[end] <= '9' {
				end++
			}
			if end == len(text) || strings.IndexByte(".): \t", text[end]) < 0 {
				return list, fmt.Errorf("move %d: %q is not a point", len(list)+1, clip(text[i:]))
			}
			for end < len(text) && strings.IndexByte(".):", text[end]) >= 0 {
				end++
			}
			i = end
			continue
		case isPass(text[i:]) > 0:
			end += isPass(text[i:])
			list = append(list, token{text[i:end], game.NoPoint})
		default:
			end++
			for end < len(text) && end <= i+digits && text[end] >= '0' && text[end] <= '9' {
				end++
			}
			ps, err := game.ParseMoves(text[i:end])
			if err != nil || len(ps) != 1 {
				return list, fmt.Errorf("move %d: %q is not a point", len(list)+1, clip(text[i:]))
			}
			list = append(list, token{text[i:end], ps[0]})
		}
		if len(list) > maxTokens {
			return list, fmt.Errorf("more than %d moves", maxTokens)
		}
		i = end
	}
	return list, nil
}

// isPass is the length of the pass that s begins with, 0 when there is none.
func isPass(s string) int {
	for _, word := range []string{"pass", "--", "pa", "ps"} {
		if len(s) >= len(word) && strings.EqualFold(s[:len(word)], word) {
			return len(word)
		}
	}
	return 0
}

// readMoves reads a transcript or a plain list of moves, as it is, else what follows the first colon: before
// that may stand what the list is.
func readMoves(text string, rules, want game.Rules) (Record, error) {
	r, err := readList(text, rules, want)
	if said, list, ok := strings.Cut(text, ":"); ok && errors.Is(err, errNoRecord) {
		if after, wrong := readList(list, rules, want); !errors.Is(wrong, errNoRecord) {
			after.note("%q before the list is left out", clip(strings.TrimSpace(said)))
			return after, wrong
		}
	}
	return r, err
}

// readList reads a list of moves. If the rules are open, a list that plays as Reversi is Reversi, any
// other gomoku.
func readList(text string, rules, want game.Rules) (Record, error) {
	if want != nil {
		if rules != nil && want != rules {
			return Record{}, fmt.Errorf("a transcript is of Reversi, not of %s", want.Name())
		}
		rules = want
	}
	if rules != nil {
		return replay(text, rules)
	}
	r, err := replay(text, game.Reversi)
	if err == nil {
		return r, nil
	}
	// Eight moves that play as Reversi by chance are too many: the record is of Reversi,
	// with a mistake in it. A pass settles it as well.
	if played := r.Game.Len(); played > 8 {
		return Record{}, err
	}
	five, fiveErr := replay(text, game.Gomoku15)
	if fiveErr != nil {
		if r.Game.Len() > five.Game.Len() {
			return Record{}, err
		}
		return Record{}, fiveErr
	}
	five.note("the list does not name its rules: taken as %s", game.Gomoku15.Name())
	return five, nil
}

// replay plays a list of moves. Beside an error it gives the game up to there.
func replay(text string, rules game.Rules) (Record, error) {
	r := Record{Game: game.New(rules), Format: Moves}
	digits := 2
	if rules == game.Reversi {
		r.Format = Transcript
		digits = 1
	}
	list, err := tokens(text, digits)
	if !slices.ContainsFunc(list, func(m token) bool { return m.at != game.NoPoint }) {
		return r, errNoRecord
	}
	for _, m := range list {
		play := func() error { return r.play(m.at, game.Empty, m.text) }
		if m.at == game.NoPoint {
			play = func() error { return r.pass(game.Empty, m.text) }
		}
		if err := play(); err != nil {
			return r, err
		}
	}
	return r, err
}

// writeTranscript writes the moves of Reversi in one line without passes.
func writeTranscript(r Record) []byte {
	return []byte(strings.ToUpper(game.MoveList(r.Game.Moves())) + "\n")
}
