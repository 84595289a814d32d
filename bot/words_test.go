package bot

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tengen/ai"
	"tengen/ai/engine"
	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/discord"
	"tengen/bot/texts"
	"tengen/bot/view"
	"tengen/game"
	"tengen/internal/testkit"
)

// catalogue reads a language's file: the forms of each key, without what is said of it to translators.
func catalogue(t *testing.T, lang string) map[string]map[string]string {
	t.Helper()
	data := testkit.Read(t, "texts/"+lang+".json")
	raw := map[string]json.RawMessage{}
	testkit.Must(t, json.Unmarshal(data, &raw))
	all := map[string]map[string]string{}
	for key, value := range raw {
		forms := map[string]string{}
		if json.Unmarshal(value, &forms) != nil {
			var s string
			if err := json.Unmarshal(value, &s); err != nil {
				t.Fatalf("%s: %v", key, err)
			}
			forms["other"] = s
		}
		delete(forms, "description")
		all[key] = forms
	}
	return all
}

// described are the descriptions of the English texts.
func described(t *testing.T) map[string]string {
	t.Helper()
	raw := map[string]struct{ Description string }{}
	testkit.Must(t, json.Unmarshal(testkit.Read(t, "texts/en.json"), &raw))
	all := map[string]string{}
	for key, text := range raw {
		all[key] = text.Description
	}
	return all
}

// sources are the bot's own files, room by room. The stand-in has texts of its own, and the pages of the demo and of
// the board say those of the catalogue that begin with "demo." and "page.": their tests hold them.
func sources(t *testing.T) []string {
	t.Helper()
	here, _ := filepath.Glob("*.go")
	rooms, _ := filepath.Glob("*/*.go")
	all := slices.DeleteFunc(append(here, rooms...), func(f string) bool {
		return strings.HasPrefix(f, "standin/") || strings.HasPrefix(f, "demo/") || strings.HasPrefix(f, "regulars/")
	})
	if len(all) < 20 {
		t.Fatalf("only %d files", len(all))
	}
	return all
}

// spoken are the keys in the code, and the beginnings of the keys that the code puts together.
func spoken(t *testing.T) (keys map[string]bool, beginnings []string) {
	t.Helper()
	keys = map[string]bool{}
	files := sources(t)
	literal := regexp.MustCompile(`"([a-z][A-Za-z]*(?:\.[A-Za-z0-9]+)*\.?)"`)
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		data := testkit.Read(t, f)
		for _, m := range literal.FindAllStringSubmatch(string(data), -1) {
			if strings.HasSuffix(m[1], ".") {
				beginnings = append(beginnings, m[1])
			} else {
				keys[m[1]] = true
			}
		}
	}
	return keys, beginnings
}

// commandKeys are the keys of the names of commands and options, which English has not, and of their
// descriptions.
func commandKeys() (names, abouts []string) {
	note := func(key string) { names, abouts = append(names, key), append(abouts, key+".about") }
	for _, c := range Commands(true) {
		note("command." + c.Name)
		for _, o := range c.Options {
			note(o.Texts())
		}
	}
	return names, abouts
}

// choiceKeys are the keys of the choices of all commands.
func choiceKeys() []string {
	var keys []string
	for _, c := range Commands(true) {
		for _, o := range c.Options {
			for _, choice := range o.Choices {
				if choice.Detail != "" {
					keys = append(keys, choice.Detail)
				}
			}
		}
	}
	return keys
}

// sentence is a key without what says that it is of one alone, or of a color.
func sentence(key string) string {
	key = strings.TrimSuffix(key, ".single")
	return strings.TrimSuffix(strings.TrimSuffix(key, ".black"), ".white")
}

var variable = regexp.MustCompile(`{{\.(\w+)}}`)

