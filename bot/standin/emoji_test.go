package standin_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tengen/bot/standin"
	"tengen/internal/testkit"
)

func dataURI(size int) string {
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("x"), size))
}

// TestEmojis: the emojis of the application, with Discord's limits.
func TestEmojis(t *testing.T) {
	t.Parallel()
	s := standin.New(t, standin.Options{Lenient: true})
	b := raw(t, s)
	at := "/applications/" + s.AppID() + "/emojis"
	post := func(name, image string) *answer {
		return b.post(at, fmt.Sprintf(`{"name":%q,"image":%q}`, name, image))
	}
	has(t, string(b.get(at).want(200).body), `{"items":[]}`)
	black := post("black_1", dataURI(10)).want(201)
	has(t, string(black.body), `"name":"black_1"`)
	has(t, string(black.body), `"bot":true`)
	for name, code := range map[string]string{"a": "BASE_TYPE_BAD_LENGTH", strings.Repeat("a", 33): "BASE_TYPE_BAD_LENGTH",
		"has space": "STRING_TYPE_REGEX", "dash-ed": "STRING_TYPE_REGEX", "black_1": "APPLICATION_EMOJI_NAME_ALREADY_TAKEN"} {
		has(t, string(post(name, dataURI(10)).want(400, 50035).body), code)
	}
	for _, image := range []string{"", "x", "data:text/html;base64,eA==", "data:image/png;base64,%%",
		"data:image/png,eA=="} {
		post("white", image).want(400, 50035)
	}
	post("large", dataURI(256<<10)).want(201)
	post("larger", dataURI(256<<10+1)).want(400)
	one := at + "/" + black.ID
	b.delete(one).want(204)
	b.delete(one).want(404, 10014)
	b.get("/applications/1/emojis").want(404, 10002)
	b.post(at, `{"name":7}`).want(400, 50035)
	for i := range 1999 {
		post(fmt.Sprintf("e%d", i), dataURI(1)).want(201)
	}
	post("one_too_many", dataURI(1)).want(400, 30008)
}

// TestEmojiOnButtons: an emoji that does not exist, or not any more, is refused; in the second
// case the bot has made no mistake.
func TestEmojiOnButtons(t *testing.T) {
	t.Parallel()
	s := standin.New(t, standin.Options{Lenient: true})
	b := raw(t, s)
	at := "/applications/" + s.AppID() + "/emojis"
	id := b.post(at, fmt.Sprintf(`{"name":"black","image":%q}`, dataURI(4))).want(201).ID
	post := func(id string) *answer {
		return b.post("/channels/"+channel(t, s, "#gomoku")+"/messages", fmt.Sprintf(
			`{"flags":32768,"components":[{"type":9,"components":[{"type":10,"content":"x"}],"accessory":{"type":2,"style":2,"custom_id":"a","emoji":{"id":%q,"name":"black"}}}]}`, id))
	}
	post(id).want(200)
	has(t, s.Member("ann").Sees("#gomoku"), "[black]")
	testkit.Want(t, "violations", len(s.Violations()), 0)
	unknown := string(post("123456789012345678").want(400, 50035).body)
	has(t, unknown, "BUTTON_COMPONENT_INVALID_EMOJI")
	has(t, unknown, `"accessory":{"emoji":{"id"`)
	testkit.Want(t, "violations after an emoji that never was", len(s.Violations()), 1)
	s.Act(t.Context(), standin.Action{Do: "delete-emoji", Name: "bla*"})
	has(t, string(post(id).want(400, 50035).body), "BUTTON_COMPONENT_INVALID_EMOJI")
	testkit.Want(t, "violations after an emoji that was deleted", len(s.Violations()), 1)
	if _, err := s.Act(t.Context(), standin.Action{Do: "add-emoji", Name: "no good"}); err == nil {
		t.Error("the operator has an emoji with a space in its name")
	}
}

// TestEmojiFault: now and then Discord does not know an emoji that is there.
func TestEmojiFault(t *testing.T) {
	t.Parallel()
	s := standin.New(t,
		standin.Options{Lenient: true, Plan: standin.Plan{Calls: []standin.CallFault{{Kind: standin.RefuseEmoji}}}})
	b := raw(t, s)
	path := "/channels/" + channel(t, s, "#gomoku") + "/messages"
	id := b.post("/applications/"+s.AppID()+"/emojis",
		fmt.Sprintf(`{"name":"black","image":%q}`, dataURI(4))).want(201).ID
	message := `{"components":[{"type":1,"components":[{"type":2,"style":2,"custom_id":"a","emoji":%s}]}]}`
	has(t, string(b.post(path, fmt.Sprintf(message, `{"id":"`+id+`","name":"black"}`)).want(400, 50035).body),
		"BUTTON_COMPONENT_INVALID_EMOJI")
	b.post(path, fmt.Sprintf(message, `{"name":"⚫"}`)).want(200)
}

// TestServeEmoji: the picture is served, and kept over a restart.
func TestServeEmoji(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	b := raw(t, s)
	id := b.post("/applications/"+s.AppID()+"/emojis",
		fmt.Sprintf(`{"name":"black","image":%q}`, dataURI(4))).want(201).ID
	var world bytes.Buffer
	testkit.Must(t, s.Save(&world, func(string, []byte) error { return nil }))
	again := fresh(t)
	testkit.Must(t, again.Restore(&world, nil))
	for name, server := range map[string]*standin.Server{"first": s, "restored": again} {
		for path, want := range map[string]int{"/emojis/" + id + ".png": 200, "/emojis/" + id: 200, "/emojis/1.png": 404} {
			w := httptest.NewRecorder()
			server.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
			if w.Code != want || want == 200 && (w.Body.String() != "xxxx" || w.Header().Get("Content-Type") != "image/png") {
				t.Errorf("%s, %s: %d %q", name, path, w.Code, w.Body)
			}
		}
	}
}
