package events

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tengen/bot/view"
	"tengen/game"
	"tengen/game/event"
	"tengen/render"
	"tengen/storage"
)

// How many names stand where the message of an event says who is in front, or first.
const (
	listedStandings = 5
	listedWinners   = 20
)

// placed says which place an entrant has, and the points; nothing before anybody has a point, and while
// a knockout goes on.
func placed(t view.Tongue, e storage.Event, number int) string {
	table := e.Standings()
	i := slices.IndexFunc(table, func(s event.Standing) bool { return s.ID == number })
	if i < 0 || !scored(table) || e.Kind == event.KindKnockout && !e.Ended {
		return ""
	}
	key := "event.me.place"
	if len(at(table, table[i].Place)) > 1 {
		key = "event.me.shared"
	}
	return t.Say(key, "Place", table[i].Place, "Points", render.Points(table[i].Points))
}

// scored reports whether anybody has a point.
func scored(table []event.Standing) bool {
	return slices.ContainsFunc(table, func(s event.Standing) bool { return s.Points > 0 })
}

// at are those who have, or share, a place.
func at(table []event.Standing, place int) (shared []event.Standing) {
	for _, s := range table {
		if s.Place == place {
			shared = append(shared, s)
		}
	}
	return shared
}

// leaders are the first of the standings.
func leaders(t view.Tongue, e storage.Event) []string {
	table := e.Standings()
	if e.Kind == event.KindKnockout || !scored(table) {
		return nil
	}
	lines := []string{t.Say("event.leaders")}
	n := min(len(table), listedStandings)
	for i, s := range table[:n] {
		who := t.Seat(e.Entrants[s.ID-1].Seat)
		if more := len(at(table[n:], s.Place)); i == n-1 && more > 0 { // who share the last place that is listed
			who = t.Aside(who, t.Say("event.more", "Count", more))
		}
		lines = append(lines, t.Line(fmt.Sprintf("%d\\. %s", s.Place, who), render.Points(s.Points)))
	}
	return lines
}

// winners names those who are first, second and third, and the best member where no member is first.
func winners(t view.Tongue, e storage.Event) string {
	table := e.Standings()
	if !scored(table) {
		return t.Say("event.noWinner")
	}
	first := at(table, 1)
	key := "event.won"
	if len(first) > 1 {
		key = "event.wonShared"
	}
	lines := []string{t.Say(key, "Who", names(t, e, first), "Count", len(e.Entrants))}
	for i, medal := range []string{"🥈", "🥉"} {
		on := slices.DeleteFunc(at(table, i+2), func(s event.Standing) bool { return s.Points == 0 && !came(e, s.ID) })
		if len(on) > 0 {
			lines = append(lines, medal+" "+names(t, e, on))
		}
	}
	bot := func(s event.Standing) bool { return e.Entrants[s.ID-1].Seat.Kind == game.EngineSeat }
	members := slices.DeleteFunc(slices.Clone(table), bot)
	if len(members) > 0 && len(at(members, 1)) == 0 {
		best := members[0].Place
		lines = append(lines, t.Say("event.bestMember", "Who", names(t, e, at(members, best)), "Place", best))
	}
	return strings.Join(lines, "\n")
}

// came reports whether an entrant has played a game to its end.
func came(e storage.Event, number int) bool {
	over := []event.Result{event.Win, event.Draw, event.Loss}
	return e.Any(func(b event.Board) bool {
		return (b.White == number || b.Black == number) && slices.Contains(over, b.Results[0])
	})
}

// names lists those who share a place. In a knockout that ends early they are very many.
func names(t view.Tongue, e storage.Event, shared []event.Standing) string {
	var names []string
	for _, s := range shared {
		names = append(names, t.Seat(e.Entrants[s.ID-1].Seat))
	}
	if len(names) > listedWinners {
		return some(t, names, listedWinners)
	}
	return t.List(names)
}

// tieBreaks are what decides between equal points, by numbers of entrants: the first one first. Who shares the points
// with nobody is not there.
func tieBreaks(t view.Tongue, e storage.Event) map[int]string {
	table, said := e.Standings(), map[int]string{}
	for len(table) > 0 {
		n := slices.IndexFunc(table, func(s event.Standing) bool { return s.Points != table[0].Points })
		if n < 0 {
			n = len(table)
		}
		group := table[:n]
		table = table[n:]
		if n == 1 || group[0].Points == 0 && group[0].Place == group[n-1].Place {
			continue
		}
		for _, s := range group {
			said[s.ID] = t.Line(tieBreak(e.Kind, s)...)
		}
	}
	return said
}

func tieBreak(k event.Kind, s event.Standing) []string {
	switch k {
	case event.KindArena:
		return []string{strconv.Itoa(int(s.Perf + .5))}
	case event.KindRoundRobin:
		return []string{strconv.Itoa(s.DE), render.Points(s.SB), strconv.Itoa(s.Wins)}
	}
	return []string{render.Points(s.BHC1), render.Points(s.BH), render.Points(s.SB), strconv.Itoa(s.Wins)}
}

// forfeited reports whether a game of the event was lost without being played.
func forfeited(e storage.Event) bool {
	return e.Any(func(b event.Board) bool { return slices.Contains(b.Results[:], event.ForfeitLoss) })
}
