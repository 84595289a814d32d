package standin_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tengen/bot/standin"
	"tengen/internal/testkit"
)

// allFields is a form with a field of every kind in two halves: a form has five at most.
var allFields = [2]string{`
	{"type":18,"label":"Words","component":{"type":4,"custom_id":"words","style":2,"value":"as proposed","max_length":20}},
	{"type":18,"label":"Game","component":{"type":3,"custom_id":"game","options":[{"label":"Renju","value":"renju","default":true},{"label":"Reversi","value":"reversi"}]}},
	{"type":18,"label":"Other","description":"Nobody: the bot","component":{"type":5,"custom_id":"other","required":false,"min_values":0}},
	{"type":18,"label":"Record","component":{"type":19,"custom_id":"record","required":false,"min_values":0}},
	{"type":18,"label":"Opening","component":{"type":21,"custom_id":"opening","required":false,"options":[{"label":"Free","value":"free"},{"label":"Balanced","value":"balanced"}]}}`, `
	{"type":10,"content":"Read this."},
	{"type":1,"components":[{"type":4,"custom_id":"old","label":"Old","style":1}]},
	{"type":18,"label":"Days","component":{"type":22,"custom_id":"days","options":[{"label":"Monday","value":"mo"},{"label":"Friday","value":"fr"}]}},
	{"type":18,"label":"Rated","component":{"type":23,"custom_id":"rated"}},
	{"type":18,"label":"Where","component":{"type":8,"custom_id":"where"}}`}

// opened lets ann open a form, and gives its interaction.
func opened(b *rawBot, k *socket, fields string) string {
	b.t.Helper()
	e := b.ask(k, "ann", "#gomoku")
	b.callback(e, `{"type":9,"data":{"custom_id":"m","title":"T","components":[`+fields+`]}}`).want(204)
	return e.ID
}

// filled sends a form off, and gives the data that the bot hears.
func filled(b *rawBot, k *socket, form string, given ...standin.Value) map[string]any {
	b.t.Helper()
	testkit.Got(b.s.Act(b.t.Context(), standin.Action{Do: "submit", As: "ann", Modal: form, Options: given,
		NoWait: true}))
	return unjson[map[string]any](b.t, k.interaction().Data)
}