// Every key that is spoken is in the catalogue, and every key in the catalogue is spoken.
func TestTexts(t *testing.T) {
	en := catalogue(t, "en")
	keys, beginnings := spoken(t)
	_, must := commandKeys()
	must = append(must, choiceKeys()...)
	for _, key := range view.Refusals {
		must = append(must, key)
	}
	for _, name := range view.Terminations {
		must = append(must, "outcome."+name)
	}
	for _, r := range game.AllRules {
		must = append(must, "rules."+r.Name())
	}
	for _, name := range limitNames[1:] {
		if name != "" { // pairLimit words the limit of a pair
			must = append(must, "limit."+name)
		}
	}
	for _, key := range must {
		keys[key] = true
	}
	for key := range en {
		known := keys[key] || keys[sentence(key)] || strings.HasPrefix(key, "demo.") || strings.HasPrefix(key, "page.")
		for _, b := range beginnings {
			known = known || b != "command." && b != "option." && strings.HasPrefix(key, b)
		}
		if !known {
			t.Errorf("%s is in the catalogue, but nobody says it", key)
		}
	}
	said := regexp.MustCompile(`(?:[sS]ay|[nN]o)\("([^"]+[^".])"`)
	files := sources(t)
	for _, f := range files {
		data := testkit.Read(t, f)
		for _, m := range said.FindAllStringSubmatch(string(data), -1) {
			if _, ok := en[m[1]]; !ok && !strings.HasSuffix(f, "_test.go") {
				t.Errorf("%s says %s, which is not in the catalogue", f, m[1])
			}
		}
	}
	for _, key := range must {
		if _, ok := en[key]; !ok {
			t.Errorf("%s is not in the catalogue", key)
		}
	}
}

