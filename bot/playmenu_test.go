package bot

import (
	"maps"
	"strings"
	"testing"
	"testing/synctest"

	"tengen/bot/chat"
	"tengen/bot/discord/body"
	"tengen/bot/view"
)

// What a form was filled in with comes back from the id of a button, as far as it fits.
func TestPackedForms(t *testing.T) {
	long := strings.Repeat("黑", 90)
	for _, c := range []struct{ given, want map[string]string }{
		{map[string]string{"with": "engines", "game": "standard15", "level": "suits", "white": "8", "color": "random",
			"opening": "taraguchi10", "clock": "15m", "rated": "1", "more": "1", "opponent": "3w5e11264sgsf"}, nil},
		{map[string]string{"rules": "renju", "text": "1. h8 2. i9 :::"}, nil},
		{map[string]string{"rules": "renju", "moves": "12", "text": long}, map[string]string{"rules": "renju", "moves": "12"}},
		{map[string]string{"text": "h8\xff"}, map[string]string{}},
	} {
		fields := importFields
		verb, within := "imported", ""
		if c.given["with"] != "" {
			fields, verb, within = menuFields, "menu", "opponent."
		}
		r := chat.Request{Options: map[string]chat.Option{}}
		for name, v := range c.given {
			r.Options[name] = chat.Option{Text: v}
		}
		id := view.Do(verb, within+view.Packed(r, fields))
		p, err := view.ParsePress(id)
		if err != nil {
			t.Errorf("%v: %v", c.given, err)
			continue
		}
		got := view.Unpacked(strings.TrimPrefix(p.Arg, within), fields)
		maps.DeleteFunc(got, func(_, v string) bool { return v == "" })
		if want := c.want; !maps.Equal(got, want) && (want != nil || !maps.Equal(got, c.given)) {
			t.Errorf("%v came back as %v", c.given, got)
		}
	}
}

// Buttons that nobody made open no form that Discord would refuse, and begin no game.
func TestForgedForms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		for _, custom := range []string{
			view.Do("new", "chess.-1.99.x.y.z"), view.Do("menu", ""), view.Do("menu", "more.chess.x.99.y.z...1"),
			view.Do("menu", "start.member"), view.Do("menu", "rated.many"), view.Do("lend", "x"),
			view.Do("new", "..."), view.Do("import", strings.Repeat(".", 20)),
			view.Do("import", "chess.x.1e9.9.green."+strings.Repeat("x", 60)),
			view.Press{Match: 77, Verb: "new"}.ID(), view.Press{Match: 77, Verb: "challenge"}.ID(),
			view.Press{Match: 77, Verb: "whom"}.ID(), view.Do("whom", ""),
		} {
			r := d.request(1, chat.Press)
			r.Custom = custom
			d.paper.mu.Lock()
			d.paper.answer = chat.Answer{}
			d.paper.mu.Unlock()
			d.handle(r)
			d.paper.mu.Lock()
			a := d.paper.answer
			d.paper.mu.Unlock()
			var err error
			switch a.Kind {
			case chat.Ask:
				err = body.CheckForm(a.Form)
			case chat.Say:
				err = body.Check(a.Message)
			}
			if a.Kind == 0 || err != nil {
				t.Errorf("%s: answer %d, %v", custom, a.Kind, err)
			}
		}
		if recs, err := d.store.Of(t.Context(), 1); err != nil || len(recs) != 0 {
			t.Errorf("%d games %v", len(recs), err)
		}
	})
}
