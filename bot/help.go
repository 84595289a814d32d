package bot

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tengen/bot/chat"
)

// helpGroups are the commands with which a new paragraph of /help begins.
var helpGroups = []string{"play bot", "move", "board", "watch", "stats", "settings me"}

func (b *Bot) help(ctx context.Context, r chat.Request) error {
	t := b.tongue(r)
	lines := []string{"### tengen", t.Say("help.intro")}
	for _, c := range Commands() {
		if c.Menu != 0 {
			continue
		}
		for _, sub := range orSelf(c) {
			if slices.Contains(helpGroups, sub.Name) {
				lines = append(lines, "")
			}
			lines = append(lines, fmt.Sprintf("`/%s` %s", sub.Name, t.about(sub)))
		}
	}
	lines = append(lines, "", t.Say("help.menus"))
	msg := chat.Message{Private: true, Blocks: []chat.Block{
		{Text: strings.Join(lines, "\n")},
		{Row: []chat.Button{
			{ID: press{0, 0, "start", "gomoku"}.id(), Label: t.Say("button.playGomoku"), Style: chat.Primary},
			{ID: press{0, 0, "start", "reversi"}.id(), Label: t.Say("button.playReversi"), Style: chat.Primary},
			{ID: press{0, 0, "lesson", "gomoku.0"}.id(), Label: t.Say("button.rules")},
		}},
	}}
	_, err := b.chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Say, Message: msg})
	return err
}

// about is what a command does, in the language.
func (t tongue) about(c chat.Command) string {
	if key := "command." + strings.ReplaceAll(c.Name, " ", ".") + ".about"; t.Has(key) {
		return t.Say(key)
	}
	return c.About
}

// orSelf are the subcommands with their full names, or the command itself.
func orSelf(c chat.Command) []chat.Command {
	if len(c.Subs) == 0 {
		return []chat.Command{c}
	}
	var subs []chat.Command
	for _, s := range c.Subs {
		s.Name = c.Name + " " + s.Name
		subs = append(subs, s)
	}
	return subs
}

// pressStart begins a game against the bot with everything at its default.
func (b *Bot) pressStart(ctx context.Context, r chat.Request, p press) error {
	r.Options = map[string]chat.Option{"game": {Text: p.arg}, "color": {Text: "black"}}
	return b.playBot(ctx, r)
}

func (b *Bot) ping(ctx context.Context, r chat.Request) error {
	waiting, thinking := b.desk.size()
	t := b.tongue(r)
	_, err := b.chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Say, Message: chat.Private(t.Say("ping",
		"Millis", max(0, b.now().Sub(r.At).Milliseconds()), "Waiting", waiting, "Thinking", thinking))})
	return err
}
