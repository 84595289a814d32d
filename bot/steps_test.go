package bot

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"tengen/bot/standin"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/kv"
)

// The tests that kill the bot between two of its steps, at a transaction or a call to Discord, before or
// after its effect. Start from atEachStep.

const callPlace = "#gomoku"

// callWorld is a bot that can die, in a bubble. called hears of the calls to Discord.
func callWorld(t *testing.T, called func(standin.Call)) (s *simulation, end func()) {
	time.Sleep(time.Until(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)))
	s = &simulation{rng: rand.New(rand.NewPCG(1, 7)), logs: &testkit.Log{}, story: &testkit.Log{}, ledger: newLedger(),
		slips: &dice{rng: rand.New(rand.NewPCG(1, 8))}, misses: true}
	s.found = s.ledger.thoughtOf
	server := standin.Start(standin.Options{Lenient: true, Heartbeat: 10 * time.Hour, Sent: s.ledger.note,
		Posted: s.ledger.call, Called: called})
	s.house = &house{Server: server, t: t, engine: kv.NewMemory()}
	s.rise()
	return s, func() { s.still(); s.stop(); server.Close() }
}

// atEachStep tells a story again and again, in which the bot dies one step later each time, until it lives
// through it. dose names the variable that holds how many steps one death is later than the one before,
// and few is their number without it. Stories with other numbers begin at other steps. A step that -run,
// -skip or -failfast leaves out tells nothing.
func atEachStep(t *testing.T, dose string, few, number int,
	tell func(t *testing.T, fuse int64) (bad wrongs, lived bool)) {
	every := testkit.Dose(dose, few)
	told := true // the last step
	for fuse, lived := int64(1+number%every), false; !lived; fuse += int64(every) {
		if fuse > 200 {
			if told {
				t.Fatal("the act does not end")
			}
			return
		}
		told = false
		t.Run(fmt.Sprint("step=", fuse), func(t *testing.T) {
			told = true
			var bad wrongs
			if bad, lived = tell(t, fuse); len(bad) > 0 {
				t.Error(strings.Join(bad, "\n"))
			}
		})
	}
}

// storyAtEachStep is atEachStep for one of several stories, each in a parallel test of its own.
func storyAtEachStep(t *testing.T, dose string, few, number int, name string,
	tell func(*testing.T, int64) (wrongs, bool)) {
	t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
		t.Parallel()
		atEachStep(t, dose, few, number, tell)
	})
}

// A test whose steps were left out has found nothing, and does not fail for it.
func TestStepsLeftOut(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0], "-test.v", "-test.run", "^TestKilled(BetweenStepsOf|WhereBroughtAlong)",
		"-test.skip", "/step=|//step=")
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Count(string(out), "--- PASS") < 30 {
		t.Errorf("%v\n%s", err, out)
	}
}

// death is when the bot dies, and for how long.
type death struct {
	fuse   int64         // the step of the act at which it dies
	within time.Duration // how long the act may take
	fallen func()        // looks at what it has left; nil: nobody does
	down   time.Duration // how long no process comes up
}

// dies lets the bot die in an act. The members act again when it is up, since the act may be lost. lived
// reports that the act was over before.
func (s *simulation) dies(d death, act, again func()) (lived bool) {
	s.mortal.fuse.Store(d.fuse)
	act()
	select {
	case <-s.mortal.died:
	case <-time.After(d.within):
	}
	if lived = !s.mortal.dead.Load(); !lived {
		s.fall()
		if d.fallen != nil {
			d.fallen()
		}
		time.Sleep(d.down)
		s.rise()
		s.calm()
		again()
	}
	s.mortal.fuse.Store(-1)
	return lived
}

// left is what a process has left in the store that died.
func (s *simulation) left() *storage.Store {
	store, err := storage.Open(s.t.Context(), s.engine, storage.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	return store
}

// club is the place of the stories.
func (s *simulation) club() venue.Place {
	server, _ := strconv.ParseUint(s.ServerID("Club"), 10, 64)
	var channel uint64
	if all := s.Messages(callPlace); len(all) > 0 {
		channel, _ = strconv.ParseUint(all[0].ChannelID, 10, 64)
	}
	return venue.Place{Server: server, Channel: channel}
}

// judgeNotice finds what is wrong with the message of something in the channel, of which there is to be
// one, up to date, and with the store. It gives the message.
func (s *simulation) judgeNotice(m *standin.Member, title string, n storage.Notice, version uint32,
	bad *wrongs) (message string) {
	if n.Shown != version || n.Retired != 0 || !n.Posting.IsZero() {
		bad.add("the message is behind version %d: %+v", version, n)
	}
	found := 0
	for _, text := range messagesIn(m.Sees(callPlace)) {
		if strings.Contains(text, title) && !strings.Contains(text, "only you") {
			found++
			message = text
		}
	}
	if found != 1 {
		bad.add("%d messages:\n%s", found, m.Sees(callPlace))
	}
	if _, err := storage.Verify(s.t.Context(), s.engine); err != nil {
		bad.add("%v", err)
	}
	return message
}
