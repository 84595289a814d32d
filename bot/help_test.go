package bot

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"tengen/bot/standin"
	"tengen/bot/texts"
)

// In every language the commands of /help can be pressed: the page holds its links.
func TestHelpLinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		standin.EnterBubble()
		h := open(t, standin.Options{})
		for _, lang := range texts.Languages {
			ann := h.Member("ann of " + lang)
			ann.Speaks(lang)
			ann.Slash("#gomoku", "/help")
			body, err := json.Marshal(ann.Last("#gomoku").Components)
			if err != nil || !strings.Contains(string(body), `\u003c/play bot:`) {
				t.Errorf("help in %s: %v\n%s", lang, err, body)
			}
		}
	})
}
