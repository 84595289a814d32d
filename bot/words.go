package bot

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"

	"tengen/game"
	"tengen/storage/kv"
)

//go:embed texts/*.json
var textFiles embed.FS

// Languages are the languages that the bot speaks, English first.
var Languages = []string{"en", "zh-CN"}

// words is the catalogue of all that members read.
type words struct{ tongues map[string]tongue }

// tongue is one language of the catalogue.
type tongue struct {
	lang string
	loc  *i18n.Localizer
	keys map[string]bool
}

func newWords() (words, error) {
	bundle := i18n.NewBundle(language.English)
	bundle.RegisterUnmarshalFunc("json", json.Unmarshal)
	w := words{tongues: map[string]tongue{}}
	for _, lang := range Languages {
		file, err := bundle.LoadMessageFileFS(textFiles, "texts/"+lang+".json")
		if err != nil {
			return words{}, fmt.Errorf("texts of %s: %w", lang, err)
		}
		keys := map[string]bool{}
		for _, m := range file.Messages {
			keys[m.ID] = true
		}
		w.tongues[lang] = tongue{lang, i18n.NewLocalizer(bundle, lang, "en"), keys}
	}
	return w, nil
}

// in is the language for a locale such as zh-TW or en-GB; English where there is none.
func (w words) in(locale string) tongue {
	if strings.HasPrefix(locale, "zh") {
		return w.tongues["zh-CN"]
	}
	return w.tongues["en"]
}

// say is the text of a key. Arguments come in pairs of a name and a value; "Count"
// chooses the plural form.
func (t tongue) say(key string, args ...any) string {
	c := &i18n.LocalizeConfig{MessageID: key}
	if len(args) > 0 {
		data := make(map[string]any, len(args)/2)
		for i := 0; i+1 < len(args); i += 2 {
			data[args[i].(string)] = args[i+1]
		}
		c.TemplateData = data
		if n, ok := data["Count"]; ok {
			c.PluralCount = n
		}
	}
	s, err := t.loc.Localize(c)
	if err != nil && s == "" {
		return key
	}
	return s
}

// own reports whether the language itself has a key, without falling back on English.
func (t tongue) own(key string) bool { return t.keys[key] }

// has reports whether the catalogue has a key.
func (t tongue) has(key string) bool {
	s, err := t.loc.Localize(&i18n.LocalizeConfig{MessageID: key})
	return err == nil && s != ""
}

// refusalKeys are the catalogue's keys of the reasons.
var refusalKeys = map[game.Code]string{
	game.OffBoard: "refused.offBoard", game.Occupied: "refused.occupied", game.NoFlip: "refused.noFlip",
	game.GameOver: "refused.gameOver", game.Overline: "refused.overline", game.DoubleFour: "refused.doubleFour",
	game.DoubleThree: "refused.doubleThree", game.NotSeated: "refused.notSeated",
	game.NotYourTurn: "refused.notYourTurn", game.NotOffered: "refused.notOffered",
	game.NotForYou: "refused.notForYou", game.Yourself: "refused.yourself", game.NotPlaying: "refused.notPlaying",
	game.NothingToUndo: "refused.nothingToUndo", game.UndoPending: "refused.undoPending",
	game.UndoRefused: "refused.undoRefused", game.NoOffer: "refused.noOffer", game.OwnOffer: "refused.ownOffer",
	game.DrawTooSoon: "refused.drawTooSoon", game.TooLateAbort: "refused.tooLateAbort",
	game.TooLate: "refused.tooLate", game.RematchMade: "refused.rematchMade",
	game.RematchTooSoon: "refused.rematchTooSoon", game.Moved: "refused.moved",
}

// refusal words a reason for the member who was refused.
func (t tongue) refusal(r *game.Refusal) string {
	var rows []string
	for _, row := range r.Rows {
		rows = append(rows, row.String())
	}
	return t.say(refusalKeys[r.Code], "Point", r.Point.String(), "Lines", t.list(rows), "Count", r.Number)
}

// list joins words as the language does: A, B and C.
func (t tongue) list(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	last := len(items) - 1
	return t.say("list.and", "Many", strings.Join(items[:last], t.say("list.comma")), "Last", items[last])
}

// refused is a refusal of the bot's own: a key of the catalogue with its arguments.
type refused struct {
	key  string
	args []any
}

func (r refused) Error() string { return r.key }

// no refuses a request for a reason of the bot's own.
func no(key string, args ...any) error { return refused{key, args} }

// reason words an error for a member. ok is false for errors that are nobody's business:
// those are logged, and the member reads one apology.
func (t tongue) reason(err error) (text string, ok bool) {
	var own refused
	var rule *game.Refusal
	switch {
	case errors.As(err, &own):
		return t.say(own.key, own.args...), true
	case errors.As(err, &rule):
		return t.refusal(rule), true
	case errors.Is(err, kv.ErrAway):
		return t.say("refused.away"), true
	}
	return t.say("sorry"), false
}

// color is the name of a color: Black or White.
func (t tongue) color(c game.Color) string { return t.say("color." + c.String()) }

// rules is the name of a game.
func (t tongue) rules(r game.Rules) string { return t.say("rules." + r.Name()) }

// Locales are the locales of Discord, beside English, that the catalogue speaks.
var Locales = []string{"zh-CN"}

// Words gives a text of the catalogue for the table of commands; empty where there is none.
func (b *Bot) Words(key, locale string) string {
	t, ok := b.words.tongues[locale]
	if !ok || !t.own(key) {
		return ""
	}
	return t.say(key)
}
