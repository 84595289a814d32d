package bot

import (
	"context"
	"fmt"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

func topCommand() command {
	return command{
		Command: chat.Command{Name: "top", About: "The best players", Options: []chat.OptionSpec{
			kindOption(),
			{Name: "scope", About: "This server or everywhere", Type: chat.TextOption, Choices: named("scope", "server", "overall")},
			pageOption()}},
		opens: true,
		run:   (*Bot).top,
	}
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
	lines := []string{"### " + t.Say("top.title", "Rules", t.Rules(rules), "Scope", t.Say("choice.scope."+scope))}
	for i := (page - 1) * perPage; i < len(shown); i++ {
		s := shown[i]
		lines = append(lines, fmt.Sprintf("`%3d.` %s **%s** · %s", i+1, view.Mention(s.Member), t.Rating(s),
			t.Say("top.games", "Won", s.Won, "Drawn", s.Drawn, "Lost", s.Lost)))
	}
	if len(lines) == 1 {
		lines = append(lines, t.Say("top.nobody"))
	}
	msg := chat.Text(strings.Join(lines, "\n"))
	msg.Private = b.allowedHere(ctx, r) != nil // it is for all where games are
	return b.say(ctx, r, msg)
}
