package standin_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"

	"tengen/bot/standin"
	"tengen/internal/testkit"
)

func TestCloseCodes(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	b := raw(t, s)
	token := `"token":"` + s.Token() + `","intents":1,"properties":{}`
	for _, c := range []struct {
		name, send string
		code       int
	}{
		{"bad token", `{"op":2,"d":{"token":"x","intents":1}}`, standin.CloseBadToken},
		{"no intents", `{"op":2,"d":{"token":"` + s.Token() + `"}}`, standin.CloseIntents},
		{"privileged intents", `{"op":2,"d":{"token":"` + s.Token() + `","intents":32769}}`, standin.CloseDisallowed},
		{"bad shard", `{"op":2,"d":{` + token + `,"shard":[3,2]}}`, standin.CloseShard},
		{"no JSON", `hello`, standin.CloseDecode},
		{"before IDENTIFY", `{"op":3,"d":{}}`, standin.CloseNotIdentified},
		{"resume with a bad token", `{"op":6,"d":{"token":"x","session_id":"y","seq":1}}`, standin.CloseBadToken},
	} {
		k := b.dial()
		k.next("op 10")
		k.send("%s", c.send)
		if got := k.closed(); got != c.code {
			t.Errorf("%s: closed with %d, want %d", c.name, got, c.code)
		}
	}
	k := b.identify()
	k.send(`{"op":2,"d":{%s}}`, token)
	testkit.Want(t, "IDENTIFY twice", k.closed(), standin.CloseAlready)
	k = b.identify()
	k.send(`{"op":99}`)
	testkit.Want(t, "unknown opcode", k.closed(), standin.CloseOpcode)
	k = b.identify()
	for range 121 {
		k.send(`{"op":1,"d":null}`)
	}
	testkit.Want(t, "too many packets", k.closed(), standin.CloseRateLimit)
}

func TestResume(t *testing.T) {
	t.Parallel()
	s, b, k := talking(t, standin.Options{}, goTable)
	first := b.ask(k, "ann", "#gomoku")
	k.ws.Close()
	// What happens while nobody listens is told afterwards.
	testkit.Got(s.Act(t.Context(), standin.Action{Do: "slash", As: "ann", At: "#gomoku", Name: "/go",
		NoWait: true}))
	again := b.dial()
	again.next("op 10")
	again.send(`{"op":6,"d":{"token":"%s","session_id":"%s","seq":%d}}`, s.Token(), k.id, k.seq)
	missed := again.interaction()
	if missed.ID == first.ID {
		t.Error("the first interaction came again")
	}
	again.next("RESUMED")
	b.callback(missed, `{"type":4,"data":{"content":"still in time"}}`).want(204)

	bad := b.dial()
	bad.next("op 10")
	bad.send(`{"op":6,"d":{"token":"%s","session_id":"nonsense","seq":1}}`, s.Token())
	if p := bad.next("op 9"); string(p.D) != "false" {
		t.Errorf("an unknown session: %s", p.D)
	}
	ahead := b.dial()
	ahead.next("op 10")
	ahead.send(`{"op":6,"d":{"token":"%s","session_id":"%s","seq":9999}}`, s.Token(), k.id)
	testkit.Want(t, "a sequence of the future", ahead.closed(), standin.CloseSequence)
}

// TestShards: each server's events go to its shard, direct messages to shard 0.
func TestShards(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	b := raw(t, s)
	b.commands(goTable)
	socks := [2]*socket{}
	for i := range socks {
		socks[i] = b.dial()
		socks[i].next("op 10")
		socks[i].send(`{"op":2,"d":{"token":"%s","intents":1,"shard":[%d,2]}}`, s.Token(), i)
		socks[i].next("READY")
	}
	got := [2]int{}
	for i := range 12 {
		name := "server" + string(rune('a'+i))
		s.AddGuild(name, true, "talk")
		testkit.Got(s.Act(t.Context(), standin.Action{Do: "slash", As: "ann", At: name + "#talk", Name: "/go",
			NoWait: true}))
	}
	for i, k := range socks {
		k.send(`{"op":1,"d":null}`)
		for {
			p := testkit.Got(k.read())
			if p.Op == 11 {
				break
			}
			if p.T == "INTERACTION_CREATE" {
				got[i]++
			}
		}
	}
	if got[0]+got[1] != 12 || got[0] == 0 || got[1] == 0 {
		t.Errorf("the shards got %v of 12", got)
	}
}

