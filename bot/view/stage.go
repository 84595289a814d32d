package view

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"tengen/bot/chat"
	"tengen/bot/pad"
	"tengen/game"
	"tengen/game/opening"
	"tengen/render"
)

// The stages of an opening protocol: what is asked of whom in words, and with which buttons it is
// answered.

// OpeningName is the name of an opening as options have it: free, balanced, xot or that of a protocol.
// It is empty for a position that a member brought.
func OpeningName(t game.Terms) string {
	switch t.Opening {
	case game.FreeOpening:
		return "free"
	case game.BalancedOpening:
		return "balanced"
	case game.XOTOpening:
		return "xot"
	case game.ProtocolOpening:
		return t.Protocol.Name()
	}
	return ""
}

// Opening words the name of an opening.
func (t Tongue) Opening(name string) string { return t.Say("choice.opening." + name) }

// Openings words a list of names of openings.
func (t Tongue) Openings(names []string) (words []string) {
	for _, name := range names {
		words = append(words, t.Opening(name))
	}
	return words
}

// padded reports whether a point of the board is asked for, so that there is a pad.
func padded(m game.Match) bool {
	q := m.Question()
	return !m.Deciding() || q.Kind == game.AskPlace || q.Kind == game.AskOffer
}

// asked says what an opening asks of whoever decides now, who is called who.
func (t Tongue) asked(m game.Match, who string) string {
	q := m.Question()
	say := func(key string, args ...any) string { return t.Say(key, append([]any{"Who", who}, args...)...) }
	switch q.Kind {
	case game.AskPlace:
		return t.askedToPlace(m, who)
	case game.AskSwap:
		return say("stage.swap." + m.ColorOf(m.ToMove()).String())
	case game.AskDeclare:
		return say("stage.declare", "Count", len(q.Options))
	case game.AskOffer:
		if q.Wanted == 1 { // it is placed at once
			return t.askedToPlace(m, who)
		}
		return say("stage.offer", "Number", len(q.Offered)+1, "Count", q.Wanted)
	case game.AskSelect:
		return say("stage.select", "Count", len(q.Offered))
	}
	switch {
	case slices.Contains(q.Options, game.PlaceTwo):
		return say("stage.colorOrTwo")
	case slices.Contains(q.Options, game.TenFifths):
		return say("stage.fifths")
	}
	return say("stage.color")
}

// askedToPlace says which stone goes where.
func (t Tongue) askedToPlace(m game.Match, who string) string {
	square, outside, some := pad.Marked(m)
	key := "stage.place"
	switch {
	case some && outside:
		key = "stage.placeOut"
	case some && square.Cols() == 1:
		key = "stage.placeAt"
	case some:
		key = "stage.placeIn"
	}
	return t.Say(key+"."+m.Game().Turn().String(), "Who", who, "Number", m.Game().Len()+1, "Point", square.From.String(),
		"Size", square.Cols())
}

// offered lists the points that are offered for the fifth stone; empty where there are none.
func (t Tongue) offered(m game.Match) string {
	var points []string
	for i, p := range m.Question().Offered {
		points = append(points, fmt.Sprintf("%d. %v", i+1, p))
	}
	if len(points) == 0 {
		return ""
	}
	return t.Say("stage.offered", "Points", t.Line(points...))
}

// decision words a decision of an opening that is no stone.
func (t Tongue) decision(d game.Decision) string {
	if p, ok := d.Offered(); ok {
		return t.Say("button.offerPoint", "Point", p.String())
	}
	if n, ok := d.Declared(); ok {
		return t.Say("decision.declare", "Count", n)
	}
	if key := "decision." + d.String(); t.Has(key) {
		return t.Say(key)
	}
	return t.Say("button.decide." + d.String())
}

// lastDecision tells one side what the other has decided since that side's last act, where that is neither a
// stone nor an offer, which the board shows.
func (t Tongue) lastDecision(m game.Match) string {
	if len(m.Question().Offered) > 0 {
		return ""
	}
	for _, last := range slices.Backward(m.Made()) {
		switch {
		case last.Seat == m.ToMove():
			return ""
		case last.Ply == 0:
			return t.decided(m, last)
		}
	}
	return ""
}

// decided tells who has decided what.
func (t Tongue) decided(m game.Match, e game.Made) string {
	return t.Say("stage.decided", "Who", t.Seat(m.Seats[e.Seat]), "Decision", t.decision(e.Decision()))
}

// answer is the label of the button that answers the question of an opening with d.
func (t Tongue) answer(m game.Match, d game.Decision) string {
	if n, ok := d.Declared(); ok {
		return strconv.Itoa(n)
	}
	key := "button.decide." + d.String()
	if d == game.Stay || d == game.Swap {
		key += "." + m.ColorOf(m.ToMove()).String()
	}
	return t.Say(key)
}

