package view

import (
	"fmt"
	"regexp"
	"slices"

	"tengen/storage"
)

// guessed is a rating with a question mark.
var guessed = regexp.MustCompile(`\d\?`)

// Unsure adds a line that explains the question marks of a list, where there are any.
func (t Tongue) Unsure(lines []string) []string {
	if slices.ContainsFunc(lines, guessed.MatchString) {
		return append(lines, "-# "+t.Say("stats.unsure"))
	}
	return lines
}

// Rating words a rating. A question mark means that it rests on few games.
func (t Tongue) Rating(s storage.Standing) string {
	mark := ""
	if s.Provisional() {
		mark = "?"
	}
	return fmt.Sprintf("%.0f%s", s.R, mark)
}
