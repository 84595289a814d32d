package main

import (
	"cmp"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tengen/bot/standin"
	"tengen/internal/testkit"
)

// standinMain is a stand-in for Discord in a process of its own.
func standinMain() {
	if err := standin.Main(os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// apart starts a stand-in in a process of its own.
func apart(t *testing.T, o standin.Options) *standin.Client {
	t.Helper()
	p := exec.Command(os.Args[0])
	p.Args = []string{"standin"} // by that name the test is one
	p.Stderr = os.Stderr
	return standin.Spawn(t, p, o)
}

// TestJourneyOfSession: Discord does not let the bot's session be resumed, after the
// connection breaks or after the bot is killed. No move is lost, and the next one is answered
// within the seconds that TENGEN_JOURNEY names. Without it those journeys are left out that wait for
// ten seconds or more; bot/discord makes them in fake time.
func TestJourneyOfSession(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for half a minute")
	}
	seconds := testkit.Dose("TENGEN_JOURNEY", 0)
	limit := time.Duration(cmp.Or(seconds, 180)) * time.Second
	for _, trouble := range []struct {
		name   string
		events standin.EventFaults
	}{
		{"RESUME is not answered", standin.EventFaults{MuteResume: 1000}},
		{"the address for resuming is dead", standin.EventFaults{DeadURL: 1000}},
		{"the address for resuming is silent", standin.EventFaults{MuteURL: 1000}},
	} {
		for _, killed := range []bool{false, true} {
			name := trouble.name + map[bool]string{false: ", a broken connection", true: ", a killed bot"}[killed]
			t.Run(name, func(t *testing.T) {
				if trouble.events.DeadURL == 0 && seconds == 0 {
					t.Skip("TENGEN_JOURNEY=60 makes it")
				}
				t.Parallel()
				s := apart(t, standin.Options{})
				config := fmt.Sprintf("token: %s\nstore:\n  file: %s\n  backup_every: 0s\n", s.Token(),
					filepath.Join(t.TempDir(), "games.db"))
				said, kill := startApart(t, s, config)
				s.Ready(1)
				ann := s.Member("ann")
				ann.Slash("#gomoku", "/play with:bot game:gomoku level:1 color:black")
				ann.Press("#gomoku", "H8")
				ann.Waits("#gomoku", "move 3 ")
				said.awaits(t, `how=identified`)

				s.SetPlan(standin.Plan{Events: trouble.events})
				began := time.Now()
				if killed {
					kill()
					s.Ready(0)
					said, _ = startApart(t, s, config)
				} else {
					s.DropSockets()
				}
				for ann.Try().Slash("#gomoku", "/move at:A15").Failed != "" {
					if time.Since(began) > limit {
						t.Fatalf("no answer after %v:\n%s", time.Since(began), said)
					}
				}
				took := time.Since(began)
				ann.Waits("#gomoku", "move 5 ")
				if took > limit {
					t.Errorf("the first move after %v", took)
				}
				if board := ann.Sees("#gomoku"); strings.Count(board, "{picture:") != 1 || !strings.Contains(board, "H8") ||
					!strings.Contains(board, "A15") {
					t.Errorf("ann sees\n%s", board)
				}
				st := s.Stats()
				t.Logf("the first move after %v; %d identifications, %d resumed, %d interactions not answered meanwhile",
					took.Round(10*time.Millisecond), st.Identifies, st.Resumes, st.Failures)
			})
		}
	}
}
