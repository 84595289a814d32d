package bot

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tengen/bot/chat"
	"tengen/game"
	"tengen/storage"
)

func (b *Bot) stats(ctx context.Context, r chat.Request) error {
	who := r.By
	if m := r.Options["member"].Member; m.ID != 0 {
		who = m.ID
	}
	member, err := b.store.Member(ctx, who)
	if err != nil {
		return err
	}
	t := b.tongue(r)
	if who != r.By && member.More[moreHidden] == "1" {
		return no("refused.statsHidden", "Who", mention(who))
	}
	rated, err := b.store.Standings(ctx, who)
	if err != nil {
		return err
	}
	engine, err := b.store.AgainstEngine(ctx, who)
	if err != nil {
		return err
	}
	lines := []string{"### " + t.Say("stats.of", "Who", mention(who))}
	for _, s := range rated {
		s.Rating = s.Aged(b.now())
		lines = append(lines, fmt.Sprintf("**%s** · %s", t.rules(s.Rules), t.Say("stats.rated",
			"Rating", t.rating(s), "Won", s.Won, "Drawn", s.Drawn, "Lost", s.Lost)))
	}
	if len(rated) == 0 {
		lines = append(lines, t.Say("stats.noRated"))
	}
	if len(engine) > 0 {
		lines = append(lines, "", "**"+t.Say("stats.engine")+"**")
	}
	for _, a := range engine {
		lines = append(lines, t.Say("stats.level", "Rules", t.rules(a.Rules), "Level", a.Level, "Won", a.Won, "Drawn", a.Drawn, "Lost", a.Lost))
	}
	if who != r.By {
		won, drawn, lost, err := b.headToHead(ctx, r.By, who)
		if err != nil {
			return err
		}
		if won+drawn+lost > 0 {
			lines = append(lines, "", t.Say("stats.headToHead", "Who", mention(who), "Won", won, "Drawn", drawn, "Lost", lost))
		}
	}
	_, err = b.chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Say, Message: chat.Private(clip(strings.Join(t.unsure(lines), "\n"), 3800))})
	return err
}

// unsure explains the question marks of a list, where it has any.
func (t tongue) unsure(lines []string) []string {
	if slices.ContainsFunc(lines, func(s string) bool { return strings.Contains(s, "? · ") || strings.Contains(s, "?** · ") }) {
		return append(lines, "-# "+t.Say("stats.unsure"))
	}
	return lines
}

// rating is a rating for people; a question mark says that little is known.
func (t tongue) rating(s storage.Standing) string {
	mark := ""
	if s.Provisional() {
		mark = "?"
	}
	return fmt.Sprintf("%.0f%s", s.R, mark)
}

// headToHead counts the last games of a against c, from a's view.
func (b *Bot) headToHead(ctx context.Context, a, c game.MemberID) (won, drawn, lost int, err error) {
	recs, err := b.store.History(ctx, a, 0, 500)
	for _, rec := range recs {
		m := rec.Match
		mine, ok := m.SeatOf(a)
		if _, met := m.SeatOf(c); !ok || !met || m.Result().Cause >= game.Aborted {
			continue
		}
		switch w := m.Result().Winner; {
		case w == game.Empty:
			drawn++
		case w == m.ColorOf(mine):
			won++
		default:
			lost++
		}
	}
	return won, drawn, lost, err
}

func (b *Bot) top(ctx context.Context, r chat.Request) error {
	rules, ok := game.RulesNamed(r.Text("game", "gomoku"))
	if !ok {
		return no("unknown.game")
	}
	server, scope := r.Place.Server, r.Text("scope", "server")
	if scope == "overall" || server == 0 {
		server, scope = 0, "overall"
	}
	const perPage = 15
	page := max(1, r.Number("page", 1))
	best, err := b.store.Top(ctx, server, rules, 20*perPage, true, b.now())
	if err != nil {
		return err
	}
	t := b.tongue(r)
	var shown []storage.Standing
	for _, s := range best {
		member, err := b.store.Member(ctx, s.Member)
		if err != nil {
			return err
		}
		if member.More[moreHidden] != "1" {
			shown = append(shown, s)
		}
		if len(shown) == page*perPage {
			break
		}
	}
	lines := []string{"### " + t.Say("top.title", "Rules", t.rules(rules), "Scope", t.Say("choice.scope."+scope))}
	for i := (page - 1) * perPage; i < len(shown); i++ {
		s := shown[i]
		lines = append(lines, fmt.Sprintf("`%3d.` %s **%s** · %s", i+1, mention(s.Member), t.rating(s),
			t.Say("top.games", "Won", s.Won, "Drawn", s.Drawn, "Lost", s.Lost)))
	}
	if len(lines) == 1 {
		lines = append(lines, t.Say("top.nobody"))
	}
	msg := chat.Text(strings.Join(lines, "\n"))
	msg.Private = b.allowedHere(ctx, r) != nil // it is for all where games are
	_, err = b.chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Say, Message: msg})
	return err
}
