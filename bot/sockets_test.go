package bot

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"tengen/bot/discord"
	"tengen/bot/standin"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/kv"
)

// The gateway breaks in every way while members play. The test runs in real time with
// discordgo's heartbeats, which the simulator's fake time does not allow. Sockets drop;
// Discord asks to reconnect (op 7), makes the session invalid for good or not (op 9), closes
// with codes, hears no heartbeats, and breaks off before and after HELLO, READY and RESUMED.
// No accepted act is lost, none is done twice, and in the end the boards are right.
// TENGEN_BREAKS says how often.
func TestSocketsBreakWhilePlaying(t *testing.T) {
	t.Parallel()
	breaks := testkit.Dose("TENGEN_BREAKS", 14)
	seed := uint64(testkit.Dose("TENGEN_SEED", 1))
	s := &simulation{rng: rand.New(rand.NewPCG(seed, 7)), logs: &testkit.Log{}, story: &testkit.Log{}, ledger: newLedger(),
		found: asSimple}
	events := standin.EventFaults{Duplicate: .1, Delay: .1, DelayBy: 40 * time.Millisecond, Reorder: .1}
	server := standin.New(t, standin.Options{Lenient: true, Heartbeat: 250 * time.Millisecond, Sent: s.ledger.note,
		Plan: standin.Plan{Seed: seed, Events: events}})
	s.house = &house{Server: server, t: t}
	var err error
	s.store, err = storage.Open(t.Context(), kv.NewMemory(),
		storage.Options{Limits: storage.DefaultLimits})
	testkit.Must(t, err)
	log := slog.New(slog.NewTextHandler(s.logs, nil))
	d := testkit.Got(discord.New(discord.Options{Token: server.Token(), Transport: server.Transport(),
		Dialer: server.Dialer(), Log: log, Pause: 10 * time.Millisecond, OpenIn: 5 * time.Second}))
	s.discord = d
	service := serve(d, d, Config{Store: s.store, Log: log, Think: simple, Draw: drawn})
	s.bot = service.Bot
	server.Ready(1)

	over := make(chan struct{})
	var members sync.WaitGroup
	for i := range 10 {
		names := []string{fmt.Sprint("solo", i)}
		place := "Club#of-" + names[0]
		if i >= 6 {
			names, place = []string{fmt.Sprint("left", i), fmt.Sprint("right", i)}, fmt.Sprint("Club#pair", i)
		}
		s.AddChannel(place)
		rng := rand.New(rand.NewPCG(seed, uint64(100+i)))
		members.Go(func() {
			for {
				select {
				case <-over:
					return
				case <-time.After(time.Duration(rng.ExpFloat64() * float64(100*time.Millisecond))): // a member thinks
				}
				s.hurry(place, names[rng.IntN(len(names))], names[len(names)-1], rng)
			}
		})
	}
	for n := range breaks {
		time.Sleep(time.Duration(100+s.rng.IntN(300)) * time.Millisecond) // the moment is the point of the test
		plan := standin.Plan{Seed: seed + uint64(n), Events: events}
		switch n % 7 {
		case 0:
			s.DropSockets()
		case 1:
			s.Reconnect()
		case 2:
			s.Invalidate(true)
		case 3:
			s.Invalidate(false)
		case 4:
			plan.Events.DropHello, plan.Events.DropIdentify, plan.Events.DropReady, plan.Events.DropResume = 1, 1, 1, 1
			s.SetPlan(plan)
			s.DropSockets()
		case 5:
			plan.Events.MuteBeats = 12
			s.SetPlan(plan)
		case 6:
			s.CloseSockets([]int{1001, 4000, 4007, 4008, 4009}[s.rng.IntN(5)])
		}
		server.Ready(1)
	}
	close(over)
	members.Wait()
	s.SetPlan(standin.Plan{})
	server.Ready(1)
	bad := s.verdict(s.settle, func(bad *wrongs) {
		s.judgeMatches(bad)
		s.judgeSecrets(bad)
	})
	if len(bad) > 0 {
		t.Errorf("TENGEN_SEED=%d:\n%s", seed, strings.Join(bad, "\n"))
	}
	st := server.Stats()
	t.Logf("%d breaks: %d identifications, %d resumed, %d interactions", breaks, st.Identifies, st.Resumes,
		st.Interactions)
	if st.Resumes == 0 || st.Identifies < 2 {
		t.Error("sessions were not both resumed and begun anew")
	}
	testkit.Check(t, service.Close())
}

// A move that is made while the judge reads may not fit what it read, and is no fault. A
// mismatch while nothing happens is a fault.
func TestVerdict(t *testing.T) {
	t.Parallel()
	h := open(t, standin.Options{})
	s := &simulation{house: h}
	ann := h.Member("ann")
	judged := 0
	bad := s.verdict(h.settle, func(bad *wrongs) {
		if judged++; judged == 1 {
			ann.Slash("#gomoku", "/play with:bot level:1")
			bad.add("match A shows move 2, stored is move 1")
		}
	})
	if len(bad) > 0 || judged != 2 {
		t.Errorf("what happened while it was judged is held against the bot: %v, judged %d times", bad, judged)
	}
	judged = 0
	bad = s.verdict(h.settle, func(bad *wrongs) {
		judged++
		bad.add("match A shows move 2, stored is move 1")
	})
	if len(bad) != 1 || judged != 1 {
		t.Errorf("a fault is judged %d times, %v is left", judged, bad)
	}
}
