package standin_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"tengen/bot/standin"
	"tengen/internal/testkit"
)

func TestLookups(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	b := raw(t, s)
	for path, want := range map[string]string{
		"/gateway":          `"wss://gateway.discord.gg"`,
		"/gateway/bot":      `"max_concurrency":1`,
		"/applications/@me": `"interactions_endpoint_url":null`,
		"/users/@me":        `"bot":true`,
		"/users/@me/guilds": `"name":"Club"`,
	} {
		has(t, string(b.get(path).want(200).body), want)
	}
	b.get("/nothing").want(404)
	b.put("/gateway", "").want(405)
	b.get("/guilds/1").want(404, 10004)
	b.get("/channels/1").want(404, 10003)
	b.get("/channels/" + channel(t, s, "#gomoku")).want(200)
	b.put("/applications/1/commands", "[]").want(404, 10002)
	b.s = standin.New(t, standin.Options{Token: "another"}) // its token at the first
	b.get("/users/@me").want(401)
}

func TestCallbackErrors(t *testing.T) {
	t.Parallel()
	s, b, k := talking(t, standin.Options{Lenient: true}, goTable)

	e := b.ask(k, "ann", "#gomoku")
	b.get(b.hook(e, "/messages/@original")).want(404, 10015) // not answered yet
	b.callback(event{ID: e.ID, Token: "wrong"}, `{"type":4,"data":{"content":"x"}}`).want(404, 10062)
	b.callback(e, `{"type":7,"data":{"content":"x"}}`).want(400, 50035)
	b.callback(e, `{"type":4,"data":{"content":""}}`).want(400, 50006)
	b.callback(e, `{"type":4,"data":{"content":7}}`).want(400, 50035)
	b.callback(e, `{"type":4,`).want(400, 50109)
	b.callback(e, `{"type":5,"data":{"flags":32768}}`).want(400, 50035)
	b.callback(e, `{"type":4,"data":{"content":"hello"}}`).want(204)
	b.callback(e, `{"type":4,"data":{"content":"again"}}`).want(400, 40060)
	has(t, string(b.get(b.hook(e, "/messages/@original")).want(200).body), `"content":"hello"`)

	late := b.ask(k, "ann", "#gomoku")
	s.Advance(4 * time.Second)
	b.callback(late, `{"type":4,"data":{"content":"late"}}`).want(404, 10062)

	b.patch(b.hook(e, "/messages/@original"), `{"content":"edited"}`).want(200)
	s.Advance(15 * time.Minute)
	b.patch(b.hook(e, "/messages/@original"), `{"content":"too late"}`).want(401, 50027)
	b.post(b.hook(e, ""), `{"content":"too late"}`).want(401, 50027)
	b.post("/webhooks/"+s.AppID()+"/nonsense", `{"content":"x"}`).want(404, 10015)
}

func TestFollowUps(t *testing.T) {
	t.Parallel()
	s, b, k := talking(t, standin.Options{}, goTable)
	ann, bob := s.Member("ann"), s.Member("bob")

	e := b.ask(k, "ann", "#gomoku")
	r := b.post("/interactions/"+e.ID+"/"+e.Token+"/callback?with_response=true",
		`{"type":5,"data":{"flags":64}}`).want(200)
	has(t, string(r.body), `"response_message_loading":true`)
	has(t, ann.Sees("#gomoku"), "tengen is thinking...")
	testkit.Want(t, "bob sees a private deferral", bob.Sees("#gomoku"), "")
	// The first follow-up takes the place of "is thinking", and its privacy.
	b.post(b.hook(e, ""), `{"content":"first"}`).want(200)
	see(t, "tengen (to ann's /go, only you):\n    first\n", ann.Sees("#gomoku"))
	id := b.post(b.hook(e, ""), `{"content":"for <@`+s.AppID()+`> all"}`).want(200).ID
	has(t, bob.Sees("#gomoku"), "for @tengen all")
	b.patch(b.hook(e, "/messages/"+id), `{"content":"changed"}`).want(200)
	has(t, bob.Sees("#gomoku"), "changed")
	b.delete(b.hook(e, "/messages/"+id)).want(204)
	b.delete(b.hook(e, "/messages/@original")).want(204)
	b.get(b.hook(e, "/messages/@original")).want(404, 10008)
	if got := ann.Sees("#gomoku"); got != "" {
		t.Errorf("deleted, but ann sees\n%s", got)
	}
}

