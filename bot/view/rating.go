package view

import (
	"fmt"
	"slices"

	"tengen/game/event"
)

// Rating words a rating. One that is not settled is no number yet: it would jump with the next game.
func (t Tongue) Rating(r event.Rating) string {
	if r.Provisional() {
		return t.Say("rating.new")
	}
	return fmt.Sprintf("%.0f", r.R)
}

// WhyNew are lines, and one that explains why a rating among those shown is new.
func (t Tongue) WhyNew(lines []string, shown ...event.Rating) []string {
	if slices.ContainsFunc(shown, event.Rating.Provisional) {
		return append(lines, "-# "+t.Say("rating.new.why"))
	}
	return lines
}
