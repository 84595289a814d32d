package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"tengen/bot/standin"
	"tengen/internal/testguest"
	"tengen/internal/testkit"
	"tengen/storage/bolt"
)

// The scripts of testdata are tests and manual of the command line: each runs tengen as a
// user would. A command that needs nothing special needs no Go here.
func TestMain(m *testing.M) {
	bolt.Child()
	testguest.Main()
	testkit.Wide(2) // more would not answer in the three seconds that Discord gives, on a busy machine
	testscript.Main(m, map[string]func(){"tengen": main, "standin": standinMain})
}

func TestScripts(t *testing.T) {
	t.Parallel()
	s, bare := tcpStandin(t, standin.Options{}), tcpStandin(t, standin.Options{BareInstall: true})
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("TENGEN_SHARED", os.Getenv("TENGEN_SHARED"))
			env.Setenv("TWO_LINES", "one.token\ntwo")
			env.Setenv("TOKEN", s.Token())
			env.Setenv("STANDIN", s.Addr())
			env.Setenv("STANDIN_BARE", bare.Addr())
			return nil
		},
	})
}

// A signal ends a command that waits for input, with the code of the signal.
func TestInterrupted(t *testing.T) {
	for _, args := range [][]string{{"judge"}, {"analyze"}, {"opening"}, {"event", "pair"}, {"record", "show", "-"},
		{"review", "-"}} {
		interrupt(t, args, os.Interrupt, 130)
		interrupt(t, args, syscall.SIGTERM, 143)
	}
}

func interrupt(t *testing.T, args []string, sig os.Signal, want int) {
	t.Helper()
	ctx, stop := signal.NotifyContext(context.Background(), sig)
	in, out, err := os.Pipe()
	testkit.Must(t, err)
	code := make(chan int)
	go func() {
		code <- run(ctx, args, streams{in: in, out: discard{}, err: discard{}})
	}()
	testkit.Must(t, syscall.Kill(os.Getpid(), sig.(syscall.Signal)))
	if got := <-code; got != want {
		t.Errorf("%v, %v: exit code %d, want %d", args, sig, got, want)
	}
	stop()
	out.Close()
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