func TestChannelMessages(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	b := raw(t, s)
	ann := s.Member("ann")
	at := "/channels/" + channel(t, s, "#gomoku")

	first := b.post(at+"/messages", `{"content":"board","nonce":"n1","enforce_nonce":true}`).want(200)
	again := b.post(at+"/messages", `{"content":"board","nonce":"n1","enforce_nonce":true}`).want(200)
	if first.ID != again.ID {
		t.Error("one nonce made two messages")
	}
	s.Advance(6 * time.Minute)
	if b.post(at+"/messages", `{"content":"board","nonce":"n1","enforce_nonce":true}`).ID == first.ID {
		t.Error("a nonce holds for more than minutes")
	}
	b.post(at+"/messages", `{"content":"x","message_reference":{"message_id":"`+first.ID+`"}}`).want(200)
	b.post(at+"/messages",
		`{"content":"x","message_reference":{"message_id":"1","fail_if_not_exists":false}}`).want(200)
	msg := at + "/messages/" + first.ID
	b.patch(msg, `{"content":"edited"}`).want(200)
	has(t, ann.Sees("#gomoku"), "edited")
	hers := ann.Says("#gomoku", "hello")
	b.patch(at+"/messages/"+hers, `{"content":"mine"}`).want(403, 50005)
	b.delete(at+"/messages/"+hers).want(403, 50013)
	s.Allow("#gomoku", "bot", standin.PermManageMessages)
	b.delete(at + "/messages/" + hers).want(204)
	b.get(at+"/messages/"+hers).want(404, 10008)

	s.Advance(2 * time.Hour)
	for range 3 {
		b.patch(msg, `{"content":"old"}`).want(200)
	}
	b.patch(msg, `{"content":"old"}`).want(429, 30046)
}

func TestPermissions(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	b := raw(t, s)
	at := "/channels/" + channel(t, s, "#gomoku")
	b.post(at+"/messages", `{"content":"x"}`).want(200)
	s.Deny("#gomoku", "bot", standin.PermAttachFiles)
	b.form("POST", at+"/messages", `{"content":"x"}`, "a.png").want(403, 50013)
	s.Deny("#gomoku", "bot", standin.PermSendMessages)
	b.post(at+"/messages", `{"content":"x"}`).want(403, 50013)
	s.Deny("#gomoku", "bot", standin.PermViewChannel)
	b.post(at+"/messages", `{"content":"x"}`).want(403, 50001)
	s.Permit("#gomoku", "bot")
	b.post(at+"/messages", `{"content":"x"}`).want(200)
	s.KickBot("Club")
	b.post(at+"/messages", `{"content":"x"}`).want(403, 50001)
	b.call("GET", "/guilds/"+unjson[standin.Channel](t, b.get("/users/@me").body).ID, "").want(404, 10004)
	s.InviteBot("Club")
	b.post(at+"/messages", `{"content":"x"}`).want(200)
	s.DeleteChannel("#gomoku")
	b.post(at+"/messages", `{"content":"x"}`).want(404, 10003)
}

