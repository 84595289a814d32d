package bot

import (
	"context"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/view"
	"tengen/game"
)

func (b *Bot) profileCommand() command.Command {
	return command.Command{
		Command: chat.Command{Name: "profile", Alone: true,
			Options: []chat.OptionSpec{{Name: "member", Type: chat.MemberOption}}},
		Was:   []string{"stats"},
		Opens: true,
		Run:   b.profile,
	}
}

func (b *Bot) profile(ctx context.Context, r chat.Request) error {
	who := r.By
	if m := r.Options["member"].Member; m.ID != 0 {
		who = m.ID
	}
	member, err := b.store.Member(ctx, who)
	if err != nil {
		return err
	}
	t := b.tongue(r)
	if who != r.By && member.More[view.MoreHidden] == "1" {
		return no("refused.statsHidden", "Who", view.Mention(who))
	}
	rated, err := b.store.Standings(ctx, who)
	if err != nil {
		return err
	}
	engine, err := b.store.AgainstEngine(ctx, who)
	if err != nil {
		return err
	}
	lines := []string{"### " + view.Mention(who)}
	for _, s := range rated {
		s.Rating = s.Aged(b.now())
		lines = append(lines, t.Line("**"+t.Rules(s.Rules)+"**", t.Say("stats.rated",
			"Rating", t.Rating(s), "Won", s.Won, "Drawn", s.Drawn, "Lost", s.Lost)))
	}
	if len(rated) == 0 {
		lines = append(lines, t.Say("stats.noRated"))
	}
	if len(engine) > 0 {
		lines = append(lines, "", "**"+t.Say("stats.engine")+"**")
	}
	for _, a := range engine {
		lines = append(lines, t.Say("stats.level", "Rules", t.Rules(a.Rules), "Level", a.Level, "Won", a.Won,
			"Drawn", a.Drawn, "Lost", a.Lost))
	}
	if who != r.By {
		won, drawn, lost, err := b.headToHead(ctx, r.By, who)
		if err != nil {
			return err
		}
		if won+drawn+lost > 0 {
			lines = append(lines, "", t.Say("stats.headToHead", "Who", view.Mention(who), "Won", won,
				"Drawn", drawn, "Lost", lost))
		}
	}
	return b.say(ctx, r, chat.Private(view.Clip(strings.Join(t.Unsure(lines), "\n"), 3800)))
}

// headToHead counts the last games of a against c, from a's view.
func (b *Bot) headToHead(ctx context.Context, a, c game.MemberID) (won, drawn, lost int, err error) {
	recs, err := b.store.History(ctx, a, 0, 500)
	for _, rec := range recs {
		m := rec.Match
		mine, ok := m.SeatOf(a)
		if _, met := m.SeatOf(c); !ok || !met || m.Result().Termination >= game.Aborted {
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
