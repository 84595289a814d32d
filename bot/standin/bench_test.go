package standin_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"testing"

	"github.com/gorilla/websocket"

	"tengen/bot/standin"
	"tengen/internal/testkit"
)

// BenchmarkInteraction is one button pressed and answered by a type 7 with a
// board's worth of components: what the stand-in itself costs under load.
func BenchmarkInteraction(b *testing.B) {
	for _, mode := range []struct {
		name string
		tcp  bool
		o    standin.Options
	}{{"pipes", false, standin.Options{}}, {"tcp", true, standin.Options{}},
		{"tcp, unchecked", true, standin.Options{Unchecked: true}}} {
		b.Run(mode.name, func(b *testing.B) {
			o := mode.o
			if mode.tcp {
				o.Listener = listener(b)
			}
			s := standin.New(b, o)
			load(b, s)
		})
	}
}

func load(b *testing.B, s *standin.Server) {
	client := &http.Client{Transport: s.Transport()}
	post := func(method, path string, body []byte) {
		req, _ := http.NewRequest(method, "https://discord.com/api/v9"+path, bytes.NewReader(body))
		req.Header.Set("Authorization", "Bot "+s.Token())
		req.Header.Set("User-Agent", "DiscordBot (https://example.org, 1)")
		req.Header.Set("Content-Type", "application/json")
		resp, err := client.Do(req)
		if err != nil {
			b.Error(err)
			return
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if resp.StatusCode >= 300 {
			b.Errorf("%s: %d", path, resp.StatusCode)
		}
	}
	message := []byte(`{"flags":32768,"components":[{"type":17,"components":[{"type":10,"content":"your turn"},` +
		many(5, `{"type":1,"components":[`+many(5, `{"type":2,"style":1,"label":"H#","custom_id":"b#"}`)+`]}`) + `]}]}`)
	n := 0
	message = bytes.ReplaceAll(message, []byte(`"custom_id":"b`), []byte(`"custom_id":"x?`))
	for bytes.Contains(message, []byte("?")) { // make the ids unique
		n++
		message = bytes.Replace(message, []byte("?"), []byte{byte('a' + n%26), byte('a' + n/26), '-'}, 1)
	}
	answer, _ := json.Marshal(map[string]any{"type": 7, "data": json.RawMessage(message)})
	ws, _, err := s.Dialer().Dial("wss://gateway.discord.gg/?v=9", nil)
	testkit.Must(b, err)
	defer ws.Close()
	ws.WriteJSON(map[string]any{"op": 2, "d": map[string]any{"token": s.Token(), "intents": 1}})
	ready := make(chan bool)
	var calls sync.WaitGroup
	go read(ws, ready, func(id, token string) {
		calls.Go(func() { post("POST", "/interactions/"+id+"/"+token+"/callback", answer) })
	})
	<-ready
	var ids []string
	for _, p := range s.Member("ann").Places() {
		if p.Guild == "" {
			continue
		}
		post("POST", "/channels/"+p.ID+"/messages", message)
		ids = append(ids, s.Member("ann").Last(p.ID).ID)
	}
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		ann := s.Member("ann")
		for i := 0; pb.Next(); i++ {
			if a := ann.Press(ids[i%len(ids)], "H0"); a.Type != 7 {
				b.Errorf("%v", a)
			}
		}
	})
	b.StopTimer()
	calls.Wait()
}

func read(ws *websocket.Conn, ready chan<- bool, act func(id, token string)) {
	for {
		var p struct {
			T string
			D struct{ ID, Token string }
		}
		if ws.ReadJSON(&p) != nil {
			return
		}
		switch p.T {
		case "READY":
			close(ready)
		case "INTERACTION_CREATE":
			act(p.D.ID, p.D.Token)
		}
	}
}
