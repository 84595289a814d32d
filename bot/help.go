package bot

import (
	"context"
	"strconv"

	"tengen/bot/chat"
	"tengen/bot/view"
)

func helpCommand() command {
	return command{
		Command: chat.Command{Name: "help", About: "What the bot can do", Alone: true},
		run:     (*Bot).help,
		presses: map[string]pressed{
			"help":  (*Bot).pressHelp,
			"open":  (*Bot).pressOpen,
			"start": (*Bot).pressStart,
		},
	}
}

func (b *Bot) help(ctx context.Context, r chat.Request) error { return b.helpPage(ctx, r, 0) }

func (b *Bot) pressHelp(ctx context.Context, r chat.Request, p view.Press) error {
	page, err := strconv.Atoi(p.Arg)
	if err != nil {
		return no("unknown.button")
	}
	return b.helpPage(ctx, r, page)
}

// helpPage is a page of /help: the commands, with a button beside those that a button can run.
func (b *Bot) helpPage(ctx context.Context, r chat.Request, page int) error {
	return b.turnPage(ctx, r, b.tongue(r).Help(helpLines(b.commands.all, r), page))
}

// helpLines are the lines of /help in the place of r.
func helpLines(all []command, r chat.Request) []view.HelpLine {
	var lines []view.HelpLine
	for _, c := range all {
		if c.Menu != 0 {
			continue
		}
		for i, sub := range c.orSelf() {
			lines = append(lines, view.HelpLine{Command: sub.Command, Opens: sub.opensIn(r), Paragraph: c.paragraph && i == 0})
		}
	}
	return lines
}

// pressOpen runs a command as if the member had typed it without options.
func (b *Bot) pressOpen(ctx context.Context, r chat.Request, p view.Press) error {
	c, ok := b.commands.byName[p.Arg]
	if !ok || !c.opensIn(r) {
		return no("unknown.button")
	}
	return c.run(b, ctx, asCommand(r, c.Name))
}

// pressStart begins a game against the bot with everything at its default.
func (b *Bot) pressStart(ctx context.Context, r chat.Request, p view.Press) error {
	r.Options = map[string]chat.Option{"game": {Text: p.Arg}, "color": {Text: "black"}}
	return b.playBot(ctx, r)
}
