package standin_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tengen/bot/standin"
)

// TestSave: a world that is saved and taken up again is the same world, its
// messages can be edited, its buttons pressed, its pictures fetched.
func TestSave(t *testing.T) {
	t.Parallel()
	s := standin.New(t, standin.Options{})
	b := raw(t, s)
	b.commands(goTable)
	ann, bob := s.Member("ann"), s.Member("bob")
	ann.Installs()
	bob.Speaks("zh-CN")
	s.AddGuild("Other", false, "talk")
	ann.Says("@bob", "between us")
	at := "/channels/" + channel(t, s, "#gomoku")
	m := unjson[standin.Message](t, b.form("POST", at+"/messages", `{"flags":32768,"components":[{"type":12,"items":[{"media":{"url":"attachment://a.png"},"description":"board"}]},{"type":1,"components":[{"type":2,"style":1,"label":"A","custom_id":"a"}]}]}`, "a.png").body)
	b.call("POST", at+"/messages/"+m.ID+"/threads", `{"name":"a game"}`).want(t, 201, 0)
	s.Deny("#renju", "bot", standin.PermSendMessages)
	k := b.identify()
	b.callback(b.ask(k, "ann", "#gomoku"), `{"type":4,"data":{"content":"private","flags":64}}`).want(t, 204, 0)
	b.callback(b.ask(k, "ann", "#gomoku"), `{"type":5}`).want(t, 204, 0)

	var file bytes.Buffer
	if err := s.Save(&file); err != nil {
		t.Fatal(err)
	}
	two := standin.New(t, standin.Options{NoGuild: true})
	if err := two.Restore(bytes.NewReader(file.Bytes())); err != nil {
		t.Fatal(err)
	}
	for _, who := range []string{"ann", "bob"} {
		one := s.Member(who)
		for _, p := range one.Places() {
			want := strings.ReplaceAll(one.Sees(p.ID), "tengen (to ann's /go):\n    tengen is thinking...\n", "")
			if diff := cmp.Diff(want, two.Member(who).Sees(p.ID)); diff != "" {
				t.Errorf("%s at %s (-was +is)\n%s", who, p.Name, diff)
			}
		}
		if diff := cmp.Diff(one.Places(), two.Member(who).Places()); diff != "" {
			t.Errorf("%s's places (-was +is)\n%s", who, diff)
		}
	}
	if diff := cmp.Diff(s.People(), two.People()); diff != "" {
		t.Errorf("people (-was +is)\n%s", diff)
	}
	c := raw(t, two)
	k = c.identify()
	go two.Member("ann").Try().Press("#gomoku", "A")
	c.callback(k.interaction(), `{"type":6}`).want(t, 204, 0)
	c.call("PATCH", at+"/messages/"+m.ID, `{"attachments":[],"components":[{"type":10,"content":"edited"}]}`).want(t, 200, 0)
	if c.call("POST", at+"/messages", `{"content":"x"}`).ID <= m.ID {
		t.Error("a new message has an older id")
	}
	var again bytes.Buffer
	if err := two.Save(&again); err != nil || again.Len() == 0 {
		t.Error(err)
	}
}

func TestRestoreFails(t *testing.T) {
	t.Parallel()
	for _, text := range []string{``, `{`, `{"Version":2}`, `{"Version":1}`, `[]`} {
		s := standin.New(t, standin.Options{NoGuild: true})
		if err := s.Restore(strings.NewReader(text)); err == nil {
			t.Errorf("restored %q", text)
		}
		if n := len(s.Places()); n != 0 {
			t.Errorf("%q left %d places", text, n)
		}
	}
}
