package standin_test

import (
	"strings"
	"testing"

	"tengen/bot/standin"
	"tengen/internal/testkit"
)

const everyOption = `[{"name":"all","description":"All","name_localizations":{"zh-CN":"全部"},"options":[
	{"type":3,"name":"text","description":"x","min_length":2,"max_length":12},
	{"type":4,"name":"int","description":"x","min_value":1,"max_value":8},
	{"type":10,"name":"num","description":"x"},
	{"type":5,"name":"flag","description":"x"},
	{"type":6,"name":"member","description":"x"},
	{"type":7,"name":"channel","description":"x","channel_types":[0]},
	{"type":8,"name":"role","description":"x"},
	{"type":9,"name":"who","description":"x"},
	{"type":11,"name":"file","description":"x"},
	{"type":3,"name":"level","description":"x","name_localizations":{"zh-CN":"级别"},"choices":[{"name":"Easy one","value":"1","name_localizations":{"zh-CN":"容易"}},{"name":"Hard","value":"2"}]},
	{"type":4,"name":"at","description":"x","autocomplete":true}]}]`

// TestOptionTypes: each type of option as the bot receives it, and what the
// client does not let through.
func TestOptionTypes(t *testing.T) {
	t.Parallel()
	s, _, k := talking(t, standin.Options{}, everyOption)
	ann, bob := s.Member("ann"), s.Member("bob")
	for _, c := range []struct {
		line string
		opt  standin.Opt
		want string // in the data; "": refused
	}{
		{"/all text:hello there", standin.Opt{}, `"name":"text","type":3,"value":"hello there"`},
		{"/all text:x", standin.Opt{}, ""},
		{"/all text:far too long a text", standin.Opt{}, ""},
		{"/all int:3 text:two options", standin.Opt{}, `"name":"int","type":4,"value":3},{"name":"text"`},
		{"/all int:9", standin.Opt{}, ""},
		{"/all int:2.5", standin.Opt{}, ""},
		{"/all num:2.5", standin.Opt{}, `"value":2.5`},
		{"/all flag:true", standin.Opt{}, `"value":true`},
		{"/all flag:maybe", standin.Opt{}, ""},
		{"/all", standin.Opt{"member", bob}, `"members":{"`},
		{"/all member:@bob", standin.Opt{}, `"username":"bob"`},
		{"/all member:bot", standin.Opt{}, `"bot":true`},
		{"/all channel:#renju", standin.Opt{}, `"channels":{"`},
		{"/all channel:#nowhere", standin.Opt{}, ""},
		{"/all role:@everyone", standin.Opt{}, `"roles":{"`},
		{"/all who:@bob", standin.Opt{}, `"users":{"`},
		{"/all", standin.Opt{"file", standin.File{Name: "game.sgf", Data: []byte("(;GM[4])")}}, `"filename":"game.sgf"`},
		{"/all file:x", standin.Opt{}, ""},
		{"/all level:2", standin.Opt{}, `"value":"2"`},
		{"/all level:Easy one", standin.Opt{}, `"value":"1"`},
		{"/all", standin.Opt{"level", 1}, `"value":"1"`},
		{"/all level:3", standin.Opt{}, ""},
		{"/all at:7", standin.Opt{}, `"value":7`},
		{"/all nothing:7", standin.Opt{}, ""},
		{"/all int:1 int:2", standin.Opt{}, ""},
	} {
		a := standin.Action{Do: "slash", As: "ann", At: "#gomoku", Name: c.line, NoWait: true}
		if name, ok := c.opt[0].(string); ok {
			a.Options = []standin.Value{{Name: name, Value: c.opt[1]}}
			switch v := c.opt[1].(type) {
			case *standin.Member:
				a.Options[0].Value = "@" + v.Name
			case standin.File:
				a.Options[0] = standin.Value{Name: name, File: &v}
			}
		}
		_, err := s.Act(t.Context(), a)
		if c.want == "" {
			if !standin.Refused(err) {
				t.Errorf("%s: %v, want a refusal", c.line, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		if e := k.interaction(); !strings.Contains(string(e.Data), c.want) {
			t.Errorf("%s: %s, want %s", c.line, e.Data, c.want)
		}
	}
	ann.Speaks("zh-CN")
	testkit.Got(s.Act(t.Context(), standin.Action{Do: "slash", As: "ann", At: "#gomoku", Name: "/全部 级别:容易",
		NoWait: true}))
	d := k.next("INTERACTION_CREATE").D
	has(t, string(d), `"name":"all"`) // the payload keeps the default names
	has(t, string(d), `{"name":"level","type":3,"value":"1"}`)
	has(t, string(d), `"locale":"zh-CN"`)
	has(t, string(d), `"guild_locale":"en-US"`)
}

// TestTyping: autocomplete gets what stands there so far, and its answer must
// fit the option.
func TestTyping(t *testing.T) {
	t.Parallel()
	s, b, k := talking(t, standin.Options{Lenient: true}, everyOption)
	got := make(chan []standin.Choice)
	go func() {
		got <- s.Member("ann").Try().Types("#gomoku", "/all int:99", standin.Opt{"at", "se"})
	}()
	e := k.interaction()
	testkit.Want(t, "type", e.Type, 4)
	has(t, string(e.Data), `{"name":"int","type":4,"value":"99"},{"focused":true,"name":"at","type":4,"value":"se"}`)
	b.callback(e, `{"type":8,"data":{"choices":[{"name":"seven","value":"7"}]}}`).want(400, 50035)
	b.callback(e, `{"type":8,"data":{"choices":[`+many(26, `{"name":"n#","value":#}`)+`]}}`).want(400, 50035)
	b.callback(e, `{"type":4,"data":{"content":"x"}}`).want(400, 50035)
	b.callback(e, `{"type":8,"data":{"choices":[{"name":"seven","value":7}]}}`).want(204)
	if c := <-got; len(c) != 1 || c[0].Name != "seven" {
		t.Errorf("%v", c)
	}
	if a := s.Member("ann").Try(); a.Types("#gomoku", "/all", standin.Opt{"text", "x"}) != nil {
		t.Error("an option without autocomplete was typed")
	}
}

// TestForms: what a member can enter, and what comes of it.
func TestForms(t *testing.T) {
	t.Parallel()
	s, b, k := talking(t, standin.Options{Lenient: true}, goTable)
	answers := make(chan *standin.Answer)
	go func() { answers <- s.Member("ann").Try().Slash("#gomoku", "/go") }()
	b.callback(k.interaction(), `{"type":9,"data":{"custom_id":"form","title":"Form","components":[
		{"type":1,"components":[{"type":4,"custom_id":"move","label":"Move","style":1,"min_length":2,"max_length":3}]},
		{"type":18,"label":"Why","component":{"type":4,"custom_id":"why","style":2,"required":false,"value":"no reason"}},
		{"type":18,"label":"How","component":{"type":3,"custom_id":"how","options":[{"label":"Fast","value":"f"}]}}]}}`).want(204)
	form := <-answers
	for _, wrong := range [][]standin.Opt{{}, {{"Move", "H"}}, {{"Move", "H888"}},
		{{"Nothing", "x"}, {"Move", "H8"}, {"How", "Fast"}}} {
		if a := form.Submit(wrong...); a.Failed == "" {
			t.Errorf("%v was sent", wrong)
		}
	}
	go func() { answers <- form.Submit(standin.Opt{"Move", "H8"}, standin.Opt{"how", "Fast"}) }()
	e := k.interaction()
	testkit.Want(t, "type", e.Type, 5)
	for _, want := range []string{`"custom_id":"form"`, `"custom_id":"move","id":2,"type":4,"value":"H8"`,
		`"value":"no reason"`, `"values":["f"]`} {
		has(t, string(e.Data), want)
	}
	// no form after a form
	b.callback(e, `{"type":9,"data":{"custom_id":"m","title":"T","components":[]}}`).want(400, 50035)
	b.callback(e, `{"type":5}`).want(204)
	<-answers
}

// TestPlaceEvents: what the gateway tells of servers, channels and threads.
func TestPlaceEvents(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	b := raw(t, s)
	k := b.identify()
	has(t, string(k.next("GUILD_CREATE").D), `"name":"Club"`)
	s.AddChannel("#chess")
	has(t, string(k.next("CHANNEL_CREATE").D), `"name":"chess"`)
	s.Deny("#chess", "bot", standin.PermSendMessages)
	has(t, string(k.next("CHANNEL_UPDATE").D), `"deny":"2048"`)
	b.post("/channels/"+channel(t, s, "#chess")+"/threads", `{"name":"a game","type":11}`).want(201)
	k.next("THREAD_CREATE")
	s.Archive("#chess/a game")
	has(t, string(k.next("THREAD_UPDATE").D), `"archived":true`)
	s.Permit("#chess", "bot")
	chess := channel(t, s, "#chess")
	b.post("/channels/"+chess+"/threads", `{"name":"another","type":11}`).want(201)
	s.Everyone("Club", standin.PermSendMessages)
	has(t, string(k.next("GUILD_ROLE_UPDATE").D), `"permissions":"2048"`)
	s.Everyone("Club", standin.PermSendMessages|standin.PermViewChannel)
	has(t, string(k.next("THREAD_LIST_SYNC").D), `"name":"another"`)
	s.Everyone("Club", standin.PermSendMessages)
	s.Allow("#chess", "bot", standin.PermViewChannel)
	has(t, string(k.next("THREAD_LIST_SYNC").D), `"channel_ids":["`+chess+`"]`)
	s.Everyone("Club", standin.PermSendMessages|standin.PermViewChannel)
	s.Member("tengen").Moderates("Club", standin.PermManageMessages)
	has(t, string(k.next("GUILD_MEMBER_UPDATE").D), `"username":"tengen"`)
	s.DeleteChannel("#chess/a game")
	k.next("THREAD_DELETE")
	s.DeleteChannel("#chess")
	k.next("CHANNEL_DELETE")
	s.Outage("", true)
	has(t, string(k.next("GUILD_DELETE").D), `"unavailable":true`)
	s.Outage("", false)
	k.next("GUILD_CREATE")
	s.KickBot("")
	if d := string(k.next("GUILD_DELETE").D); strings.Contains(d, "unavailable") {
		t.Errorf("kicked, but %s", d)
	}
	s.AddChannel("#unheard")
	s.InviteBot("")
	has(t, string(k.next("GUILD_CREATE").D), `"unheard"`)
}

func TestMessageMenu(t *testing.T) {
	t.Parallel()
	s, b, k := talking(t, standin.Options{}, `[{"name":"Load this record","type":3}]`)
	ann := s.Member("ann")
	id := ann.Says("#gomoku", "a record", standin.File{Name: "game.sgf", Data: []byte("(;GM[4])")})
	answers := make(chan *standin.Answer)
	go func() { answers <- ann.MessageMenu(id, "Load this record") }()
	e := k.interaction()
	for _, want := range []string{`"target_id":"` + id + `"`, `"filename":"game.sgf"`,
		`"url":"https://cdn.discordapp.com/attachments/`} {
		has(t, string(e.Data), want)
	}
	b.callback(e, `{"type":4,"data":{"content":"loaded"}}`).want(204)
	if a := <-answers; a.Message == nil || a.Message.Content != "loaded" || a.String() != "type 4" {
		t.Errorf("%v", a)
	}
	see(t, "tengen (to ann's /Load this record):\n    loaded\n", ann.SeesLast("#gomoku"))
	go b.do("PATCH", b.hook(e, "/messages/@original"), "application/json", []byte(`{"content":"done"}`))
	has(t, ann.WaitsGone("#gomoku", "loaded"), "done")
}
