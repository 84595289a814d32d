package five

import "tengen/game"

// variant is what the search knows of the rules.
type variant uint8

const (
	freestyle variant = iota
	exact
	renju
)

func variantOf(r game.Rules) (variant, bool) {
	switch r {
	case game.Gomoku15, game.Gomoku9:
		return freestyle, true
	case game.Standard15, game.Standard9:
		return exact, true
	case game.Renju:
		return renju, true
	}
	return 0, false
}

// kind is the sort of line that holds for a colour.
func (v variant) kind(c int) int {
	switch {
	case v == exact:
		return justFive
	case v == renju && c == black:
		return blackFive
	}
	return anyFive
}

// reach is how far from a stone a pattern can change.
func (v variant) reach() int {
	if v == freestyle {
		return 4
	}
	return half
}
