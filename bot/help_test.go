package bot

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/standin"
	"tengen/bot/texts"
	"tengen/bot/view"
	"tengen/game/venue"
	"tengen/internal/testkit"
)

// In every language the commands that /help names can be pressed: it holds their links.
func TestHelpLinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		standin.EnterBubble()
		h := open(t, standin.Options{})
		for _, lang := range texts.Tags() {
			ann := h.Member("ann of " + lang)
			ann.Speaks(lang)
			ann.Slash("#gomoku", "/help")
			page := func() string {
				return string(testkit.Got(json.Marshal(ann.Last("#gomoku").Components)))
			}
			if link := `\u003c/move:`; !strings.Contains(page(), link) {
				t.Errorf("no link to /move in the help in %s:\n%s", lang, page())
			}
		}
	})
}

// What /help offers can be opened where it is offered.
func TestHelpOpens(t *testing.T) {
	for _, server := range []uint64{0, 1} {
		index := testkit.Got(command.NewIndex(new(Bot).allCommands(true)))
		for _, block := range view.In("en").Help(server == 0).Blocks {
			if block.Section == nil {
				continue
			}
			p := testkit.Got(view.ParsePress(block.Section.Button.ID))
			if !index.Opens(chat.Request{Place: venue.Place{Server: server}}, p.Arg) {
				t.Errorf("in server %d %q opens nothing", server, p.Arg)
			}
		}
	}
}