func TestDirectMessages(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	b := raw(t, s)
	ann := s.Member("ann")
	id := unjson[standin.Message](t, b.post("/channels/"+channel(t, s, "#general")+"/messages",
		`{"content":"x"}`).body)
	_ = id
	r := testkit.Got(s.Act(t.Context(), standin.Action{Do: "member", As: "ann"}))
	dm := b.post("/users/@me/channels", `{"recipient_id":"`+r.IDs[0]+`"}`).want(200)
	b.post("/channels/"+dm.ID+"/messages", `{"content":"your turn"}`).want(200)
	has(t, ann.Sees("@bot"), "your turn")
	ann.ClosesDMs()
	b.post("/channels/"+dm.ID+"/messages", `{"content":"your turn"}`).want(403, 50007)
	b.post("/users/@me/channels", `{"recipient_id":"1"}`).want(404, 10013)
}

func TestThreads(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	b := raw(t, s)
	b.commands(goTable)
	at := "/channels/" + channel(t, s, "#gomoku")
	m := b.post(at+"/messages", `{"content":"a game"}`)
	th := b.post(at+"/messages/"+m.ID+"/threads",
		`{"name":"ann - bob","auto_archive_duration":60}`).want(201)
	b.post(at+"/messages/"+m.ID+"/threads", `{"name":"again"}`).want(400, 160004)
	alone := b.post(at+"/threads", `{"name":"alone","type":11}`).want(201)
	b.post("/channels/"+alone.ID+"/messages", `{"content":"board"}`).want(200)
	ann := s.Member("ann")
	has(t, ann.Sees("#gomoku/alone"), "board")
	in := b.post("/channels/"+th.ID+"/messages", `{"content":"board"}`).want(200)
	s.Archive("#gomoku/ann - bob")
	b.patch("/channels/"+th.ID+"/messages/"+in.ID, `{"content":"x"}`).want(400, 50083)
	if a := ann.Try().Slash("#gomoku/ann - bob", "/go"); !strings.Contains(a.Failed, "archived") {
		t.Errorf("a command in an archived thread: %v", a)
	}
	b.post("/channels/"+th.ID+"/messages", `{"content":"opens it again"}`).want(200)
	b.patch("/channels/"+th.ID+"/messages/"+in.ID, `{"content":"x"}`).want(200)
	s.Lock("#gomoku/ann - bob")
	b.post("/channels/"+th.ID+"/messages", `{"content":"x"}`).want(400, 50083)
	s.Deny("#gomoku", "bot", standin.PermPublicThreads)
	b.post(at+"/threads", `{"name":"no","type":11}`).want(403, 50013)
	s.DeleteChannel("#gomoku/alone")
	b.get("/channels/"+alone.ID).want(404, 10003)
}

func TestAttachments(t *testing.T) {
	t.Parallel()
	s := standin.New(t, standin.Options{KeepBytes: 1 << 20})
	b := raw(t, s)
	at := "/channels/" + channel(t, s, "#gomoku") + "/messages"
	v2 := `"flags":32768,"components":[{"type":12,"items":[{"media":{"url":"attachment://board.png"},"description":"the board"}]}]`
	m := unjson[standin.Message](t, b.form("POST", at,
		`{`+v2+`,"attachments":[{"id":"0","filename":"board.png","description":"alt"}]}`, "board.png").want(200).body)
	a := m.Attachments[0]
	if a.Description != "alt" || a.Width != 30 || a.Height != 20 || a.ContentType != "image/png" {
		t.Errorf("attachment %+v", a)
	}
	item := m.Components[0].Items[0]
	if item.Media.URL != a.URL || item.Media.AttachmentID != a.ID || item.Description != "the board" {
		t.Errorf("gallery item %+v", item)
	}
	get := func(url string) int {
		resp := testkit.Got(b.http.Get(url))
		resp.Body.Close()
		return resp.StatusCode
	}
	testkit.Want(t, "the picture", get(a.URL), http.StatusOK)
	// An edit that lists no old file drops it; a new one takes its place.
	e := unjson[standin.Message](t, b.form("PATCH", at+"/"+m.ID,
		`{`+strings.TrimPrefix(v2, `"flags":32768,`)+`,"attachments":[]}`, "board.png").want(200).body)
	if len(e.Attachments) != 1 || e.Attachments[0].ID == a.ID {
		t.Errorf("after the edit: %+v", e.Attachments)
	}
	testkit.Want(t, "the old picture", get(a.URL), http.StatusNotFound)
	if st := s.Stats(); st.Attachments != 1 {
		t.Errorf("%d attachments are kept", st.Attachments)
	}
	b.delete(at + "/" + m.ID).want(204)
	if st := s.Stats(); st.Attachments != 0 || st.AttachedBytes != 0 || st.Messages != 0 {
		t.Errorf("after deleting all: %+v", st)
	}
}

