package puzzles

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

// Tables are the tables of the best at puzzles.
var Tables = []string{"rating", "streak", "storm"}

// mostTop is how many members a table of the best has.
const mostTop = 10

// Top is the table of the best of a server at puzzles, as the options of r say.
func (p *Puzzles) Top(ctx context.Context, r chat.Request) (chat.Message, error) {
	of, err := p.usual(ctx, r)
	if err != nil {
		return chat.Message{}, err
	}
	here, err := p.Store.Solvers(ctx, r.Place.Server, of, func(m storage.Member) bool {
		return m.More[view.MoreHidden] != "1"
	})
	if err != nil {
		return chat.Message{}, err
	}
	t, what := p.House.Tongue(r), r.Text("puzzles", "rating")
	var lines []string
	none := "top.noRun"
	if what == "rating" {
		lines, none = byRating(t, here), "top.noSolver"
	} else {
		lines = p.byRun(t, here, what, of)
	}
	nobody := len(lines) == 0
	if nobody {
		lines = []string{t.Say(none)}
	}
	title := "### " + t.Line(t.Say("choice.table."+what), t.Rules(of))
	msg := chat.Text(strings.Join(append([]string{title}, lines...), "\n"))
	msg.Private = nobody // it is of no use to others
	return msg, nil
}

// byRating are the members with the highest ratings. Who is new is not among them.
func byRating(t view.Tongue, here []storage.SolvedHere) (lines []string) {
	here = slices.DeleteFunc(here, func(s storage.SolvedHere) bool { return s.Provisional() })
	slices.SortStableFunc(here, func(a, b storage.SolvedHere) int { return cmp.Compare(b.R, a.R) })
	for i, s := range here[:min(len(here), mostTop)] {
		lines = append(lines, t.Line(fmt.Sprintf("`%3d.` %s **%s**", i+1, view.Mention(s.Solver.Member),
			t.Rating(s.Solver.Rating)),
			t.Say("top.solved", "Solved", s.Solved, "Count", s.Tried)))
	}
	return lines
}

// byRun are the members with the best runs of a kind: of today, of the week, of all.
func (p *Puzzles) byRun(t view.Tongue, here []storage.SolvedHere, kind string, of game.Rules) (lines []string) {
	type row struct {
		by game.MemberID
		storage.Best
	}
	var rows []row
	for _, s := range here {
		for _, b := range s.Run.Bests {
			if b.Kind.String() == kind && b.Rules == of && b.Ever > 0 {
				rows = append(rows, row{s.Solver.Member, aged(b, p.Now())})
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(b.Ever, a.Ever) })
	for i, s := range rows[:min(len(rows), mostTop)] {
		lines = append(lines, t.Line(fmt.Sprintf("`%3d.` %s **%d**", i+1, view.Mention(s.by), s.Ever),
			t.Say("top.run", "Day", s.Day, "Week", s.Week)))
	}
	return lines
}