// Every kind of field arrives as Discord sends it, with what the ids in it stand for.
func TestFormFields(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	b := raw(t, s)
	b.commands(goTable)
	k := b.identify()
	id := testkit.Got(s.Act(t.Context(), standin.Action{Do: "member", As: "bob"})).IDs[0]
	label := func(id float64, inner map[string]any) any {
		return map[string]any{"type": 18.0, "id": id, "component": inner}
	}

	t.Run("as proposed", func(t *testing.T) {
		got := filled(b, k, opened(b, k, allFields[0]))
		want := map[string]any{"custom_id": "m", "components": []any{
			label(1, map[string]any{"type": 4.0, "id": 2.0, "custom_id": "words", "value": "as proposed"}),
			label(3, map[string]any{"type": 3.0, "id": 4.0, "custom_id": "game", "values": []any{"renju"}}),
			label(5, map[string]any{"type": 5.0, "id": 6.0, "custom_id": "other", "values": []any{}}),
			label(7, map[string]any{"type": 19.0, "id": 8.0, "custom_id": "record", "values": []any{}}),
			label(9, map[string]any{"type": 21.0, "id": 10.0, "custom_id": "opening", "value": nil}),
		}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("filled in", func(t *testing.T) {
		got := filled(b, k, opened(b, k, allFields[0]), standin.Value{Name: "Words", Value: "mine"},
			standin.Value{Name: "game", Value: "Reversi"}, standin.Value{Name: "Other", Value: "@bob"},
			standin.Value{Name: "Record", File: &standin.File{Name: "a.sgf", Data: []byte("(;GM[4])")}},
			standin.Value{Name: "Opening", Value: "balanced"})
		resolved, _ := got["resolved"].(map[string]any)
		users, _ := resolved["users"].(map[string]any)
		files, _ := resolved["attachments"].(map[string]any)
		if users[id] == nil || len(files) != 1 {
			t.Errorf("resolved: %v", resolved)
		}
		for file, a := range files {
			if f := a.(map[string]any); f["filename"] != "a.sgf" || f["size"] != 8.0 ||
				!strings.HasPrefix(f["url"].(string), "https://cdn.discordapp.com/") {
				t.Errorf("the file: %v", f)
			}
			delete(got, "resolved")
			want := map[string]any{"custom_id": "m", "components": []any{
				label(1, map[string]any{"type": 4.0, "id": 2.0, "custom_id": "words", "value": "mine"}),
				label(3, map[string]any{"type": 3.0, "id": 4.0, "custom_id": "game", "values": []any{"reversi"}}),
				label(5, map[string]any{"type": 5.0, "id": 6.0, "custom_id": "other", "values": []any{id}}),
				label(7, map[string]any{"type": 19.0, "id": 8.0, "custom_id": "record", "values": []any{file}}),
				label(9, map[string]any{"type": 21.0, "id": 10.0, "custom_id": "opening", "value": "balanced"}),
			}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		}
	})
	t.Run("the others", func(t *testing.T) {
		got := filled(b, k, opened(b, k, allFields[1]), standin.Value{Name: "Old", Value: "x"},
			standin.Value{Name: "Days", Value: "mo,Friday"}, standin.Value{Name: "Rated", Value: true},
			standin.Value{Name: "Where", Value: "#renju"})
		text := testkit.Got(json.Marshal(got["components"]))
		for _, want := range []string{`{"id":1,"type":10}`,
			`{"components":[{"custom_id":"old","id":3,"type":4,"value":"x"}],"id":2,"type":1}`,
			`"type":22,"values":["mo","fr"]`, `"type":23,"value":true`,
			`"type":8,"values":["` + channel(t, s, "#renju") + `"]`} {
			has(t, string(text), want)
		}
	})
}

// A member's client keeps a form that cannot be sent.
func TestFormsThatCannotBeSent(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	b := raw(t, s)
	b.commands(goTable)
	k := b.identify()
	forms := [2]string{opened(b, k, allFields[0]), opened(b, k, allFields[1])}
	for _, c := range []struct {
		form  int
		given []standin.Value
		want  string
	}{
		{0, []standin.Value{{Name: "Words", Value: ""}}, `"Words" is required`},
		{0, []standin.Value{{Name: "Words", Value: strings.Repeat("x", 21)}}, "0 to 20 characters"},
		{0, []standin.Value{{Name: "Game", Value: "Chess"}}, `no option "Chess"`},
		{0, []standin.Value{{Name: "Game", Value: ""}}, `"Game" is required`},
		{0, []standin.Value{{Name: "Other", Value: "@nobody"}}, "no member"},
		{0, []standin.Value{{Name: "Record", Value: "text"}}, "takes files"},
		{0, []standin.Value{{Name: "Opening", Value: "free,balanced"}}, "between 1 and 1"},
		{0, []standin.Value{{Name: "Nothing", Value: "x"}}, `no field "Nothing"`},
		{1, []standin.Value{{Name: "Old", Value: "x"}, {Name: "Where", Value: "#renju"}}, `"Days" is required`},
		{1, []standin.Value{{Name: "Old", Value: "x"}, {Name: "Days", Value: "mo"}, {Name: "Rated", Value: "perhaps"}}, "ticked or not"},
	} {
		_, err := s.Act(t.Context(), standin.Action{Do: "submit", As: "ann", Modal: forms[c.form], Options: c.given})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.given, err, c.want)
		}
	}
}

// A form as a member sees it.
func TestFormShown(t *testing.T) {
	t.Parallel()
	var m [2]standin.Modal
	for i := range m {
		m[i] = unjson[standin.Modal](t, []byte(`{"title":"T","components":[`+allFields[i]+`]}`))
	}
	for i, want := range []string{`form T
    Words [as proposed]
    Game <*Renju | Reversi>
    Other? <members> (Nobody: the bot)
    Record? [file]
    Opening? <Free | Balanced>`, `form T
    Read this.
    Old []
    Days <Monday | Friday>
    Rated [ ]
    Where <channels>`} {
		if got := m[i].String(); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}
