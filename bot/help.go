package bot

import (
	"context"
	"fmt"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/view"
)

func helpCommand() command {
	return command{
		Command: chat.Command{Name: "help", About: "What the bot can do", Alone: true},
		run:     (*Bot).help,
		presses: map[string]pressed{
			"start": (*Bot).pressStart,
		},
	}
}

func (b *Bot) help(ctx context.Context, r chat.Request) error {
	t := b.tongue(r)
	lines := []string{"### tengen", t.Say("help.intro")}
	for _, c := range b.commands.all {
		if c.Menu != 0 {
			continue
		}
		if c.paragraph {
			lines = append(lines, "")
		}
		for _, sub := range c.orSelf() {
			lines = append(lines, fmt.Sprintf("`/%s` %s", sub.Name, about(t, sub.Command)))
		}
	}
	lines = append(lines, "", t.Say("help.menus"))
	msg := chat.Message{Private: true, Blocks: []chat.Block{
		{Text: strings.Join(lines, "\n")},
		{Row: []chat.Button{
			{ID: view.Do("start", "gomoku"), Label: t.Say("button.playGomoku"), Style: chat.Primary},
			{ID: view.Do("start", "reversi"), Label: t.Say("button.playReversi"), Style: chat.Primary},
			{ID: view.Do("lesson", "gomoku.0"), Label: t.Say("button.rules")},
		}},
	}}
	return b.say(ctx, r, msg)
}

// about describes a command in the language t.
func about(t view.Tongue, c chat.Command) string {
	if key := "command." + strings.ReplaceAll(c.Name, " ", ".") + ".about"; t.Has(key) {
		return t.Say(key)
	}
	return c.About
}

// pressStart begins a game against the bot with everything at its default.
func (b *Bot) pressStart(ctx context.Context, r chat.Request, p view.Press) error {
	r.Options = map[string]chat.Option{"game": {Text: p.Arg}, "color": {Text: "black"}}
	return b.playBot(ctx, r)
}
