package bot

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/standin"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/kv"
)

// openingStories are openings between Ann and Bob, as the presses that decide them: who presses what,
// and what the log then ends with.
var openingStories = []struct {
	begin   string
	presses [][3]string
}{
	{"game:gomoku opening:swap2", [][3]string{
		{"ann", "H8", "h8"}, {"ann", "H9", "h9"}, {"ann", "I8", "i8"}, {"bob", "Two more stones", "two"},
		{"bob", "I9", "i9"}, {"bob", "G7", "g7"}, {"ann", "Take White", "white"}, {"ann", "G8", "g8"},
	}},
	{"game:renju opening:taraguchi10", [][3]string{
		{"ann", "H8", "h8"}, {"bob", "Swap: take Black", "swap"}, {"ann", "I9", "i9"}, {"bob", "Keep Black", "stay"},
		{"bob", "J10", "j10"}, {"ann", "Keep White", "stay"}, {"ann", "K9", "k9"}, {"bob", "Offer ten points", "ten"},
		{"bob", "H10", "h10"}, {"bob", "H11", "h11"}, {"bob", "I10", "i10"}, {"bob", "I11", "i11"}, {"bob", "J11", "j11"},
		{"bob", "K10", "k10"}, {"bob", "K11", "k11"}, {"bob", "L11", "l11"}, {"bob", "L10", "l10"}, {"bob", "L9", "l9"},
		{"ann", "10 · L9", "l9"}, {"ann", "K8", "k8"},
	}},
}

// An opening goes on whatever step of a decision the bot dies at: a transaction or a call to Discord,
// before or after its effect. The member presses again what they still see, and each decision is in the
// log once. TENGEN_OPENING_STEPS=1 tries every step, 3 every third.
func TestKilledBetweenDecisions(t *testing.T) {
	t.Parallel()
	every := testkit.Dose("TENGEN_OPENING_STEPS", 3)
	for _, story := range openingStories {
		for fuse := int64(1); fuse < 9; fuse += int64(every) {
			t.Run(fmt.Sprint(strings.Fields(story.begin)[1], "/step=", fuse), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { tellOpening(t, story.begin, story.presses, fuse) })
			})
		}
	}
}

func tellOpening(t *testing.T, begin string, presses [][3]string, fuse int64) {
	time.Sleep(time.Until(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)))
	s := &simulation{rng: rand.New(rand.NewPCG(1, 7)), logs: &testkit.Log{}, story: &testkit.Log{}, ledger: newLedger(),
		disk: &disk{Engine: kv.NewMemory()}, slips: &dice{rng: rand.New(rand.NewPCG(1, 8))}, misses: true}
	s.found = s.ledger.thoughtOf
	server := standin.Start(standin.Options{Lenient: true, Heartbeat: 10 * time.Hour, Sent: s.ledger.note, Posted: s.ledger.call})
	defer server.Close()
	s.house = &house{Server: server, t: t, engine: s.disk}
	s.rise()
	defer func() { s.still(); s.stop() }()
	members := map[string]*standin.Member{"ann": s.Member("ann").Try(), "bob": s.Member("bob").Try()}
	members["ann"].Slash(callPlace, "/play member opponent:@bob color:black "+begin)
	members["bob"].Press(callPlace, "Accept")
	s.calm()
	want, deaths := "", 0
	for _, p := range presses {
		who := members[p[0]]
		want += " " + p[2]
		s.mortal.fuse.Store(fuse)
		for range 4 { // a last offer takes a second press, and a death another
			if s.decided(t) == want {
				break
			}
			who.Press(callPlace, p[1])
			if strings.Contains(who.Sees(callPlace), "[Done") {
				who.Press(callPlace, "Done: offer these 10")
			}
			select {
			case <-s.mortal.died:
			case <-time.After(2 * time.Second):
			}
			if s.mortal.dead.Load() {
				deaths++
				s.fall()
				s.rise()
			}
			s.calm()
			s.bot.screens.RetryLate(s.bot.now())
			s.calm()
		}
		s.mortal.fuse.Store(-1)
		if got := s.decided(t); got != want {
			t.Fatalf("decided%s, want%s; %s sees\n%s", got, want, p[0], who.Sees(callPlace))
		}
	}
	if n := boards(members["ann"], callPlace); n != 1 || deaths < len(presses)/2 {
		t.Errorf("%d boards after %d deaths:\n%s", n, deaths, members["ann"].Sees(callPlace))
	}
}

// decided are the decisions of the only match, each after a space.
func (s *simulation) decided(t *testing.T) string {
	var out strings.Builder
	s.store.Live(t.Context(), func(rec storage.Record) bool {
		for _, e := range rec.Log {
			out.WriteString(" " + strings.ToLower(e.Decision().String()))
		}
		return true
	})
	return out.String()
}
