package standin_test

import (
	"bytes"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tengen/bot/standin"
	"tengen/internal/testkit"
)

// shelf keeps attachments beside a world.
type shelf map[string][]byte

func (s shelf) keep(id string, data []byte) error { s[id] = data; return nil }

func (s shelf) get(id string) ([]byte, error) {
	if data, ok := s[id]; ok {
		return data, nil
	}
	return nil, fs.ErrNotExist
}

// TestSave: a world that is saved and taken up again is the same world, its
// messages can be edited, its buttons pressed, its pictures fetched.
func TestSave(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	b := raw(t, s)
	b.commands(goTable)
	ann, bob := s.Member("ann"), s.Member("bob")
	ann.Installs()
	bob.Speaks("zh-CN")
	s.AddGuild("Other", false, "talk")
	ann.Says("@bob", "between us")
	at := "/channels/" + channel(t, s, "#gomoku")
	m := unjson[standin.Message](t, b.form("POST", at+"/messages", `{"flags":32768,"components":[{"type":12,"items":[{"media":{"url":"attachment://a.png"},"description":"board"}]},{"type":1,"components":[{"type":2,"style":1,"label":"A","custom_id":"a"}]}]}`, "a.png").body)
	b.post(at+"/messages/"+m.ID+"/threads", `{"name":"a game"}`).want(201)
	s.Deny("#renju", "bot", standin.PermSendMessages)
	k := b.identify()
	b.callback(b.ask(k, "ann", "#gomoku"), `{"type":4,"data":{"content":"private","flags":64}}`).want(204)
	b.callback(b.ask(k, "ann", "#gomoku"), `{"type":5}`).want(204)

	var file bytes.Buffer
	beside := shelf{}
	testkit.Must(t, s.Save(&file, beside.keep))
	two := standin.New(t, standin.Options{NoGuild: true})
	testkit.Must(t, two.Restore(bytes.NewReader(file.Bytes()), beside.get))
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
	c.callback(k.interaction(), `{"type":6}`).want(204)
	c.patch(at+"/messages/"+m.ID, `{"attachments":[],"components":[{"type":10,"content":"edited"}]}`).want(200)
	if c.post(at+"/messages", `{"content":"x"}`).ID <= m.ID {
		t.Error("a new message has an older id")
	}
	var again bytes.Buffer
	if err := two.Save(&again, beside.keep); err != nil || again.Len() == 0 {
		t.Error(err)
	}
}

// TestRestoreOver: a saved world that has less, or says otherwise, takes nothing away that was
// there before, and what it brings is kept within the bounds.
func TestRestoreOver(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(string) string{
		"nothing said": func(s string) string {
			return regexp.MustCompile(`"Guilds":\[.*\],"Directs"`).ReplaceAllString(s, `"Guilds":[],"Directs"`)
		},
		"the bot is gone": func(s string) string { return strings.Replace(s, `"Bot":true`, `"Bot":false`, 1) },
		"whole":           func(s string) string { return s },
	} {
		from := fresh(t)
		from.Member("ann").Says("#gomoku", "hello", standin.File{Name: "a.txt", Data: make([]byte, 100)})
		from.Member("ann").Says("#gomoku", "again", standin.File{Name: "b.txt", Data: make([]byte, 100)})
		var file bytes.Buffer
		beside := shelf{}
		testkit.Must(t, from.Save(&file, beside.keep))
		s := standin.New(t, standin.Options{Keep: 1, KeepBytes: 150})
		ann := s.Member("ann")
		ann.Messages("@bot")
		before := ann.Places()
		if err := s.Restore(strings.NewReader(damage(file.String())), beside.get); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(before, ann.Places()); diff != "" {
			t.Errorf("%s (-was +is):\n%s", name, diff)
		}
		raw(t, s).get("/channels/" + channel(t, s, "#gomoku")).want(200) // the bot is there
		if st := s.Stats(); name == "whole" && (st.Messages != 1 || st.AttachedBytes > 150) {
			t.Errorf("kept %+v", st)
		}
	}
}

func TestRestoreFails(t *testing.T) {
	t.Parallel()
	for _, text := range []string{``, `{`, `{"Version":2}`, `{"Version":1}`, `[]`} {
		s := standin.New(t, standin.Options{NoGuild: true})
		if err := s.Restore(strings.NewReader(text), shelf{}.get); err == nil {
			t.Errorf("restored %q", text)
		}
		if n := len(s.Places()); n != 0 {
			t.Errorf("%q left %d places", text, n)
		}
	}
}

// FuzzRestore: no file, however odd, stops the stand-in or takes its places away. The world
// is small: what the fuzzer does to shorten an input that it finds takes a time that grows
// with the square of its length.
func FuzzRestore(f *testing.F) {
	s := standin.Start(standin.Options{NoGuild: true})
	f.Cleanup(s.Close)
	s.AddGuild("Club", true, "gomoku")
	w := &s.World
	for _, a := range []standin.Action{{Do: "say", As: "ann", At: "#gomoku", Text: "x"},
		{Do: "say", As: "ann", At: "@bob", Text: "y"},
		{Do: "add-thread", At: "#gomoku", Name: "a thread"}} {
		if _, err := w.Act(f.Context(), a); err != nil && a.As == "" {
			f.Fatal(err)
		}
	}
	var file bytes.Buffer
	testkit.Must(f, s.Save(&file, shelf{}.keep))
	whole := file.String()
	f.Add(whole)
	for _, cut := range [][2]string{{`"Kind":11`, `"Kind":0`}, {`"Parent":"`, `"Parent":"1`},
		{`"Roles":[`, `"Roles":[{},`}, {`"People":[`, `"People":[{},`},
		{`"Version":2`, `"Version":1`}, {`"Kind":1,`, `"Kind":11,`},
		{`"Files":null`, `"Files":[{"ID":"../x","Data":"eA=="}]`}} {
		f.Add(strings.Replace(whole, cut[0], cut[1], 1))
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := standin.Start(standin.Options{Lenient: true})
		defer s.Close()
		before, _ := s.Act(t.Context(), standin.Action{Do: "places"})
		err := s.Restore(strings.NewReader(text), shelf{}.get)
		after, _ := s.Act(t.Context(), standin.Action{Do: "places"})
		for _, p := range before.Places {
			if !slices.Contains(after.Places, p) {
				t.Errorf("%v is gone (%v)", p, err)
			}
		}
		for _, p := range after.Places {
			for _, do := range []string{"say", "see", "messages"} {
				s.Act(t.Context(), standin.Action{Do: do, As: "ann", At: p.ID, Text: "x"})
			}
		}
		testkit.Check(t, s.Save(io.Discard, shelf{}.keep))
	})
}
