package texts

import (
	"testing"

	"github.com/nicksnyder/go-i18n/v2/i18n"
)

// A text that is kept as it stands is what i18n would say.
func TestPlain(t *testing.T) {
	for lang, tongue := range catalogue() {
		if len(tongue.plain) < 100 {
			t.Errorf("%s: only %d plain texts", lang, len(tongue.plain))
		}
		for key := range tongue.plain {
			if want, err := tongue.loc.Localize(&i18n.LocalizeConfig{MessageID: key}); err != nil || tongue.Say(key) != want {
				t.Errorf("%s: %s is %q, want %q, %v", lang, key, tongue.Say(key), want, err)
			}
		}
	}
}
