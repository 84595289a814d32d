package host

import (
	"context"
	"slices"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
)

// GuestOption is the option that names a guest.
const GuestOption = "engine"

// GuestSeat is the guest that r names; the zero seat where it names none. It refuses one that does
// not play rules here.
func (h *Host) GuestSeat(r chat.Request, rules game.Rules) (game.Seat, error) {
	name := strings.TrimSpace(r.Text(GuestOption, ""))
	if name == "" {
		return game.Seat{}, nil
	}
	playing := h.Guests(rules)
	i := slices.IndexFunc(playing, func(s string) bool { return strings.EqualFold(s, name) })
	switch {
	case i >= 0:
		return game.SeatGuest(playing[i]), nil
	case len(playing) == 0:
		return game.Seat{}, view.No("refused.noGuest")
	}
	var names []string
	for _, s := range playing {
		names = append(names, view.Escape(s))
	}
	return game.Seat{}, view.No("refused.guest", "Names", names)
}

// GuestChoices are the guests that fit what is typed, and the game where it is chosen.
func (h *Host) GuestChoices(_ context.Context, r chat.Request) (choices []chat.Choice, _ error) {
	rules, _ := game.RulesNamed(r.Text("game", "")) // none: the guests of all games
	typed := strings.ToLower(strings.TrimSpace(r.Text(GuestOption, "")))
	for _, name := range h.Guests(rules) {
		if strings.Contains(strings.ToLower(name), typed) {
			choices = append(choices, chat.Choice{Label: name, Value: name})
		}
	}
	return choices, nil
}

// StillHere refuses a rematch against a guest that is gone.
func (h *Host) StillHere(m game.Match) error {
	if name := m.Guest(); name != "" && !slices.Contains(h.Guests(m.Rules), name) {
		return view.No("refused.guestGone", "Guest", view.Escape(name))
	}
	return nil
}
