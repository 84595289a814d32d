package learn

import (
	"testing"

	"tengen/bot/view"
	"tengen/game"
	"tengen/game/opening"
	"tengen/game/record"
	"tengen/internal/testkit"
)

// Every page of the rules shows what its text says.
func TestRulePages(t *testing.T) {
	at := func(s string) game.Point {
		return testkit.Got(game.ParsePoint(s, 15))
	}
	forbidden := map[string]map[game.Point]game.Code{
		"renju.2": {at("h8"): game.DoubleThree},
		"renju.3": {at("f4"): game.Overline, at("j10"): game.DoubleFour},
		"renju.4": {},
	}
	for name, pages := range rulePages {
		for _, l := range pages {
			g, err := record.ParseLine(l.line)
			if err != nil {
				t.Errorf("%s: %v", l.name, err)
				continue
			}
			if name != "standard" && g.Rules().Name() != name && l.name != "gomoku.4" {
				t.Errorf("%s is about %s", l.name, g.Rules().Name())
			}
			if !view.In("en").Has("lesson." + l.name) {
				t.Errorf("%s has no text", l.name)
			}
			for p, code := range forbidden[l.name] {
				var found bool
				for _, r := range g.Forbidden() {
					found = found || r.Point == p && r.Code == code
				}
				if !found {
					t.Errorf("%s: %v is not forbidden as told: %v", l.name, p, g.Forbidden())
				}
			}
			switch l.name {
			case "gomoku.1", "reversi.4":
				if g.Turn() != game.Empty {
					t.Errorf("%s is not over", l.name)
				}
			case "renju.4":
				if g, err = g.Play(at("i8")); err != nil || g.Result().Winner != game.Black {
					t.Errorf("%s: I8 does not win: %v", l.name, err)
				}
			case "standard.1":
				if g, err = g.Play(at("h7")); err != nil || g.Result().Over() {
					t.Errorf("%s: H7 ends the game: %v", l.name, err)
				}
			}
		}
	}
}

// Every protocol is explained in three pages, each with a position that the protocol can come
// to, and with offers that it allows.
func TestOpeningPages(t *testing.T) {
	for _, p := range append([]opening.Protocol{0}, opening.All...) {
		name := "xot"
		if p != 0 {
			name = p.Name()
		}
		pages := openingPages[name]
		if len(pages) != 3 {
			t.Errorf("%s has %d pages", name, len(pages))
		}
		for i, l := range pages {
			g, err := record.ParseLine(l.line)
			if err != nil {
				t.Errorf("%s: %v", l.name, err)
				continue
			}
			offers, err := game.ParseMoves(l.offers)
			if err != nil || !view.In("en").Has("lesson."+l.name) {
				t.Errorf("%s has no text, or %v", l.name, err)
			}
			if p != 0 && !comesTo(p.Begin(), g.Moves(), offers) {
				t.Errorf("%s does not come to %v with the offers %v", name, g.Moves(), offers)
			}
			_, err = rulesPage(view.In("zh-CN"), name, i)
			testkit.Check(t, err)
		}
	}
}

// comesTo reports whether an opening can go on with these stones and then with these offers.
func comesTo(s opening.State, stones, offers []game.Point) bool {
	if len(stones)+len(offers) == 0 {
		return true
	}
	q := s.Question()
	switch {
	case q.Kind == game.AskPlace && len(stones) > 0:
		next, err := s.Decide(game.Decision(stones[0]))
		return err == nil && comesTo(next, stones[1:], offers)
	case q.Kind == game.AskOffer && len(stones) == 0:
		next, err := s.Decide(game.Offer(offers[0]))
		return err == nil && comesTo(next, nil, offers[1:])
	case q.Kind == game.AskNothing: // play goes on
		return len(offers) == 0
	}
	for _, d := range q.Options {
		if next, err := s.Decide(d); err == nil && comesTo(next, stones, offers) {
			return true
		}
	}
	return false
}