// unheard are the texts that no conversation shows, each with the reason.
var unheard = map[string]string{
	"sorry":                   "it needs a fault: TestPanicCostsOneApology",
	"unknown.command":         "Discord refuses commands that are not registered: TestUnheard",
	"play.awayNow":            "it is said on pages: view's Tongue.PageSays",
	"unknown.format":          "Discord refuses choices that are not in the table: TestUnheard",
	"unknown.game":            "Discord refuses choices that are not in the table: TestUnheard",
	"refused.ladderHere":      "Discord offers /ladder in servers",
	"refused.ladderFull":      "it needs two thousand members",
	"ladder.more":             "it needs nine games under way",
	"ladder.note":             "it stands in a challenge as a note, which is escaped",
	"refused.togetherHere":    "it is offered in servers only",
	"refused.simulHere":       "it is offered in servers only",
	"refused.simulFull":       "it needs twenty members: storage's TestSimulStops",
	"simul.result.drawn":      "it needs a full board: simul's TestPage",
	"simul.result.lost":       "it needs a whole game: simul's TestPage",
	"simul.soon":              "it needs a board that takes long to appear",
	"refused.votesFull":       "it needs a thousand members",
	"together.won":            "it needs a channel that beats the engine: together's TestWords",
	"together.lost":           "it needs a whole game: together's TestWords",
	"together.drawn":          "it needs a full board: together's TestWords",
	"refused.noServer":        "Discord offers /server in servers; of its old name: TestUnheard",
	"refused.blocks":          "it needs a hundred members",
	"refused.channels":        "it needs fifty channels",
	"refused.rematchTooSoon":  "a running game has no such button: TestUnheard",
	"limit.games":             "it needs ten games: TestOverLimit",
	"limit.theirs":            "it needs ten games: TestOverLimit",
	"limit.rated":             "it needs four games of five moves each: TestRatedGamesOfADay",
	"end.unrated.full":        "it needs four games of five moves each: TestRatedGamesOfADay",
	"play.resting":            "a game rests where nothing can be shown; it is for when the place comes back",
	"refused.otherTalk":       "it needs a conversation of several: TestConversationsAreNotLeft",
	"privacy.cut":             "it needs thousands of games: TestDossierOfManyGames",
	"import.fetch":            "it needs a fault: TestFetch",
	"import.large":            "it needs a large file: TestFetch",
	"hint.win":                "TestChances",
	"hint.loss":               "TestChances",
	"hint.draw":               "TestChances",
	"hint.winning":            "TestChances",
	"hint.better":             "TestChances",
	"hint.worse":              "TestChances",
	"hint.losing":             "TestChances",
	"refused.tooLate":         "the sweep is faster than a member: game holds it by a test",
	"refused.gameOver":        "the match answers before its game: TestUnheard",
	"engine.cut":              "it needs a load: TestUnheard",
	"engine.line":             "conversations do not hold the time that it took: TestUnheard",
	"engine.once":             "the engine of the conversations counts a thousand nodes: TestUnheard",
	"hint.seen":               "the engine of the conversations foresees one move: TestHintForesees",
	"refused.openingOver":     "a press of an opening is out of date by then: TestEveryRefusalIsWorded",
	"review.making":           "it needs a review that takes its time: TestReviewSurvivesAKill",
	"review.checking":         "it needs a review that takes its time: view's TestReviewScreensFitDiscord",
	"review.given.all":        "the moves of the conversations are played: view's TestReviewOfGivenMoves",
	"review.ahead":            "it needs reviews that wait: TestReviewsInARow",
	"try.looking":             "the engine of the conversations is too fast: TestOneTryAtATime",
	"review.failed":           "it needs a review that fails: TestReviewThatFails",
	"review.limit.member":     "it needs ten games: TestReviewLimitsInWords",
	"review.limit.server":     "it needs fifty games: TestReviewLimitsInWords",
	"review.means.cpu":        "the reviews of the conversations are bound by nodes: view's TestReviewWords",
	"review.nothing":          "a game without moves has no such button: TestReviewOfNothing",
	"review.forbidden":        "view's TestReviewWords",
	"review.turn.win.draw":    "view's TestReviewWords",
	"review.turn.win.loss":    "view's TestReviewWords",
	"review.turn.draw.loss":   "view's TestReviewWords",
	"review.alt.drawn":        "view's TestReviewWords",
	"review.alt.won.white":    "Black wins what is proven in the conversations",
	"review.class.good":       "view's TestReviewWords",
	"review.class.mistake":    "view's TestReviewWords",
	"review.class.inaccuracy": "view's TestReviewWords",
	"try.right":               "view's TestReviewWords",
	"try.right.exact.win":     "view's TestReviewWords",
	"try.right.exact.draw":    "view's TestReviewWords",
	"try.wrong":               "view's TestReviewWords",
	"try.wrong.exact.draw":    "view's TestReviewWords",
	"try.wrong.exact.loss":    "view's TestReviewWords",
	"try.wrong.loses":         "view's TestReviewWords",
	"try.goal.defend":         "view's TestReviewWords",
	"try.goal.keepDraw":       "view's TestReviewWords",
	"try.goal.keepWin":        "view's TestReviewWords",
	"outcome.full":            "it needs 225 moves",
	"top.solved":              "fifteen puzzles settle a rating: puzzles' TestSettledSolvers",
	"outcome.noMove":          "Black with nothing but forbidden points left is a matter of whole boards",
	"settings.part.shown":     "below the entry of a menu: view's TestShownParts",
	"settings.part.hidden":    "below the entry of a menu: view's TestShownParts",
	"refused.diskFull":        "no disk is full: TestWhatCannotBeKept",
	"refused.notYet":          "nobody updates the bot: TestWhatCannotBeKept",
	"play.stuck":              "no disk is full: TestEnginesMoveCannotBeKept",
	"refused.pageClock":       "said on a page: web's TestNumbers",
	"refused.tooFast":         "said on a page: web's TestLimits",
	"refused.notShared":       "said on a page: web's TestNotShared",
	"refused.linksOff":        "said on a page: web's TestShared",
	"refused.guestGone":       "a guest leaves while the bot is away: TestGuestGone",
	"refused.banned":          "the operator bans by the command line: TestBanned",
	"refused.bannedServer":    "the operator bans by the command line: TestBanned",
	"settings.version":        "the bot of the conversations has no version: TestVersionOfServer",
}

