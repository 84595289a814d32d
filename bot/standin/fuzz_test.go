package standin_test

import (
	"testing"

	"tengen/bot/standin"
)

// FuzzBodies: no body, however odd, stops the stand-in, checked or not; and
// what it took can be read and rendered.
func FuzzBodies(f *testing.F) {
	for _, s := range []string{`{"content":"x"}`, `{"flags":32768,"components":[{"type":17,"components":[{"type":12,"items":[{}]},{"type":13}]},{"type":9}]}`,
		`{"components":[{"type":1,"components":[{"type":3,"options":[{}]},{"type":2,"emoji":{}}]}]}`, `{"embeds":[{"image":{},"author":{}}],"allowed_mentions":{"parse":["users"]}}`,
		`[]`, `null`, `{"type":9,"data":{"components":[{"type":1},{"type":18}]}}`,
		`{"type":9,"data":{"custom_id":"m","title":"T","components":[{"type":18,"label":"F","component":{"type":21,"custom_id":"r","options":[{"label":"a","value":"a","default":true},{"label":"b","value":"b"}]}}]}}`,
		`{"type":9,"data":{"custom_id":"m","title":"T","components":[{"type":18,"label":"F","component":{"type":22,"custom_id":"r","required":false,"options":[{}]}},{"type":18,"component":{"type":19}}]}}`, `{"attachments":[{"id":{}}],"message_reference":{"message_id":"1"}}`} {
		f.Add(s)
	}
	var worlds []*standin.Server
	for _, o := range []standin.Options{{Lenient: true}, {Unchecked: true}} {
		o.Keep = 20
		s := standin.Start(o)
		f.Cleanup(s.Close)
		worlds = append(worlds, s)
	}
	const guild = "368094967159815732" // Club's id is made of its name
	f.Fuzz(func(t *testing.T, body string) {
		for _, s := range worlds {
			b := raw(t, s)
			b.commands(goTable)
			at := "/channels/" + channel(t, s, "#gomoku") + "/messages"
			a := b.post(at, body)
			if a.status == 200 {
				b.patch(at+"/"+a.ID, body)
			}
			k := b.identify()
			e := b.ask(k, "ann", "#gomoku")
			if b.callback(e, body).status >= 500 {
				t.Errorf("an error of our own for %s", body)
			}
			for _, given := range [][]standin.Value{nil, {{Name: "F", Value: "a,b"}}} {
				s.Act(t.Context(), standin.Action{Do: "submit", As: "ann", Modal: e.ID, Options: given, NoWait: true})
			}
			b.put("/applications/"+s.AppID()+"/guilds/"+guild+"/commands", body)
			ann := s.Member("ann")
			ann.Sees("#gomoku")
			for _, m := range ann.Messages("#gomoku") {
				s.Act(t.Context(), standin.Action{Do: "press", As: "ann", At: m.ID, Name: "x", NoWait: true})
				s.DeleteMessage(m.ID)
			}
			k.ws.Close()
			b.http.CloseIdleConnections()
		}
	})
}
