package standin_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/google/go-cmp/cmp"

	"tengen/bot/standin"
	"tengen/internal/testkit"
)

// TestSoak: members of all kinds, a real session, and everything going wrong
// at once; each member gets an answer or a failure, and nothing hangs.
func TestSoak(t *testing.T) {
	for seed := range uint64(3) {
		testkit.Bubble(t, fmt.Sprint(seed), func(t *testing.T) { soak(t, seed) })
	}
}

func soak(t *testing.T, seed uint64) {
	standin.EnterBubble()
	s := standin.New(t, standin.Options{Latency: 20 * time.Millisecond, Limits: standin.Limits{On: true}, Keep: 50,
		KeepBytes: 1 << 16})
	hand := raw(t, s)
	hand.http.Timeout = 5 * time.Second
	b := connect(t, s, hand.answers)
	b.register(t, table()...)
	s.SetPlan(standin.Plan{Seed: seed,
		Calls: []standin.CallFault{{Kind: standin.RateUser, P: 0.03}, {Kind: standin.ServerError, P: 0.03},
			{Kind: standin.TimeoutAfter, P: 0.02}, {Kind: standin.DropAfter, P: 0.03}, {Kind: standin.Slow, P: 0.03}},
		Events: standin.EventFaults{Duplicate: 0.1, Delay: 0.1, Reorder: 0.1, Drop: 0.01, DropReady: 1, DropResume: 1,
			DropIdentify: 1}})
	var members sync.WaitGroup
	for n := range 8 {
		members.Go(func() { soakMember(t, s, fmt.Sprint("member", n), rand.New(rand.NewPCG(seed, uint64(n)))) })
	}
	soakPlaces(s)
	members.Wait()
	s.SetPlan(standin.Plan{})
	checkSoak(t, s)
	time.Sleep(time.Minute) // calls that hang come to their end
	hand.http.CloseIdleConnections()
	b.Client.CloseIdleConnections()
}

// answers answers an interaction of any kind. The calls are made by hand: discordgo's limiter
// holds a lock over a call, which stops the clock of a bubble when an interaction comes twice.
func (b *rawBot) answers(_ *discordgo.Session, i *discordgo.InteractionCreate) {
	const show = `"flags":32768,"components":[{"type":12,"items":[{"media":{"url":"attachment://b.png"},"description":"a board"}]},{"type":1,"components":[{"type":2,"style":1,"label":"H8","custom_id":"h8"}]}]`
	answers := map[discordgo.InteractionType]string{
		discordgo.InteractionApplicationCommand:             `{"type":4,"data":{` + show + `}}`,
		discordgo.InteractionMessageComponent:               `{"type":7,"data":{"attachments":[],` + show + `}}`,
		discordgo.InteractionApplicationCommandAutocomplete: `{"type":8,"data":{"choices":[{"name":"a","value":"a"}]}}`,
	}
	var files []string
	if i.Type != discordgo.InteractionApplicationCommandAutocomplete {
		files = []string{"b.png"}
	}
	ctype, body := formBody(answers[i.Type], files...)
	b.do("POST", "/interactions/"+i.ID+"/"+i.Token+"/callback", ctype, body)
}

// soakMember uses the bot forty times, anywhere and anyhow.
func soakMember(t *testing.T, s *standin.Server, name string, r *rand.Rand) {
	m := s.Member(name).Try()
	for range 40 {
		time.Sleep(time.Duration(r.IntN(3000)) * time.Millisecond)
		place := []string{"#gomoku", "#renju", "@bot", "#general"}[r.IntN(4)]
		switch r.IntN(6) {
		case 0, 1:
			m.Slash(place, "/play bot game:renju")
		case 2, 3:
			m.Press(place, "H8")
		case 4:
			m.Types(place, "/move", standin.Opt{"at", "h"})
		case 5:
			if list := m.Messages(place); len(list) > 0 {
				s.Act(t.Context(), standin.Action{Do: "delete-message", At: list[r.IntN(len(list))].ID})
			}
		}
	}
}

// soakPlaces breaks connections and changes places for 80 seconds.
func soakPlaces(s *standin.Server) {
	for n := range 20 {
		time.Sleep(4 * time.Second)
		switch n % 5 {
		case 0:
			s.DropSockets()
		case 1:
			s.Reconnect()
		case 2:
			s.Deny("#renju", "bot", standin.PermViewChannel)
		case 3:
			s.Permit("#renju", "bot")
		case 4:
			s.DeleteChannel("#general")
			s.AddChannel("#general")
		}
	}
}

// checkSoak: much happened, most of it was answered, and nothing but what had to go wrong did.
func checkSoak(t *testing.T, s *standin.Server) {
	st := s.Stats()
	if st.Interactions < 100 || st.Faults < 5 || st.Resumes < 1 || st.Messages > 4*50+20 || st.AttachedBytes > 1<<16 {
		t.Errorf("%+v", st)
	}
	if st.Failures > st.Interactions/2 {
		t.Errorf("%d of %d interactions failed", st.Failures, st.Interactions)
	}
	t.Logf("%+v", st)
	codes := map[int]int{}
	for _, c := range s.Calls() {
		codes[c.Code]++
	}
	t.Logf("errors by code: %v", codes)
	for code := range codes {
		if !slices.Contains([]int{0, 10003, 10008, 10062, 40060}, code) {
			t.Errorf("error %d was not to be expected", code)
		}
	}
}

