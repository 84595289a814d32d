package view

import (
	"fmt"
	"slices"
	"strings"

	"tengen/storage"
)

// Unsure explains the question marks of a list, where it has any.
func (t Tongue) Unsure(lines []string) []string {
	if slices.ContainsFunc(lines, func(s string) bool { return strings.Contains(s, "? · ") || strings.Contains(s, "?** · ") }) {
		return append(lines, "-# "+t.Say("stats.unsure"))
	}
	return lines
}

// Rating is a rating for people; a question mark says that little is known.
func (t Tongue) Rating(s storage.Standing) string {
	mark := ""
	if s.Provisional() {
		mark = "?"
	}
	return fmt.Sprintf("%.0f%s", s.R, mark)
}