// Every text stands in some conversation, or there is a reason why not.
func TestEveryTextIsHeard(t *testing.T) {
	var talks strings.Builder
	for _, f := range conversations(t) {
		data := testkit.Read(t, f)
		for _, line := range strings.Split(string(data), "\n") {
			if said, ok := strings.CutPrefix(line, "\t"); ok {
				talks.WriteString(said + "\n")
			}
		}
	}
	answers := regexp.MustCompile(`^(refused|unknown|limit|outcome|offer|undo|draw|resign|import|hint|history|privacy|play|games|ladder|together|end|settings|stats|top|which|type|engine|replay|move|ping|done|sorry|seat|title|new|challenge|card|level|share|review|try)\b`)
	for lang, must := range map[string]func(string) bool{"en": answers.MatchString} {
		all := catalogue(t, lang)
		for key, forms := range all {
			if !must(key) || strings.HasSuffix(key, ".single") {
				continue
			}
			heard, said := false, slices.Collect(maps.Values(forms))
			if alone, ok := all[key+".single"]; ok {
				said = append(said, alone["other"])
			}
			for _, form := range said {
				pattern := variable.ReplaceAllString(regexp.QuoteMeta(form), "x")
				pattern = regexp.MustCompile(`\\{\\{\\.\w+\\}\\}`).ReplaceAllString(pattern, `.*`)
				heard = heard || regexp.MustCompile(pattern).MatchString(talks.String())
			}
			switch _, reasoned := unheard[key]; {
			case heard && reasoned:
				t.Errorf("%s is heard in a conversation", key)
			case !heard && !reasoned:
				t.Errorf("%s: nobody says %q in testdata/talk", key, forms["other"])
			}
		}
	}
}

// A report in words, as a coach would put it.
func TestChances(t *testing.T) {
	for want, r := range map[string]ai.Report{
		"hint.win": {Proof: engine.Win, In: 3}, "hint.loss": {Proof: engine.Loss, In: 4}, "hint.draw": {Proof: engine.Draw},
		"hint.winning": {Win: .9}, "hint.better": {Win: .7}, "hint.even": {Win: .5}, "hint.worse": {Win: .3},
		"hint.losing": {Win: .1},
	} {
		if got := view.In("en").Chances(r); got != view.In("en").Say(want, "Count", 2) {
			t.Errorf("%s: %s", want, got)
		}
	}
}

// The bot also refuses what Discord already keeps members from asking.
func TestUnheard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		ask := func(name string, change func(*chat.Request), options ...string) string {
			r := d.request(1, chat.Slash)
			r.Name = name
			for i := 0; i+1 < len(options); i += 2 {
				r.Options[options[i]] = chat.Option{Text: options[i+1]}
			}
			if change != nil {
				change(&r)
			}
			err := d.bot.dispatch(t.Context(), r)
			if key := fmt.Sprint(err); view.IsRefused(err, key) {
				return key
			}
			return fmt.Sprintf("no refusal of the bot's own: %v", err)
		}
		d.slash(1, "play bot", "game", "gomoku", "color", "black")
		for want, got := range map[string]string{
			"unknown.command":  ask("dance", nil),
			"unknown.game":     ask("play bot", nil, "game", "chess"),
			"unknown.format":   ask("export", nil, "format", "doc"),
			"refused.theme":    ask("settings", nil, "theme", "none"),
			"refused.governs":  ask("settings server", nil, "theme", "slate"),
			"refused.noServer": ask("settings server", func(r *chat.Request) { r.Place.Server = 0 }),
			"unknown.match":    ask("move", nil, "at", "h8", "game", "ABCDEFGHIJK"),
		} {
			if got != want {
				t.Errorf("%s: %s", want, got)
			}
		}
		en := view.In("en")
		rec := d.only(1)
		if _, err := rec.Match.Rematch(1, 9, time.Now()); err == nil || !strings.Contains(reasonOf(en, err), "not over yet") {
			t.Errorf("a rematch of a game that goes on: %v", err)
		}
		over := game.New(game.Gomoku15)
		for _, p := range []string{"h8", "a1", "i8", "a2", "j8", "a3", "k8", "a4", "l8"} {
			at, _ := game.ParsePoint(p, 15)
			over, _ = over.Play(at)
		}
		if err := over.Check(0); reasonOf(en, err) != en.Say("refused.gameOver") {
			t.Errorf("a move after the end: %v", err)
		}
		for want, note := range map[string]game.Note{
			"Level 6: depth 3, 5k nodes, 0.42\u00a0s · cut short while I was busy": {Level: 6, Cut: true, Depth: 3, Nodes: 5000, Millis: 420},
			"Level 6: depth 3, 700 nodes, 0.01\u00a0s":                             {Level: 6, Depth: 3, Nodes: 700},
			"Level 5: seen at once":                                                {Level: 5, Depth: 1, Nodes: 1},
		} {
			rec.Log, rec.Look.Engine = []game.Entry{{Note: note}}, true
			if got := en.EngineLine(rec); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
	})
}

