package record

import (
	"strings"

	"tengen/game"
	"tengen/game/opening"
)

// The decisions of an opening protocol are the first line of the comment before the first
// move, "Opening: swap2 h8 h9 i8 white": the words of opening.ParseLine.
const openingWord = "Opening: "

// beginsWith reports whether the stones of the opening are the first moves of g.
func beginsWith(g game.Game, l opening.Line) bool {
	rules := g.Rules()
	if !l.Protocol.Valid() || rules == game.Reversi || rules.Size() != opening.Size || g.Start() != rules.Start() {
		return false
	}
	moves := g.Moves()
	for _, d := range l.Decisions {
		p, ok := d.Stone()
		if !ok {
			continue
		}
		if len(moves) == 0 || moves[0] != p {
			return false
		}
		moves = moves[1:]
	}
	return l.State.Over() || len(moves) == 0
}

// withOpening is r with its opening among its comments. An opening that is not of the game is
// not written.
func withOpening(r Record) Record {
	if beginsWith(r.Game, r.Opening) {
		r.Comments = append([]Comment{{Text: openingWord + r.Opening.String()}}, r.Comments...)
	}
	return r
}

// takeOpening takes the opening back from the comments. A line that is not the opening of the
// game stays a comment.
func takeOpening(r Record) Record {
	if len(r.Comments) == 0 || r.Comments[0].After != 0 {
		return r
	}
	first, rest, _ := strings.Cut(r.Comments[0].Text, "\n")
	text, ok := strings.CutPrefix(first, openingWord)
	if !ok {
		return r
	}
	l, err := opening.ParseLine(text)
	if err != nil || !beginsWith(r.Game, l) {
		return r
	}
	r.Opening = l
	if r.Comments[0].Text = manyLines(rest); r.Comments[0].Text == "" {
		r.Comments = r.Comments[1:]
	}
	return r
}

// LeavesOut says in English which part of r a format has no place for, beside the names and the
// comments; empty for none.
func LeavesOut(f Format, r Record) string {
	if f == SGF || f == Lib || !beginsWith(r.Game, r.Opening) {
		return ""
	}
	return string(f) + " has no place for the decisions of " + r.Opening.Protocol.Name() + ": the stones alone are written"
}
