package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tengen/bot/standin"
	"tengen/internal/testkit"
)

// botRun is `tengen run` in a process of its own.
type botRun struct {
	*exec.Cmd
	log *output
}

func runOn(t *testing.T, discord, config string) *botRun {
	t.Helper()
	r := &botRun{Cmd: exec.Command("tengen", "run", "--config", config, "--stand-in", discord), log: &output{}}
	r.Stderr = r.log
	testkit.Must(t, r.Start())
	t.Cleanup(r.kill)
	return r
}

func (r *botRun) kill() {
	r.Process.Signal(syscall.SIGKILL)
	r.Wait()
}

// opens waits until the bot takes interactions, and tells Discord where, for a bot over HTTP.
func (r *botRun) opens(t *testing.T, w *standin.Client, transport string) {
	t.Helper()
	if transport != byHTTP {
		w.Ready(1)
		return
	}
	at := r.log.awaits(t, `taking interactions over HTTP" address=(\S+)`)
	r.log.awaits(t, "registered_anew=")
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		err := w.SetEndpoint("http://" + at + "/interactions")
		if err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// The bot is killed and meets a wrong list of servers at its start, in real time, with Discord
// in another process: nothing is lost, and the first move is made within a minute.
func TestWrongListJourney(t *testing.T) {
	t.Parallel()
	wrong := map[string]standin.Plan{
		"empty":   {Calls: []standin.CallFault{{Kind: standin.ListEmpty, Route: "/users/@me/guilds"}}, Events: standin.EventFaults{EmptyReady: 1}},
		"partial": {Calls: []standin.CallFault{{Kind: standin.ListPartial, Route: "/users/@me/guilds"}}, Events: standin.EventFaults{PartialReady: 1}},
		"failing": {Calls: []standin.CallFault{{Kind: standin.ServerError, Route: "/users/@me/guilds"}}},
	}
	for _, transport := range []string{byGateway, byHTTP} {
		for name, plan := range wrong {
			if transport == byHTTP && name != "empty" && testkit.Dose("TENGEN_EVERY_LOSS", 2) != 1 {
				continue
			}
			t.Run(transport+" "+name, func(t *testing.T) {
				t.Parallel()
				w := standin.Spawn(t, exec.Command("standin"), standin.Options{AnswerWithin: 20 * time.Second})
				w.AddGuild("Salon", true, "hall")
				dir := t.TempDir()
				config := filepath.Join(dir, "config.yaml")
				text := fmt.Sprintf("token: %s\ndiscord:\n  transport: %s\nhttp:\n  address: 127.0.0.1:0\nstore:\n"+
					"  file: %s/games.db\n", w.Token(), transport, dir)
				testkit.Write(t, config, []byte(text))
				r := runOn(t, w.Addr(), config)
				r.opens(t, w, transport)
				ann, bob := w.Member("ann").Try(), w.Member("bob").Try()
				soon := func(what string, done func() bool) time.Duration {
					t.Helper()
					began := time.Now()
					for !done() {
						if time.Since(began) > time.Minute {
							t.Fatalf("%s: not within a minute\n%s", what, r.log)
						}
						time.Sleep(20 * time.Millisecond)
					}
					return time.Since(began)
				}
				sees := func(place, text string) func() bool {
					return func() bool { return strings.Contains(ann.Sees(place), text) }
				}
				ann.Slash("#gomoku", "/play opponent:@bob game:gomoku9 color:black clock:1h")
				soon("a challenge", sees("#gomoku", "challenges"))
				bob.Press("#gomoku", "Accept")
				soon("a game", sees("#gomoku", "move 1 "))
				ann.Slash("Salon#hall", "/play with:bot game:gomoku9 level:1 color:black")
				soon("another game", sees("Salon#hall", "move 1 "))

				r.kill()
				w.Ready(0)
				w.ForgetSessions()
				w.SetPlan(plan)
				trouble := time.Now()
				r = runOn(t, w.Addr(), config)
				r.opens(t, w, transport)
				asked := func() bool {
					n, listed := 0, 0
					for _, c := range w.Calls() {
						switch {
						case c.Received.Before(trouble):
						case c.Route == "/guilds/{guild_id}" && c.Status == 200:
							n++
						case c.Route == "/users/@me/guilds":
							listed++
						}
					}
					if name == "failing" {
						return transport == byGateway || listed > 0
					}
					return n > 0
				}
				soon("Discord is asked for the servers", asked)
				soon("a move after the trouble", func() bool {
					ann.Press("#gomoku", "E5")
					return strings.Contains(ann.Sees("#gomoku"), "move 2 ")
				})
				soon("a move in the other server", func() bool {
					ann.Press("Salon#hall", "E5")
					return strings.Contains(ann.Sees("Salon#hall"), "move 3 ")
				})
				took := time.Since(trouble)
				t.Logf("the first moves were made %v after the start", took.Round(time.Millisecond))
				if took > time.Minute {
					t.Errorf("the first moves took %v", took)
				}
				r.Process.Signal(syscall.SIGTERM)
				r.Wait()
				var out, errs output
				if code := run(t.Context(), []string{"store", "stats", "--data", dir + "/games.db"},
					streams{nil, &out, &errs}); code != 0 {
					t.Fatalf("%d %s", code, &errs)
				}
				if !strings.Contains(out.String(), "running games    2,") {
					t.Errorf("the store says\n%s", &out)
				}
			})
		}
	}
}
