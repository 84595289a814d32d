package bot

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/standin"
	"tengen/internal/testkit"
	"tengen/storage"
)

// openingStories are openings between Ann and Bob, as the acts that decide them: who presses
// or types what, and what the log then ends with.
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
	{"game:gomoku opening:swap", [][3]string{
		{"ann", "H8", "h8"}, {"ann", "H9", "h9"}, {"ann", "I8", "i8"}, {"bob", "Swap: take Black", "swap"},
		{"ann", "G7", "g7"},
	}},
	{"game:gomoku opening:pro", [][3]string{
		{"ann", "H8", "h8"}, {"bob", "H9", "h9"}, {"ann", "/move at:K11", "k11"}, {"bob", "I8", "i8"},
	}},
	{"game:gomoku opening:longpro", [][3]string{
		{"ann", "H8", "h8"}, {"bob", "H9", "h9"}, {"ann", "/move at:L12", "l12"}, {"bob", "I9", "i9"},
	}},
	{"game:renju opening:rif", [][3]string{
		{"ann", "H8", "h8"}, {"ann", "I9", "i9"}, {"ann", "J10", "j10"}, {"bob", "Keep White", "stay"}, {"bob", "I8", "i8"},
		{"ann", "H9", "h9"}, {"ann", "I10", "i10"}, {"bob", "2 · I10", "i10"}, {"bob", "G8", "g8"},
	}},
	{"game:renju opening:yamaguchi", [][3]string{
		{"ann", "H8", "h8"}, {"ann", "I9", "i9"}, {"ann", "J10", "j10"}, {"ann", "2", "declare=2"},
		{"bob", "Swap: take Black", "swap"}, {"ann", "I8", "i8"}, {"bob", "H9", "h9"}, {"bob", "I10", "i10"},
		{"ann", "1 · H9", "h9"}, {"ann", "G8", "g8"},
	}},
	{"game:renju opening:soosyrv8", [][3]string{
		{"ann", "H8", "h8"}, {"ann", "I9", "i9"}, {"ann", "J10", "j10"}, {"bob", "Swap: take Black", "swap"},
		{"ann", "I8", "i8"}, {"ann", "2", "declare=2"}, {"bob", "Swap: take White", "swap"}, {"ann", "H9", "h9"},
		{"ann", "I10", "i10"}, {"bob", "2 · I10", "i10"}, {"bob", "G8", "g8"},
	}},
	{"game:renju opening:tarannikov", [][3]string{
		{"ann", "H8", "h8"}, {"bob", "Swap: take Black", "swap"}, {"ann", "I9", "i9"}, {"bob", "Swap: take White", "swap"},
		{"ann", "J10", "j10"}, {"bob", "Keep White", "stay"}, {"bob", "I8", "i8"}, {"ann", "Keep Black", "stay"},
		{"ann", "H9", "h9"}, {"bob", "Swap: take Black", "swap"}, {"ann", "G8", "g8"},
	}},
}

// An opening goes on whatever step of a decision the bot dies at: a transaction or a call to
// Discord, before or after its effect. The member acts again on what they still see, and each
// decision is in the log once. TENGEN_OPENING_STEPS=1 tries every step, 3 every third; unset,
// two protocols have every third step and each other one a step of its own.
func TestKilledBetweenDecisions(t *testing.T) {
	t.Parallel()
	every := testkit.Dose("TENGEN_OPENING_STEPS", 0)
	for i, story := range openingStories {
		for step := range int64(8) {
			if every > 0 && step%int64(every) > 0 || every == 0 && (i < 2 && step%3 > 0 || i >= 2 && step != int64(i*3%8)) {
				continue
			}
			t.Run(fmt.Sprint(strings.Fields(story.begin)[1], "/step=", step+1), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					if bad := tellOpening(t, story.begin, story.presses, step+1); bad != "" {
						t.Error(bad)
					}
				})
			})
		}
	}
}

// tellOpening plays an opening with a bot that dies at a step of each decision, and gives what
// went wrong.
func tellOpening(t *testing.T, begin string, presses [][3]string, fuse int64) string {
	s, end := callWorld(t, nil)
	defer end()
	members := map[string]*standin.Member{"ann": s.Member("ann").Try(), "bob": s.Member("bob").Try()}
	members["ann"].Slash(callPlace, "/play member opponent:@bob color:black "+begin)
	members["bob"].Press(callPlace, "Accept")
	s.calm()
	want, deaths := "", 0
	for _, p := range presses {
		want += " " + p[2]
		s.mortal.fuse.Store(fuse)
		for range 4 { // a last offer takes a second press, and a death another
			if s.decided(t) == want {
				break
			}
			decide(members[p[0]], p[1])
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
			return fmt.Sprintf("decided%s, want%s; %s sees\n%s", got, want, p[0], members[p[0]].Sees(callPlace))
		}
	}
	if n := boards(members["ann"], callPlace); n != 1 || deaths < len(presses)/2 {
		return fmt.Sprintf("%d boards after %d deaths:\n%s", n, deaths, members["ann"].Sees(callPlace))
	}
	return ""
}

// decide lets a member type a command, choose a number, or press a button and confirm a last
// offer.
func decide(who *standin.Member, what string) {
	switch _, err := strconv.Atoi(what); {
	case strings.HasPrefix(what, "/"):
		who.Slash(callPlace, what)
	case err == nil:
		who.Choose(callPlace, "How many points?", what)
	default:
		who.Press(callPlace, what)
		if _, done, ok := strings.Cut(who.Sees(callPlace), "[Done"); ok {
			rest, _, _ := strings.Cut(done, "]")
			who.Press(callPlace, "Done"+rest)
		}
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
