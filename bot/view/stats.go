package view

import (
	"fmt"
	"slices"
	"strings"

	"tengen/storage"
)

// Unsure adds a line that explains the question marks of a list, where there are any.
func (t Tongue) Unsure(lines []string) []string {
	ends := t.Say("list.line")
	if slices.ContainsFunc(lines,
		func(s string) bool { return strings.Contains(s, "?"+ends) || strings.Contains(s, "?**"+ends) }) {
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