// answers are the buttons, or the menu, that answer a question of an opening that asks for no point of
// the pad.
func (t Tongue) answers(m game.Match, at pad.Pad) (blocks []chat.Block) {
	q := m.Question()
	var row []chat.Button
	switch q.Kind {
	case game.AskDeclare:
		menu := chat.Select{ID: On(m, "decide", "declare"), Hint: t.Say("stage.howMany")}
		for _, d := range q.Options {
			menu.Choice = append(menu.Choice, chat.Choice{Label: t.answer(m, d), Value: d.String()})
		}
		return []chat.Block{{Select: &menu}}
	case game.AskSelect:
		for i, p := range q.Offered {
			b := chat.Button{ID: On(m, "play", p.String()), Label: t.Line(fmt.Sprint(i+1), p.String())}
			if p == at.Sure {
				b.Style = chat.Success
			}
			row = append(row, b)
		}
	default:
		for _, d := range q.Options {
			row = append(row, chat.Button{ID: On(m, "decide", d.String()), Label: t.answer(m, d), Style: chat.Primary})
		}
	}
	for part := range slices.Chunk(row, pad.Cols) {
		blocks = append(blocks, chat.Block{Row: part})
	}
	return blocks
}

// unoffer is the button that takes the last offered point back; nil while none is there.
func (t Tongue) unoffer(m game.Match) []chat.Button {
	if q := m.Question(); q.Kind != game.AskOffer || len(q.Offered) == 0 {
		return nil
	}
	return []chat.Button{{ID: On(m, "unoffer", ""), Label: t.Say("button.unoffer")}}
}

// sure is the label of the button that confirms the point of the pad.
func (t Tongue) sure(m game.Match, p game.Point) string {
	switch q := m.Question(); {
	case q.Wanted == 1: // it is placed at once
	case q.LastOffer():
		return t.Say("button.offerAll", "Count", q.Wanted)
	case q.Kind == game.AskOffer:
		return t.Say("button.offerPoint", "Point", p.String())
	}
	return t.Say("button.playPoint", "Point", p.String())
}

// stage draws what an opening asks: the offered points with their numbers, and the square that the next
// stone may go to, or not.
func stage(m game.Match) (frames []render.Frame, marks []render.Mark) {
	if square, _, ok := pad.Marked(m); ok {
		frames = append(frames, render.Frame{From: square.From, To: square.To, Closed: true})
	}
	for i, p := range m.Question().Offered {
		marks = append(marks, OfferMark(i, p))
	}
	return frames, marks
}

// OfferMark is how the offered point with an index is drawn: half a stone, with its number.
func OfferMark(i int, p game.Point) render.Mark {
	return render.Mark{At: p, Ghost: true, Text: strconv.Itoa(i + 1)}
}

// OpeningChoices are all openings for a menu, those of one kind of game with its name.
func (t Tongue) OpeningChoices(chosen string) (choices []chat.Choice) {
	add := func(name, of string) {
		choices = append(choices, chat.Choice{Label: t.Line(t.Opening(name), of), Value: name, Chosen: name == chosen})
	}
	add("free", "")
	add("balanced", "")
	add("xot", t.Rules(game.Reversi))
	for _, r := range []game.Rules{game.Gomoku15, game.Renju} {
		for _, p := range opening.For(r) {
			add(p.Name(), t.Rules(r))
		}
	}
	return choices
}

// OpeningMenu are the openings for a form, with the usual one before them where there is one. It is
// chosen unless another is.
func (t Tongue) OpeningMenu(usual, chosen string) []chat.Choice {
	if usual == "" {
		return t.OpeningChoices(cmp.Or(chosen, "free"))
	}
	first := chat.Choice{Label: t.Say("choice.opening.usual", "Value", t.Opening(usual)), Value: "usual",
		Chosen: chosen == "" || chosen == "usual"}
	return append([]chat.Choice{first}, t.OpeningChoices(chosen)...)
}

// marksOf show the point that is yet to be confirmed as a stone that is only half there. One that is to
// be offered has its number; one that is selected has it already.
func marksOf(at pad.Pad, m game.Match) []render.Mark {
	switch q := m.Question(); {
	case at.Sure == game.NoPoint || q.Kind == game.AskSelect:
		return nil
	case q.Kind == game.AskOffer && q.Wanted > 1:
		return []render.Mark{OfferMark(len(q.Offered), at.Sure)}
	}
	return []render.Mark{{At: at.Sure, Ghost: true}}
}
