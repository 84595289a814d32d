package host

import (
	"context"
	"slices"
	"strings"
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
)

// MoreGame is the name of a setting of members and servers: the game that is played where none is
// named.
const MoreGame = "game"

// MoreOpening is the name of a setting of members and servers: the opening where none is named.
const MoreOpening = "opening"

// Clocks are the times per move that a ladder may have.
var Clocks = []struct {
	Name string
	Each time.Duration
}{
	{"none", 0}, {"1m", time.Minute}, {"5m", 5 * time.Minute}, {"15m", 15 * time.Minute},
	{"1h", time.Hour}, {"1d", 24 * time.Hour}, {"3d", 3 * 24 * time.Hour},
}

// ClockNamed is the name of a time per move; empty where it cannot be chosen.
func ClockNamed(each time.Duration) string {
	for _, c := range Clocks {
		if c.Each == each {
			return c.Name
		}
	}
	return ""
}

// Terms reads the options that all commands which begin a game share.
func (h *Host) Terms(ctx context.Context, r chat.Request) (game.Terms, error) {
	t, err := h.TermsOfTwo(ctx, r)
	switch {
	case err == nil && t.Fast() && h.Paint.Page:
		return t, view.No("refused.clockPage")
	case err == nil && t.Fast():
		return t, view.No("refused.clockFast")
	}
	return t, err
}

// TermsOfTwo are Terms for two members. Where boards have pages, their clock may be too fast for the channel.
func (h *Host) TermsOfTwo(ctx context.Context, r chat.Request) (game.Terms, error) {
	usual, err := h.UsualGame(ctx, r)
	if err != nil {
		return game.Terms{}, err
	}
	t := game.Terms{Seed: h.Random(), Rated: r.Yes("rated", true), Note: view.Typed(r.Text("note", ""), 100)}
	var ok bool
	if t.Rules, ok = game.RulesNamed(r.Text("game", usual)); !ok {
		return t, view.No("unknown.game")
	}
	switch r.Text("color", "random") {
	case "black":
		t.First = game.Black
	case "white":
		t.First = game.White
	}
	if t, err = h.open(ctx, r, t); err != nil {
		return t, err
	}
	if t.Clock, err = clockOf(r, "clock"); err != nil {
		return t, err
	}
	switch t.Odds, err = clockOf(r, "odds"); {
	case err != nil:
		return t, err
	case t.Odds == t.Clock:
		t.Odds = game.Clock{}
	case t.Clock == game.Clock{}:
		return t, view.No("refused.oddsAlone")
	}
	if t.Fast() && !h.Paint.Page {
		return t, view.No("refused.clockFast")
	}
	t.Rated = t.Rated && t.MayRate()
	return t, nil
}

// clockOf is the clock that an option of r asks for, where one can be kept.
func clockOf(r chat.Request, option string) (game.Clock, error) {
	c, ok := game.ParseClock(r.Text(option, "none"))
	switch {
	case !ok:
		return c, view.No("unknown.clock")
	case c != game.Clock{} && !r.Installed:
		return c, view.No("refused.clockAway")
	}
	return c, nil
}

// MenuClocks are the clocks that are offered before a member types; all others can be typed.
var MenuClocks = []string{"none", "5m", "10+5", "30+20", "1h", "1d", "1d+5d"}

// ClockChoices are the clocks that are offered for what a member has typed in an option: that one first, if it is one.
func (h *Host) ClockChoices(option string) func(context.Context, chat.Request) ([]chat.Choice, error) {
	return func(_ context.Context, r chat.Request) ([]chat.Choice, error) {
		typed := strings.ToLower(strings.TrimSpace(r.Options[option].Text))
		return ClockChoices(h.House.Tongue(r), typed, h.Paint.Page, func(label, name string) bool {
			if name == "none" && option == "odds" { // there are none where the option is left out
				return false
			}
			return strings.Contains(strings.ToLower(label), typed) || strings.HasPrefix(name, typed)
		}), nil
	}
}

// ClockChoices are the offered clocks that fit, behind the one that is named, if it can be had; fast ones may be.
func ClockChoices(t view.Tongue, name string, fast bool, fits func(label, name string) bool) (choices []chat.Choice) {
	names := MenuClocks
	if c, ok := game.ParseClock(name); ok && (fast || !c.Fast()) && !slices.Contains(names, c.String()) {
		choices = append(choices, chat.Choice{Label: t.Clock(c), Value: c.String()})
	}
	for _, name := range names {
		c, _ := game.ParseClock(name)
		if label := t.Clock(c); fits(label, name) {
			choices = append(choices, chat.Choice{Label: label, Value: name})
		}
	}
	return choices
}

// UsualGame is the game that is played where none is named: the member's choice, else the server's.
func (h *Host) UsualGame(ctx context.Context, r chat.Request) (string, error) {
	name, err := h.usual(ctx, r, MoreGame)
	if name == "" {
		name = "gomoku"
	}
	return name, err
}

// usual is what a setting is where a command names nothing: the member's choice, else the server's, else
// empty.
func (h *Host) usual(ctx context.Context, r chat.Request, setting string) (string, error) {
	member, err := h.Store.Member(ctx, r.By)
	if err != nil || member.More[setting] != "" || r.Place.Server == 0 {
		return member.More[setting], err
	}
	server, err := h.Store.Server(ctx, r.Place.Server)
	return server.More[setting], err
}
