package bot

import (
	"encoding/json"
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"tengen/bot/host"
	"tengen/bot/standin"
	"tengen/game"
	"tengen/internal/pulse"
	"tengen/internal/testkit"
	"tengen/storage"
)

// These tests stop bot processes by a signal and let them go on later, in real time.

// hasteEnv holds a haste as JSON: shorter times than members have, so that a test takes seconds.
const hasteEnv = "TENGEN_TEST_HASTE"

type haste struct {
	Clock time.Duration // what "1 minute" means
	Gap   time.Duration // see pulse.Options; the bot beats every second
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
	return nil
}

// stop stops the process for a while, and runs during meanwhile. It gives the time in which
// the process surely stood still: on a busy machine signals take time to be sent and to work.
func (v *victim) stop(d time.Duration, during func()) (still span) {
	v.t.Helper()
	v.cmd.Process.Signal(syscall.SIGSTOP)
	v.stands()
	still.from = time.Now()
	during()
	time.Sleep(time.Until(still.from.Add(d))) // the stop is the point of the test
	still.to = time.Now()
	v.cmd.Process.Signal(syscall.SIGCONT)
	return still
}

// stands waits until every thread of the process stands still.
func (v *victim) stands() {
	v.t.Helper()
	for {
		var status syscall.WaitStatus
		_, err := syscall.Wait4(v.cmd.Process.Pid, &status, syscall.WUNTRACED, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil || !status.Stopped():
			v.t.Fatalf("the bot process was not stopped: %v, status %d", err, status)
		default:
			return
		}
	}
}

// A process is stopped for longer than a member has for a move. An act late in that time
// counts when the process goes on, and the other side has its full time.
func TestStoppedBySignal(t *testing.T) {
	t.Parallel()
	h := haste{Clock: 6 * time.Second, Gap: 3 * time.Second}
	v := newVictim(t, standin.Options{Lenient: true}, h.String())
	ann, bob := v.Member("ann").Try(), v.Member("bob").Try()
	sees := func(what string) func() bool {
		return func() bool { return strings.Contains(ann.Sees("#gomoku"), what) }
	}
	ann.Slash("#gomoku", "/play opponent:@bob game:gomoku color:black clock:1m")
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
	testkit.Eventually(t, "the move made meanwhile", sees("· move 4 ·"))
	bob.Press("#gomoku", "J8")
	testkit.Eventually(t, "the other's move", sees("· move 5 ·"))
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

func (s span) long() time.Duration { return s.to.Sub(s.from) }

// ranFor is how long the bot ran in the last turn of a game that was lost on time, where away
// holds when it surely did not, and whether that is too short for a loss.
func ranFor(rec storage.Record, away []span) (had time.Duration, early bool) {
	out := rec.Ended.Add(-game.Grace) // when the clock ran out, or later
	had = out.Sub(rec.Turned) - overlap(away, rec.Turned, out)
	return had, had < rec.Clock.Each-settledBy
}

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