// TestZombie: a session whose heartbeats are not acknowledged connects anew.
func TestZombie(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		standin.EnterBubble()
		s := standin.New(t, standin.Options{Plan: standin.Plan{Events: standin.EventFaults{MuteBeats: 8}}})
		b := connect(t, s, player(t))
		time.Sleep(10 * time.Minute)
		s.World.Stats()
		if st := s.Stats(); st.Identifies+st.Resumes < 2 {
			t.Errorf("%+v", st)
		}
		b.Client.CloseIdleConnections()
	})
}

// TestIdentifyLimit: one IDENTIFY in five seconds, where limits are on.
func TestIdentifyLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := standin.New(t, standin.Options{Limits: standin.Limits{On: true}, Shards: 2})
		b := raw(t, s)
		b.identify()
		k := b.dial()
		k.next("op 10")
		identify := fmt.Sprintf(`{"op":2,"d":{"token":"%s","intents":1}}`, s.Token())
		k.send("%s", identify)
		if p := k.next("op 9"); string(p.D) != "false" {
			t.Errorf("%s", p.D)
		}
		time.Sleep(5 * time.Second)
		k.send("%s", identify)
		k.next("READY")
		has(t, string(b.get("/gateway/bot").body), `"remaining":997`)
		has(t, string(b.get("/gateway/bot").body), `"shards":2`)
		b.http.CloseIdleConnections()
	})
}

// TestIdentifyBuckets: as many at a time as max_concurrency says, one of each remainder.
func TestIdentifyBuckets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := standin.New(t, standin.Options{Limits: standin.Limits{On: true, Concurrency: 2}, Shards: 4})
		b := raw(t, s)
		for shard, want := range map[int]string{0: "READY", 1: "READY"} {
			k := b.dial()
			k.next("op 10")
			k.send(`{"op":2,"d":{"token":"%s","intents":1,"shard":[%d,4]}}`, s.Token(), shard)
			k.next(want)
		}
		k := b.dial()
		k.next("op 10")
		k.send(`{"op":2,"d":{"token":"%s","intents":1,"shard":[3,4]}}`, s.Token())
		k.next("op 9")
		has(t, string(b.get("/gateway/bot").body), `"max_concurrency":2`)
		testkit.Want(t, "too fast", s.Stats().TooFast, 1)
		b.http.CloseIdleConnections()
	})
}

// TestTooManyStarts: a session above the day's number costs the token.
func TestTooManyStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := standin.New(t, standin.Options{Limits: standin.Limits{On: true, Starts: 2}})
		b := raw(t, s)
		for range 2 {
			b.identify()
			time.Sleep(5 * time.Second)
		}
		has(t, string(b.get("/gateway/bot").body), `"remaining":0`)
		k := b.dial()
		k.next("op 10")
		k.send(`{"op":2,"d":{"token":"%s","intents":1}}`, s.Token())
		testkit.Want(t, "closed with", k.closed(), standin.CloseBadToken)
		b.get("/gateway/bot").want(401)
		b.http.CloseIdleConnections()
	})
}

// TestLostSessions: sessions of a bot that died are not kept for ever.
func TestLostSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := fresh(t)
		b := raw(t, s)
		k := b.identify()
		k.ws.Close()
		time.Sleep(2 * time.Minute)
		resume := func() *socket {
			again := b.dial()
			again.next("op 10")
			again.send(`{"op":6,"d":{"token":"%s","session_id":"%s","seq":%d}}`, s.Token(), k.id, k.seq)
			return again
		}
		again := resume()
		again.next("RESUMED")
		again.ws.Close()
		time.Sleep(4 * time.Minute)
		resume().next("op 9")
		b.http.CloseIdleConnections()
	})
}

// TestSameSeedSameRun: in a bubble, with members who act one after the other,
// a seed gives the same run to the last byte: ids, tokens, faults, messages.
func TestSameSeedSameRun(t *testing.T) {
	run := func(seed uint64) string {
		var out strings.Builder
		synctest.Test(t, func(t *testing.T) {
			standin.EnterBubble()
			s := standin.New(t, standin.Options{Latency: 30 * time.Millisecond, Plan: standin.Plan{Seed: seed,
				Calls: []standin.CallFault{{Kind: standin.ServerError, Route: "callback", P: 0.1},
					{Kind: standin.DropAfter, Route: "callback", P: 0.1}},
				Events: standin.EventFaults{Duplicate: 0.2, Delay: 0.2, DelayBy: 4 * time.Second}}})
			b := raw(t, s)
			b.commands(goTable)
			k := b.identify()
			k.ws.SetReadDeadline(time.Time{})
			var bot sync.WaitGroup
			bot.Go(func() {
				for {
					var p packet
					if k.ws.ReadJSON(&p) != nil {
						return
					}
					if p.T == "INTERACTION_CREATE" {
						e := unjson[event](t, p.D)
						b.do("POST", "/interactions/"+e.ID+"/"+e.Token+"/callback", "application/json",
							[]byte(`{"type":4,"data":{"content":"`+e.ID+e.Token+`"}}`))
					}
				}
			})
			ann := s.Member("ann").Try()
			for range 30 {
				a := ann.Slash("#gomoku", "/go")
				fmt.Fprintln(&out, a.Interaction, a.Type, a.Failed, a.Took)
			}
			time.Sleep(10 * time.Second)
			out.WriteString(ann.Sees("#gomoku"))
			k.ws.Close()
			bot.Wait()
			b.http.CloseIdleConnections()
		})
		return out.String()
	}
	one := run(5)
	if two := run(5); one != two {
		t.Errorf("seed 5 twice (-one +two)\n%s", cmp.Diff(one, two))
	}
	if one == run(6) {
		t.Error("seed 6 is seed 5")
	}
	has(t, one, "did not respond")
}
