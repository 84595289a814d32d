// Package puzzles brings puzzles to the channel: one after the other by rating, runs through many,
// and the daily puzzle of a server. Package ai/puzzle has the collection and the judge, the store
// keeps what members have reached. All that a press means stands in its custom id. Start from New,
// Puzzles.Commands, and Puzzles.Sweep, which posts the daily puzzles.
package puzzles

import (
	"context"
	"slices"
	"sync"

	"tengen/ai/puzzle"
	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/desk"
	"tengen/bot/host"
	"tengen/bot/room"
	"tengen/bot/study"
	"tengen/bot/view"
	"tengen/game"
	"tengen/internal/tasks"
)

// Config is what Puzzles need. Only Collection may be left out.
type Config struct {
	room.Base
	Desk    *desk.Desk
	Host    *host.Host
	Studies *study.Studies
	Random  func() uint64

	Collection func() []puzzle.Puzzle // nil: the one that the program carries
}

// Puzzles shows puzzles and judges the answers. Any number of goroutines may call its methods.
type Puzzles struct {
	Config
	judging sync.Map // the members whose answer is being judged

	waits tasks.Waits[uint64] // the servers to whose channel was spoken in vain
	late  sync.Map            // since when the time of an owed message is over, by server: lateDay
}

// New makes puzzles.
func New(c Config) *Puzzles {
	if c.Collection == nil {
		c.Collection = puzzle.Collection
	}
	return &Puzzles{Config: c}
}

// verb is that of all presses.
const verb = "puzzle"

// Commands are the commands of this room. They work on nil, for registration.
func (p *Puzzles) Commands() []command.Command {
	ways := []command.Command{
		{As: "next", Run: p.puzzle},
		{Command: chat.Command{Name: "daily"}, As: "daily", Opens: true, Run: p.daily},
		{As: "streak", Run: command.With("run", chat.Option{Text: "streak"}, p.puzzle)},
		{As: "storm", Run: command.With("run", chat.Option{Text: "storm"}, p.puzzle)},
	}
	return []command.Command{
		{
			Command: chat.Command{Name: "puzzle", Alone: true,
				Options: []chat.OptionSpec{command.Choosing("do", "puzzle", ways),
					{Name: "game", Of: "puzzle", Type: chat.TextOption, Choices: games()},
					{Name: "theme", Of: "puzzle", Type: chat.TextOption,
						Choices: command.Named("theme", offered...)},
					{Name: "difficulty", Type: chat.TextOption,
						Choices: command.Named("difficulty", difficulties...)}}},
			By: "do", Ways: ways,
			Opens:   true,
			Run:     p.puzzle,
			Presses: map[string]command.Pressed{verb: p.press},
		},
	}
}

// rules are the games of which there are puzzles.
var rules = []game.Rules{game.Gomoku15, game.Renju, game.Reversi}

func games() []chat.Choice {
	return slices.DeleteFunc(command.GameChoices(), func(c chat.Choice) bool {
		r, _ := game.RulesNamed(c.Value)
		return !slices.Contains(rules, r)
	})
}

// longestLine is the longest solution that fits into a custom id, in moves. Longer puzzles are not
// shown.
const longestLine = 24

// shelf is where the puzzles are.
type shelf func() []puzzle.Puzzle

// shown are the puzzles of some rules that are shown here; of all for nil.
func shown(all shelf, of game.Rules) (list []puzzle.Puzzle) {
	for _, z := range all() {
		if (of == nil || z.Game.Rules() == of) && len(z.Line) <= longestLine {
			list = append(list, z)
		}
	}
	return list
}

// usual is the game whose puzzles a member gets who names none.
func (p *Puzzles) usual(ctx context.Context, r chat.Request) (game.Rules, error) {
	name := r.Text("game", "")
	if name == "" {
		var err error
		if name, err = p.Host.UsualGame(ctx, r); err != nil {
			return nil, err
		}
	}
	of, ok := game.RulesNamed(name)
	switch {
	case ok && slices.Contains(rules, of):
		return of, nil
	case r.Text("game", "") != "":
		return nil, view.No("unknown.game")
	}
	return game.Gomoku15, nil
}
