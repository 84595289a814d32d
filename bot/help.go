package bot

import (
	"context"
	"strconv"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/view"
)

func (b *Bot) helpCommand() command.Command {
	return command.Command{
		Command: chat.Command{Name: "help", Alone: true},
		Run:     b.help,
		Presses: map[string]command.Pressed{
			"help":  b.pressHelp,
			"open":  b.pressOpen,
			"start": b.pressStart,
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
	offer, err := b.lessons.Offer(ctx, r)
	if err != nil {
		b.log.Warn("the offer of a first step", "err", err)
	}
	msg := b.tongue(r).Help(helpLines(b.commands.All, r), page)
	msg.Blocks = append(msg.Blocks, offer...)
	return b.reply(ctx, r, msg)
}

func helpLines(all []command.Command, r chat.Request) []view.HelpLine {
	var lines []view.HelpLine
	for _, c := range all {
		if c.Menu != 0 {
			continue
		}
		for i, sub := range c.OrSelf() {
			lines = append(lines, view.HelpLine{Command: sub.Command, Opens: sub.OpensIn(r), Paragraph: c.Paragraph && i == 0})
		}
	}
	return lines
}

// pressOpen runs a command as if the member had typed it without options.
func (b *Bot) pressOpen(ctx context.Context, r chat.Request, p view.Press) error {
	return b.commands.Open(ctx, r, p.Arg)
}

// pressStart begins a game against the bot with everything at its default.
func (b *Bot) pressStart(ctx context.Context, r chat.Request, p view.Press) error {
	r.Options = map[string]chat.Option{"game": {Text: p.Arg}, "color": {Text: "black"}}
	return b.playBot(ctx, r)
}