// TestUserInstall: a member who has installed the app uses it where the bot is
// not.
func TestUserInstall(t *testing.T) {
	t.Parallel()
	s, b, k := talking(t, standin.Options{}, goTable)
	s.AddGuild("Other", false, "talk")
	ann := s.Member("ann")
	if a := ann.Try().Slash("Other#talk", "/go"); !strings.Contains(a.Failed, "no command") {
		t.Errorf("without the bot: %v", a)
	}
	ann.Installs()
	e := b.ask(k, "ann", "Other#talk")
	if e.Context != 0 || e.Owners["0"] != "" || e.Owners["1"] == "" {
		t.Errorf("in another's server: %+v", e)
	}
	b.callback(e, `{"type":4,"data":{"content":"hi"}}`).want(204)
	for range 5 {
		b.post(b.hook(e, ""), `{"content":"more"}`).want(200)
	}
	b.post(b.hook(e, ""), `{"content":"more"}`).want(400, 40094)

	s.Deny("Other#talk", "everyone", standin.PermExternalApps)
	e = b.ask(k, "ann", "Other#talk")
	b.callback(e, `{"type":4,"data":{"content":"forced private"}}`).want(204)
	if got := s.Member("bob").Sees("Other#talk"); strings.Contains(got, "forced") {
		t.Errorf("bob sees\n%s", got)
	}
	has(t, ann.Sees("Other#talk"), "only you):\n    forced private")

	e = b.ask(k, "ann", "@bob")
	if e.Context != 2 {
		t.Errorf("between members: %+v", e)
	}
	e = b.ask(k, "ann", "@bot")
	if e.Context != 1 || e.Owners["0"] != "0" {
		t.Errorf("with the bot: %+v", e)
	}
	e = b.ask(k, "ann", "#gomoku")
	if e.Context != 0 || e.Owners["0"] != e.GuildID || e.Owners["1"] == "" {
		t.Errorf("at home: %+v", e)
	}
}

// TestApplication: what a bot reads of its application at the start.
func TestApplication(t *testing.T) {
	t.Parallel()
	s := standin.New(t, standin.Options{Endpoint: "https://example.org/interactions", NoUserInstall: true,
		BotAbsent: true, Lenient: true})
	b := raw(t, s)
	app := string(b.get("/applications/@me").want(200).body)
	has(t, app, `"interactions_endpoint_url":"https://example.org/interactions"`)
	if strings.Contains(app, `"1":{`) {
		t.Errorf("user install is off, but %s", app)
	}
	testkit.Want(t, "the bot is in", string(b.get("/users/@me/guilds").body), "[]")
	s.InviteBot("")
	commands := "/applications/" + s.AppID() + "/commands"
	b.put(commands, goTable).want(400, 50035)
	b.commands(strings.Replace(goTable, "[0,1]", "[0]", 1))
	k := b.identify()
	testkit.Got(s.Act(t.Context(), standin.Action{Do: "slash", As: "ann", At: "#gomoku", Name: "/go",
		NoWait: true}))
	k.send(`{"op":1,"d":null}`)
	for {
		p := testkit.Got(k.read())
		if p.T == "INTERACTION_CREATE" {
			t.Error("the gateway tells of interactions in spite of the endpoint")
		}
		if p.Op == 11 {
			break
		}
	}
}

