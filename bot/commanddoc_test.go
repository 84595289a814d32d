package bot

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"tengen/bot/chat"
	"tengen/bot/texts"
	"tengen/internal/testkit"
)

// docs/commands.md describes the commands. With -update the test writes it.
func TestCommandDoc(t *testing.T) {
	const file = "../docs/commands.md"
	want := commandDoc()
	if *update {
		testkit.Must(t, os.WriteFile(file, []byte(want), 0o644))
	}
	got := testkit.Read(t, file)
	if string(got) != want {
		t.Error("docs/commands.md is out of date; go test ./bot -run TestCommandDoc -update writes it")
	}
}

func commandDoc() string {
	var out strings.Builder
	out.WriteString("# Commands\n\nThis page is made from the bot's own table of commands.\n\n")
	for _, c := range new(Bot).allCommands(true) {
		about := texts.In("en").Say("command." + c.Name + ".about")
		switch c.Menu {
		case chat.UserMenu:
			fmt.Fprintf(&out, "## Menu of a member: %s\n\n%s\n\n", c.Name, about)
			continue
		case chat.MessageMenu:
			fmt.Fprintf(&out, "## Menu of a message: %s\n\n%s\n\n", c.Name, about)
			continue
		}
		fmt.Fprintf(&out, "## /%s\n\n%s.", c.Name, about)
		if c.Manager {
			out.WriteString(" Discord offers it to members who manage the server, unless its administrators choose others.")
		}
		if !c.Alone {
			out.WriteString(" Only in servers that the bot is a member of.")
		}
		out.WriteString("\n\n")
		for _, o := range c.Options {
			fmt.Fprintf(&out, "- `%s`%s: %s%s\n", o.Name, map[bool]string{true: " (required)"}[o.Required],
				texts.In("en").Say(o.Texts()+".about"), choicesDoc(o))
		}
		if len(c.Options) > 0 {
			out.WriteString("\n")
		}
	}
	return out.String()
}

func choicesDoc(o chat.OptionSpec) string {
	switch {
	case len(o.Choices) > 0:
		var labels []string
		for _, c := range o.Choices {
			labels = append(labels, c.Label)
		}
		return " (" + strings.Join(labels, ", ") + ")"
	case o.Complete:
		return " (completed as you type)"
	}
	return ""
}
