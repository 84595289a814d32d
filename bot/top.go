package bot

import (
	"context"
	"fmt"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/puzzles"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

func (b *Bot) topCommand() command.Command {
	ways := []command.Command{{As: "ladder", Run: b.topLadder}}
	for _, table := range puzzles.Tables {
		ways = append(ways, command.Command{As: table,
			Run: command.With("puzzles", chat.Option{Text: table}, b.topPuzzles)})
	}
	return command.Command{
		Command: chat.Command{Name: "top", Options: []chat.OptionSpec{
			command.Kind(), command.Choosing("table", "", ways),
			{Name: "scope", Type: chat.TextOption,
				Choices: command.Named("scope", "server", "overall")},
			command.Page()}},
		By: "table", Ways: ways,
		Opens: true,
		Run:   b.top,
	}
}

// topLadder shows the places of the server's ladder.
func (b *Bot) topLadder(ctx context.Context, r chat.Request) error { return b.ladders.Places(ctx, r) }

// topPuzzles shows the best of the server at puzzles.
func (b *Bot) topPuzzles(ctx context.Context, r chat.Request) error {
	if r.Place.Server == 0 {
		return no("refused.noServer")
	}
	msg, err := b.puzzles.Top(ctx, r)
	if err != nil {
		return err
	}
	return b.postOrSay(ctx, r, b.tongue(r).WithProfiles(msg))
}

func (b *Bot) top(ctx context.Context, r chat.Request) error {
	if r.Text("puzzles", "") != "" { // an option before "table" was one
		return b.topPuzzles(ctx, r)
	}
	server, scope := r.Place.Server, r.Text("scope", "server")
	keep := func(m storage.Member) bool { return m.More[view.MoreHidden] != "1" }
	if scope == "overall" || server == 0 {
		here, err := b.store.Players(ctx, server)
		if err != nil {
			return err
		}
		server, scope = 0, "overall"
		// Members of other servers are shown only if they asked for it.
		keep = func(m storage.Member) bool { return m.ID == r.By && m.More[view.MoreHidden] != "1" || shownTo(m, here) }
	}
	const perPage = 10
	page := max(1, r.Number("page", 1))
	rules, shown, err := b.topTable(ctx, r, server, page*perPage, keep)
	if err != nil {
		return err
	}
	page = min(page, max(1, (len(shown)+perPage-1)/perPage))
	t := b.tongue(r)
	lines := []string{"### " + t.Line(t.Rules(rules), t.Say("choice.scope."+scope))}
	for i := (page - 1) * perPage; i < len(shown); i++ {
		s := shown[i]
		lines = append(lines, t.Line(fmt.Sprintf("`%3d.` %s **%s**", i+1, view.Mention(s.Member), t.Rating(s.Rating)),
			t.Say("top.games", "Won", s.Won, "Drawn", s.Drawn, "Lost", s.Lost)))
	}
	if len(shown) == 0 {
		lines = append(lines, t.Say("top.nobody"))
	}
	if scope == "overall" {
		lines = append(lines, "-# "+t.Say("top.elsewhere"))
	}
	msg := chat.Text(strings.Join(lines, "\n"))
	msg.Private = len(shown) == 0 // it is of no use to others
	return b.postOrSay(ctx, r, t.WithProfiles(msg))
}

// postOrSay answers r with a message for all where games are, and else for the asking member alone.
func (b *Bot) postOrSay(ctx context.Context, r chat.Request, msg chat.Message) error {
	if !msg.Private {
		if err := b.host.Post(ctx, r, msg); !view.IsRefused(err, "refused.channel") {
			return err
		}
	}
	return b.say(ctx, r, msg)
}

// topTable is the first of r's tables in which somebody stands, with its best players; or the
// first of all, which is empty.
func (b *Bot) topTable(ctx context.Context, r chat.Request, server uint64, most int,
	keep func(storage.Member) bool) (game.Rules, []storage.Standing, error) {
	var first game.Rules
	for _, name := range topGames(r) {
		rules, ok := game.RulesNamed(name)
		if !ok {
			return nil, nil, no("unknown.game")
		}
		shown, err := b.store.Top(ctx, server, rules, most, b.now(), keep)
		if err != nil || len(shown) > 0 {
			return rules, shown, err
		}
		if first == nil {
			first = rules
		}
	}
	return first, nil, nil
}

// topGames are the games whose tables /top looks at: the one that is named, or all.
func topGames(r chat.Request) []string {
	if name := r.Text("game", ""); name != "" {
		return []string{name}
	}
	var names []string
	for _, c := range command.GameChoices() {
		names = append(names, c.Value)
	}
	return names
}
