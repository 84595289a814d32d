// Command tengen hosts board games in Discord channels. Each subcommand has a file of
// its own here; cli lists them.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"tengen/storage/bolt"
)

// cli is the command line.
type cli struct {
	Demo     demoCmd     `cmd:"" help:"Try the bot in a web page, with a stand-in for Discord: no account needed."`
	Run      runCmd      `cmd:"" help:"Run the bot on Discord."`
	Record   recordCmd   `cmd:"" help:"Show and convert game records."`
	Judge    judgeCmd    `cmd:"" help:"Judge positions: turn, legal and forbidden points, result."`
	Analyze  analyzeCmd  `cmd:"" help:"Find the best move in the positions of stdin, one a line."`
	Review   reviewCmd   `cmd:"" help:"Tell what a game was worth, move by move, and where it turned."`
	Opening  openingCmd  `cmd:"" help:"Tell who decides what next in the openings of stdin, one a line."`
	Bench    benchCmd    `cmd:"" help:"Search fixed positions: a signature of the engine, and its speed."`
	Engine   engineCmd   `cmd:"" help:"Play on stdin and stdout for other programs."`
	Store    storeCmd    `cmd:"" help:"Look after the file in which matches are kept."`
	Server   serverCmd   `cmd:"" help:"Servers of the running bot: list, leave, ban."`
	Member   memberCmd   `cmd:"" help:"Members of the running bot: erase, ban."`
	Announce announceCmd `cmd:"" help:"Say a line under the boards of the running bot, until a time."`
	Event    eventCmd    `cmd:"" help:"Pair rounds, rank players and rate games: lines of JSON on stdin."`
	Perft    perftCmd    `cmd:"" help:"Count the lines of play of Reversi, to check the rules and time them."`
	Puzzle   puzzleCmd   `cmd:"" help:"Puzzles that are proven: list, show, try and check them, and make new ones."`
	Render   renderCmd   `cmd:"" help:"Draw a game as a picture."`
	Version  versionCmd  `cmd:"" help:"Print the version."`
}

// streams are the three files of a process, so that tests can hand in their own.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// warnings is the log of a command that says nothing else while all is well.
func (s streams) warnings() *slog.Logger {
	return slog.New(slog.NewTextHandler(s.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

func main() {
	bolt.Child() // in a process that was started to check a store
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	code := run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}

// exit is an error that ends the program with a code of its own; an empty text prints nothing.
type exit struct {
	code int
	text string
}

func (e exit) Error() string { return e.text }

// run is main with everything it touches passed in. It gives the exit code: 0, 1 for an
// error, 2 for wrong usage, 130 or 143 when a signal ended a command.
func run(ctx context.Context, args []string, s streams) int { return runIn(ctx, args, s, inside{}) }

// runIn is run, in an errand inside of the running bot.
func runIn(ctx context.Context, args []string, s streams, in inside) int {
	var c cli
	done := -1 // set when kong has printed help and wants to end
	parser, err := kong.New(&c,
		kong.Name("tengen"),
		kong.Description("A Discord bot that hosts Gomoku, Renju and Reversi."),
		kong.Writers(s.out, s.err),
		kong.Exit(func(code int) { done = code }),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(s, in),
		kong.UsageOnError(),
		kong.Vars(recordVars()),
	)
	if err != nil {
		fmt.Fprintln(s.err, "tengen:", err)
		return 1
	}
	if len(args) > 0 && args[0] == "help" { // as people type it who come from git or go
		args = append(args[1:len(args):len(args)], "--help")
	}
	k, err := parser.Parse(args)
	if done >= 0 {
		return done
	}
	if err != nil {
		fmt.Fprintln(s.err, "tengen:", err)
		fmt.Fprintln(s.err, "usage: tengen COMMAND [flags]; tengen --help lists the commands")
		return 2
	}
	err = in.carry(ctx, k, args, s)
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = interrupted(ctx)
	}
	var e exit
	switch {
	case err == nil:
		return 0
	case errors.As(err, &e):
		if e.text != "" {
			fmt.Fprintln(s.err, "tengen:", e.text)
		}
		return e.code
	}
	fmt.Fprintln(s.err, "tengen:", err)
	return 1
}
