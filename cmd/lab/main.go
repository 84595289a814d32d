// Command lab is the developers' bench: it plays engines against one another and fits
// the tables that they play by. Each subcommand has a file of its own here.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"github.com/alecthomas/kong"

	"tengen/ai/reversi"
)

type cli struct {
	Arena           arenaCmd           `cmd:"" help:"Play two engines against one another."`
	Selfplay        selfplayCmd        `cmd:"" help:"Play games of ai/five against itself that a network can learn from."`
	Tune            tuneCmd            `cmd:"" help:"Play games against itself and fit the tables of ai/five to them."`
	TunePolicy      tunePolicyCmd      `cmd:"" help:"Fit the policy of ai/five to games and to what failed high in searches of them."`
	TuneReversi     tuneReversiCmd     `cmd:"" help:"Train the evaluation of ai/reversi."`
	Curve           curveCmd           `cmd:"" help:"Fit the curves by which reviews turn scores into expectations."`
	Pages           pagesCmd           `cmd:"" help:"Play many games on pages and tell how long a tap takes to the other's page."`
	Abuse           abuseCmd           `cmd:"" hidden:"" help:"Abuse the pages of lab load --abuse."`
	Load            loadCmd            `cmd:"" help:"Play many games at once through a stand-in for Discord and tell how long members wait."`
	Pad             padCmd             `cmd:"" help:"Tell in how many presses the pad under a board reaches the moves of games between the levels."`
	Openings        openingsCmd        `cmd:"" help:"Look for near-equal openings."`
	Protocols       protocolsCmd       `cmd:"" help:"Play the engine against itself by every opening protocol and tell how even they are."`
	BalancedReversi balancedReversiCmd `cmd:"" help:"Make the balanced openings of Reversi."`
	XOT             xotCmd             `cmd:"" name:"xot" help:"Make the list of XOT openings of Reversi."`
	Tokens          tokensCmd          `cmd:"" help:"Count the tokens and lines of Go of each package, beside those of another tree."`
	Texts           textsCmd           `cmd:"" help:"Tell how whole the catalogue of each language is."`
	Puzzles         puzzlesCmd         `cmd:"" help:"Find puzzles in games and prove them, and make the collection of them."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var c cli
	t := reversi.DefaultTraining()
	k := kong.Parse(&c, kong.Name("lab"), kong.Description("The developers' bench of tengen."),
		kong.Vars{
			"rounds":    strconv.Itoa(t.Rounds),
			"positions": strconv.Itoa(t.Positions),
			"depth":     strconv.Itoa(t.Depth),
			"exact":     strconv.Itoa(t.Exact),
			"cuts":      strconv.Itoa(t.Cuts),
		},
		kong.BindTo(ctx, (*context.Context)(nil)))
	if err := k.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "lab:", err)
		if ctx.Err() != nil {
			os.Exit(130)
		}
		os.Exit(1)
	}
}
