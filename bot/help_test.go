package bot

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"tengen/bot/chat"
	"tengen/bot/standin"
	"tengen/bot/texts"
	"tengen/bot/view"
	"tengen/game/venue"
	"tengen/internal/testkit"
)

// In every language the commands of /help can be pressed: its pages hold their links.
func TestHelpLinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		standin.EnterBubble()
		h := open(t, standin.Options{})
		for _, lang := range texts.Tags() {
			ann := h.Member("ann of " + lang)
			ann.Speaks(lang)
			ann.Slash("#gomoku", "/help")
			page := func() string {
				body, err := json.Marshal(ann.Last("#gomoku").Components)
				testkit.Must(t, err)
				return string(body)
			}
			for _, linked := range []string{"play bot", "games", "ping"} {
				link := `\u003c/` + linked + `:`
				for turned := 0; turned < 9 && !strings.Contains(page(), link); turned++ {
					ann.Press("#gomoku", "▶")
				}
				if !strings.Contains(page(), link) {
					t.Errorf("/%s in the help in %s:\n%s", linked, lang, page())
				}
			}
		}
	})
}

// Every page of /help has room for what stands below its commands, and no command is left out.
func TestHelpPages(t *testing.T) {
	for _, lang := range texts.Tags() {
		for _, server := range []uint64{0, 1} {
			pages := view.In(lang).HelpPages(helpLines(new(Bot).allCommands(true),
				chat.Request{Place: venue.Place{Server: server}}))
			var all strings.Builder
			for i, page := range pages {
				if !view.HelpFits(page) || len(page) == 0 {
					t.Errorf("%s: page %d of %d has %d blocks", lang, i+1, len(pages), len(page))
				}
				for _, block := range page {
					all.WriteString(block.Text + "\n")
					if block.Section != nil {
						all.WriteString(block.Section.Texts[0] + "\n")
					}
				}
			}
			for _, top := range new(Bot).allCommands(true) {
				for _, c := range top.OrSelf() {
					if top.Menu == 0 && strings.Count(all.String(), "`/"+c.Name+"`") != 1 {
						t.Errorf("%s: /%s is not there, or twice", lang, c.Name)
					}
				}
			}
		}
	}
}