// TestGonePress: the message goes away between the press and the answer.
func TestGonePress(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	b := raw(t, s)
	k := b.identify()
	m := b.post("/channels/"+channel(t, s, "#gomoku")+"/messages", `{"content":"x","components":[{"type":1,"components":[{"type":2,"style":1,"label":"A","custom_id":"a"}]}]}`)
	testkit.Got(s.Act(t.Context(), standin.Action{Do: "press", As: "ann", At: m.ID, Name: "A",
		NoWait: true}))
	e := k.interaction()
	if e.Message == nil || e.Message.ID != m.ID {
		t.Errorf("the press tells of %+v", e.Message)
	}
	s.DeleteMessage(m.ID)
	b.callback(e, `{"type":7,"data":{"content":"y"}}`).want(404, 10008)
	b.callback(e, `{"type":4,"data":{"content":"it is gone","flags":64}}`).want(204)
}

func TestGuildLookups(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	b := raw(t, s)
	ann := s.Member("ann")
	guild := "/guilds/" + unjson[[]struct{ ID string }](t, b.get("/users/@me/guilds").body)[0].ID
	id := map[string]string{}
	for _, u := range s.People() {
		id[u.Username] = u.ID
	}
	at := "/channels/" + channel(t, s, "#gomoku")
	th := b.post(at+"/threads", `{"name":"a game","type":11}`).want(201)
	for path, want := range map[string]string{
		guild:                           `"owner_id":"` + id["owner"] + `"`,
		guild + "/members/" + id["ann"]: `"username":"ann"`,
		guild + "/members/@me":          `"bot":true`,
		"/channels/" + th.ID:            `"owner_id":"` + s.AppID() + `"`,
		"/applications/@me":             `"approximate_guild_count":1`,
		"/applications/" + s.AppID() + "/commands": `[]`,
	} {
		has(t, string(b.get(path).want(200).body), want)
	}
	b.get(guild+"/members/1").want(404, 10007)
	b.put("/channels/"+th.ID+"/thread-members/"+id["ann"], "").want(204)
	b.put(at+"/thread-members/"+id["ann"], "").want(404, 10003)
	b.patch("/channels/"+th.ID, `{"archived":true,"name":"over"}`).want(200)
	b.put("/channels/"+th.ID+"/thread-members/"+id["ann"], "").want(400, 50083)
	if !strings.Contains(fmt.Sprint(ann.Places()), "#gomoku/over") {
		t.Errorf("ann sees %v", ann.Places())
	}
	b.patch(at, `{"name":"mine"}`).want(403, 50013)

	var list []string
	for _, text := range strings.Fields("a b c d") {
		list = append(list, ann.Says("#renju", text))
	}
	at = "/channels/" + channel(t, s, "#renju") + "/messages"
	for query, want := range map[string]string{"": "d c b a", "?limit=2": "d c", "?before=" + list[2]: "b a",
		"?after=" + list[1]: "d c", "?limit=1&after=" + list[1]: "c"} {
		var got []string
		for _, m := range unjson[[]standin.Message](t, b.get(at+query).want(200).body) {
			got = append(got, m.Content)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", query, got, want)
		}
	}
	s.KickBot("Club")
	b.get(guild).want(403, 50001)
}

// TestVersion10: from version 10 on, attachments lists the new files too.
func TestVersion10(t *testing.T) {
	t.Parallel()
	s := standin.New(t, standin.Options{Lenient: true})
	b := raw(t, s)
	send := func(version, payload string) *answer {
		b.api = version
		return b.form("POST", "/channels/"+channel(t, s, "#gomoku")+"/messages", payload, "a.png")
	}
	send("v9", `{"content":"x","attachments":[]}`).want(200)
	send("v10", `{"content":"x","attachments":[]}`).want(400, 50035)
	send("v10", `{"content":"x","attachments":[{"id":"0"}]}`).want(200)
	send("v10", `{"content":"x"}`).want(200)
	send("v3", `{"content":"x"}`).want(400, 50041)
}
