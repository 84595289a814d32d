package view

import (
	"strings"

	"tengen/game"
	"tengen/game/event"
	"tengen/storage"
)

// Profile is what a member has reached, as another one sees it, or they themselves.
type Profile struct {
	Who    game.MemberID
	Rated  []storage.Standing           // in rated games, with the ratings of today
	Casual map[game.Rules]storage.Tally // in their last games against members that changed no ratings
	Bot    []storage.Against
	Met    storage.Tally // of who asks against Who
}

// With is p with a finished match of its member, for member asks.
func (p Profile) With(rec storage.Record, asks game.MemberID) Profile {
	seat, ok := rec.SeatOf(p.Who)
	if !ok || rec.Result().Termination >= game.Aborted {
		return p
	}
	if other, ok := rec.SeatOf(asks); ok && other != seat {
		p.Met = p.Met.With(rec.Score(other))
	}
	if !rec.AgainstEngine() && rec.Changes == [2]storage.Change{} {
		if p.Casual == nil {
			p.Casual = map[game.Rules]storage.Tally{}
		}
		p.Casual[rec.Rules] = p.Casual[rec.Rules].With(rec.Score(seat))
	}
	return p
}

// Profile words a profile, game by game.
func (t Tongue) Profile(p Profile) string {
	lines := []string{"### " + Mention(p.Who)}
	var ratings []event.Rating
	for _, rules := range game.AllRules {
		head, played := "**"+t.Rules(rules)+"**", []string(nil)
		for _, s := range p.Rated {
			if s.Rules == rules {
				head = t.Line(head, t.Rating(s.Rating))
				ratings = append(ratings, s.Rating)
				played = append(played, t.results("stats.rated", s.Tally))
			}
		}
		if casual, ok := p.Casual[rules]; ok {
			played = append(played, t.results("stats.casual", casual))
		}
		for _, a := range p.Bot {
			if a.Rules == rules {
				played = append(played, t.results("stats.level", a.Tally, "Level", a.Level))
			}
		}
		if len(played) > 0 {
			lines = append(append(lines, head), played...)
		}
	}
	if len(p.Rated) == 0 {
		lines = append(lines, t.Say("stats.noRated"))
	}
	if p.Met != (storage.Tally{}) {
		lines = append(lines, t.results("stats.headToHead", p.Met, "Who", Mention(p.Who)))
	}
	return strings.Join(t.WhyNew(lines, ratings...), "\n")
}

// results words how many games were won, drawn and lost.
func (t Tongue) results(key string, n storage.Tally, args ...any) string {
	return t.Say(key, append(args, "Won", n.Won, "Drawn", n.Drawn, "Lost", n.Lost)...)
}