// TestDiscordgoReconnects: op 7, op 9, a lost network and close codes, with a
// real session.
func TestDiscordgoReconnects(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		do      func(*standin.Server)
		resumes bool
	}{
		{"lost network", func(s *standin.Server) { s.DropSockets() }, true},
		{"op 7", func(s *standin.Server) { s.Reconnect() }, true},
		{"op 9", func(s *standin.Server) { s.Invalidate(false) }, false},
		{"close 4000", func(s *standin.Server) { s.CloseSockets(standin.CloseUnknown) }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := standin.New(t, standin.Options{AnswerWithin: time.Minute})
			b := connect(t, s, player(t))
			b.register(t, table()...)
			ann := s.Member("ann")
			ann.Slash("#gomoku", "/play bot game:renju")
			again := make(chan string, 10)
			b.AddHandler(func(*discordgo.Session, *discordgo.Resumed) { again <- "resumed" })
			b.AddHandler(func(*discordgo.Session, *discordgo.Ready) { again <- "ready" })
			c.do(s)
			select {
			case got := <-again:
				if (got == "resumed") != c.resumes {
					t.Errorf("the session is %s", got)
				}
			case <-time.After(time.Minute):
				t.Fatal("the session did not come back")
			}
			ann.Press("#gomoku", "H8")
			has(t, ann.Sees("#gomoku"), "played at:H8")
		})
	}
}

// TestWrongToken: the code that must not be answered by trying again.
func TestWrongToken(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	d := testkit.Got(discordgo.New("Bot wrong"))
	d.Client.Transport = s.Transport()
	d.Dialer = s.Dialer()
	d.ShouldReconnectOnError = false
	if err := d.Open(); err == nil || !strings.Contains(err.Error(), "4004") {
		t.Errorf("opened with a wrong token: %v", err)
	}
}

// TestBubble: over pipes everything works in fake time.
func TestBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, b, k := talking(t, standin.Options{Latency: 80 * time.Millisecond}, goTable)
		start := time.Now()
		e := b.ask(k, "ann", "#gomoku")
		b.callback(e, `{"type":5}`).want(204)
		testkit.Want(t, "an interaction of 40 ms and a call of 80 ms took", time.Since(start), 120*time.Millisecond)
		synctest.Wait()
		e = b.ask(k, "ann", "#gomoku")
		time.Sleep(3 * time.Second)
		b.callback(e, `{"type":5}`).want(404, 10062)
		has(t, s.Member("ann").Sees("#gomoku"), "did not respond")
		b.http.CloseIdleConnections()
	})
}

// TestDiscordgoInBubble: a real session in fake time, with hours of heartbeats,
// a lost network and a clean end.
func TestDiscordgoInBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		standin.EnterBubble()
		s := fresh(t)
		b := connect(t, s, player(t))
		b.register(t, table()...)
		ann := s.Member("ann")
		ann.Slash("#gomoku", "/play bot game:renju")
		time.Sleep(3 * time.Hour)
		ann.Press("#gomoku", "H8")
		s.DropSockets()
		time.Sleep(10 * time.Second)
		s.Ready(1)
		ann.Press("#gomoku", "J9")
		has(t, ann.Sees("#gomoku"), "played at:J9")
		if st := s.Stats(); st.Identifies != 1 || st.Resumes != 1 || st.Failures != 0 {
			t.Errorf("%+v", st)
		}
		b.Client.CloseIdleConnections()
	})
}

// TestHeartbeat: a session that does not beat is closed.
func TestHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := fresh(t)
		b := raw(t, s)
		k := b.identify()
		start := time.Now()
		k.ws.SetReadDeadline(time.Time{})
		for {
			var p packet
			if err := k.ws.ReadJSON(&p); err != nil {
				if !strings.Contains(err.Error(), "4009") {
					t.Errorf("closed with %v", err)
				}
				break
			}
		}
		testkit.Want(t, "closed after", time.Since(start), 82500*time.Millisecond)
		b.http.CloseIdleConnections()
	})
}

// TestMessageEvents: sessions that ask for messages hear of them, without the
// content of others' where the intent is not granted.
func TestMessageEvents(t *testing.T) {
	t.Parallel()
	for _, privileged := range []bool{false, true} {
		s := standin.New(t, standin.Options{Privileged: privileged})
		b := raw(t, s)
		k := b.dial()
		k.next("op 10")
		k.send(`{"op":2,"d":{"token":"%s","intents":513}}`, s.Token())
		k.next("READY")
		ann := s.Member("ann")
		id := ann.Says("#gomoku", "secret")
		if got := strings.Contains(string(k.next("MESSAGE_CREATE").D), "secret"); got != privileged {
			t.Errorf("privileged %v, content shown %v", privileged, got)
		}
		ann.Deletes(id)
		has(t, string(k.next("MESSAGE_DELETE").D), id)
		m := b.post("/channels/"+channel(t, s, "#gomoku")+"/messages", `{"content":"own"}`)
		has(t, string(k.next("MESSAGE_CREATE").D), "own")
		b.patch("/channels/"+channel(t, s, "#gomoku")+"/messages/"+m.ID, `{"content":"changed"}`).want(200)
		has(t, string(k.next("MESSAGE_UPDATE").D), "changed")
	}
}
