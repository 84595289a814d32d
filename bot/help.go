package bot

import (
	"context"
	"fmt"
	"strconv"
	"strings"

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
	t := b.tongue(r)
	pages := helpPages(b.commands.all, t, r)
	page = min(max(page, 0), len(pages)-1)
	title := "### tengen"
	if page == 0 {
		title += "\n" + t.Say("help.intro")
	}
	msg := chat.Message{Private: true, Blocks: append([]chat.Block{{Text: title}}, pages[page]...)}
	if page == len(pages)-1 {
		msg.Blocks = append(msg.Blocks, chat.Block{Text: t.Say("help.menus")})
	}
	row := []chat.Button{
		{ID: view.Do("start", "gomoku"), Label: t.Say("button.playGomoku"), Style: chat.Primary},
		{ID: view.Do("start", "reversi"), Label: t.Say("button.playReversi"), Style: chat.Primary},
		{ID: view.Do("lesson", "gomoku.0"), Label: t.Say("button.rules")},
		{ID: view.Do("new", ""), Label: t.Say("button.newGame")},
		{ID: view.Do("challenge", ""), Label: t.Say("button.challenge")},
	}
	msg.Blocks = append(msg.Blocks, chat.Block{Row: row})
	if len(pages) > 1 {
		turn := func(label string, to int) chat.Button {
			return chat.Button{ID: view.Do("help", strconv.Itoa(to)), Label: label, Disabled: to < 0 || to >= len(pages)}
		}
		msg.Blocks = append(msg.Blocks, chat.Block{Row: []chat.Button{
			turn("◀", page-1),
			{ID: view.Do("help", fmt.Sprintf("%d.here", page)), Label: fmt.Sprintf("%d/%d", page+1, len(pages)), Disabled: true},
			turn("▶", page+1)}})
	}
	return b.turnPage(ctx, r, msg)
}

// helpLines is how many commands a page of /help lists: as many as a phone shows. They are
// within Discord's limits on a message.
const helpLines = 9

// helpPages are the commands in their order, page by page. A page begins with a paragraph: a
// paragraph that does not fit goes to the next page as a whole.
func helpPages(all []command, t view.Tongue, r chat.Request) [][]chat.Block {
	var pages [][]chat.Block
	var page, paragraph []chat.Block
	put := func() {
		if len(page) > 0 && !helpFits(append(page[:len(page):len(page)], paragraph...)) {
			pages, page = append(pages, page), nil
		}
		page, paragraph = append(page, paragraph...), nil
	}
	for _, c := range all {
		if c.Menu != 0 {
			continue
		}
		if c.paragraph {
			put()
		}
		for _, sub := range c.orSelf() {
			line := fmt.Sprintf("`/%s` %s", sub.Name, about(t, sub.Command))
			last := len(paragraph) - 1
			switch {
			case sub.opensIn(r):
				paragraph = append(paragraph, chat.Block{Section: &chat.Section{Texts: []string{line},
					Button: chat.Button{ID: view.Do("open", sub.Name), Label: "/" + spokenName(t, sub.Name)}}})
			case last >= 0 && paragraph[last].Section == nil:
				paragraph[last].Text += "\n" + line
			default:
				paragraph = append(paragraph, chat.Block{Text: line})
			}
		}
	}
	put()
	return append(pages, page)
}

// helpFits reports whether a page of /help has room for its blocks.
func helpFits(blocks []chat.Block) bool {
	lines := 0
	for _, block := range blocks {
		lines += 1 + strings.Count(block.Text, "\n")
	}
	return lines <= helpLines
}

// about describes a command in the language t.
func about(t view.Tongue, c chat.Command) string {
	if key := "command." + strings.ReplaceAll(c.Name, " ", ".") + ".about"; t.Has(key) {
		return t.Say(key)
	}
	return c.About
}

// spokenName is the name of a command, given with that of its parent, in the language t.
func spokenName(t view.Tongue, name string) string {
	parts := strings.Split(name, " ")
	spoken := make([]string, len(parts))
	for i := range parts {
		spoken[i] = parts[i]
		if key := "command." + strings.Join(parts[:i+1], "."); t.Has(key) {
			spoken[i] = t.Say(key)
		}
	}
	return strings.Join(spoken, " ")
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