func reasonOf(t view.Tongue, err error) string { s, _ := t.Reason(err); return s }

// A language says nothing that English does not. What it lacks is English.
func TestLanguages(t *testing.T) {
	en := catalogue(t, "en")
	for _, lang := range texts.Locales() {
		other := catalogue(t, lang)
		if n := len(texts.Missing(lang)); n > 0 {
			t.Logf("%s lacks %d texts: lab texts --missing", lang, n)
		}
		names, _ := commandKeys()
		for key := range other {
			if _, ok := en[key]; !ok && !slices.Contains(names, key) {
				t.Errorf("%s has %s, which nobody says", lang, key)
			}
		}
	}
}

// Discord takes the commands, in every language.
func TestCommands(t *testing.T) {
	testkit.Got(discord.CommandBodies(Commands(false), texts.Local, texts.Locales()))
	_, err := command.NewIndex(new(Bot).allCommands(true))
	testkit.Check(t, err)
	entries, options := 0, 0
	for _, c := range new(Bot).allCommands(true) {
		if c.Menu == 0 && !c.Manager {
			entries, options = entries+1, options+len(c.Options)
		}
	}
	if entries > 20 || options > 57 {
		t.Errorf("the picker shows a plain member %d commands with %d options", entries, options)
	}
	for _, c := range new(Bot).allCommands(true) {
		asks := 0 // ways that ask "which game?"
		for _, way := range append([]command.Command{c}, c.Ways...) {
			if way.Which != nil {
				asks++
			}
			for name := range way.Offers {
				if !slices.ContainsFunc(c.Options, func(o chat.OptionSpec) bool { return o.Name == name && o.Complete }) {
					t.Errorf("/%s offers something for %s, which is no option with autocomplete", c.Name, name)
				}
			}
		}
		for _, o := range c.Options {
			offers := slices.ContainsFunc(append([]command.Command{c}, c.Ways...),
				func(way command.Command) bool { return way.Offers[o.Name] != nil })
			if o.Complete && !offers {
				t.Errorf("/%s %s has autocomplete without an offer", c.Name, o.Name)
			}
			if o.Of == "which" && asks == 0 && c.Name != "analyze" {
				t.Errorf("/%s names a game and does not go on with it", c.Name)
			}
		}
	}
}

// stretch is how much longer than in English a text may be in another language, in hundredths. A short label may be
// twice as long.
func stretch(label string) int {
	n := len([]rune(label))
	return max(n*140/100, min(2*n, 20))
}

// drawn matches what a conversation has for a button, a menu or a picture.
var (
	drawnButton  = regexp.MustCompile(`^(?:\[[^\]]*\] ?)+$`)
	drawnLabel   = regexp.MustCompile(`\[([^\]]*?)(?:, off)?(?: -> [^\]]*)?\]`)
	drawnMenu    = regexp.MustCompile(`^<([^:>]+): ([^>]*)>$`)
	drawnPicture = regexp.MustCompile(`^{picture: (.*)}$`)
)

