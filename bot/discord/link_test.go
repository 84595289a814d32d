package discord

import (
	"strings"
	"testing"

	"tengen/bot/chat"
)

// Commands in a text become links once Discord has told their ids. Text of members stays as it
// is, and so does a text that would grow too long.
func TestCommandsAreLinks(t *testing.T) {
	d := &Adapter{}
	say := func(s string) string { return d.linked(chat.Text(s)).Blocks[0].Text }
	if s := say("`/move`"); s != "`/move`" {
		t.Error(s)
	}
	d.knowCommands([]byte(`[{"id":"17","name":"move","type":1},{"id":"18","name":"play"},{"id":"19","name":"Load","type":3}]`))
	for given, want := range map[string]string{
		"or type `/move`.":   "or type </move:17>.",
		"`/play bot` begins": "</play bot:18> begins",
		"`/dance`, `h8 i9`":  "`/dance`, `h8 i9`",
		"\\`\\/move\\`":      "\\`\\/move\\`", // text of a member, which is escaped
		"```\n/move\n```":    "```\n/move\n```",
	} {
		if got := say(given); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
	sections := chat.Message{Blocks: []chat.Block{{Section: &chat.Section{Texts: []string{"a", "`/move`"}}}}}
	if got := d.linked(sections).Blocks[0].Section.Texts[1]; got != "</move:17>" ||
		sections.Blocks[0].Section.Texts[1] != "`/move`" {
		t.Errorf("in a section: %q, of %q", got, sections.Blocks[0].Section.Texts[1])
	}
	long := strings.Repeat("`/move` ", 400)
	if say(long) != long {
		t.Error("a text that would be too long was made longer")
	}
}
