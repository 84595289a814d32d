package bot

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"
	"time"

	"tengen/bot/host"
	"tengen/bot/standin"
	"tengen/internal/pulse"
	"tengen/internal/testkit"
)

// These tests stop bot processes by a signal and let them go on later, in real time.

// hasteEnv holds a haste as JSON: shorter times than members have, so that a test takes seconds.
const hasteEnv = "TENGEN_TEST_HASTE"

type haste struct {
	Clock time.Duration // what "1 minute" means
	Gap   time.Duration // see pulse.Options; the bot beats every second
	Off   bool          // no time is given back
}

func (h haste) String() string {
	data, _ := json.Marshal(h)
	return string(data)
}

// hasten makes a bot process hasty.
func hasten(c *Config, text string) error {
	if text == "" {
		return nil
	}
	var h haste
	if err := json.Unmarshal([]byte(text), &h); err != nil {
		return err
	}
	for i := range host.Clocks {
		if host.Clocks[i].Name == "1m" {
			host.Clocks[i].Each = h.Clock
		}
	}
	c.Pulse = pulse.New(pulse.Options{Ran: pulse.BootTime(), Gap: h.Gap})
	c.Options.ClockAfterRestart = h.Clock
	c.Sabotage.NoGiveBack = h.Off
	return nil
}

// stop stops the process for a while, and runs during meanwhile. It gives the time for which
// the process surely stood still: signals take time to be sent on a busy machine.
func (v *victim) stop(d time.Duration, during func()) (still time.Duration) {
	v.cmd.Process.Signal(syscall.SIGSTOP)
	began := time.Now()
	during()
	time.Sleep(time.Until(began.Add(d))) // the stop is the point of the test
	still = time.Since(began)
	v.cmd.Process.Signal(syscall.SIGCONT)
	return still
}

// A process is stopped for longer than a member has for a move. An act late in that time
// counts when the process goes on, and the other side has its full time. When no time is given
// back, the game is lost.
func TestStoppedBySignal(t *testing.T) {
	for name, off := range map[string]bool{"given back": false, "not given back": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := haste{Clock: 6 * time.Second, Gap: 3 * time.Second, Off: off}
			v := newHasty(t, standin.Options{Lenient: true}, h.String())
			ann, bob := v.Member("ann").Try(), v.Member("bob").Try()
			sees := func(what string) func() bool {
				return func() bool { return strings.Contains(ann.Sees("#gomoku"), what) }
			}
			ann.Slash("#gomoku", "/play member opponent:@bob game:gomoku color:black clock:1m")
			testkit.Eventually(t, "the challenge", sees("@bob, @ann challenges you"))
			bob.Press("#gomoku", "Accept")
			testkit.Eventually(t, "move 1", sees("· move 1 ·"))
			ann.Press("#gomoku", "H8")
			testkit.Eventually(t, "move 2", sees("· move 2 ·"))
			bob.Press("#gomoku", "I9")
			testkit.Eventually(t, "move 3", sees("· move 3 ·"))
			acted := make(chan struct{})
			v.stop(h.Clock+time.Second, func() {
				time.Sleep(h.Clock + 500*time.Millisecond) // too late, if the process were not stopped
				go func() { ann.Press("#gomoku", "I8"); close(acted) }()
			})
			<-acted
			if off {
				testkit.Eventually(t, "the loss", sees("ran out of time"))
				return
			}
			testkit.Eventually(t, "the move made meanwhile", sees("· move 4 ·"))
			bob.Press("#gomoku", "J8")
			testkit.Eventually(t, "the other's move", sees("· move 5 ·"))
		})
	}
}

// killHaste is the haste of a round of kills: a member has four seconds for a move, and
// stops last up to eight.
var killHaste = haste{Clock: 4 * time.Second, Gap: 3 * time.Second}

// actsWhileStopped is how long members act while the process is stopped. Their acts wait, and
// must stay few enough to be handled afterwards.
const actsWhileStopped = 300 * time.Millisecond

// settledBy is the error of the times of an ended match, which are kept in seconds.
const settledBy = time.Second

// span is some time.
type span struct{ from, to time.Time }

// overlap is how much of the time from one moment to another lies in spans, which may overlap.
func overlap(spans []span, from, to time.Time) (sum time.Duration) {
	for _, s := range spans { // in the order of their beginnings
		if s.from.Before(from) {
			s.from = from
		}
		if s.to.After(to) {
			s.to = to
		}
		if s.to.After(s.from) {
			sum += s.to.Sub(s.from)
			from = s.to
		}
	}
	return sum
}
