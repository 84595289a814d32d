package bot

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"tengen/bot/chat"
	"tengen/bot/texts"
)

// Commands in a text can be pressed once Discord has told their ids; what a member writes is
// left as it is, and so is a text that would grow too long.
func TestCommandsAreLinks(t *testing.T) {
	d := &Discord{}
	say := func(s string) string { return d.linked(chat.Text(s)).Blocks[0].Text }
	if s := say("`/move`"); s != "`/move`" {
		t.Error(s)
	}
	d.knowCommands([]byte(`[{"id":"17","name":"move","type":1},{"id":"18","name":"play"},{"id":"19","name":"Load","type":3}]`))
	for given, want := range map[string]string{
		"or type `/move`.":   "or type </move:17>.",
		"`/play bot` begins": "</play bot:18> begins",
		"`/dance`, `h8 i9`":  "`/dance`, `h8 i9`",
		escape("`/move`"):    escape("`/move`"),
		"```\n/move\n```":    "```\n/move\n```",
	} {
		if got := say(given); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
	long := strings.Repeat("`/move` ", 400)
	if say(long) != long {
		t.Error("a text that would be too long was made longer")
	}
	var ids []map[string]string
	for _, c := range Commands() {
		ids = append(ids, map[string]string{"id": "1234567890123456789", "name": c.Name})
	}
	registered, err := json.Marshal(ids)
	if err != nil {
		t.Fatal(err)
	}
	d.knowCommands(registered)
	synctest.Test(t, func(t *testing.T) {
		for _, lang := range texts.Languages {
			p := onPaper(t)
			r := p.request(1, chat.Slash)
			r.Name, r.Locale = "help", lang
			p.said(r)
			help := d.linked(p.paper.answer.Message)
			if err := Check(help); err != nil || !strings.Contains(help.Blocks[0].Text, "</play bot:") {
				t.Errorf("help in %s: %v\n%s", lang, err, help.Blocks[0].Text)
			}
			p.bot.Close()
		}
	})
}