// tooLong are the messages of a conversation that Discord would refuse in a language that is longer than English.
func tooLong(talk string) (found []string) {
	note := func(what string, n, most int) {
		if n > most {
			found = append(found, fmt.Sprintf("%d characters of %d: %s", n, most, what))
		}
	}
	text, first := 0, ""
	for _, line := range append(strings.Split(talk, "\n"), "\t") {
		said, inside := strings.CutPrefix(line, "\t    ")
		if !inside { // another message
			note(first, text, 4000)
			text, first = 0, line
			continue
		}
		said = strings.TrimPrefix(strings.TrimSpace(said), "| ")
		switch menu, picture := drawnMenu.FindStringSubmatch(said), drawnPicture.FindStringSubmatch(said); {
		case drawnButton.MatchString(said):
			for _, m := range drawnLabel.FindAllStringSubmatch(said, -1) {
				note(m[1], stretch(m[1]), 80)
			}
		case menu != nil:
			note(menu[1], stretch(menu[1]), 150)
			for option := range strings.SplitSeq(menu[2], " | ") {
				note(option, stretch(option), 100)
			}
		case picture != nil:
			note(picture[1], stretch(picture[1]), 1024)
		default:
			text += stretch(said) + 1
		}
	}
	return found
}

// What the bot says in the conversations has room for languages that need two fifths more than English.
func TestLongerLanguages(t *testing.T) {
	for _, f := range conversations(t) {
		for _, long := range tooLong(string(testkit.Read(t, f))) {
			t.Errorf("%s: %s", f, long)
		}
	}
	for planted, sound := range map[string]bool{
		"\ttengen:\n\t    " + strings.Repeat("word ", 560):                             true,
		"\ttengen:\n\t    " + strings.Repeat("word ", 580):                             false,
		"\ttengen:\n\t    [Short] [" + strings.Repeat("x", 57) + "]":                   true,
		"\ttengen:\n\t    [Short] [" + strings.Repeat("x", 58) + ", off]":              false,
		"\ttengen:\n\t    <Choose: one | " + strings.Repeat("x", 73) + ">":             false,
		"\ttengen:\n\t    | {picture: " + strings.Repeat("x", 740) + "}":               false,
		"\ttengen:\n\t    [" + strings.Repeat("x", 57) + " -> https://discord.com/ID]": true,
	} {
		if found := tooLong(planted); (len(found) == 0) != sound {
			t.Errorf("%.60q: %v", planted, found)
		}
	}
}

// A command that a text names is one that Discord offers: else its name is no link, and nobody finds it.
func TestCommandsInTexts(t *testing.T) {
	offered := map[string]bool{}
	for _, c := range Commands(true) {
		offered[c.Name] = true
	}
	named := regexp.MustCompile("`/([a-z]+)")
	for _, lang := range texts.Tags() {
		for key, forms := range catalogue(t, lang) {
			for _, text := range forms {
				for _, m := range named.FindAllStringSubmatch(text, -1) {
					if !offered[m[1]] {
						t.Errorf("%s: %s names /%s", lang, key, m[1])
					}
				}
			}
		}
	}
}

// newBot refuses two commands that answer the same.
func TestTwoAnswers(t *testing.T) {
	b := new(Bot)
	press := command.Command{Presses: map[string]command.Pressed{"undo": b.press}, Run: b.ping}
	nothing := command.Command{}
	nothing.Name = "nothing"
	press.Name = "again"
	for name, more := range map[string][]command.Command{
		"a command twice":         {b.helpCommand()},
		"a press twice":           {press},
		"a command without a run": {nothing},
	} {
		if _, err := command.NewIndex(append(b.allCommands(true), more...)); err == nil {
			t.Error(name)
		}
	}
}
