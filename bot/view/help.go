package view

import (
	"fmt"
	"strconv"
	"strings"

	"tengen/bot/chat"
)

// HelpLine is a command in /help.
type HelpLine struct {
	Command   chat.Command // with its full name
	Opens     bool         // a button runs it
	Paragraph bool         // a new paragraph begins with it
}

// Help is a page of /help: the commands, with a button beside those that a button can run.
func (t Tongue) Help(lines []HelpLine, page int) chat.Message {
	pages := t.HelpPages(lines)
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
		{ID: Do("start", "gomoku"), Label: t.Say("button.playGomoku"), Style: chat.Primary},
		{ID: Do("start", "reversi"), Label: t.Say("button.playReversi"), Style: chat.Primary},
		{ID: Do("lesson", "gomoku.0"), Label: t.Say("button.rules")},
		{ID: Do("new", ""), Label: t.Say("button.newGame")},
		{ID: Do("challenge", ""), Label: t.Say("button.challenge")},
	}
	msg.Blocks = append(msg.Blocks, chat.Block{Row: row})
	if len(pages) > 1 {
		turn := func(label string, to int) chat.Button {
			return chat.Button{ID: Do("help", strconv.Itoa(to)), Label: label, Disabled: to < 0 || to >= len(pages)}
		}
		msg.Blocks = append(msg.Blocks, chat.Block{Row: []chat.Button{
			turn("◀", page-1),
			{ID: Do("help", fmt.Sprintf("%d.here", page)), Label: fmt.Sprintf("%d/%d", page+1, len(pages)), Disabled: true},
			turn("▶", page+1)}})
	}
	return msg
}

// helpLines is how many commands a page of /help lists: as many as a phone shows. They are
// within Discord's limits on a message.
const helpLines = 9

// HelpPages are the commands in their order, page by page. A page begins with a paragraph: a
// paragraph that does not fit goes to the next page as a whole.
func (t Tongue) HelpPages(lines []HelpLine) [][]chat.Block {
	var pages [][]chat.Block
	var page, paragraph []chat.Block
	put := func() {
		if len(page) > 0 && !HelpFits(append(page[:len(page):len(page)], paragraph...)) {
			pages, page = append(pages, page), nil
		}
		page, paragraph = append(page, paragraph...), nil
	}
	for _, l := range lines {
		if l.Paragraph {
			put()
		}
		name := l.Command.Name
		line := fmt.Sprintf("`/%s` %s", name, t.about(l.Command))
		last := len(paragraph) - 1
		switch {
		case l.Opens:
			paragraph = append(paragraph, chat.Block{Section: &chat.Section{Texts: []string{line},
				Button: chat.Button{ID: Do("open", name), Label: "/" + t.spokenName(name)}}})
		case last >= 0 && paragraph[last].Section == nil:
			paragraph[last].Text += "\n" + line
		default:
			paragraph = append(paragraph, chat.Block{Text: line})
		}
	}
	put()
	return append(pages, page)
}

// HelpFits reports whether a page of /help has room for its blocks.
func HelpFits(blocks []chat.Block) bool {
	lines := 0
	for _, block := range blocks {
		lines += 1 + strings.Count(block.Text, "\n")
	}
	return lines <= helpLines
}

// about describes a command in the language t.
func (t Tongue) about(c chat.Command) string {
	return t.Say("command." + strings.ReplaceAll(c.Name, " ", ".") + ".about")
}

// spokenName is the name of a command, given with that of its parent, in the language t.
func (t Tongue) spokenName(name string) string {
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
