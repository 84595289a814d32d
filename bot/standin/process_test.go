package standin_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"tengen/bot/standin"
	"tengen/internal/testkit"
)

// TestMain lets the test binary be a stand-in, or a bot that can be killed.
func TestMain(m *testing.M) {
	switch os.Getenv("TENGEN_TEST_AS") {
	case "standin":
		if err := standin.Main(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	case "bot":
		runBot(os.Getenv("TENGEN_TEST_ADDR"))
		return
	}
	testkit.Wide(4)
	os.Exit(m.Run())
}

func again(as string, env ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), "TENGEN_TEST_AS="+as), env...)
	cmd.Stderr = os.Stderr
	return cmd
}

// runBot answers /count with how often it was asked since it started.
func runBot(addr string) {
	d, err := discordgo.New("Bot " + standin.DefaultToken)
	if err != nil {
		panic(err)
	}
	d.Client = &http.Client{Transport: standin.TransportTo(addr)}
	d.Dialer = standin.DialerTo(addr)
	d.Identify.Intents = discordgo.IntentsGuilds
	n := 0
	d.SyncEvents = true
	d.AddHandler(func(d *discordgo.Session, i *discordgo.InteractionCreate) {
		n++
		d.InteractionRespond(i.Interaction,
			&discordgo.InteractionResponse{Type: discordgo.InteractionResponseChannelMessageWithSource,
				Data: &discordgo.InteractionResponseData{Content: fmt.Sprint("asked ", n)}})
	})
	if err := d.Open(); err != nil {
		panic(err)
	}
	app, err := d.User("@me")
	if err != nil {
		panic(err)
	}
	if _, err := d.ApplicationCommandBulkOverwrite(app.ID, "",
		[]*discordgo.ApplicationCommand{{Name: "count", Description: "Count"}}); err != nil {
		panic(err)
	}
	select {}
}

// TestKill: the stand-in and the bot in processes of their own; the bot is
// killed and started again, and the place is as it was.
func TestKill(t *testing.T) {
	t.Parallel()
	s := standin.Spawn(t, again("standin"), standin.Options{})
	ann := s.Member("ann")
	start := func() *exec.Cmd {
		b := again("bot", "TENGEN_TEST_ADDR="+s.Addr())
		testkit.Must(t, b.Start())
		return b
	}
	kill := func(b *exec.Cmd) {
		b.Process.Kill()
		b.Wait()
		s.Ready(0)
	}
	b := start()
	s.Ready(1)
	ann.Slash("#gomoku", "/count")
	ann.Slash("#gomoku", "/count")
	kill(b)
	if a := ann.Try().Slash("#gomoku", "/count"); !strings.Contains(a.Failed, "did not respond") {
		t.Errorf("nobody is there, and the answer is %v", a)
	}
	b = start()
	defer kill(b)
	s.Ready(1)
	ann.Slash("#gomoku", "/count")
	see(t, `
tengen (to ann's /count):
    asked 1
tengen (to ann's /count):
    asked 2
tengen (only you):
    tengen did not respond (/count)
tengen (to ann's /count):
    asked 1
`, ann.Sees("#gomoku"))
}

// TestClientOptions: the options of a stand-in in another process.
func TestClientOptions(t *testing.T) {
	t.Parallel()
	s := standin.Spawn(t, again("standin"), standin.Options{BotName: "go-bot", Token: "another"})
	if s.Token() != "another" || s.People()[0].Username != "go-bot" && s.People()[1].Username != "go-bot" {
		t.Errorf("the options did not arrive: %q, %+v", s.Token(), s.People())
	}
}
