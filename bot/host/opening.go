package host

import (
	"context"
	"slices"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/opening"
)

// usually is the choice of a form that leaves the opening to the settings.
const usually = "usual"

// Openings are the names of the openings that fit a kind of game, the free one first.
func Openings(r game.Rules) []string {
	names := []string{"free", "balanced"}
	if r == game.Reversi {
		names = append(names, "xot")
	}
	for _, p := range opening.For(r) {
		names = append(names, p.Name())
	}
	return names
}

// AllOpenings are the names of all openings.
func AllOpenings() []string {
	names := []string{"free", "balanced", "xot"}
	for _, p := range opening.All {
		names = append(names, p.Name())
	}
	return names
}

// OpeningChoices are the openings that fit the game of a command, and what the member has typed of
// their names.
func (h *Host) OpeningChoices(ctx context.Context, r chat.Request) (choices []chat.Choice, err error) {
	usual, err := h.UsualGame(ctx, r)
	if err != nil {
		return nil, err
	}
	rules, ok := game.RulesNamed(r.Text("game", usual))
	if !ok {
		return nil, nil
	}
	t, typed := h.House.Tongue(r), strings.ToLower(strings.TrimSpace(r.Options["opening"].Text))
	for _, name := range Openings(rules) {
		label := t.Opening(name)
		if strings.Contains(strings.ToLower(label), typed) || strings.HasPrefix(name, typed) {
			choices = append(choices, chat.Choice{Label: label, Value: name})
		}
	}
	return choices, nil
}

// UsualOpening is the opening where none is named, by the member's choice, else by the server's; empty
// where neither has chosen. It need not fit a game.
func (h *Host) UsualOpening(ctx context.Context, r chat.Request) (string, error) {
	name, err := h.usual(ctx, r, MoreOpening)
	if !slices.Contains(AllOpenings(), name) { // chosen under a later version, perhaps
		name = ""
	}
	return name, err
}

// open gives terms the opening that r names, else the usual one where that fits.
func (h *Host) open(ctx context.Context, r chat.Request, t game.Terms) (game.Terms, error) {
	tongue := h.House.Tongue(r)
	name := openingTyped(tongue, r.Text("opening", usually))
	switch fit := Openings(t.Rules); {
	case name == usually:
		var err error
		if name, err = h.UsualOpening(ctx, r); err != nil {
			return t, err
		}
		if !slices.Contains(fit, name) {
			return t, nil
		}
	case !slices.Contains(fit, name):
		return t, view.No("refused.opening", "Openings", tongue.Openings(fit))
	}
	return h.Redrawn(Opened(t, name)), nil
}

// openingTyped is the name of the opening that a member means by its name or by how it is shown. Where there
// is none it is what they typed.
func openingTyped(t view.Tongue, typed string) string {
	for _, name := range AllOpenings() {
		if strings.EqualFold(typed, name) || strings.EqualFold(typed, t.Opening(name)) {
			return name
		}
	}
	return strings.ToLower(typed)
}

// Opened is t with an opening by its name. What the opening draws by lot is left to Redrawn.
func Opened(t game.Terms, name string) game.Terms {
	t.Opening, t.Protocol = game.FreeOpening, nil
	switch name {
	case "balanced":
		t.Opening = game.BalancedOpening
	case "xot":
		t.Opening = game.XOTOpening
	default:
		if p, ok := opening.Named(name); ok {
			t.Opening, t.Protocol = game.ProtocolOpening, p
		}
	}
	return t
}

// tellUnfit tells the asking member, and nobody else, that a game has begun without their
// usual opening because the two do not go together.
func (h *Host) tellUnfit(ctx context.Context, r chat.Request, t game.Terms) {
	member, err := h.Store.Member(ctx, r.By)
	name := member.More[MoreOpening]
	if err != nil || t.Opening != game.FreeOpening || r.Text("opening", usually) != usually ||
		!slices.Contains(AllOpenings(), name) || slices.Contains(Openings(t.Rules), name) {
		return
	}
	msg := chat.Private(h.House.Tongue(r).Say("opening.unfit"))
	if _, err := h.Chat.Send(ctx, chat.To{Token: r.Token}, msg); err != nil {
		h.Log.Info("unfit opening", "err", err)
	}
}

// Redrawn is t with the given moves that its opening draws by lot, by the seed of t.
func (h *Host) Redrawn(t game.Terms) game.Terms {
	switch t.Opening {
	case game.BalancedOpening:
		t.Given = h.Balanced(t.Rules, t.Seed)
	case game.XOTOpening:
		t.Given = opening.XOT(t.Seed)
	}
	return t
}
